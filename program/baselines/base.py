"""What the compared systems share: one search by unchecked names over the product's own tools, and an answer of its tracks.

Names go to the first search hit, as in `program.grounding.ungrounded`; facet words are read by the product's own code, so
the comparison is not about vocabularies. There are no guards, no retry and no check of words.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import dspy

from data.contracts import CandidateSet, Fallback, Intent, Playlist, ToolName
from data.errors import RequestError
from program.answers import answer, finish, refused
from program.grounding.ungrounded import Named, named_by_code, understand_ungrounded
from program.index.protocol import CatalogIndex
from program.lm.backbones import NONE, Backbone, resolve
from program.lm.meter import Budget, Meter
from program.lm.slots import SLOTS
from program.nodes.compile import compile_plan
from program.nodes.execute import ExecuteNode
from program.nodes.synthesize import SynthesizeNode
from program.recording import record
from program.retry.ledger import Ledger
from program.settings import Settings
from program.state import Resources, Session
from program.tools.registry import BY_MODEL, OF_LISTENERS, TOOLS
from program.trust.artifacts import Recorder, new_trace_id
from program.trust.guards import clean_request
from program.trust.store import ArtifactSink

TOOL_NAMES: tuple[ToolName, ...] = tuple(name for name in TOOLS if name not in BY_MODEL | OF_LISTENERS)
TOOL_CARDS = "\n".join(f"t{number}: {name} - {TOOLS[name].card}" for number, name in enumerate(TOOL_NAMES))
TOOL_NUMBERS = tuple(f"t{number}" for number in range(len(TOOL_NAMES)))


class Baseline(dspy.Module):
    """A request in, tracks out.

    Args:
        store: takes the artifacts, as the product's does; None keeps none.
        backbones: how a name becomes a backbone.
    """

    def __init__(
        self,
        index: CatalogIndex,
        settings: Settings,
        *,
        store: ArtifactSink | None = None,
        backbones: Callable[[str], Backbone] = resolve,
    ) -> None:
        super().__init__()
        by_node = {node: backbones(settings.lm.of(node)) for node in SLOTS}  # type: ignore[arg-type]
        self._resources = Resources(index, settings, by_node, time.monotonic)
        no_words = {**by_node, "synthesize": Backbone(NONE, None, schema=False, embedded=False)}
        self._wordless = Resources(index, settings, no_words, time.monotonic)
        self._execute, self._synthesize, self._store = ExecuteNode(), SynthesizeNode(), store

    @abstractmethod
    def answer(self, session: Session, recorder: Recorder) -> Playlist:
        """Answer a cleaned request."""

    def forward(self, request: str, n: int | None = None) -> dspy.Prediction:
        """Answer one request, under the same budget as the product.

        Args:
            n: how many tracks; None reads it from the request.

        Returns:
            `playlist`, `intent` and `plan`, as `Melo` does.
        """
        limits = self._resources.settings.lm
        meter = Meter(Budget(limits.max_calls, limits.max_tokens, limits.max_seconds))
        session = Session(text="", trace_id=new_trace_id(), meter=meter, n=n)
        settings = self._resources.settings
        recorder = Recorder(session.trace_id, time.time, {"settings": settings.hash()}, settings.store)
        started = time.monotonic()
        try:
            session.text = clean_request(request, self._resources.settings.request)
            record(recorder, "request", None, session)
            playlist = self.answer(session, recorder)
        except RequestError as error:
            playlist = refused(session, error)
        playlist = finish(playlist, session, (time.monotonic() - started) * 1000)
        record(recorder, "playlist", playlist, session)
        if self._store is not None:
            self._store.add(recorder.artifacts)
        return dspy.Prediction(playlist=playlist, intent=session.intent, plan=session.plan)

    def search(
        self, session: Session, recorder: Recorder, named: Named, tools: Sequence[ToolName], words: str = ""
    ) -> CandidateSet:
        """One search with each tool, merged; what it used stands on the session.

        Args:
            words: to search by meaning, besides what the request says.
        """
        resources = self._resources
        intent, known = understand_ungrounded(session.text, named, resources.index, resources.settings)
        if session.n is not None:
            intent = intent.model_copy(update={"size": session.n})
        session.intent = _seeded(intent) if tuple(tools) == ("similar_tracks",) else intent
        session.understanding, session.active, session.ledger = known, intent.constraints, Ledger(intent.constraints)
        session.words = (words,) if words.strip() else ()
        record(recorder, "understand", session.intent, session)
        session.plan = compile_plan(session.intent, session, tuple(tools), resources.settings)
        record(recorder, "plan", session.plan, session)
        found: CandidateSet = self._timed("execute", session, lambda: self._execute(session, resources))
        record(recorder, "execute", found, session)
        return found

    def listed(self, session: Session, recorder: Recorder) -> Playlist:
        """The answer of the last search, ranked as the product ranks, worded by template."""
        chosen, _ = self._timed("synthesize", session, lambda: self._synthesize(session, self._wordless))
        record(recorder, "synthesize", None, session)
        return answer(session, chosen)

    def named_by_code(self, session: Session) -> Named:
        """Names without an LM, or where it gave nothing."""
        return named_by_code(session.text, self._resources.index, self._resources.settings)

    @staticmethod
    def _timed(node: str, session: Session, run: Callable[[], Any]) -> Any:
        started = time.monotonic()
        output = run()
        session.timings_ms[node] = session.timings_ms.get(node, 0.0) + (time.monotonic() - started) * 1000
        return output


def tool_of(number: str) -> ToolName:
    """The tool of a number such as `t0`."""
    return TOOL_NAMES[TOOL_NUMBERS.index(number)]


def default_tool(intent_names: Named) -> ToolName:
    """Without an LM: names are searched for, everything else is recalled by meaning."""
    return "catalog_search" if intent_names.artists or intent_names.titles else "semantic_recall"


def no_lm(session: Session) -> None:
    """Note that the system stands without the LM that it is made of."""
    session.note(Fallback(node="plan", kind="policy", code="no_lm", message="this system needs a language model"))


def _seeded(intent: Intent) -> Intent:
    """Wanted names as seeds, which is what a search for alike tracks reads."""
    entities = tuple(
        entity.model_copy(update={"role": "seed"}) if entity.role == "target" else entity for entity in intent.entities
    )
    return intent.model_copy(update={"entities": entities, "kind": "similar"})
