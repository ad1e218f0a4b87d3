from __future__ import annotations

import pytest

from data.contracts import Artifact
from program.trust.store import TraceStore
from tests.program.trust.store.conftest import Opener
from tests.program.trust.store.sessions import DAY_S, WHOLE, child_of, session_of


def _fan(store: TraceStore, now: list[float], children: int = 3) -> tuple[list[Artifact], list[list[Artifact]]]:
    """A session, and others in later months that were made from its plan."""
    first = session_of("aaaa", 1.0, WHOLE)
    store.add(first)
    others = []
    for number in range(children):
        now[0] += 40 * DAY_S
        others.append(child_of(first[2], f"{number:04d}", now[0]))
        store.add(others[-1])
    return first, others


def test_affected_answers(store: TraceStore, now: list[float]) -> None:
    """The answers of every session that an artifact went into, and the answer itself; nothing of what came before it."""
    first, others = _fan(store, now)

    assert set(store.affected_answers("aaaa-01")) == {"aaaa-06", "0000-06", "0001-06", "0002-06"}
    assert store.affected_answers("aaaa-03") == ["aaaa-06"]
    assert store.affected_answers(others[1][-1].artifact_id) == ["0001-06"]
    assert store.affected_answers("unknown") == []
    assert first[-1].node == "playlist"


def test_invalidation_marks_all_that_was_made_from_it(store: TraceStore, now: list[float]) -> None:
    """In every month, once; what it was made from stays believed, and nothing is removed or changed."""
    first, others = _fan(store, now)
    now[0] += 1
    marked = store.invalidate(["aaaa-02"], "the region table was wrong")
    names = [one.artifact_id for session in (first, *others) for one in session]
    marks = store.marks(names)

    assert marked == len(marks) == 5 + 3 * 7
    assert {mark.artifact_id for mark in marks} == set(names) - {"aaaa-00", "aaaa-01"}
    assert {(mark.cause, mark.why, mark.at) for mark in marks} == {("aaaa-02", "the region table was wrong", now[0])}
    assert store.invalidate(["aaaa-02"], "again") == 0
    assert store.trace("aaaa") == first


def test_bulk_invalidation(store: TraceStore) -> None:
    """Many at once, each named once; an artifact is marked by each of them that it came from, and by no other."""
    for number in range(30):
        store.add(session_of(f"{number:04d}", 1.0, WHOLE))
    wrong = [f"{number:04d}-05" for number in range(20)] + ["0003-06", "0003-06", "nobody-00"]

    assert store.invalidate(wrong, "a bad model") == 20 * 2 + 1
    assert [mark.cause for mark in store.marks(["0003-06"])] == ["0003-05", "0003-06"]
    assert store.marks(["0025-05", "0025-06"]) == []


def test_marks_outlast_the_process(opener: Opener) -> None:
    """A mark is kept in the store, so every process sees it."""
    store = opener()
    store.add(session_of("aaaa"))
    store.invalidate(["aaaa-01"], "wrong")

    assert [mark.artifact_id for mark in opener().marks(["aaaa-00", "aaaa-01", "aaaa-02"])] == ["aaaa-01", "aaaa-02"]


@pytest.mark.parametrize("limit", [1, 3, 50])
def test_latest_over_months(store: TraceStore, now: list[float], limit: int) -> None:
    """The newest sessions come first, in whichever month they are."""
    for number in range(6):
        now[0] = number * 20 * DAY_S
        store.add(session_of(f"{number:04d}", now[0]))

    assert store.latest(limit) == [f"{number:04d}" for number in reversed(range(6))][:limit]


def test_thousands_of_descendants(opener: Opener) -> None:
    """What thousands were made from leads to all of them, however many variables a statement may have."""
    store = opener()
    root = session_of("root", 1.0, ("request",))
    made = [session_of(f"{number:05d}", 1.0, ("playlist",))[0] for number in range(6_000)]
    store.add(root)
    store.add([one.model_copy(update={"parents": ("root-00",), "trace_id": "many"}) for one in made])

    assert len(store.went_into("root-00")) == 6_000
    assert len(store.affected_answers("root-00")) == 6_000
    assert store.invalidate(["root-00"], "wrong") == 6_001
