"""The figures of the review report, from items and records with known answers."""

from __future__ import annotations

from data.trust import NodeRecord, ReviewItem, Signal, Trip
from experiments.figures import Drawn
from experiments.reviewing import Line, Traces, causes, figures, reliability
from program.settings import ReviewSettings


def _trip(number: int, cause: str = "coverage", fix: str = "") -> Trip:
    return Trip(
        trip_id=f"t{number}", artifact_id=f"a{number}", trace_id=f"{number}", node="understand", node_version="1:code",
        task="analytical", at=0.0, own=0.5, validator=0.2, final=0.32, threshold=0.75, signals=(Signal(name=cause, score=0.2),),
        cause=cause, outcome="queued", fix=fix,
    )  # fmt: skip


def _item(number: int, judgement: str, hours: float = 1.0) -> ReviewItem:
    return ReviewItem.model_validate(
        {
            "item_id": f"{number:08x}", "trace_id": f"{number}", "at": 0.0, "request": "x", "reason": "low_confidence",
            "owner": "reviewer", "summary": "x", "trip": _trip(number), "judgement": judgement,
            "judged_at": None if judgement == "open" else hours * 3600,
        }
    )  # fmt: skip


def _told(items: list[ReviewItem], traces: Traces | None = None, records: list[NodeRecord] | None = None) -> dict[str, Line]:
    return {line.name: line for line in figures(items, records or [], traces or Traces(), ReviewSettings(), Drawn(draws=200))}


def test_no_data() -> None:
    """Every figure says that it has none, and none sounds an alarm."""
    told = _told([])
    assert all(line.value is None and line.n == 0 and not line.alarm for line in told.values())


def test_precision_and_its_alarms() -> None:
    """Right trips are those whose answer was rejected; what waits does not count."""
    some = [_item(number, "rejected") for number in range(8)]
    good = _told([*some, *(_item(number, "approved") for number in (8, 9)), _item(10, "open")])
    assert (good["breaker precision"].value, good["breaker precision"].n, good["breaker precision"].alarm) == (0.8, 10, "")
    assert good["false trips"].value == 0.2

    assert "too loose" in _told(some)["breaker precision"].alarm
    assert "too sensitive" in _told([_item(1, "approved"), _item(2, "rejected")])["breaker precision"].alarm


def test_traces_and_latency() -> None:
    """Shares of the answers that were looked at, with alarms; hours from the trip to the verdict."""
    told = _told([_item(number, "approved", hours=number) for number in range(1, 6)], Traces(answers=20, whole=18, handed=2))
    assert told["provenance complete"].value == 0.9
    assert "95%" in told["provenance complete"].alarm
    assert told["answers handed to people"].alarm == "more than 5%"
    assert told["hours to a verdict, median"].value == 3.0
    assert told["hours to a verdict, P90"].value == 4.6


def test_drift_and_reliability() -> None:
    """Only SYNTHESIZE can drift; a version that trips and drifts is worth less."""
    calm = NodeRecord(node="synthesize", node_version="1", seen=10, confidence_sum=9.0)
    wild = calm.model_copy(update={"node_version": "2", "trips": 5, "drifted": 2})
    assert _told([], records=[calm, wild])["drifted words"].value == 0.1
    assert (reliability(calm), reliability(wild)) == (0.9, round(0.9 * 0.5 * 0.8, 4))
    assert reliability(NodeRecord(node="plan", node_version="1")) == 0.0


def test_causes_with_what_fixed_them() -> None:
    """The most frequent first."""
    trips = [_trip(1, "ids", "deterministic"), _trip(2), _trip(3, "ids", "deterministic"), _trip(4, "ids", "context")]
    assert list(causes(trips)) == [("understand: ids", 3, "deterministic 2, context 1"), ("understand: coverage", 1, "nothing")]
