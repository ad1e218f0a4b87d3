"""PLAN's second stage: at most three steps in which the LM looks with prepared probes and then ends with its routes.

A loop that does not end well gives way to code's own routes, without those that were seen to find nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import dspy

from data.contracts import Fallback, ToolName
from data.planning import PlanStep, Probe
from program.grounding.guards import Sketch
from program.lm.ask import Check
from program.lm.schema import some_of
from program.nodes.asking import ask_node
from program.nodes.compile import default_sketch
from program.nodes.describe import intent_words
from program.nodes.probes import disagreement, empty_routes, observation_words, observe, prepared, probe_words
from program.state import Resources, Session
from program.tools.protocol import Tool
from signatures import plan

_MAX_TOKENS = 60
Broken = Literal["plan_limit", "plan_invalid", "plan_contradiction", "no_reply"]


@dataclass
class _Board:
    """What one loop offers and has seen. lines: observations in words, in order."""

    tools: dict[str, Tool]
    probes: dict[str, Probe]
    words: dict[str, str]
    lines: list[str] = field(default_factory=list)
    steps: list[PlanStep] = field(default_factory=list)

    def looked(self, number: str) -> bool:
        """Whether the probe was made before."""
        return any(step.choice == (number,) for step in self.steps)

    def fault(self, reply: dspy.Prediction) -> str | None:
        """What is wrong with a choice: it is one probe, or nothing but tools."""
        probes = [number for number in reply.choice if number in self.probes]
        return "give one probe alone, or tools only" if probes and len(reply.choice) > 1 else None


class PlanLoop:
    """Steps until the LM ends, says something that cannot be so, or has no step left.

    Its predictor is no part of the tunable program: a bundle holds one text a node.
    """

    def __init__(self) -> None:
        self._step = dspy.Predict(plan.PlanStep)

    def __call__(self, tools: list[Tool], session: Session, resources: Resources, hint: str) -> Sketch:
        """The routes; every step is left on the session, a loop that broke off is noted with its reason."""
        board = _board(tools, session, resources)
        most = resources.settings.plan.max_steps
        for number in range(most):
            reply = self._asked(board, session, resources, hint, left=most - number)
            if reply is None:
                rejected = any(check.outcome == "failed" for check in session.assertions.get("plan", ()))
                return _broken("plan_invalid" if rejected else "no_reply", "a reply that is no choice", board, session)
            chosen = tuple(reply.choice)
            if chosen[0] in board.tools:
                return _ended(chosen, board, session)
            if board.looked(chosen[0]):
                return _broken("plan_contradiction", "the same probe again", board, session, chosen)
            _look(chosen[0], board, session, resources)
            if fault := disagreement(board.steps):
                return _broken("plan_contradiction", fault, board, session)
        return _broken("plan_limit", f"no routes after {most} steps", board, session)

    def _asked(self, board: _Board, session: Session, resources: Resources, hint: str, *, left: int) -> dspy.Prediction | None:
        inputs: dict[str, object] = {
            "intent": intent_words(session.need_intent(), session.active),
            "tools": "\n".join(f"{number}: {tool.card}" for number, tool in board.tools.items()),
            "probes": "\n".join(f"{number}: {words}" for number, words in board.words.items()),
            "hint": hint or "none",
            "seen": "\n".join([*(board.lines or ["nothing yet"]), f"steps left: {left}"]),
        }
        types = {"choice": some_of((*board.tools, *board.probes), least=1, most=len(board.tools))}
        return ask_node(
            self._step,
            inputs,
            session,
            resources,
            node="plan",
            types=types,
            checks=(Check("step_is_one", board.fault),),
            max_tokens=_MAX_TOKENS,
            repair=False,
        )


def _board(tools: list[Tool], session: Session, resources: Resources) -> _Board:
    numbered = {f"t{number}": tool for number, tool in enumerate(tools)}
    by_name: dict[ToolName, str] = {tool.name: number for number, tool in numbered.items()}
    probes = {f"p{number}": probe for number, probe in enumerate(prepared(tools, session, resources))}
    return _Board(numbered, probes, {number: probe_words(probe, by_name) for number, probe in probes.items()})


def _look(number: str, board: _Board, session: Session, resources: Resources) -> None:
    probe = board.probes[number]
    seen = observe(probe, session, resources)
    step = PlanStep(number=len(board.steps), choice=(number,), probe=probe, observation=seen, outcome="observed")
    _keep(step, board, session)
    board.lines.append(observation_words(board.words[number], seen))


def _ended(chosen: tuple[str, ...], board: _Board, session: Session) -> Sketch:
    routes = tuple(dict.fromkeys(board.tools[number].name for number in chosen))
    if set(routes) <= empty_routes(board.steps):
        return _broken("plan_contradiction", "only routes that were seen to find nothing", board, session, chosen)
    _keep(PlanStep(number=len(board.steps), choice=chosen, routes=routes, outcome="ended"), board, session)
    return routes


def _broken(outcome: Broken, message: str, board: _Board, session: Session, choice: tuple[str, ...] = ()) -> Sketch:
    """Code's own routes, as far as they were not seen to find nothing."""
    if outcome != "no_reply":  # why no reply came is told by the one who asked
        session.note(Fallback(node="plan", kind="policy", code=outcome, message=message))
    routes = conservative(list(board.tools.values()), board.steps, session)
    _keep(PlanStep(number=len(board.steps), choice=choice, routes=routes, outcome=outcome), board, session)
    return routes


def conservative(tools: list[Tool], steps: list[PlanStep], session: Session) -> Sketch:
    """Code's sketch without the routes that were seen to find nothing; the other tools where none is left, else as it is."""
    own, empty = default_sketch(session.need_intent(), tools, session.round), empty_routes(steps)
    kept = tuple(name for name in own if name not in empty)
    return kept or tuple(tool.name for tool in tools if tool.name not in empty) or own


def _keep(step: PlanStep, board: _Board, session: Session) -> None:
    board.steps.append(step)
    session.steps.append(step)
