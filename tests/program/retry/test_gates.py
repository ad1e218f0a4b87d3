from __future__ import annotations

from collections.abc import Sequence

import pytest

from data.catalog.schema import Credit, Track
from data.contracts import Candidate, Constraint, Intent
from program.index.protocol import TrackEntry
from program.retry.gates import gate, match_score, needed
from program.settings import RetrySettings
from tests.sessions import constraint, entity

SETTINGS = RetrySettings()
DARK = constraint(0, "mood", "dark", strength="core")
ROCK = constraint(1, "genre", "rock")


@pytest.mark.parametrize(
    ("intent", "tau_size", "expected"),
    [
        (Intent(kind="discover"), 1.5, 30),
        (Intent(kind="discover", size=1), 1.5, 2),
        (Intent(kind="discover", size=5), 1.5, 8),
        (Intent(kind="discover", size=5), 1.0, 5),
        (Intent(kind="similar", entities=(entity("track", "a", "seed"),), size=4), 1.5, 6),
        (Intent(kind="play", entities=(entity("track", "a"),), size=1), 1.5, 1),
        (Intent(kind="play", entities=(entity("track", "a"), entity("track", "b", number=1)), size=2), 1.5, 2),
        (Intent(kind="play", entities=(entity("track", "a"), entity("artist", "b", "context", 1)), size=1), 1.5, 1),
        (Intent(kind="play", entities=(entity("artist", "a"),)), 1.5, 1),
        (Intent(kind="play", entities=(entity("album", "a"),)), 1.5, 1),
        (Intent(kind="play", entities=(entity("artist", "a"),), constraints=(ROCK,)), 1.5, 1),
        (Intent(kind="play", absent=("x",)), 1.5, 30),
    ],
    ids=[
        "a list",
        "one of anything, rounded up",
        "five, rounded up",
        "no reserve",
        "seeds are no targets",
        "one named track",
        "two named tracks",
        "a track with its artist",
        "all of an artist",
        "all of an album",
        "an artist under a condition",
        "nothing named",
    ],
)
def test_needed(intent: Intent, tau_size: float, expected: int) -> None:
    """Named things need themselves, a list needs one and a half times its size, rounded up."""
    assert needed(intent, RetrySettings(tau_size=tau_size)) == expected


def _found(moods: Sequence[tuple[str, ...]]) -> tuple[tuple[Candidate, ...], dict[str, TrackEntry]]:
    tracks = [
        Track(track_id=f"t{n}", title=f"T{n}", artists=(Credit(artist_id="a", name="A"),), moods=mood)
        for n, mood in enumerate(moods)
    ]
    entries = {track.track_id: TrackEntry(row, track, 0.5) for row, track in enumerate(tracks)}
    return tuple(Candidate(track_id=name, score=1.0, route_ranks={}) for name in entries), entries


@pytest.mark.parametrize(("count", "expected"), [(0, False), (7, False), (8, True), (9, True)])
def test_size_gate(count: int, expected: bool) -> None:
    """Exactly what is needed is enough, one fewer is not."""
    candidates, entries = _found([("dark",)] * count)
    report = gate(Intent(kind="discover", size=5), candidates, (), entries, SETTINGS)

    assert (report.total, report.needed, report.size_ok) == (count, 8, expected)


@pytest.mark.parametrize(
    ("dark", "others", "floor", "share", "expected"),
    [
        (10, 10, 0.5, 0.5, True),
        (9, 11, 0.5, 0.45, False),
        (11, 9, 0.5, 0.55, True),
        (0, 20, 0.0, 0.0, True),
        (19, 1, 1.0, 0.95, False),
        (20, 0, 1.0, 1.0, True),
    ],
    ids=["at the floor", "below", "above", "no floor", "all but one", "all"],
)
def test_coverage_gate(dark: int, others: int, floor: float, share: float, expected: bool) -> None:
    """A core constraint is served when the share of candidates that hold it reaches the floor."""
    candidates, entries = _found([("dark",)] * dark + [("happy",)] * others)
    report = gate(
        Intent(kind="discover", size=5), candidates, (DARK,), entries, SETTINGS.model_copy(update={"coverage_floor": floor})
    )

    assert report.coverage == {"c0": share}
    assert report.coverage_ok is expected


def test_coverage_counts_every_core_constraint() -> None:
    """One core constraint that is not served fails the gate, however well the others are."""
    candidates, entries = _found([("dark",)] * 10)
    unserved = constraint(1, "mood", "happy", strength="core")
    report = gate(Intent(kind="discover", size=5), candidates, (DARK, unserved), entries, SETTINGS)

    assert report.coverage == {"c0": 1.0, "c1": 0.0}
    assert not report.coverage_ok


def test_soft_constraints_do_not_count_for_coverage() -> None:
    """A soft constraint that nothing holds leaves the coverage gate open."""
    candidates, entries = _found([("dark",)] * 10)
    soft = constraint(1, "mood", "happy")
    report = gate(Intent(kind="discover", size=5), candidates, (DARK, soft), entries, SETTINGS)

    assert report.coverage_ok
    assert set(report.coverage) == {"c0"}


@pytest.mark.parametrize(("unknown_ok", "share"), [(False, 0.5), (True, 1.0)], ids=["strict", "softened"])
def test_unknown_counts_where_it_is_accepted(unknown_ok: bool, share: float) -> None:
    """A record that does not say serves a softened constraint and no strict one."""
    candidates, entries = _found([("dark",)] * 5 + [()] * 5)
    active = (DARK.model_copy(update={"unknown_ok": unknown_ok}),)

    assert gate(Intent(kind="discover", size=5), candidates, active, entries, SETTINGS).coverage == {"c0": share}


def test_nothing_found_fails_both_gates() -> None:
    """Without a candidate neither gate passes, also where there is nothing to cover."""
    report = gate(Intent(kind="discover", size=1), (), (), {}, SETTINGS)

    assert not report.size_ok
    assert not report.coverage_ok


@pytest.mark.parametrize(
    ("states", "constraints", "expected"),
    [
        ([], (DARK,), 0.0),
        ([{}], (), 1.0),
        ([{"c0": "yes", "c1": "yes"}], (DARK, ROCK), 1.0),
        ([{"c0": "yes", "c1": "no"}, {"c0": "unknown", "c1": "no"}], (DARK, ROCK), 0.25),
        ([{"c0": "yes"}, {}, {}], (DARK,), 0.3333),
    ],
    ids=["no candidates", "no constraints", "all", "one of four", "unmarked"],
)
def test_match_score(states: list[dict[str, str]], constraints: tuple[Constraint, ...], expected: float) -> None:
    """The score is the mean share of constraints that candidates are known to hold."""
    candidates = tuple(
        Candidate.model_validate({"track_id": f"t{n}", "score": 1.0, "route_ranks": {}, "satisfies": state})
        for n, state in enumerate(states)
    )

    assert match_score(candidates, constraints) == expected
