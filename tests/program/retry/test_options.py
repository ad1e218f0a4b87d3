from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from data.contracts import Constraint
from data.vocab.loader import load_vocabularies
from program.index.engine import EmbeddedIndex
from program.index.protocol import Filter
from program.retry.counts import counter
from program.retry.options import DROP_COST, Change, changes
from tests.program.retry.recount import recount
from tests.sessions import constraint
from tests.tiny import open_tiny

ICELAND = constraint(0, "region", "IS")
POST_PUNK = constraint(1, "genre", "post-punk", strength="core")
NICHE = constraint(2, "popularity", "niche")
CASES: dict[str, tuple[Constraint, ...]] = {
    "niche Icelandic post-punk": (ICELAND, POST_PUNK, NICHE),
    "city pop of the nineties": (constraint(0, "era", "1990s"), constraint(1, "genre", "city-pop", strength="core")),
    "from 1979 to 1981": (constraint(0, "era", "1979", "1981", op="range"), POST_PUNK),
    "after 1990": (constraint(0, "era", "1990", "", op="range"), POST_PUNK),
    "before 1970": (constraint(0, "era", "", "1970", op="range"),),
    "slow and sad": (constraint(0, "tempo", "slow"), constraint(1, "mood", "sad")),
    "between two tempi": (constraint(0, "tempo", "100", "110", op="range"),),
    "morning piano": (constraint(0, "activity", "morning"), constraint(1, "instrument", "piano")),
    "sung in Icelandic by a woman": (constraint(0, "language", "is"), constraint(1, "vocal", "female")),
    "jazz or soul": (constraint(0, "genre", "jazz", "soul"),),
    "popular, no pop": (constraint(0, "popularity", "popular"), constraint(1, "genre", "pop", op="not", strength="core")),
    "live": (constraint(0, "version", "live"), POST_PUNK),
    "folk metal and city pop": (constraint(0, "genre", "folk-metal"), constraint(1, "genre", "city-pop", strength="core")),
    "softened already": (constraint(0, "mood", "cold", unknown_ok=True), POST_PUNK),
}
cases = pytest.mark.parametrize("active", CASES.values(), ids=CASES.keys())


def _after(active: tuple[Constraint, ...], change: Change) -> list[Constraint]:
    kept = [c for c in active if c.constraint_id not in change.constraint_ids]
    return kept if change.result is None else [*kept, change.result]


@cases
def test_gains_are_what_a_recount_finds(tiny_index: EmbeddedIndex, active: tuple[Constraint, ...]) -> None:
    """Each way adds exactly the tracks that going through the catalog one by one finds."""
    before = recount(tiny_index, active)
    offered = changes(active, counter(tiny_index, Filter()), tiny_index)

    assert offered
    for change in offered:
        found = recount(tiny_index, _after(active, change)) - before
        assert change.relaxation.gain == max(0, found), change.relaxation.label


@cases
def test_what_widens_never_loses(tiny_index: EmbeddedIndex, active: tuple[Constraint, ...]) -> None:
    """No way of loosening a constraint costs a track that the strict one had."""
    before = recount(tiny_index, active)
    losing = [
        change.relaxation.label
        for change in changes(active, counter(tiny_index, Filter()), tiny_index)
        if recount(tiny_index, _after(active, change)) < before
    ]

    assert not losing


@cases
def test_ids_count_up_and_costs_are_shares(tiny_index: EmbeddedIndex, active: tuple[Constraint, ...]) -> None:
    """Ways are numbered x0, x1, …, each names an active constraint and its values, and no cost is free or above one."""
    offered = changes(active, counter(tiny_index, Filter()), tiny_index)
    by_id = {c.constraint_id: c for c in active}

    assert [change.relaxation.relaxation_id for change in offered] == [f"x{n}" for n in range(len(offered))]
    for change in offered:
        assert change.relaxation.from_ == by_id[change.relaxation.constraint_id].values
        assert 0 < change.relaxation.cost <= 1


def test_a_name_and_an_exclusion_hold_in_every_count(tiny_index: EmbeddedIndex) -> None:
    """What the base filter excludes stays out of the gains."""
    base = Filter(not_artist_ids=("kaelan-mikla", "the-cure"))
    before = recount(tiny_index, (ICELAND, POST_PUNK), without_artists=base.not_artist_ids)
    for change in changes((ICELAND, POST_PUNK), counter(tiny_index, base), tiny_index):
        after = recount(tiny_index, _after((ICELAND, POST_PUNK), change), without_artists=base.not_artist_ids)

        assert change.relaxation.gain == max(0, after - before)


def test_exclusions_are_never_offered(tiny_index: EmbeddedIndex) -> None:
    """There is no way to loosen a "not", whatever stands beside it."""
    no_pop = constraint(1, "genre", "pop", op="not", strength="core")
    no_sad = constraint(2, "mood", "sad", op="not")

    assert changes((no_pop, no_sad), counter(tiny_index, Filter()), tiny_index) == []
    offered = changes((ICELAND, no_pop, no_sad), counter(tiny_index, Filter()), tiny_index)
    assert {change.relaxation.constraint_id for change in offered} == {"c0"}


def _ops(found: list[Change], constraint_id: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(c.relaxation.op, c.relaxation.to) for c in found if c.relaxation.constraint_id == constraint_id]


