"""What can be loosened: for each constraint the ways to widen, substitute, soften or drop it, each counted on the index."""

from __future__ import annotations

from dataclasses import dataclass, replace

from data.contracts import Constraint, Facet, Relaxation
from data.vocab.loader import load_vocabularies
from program.index.filters import number_bounds
from program.index.protocol import CatalogIndex
from program.retry.counts import Count

DROP_COST: dict[Facet, float] = {
    "popularity": 0.3, "tempo": 0.4, "version": 0.4, "mood": 0.5, "activity": 0.5, "instrument": 0.5,
    "vocal": 0.6, "era": 0.55, "region": 0.75, "language": 0.9, "genre": 0.8,
}  # fmt: skip
"""How much meaning dropping a facet gives up (own choice, 0..1)."""
_SOFTEN_COST: dict[Facet, float] = {
    "tempo": 0.2,
    "activity": 0.2,
    "popularity": 0.15,
    "instrument": 0.3,
    "mood": 0.3,
    "era": 0.4,
}
_SOFTEN_DEFAULT, _SUBSTITUTE_COST = 0.5, 0.35
_NEAR_COST: dict[Facet, float] = {
    "genre": 0.3,
    "region": 0.3,
    "language": 0.45,
    "mood": 0.25,
    "activity": 0.3,
    "instrument": 0.3,
}
_PARENT_COST: dict[Facet, tuple[float, ...]] = {"region": (0.2, 0.4, 0.55), "genre": (0.45, 0.6)}
_ERA_STEPS = ((5, 0.2), (10, 0.35))
_TEMPO_STEPS = ((15, 0.2), (30, 0.35))
_PERCENTILE_STEPS = ((0.2, 0.15),)
_EITHER_COST = 0.3
_NEAR_CHOICES = (2, 5)
_HELD = 0.05
"""Below this coverage the catalog does not hold a facet, and words must stand in for it."""


@dataclass(frozen=True)
class Change:
    """A relaxation with the constraint that results; None = the constraint is gone.

    words: what stands in for it. core: the change takes the search away from what the request is about. merges: id of a
    second constraint, which the result holds as one of its choices.
    """

    relaxation: Relaxation
    result: Constraint | None
    facet: Facet
    words: str = ""
    core: bool = False
    merges: str = ""

    @property
    def constraint_ids(self) -> tuple[str, ...]:
        """The constraints that it changes."""
        return (self.relaxation.constraint_id, self.merges) if self.merges else (self.relaxation.constraint_id,)


def changes(active: tuple[Constraint, ...], count: Count, index: CatalogIndex) -> list[Change]:
    """Every way to loosen one of the `active` constraints, with the tracks that it alone would add.

    Exclusions are never loosened. Ways that add nothing are kept: two together may.

    Args:
        count: of the tracks under given constraints, beside what is never loosened (verified ids and exclusions).
    """
    strict = count(active)
    found: list[Change] = []
    for constraint in active:
        if constraint.op == "not":
            continue
        for draft in (*_ways(constraint, index), *_eithers(constraint, active, count)):
            others = tuple(other for other in active if other.constraint_id not in draft.constraint_ids)
            kept = others if draft.result is None else (*others, draft.result)
            gain = max(0, count(kept) - strict)
            relaxation = draft.relaxation.model_copy(update={"relaxation_id": f"x{len(found)}", "gain": gain})
            found.append(replace(draft, relaxation=relaxation))
    return found


def _ways(constraint: Constraint, index: CatalogIndex) -> list[Change]:
    coverage = index.info.coverage.get(constraint.facet, 0.0)
    words = ", ".join(_label(constraint.facet, value) for value in constraint.values if value)
    if coverage < _HELD:
        return [
            _change(
                constraint,
                "substitute",
                None,
                _SUBSTITUTE_COST,
                f"{words}: by meaning, the catalog has no {constraint.facet}",
                words,
            )
        ]
    ways = [*_near(constraint), *_parents(constraint), *_numbers(constraint)]
    if constraint.strength == "core":
        return ways  # what the request is about may be widened, never given up unasked
    if coverage < 1.0 and not constraint.unknown_ok:
        softened = constraint.model_copy(update={"unknown_ok": True})
        ways.append(
            _change(
                constraint,
                "soften",
                softened,
                _SOFTEN_COST.get(constraint.facet, _SOFTEN_DEFAULT),
                f"{words}, or {constraint.facet} unknown",
            )
        )
    ways.append(_change(constraint, "drop", None, DROP_COST[constraint.facet], f"any {constraint.facet}"))
    return ways


