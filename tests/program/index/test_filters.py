from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.catalog.schema import Credit, Track
from data.contracts import Constraint, Facet, Op
from data.vocab.loader import load_vocabularies
from program.index.engine import EmbeddedIndex
from program.index.filters import accepts, concept_bounds, expanded, number_bounds, satisfies
from program.index.protocol import Filter, TrackEntry
from tests.program.index.conftest import Build

NUMERIC: tuple[Facet, ...] = ("era", "tempo", "popularity")
TERMS: tuple[Facet, ...] = ("genre", "mood", "activity", "instrument", "region", "language", "vocal", "version")
NUMBERS = {"era": range(1950, 2026), "tempo": range(50, 221), "popularity": [place / 20 for place in range(21)]}
VERSIONS = ("original", "live", "cover", "remix")


def constraint(facet: Facet, *values: str, op: Op = "is", unknown_ok: bool = False) -> Constraint:
    return Constraint(constraint_id="c0", facet=facet, op=op, values=values, strength="soft", unknown_ok=unknown_ok)


def track(**facets: Any) -> Track:
    return Track(track_id="t", title="T", artists=(Credit(artist_id="a", name="A"),), **facets)


@cache
def concepts(facet: Facet) -> tuple[str, ...]:
    return VERSIONS if facet == "version" else tuple(load_vocabularies()[facet].concepts)


@st.composite
def constraints(draw: st.DrawFn) -> Constraint:
    """Any constraint that a request can be compiled to."""
    facet = draw(st.sampled_from([*NUMERIC, *TERMS]))
    unknown_ok = draw(st.booleans())
    if facet in NUMERIC and draw(st.booleans()):
        low, high = sorted(draw(st.lists(st.sampled_from(NUMBERS[facet]), min_size=2, max_size=2)))
        ends = draw(st.sampled_from([(str(low), str(high)), (str(low), ""), ("", str(high))]))
        return constraint(facet, *ends, op="range", unknown_ok=unknown_ok)
    values = draw(st.lists(st.sampled_from(concepts(facet)), min_size=1, max_size=4, unique=True))
    return constraint(facet, *values, op=draw(st.sampled_from(["is", "not"])), unknown_ok=unknown_ok)


@pytest.fixture(scope="module")
def entries(tiny_index: EmbeddedIndex) -> list[TrackEntry]:
    """Every record of the tiny catalog."""
    return [tiny_index.track(row) for row in range(tiny_index.info.tracks)]


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(wanted=st.lists(constraints(), min_size=1, max_size=3))
def test_search_and_check_agree(tiny_index: EmbeddedIndex, entries: list[TrackEntry], wanted: list[Constraint]) -> None:
    """A search finds exactly the playable tracks whose record the same constraints accept."""
    found = set(tiny_index.search(Filter(constraints=tuple(wanted)), 500).rows)
    accepted = {
        entry.row
        for entry in entries
        if entry.track.playable and all(accepts(entry.track, entry.popularity, item) for item in wanted)
    }

    assert found == accepted


@pytest.mark.parametrize(
    ("facets", "wanted", "state"),
    [
        ({"genres": ("coldwave",)}, constraint("genre", "post-punk"), "yes"),
        ({"genres": ("post-punk",)}, constraint("genre", "coldwave"), "no"),
        ({"genres": ("jazz", "soul")}, constraint("genre", "rock", "soul"), "yes"),
        ({"region": "IS"}, constraint("region", "europe"), "yes"),
        ({"region": "IS"}, constraint("region", "nordic", op="not"), "no"),
        ({"region": "IS"}, constraint("region", "DK", op="not"), "yes"),
        ({}, constraint("region", "IS"), "unknown"),
        ({}, constraint("region", "IS", op="not"), "unknown"),
        ({"version": "live"}, constraint("version", "live"), "yes"),
        ({}, constraint("version", "original"), "yes"),
        ({"vocal": "female"}, constraint("vocal", "male", "mixed"), "no"),
        ({"year": 1985}, constraint("era", "1980s"), "yes"),
        ({"year": 1989}, constraint("era", "1980s", op="not"), "no"),
        ({"year": 1990}, constraint("era", "1980s", "1970s"), "no"),
        ({"year": 1985}, constraint("era", "", "1985", op="range"), "yes"),
        ({"year": 1986}, constraint("era", "", "1985", op="range"), "no"),
        ({"year": 1986}, constraint("era", "1986", "", op="range"), "yes"),
        ({}, constraint("era", "1980s"), "unknown"),
        ({"bpm": 89.9}, constraint("tempo", "slow"), "yes"),
        ({"bpm": 100.0}, constraint("tempo", "slow", "fast"), "no"),
        ({"bpm": 115.0}, constraint("tempo", "115", "125", op="range"), "yes"),
        ({"popularity": 7.0}, constraint("popularity", "niche"), "yes"),
        ({"popularity": 7.0}, constraint("popularity", "popular"), "no"),
        ({}, constraint("popularity", "niche"), "unknown"),
    ],
    ids=lambda value: ",".join(value) or "nothing" if isinstance(value, dict) else None,
)
def test_satisfies(facets: dict[str, Any], wanted: Constraint, state: str) -> None:
    """A record satisfies a constraint, breaks it, or does not say; wider concepts hold narrower ones, never the reverse."""
    assert satisfies(track(**facets), 0.2, wanted) == state


