"""Baseline: a ReAct loop. The LM thinks, calls a tool, reads what came back, and goes on until it finishes or the budget ends."""

from __future__ import annotations

from typing import Any

import dspy

from data.contracts import CandidateSet, Playlist
from program.baselines.base import TOOL_CARDS, TOOL_NUMBERS, Baseline, default_tool, no_lm, tool_of
from program.grounding.ungrounded import Named
from program.lm.schema import one_of
from program.nodes.asking import ask_node
from program.state import Session
from program.trust.artifacts import Recorder
from signatures.baselines import ReactStep

FINISH = "finish"
_MOST_STEPS = 6
_SHOWN_TRACKS = 5
_SEARCHED = ("intent", "understanding", "active", "ledger", "words", "plan", "found")


class ReactLoop(Baseline):
    """The tracks of its last search that brought any are the answer. The session's budget of LM calls bounds it too."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.step = dspy.Predict(ReactStep)

    def answer(self, session: Session, recorder: Recorder) -> Playlist:
        """Step until done."""
        steps: list[str] = []
        for _ in range(_MOST_STEPS):
            prediction = self._timed("plan", session, lambda: self._asked(session, steps))
            if prediction is None or (prediction.action == FINISH and steps):
                break
            if prediction.action == FINISH:
                steps.append("finish: nothing was searched for yet")
                continue
            tool = tool_of(str(prediction.action))
            before = {name: getattr(session, name) for name in _SEARCHED}
            found = self.search(session, recorder, Named.listed(prediction), (tool,), str(prediction.words))
            steps.append(f"{tool} {_called(prediction)}: {_observed(found, session)}")
            if not found.candidates and before["found"] is not None and before["found"].candidates:
                for name, value in before.items():  # an empty last step does not take away what was found
                    setattr(session, name, value)
        if session.found is None:
            no_lm(session)
            named = self.named_by_code(session)
            self.search(session, recorder, named, (default_tool(named),))
        return self.listed(session, recorder)

    def _asked(self, session: Session, steps: list[str]) -> dspy.Prediction | None:
        inputs: dict[str, object] = {"request": session.text, "tools": TOOL_CARDS, "steps": "\n".join(steps) or "none"}
        types: dict[str, Any] = {"action": one_of((*TOOL_NUMBERS, FINISH))}
        return ask_node(self.step, inputs, session, self._resources, node="plan", types=types, max_tokens=160)


def _called(prediction: dspy.Prediction) -> str:
    parts = [f"{name} {', '.join(map(str, values))}" for name in ("artists", "titles") if (values := getattr(prediction, name))]
    return "; ".join([*parts, *([f"words {prediction.words}"] if str(prediction.words).strip() else [])]) or "the request's words"


def _observed(found: CandidateSet, session: Session) -> str:
    """How many tracks came, and the first of them; or why none did."""
    failed = [f"failed: {result.error.message}" for result in found.results if result.error]
    entries = [session.entries[candidate.track_id].track for candidate in found.candidates[:_SHOWN_TRACKS]]
    shown = "; ".join(f"{track.title} - {track.artists[0].name}" for track in entries)
    return " ".join([*failed, f"{len(found.candidates)} tracks", f"({shown})" if shown else ""]).strip()
