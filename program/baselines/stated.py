"""What the fused monolith said, word for word: it may name ids that nobody offered it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from data.contracts import Contract

Decision = Literal["play", "clarify", "not_found"]


class Stated(Contract):
    """One fused reply.

    Attributes:
        track_ids: as the model wrote them, best first; nothing of them is checked. offered: the ids in its prompt, in order.
        confidence: its own word on how sure it is, 0..1.
    """

    decision: Decision
    track_ids: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    title: str = ""
    description: str = ""
    confidence: float = Field(default=0.5, ge=0, le=1)
