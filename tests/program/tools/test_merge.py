from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.catalog.schema import Credit, Track, VersionKind
from data.contracts import Candidate
from program.index.protocol import TrackEntry
from program.tools.merge import candidates, collapse_versions, fuse, in_turn
from tests.sessions import constraint


def _entry(
    track_id: str, title: str, *, artist: str = "a", version: VersionKind = "original", year: int | None = None
) -> TrackEntry:
    by = (Credit(artist_id=artist, name=artist),)
    return TrackEntry(0, Track(track_id=track_id, title=title, artists=by, version=version, year=year, moods=("dark",)), 0.5)


def test_fuse_adds_weighted_reciprocal_ranks() -> None:
    """A track's score is the sum of weight / (constant + place), places counting from one; its ranks count from zero."""
    fused = fuse([("catalog_search", 1.0, ["a", "b"]), ("semantic_recall", 0.5, ["b", "c"])], 60)

    assert {name: score for name, (score, _) in fused.items()} == pytest.approx(
        {"a": 1 / 61, "b": 1 / 62 + 0.5 / 61, "c": 0.5 / 62}
    )
    assert {name: ranks for name, (_, ranks) in fused.items()} == {
        "a": {"catalog_search": 0},
        "b": {"catalog_search": 1, "semantic_recall": 0},
        "c": {"semantic_recall": 1},
    }


def test_fuse_counts_a_repeated_id_once() -> None:
    """A tool that names a track twice does not vote twice; the better place counts."""
    fused = fuse([("catalog_search", 1.0, ["a", "b", "a"])], 10)

    assert fused["a"][0] == pytest.approx(1 / 11)
    assert fused["a"][1] == {"catalog_search": 0}


def test_fuse_of_nothing() -> None:
    """No lists and empty lists give no tracks."""
    assert fuse([], 60) == {}
    assert fuse([("catalog_search", 1.0, [])], 60) == {}


@given(
    first=st.lists(st.sampled_from("abcdef"), unique=True),
    second=st.lists(st.sampled_from("abcdef"), unique=True),
)
def test_fuse_is_symmetric_in_its_lists(first: list[str], second: list[str]) -> None:
    """Which of two equally weighted lists stands first does not change a score."""
    lists = [("catalog_search", 1.0, first), ("semantic_recall", 1.0, second)]
    one, other = fuse(lists, 60), fuse(lists[::-1], 60)

    assert {name: pytest.approx(score) for name, (score, _) in one.items()} == {name: score for name, (score, _) in other.items()}
    assert set(one) == {*first, *second}


def test_candidates_are_ordered_marked_and_known() -> None:
    """Candidates come best first, ties by id, each marked against the constraints; ids without a record are left out."""
    entries = {name: _entry(name, name) for name in "abc"}
    fused = {"b": (0.5, {"t": 0}), "a": (0.5, {"t": 1}), "c": (0.9, {"t": 2}), "ghost": (2.0, {"t": 3})}
    asked = [constraint(0, "mood", "dark"), constraint(1, "mood", "happy"), constraint(2, "region", "IS")]
    found = candidates(fused, entries, asked)

    assert [candidate.track_id for candidate in found] == ["c", "a", "b"]
    assert found[0].satisfies == {"c0": "yes", "c1": "no", "c2": "unknown"}


def _ranked(*track_ids: str) -> list[Candidate]:
    return [Candidate(track_id=name, score=1 - n / 10, route_ranks={}) for n, name in enumerate(track_ids)]


_VERSIONS = {
    entry.track.track_id: entry
    for entry in (
        _entry("live", "Song (Live)", version="live", year=1990),
        _entry("studio", "Song", year=1985),
        _entry("remaster", "Song - 2011 Remaster", version="remaster", year=1985),
        _entry("cover", "Song", artist="b", version="cover"),
        _entry("other", "Another Song"),
        _entry("early", "Twice", year=1970),
        _entry("late", "Twice", year=1999),
        _entry("undated", "Twice"),
    )
}


@pytest.mark.parametrize(
    ("ranked", "expected"),
    [
        (("live", "other", "studio"), ["studio", "other"]),
        (("other", "remaster", "live"), ["other", "remaster"]),
        (("studio", "cover"), ["studio", "cover"]),
        (("late", "early", "undated"), ["early"]),
        (("undated", "late"), ["late"]),
        (("other", "studio"), ["other", "studio"]),
        ((), []),
    ],
    ids=[
        "the original takes the place of the live one",
        "the more original stays",
        "another artist's cover stays",
        "the earliest of two originals",
        "a year beats none",
        "different songs stay",
        "nothing",
    ],
)
def test_collapse(ranked: tuple[str, ...], expected: list[str]) -> None:
    """One recording keeps one candidate, its most original version, in its group's best place."""
    found = collapse_versions(_ranked(*ranked), _VERSIONS, keep_all=False)

    assert [candidate.track_id for candidate in found] == expected
    if ranked:
        assert found[0].score == 1.0


def test_collapse_is_off_where_versions_were_asked_for() -> None:
    """When the request asks for a kind of version, nothing collapses."""
    ranked = _ranked("live", "other", "studio")

    assert collapse_versions(ranked, _VERSIONS, keep_all=True) == ranked


def test_collapse_on_the_catalog() -> None:
    """A live version gives way to the studio one and another artist's cover stays beside it."""
    entries = {
        "kate": _entry("kate", "Running Up That Hill", artist="kate-bush"),
        "kate-live": _entry("kate-live", "Running Up That Hill (Live)", artist="kate-bush", version="live"),
        "placebo": _entry("placebo", "Running Up That Hill", artist="placebo", version="cover"),
    }
    found = collapse_versions(_ranked("placebo", "kate-live", "kate"), entries, keep_all=False)

    assert [candidate.track_id for candidate in found] == ["placebo", "kate"]


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        ((), ""),
        (("abc",), "abc"),
        (("abc", "xy"), "axbyc"),
        (("abc", "bca"), "abc"),
        (("a", "", "xyz"), "axyz"),
    ],
)
def test_in_turn(lists: tuple[str, ...], expected: str) -> None:
    """One of each list after another, each id once, and whoever has more goes on."""
    assert "".join(in_turn([list(ids) for ids in lists])) == expected
