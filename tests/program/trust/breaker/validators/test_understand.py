"""Is a reading one that the request's own words bear out?"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from data.contracts import EntityRef, Intent
from data.trust import Signal
from program.index.engine import EmbeddedIndex
from program.nodes.understand import UnderstandNode
from program.settings import GroundingSettings, Settings
from program.trust.breaker.snapshot import snapshot
from program.trust.breaker.validators.reading import received, signals
from tests.sessions import entity, resources, session

CLEAN = (
    "Africa by Toto", "songs by Metallica", "post-punk", "songs like Africa", "niche Icelandic post-punk", "1999 by Prince",
    "20 songs by Adele", "twenty songs by Adele", "five songs from the 80s", "top ten rock songs", "5 songs by Adele",
    "two hours of rock", "30 minutes of rock", "half an hour of jazz", "an hour of jazz", "rock for an hour and a half",
    "sad songs for two hours", "jazz or blues from the 80s", "rock or metal without Metallica", "happy not sad pop",
    "songs by blink-182", "songs like 1999", "Twenty One Pilots", "songs from 1982", "rock between 1980 and 1990",
    "周杰伦的歌", "放一首晴天", "来点爵士乐", "二十首爵士乐", "竹内まりや", "半小时的爵士乐", "musique triste des années 80",
    "música rock de los 80", "deadmau5", "AC/DC", "Play by Moby", "no Adele, quiet songs", "please play something by Björk",
)  # fmt: skip


def _look(
    index: EmbeddedIndex, text: str, spoil: Callable[[Intent], Intent] = lambda intent: intent, *, n: int | None = None,
    settings: Settings | None = None,
) -> dict[str, Signal]:  # fmt: skip
    """Signals by name, the lowest of each."""
    made, given = session(text, n=n), resources(index, settings)
    before = snapshot(made)
    intent = made.intent = spoil(UnderstandNode()(made, given))
    found = (*signals(intent, made, given, before), *received(intent, made, given, before))
    return {one.name: one for one in sorted(found, key=lambda one: -one.score)}


@pytest.mark.parametrize("text", CLEAN)
def test_code_reads_what_is_there(tiny_index: EmbeddedIndex, text: str) -> None:
    """In six languages, with numbers as sizes, times, years and names, with alternatives and exclusions: no complaint."""
    found = _look(tiny_index, text)

    assert {name: (one.score, one.part) for name, one in found.items() if one.score < 1} == {}


def test_a_size_that_is_asked_for_beside_the_request(tiny_index: EmbeddedIndex) -> None:
    """`n` overrules the number in the words, which are heard all the same."""
    for text in ("20 songs by Adele", "five songs from the 80s"):
        assert _look(tiny_index, text, n=3)["coverage"].score == 1


UNHEARD = {
    "a genre": ("niche Icelandic post-punk", "punk"),
    "a place": ("niche Icelandic post-punk", "Icelandic"),
    "a decade": ("jazz from the 80s", "80s"),
    "in Chinese": ("来点爵士乐", "爵士"),
}


@pytest.mark.parametrize(("text", "word"), UNHEARD.values(), ids=UNHEARD.keys())
def test_a_condition_that_is_forgotten(tiny_index: EmbeddedIndex, text: str, word: str) -> None:
    """Low, and the part is the word that nothing was made of."""

    def forget(intent: Intent) -> Intent:
        start = text.index(word)
        gone = [one for one in intent.constraints if one.span[0] <= start < one.span[1]]
        assert gone
        return intent.model_copy(update={"constraints": tuple(one for one in intent.constraints if one not in gone)})

    found = _look(tiny_index, text, forget)["coverage"]

    assert found.score <= 0.6
    assert word in found.part.replace(" ", "")


@pytest.mark.parametrize("change", [{"size": 7}, {"minutes": 45}])
def test_a_number_that_is_misread(tiny_index: EmbeddedIndex, change: dict[str, int]) -> None:
    """A size or a time that is not the one that was said leaves the number unheard."""
    text = "20 songs by Adele" if "size" in change else "30 minutes of rock"
    found = _look(tiny_index, text, lambda intent: intent.model_copy(update=change))["coverage"]

    assert found.score < 1
    assert text.split()[0] in found.part


def _renamed(intent: Intent, other: EntityRef) -> Intent:
    return intent.model_copy(update={"entities": (other, *intent.entities[1:])})


def test_a_name_out_of_the_air(tiny_index: EmbeddedIndex) -> None:
    """Held by the catalog, but nothing in the request says it."""
    other = entity("artist", "metallica").model_copy(update={"name": "Metallica"})
    found = _look(tiny_index, "songs by Adele", lambda intent: _renamed(intent, other))

    assert found["evidence"].score <= 0.2
    assert found["evidence"].part == "Metallica"
    assert found["held"].score == 1


@pytest.mark.parametrize("kind", ["artist", "track"])
def test_a_name_that_nobody_holds(tiny_index: EmbeddedIndex, kind: str) -> None:
    """PLAN can do nothing with it, though the words are those of the request."""
    other = entity("artist" if kind == "artist" else "track", "nobody").model_copy(update={"name": "Adele"})
    found = _look(tiny_index, "songs by Adele", lambda intent: _renamed(intent, other))

    assert (found["held"].score, found["held"].part) == (0.0, "Adele")


def test_without_a_lookup_coverage_is_not_judged(tiny_index: EmbeddedIndex) -> None:
    """The system without grounding is not held to what the look-up knows."""
    settings = Settings(grounding=GroundingSettings(lookup=False))

    assert "coverage" not in _look(tiny_index, "songs by Adele", settings=settings)
