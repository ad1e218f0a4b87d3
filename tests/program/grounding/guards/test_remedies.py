from __future__ import annotations

from typing import Any

import pytest

from data.contracts import GuardHit, Intent, Plan
from program.grounding.guards import GUARDS, GuardInput
from program.grounding.guards.remedies import mended, without
from program.grounding.readings import understand_by_code
from program.index.engine import EmbeddedIndex
from program.nodes.plan import PlanNode
from program.settings import GroundingSettings, GuardSwitches, Settings
from program.state import Session
from tests.program.grounding.guards.taken import taken
from tests.scripted import ScriptedLM
from tests.sessions import number_of, resources, scripted, session

LIKE, MEANING = "resemble", "by meaning"


def _session(index: EmbeddedIndex, request: str, *parts: str) -> Session:
    """A session in which an LM took the request for the parts."""
    made = session(request, taken(index, request, *parts).intent)
    made.understanding = understand_by_code(request, index, Settings())
    return made


def _plans(index: EmbeddedIndex, request: str, *parts: str) -> tuple[Plan, Plan, Session]:
    """The plan with the guards, the one without, and the session of the first."""
    guarded = _session(index, request, *parts)
    off = Settings(guards=GuardSwitches.none())
    with_guards = PlanNode()(guarded, resources(index))
    return with_guards, PlanNode()(_session(index, request, *parts), resources(index, off)), guarded


def _searched(plan: Plan) -> list[tuple[Any, ...]]:
    """Tool, ids, facets and words of each route."""
    return [
        (
            route.tool,
            (*route.args.track_ids, *route.args.artist_ids, *route.args.album_ids),
            tuple((c.facet, *c.values) for c in route.args.constraints),
            route.args.query,
        )
        for route in plan.routes
    ]


def test_drop_leaves_the_rest(shelf: EmbeddedIndex) -> None:
    """What is dropped is gone from the calls and from the intent; what is left is searched for."""
    plan, unguarded, made = _plans(shelf, "Kaleidoscope", "target album siouxsie/kaleidoscope", "target artist kaleidoscope-us")

    assert _searched(unguarded) == [("catalog_search", ("kaleidoscope-us", "siouxsie/kaleidoscope"), (), "")]
    assert _searched(plan) == [("catalog_search", ("siouxsie/kaleidoscope",), (), "")]
    assert [entity.entity_id for entity in made.need_intent().by_role("target")] == ["siouxsie/kaleidoscope"]


def test_broaden_to_a_facet(shelf: EmbeddedIndex) -> None:
    """Instead of a name that is none its facet is searched for, and the ledger keeps account of it."""
    plan, unguarded, made = _plans(shelf, "soul songs", "target artist soul-band")

    assert _searched(unguarded) == [("catalog_search", ("soul-band",), (), "")]
    assert [(tool, ids, facets) for tool, ids, facets, _ in _searched(plan)] == [
        ("catalog_search", (), (("genre", "soul"),)),
        ("semantic_recall", (), (("genre", "soul"),)),
    ]
    assert [c.facet for c in made.active] == [c.facet for c in made.ledger.original] == ["genre"]


def test_broaden_to_meaning(shelf: EmbeddedIndex) -> None:
    """Words that no facet holds are searched for by meaning."""
    plan, unguarded, _ = _plans(shelf, "songs for the road", "target track kitchener--theroad")

    assert _searched(unguarded) == [("catalog_search", ("kitchener--theroad",), (), "")]
    assert _searched(plan) == [("semantic_recall", (), (), "the road")]


def test_safer_retriever_searches_for_the_verified_name(shelf: EmbeddedIndex) -> None:
    """The verified work takes the place of what its words were taken for, as one track."""
    plan, unguarded, made = _plans(shelf, "Toto's Africa", "target artist toto", "region=africa:Africa")

    assert _searched(unguarded) == [("catalog_search", ("toto",), (("region", "africa"),), "")]
    assert _searched(plan) == [("catalog_search", ("toto--africa",), (), "")]
    assert (made.need_intent().kind, made.need_intent().size) == ("play", 1)


def test_a_safer_name_for_a_seed_stays_a_seed(shelf: EmbeddedIndex) -> None:
    """A starting point gives way to a starting point."""
    plan, _, made = _plans(shelf, "songs like Kaleidoscope", "seed artist kaleidoscope-us")

    assert _searched(plan) == [("similar_tracks", ("siouxsie/kaleidoscope",), (), "")]
    assert made.need_intent().kind == "similar"


