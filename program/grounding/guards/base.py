"""What a guard is: a pure function from a plan and what it rests on to hits. No LM, no clock; the index is only read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from data.contracts import GuardHit, Intent, Plan, ToolArgs, ToolName
from program.grounding.guards.scene import Scene
from program.grounding.guards.works import Pair, pairs
from program.grounding.readings import Understanding
from program.index.protocol import CatalogIndex
from program.settings import GroundingSettings

Sketch = tuple[ToolName, ...]
"""Tool names, most useful first."""

Remedy = Literal["revise", "broaden", "safer_retriever", "drop"]


@dataclass(frozen=True)
class GuardInput:
    """What a guard looks at.

    Attributes:
        known, index: what L1 found for the request and where; without them the guards that need evidence stay silent.
        grounding: the catalog's cut-offs.
    """

    intent: Intent
    plan: Plan
    request: str
    known: Understanding | None = None
    index: CatalogIndex | None = None
    grounding: GroundingSettings = field(default_factory=GroundingSettings)

    @cached_property
    def searched(self) -> frozenset[str]:
        """Every id that the plan searches for."""
        return frozenset(identity for call in self.plan.routes for identity in argument_ids(call.args))

    @cached_property
    def scene(self) -> Scene | None:
        """The request's words with the names that the plan searches for; None without evidence."""
        if self.known is None or self.index is None:
            return None
        return Scene(self.intent, self.searched, self.known, self.index, self.grounding)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The titles and artists that the request joins."""
        return tuple(pairs(self.scene)) if self.scene else ()


Guard = Callable[[GuardInput], list[GuardHit]]


def argument_ids(args: ToolArgs) -> set[str]:
    """The ids that a call searches for."""
    return {*args.track_ids, *args.artist_ids, *args.album_ids}


def guard_hit(guard: str, remedy: Remedy, message: str, *, words: str, target: str = "") -> GuardHit:
    """A hit. What `target` is goes with the remedy.

    Args:
        target: for `drop` and `broaden` the id (or `facet:value`) to give up, for `safer_retriever` the id to search instead.
    """
    return GuardHit(guard=guard, message=message, words=words, remedy=remedy, target=target)
