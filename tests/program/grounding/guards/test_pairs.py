from __future__ import annotations

import pytest

from program.index.engine import EmbeddedIndex
from tests.program.grounding.guards.taken import Case, hits, taken

AFRICA, COVER, HELLO, HER_HELLO = "toto--africa", "weezer--africa", "lionel-richie--hello", "adele--hello"
FLIGHT = "kaleidoscope-uk--flightfromashiya"
SPLIT: dict[str, Case] = {
    # the plan takes the pair's words for something else
    "artist and work apart": (
        "Toto's Africa", ("target artist toto", f"target track {AFRICA}"), (f"safer_retriever {AFRICA}",),
    ),
    "the artist as a title": (
        "Toto's Africa", ("target album toto/toto", f"target track {AFRICA}"), (f"safer_retriever {AFRICA}",),
    ),
    "the work as a place": ("Toto's Africa", ("target artist toto", "region=africa:Africa"), (f"safer_retriever {AFRICA}",)),
    "only the artist": ("play Toto's Africa", ("target artist toto",), (f"safer_retriever {AFRICA}",)),
    "nothing of it": ("Toto's Africa", ("words:Toto's Africa",), (f"safer_retriever {AFRICA}",)),
    "an album for a genre": ("Queen's Jazz", ("target artist queen", "genre=jazz:Jazz"), ("safer_retriever queen/jazz",)),
    "by": ("Hello by Adele", ("target artist adele",), (f"safer_retriever {HER_HELLO}",)),
    "a seed": ("songs like Toto's Africa", ("seed artist toto", f"seed track {AFRICA}"), (f"safer_retriever {AFRICA}",)),
    "chinese": ("周杰伦的晴天", ("target artist jay-chou", "target track jay-chou--晴天"), ("safer_retriever jay-chou--晴天",)),
    # and is right
    "the pair": ("Toto's Africa", (f"target track {AFRICA}", "context artist toto"), ()),
    "the pair as a seed": ("songs like Toto's Africa", (f"seed track {AFRICA}", "context artist toto"), ()),
    "the pair is ruled out": ("rock but not Toto's Africa", (f"exclude track {AFRICA}", "genre=rock:rock"), ()),
    "the album of that title": ("Queen's Jazz", ("target album queen/jazz", "context artist queen"), ()),
    "songs of a kind": ("Queen's jazz songs", ("target artist queen", "genre=jazz:jazz"), ()),
    "no such work": ("Toto's saddest songs", ("target artist toto", "mood=sad:saddest"), ()),
    "a list of names": ("Toto and Africa", ("target artist toto", f"target track {AFRICA}"), ()),
    "anything by": ("something by Adele", ("target artist adele",), ()),
    "a kind of music by": ("rock by Queen", ("target artist queen", "genre=rock:rock"), ()),
    "chinese songs": ("周杰伦的歌", ("target artist jay-chou",), ()),
    "a longer title": ("Leonard Cohen's Hallelujah live", ("target track leonard-cohen--hallelujahlive",), ()),
}  # fmt: skip
WORKS: dict[str, Case] = {
    # a namesake has the work, or nobody has it
    "a namesake": ("Flight from Ashiya by Kaleidoscope", ("target artist kaleidoscope-us",), (f"safer_retriever {FLIGHT}",)),
    "a namesake beside the work": (
        "Flight from Ashiya by Kaleidoscope", (f"target track {FLIGHT}", "target artist kaleidoscope-us"),
        (f"safer_retriever {FLIGHT}",),
    ),
    "another's work of that title": ("Hello by Lionel Richie", (f"target track {HER_HELLO}",), (f"safer_retriever {HELLO}",)),
    "another's work, possessive": ("Toto's Africa", (f"target track {COVER}",), (f"safer_retriever {AFRICA}",)),
    "nobody's work": (
        "Hello by Metallica", (f"target track {HER_HELLO}", "target artist metallica"), (f"drop {HER_HELLO}", "drop metallica"),
    ),
    "nobody's work, and the artist is played instead": ("Hello by Metallica", ("target artist metallica",), ("drop metallica",)),
    "nobody's work, possessive": ("Muse's Africa", (f"target track {AFRICA}", "context artist muse"), (f"drop {AFRICA}",)),
    "chinese": ("王菲的晴天", ("target track jay-chou--晴天", "context artist faye-wong"), ("drop jay-chou--晴天",)),
    # the works fit, or no work is named
    "the work": ("Hello by Lionel Richie", (f"target track {HELLO}", "context artist lionel-richie"), ()),
    "the namesake who has it": (
        "Flight from Ashiya by Kaleidoscope", (f"target track {FLIGHT}", "context artist kaleidoscope-uk"), (),
    ),
    "the cover": ("Africa by Weezer", (f"target track {COVER}", "context artist weezer"), ()),
    "songs by": ("songs by Metallica", ("target artist metallica",), ()),
    "a kind of music by": ("rock by Davido", ("target artist davido", "genre=rock:rock"), ()),
    "two wishes": ("Hello, and songs by Metallica", (f"target track {HER_HELLO}", "target artist metallica"), ()),
    "two names": ("Hello and Metallica", (f"target track {HER_HELLO}", "target artist metallica"), ()),
    "a seed": ("songs like Hello by Adele", (f"seed track {HER_HELLO}", "context artist adele"), ()),
    "an album of many": ("Queen by Queen", ("target album queen/queen", "context artist queen"), ()),
}  # fmt: skip


@pytest.mark.parametrize("name", SPLIT)
def test_possessive_split(shelf: EmbeddedIndex, name: str) -> None:
    """A title and its artist are searched for as the one work that the catalog holds."""
    request, parts, expected = SPLIT[name]

    assert hits(taken(shelf, request, *parts), "possessive_split") == expected


@pytest.mark.parametrize("name", WORKS)
def test_works_exclusion(shelf: EmbeddedIndex, name: str) -> None:
    """An artist who has no such work, and somebody else's work of that title, are not what was asked for."""
    request, parts, expected = WORKS[name]

    assert hits(taken(shelf, request, *parts), "works_exclusion") == expected


def test_an_album_is_put_in_place_where_an_album_was_asked_for(shelf: EmbeddedIndex) -> None:
    """Where a track and an album share the title, the type word decides which one is searched for instead."""
    plain = taken(shelf, "Prince's 1999", "target artist prince")
    typed = taken(shelf, "Prince's album 1999", "target artist prince")
    after = taken(shelf, "the album 1999 by Prince", "target artist prince")

    assert hits(plain, "possessive_split") == ("safer_retriever prince--1999",)
    assert hits(after, "possessive_split") == ("safer_retriever prince/1999",)
    assert hits(typed, "possessive_split") == ("safer_retriever prince/1999",)


def test_a_title_of_all_the_words_may_be_meant(shelf: EmbeddedIndex) -> None:
    """Words that are no pair of the catalog are left to the title that holds them all."""
    given = taken(shelf, "Don't Stop Me Now", "target track queen--dontstopmenow")

    assert hits(given, "possessive_split") == ()