def _eithers(constraint: Constraint, active: tuple[Constraint, ...], count: Count) -> list[Change]:
    """Either of two conditions of one facet that no track holds together ("swing and the electro built on it")."""
    later = active[active.index(constraint) + 1 :]
    ways = []
    for other in later:
        if (other.facet, other.op, constraint.op) != (constraint.facet, "is", "is"):
            continue
        if count((constraint, other)):
            continue
        values = tuple(dict.fromkeys((*constraint.values, *other.values)))
        strength = "core" if "core" in (constraint.strength, other.strength) else "soft"
        either = constraint.model_copy(update={"values": values, "strength": strength})
        label = " or ".join(_label(constraint.facet, value) for value in values)
        ways.append(replace(_change(constraint, "widen", either, _EITHER_COST, label), core=False, merges=other.constraint_id))
    return ways


def _change(constraint: Constraint, op: str, result: Constraint | None, cost: float, label: str, words: str = "") -> Change:
    relaxation = Relaxation.model_validate(
        {
            "relaxation_id": "x", "constraint_id": constraint.constraint_id, "op": op, "from": constraint.values,
            "to": result.values if result else (), "gain": 0, "cost": cost, "label": label,
        }
    )  # fmt: skip
    return Change(relaxation, result, constraint.facet, words, core=constraint.strength == "core")


def _label(facet: str, value: str) -> str:
    vocabulary = load_vocabularies().get(facet)
    return vocabulary.label(value) if vocabulary else value


def _widened(constraint: Constraint, values: tuple[str, ...], cost: float) -> Change:
    label = " or ".join(_label(constraint.facet, value) for value in values)
    return _change(constraint, "widen", constraint.model_copy(update={"values": values}), cost, label)


def _near(constraint: Constraint) -> list[Change]:
    cost = _NEAR_COST.get(constraint.facet)
    if cost is None or constraint.op == "range":
        return []
    concepts = load_vocabularies()[constraint.facet].concepts
    near = list(dict.fromkeys(n for value in constraint.values if value in concepts for n in concepts[value].near))
    near = [value for value in near if value not in constraint.values]
    ways = []
    for count, extra in zip(_NEAR_CHOICES, (0.0, 0.1), strict=True):
        if near and (count == _NEAR_CHOICES[0] or len(near) > _NEAR_CHOICES[0]):
            ways.append(_widened(constraint, (*constraint.values, *near[:count]), round(cost + extra, 2)))
    return ways


def _parents(constraint: Constraint) -> list[Change]:
    costs = _PARENT_COST.get(constraint.facet)
    if costs is None or constraint.op == "range":
        return []
    vocabulary = load_vocabularies()[constraint.facet]
    ways, level = [], constraint.values
    for cost in costs:
        level = tuple(dict.fromkeys(p for value in level if value in vocabulary for p in vocabulary.concepts[value].parents))
        if not level:
            break
        ways.append(_widened(constraint, level, cost))
    return ways


def _numbers(constraint: Constraint) -> list[Change]:
    steps: dict[str, tuple[tuple[float, float], ...]] = {
        "era": _ERA_STEPS, "tempo": _TEMPO_STEPS, "popularity": _PERCENTILE_STEPS,
    }  # fmt: skip
    ways = []
    for step, cost in steps.get(constraint.facet, ()):
        bounds = number_bounds(constraint)
        lows, highs = [low for low, _ in bounds], [high for _, high in bounds]
        low = None if not lows or None in lows else min(value for value in lows if value is not None) - step
        high = None if not highs or None in highs else max(value for value in highs if value is not None) + step
        if low is None and high is None:
            continue
        values = (_text(low), _text(high))
        result = constraint.model_copy(update={"op": "range", "values": values})
        ways.append(_change(constraint, "widen", result, cost, f"{constraint.facet} {values[0] or '…'} to {values[1] or '…'}"))
    return ways


def _text(value: float | None) -> str:
    if value is None:
        return ""
    return str(int(value)) if value == int(value) else f"{value:.2f}"
