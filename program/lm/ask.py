"""Ask an LM once, check the typed reply, repair it at most once, and report what happened.

This is the project's assertion mechanism. No LM failure leaves `ask` as an exception; programming errors do.
"""

from typing import Literal

import dspy
from dspy.utils.exceptions import LMError

from data.contracts import AssertionOutcome, Fallback
from data.errors import BudgetError
from program.lm.exchange import CORRECTION, SCHEMA, Answer, Call, Check, Exchange, Turn
from program.lm.faults import UNAVAILABLE, fault_of

__all__ = ["SCHEMA", "Answer", "Call", "Check", "ask"]


def ask(predict: dspy.Predict, inputs: dict[str, object], call: Call) -> Answer:
    """Call the LM, and once more with the failed assertions' messages if any failed.

    The predictor is not changed. In an optimizer's trace the exchange leaves one entry: the last attempt that parsed,
    without the correction.

    Args:
        predict: its current signature, instructions and demos are used; its own `lm` comes before the call's.
        inputs: one value for each input field.
        call: who asks whom, and what the reply must satisfy.
    """
    lm = predict.lm or call.lm
    if lm is None:
        return Answer(None, fault=_fault(call, "policy", "no_lm", "no language model is configured"))
    if (reason := call.meter.down_reason(lm.model)) is not None:
        return Answer(None, fault=_fault(call, "infrastructure", UNAVAILABLE, reason))
    exchange = Exchange(predict, lm, call)
    turns: list[Turn] = []
    fault: Fallback | None = None
    try:
        turns.append(exchange.turn(inputs))
        if turns[0].failed and _repairable(turns[0], call):
            turns.append(exchange.turn({**inputs, CORRECTION: "; ".join(turns[0].failed.values())}))
    except BudgetError as error:
        fault = _fault(call, "budget", error.resource, error.message)
    except LMError as error:
        fault = _lm_fault(error, lm.model, call)
    exchange.publish_trace()
    return _judge(turns, fault, call)


def _repairable(turn: Turn, call: Call) -> bool:
    return call.repair and not (SCHEMA in turn.failed and SCHEMA in call.off)


def _judge(turns: list[Turn], fault: Fallback | None, call: Call) -> Answer:
    if not turns:
        return Answer(None, fault=fault)
    first, last = turns[0], turns[-1]
    outcomes = tuple(_outcome(name, first, last, call) for name in _names(first, last, call))
    if not last.failed:
        return Answer(last.prediction, outcomes)
    if fault is None:
        worst = next(iter(last.failed))
        fault = _fault(call, "model_output", worst, last.failed[worst])
    return Answer(None, outcomes, fault)


def _names(first: Turn, last: Turn, call: Call) -> list[str]:
    """Names that something can be said about: a check that no turn could test is left out."""
    parsed = first.prediction is not None or last.prediction is not None
    return [SCHEMA, *(check.name for check in call.checks if parsed or check.name in call.off)]


def _outcome(name: str, first: Turn, last: Turn, call: Call) -> AssertionOutcome:
    if name in call.off:
        return AssertionOutcome(name=name, outcome="off")
    if name in last.failed:
        return AssertionOutcome(name=name, outcome="failed", message=last.failed[name])
    if name in first.failed:
        tested_again = last.prediction is not None
        return AssertionOutcome(name=name, outcome="repaired" if tested_again else "failed", message=first.failed[name])
    return AssertionOutcome(name=name, outcome="passed")


def _lm_fault(error: LMError, lm_name: str, call: Call) -> Fallback:
    if isinstance(error.__cause__, AssertionError):
        raise error.__cause__  # a scripted engine's complaint is a programming error
    fault = fault_of(error, lm_name)
    if fault.down:
        call.meter.mark_down(lm_name, fault.message)
    return _fault(call, "infrastructure", fault.code, fault.message)


def _fault(call: Call, kind: Literal["infrastructure", "model_output", "budget", "policy"], code: str, message: str) -> Fallback:
    return Fallback(node=call.node, kind=kind, code=code, message=message)
