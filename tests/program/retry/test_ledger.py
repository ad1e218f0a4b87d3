from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from data.contracts import Constraint, Relaxation
from program.index.engine import EmbeddedIndex
from program.index.protocol import TrackEntry
from program.retry.ledger import Ledger
from program.retry.options import Change
from tests.program.retry.recount import holds
from tests.sessions import constraint

ICELAND = constraint(0, "region", "IS")
POST_PUNK = constraint(1, "genre", "post-punk", strength="core")
NO_POP = constraint(2, "genre", "pop", op="not", strength="core")
ASKED = (ICELAND, POST_PUNK, NO_POP)


def _change(op: str, changed: Constraint, result: Constraint | None, to: tuple[str, ...] = ()) -> Change:
    relaxation = Relaxation.model_validate(
        {
            "relaxation_id": "x0", "constraint_id": changed.constraint_id, "op": op, "from": changed.values,
            "to": to, "gain": 1, "cost": 0.5,
        }
    )  # fmt: skip
    return Change(relaxation, result, changed.facet)


WIDENED = _change("widen", ICELAND, ICELAND.model_copy(update={"values": ("nordic",)}), ("nordic",))


def _tracks(index: EmbeddedIndex, *track_ids: str) -> list[TrackEntry]:
    found = index.by_ids(track_ids)
    return [found[track_id] for track_id in track_ids]


def test_without_a_change_everything_is_kept(tiny_index: EmbeddedIndex) -> None:
    """Every constraint has its entry, in request order, from and to being what was asked."""
    ledger = Ledger(ASKED)
    entries = ledger.entries(_tracks(tiny_index, "kukl--dismembered", "theyr--rudolf"))

    assert not ledger.relaxed
    assert [(e.constraint_id, e.state, e.from_, e.to, e.round, e.share) for e in entries] == [
        ("c0", "kept", ("IS",), ("IS",), 0, 1.0),
        ("c1", "kept", ("post-punk",), ("post-punk",), 0, 1.0),
        ("c2", "kept", ("pop",), ("pop",), 0, 1.0),
    ]


@pytest.mark.parametrize(
    ("change", "state", "to"),
    [
        (WIDENED, "widened", ("nordic",)),
        (_change("soften", ICELAND, ICELAND.model_copy(update={"unknown_ok": True}), ("IS",)), "softened", ("IS",)),
        (_change("substitute", ICELAND, None), "substituted", ()),
        (_change("drop", ICELAND, None), "dropped", ()),
    ],
    ids=["widened", "softened", "substituted", "dropped"],
)
def test_each_way_has_its_state(tiny_index: EmbeddedIndex, change: Change, state: str, to: tuple[str, ...]) -> None:
    """A changed constraint says how, to what, why and in which round; the others stay kept."""
    ledger = Ledger(ASKED)
    ledger.record([change], 2, "only six in Iceland")
    first, *others = ledger.entries(_tracks(tiny_index, "kukl--dismembered"))

    assert ledger.relaxed
    assert (first.state, first.from_, first.to, first.why, first.round) == (state, ("IS",), to, "only six in Iceland", 2)
    assert {entry.state for entry in others} == {"kept"}


def test_a_later_change_replaces_the_earlier(tiny_index: EmbeddedIndex) -> None:
    """What was widened and then dropped is dropped, and still measured against what was asked."""
    ledger = Ledger(ASKED)
    ledger.record([WIDENED], 1, "first")
    widened = ICELAND.model_copy(update={"values": ("nordic",)})
    ledger.record([_change("drop", widened, None)], 2, "second")
    entry = ledger.entries(_tracks(tiny_index, "theyr--rudolf", "iceage--ecstasy"))[0]

    assert (entry.state, entry.from_, entry.to, entry.why, entry.round, entry.share) == (
        "dropped", ("IS",), (), "second", 2, 0.5,
    )  # fmt: skip


