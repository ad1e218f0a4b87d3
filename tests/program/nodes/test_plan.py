from __future__ import annotations

import pytest

from data.contracts import GuardHit, Intent, Plan, ToolName
from program.grounding import guards
from program.grounding.guards import GuardInput
from program.index.engine import EmbeddedIndex
from program.nodes.plan import PlanNode
from program.settings import ExecuteSettings, GuardSwitches, Settings
from program.state import Session
from tests.scripted import ScriptedLM, dead_lm
from tests.sessions import constraint, entity, number_of, resources, scripted, session

POST_PUNK = constraint(0, "genre", "post-punk", strength="core")
RAINY = Intent(kind="discover", constraints=(POST_PUNK,), free_text="rain on a window")
EXACT, LIKE, MEANING = "exact search", "resemble", "by meaning"
_CARDS = {"catalog_search": EXACT, "similar_tracks": LIKE, "semantic_recall": MEANING}


def _plan(index: EmbeddedIndex, made: Session, *replies: object, settings: Settings | None = None) -> tuple[Plan, ScriptedLM]:
    lm, engine = scripted([("plan", list(replies))])
    return PlanNode()(made, resources(index, settings, lm)), engine


def _tools(plan: Plan) -> list[ToolName]:
    return [call.tool for call in plan.routes]


@pytest.mark.parametrize(
    ("intent", "tools"),
    [
        (Intent(kind="play", entities=(entity("artist", "toto"),)), ["catalog_search"]),
        (Intent(kind="play", entities=(entity("artist", "toto"),), constraints=(POST_PUNK,)), ["catalog_search"]),
        (Intent(kind="discover", constraints=(POST_PUNK,)), ["catalog_search", "semantic_recall"]),
        (Intent(kind="discover", free_text="rain"), ["semantic_recall"]),
        (Intent(kind="similar", entities=(entity("track", "toto--africa", "seed"),)), ["similar_tracks"]),
        (Intent(kind="discover", entities=(entity("artist", "toto", "exclude"),)), ["catalog_search"]),
        (Intent(kind="other"), []),
    ],
    ids=["a name", "a name and a facet", "facets", "only words", "a seed", "only an exclusion", "nothing"],
)
def test_what_leaves_no_choice_asks_no_lm(tiny_index: EmbeddedIndex, intent: Intent, tools: list[ToolName]) -> None:
    """Verified names, plain facets and a single eligible tool are planned by code."""
    plan, engine = _plan(tiny_index, session("x", intent))

    assert engine.prompts == []
    assert _tools(plan) == tools


@pytest.mark.parametrize(
    ("cards", "tools"),
    [
        ([MEANING, EXACT], ["semantic_recall", "catalog_search"]),
        ([EXACT, MEANING], ["catalog_search", "semantic_recall"]),
        ([MEANING], ["semantic_recall"]),
        ([EXACT, EXACT], ["catalog_search"]),
    ],
    ids=["meaning first", "exact first", "one of two", "one tool twice"],
)
def test_the_lm_orders_the_routes(tiny_index: EmbeddedIndex, cards: list[str], tools: list[ToolName]) -> None:
    """The model's choice and order decide which tools run and how they weigh; arguments are code's."""
    plan, engine = _plan(
        tiny_index, session("post-punk with rain on a window", RAINY),
        lambda prompt: {"routes": [number_of(prompt, card) for card in cards]},
    )  # fmt: skip
    weights = [call.weight for call in plan.routes]

    assert len(engine.prompts) == 1
    assert _tools(plan) == tools
    assert weights == sorted(weights, reverse=True)
    assert weights[0] == 1.0
    assert all(call.args.constraints == RAINY.constraints for call in plan.routes)
    assert all(call.serves == ("c0",) for call in plan.routes)


def test_only_eligible_tools_are_offered(tiny_index: EmbeddedIndex) -> None:
    """A tool that the intent gives nothing to has no number, so it cannot be chosen."""
    _, engine = _plan(tiny_index, session("x", RAINY), {"routes": ["t0"]})
    offered = [card for card in _CARDS.values() if card in engine.prompts[0].last]

    assert offered == [EXACT, MEANING]
    assert engine.prompts[0].schema is not None
    assert engine.prompts[0].schema["properties"]["routes"]["items"]["enum"] == ["t0", "t1"]


