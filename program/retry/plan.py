"""Choosing a set of changes: apply them, count what they give together, find the cheapest set that gives enough."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from data.contracts import Constraint
from program.retry.counts import Count
from program.retry.options import Change

_MAX_COUNTS = 150
_CORE_PRICE = 2.0
"""What loosening the core costs the search beyond its own cost: soft conditions go first, all of them if need be."""


@dataclass(frozen=True)
class Choice:
    """A set of changes, at most one a constraint. count: tracks that match with all of them applied."""

    changes: tuple[Change, ...]
    count: int
    cost: float

    @property
    def ids(self) -> tuple[str, ...]:
        """The relaxation ids."""
        return tuple(change.relaxation.relaxation_id for change in self.changes)


def apply(active: tuple[Constraint, ...], chosen: Iterable[Change]) -> tuple[Constraint, ...]:
    """The constraints after the changes; order is kept, dropped, substituted and merged ones are left out."""
    by_id: dict[str, Constraint | None] = {}
    for change in chosen:
        by_id |= {change.relaxation.constraint_id: change.result} | ({change.merges: None} if change.merges else {})
    after = (by_id.get(c.constraint_id, c) if c.constraint_id in by_id else c for c in active)
    return tuple(constraint for constraint in after if constraint is not None)


def leaves_nothing(active: tuple[Constraint, ...], chosen: Sequence[Change]) -> bool:
    """Whether no positive condition is left after the changes, and no words stand in for one."""
    kept = [constraint for constraint in apply(active, chosen) if constraint.op != "not"]
    return not kept and not any(change.words for change in chosen)


def cheapest(
    active: tuple[Constraint, ...],
    offered: Sequence[Change],
    enough: int,
    count: Count,
    *,
    most: int,
    must_keep: bool = True,
) -> Choice | None:
    """The cheapest set of at most `most` changes that reaches `enough` tracks.

    A uniform-cost search over sets; when none reaches it within the search limit, the set that reaches most, the
    cheaper one of two equals. None when no set adds a track.

    Args:
        must_keep: a set that gives up every condition is none.
    """
    before = count(active)
    best: Choice | None = None
    queue: list[tuple[float, int, tuple[int, ...]]] = [(0.0, 0, ())]
    tie = 0
    for _ in range(_MAX_COUNTS):
        if not queue:
            break
        cost, _, picked = heapq.heappop(queue)
        chosen = tuple(offered[number] for number in picked)
        if must_keep and picked and leaves_nothing(active, chosen):
            continue
        total = count(apply(active, chosen)) if picked else before
        if picked and total > before and (best is None or total > best.count):
            best = _choice(chosen, total)
        if picked and total >= enough:
            return _choice(chosen, total)
        if len(picked) == most:
            continue
        used = {name for change in chosen for name in change.constraint_ids}
        for number in range(picked[-1] + 1 if picked else 0, len(offered)):
            if used.isdisjoint(offered[number].constraint_ids):
                tie += 1
                heapq.heappush(queue, (cost + _price(offered[number]), tie, (*picked, number)))
    return best or keep_most(active, offered, count)


def _price(change: Change) -> float:
    return change.relaxation.cost + (_CORE_PRICE if change.core else 0.0)


def _choice(chosen: tuple[Change, ...], total: int) -> Choice:
    return Choice(chosen, total, round(sum(change.relaxation.cost for change in chosen), 4))


def keep_most(active: tuple[Constraint, ...], offered: Sequence[Change], count: Count) -> Choice | None:
    """For requests that nothing comes near: keep the dearest condition first, then add back what leaves tracks.

    Each further condition is kept as it is, else in its cheapest changed form that leaves tracks, else given up.
    """
    ways = {c.constraint_id: [x for x in offered if x.constraint_ids == (c.constraint_id,)] for c in active}
    dearest = sorted(active, key=lambda c: -max((x.relaxation.cost for x in ways[c.constraint_id]), default=2.0))
    kept: tuple[Constraint, ...] = tuple(constraint for constraint in active if constraint.op == "not")
    chosen: list[Change] = []
    for constraint in dearest:
        if constraint.op == "not" or count((*kept, constraint)) > 0:
            kept = kept if constraint in kept else (*kept, constraint)
            continue
        changed = sorted(ways[constraint.constraint_id], key=lambda change: change.relaxation.cost)
        for change in changed:
            if change.result is None or count((*kept, change.result)) > 0:
                kept = kept if change.result is None else (*kept, change.result)
                chosen.append(change)
                break
    total = count(apply(active, chosen))
    if not chosen or total <= count(active) or leaves_nothing(active, chosen):
        return None
    return _choice(tuple(chosen), total)


def choice_of(
    ids: Sequence[str],
    active: tuple[Constraint, ...],
    offered: Sequence[Change],
    count: Count,
    *,
    must_keep: bool = True,
) -> Choice | str:
    """The set that the ids name, counted; or why they are no set: what a model must be told.

    Of two changes to one constraint the first named is meant.
    """
    by_id = {change.relaxation.relaxation_id: change for change in offered}
    used: set[str] = set()
    chosen: tuple[Change, ...] = ()
    for name in ids:
        if name in by_id and used.isdisjoint(by_id[name].constraint_ids):
            used.update(by_id[name].constraint_ids)
            chosen = (*chosen, by_id[name])
    if not chosen:
        return "choose at least one of the offered x numbers"
    if must_keep and leaves_nothing(active, chosen):
        return "that gives up every condition; keep at least one"
    total = count(apply(active, chosen))
    if total <= count(active):
        return "the chosen numbers together add no track; choose others"
    return _choice(chosen, total)
