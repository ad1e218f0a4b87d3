"""PLAN: the LM sketches routes over the eligible tools, code compiles the typed calls, the L3 guards check them.

The sketch is one call, or a loop of at most three steps (`plan.stage`); a sketch that a guard sends back is one call.
"""

from __future__ import annotations

from dataclasses import replace

import dspy

from data.contracts import Intent, Plan
from program.grounding.guards import Sketch
from program.lm.schema import some_of
from program.nodes.asking import ask_node
from program.nodes.compile import default_sketch
from program.nodes.describe import intent_words
from program.nodes.guarding import Checked, checked, merged, remedied
from program.nodes.plan_loop import PlanLoop
from program.state import Resources, Session
from program.tools.protocol import Tool
from program.tools.registry import eligible_tools, served
from signatures.plan import PlanRoutes


class PlanNode(dspy.Module):
    """`Intent` → `Plan`, checked by the guards before any tool fires."""

    def __init__(self) -> None:
        super().__init__()
        self.plan = dspy.Predict(PlanRoutes)
        self._loop = PlanLoop()

    def forward(self, session: Session, resources: Resources) -> Plan:
        """Plan one round; without anything to choose, or without an LM, code's own sketch is used.

        A guard may change the session's intent. The plan holds the hits of this round and of those before.
        """
        found = remedied(session, resources, checked(session, resources, self._sketch(session, resources)))
        if found.wants_other_routes:
            found = self._revised(session, resources, found)
        earlier = session.plan.guard_hits if session.plan and session.round > 0 else ()
        session.plan = found.plan.model_copy(update={"guard_hits": merged(earlier, found.hits), "round": session.round})
        return session.plan

    def _sketch(self, session: Session, resources: Resources) -> Sketch:
        intent, tools = session.need_intent(), _tools(session, resources)
        sketch = default_sketch(intent, tools, session.round)
        if len(tools) > 1 and not is_settled(intent, session):
            if resources.settings.plan.stage == "loop" and asks(session, resources):
                return self._loop(tools, session, resources, session.hint)
            return self._ask(tools, session, resources, session.hint) or sketch
        return sketch

    def _revised(self, session: Session, resources: Resources, found: Checked) -> Checked:
        """One more sketch by the LM, which is told why; where that does not help, every tool that the intent can use."""
        tools = _tools(session, resources)
        reasons = "; ".join(hit.message for hit in found.hits if hit.remedy == "revise")
        sketch = self._ask(tools, session, resources, reasons) if len(tools) > 1 else None
        again = checked(session, resources, sketch) if sketch else None
        if again is None or again.wants_other_routes:
            own = default_sketch(session.need_intent(), tools, session.round)
            rest = tuple(tool.name for tool in tools if tool.name not in own)
            again = checked(session, resources, (*own, *rest))
        return replace(again, hits=merged(found.hits, again.hits))

    def _ask(self, tools: list[Tool], session: Session, resources: Resources, hint: str) -> Sketch | None:
        numbers = {f"t{number}": tool for number, tool in enumerate(tools)}
        inputs: dict[str, object] = {
            "intent": intent_words(session.need_intent(), session.active),
            "tools": "\n".join(f"{number}: {tool.card}" for number, tool in numbers.items()),
            "hint": hint or "none",
        }
        types = {"routes": some_of(tuple(numbers), least=1, most=len(tools))}
        prediction = ask_node(self.plan, inputs, session, resources, node="plan", types=types, max_tokens=40)
        if prediction is None:
            return None
        return tuple(numbers[number].name for number in dict.fromkeys(prediction.routes))


def _tools(session: Session, resources: Resources) -> list[Tool]:
    """What the intent can use, with the constraints as they stand this round."""
    intent = session.need_intent().model_copy(update={"constraints": session.active})
    return eligible_tools(intent, bool(session.words), served(resources.index, resources.settings.execute))


def asks(session: Session, resources: Resources) -> bool:
    """Whether PLAN's LM is asked at all: there is one, and the request is no attempt at it."""
    return resources.backbones["plan"].lm is not None and not session.suspect


def is_settled(intent: Intent, session: Session) -> bool:
    """Whether there is nothing to choose in a first round: verified names, or facet words and nothing else."""
    if session.round > 0:
        return False
    if intent.kind == "lyric" or (intent.by_role("seed") and not intent.free_text and not intent.constraints):
        return True
    named = bool(intent.by_role("target")) and not intent.free_text
    return named or (bool(intent.constraints) and not intent.free_text and not intent.by_role("seed"))
