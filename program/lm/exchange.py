"""The turns of one `ask`: each is one metered call of a predictor, parsed and checked."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import dspy
from dspy.dsp.utils.settings import main_thread_config
from dspy.utils.exceptions import AdapterParseError, LMError

from data.contracts import AssertionOutcome, Fallback, NodeName
from program.lm.calls import LMCall, call_of, parameters_of
from program.lm.meter import Meter, Spent
from program.lm.slots import asking

SCHEMA = "schema"
CORRECTION = "correction"
_CORRECTION_DESC = "what was wrong with the last reply"
_MESSAGE_LIMIT = 300


@dataclass(frozen=True)
class Check:
    """One named assertion on a reply. test: None when it holds, else what is wrong, in words for the model."""

    name: str
    test: Callable[[dspy.Prediction], str | None]


@dataclass(frozen=True)
class Call:
    """Who asks, whom, and what the reply must satisfy.

    Attributes:
        lm: None when the session has no LM.
        output_types: output fields whose type is narrower for this request than the signature says.
        off: names of assertions that are switched off (`schema`: an unreadable reply gets no repair turn).
        max_tokens: limit of one reply; None leaves the LM's own.
        repair: allow the repair turn.
        instructions: what the predictor's instructions become for this call; the predictor keeps its own.
    """

    node: NodeName
    lm: dspy.BaseLM | None
    adapter: dspy.Adapter
    meter: Meter
    output_types: dict[str, Any] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    off: frozenset[str] = frozenset()
    max_tokens: int | None = None
    repair: bool = True
    instructions: Callable[[str], str] | None = None


@dataclass(frozen=True)
class Answer:
    """The outcome of `ask`: a prediction that passed, or None with the fault that explains it."""

    prediction: dspy.Prediction | None
    outcomes: tuple[AssertionOutcome, ...] = ()
    fault: Fallback | None = None


@dataclass(frozen=True)
class Turn:
    """One call: `failed` holds the message of each assertion that did not hold, by name."""

    prediction: dspy.Prediction | None
    failed: dict[str, str]


class Exchange:
    """Runs the turns of one `ask` and keeps what they leave in DSPy's trace apart until it is final."""

    def __init__(self, predict: dspy.Predict, lm: dspy.BaseLM, call: Call) -> None:
        self._predict = predict
        self._lm = lm
        self._call = call
        self._trace: list[Any] = []

    def turn(self, inputs: dict[str, object]) -> Turn:
        """One call and its checks.

        Raises:
            BudgetError: before the call, when it would pass the session's budget.
            LMError: the LM did not answer.
        """
        ledger = _Ledger(self._call.node, self._call.meter.clock)
        try:
            prediction = self._metered(inputs, ledger)
        except AdapterParseError as error:
            reason = "the reply was cut off; answer shorter" if ledger.cut_off else str(error).split("\n\n", 1)[0]
            return Turn(None, {SCHEMA: _shorten(reason)})
        failed = {}
        for check in self._call.checks:
            if check.name not in self._call.off and (message := check.test(prediction)) is not None:
                failed[check.name] = _shorten(message)
        return Turn(prediction, failed)

    def publish_trace(self) -> None:
        """Hand the last attempt that parsed to the surrounding trace, as if it had been the only one."""
        trace = _caller_trace()
        if trace is None or not self._trace or not dspy.settings.max_trace_size:
            return
        predict, inputs, prediction = self._trace[-1]
        if len(trace) >= dspy.settings.max_trace_size:
            trace.pop(0)
        trace.append((predict, {name: value for name, value in inputs.items() if name != CORRECTION}, prediction))

    def _metered(self, inputs: dict[str, object], ledger: "_Ledger") -> dspy.Prediction:
        call, meter = self._call, self._call.meter
        signature = _signature(self._predict, inputs, call)
        config = self._config()
        reserved = int(config.get("max_tokens") or self._lm.kwargs.get("max_tokens") or 0)
        meter.admit(reserved)
        started = meter.clock()
        try:
            with asking(call.node), self._context():
                return self._predict(**inputs, signature=signature, lm=ledger.watch(self._lm), config=config)
        except LMError as error:
            ledger.failed(self._lm.model, config, error)
            raise
        finally:
            meter.settle(call.node, ledger.spent(meter.clock() - started), reserved)
            meter.log(ledger.calls)

    def _config(self) -> dict[str, Any]:
        # A thinking model counts its thinking as output; a limit made for the reply alone would leave no reply.
        thinks = self._lm.supports_reasoning
        return {} if self._call.max_tokens is None or thinks else {"max_tokens": self._call.max_tokens}

    def _context(self) -> AbstractContextManager[None]:
        context: AbstractContextManager[None] = dspy.context(
            lm=self._lm,
            adapter=self._call.adapter,
            trace=None if _caller_trace() is None else self._trace,
            disable_history=False,  # the watched LM takes its entries itself and keeps none
            warn_on_type_mismatch=False,
        )
        return context


