"""What has been read of a request so far, left to right."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from data.contracts import Constraint, EntityRef, Evidence
from program.grounding.drafted import Drafted, DraftedItem
from program.grounding.items import FreeItem


@dataclass
class Draft:
    """The parts of an intent in the making.

    Attributes:
        free: tokens that nothing explains. openings: tokens that start a clause.
        others_only: nothing by the artists to start from is wanted.
        head_seen: the generic thing asked for (songs, a playlist) was named.
        drafted: what a model named in the request; None without a draft. missing: names of it that are not held.
    """

    entities: list[EntityRef] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
    free: list[FreeItem] = field(default_factory=list)
    size: int | None = None
    minutes: int | None = None
    own_list: bool = False
    others_only: bool = False
    unwanted: list[str] = field(default_factory=list)
    personal: Literal["none", "liked", "history"] = "none"
    head_seen: bool = False
    openings: frozenset[int] = frozenset()
    drafted: Drafted | None = None
    missing: list[DraftedItem] = field(default_factory=list)

    def take_back(self) -> None:
        """Forget what was read so far: the speaker starts again."""
        self.entities, self.evidence, self.constraints, self.free, self.unwanted = [], [], [], [], []
        self.missing = []

    def no_targets(self) -> None:
        """What was found is only near what was named: keep it as context, neither play it nor start from it."""
        near = {"target", "seed"}
        self.entities = [e.model_copy(update={"role": "context"}) if e.role in near else e for e in self.entities]

    def runs(self) -> list[list[FreeItem]]:
        """Leftover tokens grouped into unbroken runs; the end of a clause breaks one."""
        runs: list[list[FreeItem]] = []
        for item in self.free:
            if runs and runs[-1][-1].last == item.first and item.first not in self.openings:
                runs[-1].append(item)
            else:
                runs.append([item])
        return runs
