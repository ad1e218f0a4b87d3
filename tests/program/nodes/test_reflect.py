from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data.contracts import Candidate, CandidateSet, Intent, Relaxation, ToolError, ToolResult, Verdict
from program.grounding.readings import understand_by_code
from program.index.engine import EmbeddedIndex
from program.index.filters import satisfies
from program.index.protocol import Filter
from program.nodes.reflect import ReflectNode, base_filter
from program.retry.options import Change
from program.settings import RetrySettings, Settings
from program.state import Session
from tests.scripted import ScriptedLM, dead_lm
from tests.sessions import constraint, entity, number_of, resources, scripted, session, verdict
from tests.tiny import open_tiny

ICELAND = constraint(0, "region", "IS")
POST_PUNK = constraint(1, "genre", "post-punk", strength="core")
ICELANDIC = Intent(kind="discover", constraints=(ICELAND, POST_PUNK))
CITY_POP = Intent(
    kind="discover", constraints=(constraint(0, "era", "1990s"), constraint(1, "genre", "city-pop", strength="core"))
)


def _found(made: Session, index: EmbeddedIndex) -> Session:
    """The session after an EXECUTE that found exactly what the constraints of the round allow."""
    intent = made.need_intent()
    where = replace(base_filter(intent), constraints=made.active)
    entries = [index.track(row) for row in index.search(where, 200).rows]
    made.entries.update((entry.track.track_id, entry) for entry in entries)
    marks = [{c.constraint_id: satisfies(e.track, e.popularity, c) for c in intent.constraints} for e in entries]
    found = tuple(
        Candidate(track_id=entry.track.track_id, score=1.0, route_ranks={"catalog_search": rank}, satisfies=mark)
        for rank, (entry, mark) in enumerate(zip(entries, marks, strict=True))
    )
    made.found = CandidateSet(candidates=found, results=(ToolResult(tool="catalog_search", ok=True, latency_ms=1.0),))
    return made


def _start(index: EmbeddedIndex, intent: Intent, text: str = "niche northern things") -> Session:
    return _found(session(text, intent), index)


def _reflect(index: EmbeddedIndex, made: Session, *replies: Any, settings: Settings | None = None) -> tuple[Verdict, ScriptedLM]:
    lm, engine = scripted([("reflect", list(replies))])
    return ReflectNode()(made, resources(index, settings, lm)), engine


def _retry(**values: Any) -> Settings:
    return Settings(retry=RetrySettings(**values))


@pytest.mark.parametrize(
    "intent",
    [
        Intent(kind="discover", constraints=(POST_PUNK,)),
        Intent(kind="play", entities=(entity("track", "toto--africa"),), size=1),
        Intent(kind="play", entities=(entity("artist", "moby"),)),
        Intent(kind="discover", constraints=(ICELAND,), size=4),
    ],
    ids=["many", "the named track", "all of an artist", "a short list"],
)
def test_the_fast_gate_asks_no_lm(tiny_index: EmbeddedIndex, intent: Intent) -> None:
    """When both gates pass the verdict is to proceed, and nothing of the session changes."""
    made = _start(tiny_index, intent)
    verdict_, engine = _reflect(tiny_index, made)

    assert engine.prompts == []
    assert (verdict_.action, verdict_.is_sufficient) == ("proceed", True)
    assert verdict_.semantic_match_score == 1.0
    assert (made.active, made.round, made.ledger.relaxed) == (intent.constraints, 0, False)


@pytest.mark.parametrize(
    "intent",
    [Intent(kind="personal", personal="liked"), Intent(kind="play", absent=("Zed",), constraints=(POST_PUNK, ICELAND))],
    ids=["a personal set", "an absent name"],
)
def test_what_loosening_cannot_help_proceeds(tiny_index: EmbeddedIndex, intent: Intent) -> None:
    """Personal sets and names that are absent are not retried, however few tracks there are."""
    made = _start(tiny_index, intent)
    verdict_, engine = _reflect(tiny_index, made)

    assert engine.prompts == []
    assert verdict_.action == "proceed"
    assert made.round == 0