@pytest.mark.parametrize(
    "bad", [{"routes": []}, {"routes": ["t9"]}, {"routes": ["catalog_search"]}, {"routes": ["t0", "t1", "t0"]}, "both"],
    ids=["none", "unknown", "a name", "too many", "no JSON"],
)  # fmt: skip
def test_a_reply_rejected_twice_gives_way_to_code(tiny_index: EmbeddedIndex, bad: object) -> None:
    """After one repair turn the routes are code's, and the fault is told."""
    made = session("x", RAINY)
    plan, engine = _plan(tiny_index, made, bad, bad)

    assert len(engine.prompts) == 2
    assert "correction: routes" in engine.prompts[1].last or "correction: Invalid JSON" in engine.prompts[1].last
    assert _tools(plan) == ["catalog_search", "semantic_recall"]
    assert [(f.node, f.kind, f.code) for f in made.fallbacks] == [("plan", "model_output", "schema")]


def test_a_repaired_reply_counts(tiny_index: EmbeddedIndex) -> None:
    """A good second reply is used and leaves no fallback."""
    made = session("x", RAINY)
    plan, _ = _plan(tiny_index, made, {"routes": []}, lambda prompt: {"routes": [number_of(prompt, MEANING)]})

    assert _tools(plan) == ["semantic_recall"]
    assert made.fallbacks == []
    assert [outcome.outcome for outcome in made.assertions["plan"]] == ["repaired"]


def test_a_dead_lm_leaves_the_routes_to_code(tiny_index: EmbeddedIndex) -> None:
    """Without an answer the routes are code's and the fault is the infrastructure's."""
    made = session("x", RAINY)
    plan = PlanNode()(made, resources(tiny_index, lm=dead_lm()))

    assert _tools(plan) == ["catalog_search", "semantic_recall"]
    assert [(f.node, f.kind) for f in made.fallbacks] == [("plan", "infrastructure")]


def test_a_retry_gets_the_hint_and_the_loosened_constraints(tiny_index: EmbeddedIndex) -> None:
    """In a later round the model is asked with REFLECT's hint, and the calls carry the constraints as they stand."""
    wider = POST_PUNK.model_copy(update={"values": ("rock",)})
    made = session("post-punk", Intent(kind="discover", constraints=(POST_PUNK,)))
    made.active, made.round, made.hint = (wider,), 1, "too narrow. x0: widen post-punk to Rock"
    plan, engine = _plan(tiny_index, made, lambda prompt: {"routes": [number_of(prompt, EXACT)]})

    assert "hint: too narrow. x0: widen post-punk to Rock" in engine.prompts[0].last
    assert "genre Rock" in engine.prompts[0].last
    assert [call.args.constraints for call in plan.routes] == [(wider,)]
    assert (plan.round, plan.revised_from) == (1, "round 0")


def test_a_first_round_has_no_hint(tiny_index: EmbeddedIndex) -> None:
    """Without an earlier round the hint says none."""
    plan, engine = _plan(tiny_index, session("x", RAINY), {"routes": ["t0"]})

    assert "hint: none" in engine.prompts[0].last
    assert (plan.round, plan.revised_from) == (0, None)


def test_arguments_come_from_the_verified_intent(tiny_index: EmbeddedIndex) -> None:
    """Targets are searched for, seeds started from, exclusions kept out of every call; context is no argument."""
    intent = Intent(
        kind="similar",
        entities=(
            entity("track", "toto--africa", "seed"),
            entity("artist", "toto", "context", 1),
            entity("artist", "adele", "exclude", 2),
            entity("track", "queen--radiogaga", "exclude", 3),
        ),
        constraints=(POST_PUNK,),
        free_text="rain",
    )
    plan, _ = _plan(
        tiny_index, session("x", intent), lambda prompt: {"routes": [number_of(prompt, card) for card in (LIKE, EXACT, MEANING)]}
    )
    args = {call.tool: call.args for call in plan.routes}

    assert args["similar_tracks"].track_ids == ("toto--africa",)
    assert all(not given.artist_ids and not given.album_ids for given in args.values())
    assert all(given.exclude_artist_ids == ("adele",) for given in args.values())
    assert all(given.exclude_track_ids == ("queen--radiogaga",) for given in args.values())
    assert (args["catalog_search"].track_ids, args["semantic_recall"].track_ids) == ((), ())
    assert "rain" in args["semantic_recall"].query
    assert "Post-punk" in args["semantic_recall"].query


