"""What the review queue, the breaker and the trace store say about how well doubts are raised and settled. Source: A-29, A-32."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import median

import numpy as np
from pydantic import BaseModel, ConfigDict

from data.contracts import Artifact
from data.errors import StoreError
from data.trust import NodeRecord, ReviewItem, Trip
from experiments.figures import Drawn, Figure, shares
from program.settings import ReviewSettings
from program.trust.artifacts import verify
from program.trust.store import TraceStore

_HOUR_S = 3_600.0
_ANSWER = "playlist"


class Line(BaseModel):
    """One figure. value: None where there is no data yet. alarm: what is wrong with it, in words; empty where nothing is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    value: float | None
    lo: float | None = None
    hi: float | None = None
    n: int
    unit: str = "share"
    alarm: str = ""


class Traces(BaseModel):
    """What the latest answers leave in the trace store.

    Attributes:
        answers: looked at. whole: those whose chain is there from the request on, matches its hashes and has all its parents.
        handed: those that were handed over.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    answers: int = 0
    whole: int = 0
    handed: int = 0


def looked_at(store: TraceStore, latest: int) -> Traces:
    """The latest answers of a store."""
    answers = whole = handed = 0
    for trace_id in store.latest(latest):
        artifacts = store.trace(trace_id)
        found = [one for one in artifacts if one.node == _ANSWER]
        if artifacts:
            answers += 1
            whole += bool(found) and is_whole(artifacts)
            handed += any(one.payload.get("handover") for one in found)
    return Traces(answers=answers, whole=whole, handed=handed)


def is_whole(artifacts: Sequence[Artifact]) -> bool:
    """Whether a session's chain begins with its request and holds all that it names, unchanged."""
    names = {one.artifact_id for one in artifacts}
    try:
        for one in artifacts:
            verify(one, names.__contains__)
    except StoreError:
        return False
    return any(one.node == "request" for one in artifacts)


def figures(
    items: Sequence[ReviewItem],
    records: Sequence[NodeRecord],
    traces: Traces,
    settings: ReviewSettings,
    drawn: Drawn | None = None,
) -> list[Line]:
    """The figures with their alarms.

    Args:
        items: of every judgement. A trip was right where its answer was rejected.
    """
    drawn = drawn or Drawn()
    judged = [item for item in items if item.trip is not None and item.judgement != "open"]
    precision = _share(drawn, [item.judgement == "rejected" for item in judged])
    words = [record for record in records if record.node == "synthesize"]
    seen, drifted = sum(one.seen for one in words), sum(one.drifted for one in words)
    return [
        _line("breaker precision", precision, lambda value: _outside(value, settings)),
        _line("false trips", _share(drawn, [item.judgement == "approved" for item in judged]), _fine),
        _line(
            "provenance complete", _counted(drawn, traces.whole, traces.answers),
            lambda value: f"less than {settings.complete:.0%} of the answers can be traced" if value < settings.complete else "",
        ),
        _line(
            "answers handed to people", _counted(drawn, traces.handed, traces.answers),
            lambda value: f"more than {settings.handed:.0%}" if value > settings.handed else "",
        ),
        _line("drifted words", _counted(drawn, drifted, seen), _fine),
        *_latency(items),
    ]  # fmt: skip


def reliability(record: NodeRecord) -> float:
    """0..1: mean confidence, times the share not stopped, times the share that did not drift. Source: A-32 (own formula)."""
    if not record.seen:
        return 0.0
    mean = record.confidence_sum / record.seen
    return round(mean * (1 - min(1.0, record.trips / record.seen)) * (1 - min(1.0, record.drifted / record.seen)), 4)


def causes(trips: Sequence[Trip]) -> Iterator[tuple[str, int, str]]:
    """`node: cause`, how often, and what fixed most of them; the most frequent first."""
    counted = Counter((trip.node, trip.cause) for trip in trips)
    for (node, cause), times in counted.most_common():
        fixes = Counter(trip.fix for trip in trips if (trip.node, trip.cause) == (node, cause) and trip.fix)
        fix = ", ".join(f"{name} {count}" for name, count in fixes.most_common(2)) or "nothing"
        yield f"{node}: {cause}", times, fix


def _latency(items: Sequence[ReviewItem]) -> list[Line]:
    hours = [(item.judged_at - item.at) / _HOUR_S for item in items if item.judged_at is not None]
    if not hours:
        return [Line(name="hours to a verdict", value=None, n=0, unit="hours")]
    p90 = float(np.quantile(hours, 0.9))
    return [
        Line(name="hours to a verdict, median", value=round(median(hours), 2), n=len(hours), unit="hours"),
        Line(name="hours to a verdict, P90", value=round(p90, 2), n=len(hours), unit="hours"),
    ]


def _share(drawn: Drawn, values: Sequence[bool]) -> Figure:
    return (
        drawn.figure(shares([[float(value) for value in values]]))
        if values
        else Figure(value=None, lo=None, hi=None, n=0, runs=1)
    )


def _counted(drawn: Drawn, some: int, of_all: int) -> Figure:
    return _share(drawn, [number < some for number in range(of_all)])


def _line(name: str, found: Figure, alarm: Callable[[float], str]) -> Line:
    told = alarm(found.value) if found.value is not None else ""
    return Line(name=name, value=found.value, lo=found.lo, hi=found.hi, n=found.n, alarm=told)


def _outside(value: float, settings: ReviewSettings) -> str:
    if value < settings.precision_low:
        return f"below {settings.precision_low:.0%}: the breaker is too sensitive"
    return f"above {settings.precision_high:.0%}: the breaker may be too loose" if value > settings.precision_high else ""


def _fine(_: float) -> str:
    return ""