def test_what_was_ruled_out_stays_out(shelf: EmbeddedIndex) -> None:
    """A reading that takes the place of a rejected one keeps every exclusion."""
    parts = ("target artist toto", "region=africa:Africa", "exclude artist weezer")
    plan, _, made = _plans(shelf, "Toto's Africa, no Weezer", *parts)

    assert plan.routes[0].args.track_ids == ("toto--africa",)
    assert plan.routes[0].args.exclude_artist_ids == ("weezer",)
    assert [entity.entity_id for entity in made.need_intent().by_role("exclude")] == ["weezer"]


def test_the_number_asked_for_outside_the_words_is_kept(shelf: EmbeddedIndex) -> None:
    """A size given beside the request outlives the reading that it came with."""
    made = _session(shelf, "soul songs", "target artist soul-band")
    made.n = 7
    PlanNode()(made, resources(shelf))

    assert made.need_intent().size == 7


# -- revise --------------------------------------------------------------------------------------------------------------

THIN = "something dreamy like Kaleidoscope"
ALL_THIN = Settings(grounding=GroundingSettings(p_lo=0.5))


def _revised(index: EmbeddedIndex, *replies: object, settings: Settings = ALL_THIN) -> tuple[Plan, ScriptedLM]:
    made = _session(index, THIN, "seed artist kaleidoscope-uk", "mood=dreamy:dreamy")
    lm, engine = scripted([("plan", list(replies))])
    return PlanNode()(made, resources(index, settings, lm)), engine


def _only_like(prompt: str) -> dict[str, Any]:
    return {"routes": [number_of(prompt, LIKE)]}


def test_revise_asks_once_more_with_the_reason(shelf: EmbeddedIndex) -> None:
    """The model hears why its routes will not do, and its second choice is used."""
    plan, engine = _revised(shelf, _only_like, lambda prompt: {"routes": [number_of(prompt, LIKE), number_of(prompt, MEANING)]})

    assert "search for more than the name" in engine.prompts[1].last
    assert [route.tool for route in plan.routes] == ["similar_tracks", "semantic_recall"]
    assert [(hit.guard, hit.remedy) for hit in plan.guard_hits] == [("thin_support", "revise")]


def test_revise_falls_back_on_every_tool(shelf: EmbeddedIndex) -> None:
    """A model that insists gets the tools that the intent can use, chosen by code, and is asked no third time."""
    plan, engine = _revised(shelf, _only_like, _only_like)

    assert len(engine.prompts) == 2
    assert [route.tool for route in plan.routes] == ["similar_tracks", "semantic_recall", "catalog_search", "similar_artists"]


def test_revise_switches(shelf: EmbeddedIndex) -> None:
    """Without the guard the first choice stands."""
    off = ALL_THIN.model_copy(update={"guards": GuardSwitches(thin_support=False)})
    plan, engine = _revised(shelf, _only_like, settings=off)

    assert len(engine.prompts) == 1
    assert [route.tool for route in plan.routes] == ["similar_tracks"]


# -- by hand, where no reading of code fits ------------------------------------------------------------------------------


def _hit(remedy: str, target: str, words: str, guard: str = "test") -> GuardHit:
    return GuardHit.model_validate({"guard": guard, "message": "no", "remedy": remedy, "target": target, "words": words})


def _mended(index: EmbeddedIndex, hit: GuardHit, request: str, *parts: str) -> Intent:
    return mended(taken(index, request, *parts), [hit])


def _names(intent: Intent) -> list[str]:
    return [f"{entity.role} {entity.entity_id}" for entity in intent.entities]


def test_mending_takes_the_artist_instead_of_the_title(shelf: EmbeddedIndex) -> None:
    """A broader query for a title is its artist, where other words name that artist."""
    intent = _mended(shelf, _hit("broaden", "adele--hello", "hello"), "hello songs from Adele", "target track adele--hello")

    assert _names(intent) == ["target adele"]
    assert intent.entities[0].name == "Adele"


def test_mending_takes_the_facet_instead_of_the_name(shelf: EmbeddedIndex) -> None:
    """A broader query for a name is the facet that its words name, as a constraint on those words."""
    intent = _mended(
        shelf, _hit("broaden", "japan-band", "Japan"), "sad songs, Japan", "mood=sad:sad", "target artist japan-band"
    )

    assert _names(intent) == []
    assert [(c.constraint_id, c.facet, c.values, c.surface) for c in intent.constraints] == [
        ("c0", "mood", ("sad",), "sad"),
        ("c1", "region", ("JP",), "Japan"),
    ]
    assert intent.kind == "discover"