@pytest.mark.parametrize(
    ("wanted", "accepted"),
    [
        (constraint("region", "IS"), False),
        (constraint("region", "IS", unknown_ok=True), True),
        (constraint("region", "IS", op="not"), True),
        (constraint("era", "", "1985", op="range"), False),
        (constraint("era", "", "1985", op="range", unknown_ok=True), True),
    ],
    ids=["is", "softened", "not", "range", "softened range"],
)
def test_the_unknown(wanted: Constraint, accepted: bool) -> None:
    """A record that does not say passes an exclusion and a softened constraint only."""
    assert accepts(track(), 0.5, wanted) is accepted


def test_softening_forgives_no_broken_constraint() -> None:
    """A softened constraint forgives silence, not a plain no."""
    assert not accepts(track(region="GB"), 0.5, constraint("region", "IS", unknown_ok=True))


@pytest.mark.parametrize(
    ("facet", "values", "wider"),
    [
        ("genre", ("coldwave",), ("coldwave", "post-punk", "rock")),
        ("genre", ("coldwave", "jazz"), ("coldwave", "jazz", "post-punk", "rock")),
        ("region", ("IS",), ("IS", "nordic", "europe")),
        ("genre", ("no such genre",), ("no such genre",)),
        ("version", ("live",), ("live",)),
        ("mood", (), ()),
    ],
)
def test_expanded(facet: str, values: tuple[str, ...], wider: tuple[str, ...]) -> None:
    """A track is filed under its own concepts and all that is wider, each once."""
    assert expanded(facet, values) == wider


@pytest.mark.parametrize(
    ("facet", "value", "bounds"),
    [
        ("era", "1980s", (1980, 1989)),
        ("era", "new", (2023, None)),
        ("tempo", "fast", (120, None)),
        ("popularity", "niche", (None, 0.4)),
    ],
)
def test_concept_bounds(facet: str, value: str, bounds: tuple[float | None, float | None]) -> None:
    """A concept's bounds; what is new counts back from the year given."""
    assert concept_bounds(facet, value, this_year=2026) == bounds


@pytest.mark.parametrize(
    ("wanted", "bounds"),
    [
        (constraint("era", "1980", "1985", op="range"), ((1980, 1985),)),
        (constraint("era", "", "1985", op="range"), ((None, 1985),)),
        (constraint("tempo", "140", "", op="range"), ((140, None),)),
        (constraint("era", "1970s", "1980s"), ((1970, 1979), (1980, 1989))),
    ],
)
def test_number_bounds(wanted: Constraint, bounds: tuple[tuple[float | None, float | None], ...]) -> None:
    """A range is one interval, a choice of concepts one each."""
    assert number_bounds(wanted) == bounds


def test_tempo_concepts_do_not_overlap() -> None:
    """`bpm_max` is exclusive, as tempo.toml says: a tempo has one name."""
    states = [satisfies(track(bpm=90.0), 0.5, constraint("tempo", name)) for name in ("slow", "mid", "fast")]

    assert states == ["no", "yes", "no"]


@pytest.mark.parametrize("values", [("1999",), ("1980", "1981", "1982")], ids=["a year", "years"])
def test_years_left_out(tiny_index: EmbeddedIndex, entries: list[TrackEntry], values: tuple[str, ...]) -> None:
    """Excluded years ("rock, not from 1999") leave those years out and nothing else."""
    wanted = constraint("era", *values, op="not")
    inside = {e.row for e in entries if e.track.year and str(e.track.year) in values}
    playable = {entry.row for entry in entries if entry.track.playable}

    assert {entry.row for entry in entries if entry.track.playable and accepts(entry.track, 0.5, wanted)} == playable - inside
    assert set(tiny_index.search(Filter(constraints=(wanted,)), 500).rows) == playable - inside


@pytest.mark.parametrize("op", ["is", "not"])
@pytest.mark.parametrize("facet", ["era", "tempo"])
def test_unknown_concepts(tiny_index: EmbeddedIndex, entries: list[TrackEntry], facet: Facet, op: Op) -> None:
    """A concept that no vocabulary holds is held by no track, in a search as in a check."""
    wanted = constraint(facet, "no such thing", op=op)
    accepted = {e.row for e in entries if e.track.playable and accepts(e.track, e.popularity, wanted)}

    assert set(tiny_index.search(Filter(constraints=(wanted,)), 500).rows) == accepted


def test_popularity_at_a_bound(built: Build) -> None:
    """A track exactly at a concept's bound is inside, in a search as in a check."""
    items = [track(popularity=float(place)).model_copy(update={"track_id": str(place)}) for place in range(5)]
    index = built(items)
    wanted = constraint("popularity", "popular")
    accepted = [row for row in range(5) if accepts(index.track(row).track, index.track(row).popularity, wanted)]

    assert sorted(index.search(Filter(constraints=(wanted,)), 5).rows) == accepted == [3, 4]


def test_backward_range(tiny_index: EmbeddedIndex) -> None:
    """A range that ends before it starts holds no track, in a search as in a check."""
    wanted = constraint("era", "1990", "1980", op="range")

    assert tiny_index.count(Filter(constraints=(wanted,))) == 0
    assert not accepts(track(year=1985), 0.5, wanted)