def test_without_an_lm_code_takes_its_cheapest_repair(tiny_index: EmbeddedIndex) -> None:
    """A thin set is loosened by code, written into the ledger, and PLAN gets the reason as a hint."""
    made = _start(tiny_index, ICELANDIC)
    before = len(made.need_found().candidates)
    verdict_ = ReflectNode()(made, resources(tiny_index))
    entry = made.ledger.entries([])[0]

    assert verdict_.action == "retry_relaxed"
    assert (verdict_.total_candidates, verdict_.is_sufficient) == (before, False)
    assert verdict_.relaxation_ids
    assert tiny_index.count(Filter(constraints=made.active)) >= 30
    assert made.active[1] == POST_PUNK
    assert (entry.constraint_id, entry.round) == ("c0", 1)
    assert entry.state != "kept"
    assert f"only {before} of 30" in entry.why
    assert made.round == 1
    assert verdict_.suggestion in made.hint


def test_the_prompt_offers_counted_changes(tiny_index: EmbeddedIndex) -> None:
    """The model sees how many were found, and each change with its gain and cost; decoding is held to what is offered."""
    made = _start(tiny_index, ICELANDIC)
    _, engine = _reflect(tiny_index, made, lambda prompt: verdict("retry_relaxed", number_of(prompt, "to Europe")))
    prompt = engine.prompts[0]
    dropped = tiny_index.count(Filter(constraints=(POST_PUNK,))) - 6
    assert prompt.schema is not None

    assert "found: 6 of 30 needed match" in prompt.last
    assert f"to any region (+{dropped}, cost 0.75)" in prompt.last
    assert "retry_rewrite" not in str(prompt.schema["properties"]["action"])
    assert number_of(prompt.text, "to Europe") in prompt.schema["properties"]["chosen"]["items"]["enum"]


def test_the_lm_chooses_among_the_changes(tiny_index: EmbeddedIndex) -> None:
    """An offered number is applied though code would choose another, with the model's cause in verdict and ledger."""
    made, alone = _start(tiny_index, ICELANDIC), _start(tiny_index, ICELANDIC)
    ReflectNode()(alone, resources(tiny_index))
    verdict_, engine = _reflect(
        tiny_index, made, lambda p: verdict("retry_relaxed", number_of(p, "to any region"), cause="Iceland is too small")
    )
    entries = {entry.constraint_id: entry for entry in made.ledger.entries([])}

    assert len(engine.prompts) == 1
    assert verdict_.action == "retry_relaxed"
    assert made.active == (POST_PUNK,) != alone.active
    assert entries["c0"].state == "dropped"
    assert entries["c0"].why == verdict_.reason == "Iceland is too small"
    assert entries["c1"].state == "kept"


BAD: dict[str, tuple[Any, str, str]] = {
    "an action that was not offered": (verdict("proceed"), "schema", "action"),
    "a change that was not offered": (verdict("retry_relaxed", "x99"), "schema", "chosen"),
    "no change at all": (verdict("retry_relaxed"), "schema", "chosen"),
    "giving up too early": (verdict("fallback"), "schema", "action"),
    "a change that adds hardly anything": (
        lambda prompt: verdict("retry_relaxed", number_of(prompt, "post-punk to Rock")),
        "changes_worthwhile",
        "they reach only",
    ),
    "no JSON": ("Widen the region.", "schema", "JSON"),
}
bad = pytest.mark.parametrize(("reply", "check", "told"), BAD.values(), ids=BAD.keys())


@bad
def test_a_rejected_reply_is_repaired_once(tiny_index: EmbeddedIndex, reply: Any, check: str, told: str) -> None:
    """The correction says what was wrong, and a good second reply is applied without a fallback."""
    made = _start(tiny_index, ICELANDIC)
    verdict_, engine = _reflect(tiny_index, made, reply, lambda prompt: verdict("retry_relaxed", number_of(prompt, "to Europe")))

    assert len(engine.prompts) == 2
    assert told in engine.prompts[1].last.splitlines()[-1]
    assert verdict_.action == "retry_relaxed"
    assert made.active[0].values == ("europe",)
    assert {o.name: o.outcome for o in made.assertions["reflect"]}[check] == "repaired"
    assert made.fallbacks == []


