"""Answers and traces as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from data.contracts import Artifact, Playlist
from program.nodes.wording import ledger_line
from program.trust.store import Mark

_HEADS = {
    "ok": "", "partial": "partial answer", "clarify": "a question first", "not_found": "not found",
    "refused": "refused", "failed": "failed",
}  # fmt: skip


def playlist_lines(playlist: Playlist) -> Iterator[str]:
    """Title, description, tracks with reasons, what was changed, and where to look further."""
    head = _HEADS[playlist.status]
    if playlist.title:
        yield playlist.title + (f"  [{head}]" if head else "")
        yield playlist.description
    elif head:
        yield f"[{head}]"
    if playlist.message:
        yield playlist.message
    if playlist.clarification:
        for number, option in enumerate(playlist.clarification.options, 1):
            yield f"  {number}. {option.label}"
    width = len(str(len(playlist.tracks)))
    for number, track in enumerate(playlist.tracks, 1):
        year = f" ({track.year})" if track.year else ""
        yield f"{number:>{width}}. {track.title} – {', '.join(track.artists)}{year}"
        yield f"{' ' * width}    {track.reason}"
    yield from _ledger(playlist)
    yield from _foot(playlist)


def _ledger(playlist: Playlist) -> Iterator[str]:
    changed = [entry for entry in playlist.ledger if entry.state != "kept"]
    if changed:
        yield "What was changed to find enough:"
        for entry in changed:
            yield f"  - {ledger_line(entry)}: {entry.why}"


def _foot(playlist: Playlist) -> Iterator[str]:
    for fallback in playlist.fallback:
        if fallback.kind == "policy":
            continue  # the message says it
        yield f"note: {fallback.node} went on without the language model's answer ({fallback.code}: {fallback.message})"
    if handed := playlist.handover:
        yield f"for a person to look at ({handed.owner.replace('_', ' ')}): {handed.summary}"
    total = playlist.timings_ms.get("total", 0.0)
    calls = sum(usage.calls for usage in playlist.usage.values())
    spent = f"{calls} LM calls" if calls else "no LM was asked"
    yield f"trace {playlist.trace_id} · {total:.0f} ms · {spent} · melo trace {playlist.trace_id}"


def trace_lines(artifacts: Sequence[Artifact], marks: Sequence[Mark] = ()) -> Iterator[str]:
    """The chain of one session: each node and call with its confidence, assertions, hash, note and marks."""
    for artifact in artifacts:
        yield f"{artifact.artifact_id}  {artifact.node:<10}  {artifact.summary}"
        parents = ", ".join(artifact.parents) or "none"
        confidence = artifact.confidence.final
        yield f"    from {parents} · confidence {confidence:.2f} · {artifact.content_hash[:12]} · {artifact.validation}"
        if artifact.note:
            yield f"    note: {artifact.note}"
        for outcome in artifact.assertions:
            told = f": {outcome.message}" if outcome.message else ""
            yield f"    assertion {outcome.name} {outcome.outcome}{told}"
        for mark in marks:
            if mark.artifact_id == artifact.artifact_id:
                day = datetime.fromtimestamp(mark.at).strftime("%Y-%m-%d")
                yield f"    WRONG since {day}: {mark.why} (because of {mark.cause})"