def test_a_region_widens_to_its_neighbours_and_its_parents(tiny_index: EmbeddedIndex) -> None:
    """Iceland goes to its neighbours, to the Nordic countries, to Europe at a higher cost, to "or unknown", to anywhere."""
    offered = changes((ICELAND,), counter(tiny_index, Filter()), tiny_index)
    near = load_vocabularies()["region"].concepts["IS"].near
    widened = [c.relaxation for c in offered if c.relaxation.op == "widen"]
    parents = [r for r in widened if "IS" not in r.to]

    assert ("IS", *near[:2]) in [r.to for r in widened]
    assert [r.to for r in parents] == [("nordic",), ("europe",)]
    assert parents[0].cost < parents[1].cost
    assert [op for op, _ in _ops(offered, "c0")][-2:] == ["soften", "drop"]


def test_a_year_range_widens_on_its_closed_sides(tiny_index: EmbeddedIndex) -> None:
    """Five and ten years are added on each side that has a bound; an open side stays open."""
    closed = changes((constraint(0, "era", "1979", "1981", op="range"),), counter(tiny_index, Filter()), tiny_index)
    open_ended = changes((constraint(0, "era", "1990", "", op="range"),), counter(tiny_index, Filter()), tiny_index)

    assert _ops(closed, "c0")[:2] == [("widen", ("1974", "1986")), ("widen", ("1969", "1991"))]
    assert _ops(open_ended, "c0")[:2] == [("widen", ("1985", "")), ("widen", ("1980", ""))]


def test_softening_keeps_the_values_and_lets_unknown_in(tiny_index: EmbeddedIndex) -> None:
    """A softened constraint asks for the same values; one that is soft already is not softened again."""
    offered = changes((constraint(0, "mood", "cold"),), counter(tiny_index, Filter()), tiny_index)
    softened = next(change for change in offered if change.relaxation.op == "soften")
    again = changes((constraint(0, "mood", "cold", unknown_ok=True),), counter(tiny_index, Filter()), tiny_index)

    assert softened.result is not None
    assert softened.result.values == ("cold",)
    assert softened.result.unknown_ok
    assert "soften" not in [op for op, _ in _ops(again, "c0")]


def test_a_facet_that_every_track_fills_is_not_softened(tiny_index: EmbeddedIndex) -> None:
    """Where the catalog always says, "or unknown" would add nothing and is not offered."""
    offered = changes((constraint(0, "version", "live"),), counter(tiny_index, Filter()), tiny_index)

    assert tiny_index.info.coverage["version"] == 1.0
    assert [op for op, _ in _ops(offered, "c0")] == ["drop"]


def test_what_the_request_is_about_is_not_given_up(tiny_index: EmbeddedIndex) -> None:
    """A soft constraint may be dropped at its price; a core one may only be widened."""
    soft, core = constraint(0, "genre", "post-punk"), constraint(0, "genre", "post-punk", strength="core")
    ops = [{c.relaxation.op for c in changes((given,), counter(tiny_index, Filter()), tiny_index)} for given in (soft, core)]

    assert "drop" in ops[0]
    assert ops[1] == {"widen"}
    drop = next(c for c in changes((soft,), counter(tiny_index, Filter()), tiny_index) if c.relaxation.op == "drop")
    assert drop.relaxation.cost == DROP_COST["genre"]


@pytest.fixture(scope="module")
def silent_index(tiny_path: Path) -> Iterator[EmbeddedIndex]:
    """The tiny index, saying that its catalog hardly fills moods."""
    index = open_tiny(tiny_path)
    index.info = replace(index.info, coverage={**index.info.coverage, "mood": 0.049, "activity": 0.05})
    yield index
    index.close()


def test_a_facet_that_the_catalog_hardly_fills_is_matched_by_meaning(silent_index: EmbeddedIndex) -> None:
    """Below five percent coverage the one way is to let words stand in for the facet; at five percent it is checked."""
    active = (constraint(0, "mood", "dark", "cold"), constraint(1, "activity", "morning"), POST_PUNK)
    offered = changes(active, counter(silent_index, Filter()), silent_index)
    mood = [change for change in offered if change.relaxation.constraint_id == "c0"]

    assert [(c.relaxation.op, c.relaxation.to, c.result) for c in mood] == [("substitute", (), None)]
    assert [word.casefold() for word in mood[0].words.split(", ")] == ["dark", "cold"]
    assert mood[0].relaxation.gain == recount(silent_index, active[1:]) - recount(silent_index, active)
    assert "substitute" not in [change.relaxation.op for change in offered if change is not mood[0]]


@pytest.mark.parametrize(
    ("first", "second", "either"),
    [
        (constraint(0, "genre", "city-pop"), constraint(1, "genre", "folk-metal", strength="core"), ("city-pop", "folk-metal")),
        (constraint(0, "region", "JP"), constraint(1, "region", "IS"), ("JP", "IS")),
        (constraint(0, "genre", "jazz"), constraint(1, "genre", "cool-jazz"), None),
        (constraint(0, "genre", "city-pop"), constraint(1, "genre", "folk-metal", op="not", strength="core"), None),
        (constraint(0, "genre", "city-pop"), constraint(1, "region", "IS"), None),
    ],
    ids=["nothing is both", "two places", "some track is both", "one is ruled out", "two facets"],
)
def test_what_no_track_is_at_once_may_be_either(
    tiny_index: EmbeddedIndex, first: Constraint, second: Constraint, either: tuple[str, ...] | None
) -> None:
    """Two wanted values of one facet that no track holds together become a choice, which stays the core when one was."""
    offered = changes((first, second), counter(tiny_index, Filter()), tiny_index)
    merging = [change for change in offered if change.merges]

    assert [change.relaxation.to for change in merging] == ([either] if either else [])
    for change in merging:
        assert change.constraint_ids == ("c0", "c1")
        assert change.result is not None
        assert (change.result.strength == "core") == ("core" in (first.strength, second.strength))
        assert change.relaxation.gain == recount(tiny_index, [change.result])
