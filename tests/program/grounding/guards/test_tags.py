from __future__ import annotations

import pytest

from program.index.engine import EmbeddedIndex
from tests.program.grounding.guards.taken import Case, hits, taken

CASES: dict[str, Case] = {
    # an artist's name was taken for a tag, a title or plain words
    "a title of that name": ("some Queen music", ("target album queen/queen",), ("safer_retriever queen",)),
    "plain words": ("some Queen music", ("words:Queen",), ("safer_retriever queen",)),
    "plain words, lower case": ("muse songs", ("words:muse",), ("safer_retriever muse",)),
    "a title after by": ("rock by Kiss", ("target track prince--kiss", "genre=rock:rock"), ("safer_retriever kiss",)),
    "a place after by": ("songs by Japan", ("region=JP:Japan",), ("safer_retriever japan-band",)),
    "a lone name": ("play Lionel Richie", ("words:Lionel Richie",), ("safer_retriever lionel-richie",)),
    "chinese": ("王菲的歌", ("words:王菲",), ("safer_retriever faye-wong",)),
    # a word that describes music, or a place, was taken for an artist
    "a genre": ("soul songs", ("target artist soul-band",), ("broaden soul-band",)),
    "a genre among others": ("sad soul songs", ("mood=sad:sad", "target artist soul-band"), ("broaden soul-band",)),
    "a purpose": ("sleep music", ("target artist sleep-band",), ("broaden sleep-band",)),
    "a place": ("songs from Japan", ("target artist japan-band",), ("broaden japan-band",)),
    "a genre as another's title": (
        "rock by Davido", ("target track olamide--rock", "target artist davido"), ("broaden olamide--rock",),
    ),
    "a version": (
        "Bohemian Rhapsody live", ("target track queen--bohemianrhapsody", "target album leonard-cohen/liveinlondon"), (),
    ),
    # and names that are names
    "the artist": ("some Queen music", ("target artist queen",), ()),
    "the artist and a genre": ("rock by Kiss", ("target artist kiss", "genre=rock:rock"), ()),
    "the artist by name": ("songs by Soul", ("target artist soul-band",), ()),
    "in quotes": ('"Soul" songs', ("target artist soul-band",), ()),
    "latin letters among chinese ones": ("Soul的歌", ("target artist soul-band",), ()),
    "written as a name": ("some Soul songs", ("target artist soul-band",), ()),
    "the band": ("the band Sleep", ("target artist sleep-band",), ()),
    "a seed": ("songs like Queen", ("seed artist queen",), ()),
    "ruled out": ("rock, no Queen music", ("exclude artist queen", "genre=rock:rock"), ()),
    "ruled out and lost": ("rock, no Queen music", ("genre=rock:rock",), ()),
    "a lone album": ("play Queen", ("target album queen/queen",), ()),
    "of the artist": ("Hello by Adele", ("target track adele--hello", "context artist adele"), ()),
    "a place by a place word": ("songs from Japan", ("region=JP:Japan",), ()),
    "a genre is a genre": ("soul songs", ("genre=soul:soul songs",), ()),
    "words that nobody is called": ("rainy window music", ("words:window",), ()),
    "an everyday word": ("songs I can play", ("words:can",), ()),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_artist_as_tag(shelf: EmbeddedIndex, name: str) -> None:
    """Names in the place of a tag are searched for by name, and tags are not searched for as names."""
    request, parts, expected = CASES[name]

    assert hits(taken(shelf, request, *parts), "artist_as_tag") == expected