@bad
def test_a_reply_rejected_twice_gives_way_to_code(tiny_index: EmbeddedIndex, reply: Any, check: str, told: str) -> None:
    """Code's own cheapest repair is taken, the same as without an LM, and the fault names the check."""
    made, alone = _start(tiny_index, ICELANDIC), _start(tiny_index, ICELANDIC)
    verdict_, engine = _reflect(tiny_index, made, reply, reply)
    by_code = ReflectNode()(alone, resources(tiny_index))

    assert len(engine.prompts) == 2
    assert (verdict_.action, verdict_.relaxation_ids) == (by_code.action, by_code.relaxation_ids)
    assert made.active == alone.active
    assert [(f.node, f.kind, f.code) for f in made.fallbacks] == [("reflect", "model_output", check)]


def _adds_little(prompt: str) -> dict[str, Any]:
    return verdict("retry_relaxed", number_of(prompt, "post-punk to Rock"))


def test_a_check_that_is_off_lets_a_poor_choice_through(tiny_index: EmbeddedIndex) -> None:
    """With its switch off the check costs no repair turn and the model's choice stands."""
    on, off = _start(tiny_index, ICELANDIC), _start(tiny_index, ICELANDIC)
    _reflect(tiny_index, on, _adds_little, _adds_little)
    _, engine = _reflect(tiny_index, off, _adds_little, settings=Settings(assertions_off=frozenset({"changes_worthwhile"})))

    assert len(engine.prompts) == 1
    assert {o.name: o.outcome for o in off.assertions["reflect"]}["changes_worthwhile"] == "off"
    assert off.active[1].values == ("rock",)
    assert on.active[1].values == ("post-punk",)


def test_a_rewrite_without_a_number_passes_where_its_check_is_off(tiny_index: EmbeddedIndex) -> None:
    """With its switch off the check lets an action through that names no reading; nothing can then be rewritten."""
    made = _rewritable(tiny_index, Settings())
    before = made.intent
    off = Settings(assertions_off=frozenset({"action_consistent"}))
    verdict_, engine = _reflect(tiny_index, made, verdict("retry_rewrite"), settings=off)

    assert len(engine.prompts) == 1
    assert (verdict_.action, made.intent) == ("fallback", before)


def test_a_dearer_choice_than_needed_is_refused(tiny_index: EmbeddedIndex) -> None:
    """A set that gives up much more than code's own is answered with the cheaper numbers."""
    asked = (constraint(0, "region", "SE"), constraint(1, "genre", "post-punk", strength="core"))
    made = _start(tiny_index, Intent(kind="discover", constraints=asked, size=3))
    _, engine = _reflect(
        tiny_index, made,
        lambda prompt: verdict("retry_relaxed", number_of(prompt, "to any region")),
        lambda prompt: verdict("retry_relaxed", number_of(prompt, "to Nordic countries")),
    )  # fmt: skip

    assert "give up more than needed" in engine.prompts[1].last.splitlines()[-1]
    assert made.active[0].values == ("nordic",)


def test_two_rounds_and_no_more(tiny_index: EmbeddedIndex) -> None:
    """Each round loosens further, the ledger says in which, and after two rounds the verdict is the fallback."""
    settings = _retry(max_applied=1)
    made = _start(tiny_index, CITY_POP)
    first = ReflectNode()(made, resources(tiny_index, settings))
    after_one = made.active
    _found(made, tiny_index)
    second = ReflectNode()(made, resources(tiny_index, settings))
    _found(made, tiny_index)
    made.intent = made.need_intent().model_copy(update={"size": 100})
    third = ReflectNode()(made, resources(tiny_index, settings))

    assert [first.action, second.action, third.action] == ["retry_relaxed", "retry_relaxed", "fallback"]
    assert after_one != CITY_POP.constraints
    assert made.round == 2
    assert "2 rounds are spent" in third.reason
    assert {entry.round for entry in made.ledger.entries([])} <= {0, 1, 2}
    assert 2 in {entry.round for entry in made.ledger.entries([])}


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_the_number_of_rounds_is_a_setting(tiny_index: EmbeddedIndex, rounds: int) -> None:
    """No round beyond the limit changes a constraint."""
    made = _start(tiny_index, CITY_POP.model_copy(update={"size": 100}))
    node, given = ReflectNode(), resources(tiny_index, _retry(max_rounds=rounds, max_applied=1))
    actions = []
    for _ in range(3):
        actions.append(node(made, given).action)
        _found(made, tiny_index)

    assert made.round <= rounds
    assert actions.count("retry_relaxed") <= rounds
    assert actions[-1] == "fallback"


