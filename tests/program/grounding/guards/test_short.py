from __future__ import annotations

import pytest

from program.index.engine import EmbeddedIndex
from tests.program.grounding.guards.taken import Case, hits, taken

UE, M, ME = "target track liliput--u", "target artist m", "target track taeyeon--i"
CASES: dict[str, Case] = {
    # short words that are no names
    "another letter": ("something for u", (UE,), ("drop liliput--u",)),
    "another letter, alone": ("play u", (UE,), ("drop liliput--u",)),
    "a pronoun": ("songs I like", (ME,), ("drop taeyeon--i",)),
    "a pronoun as an album": ("songs that I like", ("target album taeyeon/i",), ("drop taeyeon/i",)),
    "a letter among words": ("rock with m and drums", (M, "genre=rock:rock"), ("drop m",)),
    "an everyday word of three": ("songs I can sing", ("target artist can-band",), ("drop can-band",)),
    "as a seed": ("loud u guitars", ("seed track liliput--u",), ("drop liliput--u",)),
    # and short names
    "letters and a digit": ("something for u2 fans", ("target artist u2",), ()),
    "without its accent": ("find U", (UE,), ()),
    "U2": ("U2", ("target artist u2",), ()),
    "before songs": ("M songs", (M,), ()),
    "after by": ("songs by M", (M,), ()),
    "after like": ("songs like M", ("seed artist m",), ()),
    "alone": ("play m", (M,), ()),
    "in quotes": ('something from "M"', (M,), ()),
    "the band": ("the band M", (M,), ()),
    "beside a title": ("Pop Muzik, m", (M, "context track m--popmuzik"), ()),
    "possessive": ("m's Pop Muzik", (M, "target track m--popmuzik"), ()),
    "three letters": ("ano and anime songs", ("target artist ano",), ()),
    "three letters after by": ("songs by Can", ("target artist can-band",), ()),
    "ruled out": ("pop without M", ("exclude artist m", "genre=pop:pop"), ()),
    "two characters": ("红豆", ("target track faye-wong--红豆",), ()),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_short_token(shelf: EmbeddedIndex, name: str) -> None:
    """A name of one or two letters needs its exact letters and the place of a name."""
    request, parts, expected = CASES[name]

    assert hits(taken(shelf, request, *parts), "short_token") == expected
