"""PLAN: the LM sketches routes over the eligible tools, code compiles the typed calls, the L3 guards check them."""

from __future__ import annotations

import dspy

from data.contracts import Intent, Plan
from program.grounding.guards import Sketch, apply_guards
from program.lm.schema import some_of
from program.nodes.asking import ask_node
from program.nodes.compile import compile_plan, default_sketch
from program.nodes.describe import exclusions, intent_words
from program.retry.ledger import Ledger
from program.state import Resources, Session
from program.tools.protocol import Tool
from program.tools.registry import eligible_tools
from signatures.plan import PlanRoutes


class PlanNode(dspy.Module):
    """`Intent` → `Plan`, checked by the guards before any tool fires."""

    def __init__(self) -> None:
        super().__init__()
        self.plan = dspy.Predict(PlanRoutes)

    def forward(self, session: Session, resources: Resources) -> Plan:
        """Plan one round; without anything to choose, or without an LM, code's own sketch is used."""
        intent = session.need_intent()
        tools = eligible_tools(intent.model_copy(update={"constraints": session.active}), bool(session.words))
        sketch = default_sketch(intent, tools, session.round)
        if len(tools) > 1 and not is_settled(intent, session):
            sketch = self._ask(tools, session, resources, session.hint) or sketch
        plan = compile_plan(intent, session, sketch, resources.settings)
        checked, hits = apply_guards(intent, plan, session.text, resources.settings.guards.enabled)
        if any(hit.remedy == "revise" for hit in hits):
            reasons = "; ".join(hit.message for hit in hits)
            revised = self._ask(tools, session, resources, reasons) if len(tools) > 1 else None
            if revised:
                again = compile_plan(intent, session, revised, resources.settings)
                checked, more = apply_guards(intent, again, session.text, resources.settings.guards.enabled)
                hits = (*hits, *(hit for hit in more if hit not in hits))
        if not checked.routes and hits and reread(session, {hit.target for hit in hits}):
            intent = session.need_intent()
            again = compile_plan(
                intent, session, default_sketch(intent, eligible_tools(intent), session.round), resources.settings
            )
            checked, more = apply_guards(intent, again, session.text, resources.settings.guards.enabled)
            hits = (*hits, *more)
        session.plan = checked.model_copy(update={"guard_hits": hits, "round": session.round})
        return session.plan

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


def is_settled(intent: Intent, session: Session) -> bool:
    """Whether there is nothing to choose in a first round: verified names, or facet words and nothing else."""
    if session.round > 0:
        return False
    named = bool(intent.by_role("target")) and not intent.free_text
    return named or (bool(intent.constraints) and not intent.free_text and not intent.by_role("seed"))


def reread(session: Session, rejected: set[str]) -> bool:
    """When the guards leave nothing to search for: take the best other reading without what they rejected."""
    for reading in session.understanding.readings[1:] if session.understanding else ():
        targets = {entity.entity_id for entity in reading.intent.by_role("target", "seed")}
        keeps = exclusions(session.need_intent()) <= exclusions(reading.intent)
        if reading.complete and not reading.intent.absent and targets.isdisjoint(rejected) and keeps:
            intent = reading.intent if session.n is None else reading.intent.model_copy(update={"size": session.n})
            session.intent, session.active, session.ledger = intent, intent.constraints, Ledger(intent.constraints)
            return True
    return False
