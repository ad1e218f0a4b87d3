"""The cause of a thin result in a model's words: it stands in the ledger, so it is held to what the session knows."""

from __future__ import annotations

import re

from data.contracts import ReplyContract
from program.grounding.names_in_text import artist_names, track_ids
from program.state import Resources, Session
from program.trust.contract import known_share, task_state, violations
from program.trust.wording_guard import form_faults, risk_faults

_LEAST_WORDS = 3
_INTERNAL = re.compile(r"[xr]\d+")
_KNOWN = 0.5
"""Least share of a cause's words that are given, or that causes are made of (own choice)."""
_CAUSE_WORDS = (
    "small narrow few rare scarce thin niche strict specific limited combination together conditions constraint hold held exist "
    "artist title name word command reading live available known not enough tracks match"
)


def told_cause(cause: str, own: str, facts: tuple[str, ...], session: Session, resources: Resources) -> str:
    """A model's cause where it is words for a listener and says nothing that nobody knows; else code's own.

    Args:
        own: code's cause. facts: further lines that the model was given.
    """
    told = worded(cause)
    if not told:
        return own
    intent, safety = session.need_intent(), resources.settings.safety
    given = ReplyContract(
        request=session.text, tracks=(), task=task_state(intent, session.round), locale=intent.locale,
        prior_observations=(own, *facts),
    )  # fmt: skip
    faults = [*form_faults(told, given), *risk_faults(told, given)] if safety.after else []
    if safety.closure and not faults:
        faults = violations(told, given, artist_names(told, resources.index, resources.settings.grounding))
        faults += track_ids(told, resources.index)
        vague = given.model_copy(update={"unavailable": (_CAUSE_WORDS,)})
        faults += ["words that nobody gave"] if known_share(told, vague) < _KNOWN else []
    return own if faults else told


def worded(cause: str) -> str:
    """A model's cause as far as it is words for a listener: internal numbers or a stub of a word say nothing."""
    words = cause.split()
    internal = any(_INTERNAL.fullmatch(word.strip(".,:;()")) for word in words)
    return "" if internal or len(words) < _LEAST_WORDS else cause.strip()
