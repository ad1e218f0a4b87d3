"""The fixed graph of five nodes: UNDERSTAND → PLAN → EXECUTE → REFLECT → SYNTHESIZE, with one edge back to PLAN."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy

from data.contracts import Fallback, NodeName, Playlist
from data.errors import MeloError, RequestError, StoreError
from program.answers import finish, refused
from program.bundle.state import ProgramState, apply_state, state_hash
from program.index.protocol import CatalogIndex
from program.lm.backbones import Backbone, resolve
from program.lm.meter import Budget, Meter
from program.nodes.execute import ExecuteNode
from program.nodes.plan import PlanNode
from program.nodes.reflect import ReflectNode
from program.nodes.synthesize import SynthesizeNode
from program.nodes.understand import UnderstandNode
from program.recording import record, record_doubted
from program.settings import Settings
from program.state import Resources, Session
from program.tools.weights import HAND_SET, load_weights
from program.trust.after import guarded
from program.trust.artifacts import NODE_VERSIONS, Recorder, new_trace_id
from program.trust.breaker.breaker import Breaker
from program.trust.closing import closed_reply
from program.trust.guards import clean_request, inspect
from program.trust.middle import sound_plan
from program.trust.outcomes import with_outcomes
from program.trust.reasons import attributed
from program.trust.review.corrected_index import CorrectedIndex
from program.trust.review.items import item_of
from program.trust.review.queue import ReviewSink
from program.trust.store import ArtifactSink
from program.users.listener import Listener, user_key
from program.walk import walk

MOST_TRACKS = 100
USER = "user"
"""The parameter of an artifact under which the key of its listener stands."""
NODES = ("understand", "plan", "reflect", "synthesize")


class Melo(dspy.Module):
    """A request in, a grounded playlist out.

    Args:
        store: where the artifacts go; None keeps none.
        progress: called with a node's name as it starts.
        backbones: how a name becomes a backbone; experiments replay with other temperatures.
        texts: instructions and demos of a compiled program; None for the program as it is written.
        queue: where answers go that a person should look at; None keeps none.
        breaker: judges what the nodes make; None: one that remembers as long as this program lives.
    """

    def __init__(
        self,
        index: CatalogIndex,
        settings: Settings,
        *,
        store: ArtifactSink | None = None,
        progress: Callable[[str], None] | None = None,
        backbones: Callable[[str], Backbone] = resolve,
        texts: ProgramState | None = None,
        breaker: Breaker | None = None,
        queue: ReviewSink | None = None,
    ) -> None:
        super().__init__()
        self.understand = UnderstandNode()
        self.plan = PlanNode()
        self.reflect = ReflectNode()
        self.synthesize = SynthesizeNode()
        self._execute = ExecuteNode()
        apply_state(self, texts or {})
        self._versions = {"settings": settings.hash(), "catalog": index.info.content_hash[:16]}
        if texts:
            self._versions["program"] = state_hash(texts)
        if isinstance(index, CorrectedIndex):
            self._versions["corrections"] = index.corrections
        weights = load_weights(Path(index.info.path)) if settings.personal.learned else HAND_SET
        if weights is not HAND_SET:
            self._versions["ranker"] = weights.name
        self._store, self._queue = store, queue
        self._breaker = breaker or Breaker(settings.breaker, program=self._versions.get("program", "")[:8])
        self._progress = progress
        by_node = {node: backbones(settings.lm.of(node)) for node in NODES}  # type: ignore[arg-type]
        self._resources = Resources(index, settings, by_node, time.monotonic, weights)

    def forward(self, request: str, n: int | None = None, listener: Listener | None = None) -> dspy.Prediction:
        """Answer one request; never raises for what a request or a model does.

        Args:
            n: how many tracks; None reads it from the request.
            listener: whose request it is; None knows nothing of likes and plays.

        Returns:
            `playlist`, `intent` and `plan` (None where the graph did not get that far).
        """
        limits, safety = self._resources.settings.lm, self._resources.settings.safety
        meter = Meter(Budget(limits.max_calls, limits.max_tokens, limits.max_seconds))
        session = Session(text="", trace_id=new_trace_id(), meter=meter, n=n, listener=listener)
        kept = self._resources.settings.store
        recorder = Recorder(session.trace_id, time.time, self._parameters(listener), kept)
        started = time.monotonic()
        try:
            session.text = clean_request(request, self._resources.settings.request)
            inspect(request, session, safety)
            if n is not None and not 1 <= n <= MOST_TRACKS:
                raise RequestError(f"{n} tracks cannot be given; ask for 1 to {MOST_TRACKS}")
            playlist = self._walk(session, recorder)
        except RequestError as error:
            playlist = refused(session, error)
        playlist = guarded(playlist, session, safety)
        playlist = finish(playlist, session, (time.monotonic() - started) * 1000)
        playlist = with_outcomes(playlist, session) if safety.outcomes else playlist
        record(recorder, "playlist", playlist, session)
        playlist = self._hand_over(self._keep(recorder, playlist), session)
        return dspy.Prediction(playlist=playlist, intent=session.intent, plan=session.plan)

    def _walk(self, session: Session, recorder: Recorder) -> Playlist:
        resources = self._resources
        record(recorder, "request", None, session)
        nodes: dict[NodeName, Callable[..., Any]] = {
            "understand": self.understand, "plan": self.plan, "execute": self._execute, "reflect": self.reflect,
            "synthesize": self.synthesize,
        }  # fmt: skip
        return walk(session, resources, lambda name: self._node(name, nodes[name], session, recorder))

    def _node(self, name: NodeName, node: Callable[..., Any], session: Session, recorder: Recorder) -> Any:
        if self._progress:
            self._progress(name)
        session.assertions.pop(name, None)
        started = time.monotonic()
        output = self._breaker.run(
            name, node, session, self._resources, NODE_VERSIONS[name],
            lambda output, confidence: record_doubted(recorder, name, output, confidence, session),
        )  # fmt: skip
        if name == "plan" and self._resources.settings.safety.middle:
            output = session.plan = sound_plan(output, session, self._resources)
        if name == "synthesize" and self._resources.settings.safety.closure and session.reply and session.contract:
            session.reply = closed_reply(session.reply, session.contract)
        session.timings_ms[name] = session.timings_ms.get(name, 0.0) + (time.monotonic() - started) * 1000
        record(recorder, name, output, session)
        return output

    def _keep(self, recorder: Recorder, playlist: Playlist) -> Playlist:
        """Store the artifacts, and what the breaker learnt; a store that fails is told on the answer and left alone a while."""
        if self._store is None:
            return playlist
        try:
            if self._breaker.store_is_down:
                raise StoreError("the trace store failed a moment ago and is left alone")
            self._store.add(recorder.artifacts)
            self._breaker.log.flush()
        except StoreError as error:
            self._breaker.store_failed()
            return unrecorded(playlist, error, attribute=self._resources.settings.safety.outcomes)
        return playlist

    def _hand_over(self, playlist: Playlist, session: Session) -> Playlist:
        """Queue an answer that a person should look at; a queue that fails is told on the answer."""
        key = user_key(session.listener.user_id) if session.listener else ""
        item = item_of(playlist, session, time.time(), key) if self._queue is not None else None
        if item is None or self._queue is None:
            return playlist
        try:
            self._queue.enqueue(item)
        except StoreError as error:
            return unrecorded(playlist, error, attribute=self._resources.settings.safety.outcomes)
        return playlist

    def close(self) -> None:
        """Close what was given: the trace store, the review queue and the breaker's memory."""
        if self._queue is not None:
            self._queue.close()
        if self._store is not None:
            self._store.close()
        self._breaker.log.close()

    def _parameters(self, listener: Listener | None) -> dict[str, str]:
        """What every artifact of a session was made with; a listener stands there under a key, not by name."""
        return self._versions | ({USER: user_key(listener.user_id)} if listener else {})


def unrecorded(playlist: Playlist, error: MeloError, *, attribute: bool) -> Playlist:
    """The answer with a note that its trace was not kept."""
    fault = Fallback(node="guard", kind="infrastructure", code=error.code, message=error.message)
    fault = attributed(fault) if attribute else fault
    return playlist.model_copy(update={"fallback": (*playlist.fallback, fault)})