def test_switched_off_it_only_judges(tiny_index: EmbeddedIndex) -> None:
    """With retry switched off a thin set is the fallback, and nothing is loosened or asked."""
    made = _start(tiny_index, ICELANDIC)
    verdict_, engine = _reflect(tiny_index, made, settings=_retry(enabled=False))

    assert engine.prompts == []
    assert (verdict_.action, verdict_.reason) == ("fallback", "retry is switched off")
    assert made.active == ICELANDIC.constraints
    assert not made.ledger.relaxed


def test_nothing_to_loosen_is_the_fallback(tiny_index: EmbeddedIndex) -> None:
    """A thin set without a constraint that may be loosened is not retried and asks no LM."""
    made = _start(tiny_index, Intent(kind="discover", constraints=(constraint(0, "genre", "rock", "pop", op="not"),), size=90))
    verdict_, engine = _reflect(tiny_index, made)

    assert engine.prompts == []
    assert verdict_.action == "fallback"
    assert made.round == 0


@pytest.mark.parametrize("round_", [0, 1])
def test_exclusions_are_never_loosened(tiny_index: EmbeddedIndex, round_: int) -> None:
    """Whatever is repaired, negated facets and excluded names hold in the next round and in every count."""
    no_pop = constraint(2, "genre", "gothic-rock", op="not", strength="core")
    intent = Intent(
        kind="discover", constraints=(ICELAND, POST_PUNK, no_pop), entities=(entity("artist", "the-cure", "exclude"),)
    )
    made = _start(tiny_index, intent)
    made.round = round_
    ReflectNode()(made, resources(tiny_index))

    assert no_pop in made.active
    assert base_filter(made.need_intent()).not_artist_ids == ("the-cure",)
    assert {e.constraint_id: e.state for e in made.ledger.entries([])}["c2"] == "kept"


REWRITABLE = "Play by Moby"
"""Code's second reading takes Play for the command: everything by Moby."""


def _rewritable(index: EmbeddedIndex, settings: Settings) -> Session:
    known = understand_by_code(REWRITABLE, index, settings)
    made = session(REWRITABLE, known.best.intent)
    made.understanding = known
    nothing = ToolResult(tool="catalog_search", ok=True, latency_ms=1.0)
    made.found = CandidateSet(candidates=(), results=(nothing,))
    return made


def test_code_reads_again_when_loosening_cannot_help(tiny_index: EmbeddedIndex) -> None:
    """Without anything to loosen, another complete reading with tracks becomes the intent, with a ledger of its own."""
    made = _rewritable(tiny_index, Settings())
    before = made.need_intent()
    verdict_ = ReflectNode()(made, resources(tiny_index))

    assert verdict_.action == "retry_rewrite"
    assert verdict_.corrected_understanding == made.intent
    assert made.intent != before
    assert [e.entity_id for e in made.need_intent().by_role("target")] == ["moby"]
    assert made.active == made.ledger.original == made.need_intent().constraints
    assert made.round == 1
    assert "read the request as" in made.hint


def test_the_lm_may_choose_another_reading(tiny_index: EmbeddedIndex) -> None:
    """An offered reading is taken by its number; the action without a number is sent back."""
    made = _rewritable(tiny_index, Settings())
    verdict_, engine = _reflect(
        tiny_index, made, verdict("retry_rewrite"),
        lambda prompt: verdict("retry_rewrite", reading=number_of(prompt, "target artist Moby"), cause="play is a command"),
    )  # fmt: skip

    assert "needs one of the offered reading numbers" in engine.prompts[1].last
    assert (verdict_.action, verdict_.reason) == ("retry_rewrite", "play is a command")
    assert [e.entity_id for e in made.need_intent().by_role("target")] == ["moby"]


def test_a_rewrite_keeps_the_number_asked_for(tiny_index: EmbeddedIndex) -> None:
    """The size given beside the request survives a second reading of it."""
    made = _rewritable(tiny_index, Settings())
    made.n = 2
    made.intent = made.need_intent().model_copy(update={"size": 2})
    ReflectNode()(made, resources(tiny_index))

    assert made.need_intent().size == 2


def test_no_rewrite_after_the_first_round(tiny_index: EmbeddedIndex) -> None:
    """Another reading is only taken in the first round."""
    made = _rewritable(tiny_index, Settings())
    made.round = 1

    assert ReflectNode()(made, resources(tiny_index)).action == "fallback"


