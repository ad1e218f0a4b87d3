"""A run and its proposals in MLflow: each proposal a child run with its text, its difference from the start and its scores."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from experiments.tracking import TrackedRun
from optimizers.search.board import Proposal
from optimizers.search.tuner import NodeRun
from optimizers.state import demos_text, diff


class Record:
    """Writes proposals below a run; those that an earlier call wrote are left as they are.

    Args:
        run: of the whole optimization.
    """

    def __init__(self, run: TrackedRun) -> None:
        self._run = run
        self._known = set(run.children())

    def node(self, run: NodeRun) -> None:
        """Add a node's proposals and the figures of the node."""
        start, best, ids = run.start, run.best, run.board.dev
        if start is None:
            return
        for proposal in run.board.proposals.values():
            name = f"{run.node}-{proposal.number}-{proposal.state.key}-{len(proposal.scores)}"
            if name not in self._known:
                self._known.add(name)
                self._run.child(name, dict(_metrics(proposal, ids)), _params(run, proposal), _texts(start, proposal))
        figures = {"start": start.mean(ids), "best": best.mean(ids) if best else None}
        self._run.log({f"{run.node}.{name}": value for name, value in figures.items() if value is not None})
        if best is not None:
            self._run.text(f"{run.node}/instructions.txt", best.state.instructions)
            self._run.text(f"{run.node}/demos.json", demos_text(best.state))
            self._run.text(f"{run.node}/change.diff", diff(start.state, best.state))


def _metrics(proposal: Proposal, ids: tuple[str, ...]) -> Iterator[tuple[str, float]]:
    """On dev as far as it was asked, and over everything it was asked."""
    asked, mean = proposal.mean_so_far(ids)
    if asked:
        yield from (("dev.asked", float(asked)), ("dev.score", mean))
        yield from ((f"dev.{name}", value) for name, value in proposal.parts(ids).items())
        yield from ((f"dev.failed.{name}", float(count)) for name, count in proposal.failed(ids).items())
    yield "cases", float(len(proposal.scores))
    yield "score", proposal.mean_so_far(tuple(proposal.scores))[1]


def _params(run: NodeRun, proposal: Proposal) -> dict[str, object]:
    return {
        "node": run.node, "number": proposal.number, "text": proposal.state.key, "demos": len(proposal.state.demos),
        "instruction_chars": len(proposal.state.instructions),
    }  # fmt: skip


def _texts(start: Proposal, proposal: Proposal) -> dict[str, str]:
    scores = {
        case_id: {"score": score.score, "parts": score.parts, "failed": score.failed}
        for case_id, score in sorted(proposal.scores.items())
    }
    return {
        "instructions.txt": proposal.state.instructions,
        "demos.json": demos_text(proposal.state),
        "change.diff": diff(start.state, proposal.state),
        "scores.json": orjson.dumps(scores, option=orjson.OPT_INDENT_2).decode(),
    }
