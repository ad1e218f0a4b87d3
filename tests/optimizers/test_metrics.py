"""Scores of answers whose worth is known."""

from __future__ import annotations

import math
from typing import Any

import pytest

from data.contracts import GuardHit, Intent, LedgerEntry, ToolArgs
from optimizers.behaviour import action_of, changed_constraints, plan_is_valid
from optimizers.feedback import feedback
from optimizers.metrics import RowScores, objective, score
from optimizers.naming import abstained, ambiguity_right, false_absences
from optimizers.quality import collapse, ndcg, preserved, success
from optimizers.records import AnswerRecord, ToolOutcome
from tests.labelled import ADELE, LIONEL, answered, named, record, row, turn, used
from tests.sessions import constraint

_POST_PUNK = {"facet": "genre", "op": "is", "values": ["post-punk"], "strength": "core", "relaxable": False}
_ICELAND = {"facet": "region", "op": "is", "values": ["IS"]}
_RULES = [{"grade": 3, "where": [{"field": "genre", "values": ["post-punk"]}]},
          {"grade": 1, "where": [{"field": "region", "values": ["GB"]}]}]  # fmt: skip


def _ids() -> dict[str, str]:
    from tests.tiny import track_id

    return {
        "forest": track_id("the-cure", "A Forest"), "miner": track_id("wire", "Outdoor Miner"),
        "kukl": track_id("kukl", "Dismembered"), "disorder": track_id("joy-division", "Disorder"),
        "ether": track_id("gang-of-four", "Ether"), "hello": ADELE, "africa": track_id("toto", "Africa"),
    }  # fmt: skip


IDS = _ids()


def _graded(least: int = 2, size: int = 20, **fields: Any) -> Any:
    quality = {"rules": _RULES, "least": least, "size": size, **fields}
    return row("post-punk", constraints=[_POST_PUNK], quality=quality)


def test_ndcg_of_a_known_order() -> None:
    """Grades 3, 0, 1 of a catalog with two 3s and one 1, by hand."""
    found = ndcg(_graded(), answered(IDS["kukl"], IDS["africa"], IDS["hello"]), {3: 2, 2: 0, 1: 1})
    best = 7 + 7 / math.log2(3) + 1 / 2

    assert found == pytest.approx((7 + 0 + 1 / 2) / best)


def test_ndcg_is_cut_at_what_was_asked() -> None:
    """One named track is judged by the first track alone; nothing right or personal is no question at all."""
    assert ndcg(_graded(size=1), answered(IDS["kukl"], IDS["africa"]), {3: 5, 1: 9}) == 1.0
    assert ndcg(_graded(), answered(IDS["kukl"]), {3: 0, 2: 0, 1: 0}) is None
    assert ndcg(_graded(personal="liked"), answered(IDS["kukl"]), {3: 1}) is None


@pytest.mark.parametrize(
    ("least", "tracks", "status", "enough"),
    [
        (2, ("kukl", "forest"), "ok", True), (2, ("kukl", "hello"), "ok", False), (2, (), "not_found", False),
        (0, (), "not_found", True), (0, ("hello",), "ok", False), (0, ("kukl",), "ok", True), (2, (), "clarify", False),
    ],
)  # fmt: skip
def test_success(least: int, tracks: tuple[str, ...], status: str, enough: bool) -> None:
    """Good tracks are of grade 2 or 3; where none is honest, none is right."""
    assert success(_graded(least=least), record(*(IDS[name] for name in tracks), status=status)) is enough


@pytest.mark.parametrize(("others", "kept"), [(0, True), (1, True), (2, False)])
def test_preserved_at_four_fifths(others: int, kept: bool) -> None:
    """With 4 of 5 tracks the core holds, with 4 of 6 it does not."""
    core = [IDS[name] for name in ("kukl", "forest", "miner", "disorder")]
    tracks = answered(*core, *[IDS["africa"], IDS["hello"]][:others])

    assert preserved(_graded(), tracks) is kept


def test_exclusions_and_names_are_core() -> None:
    """An excluded artist that fills the answer breaks it; a request without a core has nothing to preserve."""
    no_adele = row("no adele", entities=[named("adele", "artist", "adele", role="exclude")])

    assert preserved(no_adele, answered(IDS["kukl"])) is True
    assert preserved(no_adele, answered(IDS["hello"])) is False
    assert preserved(row("sad", constraints=[_ICELAND]), answered(IDS["kukl"])) is None


