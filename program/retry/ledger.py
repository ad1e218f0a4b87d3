"""The ledger: what became of every constraint, and how much of it the answer still holds, measured from the catalog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from data.contracts import Constraint, LedgerEntry, LedgerState
from program.index.filters import satisfies
from program.index.protocol import TrackEntry
from program.retry.options import Change

_STATES: dict[str, LedgerState] = {
    "widen": "widened",
    "soften": "softened",
    "substitute": "substituted",
    "drop": "dropped",
}


@dataclass(frozen=True)
class Entry:
    """The last change of one constraint."""

    state: LedgerState
    to: tuple[str, ...]
    why: str
    round: int


@dataclass
class Ledger:
    """Changes so far, by constraint id. Nothing is relaxed without an entry here.

    merged: a constraint that became one choice of another's → the other's id.
    """

    original: tuple[Constraint, ...]
    changed: dict[str, Entry] = field(default_factory=dict)
    merged: dict[str, str] = field(default_factory=dict)

    def copy(self) -> Ledger:
        """The same ledger, whose later changes are its own."""
        return Ledger(self.original, dict(self.changed), dict(self.merged))

    def record(self, chosen: Sequence[Change], round_number: int, why: str) -> None:
        """Note the changes of one round."""
        for change in chosen:
            relaxation = change.relaxation
            to = relaxation.to if change.result is not None else ()
            if change.merges:
                self.merged[change.merges] = relaxation.constraint_id
            for name in (relaxation.constraint_id, *self._merged_into(relaxation.constraint_id)):
                self.changed[name] = Entry(_STATES[relaxation.op], to, why, round_number)

    def core(self) -> list[Constraint]:
        """What the answer is about: the positive core conditions as they were asked, to be held for certain.

        Two that became an either-or count as that. One that the catalog cannot check, so that words stand in for it, is
        left out.
        """
        checked = [c for c in self.original if c.op != "not" and self._state(c.constraint_id) != "substituted"]
        by_id = {constraint.constraint_id: constraint for constraint in checked}
        core = []
        for constraint in checked:
            group = [constraint, *(by_id[name] for name in self._merged_into(constraint.constraint_id) if name in by_id)]
            if constraint.constraint_id not in self.merged and any(one.strength == "core" for one in group):
                values = constraint.values  # a span of one year has its bound twice
                if len(group) > 1:
                    values = tuple(dict.fromkeys(value for one in group for value in one.values))
                core.append(constraint.model_copy(update={"values": values, "unknown_ok": False}))
        return core

    @property
    def loosened_core(self) -> bool:
        """Whether a condition of the core is no longer searched as it was asked, an either-or aside."""
        return any(self._widened(constraint) for constraint in self.core())

    def _widened(self, asked: Constraint) -> bool:
        change = self.changed.get(asked.constraint_id)
        return change is not None and change.to != asked.values

    def _state(self, constraint_id: str) -> str:
        return self.changed[constraint_id].state if constraint_id in self.changed else "kept"

    def _merged_into(self, constraint_id: str) -> list[str]:
        return [name for name, other in self.merged.items() if other == constraint_id]

    def entries(self, returned: Sequence[TrackEntry]) -> tuple[LedgerEntry, ...]:
        """One entry a constraint, in request order; `share` is of the returned tracks (0 when there are none)."""
        return tuple(self._entry(constraint, returned) for constraint in self.original)

    def _entry(self, constraint: Constraint, returned: Sequence[TrackEntry]) -> LedgerEntry:
        strict = constraint.model_copy(update={"unknown_ok": False})
        held = sum(satisfies(entry.track, entry.popularity, strict) == "yes" for entry in returned)
        change = self.changed.get(constraint.constraint_id, Entry("kept", constraint.values, "", 0))
        return LedgerEntry.model_validate(
            {
                "constraint_id": constraint.constraint_id, "facet": constraint.facet, "state": change.state,
                "from": constraint.values, "to": change.to, "why": change.why, "round": change.round,
                "share": round(held / len(returned), 4) if returned else 0.0,
            }
        )  # fmt: skip

    @property
    def relaxed(self) -> bool:
        """Whether anything was changed."""
        return bool(self.changed)