class _Ledger:
    """Reads usage at the LM boundary: it takes the place of an LM copy's history.

    Attributes:
        calls: every call so far, the one that failed last among them.
    """

    def __init__(self, node: NodeName, clock: Callable[[], float]) -> None:
        self._node, self._clock = node, clock
        self._since = clock()
        self._defaults: dict[str, Any] = {}
        self.calls: list[LMCall] = []
        self.cut_off = False

    def watch(self, lm: dspy.BaseLM) -> dspy.BaseLM:
        """A copy of `lm` that shares its connections and books its calls here."""
        self._defaults = dict(lm.kwargs)
        watched: dspy.BaseLM = lm.copy()
        watched.update_history = self._book
        return watched

    def failed(self, model: str, config: dict[str, Any], error: LMError) -> None:
        """A call that brought no reply."""
        parameters = parameters_of({**self._defaults, **config})
        fault = _shorten(f"{type(error).__name__}: {error}")
        seconds = round(self._lap(), 4)
        self.calls.append(LMCall(node=self._node, model=model, parameters=parameters, seconds=seconds, fault=fault))

    def spent(self, seconds: float) -> Spent:
        """The sum of the calls; a call that failed counts without tokens."""
        answered = [call for call in self.calls if not call.fault]
        costs = [call.cost_usd for call in answered]
        return Spent(
            calls=max(1, len(answered)),
            prompt_tokens=sum(call.prompt_tokens for call in answered),
            cached_tokens=sum(call.cached_tokens for call in answered),
            completion_tokens=sum(call.completion_tokens for call in answered),
            seconds=max(0.0, seconds),
            cost_usd=None if not costs or None in costs else sum(cost for cost in costs if cost is not None),
        )

    def _book(self, entry: dict[str, Any]) -> None:
        self.cut_off = getattr(entry.get("response"), "finish_reason", None) == "length"
        self.calls.append(call_of(self._node, entry, self._lap(), self._defaults))

    def _lap(self) -> float:
        before, self._since = self._since, self._clock()
        return max(0.0, self._since - before)


def _signature(predict: dspy.Predict, inputs: dict[str, object], call: Call) -> type[dspy.Signature]:
    """The predictor's current signature, narrowed for this request; a correction is its last input."""
    signature: type[dspy.Signature] = predict.signature
    if call.instructions:
        signature = signature.with_instructions(call.instructions(signature.instructions))
    for name, type_ in call.output_types.items():
        signature = signature.with_updated_fields(name, type_=type_)
    if CORRECTION in inputs:
        signature = signature.append(CORRECTION, dspy.InputField(desc=_CORRECTION_DESC), str)
    return signature


def _caller_trace() -> list[Any] | None:
    """The trace that an optimizer set up; DSPy's process-wide default one would only grow."""
    trace: list[Any] | None = dspy.settings.trace
    return None if trace is main_thread_config.get("trace") else trace


def _shorten(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= _MESSAGE_LIMIT else line[: _MESSAGE_LIMIT - 1] + "…"