def test_collapse() -> None:
    """Tracks that hold no positive condition are lost; exclusions save nothing, and a seed alone asks for none."""
    wanted = row("icelandic, not rock", constraints=[_ICELAND, {**_POST_PUNK, "op": "not"}])
    seeded = row("like toto", entities=[named("toto", "artist", "toto", role="seed")])

    assert collapse(wanted, answered(IDS["kukl"], IDS["africa"], IDS["hello"], IDS["miner"])) == 0.75
    assert collapse(seeded, answered(IDS["africa"])) is None


def _relaxed(**ledger: Any) -> AnswerRecord:
    asked = (constraint(0, "region", "IS"), constraint(1, "genre", "post-punk"))
    entry = {"constraint_id": "c0", "facet": "region", "from": ("IS",), "to": ("nordic",), "state": "widened", **ledger}
    wide = ToolArgs(constraints=(constraint(0, "region", "nordic"), asked[1]))
    return record(
        IDS["kukl"], status="partial", reading=Intent(kind="discover", constraints=asked),
        rounds=(turn("retry_relaxed", sufficient=False, args=ToolArgs(constraints=asked)), turn(args=wide)),
        ledger=(LedgerEntry.model_validate(entry),),
    )  # fmt: skip


def test_disclosure_is_read_off_the_plan() -> None:
    """A condition that the last plan widened must stand in the ledger as changed."""
    assert changed_constraints(_relaxed()) == {"c0": True}
    assert changed_constraints(_relaxed(state="kept")) == {"c0": False}


def test_retry_scores() -> None:
    """Triggered, relaxed, recovered, kept; the label accepts it or not."""
    wanted = row("x", constraints=[_POST_PUNK, _ICELAND], retry=["relaxed"])
    found = score(wanted, _relaxed(), {3: 1})
    spent = score(
        wanted, _relaxed().model_copy(update={"rounds": (turn("retry_rewrite", sufficient=False), turn("fallback"))}), {}
    )

    assert (found.thin, found.triggered, found.retried, found.recovered, found.preserved) == (
        True,
        True,
        "retry_relaxed",
        True,
        True,
    )
    assert (found.changes, found.disclosed, found.action, found.action_right) == (1, 1, "relaxed", True)
    assert (spent.recovered, spent.preserved, spent.action, spent.action_right) == (False, None, "rewrite", False)


@pytest.mark.parametrize(
    ("made", "action"),
    [
        (record(status="clarify"), "clarify"), (record(status="not_found"), "fallback"),
        (record(ADELE, rounds=(turn("fallback", sufficient=False),)), "fallback"), (record(ADELE, rounds=(turn(),)), "none"),
    ],
)  # fmt: skip
def test_actions(made: AnswerRecord, action: str) -> None:
    """What was done about too little, from status and verdicts."""
    assert action_of(made) == action


def test_valid_plans() -> None:
    """Ids, vocabulary values and tools decide; without a plan there is nothing to say."""
    strange = ToolArgs(constraints=(constraint(0, "genre", "no-such-genre"),))
    refused = turn(tools=[ToolOutcome.model_validate({"tool": "t", "ok": False, "error": {"kind": "bad_args", "message": "m"}})])

    assert plan_is_valid(record()) is None
    assert plan_is_valid(record(rounds=(turn(),))) is True
    assert plan_is_valid(record(rounds=(turn(args=strange),))) is False
    assert plan_is_valid(record(rounds=(turn(),), unknown_ids=("nobody",))) is False
    assert plan_is_valid(record(rounds=(refused,))) is False


_READINGS = [[named("hello", "track", ADELE)], [named("hello", "track", LIONEL)]]


@pytest.mark.parametrize(
    ("answers", "made", "right"),
    [
        (["ask"], record(status="clarify", options=(ADELE, LIONEL)), True),
        (["ask"], record(status="clarify", options=(ADELE,)), False),
        (["ask"], record(ADELE, reading=Intent(kind="play", entities=(used(ADELE),))), False),
        (["any_reading"], record(LIONEL, reading=Intent(kind="play", entities=(used(LIONEL),))), True),
        (["any_reading"], record(reading=Intent(kind="play", entities=(used("toto--africa"),))), False),
        (["all_readings"], record(ADELE, LIONEL), True),
        (["all_readings"], record(ADELE), False),
    ],
)
def test_ambiguity(answers: list[str], made: AnswerRecord, right: bool) -> None:
    """A question must offer every reading; taking one or mixing all is right where the label says so."""
    retry = ["clarify", "none"] if "ask" in answers else ["none"]
    wanted = row("hello", ambiguity={"readings": _READINGS, "answers": answers}, retry=retry)

    assert ambiguity_right(wanted, made) is right
    assert score(wanted, made, {}).mistake is None


