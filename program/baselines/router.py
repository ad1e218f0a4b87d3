"""Baseline: a single-step router. One LM call picks one tool and the names; the tool's result is the answer."""

from __future__ import annotations

from typing import Any

import dspy

from data.contracts import Playlist
from program.baselines.base import TOOL_CARDS, TOOL_NUMBERS, Baseline, default_tool, tool_of
from program.grounding.ungrounded import Named
from program.lm.schema import one_of
from program.nodes.asking import ask_node
from program.state import Session
from program.trust.artifacts import Recorder
from signatures.baselines import RouteOnce


class Router(Baseline):
    """Without an LM, or where its reply does not parse, names are taken from where names stand."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.route = dspy.Predict(RouteOnce)

    def answer(self, session: Session, recorder: Recorder) -> Playlist:
        """Route, search once, list."""
        prediction = self._timed("plan", session, lambda: self._asked(session))
        if prediction is None:
            named = self.named_by_code(session)
            tool = default_tool(named)
        else:
            named, tool = Named.listed(prediction), tool_of(str(prediction.tool))
        self.search(session, recorder, named, (tool,))
        return self.listed(session, recorder)

    def _asked(self, session: Session) -> dspy.Prediction | None:
        inputs: dict[str, object] = {"request": session.text, "tools": TOOL_CARDS}
        types: dict[str, Any] = {"tool": one_of(TOOL_NUMBERS)}
        return ask_node(self.route, inputs, session, self._resources, node="plan", types=types, max_tokens=120)
