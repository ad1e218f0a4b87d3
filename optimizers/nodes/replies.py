"""Predictors that answer without an LM, so that a node can be run on any reply: one that is right, or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dspy

from data.contracts import AssertionOutcome, Fallback, NodeName
from data.errors import BudgetError
from program.graph import NODES
from program.lm.backbones import Backbone
from program.nodes.plan import PlanNode
from program.nodes.reflect import ReflectNode
from program.nodes.synthesize import SynthesizeNode
from program.nodes.understand import UnderstandNode
from program.state import Resources, Session

_KINDS = {"understand": UnderstandNode, "plan": PlanNode, "reflect": ReflectNode, "synthesize": SynthesizeNode}


class _Unasked:
    """DSPy's engine contract over nothing: a `GivenReply` never gets this far."""

    supports_response_schema = True
    supports_function_calling = False
    supports_reasoning = False
    supported_params: frozenset[str] = frozenset()

    def complete(self, request: Any) -> Any:
        raise AssertionError("a given reply asks no language model")


class GivenReply(dspy.Predict):
    """Gives the same reply to every call; without one, every call fails as if the budget were spent.

    Attributes:
        asked: inputs and narrowed signature of the last call; None before one.
    """

    def __init__(self, signature: type[dspy.Signature], reply: dict[str, Any] | None = None) -> None:
        super().__init__(signature)
        self._reply = reply
        self.asked: tuple[dict[str, Any], type[dspy.Signature]] | None = None

    def __call__(self, **given: Any) -> dspy.Prediction:
        """The reply.

        Raises:
            BudgetError: there is none.
        """
        signature = given["signature"]
        self.asked = ({name: given[name] for name in self.signature.input_fields if name in given}, signature)
        if self._reply is None:
            raise BudgetError("no reply is given", resource="calls")
        return dspy.Prediction(**self._reply)


@dataclass(frozen=True)
class Outcome:
    """What a node made of a reply.

    Attributes:
        session: as it stands after the node.
        replied: the node went on with the reply; without it, it took code's own path. fault: why not.
        checks: outcomes of the node's assertions.
        spent: seconds that the LM took, and calls, are on the session's meter.
    """

    session: Session
    output: Any
    replied: bool
    checks: tuple[AssertionOutcome, ...] = ()
    fault: Fallback | None = None


def node_module(node: NodeName, predictor: dspy.Predict | None = None) -> dspy.Module:
    """The node, with `predictor` in place of its own."""
    made: dspy.Module = _KINDS[node]()
    if predictor is not None:
        setattr(made, node, predictor)
    return made


def run_node(node: NodeName, module: dspy.Module, session: Session, resources: Resources) -> Outcome:
    """Run a node on a session, which it changes."""
    output = module(session, resources)
    checks = session.assertions.get(node, ())
    fault = next((fault for fault in session.fallbacks if fault.node == node), None)
    return Outcome(session, output, bool(checks) and fault is None, checks, fault)


def unasked(resources: Resources) -> Resources:
    """The same resources with a backbone that lets `GivenReply` answer."""
    engine = _Unasked()
    lm = dspy.LM("given/reply", engine=engine, cache=False, num_retries=0)
    backbone = Backbone("given/reply", lm, schema=True, embedded=False)
    return Resources(resources.index, resources.settings, dict.fromkeys(NODES, backbone), resources.clock)