def test_mending_takes_the_words_instead_of_the_name(shelf: EmbeddedIndex) -> None:
    """Without artist and facet the words themselves are left to be searched for."""
    intent = _mended(shelf, _hit("broaden", "cas--cry", "cry"), "cry for hours", "target track cas--cry", "words:hours")

    assert (_names(intent), intent.free_text, intent.kind) == ([], "hours cry", "discover")


@pytest.mark.parametrize(
    ("target", "kind", "size"), [("toto--africa", "track", 1), ("toto", "artist", 20), ("toto/toto", "album", 20)]
)
def test_mending_puts_a_verified_thing_in_place(shelf: EmbeddedIndex, target: str, kind: str, size: int) -> None:
    """A safer name replaces all that its words were taken for: names, facets and leftovers."""
    hit = _hit("safer_retriever", target, "Toto's Africa")
    intent = _mended(shelf, hit, "Toto's Africa", "target track weezer--africa", "region=africa:Africa", "words:Toto's Africa")

    assert [(entity.role, entity.entity_type, entity.entity_id) for entity in intent.entities] == [("target", kind, target)]
    assert (intent.constraints, intent.free_text, intent.kind, intent.size) == ((), "", "play", size)


def test_mending_keeps_what_the_hit_is_not_about(shelf: EmbeddedIndex) -> None:
    """Other names, conditions on other words and a version that was asked for stay."""
    hit = _hit("safer_retriever", "toto--africa", "Toto's Africa live")
    parts = ("target artist muse", "target artist toto", "version=live:live", "exclude artist weezer")
    intent = _mended(shelf, hit, "Muse and Toto's Africa live, no Weezer", *parts)

    assert _names(intent) == ["target muse", "exclude weezer", "target toto--africa"]
    assert [c.facet for c in intent.constraints] == ["version"]


def test_mending_says_what_is_not_held(shelf: EmbeddedIndex) -> None:
    """Where nobody has the work, it is absent, and nothing is played instead."""
    hit = _hit("drop", "metallica", "Hello by Metallica", guard="works_exclusion")
    intent = _mended(shelf, hit, "Hello by Metallica", "target artist metallica")

    assert (intent.absent, intent.by_role("target"), intent.kind) == (("Hello by Metallica",), (), "play")


def test_mending_with_an_unknown_target_only_takes_out(shelf: EmbeddedIndex) -> None:
    """An id that no words of the request name cannot be put in."""
    intent = _mended(
        shelf, _hit("safer_retriever", "no-such-thing", "Queen"), "Queen and Muse", "target artist queen", "target artist muse"
    )

    assert _names(intent) == ["target muse"]


def test_without_leaves_other_roles(shelf: EmbeddedIndex) -> None:
    """A name that is ruled out and wanted at once stays ruled out; an intent without the name is the same object."""
    intent = taken(shelf, "Muse, no Queen", "target artist muse", "exclude artist queen", "target artist queen").intent

    assert _names(without(intent, ["queen"])) == ["target muse", "exclude queen"]
    assert without(intent, ["adele"]) is intent


# -- rounds --------------------------------------------------------------------------------------------------------------


def test_a_later_round_keeps_hits_and_relaxations(shelf: EmbeddedIndex) -> None:
    """What the first round corrected is not undone, and the last plan tells of it."""
    made = _session(shelf, "soul songs", "target artist soul-band")
    first = PlanNode()(made, resources(shelf))
    made.active, made.round = (), 1
    second = PlanNode()(made, resources(shelf))

    assert made.active == ()
    assert second.guard_hits == first.guard_hits
    assert [hit.target for hit in second.guard_hits] == ["soul-band"]


def test_a_hit_that_cannot_be_mended_is_acted_on_once(shelf: EmbeddedIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """A guard that is never content does not undo in each round what was relaxed in between."""

    def stubborn(given: GuardInput) -> list[GuardHit]:
        return [_hit("broaden", "soul", "soul")]

    monkeypatch.setitem(GUARDS, "thin_support", stubborn)
    made = _session(shelf, "sad soul songs", "genre=soul:soul songs", "mood=sad:sad")
    PlanNode()(made, resources(shelf))
    made.active, made.round = made.active[:1], 1
    PlanNode()(made, resources(shelf))

    assert len(made.active) == 1
