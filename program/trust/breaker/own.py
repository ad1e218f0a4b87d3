"""What the producer of an artifact says of it: a model's token probabilities, or how far code's own rule reached."""

from __future__ import annotations

from typing import Any

from data.contracts import CandidateSet
from program.state import Session
from program.trust.breaker.calibration import Calibration
from program.trust.breaker.snapshot import Snapshot, asked_since

_REPAIRED = 0.9
"""What a reply is worth that needed its repair turn (own choice)."""
_UNEXPLAINED = 0.6
"""What code's reading is worth that leaves words over."""
BY_CODE = "code"


def maker(node: str, session: Session, before: Snapshot) -> str:
    """Who made a node's output: a backbone's name, or `code`, also where a model was asked and its reply was rejected."""
    asked = [call for call in session.meter.logged(node) if not call.fault] if asked_since(node, session, before) else []
    failed = any(outcome.outcome == "failed" for outcome in session.assertions.get(node, ()))
    return asked[-1].model if asked and not failed else BY_CODE


def own_score(node: str, output: Any, session: Session, before: Snapshot, calibration: Calibration) -> float | None:
    """0..1, None where the producer says nothing. What code derives by a rule it is as sure of as the rule reaches."""
    made_by = maker(node, session, before)
    if made_by == BY_CODE:
        return calibration.of(node, made_by, _code_score(node, output, session))
    told = session.meter.logged(node)[-1].probability
    if told is None:
        return None
    repaired = any(outcome.outcome == "repaired" for outcome in session.assertions.get(node, ()))
    return calibration.of(node, made_by, told) * (_REPAIRED if repaired else 1.0)


def _code_score(node: str, output: Any, session: Session) -> float:
    if node == "understand" and session.understanding is not None:
        best = session.understanding.best
        supports = [item.support for item in best.evidence]
        backed = min(1.0, sum(supports) / len(supports)) if supports else 1.0
        return backed if best.complete else backed * _UNEXPLAINED
    if isinstance(output, CandidateSet) and output.results:
        return sum(result.ok for result in output.results) / len(output.results)
    return 1.0
