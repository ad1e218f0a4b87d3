from __future__ import annotations

import pytest

from program.index.engine import EmbeddedIndex
from tests.program.grounding.guards.taken import Case, hits, taken

LIVE, STUDIO, COVER = "leonard-cohen--hallelujahlive", "leonard-cohen--hallelujah", "jeff-buckley--hallelujah"
KARAOKE, SONG = "sing-along--someonelikeyoukaraoke", "adele--someonelikeyou"
UNPLUGGED, LAYLA = "clapton--laylaunplugged", "clapton--layla"
CASES: dict[str, Case] = {
    # another version than the one that was asked for
    "live was asked for": ("Hallelujah by Leonard Cohen live", (f"target track {STUDIO}",), (f"safer_retriever {LIVE}",)),
    "live as a facet": (
        "live version of Hallelujah", (f"target track {STUDIO}", "version=live:live version"), (f"safer_retriever {LIVE}",),
    ),
    "nothing was said, live taken": ("Hallelujah by Leonard Cohen", (f"target track {LIVE}",), (f"safer_retriever {STUDIO}",)),
    "nothing was said, cover taken": ("Hallelujah", (f"target track {COVER}",), (f"safer_retriever {STUDIO}",)),
    "nothing was said, karaoke taken": ("Someone Like You", (f"target track {KARAOKE}",), (f"safer_retriever {SONG}",)),
    "the original": ("the original version of Layla", (f"target track {UNPLUGGED}",), (f"safer_retriever {LAYLA}",)),
    "not live": (
        "Layla, no live versions", (f"target track {UNPLUGGED}", "version!=live:live versions"), (f"safer_retriever {LAYLA}",),
    ),
    "the original by whom it is": (
        "the original version of Hallelujah", (f"target track {COVER}",), (f"safer_retriever {STUDIO}",),
    ),
    "a cover": ("a cover of Hallelujah", (f"target track {STUDIO}",), (f"safer_retriever {COVER}",)),
    "as a seed": ("songs like Hallelujah", (f"seed track {COVER}",), (f"safer_retriever {STUDIO}",)),
    # the version that was asked for, or that is meant
    "live": ("Hallelujah by Leonard Cohen live", (f"target track {LIVE}", "context artist leonard-cohen"), ()),
    "live in the name": ("Hallelujah live", (f"target track {LIVE}",), ()),
    "the studio version": ("Hallelujah", (f"target track {STUDIO}",), ()),
    "the better known live one": ("Layla", (f"target track {UNPLUGGED}",), ()),
    "the cover's artist is named": ("Hallelujah by Jeff Buckley", (f"target track {COVER}", "context artist jeff-buckley"), ()),
    "the live album is named": (
        "Hallelujah from Live in London", (f"target track {LIVE}", "context album leonard-cohen/liveinlondon"), (),
    ),
    "the name in full": ("Layla (Unplugged)", (f"target track {UNPLUGGED}",), ()),
    "no such version": ("Beth by Kiss live", ("target track kiss--beth", "context artist kiss"), ()),
    "live in another name": (
        "Live in London and Suzanne", ("target album leonard-cohen/liveinlondon", "target track leonard-cohen--suzanne"), (),
    ),
    "no original": ("Africa by Weezer", ("target track weezer--africa", "context artist weezer"), ()),
    "a cover by two, one named": (
        "Walk This Way by Run-DMC", ("target track run-dmc--walkthisway", "context artist run-dmc"), (),
    ),
    "the original's artist is ruled out": (
        "Hallelujah, only not by Leonard Cohen", (f"target track {COVER}", "exclude artist leonard-cohen"), (),
    ),
    "an artist": ("live songs by Queen", ("target artist queen", "version=live:live"), ()),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_version_mismatch(shelf: EmbeddedIndex, name: str) -> None:
    """The recording is the version that the words say, and the plain one where they say nothing."""
    request, parts, expected = CASES[name]

    assert hits(taken(shelf, request, *parts), "version_mismatch") == expected
