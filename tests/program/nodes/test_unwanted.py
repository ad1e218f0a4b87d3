from __future__ import annotations

import pytest

from data.catalog.schema import Credit, Track
from data.contracts import Intent, Plan, ToolArgs, ToolCall
from program.index.engine import EmbeddedIndex
from program.index.protocol import TrackEntry
from program.nodes.compile import fixed_args
from program.nodes.execute import ExecuteNode, _is_with_excluded
from tests.sessions import entity, melo, resources, session


def _found(index: EmbeddedIndex, intent: Intent, artist: str) -> set[str]:
    """What EXECUTE finds by an artist under an intent."""
    args = ToolArgs.model_validate(fixed_args(intent).model_dump() | {"artist_ids": (artist,), "limit": 50})
    made = session("x", intent)
    made.plan = Plan(routes=(ToolCall(tool="catalog_search", args=args, serves=(), weight=1.0, deadline_ms=5000),), round=0)
    return {candidate.track_id for candidate in ExecuteNode()(made, resources(index)).candidates}


RADIOHEAD = {"radiohead--creep", "radiohead--nosurprises", "radiohead--karmapolice", "radiohead--idioteque"}


@pytest.mark.parametrize(
    ("unwanted", "gone"),
    [
        ((), set()),
        (("karma",), {"radiohead--karmapolice"}),
        (("KARMA",), {"radiohead--karmapolice"}),
        (("creeps",), {"radiohead--creep"}),
        (("surprises",), {"radiohead--nosurprises"}),
        (("karma chameleon",), set()),
        (("karma police",), {"radiohead--karmapolice"}),
        (("creep", "idioteque"), {"radiohead--creep", "radiohead--idioteque"}),
        (("kar",), set()),
        (("!?",), set()),
    ],
)
def test_titles_with_unwanted_words(tiny_index: EmbeddedIndex, unwanted: tuple[str, ...], gone: set[str]) -> None:
    """A title that holds a whole phrase that is ruled out is left out, in the plural too; a part of a word or phrase is not."""
    intent = Intent(kind="discover", unwanted=unwanted)

    assert _found(tiny_index, intent, "radiohead") == RADIOHEAD - gone


HILL = "kate-bush--runningupthathill"


@pytest.mark.parametrize(
    ("excluded", "left"),
    [(HILL, {"kate-bush--wutheringheights"}), (HILL + "live", {HILL, "kate-bush--wutheringheights"})],
    ids=["the song", "its live version"],
)
def test_every_version_of_what_is_excluded(tiny_index: EmbeddedIndex, excluded: str, left: set[str]) -> None:
    """A song that is ruled out does not come back live; one version that is ruled out leaves the others."""
    intent = Intent(kind="discover", entities=(entity("track", excluded, "exclude"),))

    assert _found(tiny_index, intent, "kate-bush") == left


def test_another_artist_s_song_of_that_title_stays(tiny_index: EmbeddedIndex) -> None:
    """What is ruled out is one artist's song, not the title."""
    intent = Intent(kind="discover", entities=(entity("track", "adele--hello", "exclude"),))

    assert "lionel-richie--hello" in _found(tiny_index, intent, "lionel-richie")


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("songs by Radiohead, no karma", "radiohead--karmapolice"),
        ("Kate Bush without Running Up That Hill", HILL),
        ("Kate Bush without Running Up That Hill", HILL + "live"),
        ("Adele without Hello", "adele--hello"),
    ],
)
def test_the_whole_program_leaves_it_out(tiny_index: EmbeddedIndex, text: str, gone: str) -> None:
    """From the request to the answer."""
    made = melo(tiny_index)(request=text).playlist

    assert made.tracks
    assert gone not in {track.track_id for track in made.tracks}


def test_joint_credits_go_with_an_excluded_artist() -> None:
    """Without Prince, none of Prince & The Revolution, unless they are wanted by name; an act that only shares a word stays."""

    def entry(credit: str) -> TrackEntry:
        track = Track(track_id="t", title="x", artists=(Credit(artist_id="c", name=credit),))
        return TrackEntry(0, track, 0.5)

    excluded = entity("artist", "prince", "exclude").model_copy(update={"name": "Prince"})
    without = Intent(kind="discover", entities=(excluded,))
    wanted = Intent(kind="play", entities=(excluded, entity("artist", "c")))

    assert _is_with_excluded(entry("Prince & The Revolution"), without)
    assert not _is_with_excluded(entry("Prince & The Revolution"), wanted)
    assert not _is_with_excluded(entry("Prince Royce"), without)
