"""A language model's reading of a request as named spans: UNDERSTAND as the product runs it, and nothing after it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import dspy

from data.contracts import Evidence, Intent
from data.errors import LMUnavailableError
from experiments.external.reading import FoundSpan, spans_of
from optimizers.records import outage_of
from program.bundle.state import ProgramState, apply_state
from program.grounding.compose import Reading
from program.grounding.readings import Understanding
from program.index.protocol import CatalogIndex
from program.lm.backbones import Backbone
from program.lm.meter import Budget, Meter
from program.nodes.offers import offered
from program.nodes.understand import UnderstandNode
from program.settings import Settings
from program.state import Resources, Session
from program.trust.artifacts import new_trace_id

_NODE: Final = "understand"


class ModelReader:
    """Reads requests with the settings' backbone.

    Args:
        backbones: how a name becomes a backbone. texts: of a compiled program.
    """

    def __init__(self, settings: Settings, backbones: Callable[[str], Backbone], texts: ProgramState | None = None) -> None:
        self._backbone = backbones(settings.lm.of(_NODE))
        self._node = UnderstandNode()
        if texts and _NODE in texts:
            apply_state(_Program(self._node), {_NODE: texts[_NODE]})

    def __call__(self, request: str, index: CatalogIndex, settings: Settings) -> tuple[FoundSpan, ...]:
        """The names of a request, left to right.

        Raises:
            LMUnavailableError: the model does not answer.
        """
        limits = settings.lm
        meter = Meter(Budget(limits.max_calls, limits.max_tokens, limits.max_seconds))
        session = Session(text=request, trace_id=new_trace_id(), meter=meter)
        resources = Resources(index, settings, {_NODE: self._backbone}, time.monotonic)
        intent = self._node(session, resources)
        if down := outage_of(session.fallbacks):
            raise LMUnavailableError(down)
        known = session.understanding
        assert known is not None
        return spans_of(_read(intent, known, resources), known.lookup, known.drafted)


class _Program(dspy.Module):
    """Gives the node the name that it has in the product, which texts are set by."""

    def __init__(self, node: UnderstandNode) -> None:
        super().__init__()
        self.understand = node


def _read(intent: Intent, known: Understanding, resources: Resources) -> Reading:
    """The intent with the evidence of its names, whichever reading or option they are from."""
    offers = (offer.evidence for offer in offered(known, resources).values())
    held: dict[tuple[str, str], Evidence] = {}
    for item in (*(one for reading in known.readings for one in reading.evidence), *offers):
        if item is not None:
            held.setdefault((item.entity_type, item.entity_id), item)
    entities, evidence = [], []
    for number, entity in enumerate(intent.entities):
        found = held.get((entity.entity_type, entity.entity_id))
        if found is not None:
            entities.append(entity.model_copy(update={"evidence_id": f"m{number}"}))
            evidence.append(found.model_copy(update={"evidence_id": f"m{number}"}))
    return Reading(intent.model_copy(update={"entities": tuple(entities)}), tuple(evidence), 0.0, complete=True)