_ALL = ("kukl--dismembered", "iceage--ecstasy", "toto--africa", "mystery-tape--sidea", "taylor-swift--shakeitoff")


@pytest.mark.parametrize("count", range(1, len(_ALL) + 1))
def test_shares_are_measured_from_the_records(tiny_index: EmbeddedIndex, count: int) -> None:
    """A share is the part of the returned tracks that a look at each record finds to hold what was asked."""
    returned = _tracks(tiny_index, *_ALL[:count])
    known = {"c0": lambda e: e.track.region is not None, "c1": lambda e: bool(e.track.genres)}
    ledger = Ledger((ICELAND, POST_PUNK))
    for entry, asked in zip(ledger.entries(returned), ASKED, strict=False):
        held = [one for one in returned if known[asked.constraint_id](one) and holds(one, asked)]

        assert entry.share == round(len(held) / count, 4)


def test_unknown_does_not_count_as_held(tiny_index: EmbeddedIndex) -> None:
    """Tracks that a softened constraint lets in because nobody knows do not raise its share."""
    softened = ICELAND.model_copy(update={"unknown_ok": True})
    ledger = Ledger((softened,))
    entries = ledger.entries(_tracks(tiny_index, "mystery-tape--sidea", "theyr--rudolf"))

    assert entries[0].share == 0.5


def test_an_empty_answer_holds_nothing() -> None:
    """Without a returned track every share is zero."""
    entries: list[Any] = list(Ledger(ASKED).entries([]))

    assert [entry.share for entry in entries] == [0.0, 0.0, 0.0]


SWING, ELECTRO = constraint(0, "genre", "swing", strength="core"), constraint(1, "genre", "electro")
EITHER = replace(
    _change("widen", SWING, SWING.model_copy(update={"values": ("swing", "electro")}), ("swing", "electro")), merges="c1"
)


def test_two_conditions_that_became_an_either_or_are_both_told() -> None:
    """Both have an entry that says what is searched now, also after a later change of what they became."""
    ledger = Ledger((SWING, ELECTRO))
    ledger.record([EITHER], 1, "nothing is both")
    assert [(e.constraint_id, e.state, e.to) for e in ledger.entries([])] == [
        ("c0", "widened", ("swing", "electro")),
        ("c1", "widened", ("swing", "electro")),
    ]
    ledger.record([_change("widen", SWING, SWING, ("jazz", "electronic"))], 2, "still too few")
    assert {entry.to for entry in ledger.entries([])} == {("jazz", "electronic")}


@pytest.mark.parametrize(
    ("asked", "change", "core", "loosened"),
    [
        (ASKED, None, [("c1", ("post-punk",))], False),
        (ASKED, WIDENED, [("c1", ("post-punk",))], False),
        (ASKED, _change("widen", POST_PUNK, POST_PUNK, ("rock",)), [("c1", ("post-punk",))], True),
        (ASKED, _change("substitute", POST_PUNK, None), [], False),
        ((SWING, ELECTRO), EITHER, [("c0", ("swing", "electro"))], False),
    ],
    ids=["unchanged", "a soft one widened", "a core one widened", "by meaning", "either"],
)
def test_the_core_is_what_was_asked(
    asked: tuple[Constraint, ...], change: Change | None, core: list[tuple[str, tuple[str, ...]]], loosened: bool
) -> None:
    """Exclusions and what the catalog cannot check are no part of it; an either-or is held by either."""
    ledger = Ledger(asked)
    ledger.record([change] if change else [], 1, "too few")

    assert [(c.constraint_id, c.values) for c in ledger.core()] == core
    assert ledger.loosened_core is loosened


def test_a_span_of_one_year_keeps_both_of_its_bounds() -> None:
    """Equal values of one condition are not one value twice."""
    year = constraint(0, "era", "2015", "2015", op="range", strength="core")
    assert [c.values for c in Ledger((year,)).core()] == [("2015", "2015")]
