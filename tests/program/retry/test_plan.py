from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.contracts import Constraint, Relaxation
from program.index.engine import EmbeddedIndex
from program.index.protocol import Filter
from program.retry.counts import Count, counter
from program.retry.options import Change, changes
from program.retry.plan import Choice, apply, cheapest, choice_of
from tests.program.retry.recount import recount
from tests.sessions import constraint

MOOD, GENRE, ERA = constraint(0, "mood", "dark"), constraint(1, "genre", "rock"), constraint(2, "era", "1980s")
NO_POP = constraint(3, "genre", "pop", op="not", strength="core")


def _change(number: int, changed: Constraint, *to: str, cost: float = 0.5, drop: bool = False) -> Change:
    relaxation = Relaxation.model_validate(
        {
            "relaxation_id": f"x{number}", "constraint_id": changed.constraint_id, "op": "drop" if drop else "widen",
            "from": changed.values, "to": to, "gain": 0, "cost": cost,
        }
    )  # fmt: skip
    return Change(relaxation, None if drop else changed.model_copy(update={"values": to}), changed.facet)


def test_apply_replaces_drops_and_keeps_the_order() -> None:
    """Changed constraints stay in their place, dropped ones leave, the others are the same objects."""
    chosen = [_change(0, ERA, "1980s", "1990s"), _change(1, MOOD, drop=True)]
    after = apply((MOOD, GENRE, ERA, NO_POP), chosen)

    assert after == (GENRE, ERA.model_copy(update={"values": ("1980s", "1990s")}), NO_POP)
    assert apply((MOOD, GENRE), []) == (MOOD, GENRE)


def test_counter_counts_each_set_once(tiny_index: EmbeddedIndex) -> None:
    """Counts are the index's, under the base filter, and asking again asks the index no more."""
    searches: list[Filter] = []

    class Watched:
        info = tiny_index.info

        def count(self, where: Filter) -> int:
            searches.append(where)
            return tiny_index.count(where)

    count = counter(Watched(), Filter(not_artist_ids=("the-cure",)))  # type: ignore[arg-type]
    found = [count((GENRE,)), count((GENRE,)), count(())]

    assert found == [recount(tiny_index, given, without_artists=("the-cure",)) for given in ((GENRE,), (GENRE,), ())]
    assert len(searches) == 2


def _brute(
    active: tuple[Constraint, ...], offered: list[Change], enough: int, count: Count, most: int, *, must_keep: bool = True
) -> tuple[float, int] | None:
    """Cost and count of the best set, found by trying every one."""
    sets = []
    for size in range(1, most + 1):
        for chosen in combinations(offered, size):
            changed = [change.relaxation.constraint_id for change in chosen]
            gone = all(c.op == "not" for c in apply(active, chosen)) and not any(change.words for change in chosen)
            if len(set(changed)) == len(changed) and not (must_keep and gone):
                cost = round(sum(change.relaxation.cost for change in chosen), 4)
                sets.append((cost, count(apply(active, chosen))))
    reaching = [(cost, total) for cost, total in sets if total >= enough]
    if reaching:
        return min(cost for cost, _ in reaching), 0
    adding = [(-total, cost) for cost, total in sets if total > count(active)]
    return (min(adding)[1], -min(adding)[0]) if adding else None


def _agrees(choice: Choice | None, best: tuple[float, int] | None, enough: int) -> None:
    if choice is None or best is None:
        assert choice is None
        assert best is None
        return
    changed = [change.relaxation.constraint_id for change in choice.changes]
    assert len(set(changed)) == len(changed)
    assert choice.cost == pytest.approx(best[0])
    if choice.count < enough:
        assert choice.count == best[1]


