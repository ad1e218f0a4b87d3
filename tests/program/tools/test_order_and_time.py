from __future__ import annotations

from typing import Any

import pytest

from data.catalog.schema import USUAL_SECONDS, Credit, Track
from data.contracts import Candidate, Intent
from program.index.protocol import TrackEntry
from program.settings import ExecuteSettings
from program.tools.ranking import choose, rank
from tests.sessions import entity

SETTINGS = ExecuteSettings()


def _entries(**tracks: dict[str, Any]) -> dict[str, TrackEntry]:
    """Tracks by id; each by an artist of its own unless it says whose it is."""
    made = {}
    for name, fields in tracks.items():
        artist = fields.pop("artist", f"by-{name}")
        popularity = fields.pop("popularity", 0.5)
        track = Track(track_id=name, title=name, artists=(Credit(artist_id=artist, name=artist),), **fields)
        made[name] = TrackEntry(0, track, popularity)
    return made


def _ranked(entries: dict[str, TrackEntry]) -> list[Candidate]:
    return [Candidate(track_id=name, score=0.5, route_ranks={}, satisfies={}) for name in entries]


def _order(entries: dict[str, TrackEntry], intent: Intent) -> list[str]:
    forward = [candidate.track_id for candidate in rank(_ranked(entries), entries, intent)]
    assert [candidate.track_id for candidate in rank(_ranked(entries)[::-1], entries, intent)] == forward
    return forward


@pytest.mark.parametrize("asked", [("b", "a", "c"), ("c", "b", "a"), ("a", "c", "b")])
def test_named_tracks_in_the_order_asked(asked: tuple[str, ...]) -> None:
    """Named tracks stand as they were named, before all others, however well known those are."""
    entries = _entries(a={"popularity": 0.9}, b={"popularity": 0.1}, c={}, hit={"popularity": 1.0})
    intent = Intent(kind="play", entities=tuple(entity("track", name, number=n) for n, name in enumerate(asked)), size=3)

    assert _order(entries, intent) == [*asked, "hit"]


@pytest.mark.parametrize("role", ["context", "seed", "exclude"])
def test_only_what_is_to_be_played_goes_first(role: Any) -> None:
    """A track that is named in another role gains nothing."""
    entries = _entries(named={"popularity": 0.1}, hit={"popularity": 0.9})

    assert _order(entries, Intent(kind="discover", entities=(entity("track", "named", role),))) == ["hit", "named"]


@pytest.mark.parametrize(
    ("order", "expected"),
    [("newest", ["reissue", "new", "old", "undated"]), ("relevance", ["undated", "old", "new", "reissue"])],
)
def test_newest_first(order: Any, expected: list[str]) -> None:
    """By the year of the release, else of the recording; undated tracks come last; unasked, years do not count."""
    entries = _entries(
        undated={"popularity": 0.9},
        old={"year": 1980, "popularity": 0.7},
        new={"year": 2020, "popularity": 0.5},
        reissue={"year": 1970, "release_year": 2021, "popularity": 0.3},
    )

    assert _order(entries, Intent(kind="play", order=order)) == expected


@pytest.mark.parametrize(
    ("minutes", "seconds", "kept"),
    [
        (None, (60, 60, 60), 3),
        (1, (60, 60, 60), 1),
        (2, (60, 60, 60), 2),
        (2, (61, 60, 60), 2),
        (2, (59, 60, 60), 3),
        (1, (600, 60, 60), 1),
        (60, (60, 60, 60), 3),
        (4, (None, None, None), 2),
        (7, (None, None, None), 2),
        (8, (None, None, None), 3),
    ],
)
def test_the_list_ends_when_the_time_is_reached(minutes: int | None, seconds: tuple[float | None, ...], kept: int) -> None:
    """Tracks are taken until the time is filled, at least one; a track of unknown length counts as a usual one."""
    entries = _entries(**{f"t{n}": {"duration_s": length} for n, length in enumerate(seconds)})
    chosen = choose(_ranked(entries), entries, Intent(kind="discover", size=20, minutes=minutes), SETTINGS)

    assert USUAL_SECONDS == 210
    assert [candidate.track_id for candidate in chosen] == [f"t{n}" for n in range(kept)]


def test_a_number_and_a_time() -> None:
    """Where both are said, whichever is reached first ends the list."""
    entries = _entries(**{f"t{n}": {"duration_s": 60} for n in range(9)})
    sizes = [
        len(choose(_ranked(entries), entries, Intent(kind="discover", size=size, minutes=minutes), SETTINGS))
        for size, minutes in ((3, 60), (9, 5))
    ]

    assert sizes == [3, 5]
