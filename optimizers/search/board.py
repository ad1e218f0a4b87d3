"""Every proposal of a node with its scores, whoever asked for them: what a recipe found counts even where it was stopped."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from data.contracts import NodeName
from optimizers.nodes.cases import Case
from optimizers.nodes.scoring import NodeScore
from optimizers.search.purse import Stop
from program.bundle.state import NodeText

PERFECT = 1.0 - 1e-9
_BETTER_BY = 1e-9


class NoProgress(Stop):
    """Nothing better came for a while, or nothing better can come."""


@dataclass
class Proposal:
    """One text of a node.

    Attributes:
        number: 0 is the start. scores: of single cases, by case id; the last one of a case counts.
    """

    number: int
    state: NodeText
    scores: dict[str, NodeScore] = field(default_factory=dict)

    def mean(self, case_ids: Collection[str]) -> float | None:
        """The mean over these cases; None as long as one of them has no score."""
        if not case_ids or any(case_id not in self.scores for case_id in case_ids):
            return None
        return sum(self.scores[case_id].score for case_id in case_ids) / len(case_ids)

    def mean_so_far(self, case_ids: Collection[str]) -> tuple[int, float]:
        """Of these cases, how many have a score, and their mean (0 without one)."""
        known = [self.scores[case_id].score for case_id in case_ids if case_id in self.scores]
        return len(known), sum(known) / len(known) if known else 0.0

    def parts(self, case_ids: Collection[str]) -> dict[str, float]:
        """The mean of each part of the score over the cases that have it."""
        values: dict[str, list[float]] = {}
        for case_id in case_ids:
            for name, value in (self.scores[case_id].parts if case_id in self.scores else {}).items():
                values.setdefault(name, []).append(value)
        return {name: sum(found) / len(found) for name, found in sorted(values.items())}

    def failed(self, case_ids: Collection[str]) -> dict[str, int]:
        """How often each assertion failed."""
        counts: dict[str, int] = {}
        for case_id in case_ids:
            for name in self.scores[case_id].failed if case_id in self.scores else ():
                counts[name] = counts.get(name, 0) + 1
        return dict(sorted(counts.items()))


class Board:
    """The proposals of one node in the order in which they came.

    Args:
        dev: the cases that decide. patience: so many proposals in a row that are no better end the search.
        watch: is told after every score.
    """

    def __init__(
        self, node: NodeName, dev: Collection[str], *, patience: int, watch: Callable[[Board], None] = lambda board: None
    ) -> None:
        self.node, self.dev = node, tuple(dev)
        self.proposals: dict[str, Proposal] = {}
        self._patience, self._watch = patience, watch
        self._judged: set[str] = set()
        self._stale = 0
        self.searching = False

    def record(self, state: NodeText, case: Case, score: NodeScore) -> None:
        """Note one score.

        Raises:
            NoProgress: while searching, when it is time to end.
        """
        best = self.best()
        proposal = self.proposals.setdefault(state.key, Proposal(len(self.proposals), state))
        proposal.scores[case.case_id] = score
        self._watch(self)
        mean = proposal.mean(self.dev)
        if mean is None or state.key in self._judged:
            return
        self._judged.add(state.key)
        before = best.mean(self.dev) if best is not None else None
        better = before is None or mean > before + _BETTER_BY
        self._stale = 0 if better else self._stale + 1
        if self.searching and better and mean >= PERFECT:
            raise NoProgress("nothing is left to gain on the dev cases")
        if self.searching and self._stale >= self._patience:
            raise NoProgress(f"{self._stale} proposals in a row were no better")

    def best(self) -> Proposal | None:
        """The best of those that were scored on every dev case; the earliest of equals."""
        whole = [(proposal.mean(self.dev), proposal) for proposal in self.proposals.values()]
        known = [(mean, proposal) for mean, proposal in whole if mean is not None]
        return max(known, key=lambda item: (item[0], -item[1].number))[1] if known else None

    def finalists(self, most: int) -> list[Proposal]:
        """The most promising of those that were not scored on every dev case, by the mean of what is known of them."""
        open_ = [proposal for proposal in self.proposals.values() if proposal.mean(self.dev) is None and proposal.scores]
        ranked = sorted(open_, key=lambda one: (-one.mean_so_far(one.scores)[1], -len(one.scores), one.number))
        return ranked[:most]