def test_a_dead_lm_leaves_the_repair_to_code(tiny_index: EmbeddedIndex) -> None:
    """Without an answer code repairs, and the fault is the infrastructure's."""
    made = _start(tiny_index, ICELANDIC)
    verdict_ = ReflectNode()(made, resources(tiny_index, lm=dead_lm()))

    assert verdict_.action == "retry_relaxed"
    assert [(f.node, f.kind) for f in made.fallbacks] == [("reflect", "infrastructure")]


def test_words_stand_in_for_a_facet_that_the_catalog_hardly_fills(tiny_path: Path) -> None:
    """Where the catalog says nothing about a facet it is matched by meaning: gone from the filter, kept as words, told."""
    index = open_tiny(tiny_path)
    index.info = replace(index.info, coverage={**index.info.coverage, "mood": 0.01})
    made = _start(index, Intent(kind="discover", constraints=(constraint(0, "mood", "haunting"), POST_PUNK)))
    verdict_ = ReflectNode()(made, resources(index))
    entry = made.ledger.entries([])[0]
    index.close()

    assert verdict_.action == "retry_relaxed"
    assert [word.casefold() for word in made.words] == ["haunting"]
    assert made.active == (POST_PUNK,)
    assert entry.state == "substituted"


def test_an_outage_is_not_read_as_a_thin_catalog(tiny_index: EmbeddedIndex) -> None:
    """When no tool answered, nothing is loosened: the fault has nothing to do with what was asked."""
    made = session("post-punk", Intent(kind="discover", constraints=(POST_PUNK,)))
    failed = ToolResult(tool="catalog_search", ok=False, error=ToolError(kind="unavailable", message="gone"), latency_ms=1.0)
    made.found = CandidateSet(candidates=(), results=(failed,))
    ReflectNode()(made, resources(tiny_index))

    assert not made.ledger.relaxed
    assert made.active == (POST_PUNK,)


def test_a_full_page_of_results_is_not_a_thin_catalog(tiny_index: EmbeddedIndex) -> None:
    """When the tools return all that they may and the catalog holds more than is needed, nothing is loosened."""
    made = _start(tiny_index, Intent(kind="discover", constraints=(POST_PUNK,), size=12))
    found = made.need_found()
    made.found = found.model_copy(update={"candidates": found.candidates[:15]})
    assert tiny_index.count(Filter(constraints=(POST_PUNK,))) > 18
    ReflectNode()(made, resources(tiny_index))

    assert not made.ledger.relaxed


def test_what_was_asked_is_never_given_up_whole(tiny_index: EmbeddedIndex) -> None:
    """At least one of the conditions of the request holds in every round: a popular list is no repair."""
    asked = (constraint(0, "region", "MN"), constraint(1, "genre", "reggae", strength="core"))
    made = _start(tiny_index, Intent(kind="discover", constraints=asked))
    ReflectNode()(made, resources(tiny_index))

    assert made.active != ()


@pytest.mark.parametrize(
    ("genres", "action"),
    [(("cool-jazz",), "fallback"), (("post-punk",), "proceed")],
    ids=["nothing found holds the core", "some of it does"],
)
def test_a_core_that_nothing_holds_is_no_success(tiny_index: EmbeddedIndex, genres: tuple[str, ...], action: str) -> None:
    """Enough tracks near what was asked are a partial answer that says so, not a repair that went well."""
    asked = constraint(0, "genre", *genres, strength="core")
    made = session("x", Intent(kind="discover", constraints=(asked,), size=2))
    widened = asked.model_copy(update={"values": ("post-punk", "rock")})
    relaxation = Relaxation.model_validate(
        {
            "relaxation_id": "x0",
            "constraint_id": "c0",
            "op": "widen",
            "from": genres,
            "to": widened.values,
            "gain": 9,
            "cost": 0.3,
        }
    )
    made.ledger.record([Change(relaxation, widened, "genre", core=True)], 1, "too few")
    made.active, made.round = (widened,), 1
    verdict_ = ReflectNode()(_found(made, tiny_index), resources(tiny_index))

    assert verdict_.action == action
    assert ("as asked" in verdict_.reason) == (action == "fallback")
