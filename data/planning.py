"""What PLAN's loop is made of: probes that code prepared, what they saw, and the steps. They cross into traces as they are."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from data.contracts import Constraint, Contract, ToolCall, ToolName

ProbeKind = Literal["count", "titles", "condition"]


class Probe(Contract):
    """One way to look before the routes are chosen.

    Attributes:
        kind: `count`, `titles`: how many tracks a route would bring, and the first of them; `condition`: how many tracks one
            condition holds by itself.
        call: of a route, as PLAN would compile it. condition: the one that is counted alone.
    """

    kind: ProbeKind
    call: ToolCall | None = None
    condition: Constraint | None = None


class Observation(Contract):
    """What a probe saw. found: tracks, None where the tool failed. shown: the first as "title - artist"."""

    found: int | None = Field(default=None, ge=0)
    shown: tuple[str, ...] = ()


class PlanStep(Contract):
    """One step of the loop.

    Attributes:
        number: 0-based. choice: the number of a probe or those of the routes; empty where the reply was no choice.
        routes: tools, where the step ends the loop.
        outcome: `observed` goes on, `ended` is the model's plan; after the others the plan is code's.
    """

    number: int = Field(ge=0)
    choice: tuple[str, ...] = ()
    probe: Probe | None = None
    observation: Observation | None = None
    routes: tuple[ToolName, ...] = ()
    outcome: Literal["observed", "ended", "plan_limit", "plan_invalid", "plan_contradiction", "no_reply"]