@pytest.mark.parametrize(
    ("reading", "right"),
    [
        ({"absent": ("noah kahan",)}, True), ({}, False),
        ({"absent": ("noah kahan",), "entities": (used("toto", "artist"),)}, False),
    ],
)  # fmt: skip
def test_abstention(reading: dict[str, Any], right: bool) -> None:
    """An absent name is told, and nothing else stands in for it."""
    wanted = row("the new noah kahan", absent=["noah kahan"])
    made = record(status="not_found", reading=Intent(kind="play", **reading))

    assert abstained(wanted, made) is right
    assert abstained(row("x"), made) is None


def test_false_abstention() -> None:
    """A name that is no absent one."""
    made = record(status="not_found", reading=Intent(kind="play", absent=("colour blue",)))

    assert false_absences(row("like the colour blue"), made) == ("colour blue",)
    assert score(row("like the colour blue"), made, {}).false_abstention is True


def test_a_crash_is_a_failure_of_its_own() -> None:
    """It fails what applies, under its own name; what does not apply stays open."""
    wanted = _graded().model_copy(update={"absent": ("post",)})
    found = score(wanted, AnswerRecord(error="KeyError: x"), {3: 2})

    assert (found.mistake, found.misidentified, found.crashed) == ("crashed", True, "KeyError: x")
    assert (found.ndcg_at_20, found.success, found.plan_valid, found.abstained) == (0.0, False, False, False)
    assert (found.ambiguity_right, found.recovered, found.collapse) == (None, None, None)
    assert "KeyError" in feedback(wanted, AnswerRecord(error="KeyError: x"), "plan")


def test_feedback_of_understand() -> None:
    """Says what each word is and what it was taken for."""
    wanted = row("hello by adele", entities=[named("hello", "track", ADELE)], constraints=[_ICELAND])
    made = record(LIONEL, reading=Intent(kind="play", entities=(used(LIONEL),)))
    told = feedback(wanted, made, "understand")

    assert f"“hello” is the track {ADELE} as target, not the track {LIONEL}" in told
    assert "region Iceland, and that was lost" in told


def test_feedback_by_node() -> None:
    """Guards teach PLAN, wrong repairs REFLECT, and what was right is said to be so."""
    hit = GuardHit(guard="verb_prefix", message="play is a command", remedy="drop")
    guarded = turn()
    guarded = guarded.model_copy(update={"plan": guarded.plan.model_copy(update={"guard_hits": (hit,)})})
    wanted = row("x", constraints=[_POST_PUNK, _ICELAND], retry=["none"], quality={"least": 0, "size": 20})

    assert "A guard stopped the plan: play is a command." in feedback(wanted, record(rounds=(guarded,)), "plan")
    assert "take the first search as it is, not to loosen" in feedback(wanted, _relaxed(), "reflect")
    assert feedback(row("x"), record(rounds=(turn(),)), "reflect") == "This was right."


@pytest.mark.parametrize(
    ("fields", "value"),
    [
        ({"crashed": "timeout", "plan_valid": True}, 0.0),
        ({"mistake": "none", "plan_valid": True, "success": True}, 1.0),
        ({"mistake": "wrong", "plan_valid": True}, 0.5),
        ({"recovered": True, "preserved": True}, 1.0),
        ({"recovered": True, "preserved": False}, 0.0),
        ({"recovered": False}, 0.0),
        ({"abstained": True, "false_abstention": True}, 0.5),
        ({"ambiguity_right": True, "conditions": None}, 1.0),
        ({"conditions": ((("genre", "is", "jazz"),), (("mood", "is", "sad"),), ())}, 2 / 3),
    ],
)
def test_objective(fields: dict[str, Any], value: float) -> None:
    """One figure over all that applies; a repair counts only where it recovered and kept the core."""
    scores = RowScores.model_validate({"qid": "entity-001", "set": "entity", "kind": "homonym", **fields})

    assert objective(scores) == pytest.approx(value)