_CATALOG_CASES = {
    "one change is enough": ((constraint(0, "region", "IS"), constraint(1, "genre", "post-punk", strength="core")), 20, 3),
    "two are needed": ((constraint(0, "era", "1990s"), constraint(1, "genre", "city-pop", strength="core")), 20, 3),
    "one is allowed where two are needed": ((constraint(0, "era", "1990s"), constraint(1, "genre", "city-pop")), 20, 1),
    "more than the catalog holds": ((constraint(0, "genre", "jazz"), constraint(1, "instrument", "piano")), 999, 2),
    "an exclusion stays": ((constraint(0, "genre", "soul"), NO_POP), 12, 2),
    "a little is missing": ((constraint(0, "mood", "cold"), constraint(1, "vocal", "female")), 5, 2),
}


@pytest.mark.parametrize(("active", "enough", "most"), _CATALOG_CASES.values(), ids=_CATALOG_CASES.keys())
def test_cheapest_agrees_with_brute_force_on_the_catalog(
    tiny_index: EmbeddedIndex, active: tuple[Constraint, ...], enough: int, most: int
) -> None:
    """On small cases the set that is found costs what the best of all sets costs."""
    offered = changes(active, counter(tiny_index, Filter()), tiny_index)
    count = counter(tiny_index, Filter())
    choice = cheapest(active, offered, enough, count, most=most)

    _agrees(choice, _brute(active, offered, enough, count, most), enough)
    assert choice is not None
    assert choice.count == recount(tiny_index, apply(active, choice.changes))
    assert NO_POP not in active or NO_POP in apply(active, choice.changes)


