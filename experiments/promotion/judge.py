"""The judgement: the candidate and the current program on the same requests, and the candidate read back from disk."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

from data.labelled import LabelledRow
from experiments.bundles import system_of
from experiments.figures import Difference, Figure
from experiments.labelled_run import LabelledRun, Scored
from experiments.scores import MEASURES, OBJECTIVE
from experiments.tables.base import Setup
from optimizers.records import AnswerRecord
from program.bundle.files import Bundle, load_bundle, save_bundle
from program.index.protocol import CatalogIndex

CANDIDATE, CURRENT, RELOADED = "candidate", "current", "reloaded"
_SHOWN = ("misidentified", "constraint_f1", "recovery", "preservation", "success_at_n", "hallucinated", "crashed")
_TIMES = frozenset({"timings_ms", "seconds", "asked_on", "remembered", "waited_s"})


@dataclass(frozen=True)
class Judged:
    """What the judgement found.

    Attributes:
        difference: of the objective, candidate minus current, paired. figures: measure → candidate's, current's.
        differing: qids that the reloaded bundle answers otherwise. reason: why it is, or is not, promoted.
    """

    promoted: bool
    reason: str
    requests: int
    difference: Difference
    figures: dict[str, tuple[Figure, Figure]]
    differing: tuple[str, ...]


def judge(candidate: Bundle, current: Bundle, rows: Sequence[LabelledRow], index: CatalogIndex, setup: Setup) -> Judged:
    """Ask both, and the candidate once more after it was written and read.

    Raises:
        InfrastructureError: an LM fails time and again; nothing is judged, and what was answered is kept.
    """
    with tempfile.TemporaryDirectory(prefix="melo-promote-") as folder:
        again = load_bundle(save_bundle(Path(folder) / "bundle", candidate))
        # The journal would give the reloaded program the candidate's answers; LM answers may be remembered, prompts are not.
        first = _asked({CANDIDATE: candidate, CURRENT: current}, rows, index, setup)
        second = _asked({RELOADED: again}, rows, index, replace(setup, journal=None))
    return _judged(first, second, setup, len(rows))


def _asked(bundles: dict[str, Bundle], rows: Sequence[LabelledRow], index: CatalogIndex, setup: Setup) -> Scored:
    run = LabelledRun(rows, index, replace(setup, settings=next(iter(bundles.values())).settings))
    return run.scored({name: system_of(bundle, bundle.settings) for name, bundle in bundles.items()})


def _judged(first: Scored, second: Scored, setup: Setup, wanted: int) -> Judged:
    one, other = first.scores[CANDIDATE], first.scores[CURRENT]
    found = OBJECTIVE.difference(one, other, setup.drawn)
    figures = {
        name: (measure.figure(one, setup.drawn), measure.figure(other, setup.drawn))
        for name, measure in {"objective": OBJECTIVE, **{name: MEASURES[name] for name in _SHOWN}}.items()
    }
    differing = _differing(first, second)
    reason = _against(found, figures, differing, len(first.rows), wanted)
    good = f"no worse than the current program on {len(first.rows)} requests: {_words(found)}; read back it answers the same"
    return Judged(not reason, reason or good, len(first.rows), found, figures, differing)


def _against(
    found: Difference, figures: dict[str, tuple[Figure, Figure]], differing: tuple[str, ...], asked: int, wanted: int
) -> str:
    """Why not; empty when there is nothing against it."""
    if asked < wanted:
        return f"only {asked} of {wanted} requests were answered by both"
    if differing:
        return f"read back from disk it answers {len(differing)} of {asked} requests otherwise: {', '.join(differing[:5])}"
    if found.value is None or found.lo is None:
        return "there is nothing to compare"
    if found.lo < 0:
        return f"it may be worse than the current program: {_words(found)}"
    for name in ("hallucinated", "crashed"):
        one, other = figures[name]
        if (one.value or 0.0) > (other.value or 0.0):
            return f"it has more answers that are {name}: {one.value:.3f}, not {other.value or 0.0:.3f}"
    return ""


def _words(found: Difference) -> str:
    value, lo, hi = (100 * (number or 0.0) for number in (found.value, found.lo, found.hi))
    return f"{value:+.1f} points of the objective, 95 % interval {lo:+.1f} to {hi:+.1f}"


def _differing(first: Scored, second: Scored) -> tuple[str, ...]:
    """Requests that the two do not answer alike, time and cost apart."""
    again = {
        (row.qid, number): record
        for number, run in enumerate(second.records[RELOADED])
        for row, record in zip(second.rows, run, strict=True)
    }
    found = []
    for number, run in enumerate(first.records[CANDIDATE]):
        for row, record in zip(first.rows, run, strict=True):
            other = again.get((row.qid, number))
            if other is None or fingerprint(other) != fingerprint(record):
                found.append(row.qid)
    return tuple(dict.fromkeys(found))


def fingerprint(record: AnswerRecord) -> bytes:
    """Everything that an answer says and how it came to be, without time, cost and day."""
    data = record.model_dump(mode="json", exclude=set(_TIMES) | {"usage", "by_node"})
    return orjson.dumps(data, option=orjson.OPT_SORT_KEYS)
