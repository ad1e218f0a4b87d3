from __future__ import annotations

import pytest

from program.grounding.guards import Sketch
from program.index.engine import EmbeddedIndex
from program.settings import GroundingSettings, Settings
from tests.program.grounding.guards.taken import Case, hits, taken

UK, US, ALBUM = "kaleidoscope-uk", "kaleidoscope-us", "siouxsie/kaleidoscope"
THIN_ALBUM = Settings(grounding=GroundingSettings(p_lo=0.5))
"""Cut-offs of a catalog in which that album is hardly known either."""
ONLY_LIKE: Sketch = ("similar_tracks",)
CASES: dict[str, Case] = {
    # hardly known, and a better known thing answers to the same words
    "an artist with a title's name": ("Hysteria", ("target artist hysteria",), ("safer_retriever muse--hysteria",)),
    "a namesake": ("Kaleidoscope", (f"target artist {UK}",), (f"safer_retriever {ALBUM}",)),
    "the other namesake": ("play Kaleidoscope", (f"target artist {US}",), (f"safer_retriever {ALBUM}",)),
    "as a seed": ("something like Kaleidoscope", (f"seed artist {UK}",), (f"safer_retriever {ALBUM}",)),
    "with a facet": ("dreamy Kaleidoscope", (f"target artist {US}", "mood=dreamy:dreamy"), (f"safer_retriever {ALBUM}",)),
    "an album of its artist's name": ("Queen", ("target album queen/queen",), ("safer_retriever queen",)),
    "the album as a seed": ("songs like Soul", ("seed album soul-band/soul",), ("safer_retriever soul-band",)),
    # well enough supported, or the words say which one
    "the known one": ("Kaleidoscope", (f"target album {ALBUM}",), ()),
    "by, a title's name": ("songs by Hysteria", ("target artist hysteria",), ()),
    "told by its country": ("british Kaleidoscope", (f"target artist {UK}", "region=GB:british"), ()),
    "by": ("songs by Kaleidoscope", (f"target artist {UK}",), ()),
    "before songs": ("Kaleidoscope songs", (f"target artist {UK}",), ()),
    "the band": ("the band Kaleidoscope", (f"target artist {US}",), ()),
    "the album": ("the album Queen", ("target album queen/queen",), ()),
    "beside its title": (
        "Flight from Ashiya by Kaleidoscope", ("target track kaleidoscope-uk--flightfromashiya", f"context artist {UK}"), (),
    ),
    "thin without rivals": ("Sing Along Band", ("target artist sing-along",), ()),
    "ruled out": ("folk without Kaleidoscope", (f"exclude artist {UK}", "genre=folk:folk"), ()),
    "the known one is ruled out": ("Hysteria, but not by Muse", ("target artist hysteria", "exclude track muse--hysteria"), ()),
    "a version of one song": ("Hallelujah live", ("target track leonard-cohen--hallelujahlive",), ()),
}  # fmt: skip
ALL_THIN: dict[str, Case] = {
    # every namesake is hardly known: the name is not searched for alone
    "a seed and a mood": ("something dreamy like Kaleidoscope", (f"seed artist {UK}", "mood=dreamy:dreamy"), (f"revise {UK}",)),
    "a seed and words": ("hazy things like Kaleidoscope", (f"seed artist {US}", "words:hazy"), (f"revise {US}",)),
    # where there is more than the name, or nothing else to search for
    "only a seed": ("songs like Kaleidoscope", (f"seed artist {UK}",), ()),
    "a seed and an exclusion": ("songs like Kaleidoscope, no rock", (f"seed artist {UK}", "genre!=rock:rock"), ()),
    "ruled out": ("dreamy without Kaleidoscope", (f"exclude artist {UK}", "mood=dreamy:dreamy"), ()),
    "another seed": ("something dreamy like Queen", ("seed artist queen", "mood=dreamy:dreamy"), ()),
    "a seed with its title": (
        "dreamy like Flight from Ashiya by Kaleidoscope",
        ("seed track kaleidoscope-uk--flightfromashiya", f"context artist {UK}", "mood=dreamy:dreamy"), (),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_thin_support(shelf: EmbeddedIndex, name: str) -> None:
    """A hardly known name gives way to a better known one of the same words."""
    request, parts, expected = CASES[name]

    assert hits(taken(shelf, request, *parts), "thin_support") == expected


@pytest.mark.parametrize("name", ALL_THIN)
def test_thin_support_without_a_known_rival(shelf: EmbeddedIndex, name: str) -> None:
    """Where all of a name are hardly known, a search by that name must not be the only one."""
    request, parts, expected = ALL_THIN[name]

    assert hits(taken(shelf, request, *parts, settings=THIN_ALBUM, sketch=ONLY_LIKE), "thin_support") == expected


def test_a_second_route_is_enough(shelf: EmbeddedIndex) -> None:
    """A plan that searches for more than the name may start from a hardly known one."""
    request, parts, _ = ALL_THIN["a seed and a mood"]
    both = taken(shelf, request, *parts, settings=THIN_ALBUM, sketch=("similar_tracks", "semantic_recall"))

    assert hits(both, "thin_support") == ()


def test_the_cut_off_is_the_settings(shelf: EmbeddedIndex) -> None:
    """What is thin is a matter of the catalog's cut-off."""
    none = Settings(grounding=GroundingSettings(p_lo=0.0))
    given = taken(shelf, "Kaleidoscope", f"target artist {UK}", settings=none)

    assert hits(given, "thin_support") == ()
