"""Cases: the moments at which a node asks an LM about a labelled request, kept so that it can be asked again and again.

Everything before the node is code's own work, so a case is the same in every run and costs no LM call.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import dspy

from data.contracts import NodeName
from data.errors import RequestError
from data.labelled import LabelledRow
from optimizers.nodes.replies import GivenReply, node_module, unasked
from program.graph import NODES
from program.index.protocol import CatalogIndex
from program.lm.backbones import NONE, Backbone
from program.lm.meter import Budget, Meter
from program.nodes.execute import ExecuteNode
from program.settings import Settings
from program.state import Resources, Session
from program.trust.guards import clean_request
from program.walk import walk

_TURNS = 2
"""A reply and its repair: all that one case may ask."""


@dataclass(frozen=True, eq=False)
class Case:
    """One question of one node about one request.

    Attributes:
        session: as it stands before the node; use `begin` for a copy to run on.
        inputs: what the predictor is given. signature: narrowed to what is offered here.
    """

    node: NodeName
    row: LabelledRow
    session: Session
    inputs: dict[str, Any]
    signature: type[dspy.Signature]

    @property
    def case_id(self) -> str:
        """Names the case."""
        return f"{self.node}/{self.row.qid}"

    def begin(self, budget: Budget | None = None) -> Session:
        """A session to run the node on; nothing of it is shared with another run."""
        return fresh(self.session, budget)


def fresh(session: Session, budget: Budget | None = None) -> Session:
    """A copy with a meter of its own."""
    return replace(
        session,
        meter=Meter(budget or Budget(calls=_TURNS, tokens=10**9, seconds=1e9)),
        ledger=copy.deepcopy(session.ledger),
        entries=dict(session.entries),
        fallbacks=[],
        assertions={},
        timings_ms={},
    )


def code_resources(index: CatalogIndex, settings: Settings) -> Resources:
    """What nodes are given where no LM is."""
    none = Backbone(NONE, None, schema=False, embedded=False)
    return Resources(index, settings, dict.fromkeys(NODES, none), time.monotonic)


def collect(
    rows: Iterable[LabelledRow],
    resources: Resources,
    nodes: Sequence[NodeName],
    *,
    enough: int | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> dict[NodeName, list[Case]]:
    """The cases of some rows by node, in the order of the rows; a row gives each node at most one, and clear rows none.

    Args:
        enough: of each node; rows after that are not looked at.
        progress: is told how many rows are done.
    """
    walker = _Walker(unasked(resources))
    found: dict[NodeName, list[Case]] = {node: [] for node in nodes}
    for done, row in enumerate(rows):
        if enough is not None and all(len(cases) >= enough for cases in found.values()):
            break
        progress(done)
        for case in walker.walk(row):
            if case.node in found and (enough is None or len(found[case.node]) < enough):
                found[case.node].append(case)
    return found


class _Walker:
    """Walks the graph by code and notes where an LM would have been asked."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._execute = ExecuteNode()

    def walk(self, row: LabelledRow) -> list[Case]:
        try:
            text = clean_request(row.request, self._resources.settings.request)
        except RequestError:
            return []
        session = Session(text=text, trace_id="case", meter=Meter())
        cases: dict[str, Case] = {}
        walk(session, self._resources, lambda node: self._run(node, row, session, cases))
        return list(cases.values())

    def _run(self, node: NodeName, row: LabelledRow, session: Session, cases: dict[str, Case]) -> Any:
        return self._execute(session, self._resources) if node == "execute" else self._node(node, row, session, cases)

    def _node(self, node: NodeName, row: LabelledRow, session: Session, cases: dict[str, Case]) -> Any:
        before = fresh(session)
        module = node_module(node)
        given = GivenReply(getattr(module, node).signature)
        setattr(module, node, given)
        output = module(session, self._resources)
        session.fallbacks[:] = [fault for fault in session.fallbacks if fault.kind == "policy"]
        session.assertions.clear()
        if given.asked is not None and node not in cases:
            inputs, signature = given.asked
            cases[node] = Case(node, row, before, inputs, signature)
        return output
