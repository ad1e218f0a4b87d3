"""A trip in words: which part deviates, by which signal, what became of similar ones. Pure functions. Source: A-40, A-41."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from data.trust import Signal, Trip
from program.trust.wording_guard import shown

_WORDS = {
    "evidence": "the request's words do not back the name {part}",
    "coverage": "nothing was made of the words {part}",
    "held": "the catalog does not hold {part}",
    "serves": "a route leaves out {part}",
    "names": "no route searches for {part}",
    "schema": "a route does not fit: {part}",
    "conditions": "{part} do not hold what is asked",
    "excluded": "what is ruled out came back: {part}",
    "ids": "not among what was found, or not in the catalog: {part}",
    "consistent": "{part}",
    "closure": "the words say what nobody gave them: {part}",
    "subject": "the words are about something else",
    "drift": "the words are far from what was asked ({part})",
    "own": "the producer itself is not sure",
}
_FIXES = {"context": "by asking again with the doubt named", "temperature": "by asking again at a higher temperature",
          "deterministic": "by going on without a model"}  # fmt: skip


def cause_of(signals: Sequence[Signal]) -> str:
    """The name of the lowest signal; `own` where all is well with the validator and the consumer."""
    return signals[0].name if signals and signals[0].score < 1 else "own"


def doubt(signals: Sequence[Signal]) -> str:
    """What is wrong, in a line; also what a model is told when it is asked again."""
    cause = cause_of(signals)
    part = signals[0].part if signals and cause != "own" else ""
    return _WORDS.get(cause, "{part}").format(part=" ".join(shown(part).split()) or "something")


def summary(trip: Trip) -> str:
    """One line about a trip for a person. It may quote the request, without what a terminal would act on."""
    told = f"{trip.node}: {doubt(trip.signals)} (confidence {trip.final:.2f}, wanted {trip.threshold:.2f})"
    return f"{told}; {trip.similar}" if trip.similar else told


def similar(trips: Sequence[Trip], node: str, cause: str) -> str:
    """What became of earlier trips of the same node for the same cause; empty where there were none."""
    alike = [trip for trip in trips if (trip.node, trip.cause) == (node, cause) and trip.outcome != "recorded"]
    if not alike:
        return ""
    fixes = Counter(trip.fix for trip in alike if trip.fix)
    if not fixes:
        return f"{len(alike)} similar, none was mended"
    fix, times = fixes.most_common(1)[0]
    return f"{len(alike)} similar, {times} mended {_FIXES.get(fix, fix)}"
