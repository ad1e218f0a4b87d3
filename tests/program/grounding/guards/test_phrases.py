from __future__ import annotations

import pytest

from program.index.engine import EmbeddedIndex
from tests.program.grounding.guards.taken import Case, hits, taken

CRY, ROAD, RUNNING, SLEEP = (
    "target track cas--cry",
    "target track kitchener--theroad",
    "target track no-doubt--running",
    "sleep-band",
)
CASES: dict[str, Case] = {
    # what the music is for
    "I can": ("songs I can cry to", (CRY,), ("broaden cas--cry",)),
    "you can": ("songs you could cry to", ("target album cas/cry",), ("broaden cas/cry",)),
    "to": ("something to sleep to", (f"target artist {SLEEP}",), (f"broaden {SLEEP}",)),
    "to, in a sentence": ("play me some music to cry to", (CRY,), ("broaden cas--cry",)),
    "for a facet": ("music for running", (RUNNING,), ("broaden no-doubt--running",)),
    "for a thing": ("songs for the road", (ROAD,), ("broaden kitchener--theroad",)),
    "while": ("sad songs while running", ("mood=sad:sad", RUNNING), ("broaden no-doubt--running",)),
    "when": ("music when I'm running", (RUNNING,), ("broaden no-doubt--running",)),
    "as a seed": ("songs to cry to", ("seed track cas--cry",), ("broaden cas--cry",)),
    # the words that carry it
    "can": ("songs I can cry to", ("target artist can-band", "words:cry"), ("broaden can-band",)),
    "songs": ("songs I can cry to", ("target album sugar-babe/songs", CRY), ("broaden sugar-babe/songs", "broaden cas--cry")),
    "songs beside a name": ("Muse songs", ("target artist muse", "target album sugar-babe/songs"), ("drop sugar-babe/songs",)),
    # names are names
    "a title": ("Cry", (CRY,), ()),
    "a title, commanded": ("play The Road", (ROAD,), ()),
    "by": ("Cry by Cigarettes After Sex", (CRY, "context artist cas"), ()),
    "an artist after the phrase": ("songs to cry to by Adele", ("target artist adele", "words:cry"), ()),
    "written as a name": ("music for Adele fans", ("target artist adele",), ()),
    "a name after for": ("music for adele fans", ("target artist adele",), ()),
    "a name within the act": ("music to remember prince", ("target artist prince", "words:remember"), ()),
    "a well-known name after a determiner": ("music for my adele party", ("target artist adele", "activity=party:party"), ()),
    "in quotes": ('songs for "the road"', (ROAD,), ()),
    "the song": ("something to cry to like the song Cry", ("seed track cas--cry",), ()),
    "an album called so": ("Songs by Sugar Babe", ("target album sugar-babe/songs", "context artist sugar-babe"), ()),
    "a facet is a facet": ("music for running", ("activity=running:running",), ()),
    "another phrase": ("Hello, and music for running", ("target track adele--hello", "activity=running:running"), ()),
}  # fmt: skip
CHINESE: dict[str, Case] = {
    "适合": ("适合红豆的歌", ("target track faye-wong--红豆",), ("broaden faye-wong--红豆",)),
    "的时候, another clause": ("周杰伦的歌，跑步的时候听", ("target artist jay-chou", "activity=running:跑步"), ()),
    "的时候, same clause": ("周杰伦适合跑步的时候听", ("target artist jay-chou", "activity=running:跑步"), ()),
    "a name": ("红豆", ("target track faye-wong--红豆",), ()),
}


@pytest.mark.parametrize("name", CASES)
def test_functional_phrase(shelf: EmbeddedIndex, name: str) -> None:
    """A purpose is no title and no artist."""
    request, parts, expected = CASES[name]

    assert hits(taken(shelf, request, *parts), "functional_phrase") == expected


@pytest.mark.parametrize("name", CHINESE)
def test_functional_phrase_in_chinese(shelf: EmbeddedIndex, name: str) -> None:
    """Nor is it in Chinese."""
    request, parts, expected = CHINESE[name]

    assert hits(taken(shelf, request, *parts), "functional_phrase") == expected
