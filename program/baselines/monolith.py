"""Baseline: one LM call that does everything, names, tools and words; the tools run once."""

from __future__ import annotations

from typing import Any

import dspy

from data.contracts import Playlist
from program.baselines.base import TOOL_CARDS, TOOL_NUMBERS, Baseline, default_tool, no_lm, tool_of
from program.grounding.ungrounded import Named
from program.lm.schema import some_of
from program.nodes.asking import ask_node
from program.state import Session
from program.trust.artifacts import Recorder
from signatures.baselines import AnswerAtOnce

_MAX_TOKENS = 220


class Monolith(Baseline):
    """Its title and description are given as they come."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.answer_at_once = dspy.Predict(AnswerAtOnce)

    def answer(self, session: Session, recorder: Recorder) -> Playlist:
        """Ask once, search, list under the model's words."""
        prediction = self._timed("plan", session, lambda: self._asked(session))
        if prediction is None:
            no_lm(session)
            named = self.named_by_code(session)
            self.search(session, recorder, named, (default_tool(named),))
            return self.listed(session, recorder)
        self.search(session, recorder, Named.listed(prediction), tuple(map(tool_of, prediction.routes)))
        playlist = self.listed(session, recorder)
        words = {"title": str(prediction.title), "description": str(prediction.description)}
        return playlist.model_copy(update=words) if playlist.tracks else playlist

    def _asked(self, session: Session) -> dspy.Prediction | None:
        inputs: dict[str, object] = {"request": session.text, "tools": TOOL_CARDS}
        types: dict[str, Any] = {"routes": some_of(TOOL_NUMBERS, least=1, most=len(TOOL_NUMBERS))}
        return ask_node(self.answer_at_once, inputs, session, self._resources, node="plan", types=types, max_tokens=_MAX_TOKENS)
