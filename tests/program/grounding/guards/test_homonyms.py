from __future__ import annotations

import pytest

from program.index.engine import EmbeddedIndex
from tests.program.grounding.guards.taken import Case, hits, taken

UK, US, ALBUM = "target artist kaleidoscope-uk", "target artist kaleidoscope-us", "target album siouxsie/kaleidoscope"
HERS, HIS = "target track adele--hello", "target track lionel-richie--hello"
CASES: dict[str, Case] = {
    # several things of one name at once
    "a title and an artist": ("Kaleidoscope", (ALBUM, UK), ("drop kaleidoscope-uk",)),
    "an artist and a title": ("Kaleidoscope", (UK, ALBUM), ("drop kaleidoscope-uk",)),
    "two artists and a title": ("Kaleidoscope", (UK, ALBUM, US), ("drop kaleidoscope-uk", "drop kaleidoscope-us")),
    "the band": ("the band Kaleidoscope", (ALBUM, US), ("drop siouxsie/kaleidoscope",)),
    "the album": ("the album Queen", ("target artist queen", "target album queen/queen"), ("drop queen",)),
    "two titles": ("Hello", (HIS, HERS), ("drop lionel-richie--hello",)),
    "two seeds": (
        "songs like Hello", ("seed track adele--hello", "seed track lionel-richie--hello"), ("drop lionel-richie--hello",),
    ),
    "a title by its own artist": (
        "Metallica by Metallica", ("target artist metallica", "target album metallica/metallica"), ("drop metallica",),
    ),
    # one thing, or several names
    "one": ("Kaleidoscope", (ALBUM,), ()),
    "a title and its artist": ("Metallica by Metallica", ("target album metallica/metallica", "context artist metallica"), ()),
    "two names": ("Queen and Muse", ("target artist queen", "target artist muse"), ()),
    "two titles of two names": ("Hello and Cry", (HERS, "target track cas--cry"), ()),
    "one wanted, one ruled out": ("Kaleidoscope, not the band Kaleidoscope", (ALBUM, "exclude artist kaleidoscope-uk"), ()),
    "a title within a name": ("Africa and Toto", ("target track toto--africa", "target artist toto"), ()),
    "nothing named": ("soul songs", ("genre=soul:soul songs",), ()),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_homonym_pair(shelf: EmbeddedIndex, name: str) -> None:
    """Of the things that share a name one is searched for."""
    request, parts, expected = CASES[name]

    assert hits(taken(shelf, request, *parts), "homonym_pair") == expected
