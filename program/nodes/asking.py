"""How a node asks its LM: one call with the node's backbone, adapter, checks and switches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dspy

from program.lm.adapter import CompactAdapter
from program.lm.ask import Answer, Call, Check, ask
from program.lm.backbones import Backbone
from program.lm.exchange import CORRECTION
from program.settings import Settings
from program.state import Resources, Session
from program.trust.markers import struck

_ADAPTER = CompactAdapter()


def _repairs(node: str, backbone: Backbone, settings: Settings) -> bool:
    """Every node's rejected reply gets its repair turn; wording only where it pays."""
    wanted = settings.wording.repair
    return node != "synthesize" or wanted == "always" or (wanted == "auto" and not backbone.embedded)


def ask_node(
    predict: dspy.Predict,
    inputs: dict[str, object],
    session: Session,
    resources: Resources,
    *,
    node: Any,
    types: dict[str, Any],
    checks: tuple[Check, ...] = (),
    max_tokens: int = 120,
    instructions: Callable[[str], str] | None = None,
    adapter: dspy.Adapter | None = None,
    repair: bool = True,
) -> dspy.Prediction | None:
    """The checked prediction, or None; faults and assertion outcomes are noted on the session.

    A request that is not for music is read by code alone, a suspect one is shown to no model, and what tells a model what to do
    is taken out of every input.

    Args:
        adapter: lays out the prompt and reads the reply; None: the compact one. repair: allow the node's repair turn.
    """
    backbone = resources.backbones[node]
    is_barred = bool(session.suspect) or (session.task is not None and node == "understand")
    if backbone.lm is None or is_barred or resources.by_code:
        return None
    if session.nudge:
        inputs = {**inputs, CORRECTION: session.nudge}
    if resources.settings.safety.before:
        inputs = {name: struck(value) if isinstance(value, str) else value for name, value in inputs.items()}
    repair = repair and _repairs(node, backbone, resources.settings)
    call = Call(
        node=node, lm=backbone.lm, adapter=adapter or _ADAPTER, meter=session.meter, output_types=types, checks=checks,
        off=resources.settings.assertions_off, max_tokens=max_tokens, repair=repair, instructions=instructions,
    )  # fmt: skip
    answer: Answer = ask(predict, inputs, call)
    session.assertions[node] = answer.outcomes
    session.note(answer.fault)
    return answer.prediction
