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
    """Changes so far, by constraint id. Nothing is relaxed without an entry here."""

    original: tuple[Constraint, ...]
    changed: dict[str, Entry] = field(default_factory=dict)

    def record(self, chosen: Sequence[Change], round_number: int, why: str) -> None:
        """Note the changes of one round."""
        for change in chosen:
            relaxation = change.relaxation
            to = relaxation.to if change.result is not None else ()
            self.changed[relaxation.constraint_id] = Entry(_STATES[relaxation.op], to, why, round_number)

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
