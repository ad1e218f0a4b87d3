"""The fixed graph: which node follows which, and where a session ends early. What running a node means is the caller's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from data.contracts import Intent, NodeName, Playlist
from program.answers import answer, clarify, has_own_set, is_unsung, needs_question, not_found, open_to_taste, unsupported
from program.state import Resources, Session
from program.trust.scope import is_out_of_scope, out_of_scope

Run = Callable[[NodeName], Any]
"""Runs a node on the session and gives its output."""


def walk(session: Session, resources: Resources, run: Run) -> Playlist:
    """UNDERSTAND, then PLAN, EXECUTE and REFLECT until REFLECT is content or gives up, then SYNTHESIZE."""
    intent: Intent = run("understand")
    if is_out_of_scope(session):
        return out_of_scope(session)
    if needs_question(intent) and not open_to_taste(session, resources.settings):
        return clarify(session, resources)
    if intent.absent:
        return not_found(session, resources)
    if is_unsung(session):
        return Playlist(status="not_found")
    if intent.personal != "none" and not has_own_set(session):
        return unsupported(session)
    while True:
        run("plan")
        run("execute")
        if run("reflect").action in ("proceed", "fallback"):
            break
    chosen, _ = run("synthesize")
    return answer(session, chosen)