def test_words_that_stand_in_for_a_facet_are_searched_for(tiny_index: EmbeddedIndex) -> None:
    """What the catalog cannot check is handed to recall by meaning as words."""
    made = session("dark music", Intent(kind="discover", constraints=(constraint(0, "mood", "dark"),)))
    made.active, made.words, made.round = (), ("Gloomy cellar",), 1
    plan = PlanNode()(made, resources(tiny_index))

    assert "Gloomy cellar" in next(call.args.query for call in plan.routes if call.tool == "semantic_recall")


def test_numbers_of_the_settings_reach_the_calls(tiny_index: EmbeddedIndex) -> None:
    """Deadline and limit are settings."""
    settings = Settings(execute=ExecuteSettings(deadline_ms=123, tool_limit=7))
    plan, _ = _plan(tiny_index, session("x", Intent(kind="discover", free_text="rain", size=4)), settings=settings)

    assert [(call.deadline_ms, call.args.limit) for call in plan.routes] == [(123, 7)]


def _hit(remedy: str, target: str = "") -> GuardHit:
    return GuardHit.model_validate({"guard": "verb_prefix", "message": "that is a verb", "remedy": remedy, "target": target})


def test_a_guard_that_asks_for_a_revision_costs_one_more_sketch(
    tiny_index: EmbeddedIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model hears the guard's reason once, its second sketch is compiled and checked, and the hit stays on the plan."""
    seen: list[Plan] = []

    def guard(given: GuardInput) -> list[GuardHit]:
        seen.append(given.plan)
        return [_hit("revise")] if len(seen) == 1 else []

    monkeypatch.setitem(guards.GUARDS, "verb_prefix", guard)
    plan, engine = _plan(
        tiny_index, session("x", RAINY),
        lambda prompt: {"routes": [number_of(prompt, EXACT)]}, lambda prompt: {"routes": [number_of(prompt, MEANING)]},
    )  # fmt: skip

    assert "hint: that is a verb" in engine.prompts[1].last
    assert [_tools(given) for given in seen] == [["catalog_search"], ["semantic_recall"]]
    assert _tools(plan) == ["semantic_recall"]
    assert [hit.guard for hit in plan.guard_hits] == ["verb_prefix"]


def test_a_guard_without_an_lm_keeps_the_checked_plan(tiny_index: EmbeddedIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no model can revise, the plan stands and the hit is on it."""
    monkeypatch.setitem(guards.GUARDS, "verb_prefix", lambda given: [_hit("revise")])
    plan = PlanNode()(session("x", RAINY), resources(tiny_index))

    assert _tools(plan) == ["catalog_search", "semantic_recall"]
    assert [hit.remedy for hit in plan.guard_hits] == ["revise"]


@pytest.mark.parametrize("is_on", [True, False], ids=["on", "off"])
def test_a_dropped_id_never_reaches_a_tool(tiny_index: EmbeddedIndex, is_on: bool) -> None:
    """An excluded name that is also a target is taken out of the calls, unless that guard is switched off."""
    intent = Intent(
        kind="play",
        entities=(entity("artist", "toto"), entity("artist", "toto", "exclude", 1), entity("artist", "adele", number=2)),
    )
    settings = Settings(guards=GuardSwitches(negation_leak=is_on))
    plan = PlanNode()(session("toto and adele, no toto", intent), resources(tiny_index, settings))

    assert [call.args.artist_ids for call in plan.routes] == [("adele",) if is_on else ("toto", "adele")]
    assert [hit.guard for hit in plan.guard_hits] == (["negation_leak"] if is_on else [])


@pytest.mark.parametrize(
    ("locale", "words", "changed", "query"),
    [
        ("zh", "躺在草原上看云", {}, "Dreamy Hopeful"),
        ("zh", "躺在草原上看云", {"recall_concepts": False}, "躺在草原上看云"),
        ("zh", "躺在草原上看云", {"concept_floor": 0.99}, "躺在草原上看云"),
        ("en", "lying in a meadow", {}, "lying in a meadow"),
        ("is", "að keyra í þoku", {}, "að keyra í þoku"),
    ],
    ids=["another language", "switched off", "nothing near enough", "English", "a language that the model has not learnt"],
)
def test_words_in_another_language(
    tiny_index: EmbeddedIndex, locale: str, words: str, changed: dict[str, object], query: str
) -> None:
    """Recall by meaning reads English: words in another language are looked for as the moods they come nearest to."""
    intent = Intent(kind="discover", free_text=words, locale=locale)
    settings = Settings(execute=ExecuteSettings.model_validate(changed))
    plan, _ = _plan(tiny_index, session("x", intent), settings=settings)

    assert plan.routes[0].args.query == query
