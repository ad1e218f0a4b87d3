"""Requests that want something else than music from a catalog, by the words that they open with. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass

from data.vocab.other_tasks import music_words, plain, topics


@dataclass(frozen=True)
class OtherTask:
    """What a request wants instead of music. words: those that say so, as `plain` writes them."""

    topic: str
    words: str


def other_task(request: str) -> OtherTask | None:
    """The task that a request is for; None for a music request, and for anything that no topic holds."""
    text = plain(request)
    musical = music_words().search(text) is not None
    for topic in topics():
        found = topic.opening.match(text) if topic.is_made or not musical else None
        if found is None and topic.within is not None and not musical:
            found = topic.within.search(text)
        if found is not None:
            return OtherTask(topic.name, found["task"])
    return None
