"""Puts a drawn fault into a program's nodes: which request is struck where is drawn from a seed, and so is every retry."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import dspy

from data.contracts import NodeName, Reply
from experiments.faults.kinds import SPOILS, Material, node_of, possible
from program.graph import Melo
from program.state import Resources, Session
from program.trust.breaker.snapshot import snapshot

Node = Callable[[Session, Resources], Any]


@dataclass(frozen=True)
class Strike:
    """A fault that was put in. attempt: 0 for a node's first run in the session."""

    kind: str
    node: NodeName
    attempt: int


@dataclass
class Injector:
    """Decides about every run of every node.

    Args:
        kinds: request → the fault that strikes it. rate: of a retry being struck again, 0..1.
        replies: what off-topic texts are taken from.
    """

    kinds: Mapping[str, str]
    rate: float
    seed: int
    replies: Sequence[Reply] = ()
    strikes: list[Strike] = field(default_factory=list)
    _attempts: dict[str, int] = field(default_factory=dict)

    def begin(self) -> None:
        """Forget the last session."""
        self.strikes, self._attempts = [], {}

    def around(self, name: NodeName, node: Node) -> Node:
        """The node with the faults."""

        def run(session: Session, resources: Resources) -> Any:
            before = snapshot(session)
            output = node(session, resources)
            kind = self.kinds.get(session.text, "")
            if not kind or resources.by_code or self._node(kind, session) != name or session.round > 0:
                return output
            attempt = self._attempts.get(name, 0)
            self._attempts[name] = attempt + 1
            rng = self._rng(session.text, name, attempt)
            if (attempt and rng.random() >= self.rate) or not possible(kind, output, session):
                return output
            self.strikes.append(Strike(kind, name, attempt))
            return SPOILS[kind, name](output, session, resources, before, Material(rng, self.replies))

        return run

    def _node(self, kind: str, session: Session) -> NodeName:
        return node_of(kind, self._rng(session.text, "node", 0))

    def _rng(self, *parts: object) -> random.Random:
        digest = hashlib.sha256("\x1f".join(map(str, (self.seed, *parts))).encode()).digest()
        return random.Random(digest)


class Struck(dspy.Module):
    """A program whose nodes an injector spoils."""

    def __init__(self, program: Melo, injector: Injector) -> None:
        super().__init__()
        self.program, self.injector = program, injector
        for name in ("understand", "plan", "reflect", "synthesize"):
            setattr(program, name, injector.around(name, getattr(program, name)))
        program._execute = injector.around("execute", program._execute)  # type: ignore[assignment]

    def forward(self, request: str) -> dspy.Prediction:
        """Answer, with the fault that was drawn for this request."""
        self.injector.begin()
        return self.program(request=request)