@given(
    costs=st.lists(st.integers(1, 9), min_size=6, max_size=6),
    gains=st.lists(st.integers(0, 9), min_size=6, max_size=6),
    enough=st.integers(1, 40),
    most=st.integers(1, 3),
    must_keep=st.booleans(),
)
@settings(max_examples=150)
def test_cheapest_agrees_with_brute_force_on_any_numbers(
    costs: list[int], gains: list[int], enough: int, most: int, must_keep: bool
) -> None:
    """Whatever the changes cost and add, the cheapest set that is enough is found, else the set that adds most."""
    active = (MOOD, GENRE, ERA)
    offered = [_change(n, active[n // 2], f"v{n}", cost=cost / 10, drop=n % 2 == 1) for n, cost in enumerate(costs)]
    worth = {f"v{n}": gain for n, gain in enumerate(gains)}

    def count(constraints: tuple[Constraint, ...]) -> int:
        return sum(worth.get(c.values[0], 0) for c in constraints) + 3 * (len(active) - len(constraints))

    choice = cheapest(active, offered, enough, count, most=most, must_keep=must_keep)
    _agrees(choice, _brute(active, offered, enough, count, most, must_keep=must_keep), enough)


@pytest.mark.parametrize(
    ("active", "must_keep", "expected"),
    [((MOOD,), True, None), ((MOOD,), False, ("x0",)), ((MOOD, NO_POP), True, None), ((MOOD, GENRE), True, ("x0",))],
    ids=["the only one", "a name is left", "an exclusion is no condition to keep", "another is left"],
)
def test_the_last_condition_is_kept_where_it_must_be(
    active: tuple[Constraint, ...], must_keep: bool, expected: tuple[str, ...] | None
) -> None:
    """A set that gives up every positive condition is none, by code's choice and by a model's."""
    offered = [_change(0, MOOD, drop=True)]
    count = {active: 0}.get
    choice = cheapest(active, offered, 5, lambda given: count(given, 9), most=2, must_keep=must_keep)
    chosen = choice_of(["x0"], active, offered, lambda given: count(given, 9), must_keep=must_keep)

    assert (choice.ids if choice else None) == expected
    assert isinstance(chosen, Choice) is (expected is not None)


def test_cheapest_without_anything_that_helps() -> None:
    """When no set adds a track, or nothing is offered, there is nothing to choose."""
    offered = [_change(0, MOOD, "v"), _change(1, GENRE, "w")]

    assert cheapest((MOOD, GENRE), offered, 5, lambda _: 2, most=2) is None
    assert cheapest((MOOD, GENRE), [], 5, lambda _: 2, most=2) is None


def test_a_long_request_is_repaired_too(tiny_index: EmbeddedIndex) -> None:
    """Six conditions that nothing meets together still find a set of changes that adds tracks."""
    active = (
        constraint(0, "mood", "dark"),
        constraint(1, "mood", "sad"),
        constraint(2, "instrument", "piano"),
        constraint(3, "era", "1990s"),
        constraint(4, "genre", "city-pop", strength="core"),
        constraint(5, "region", "JP"),
    )
    offered = changes(active, counter(tiny_index, Filter()), tiny_index)
    choice = cheapest(active, offered, 30, counter(tiny_index, Filter()), most=len(active))

    assert choice is not None
    assert choice.count > 0


_OFFERED = [
    _change(0, MOOD, "cold", cost=0.2),
    _change(1, MOOD, drop=True, cost=0.5),
    _change(2, GENRE, "metal", cost=0.3),
    _change(3, ERA, "1990s", cost=0.1),
]


def _count(constraints: tuple[Constraint, ...]) -> int:
    return {"cold": 5, "rock": 0, "metal": 7}.get(constraints[0].values[0], 0) + 4 * (len(constraints) < 3)


def test_choice_of_takes_what_the_ids_name() -> None:
    """Known ids are taken once each and once a constraint, counted together, and their costs add up."""
    choice = choice_of(["x0", "x2", "x0", "x1", "x99"], (MOOD, GENRE, ERA), _OFFERED, _count)

    assert isinstance(choice, Choice)
    assert (choice.ids, choice.count, choice.cost) == (("x0", "x2"), 5, 0.5)


@pytest.mark.parametrize(
    ("ids", "complaint"),
    [
        ([], "choose at least one"),
        (["x99"], "choose at least one"),
        (["x3"], "add no track"),
    ],
    ids=["none", "unknown", "without gain"],
)
def test_choice_of_says_what_is_wrong(ids: list[str], complaint: str) -> None:
    """A set that is none is answered with words that a model can act on."""
    found = choice_of(ids, (MOOD, GENRE, ERA), _OFFERED, _count)

    assert isinstance(found, str)
    assert complaint in found


def test_a_merge_takes_both_conditions(tiny_index: EmbeddedIndex) -> None:
    """The second condition is gone with the merge, and neither can be changed a second time beside it."""
    folk, city = constraint(0, "genre", "folk-metal", strength="core"), constraint(1, "genre", "city-pop", strength="core")
    active, base = (folk, city), Filter()
    offered = changes(active, counter(tiny_index, base), tiny_index)
    merge = next(change for change in offered if change.merges)
    beside = next(change for change in offered if change.relaxation.constraint_id == "c1")
    count = counter(tiny_index, base)
    both = choice_of([merge.relaxation.relaxation_id, beside.relaxation.relaxation_id], active, offered, count)
    own = cheapest(active, offered, 5, count, most=3)

    assert [c.values for c in apply(active, [merge])] == [("folk-metal", "city-pop")]
    assert isinstance(both, Choice)
    assert both.changes == (merge,)
    assert own is not None
    assert own.changes == (merge,)  # cheaper than to leave either of them for its parent


def test_the_core_goes_last() -> None:
    """Every soft condition is given up before what the request is about, whatever the changes cost by themselves."""
    core = GENRE.model_copy(update={"strength": "core"})
    offered = [
        replace(_change(0, core, "rock", "pop", cost=0.1), core=True),
        _change(1, MOOD, drop=True, cost=1.0),
        _change(2, ERA, drop=True, cost=0.9),
    ]
    own = cheapest((core, MOOD, ERA), offered, 8, lambda given: 8 if len(given) == 1 or "pop" in given[0].values else 0, most=3)

    assert own is not None
    assert set(own.ids) == {"x1", "x2"}
    assert own.cost == 1.9
