"""A session before a node ran, so that the node can run again as if it had not."""

from __future__ import annotations

import copy
from dataclasses import dataclass, fields
from typing import Any

from program.state import Session

_KEPT = frozenset({"meter", "listener", "timings_ms", "entries", "trips", "confidence", "nudge"})
"""What stays as it is: money and time are spent, records that were read stay read."""
_ASKED = "asked"


@dataclass(frozen=True)
class Snapshot:
    """The fields of a session by name; mutable ones are copies. `asked`: LM calls by node."""

    held: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["held"][name]
        except KeyError:
            raise AttributeError(name) from None

    def restore(self, session: Session) -> None:
        """Put the session back."""
        for name, value in self.held.items():
            if name != _ASKED:
                setattr(session, name, _own(value))

    def again(self, session: Session) -> Snapshot:
        """Put the session back for another run. Returns the snapshot before that one: models were asked meanwhile."""
        self.restore(session)
        return Snapshot(self.held | {_ASKED: _calls(session)})


def snapshot(session: Session) -> Snapshot:
    """What a node may change."""
    held = {one.name: _own(getattr(session, one.name)) for one in fields(session) if one.name not in _KEPT}
    return Snapshot(held | {_ASKED: _calls(session)})


def asked_since(node: str, session: Session, before: Snapshot) -> bool:
    """Whether a node has asked a model since."""
    usage = session.meter.usage().get(node)
    return usage is not None and usage.calls > before.asked.get(node, 0)


def _calls(session: Session) -> dict[str, int]:
    return {node: usage.calls for node, usage in session.meter.usage().items()}


def _own(value: Any) -> Any:
    """Lists, dicts and the ledger are copied; everything else is frozen."""
    if isinstance(value, list | dict):
        return copy.copy(value)
    return value.copy() if hasattr(value, "original") else value
