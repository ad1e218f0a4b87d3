from __future__ import annotations

import pytest

from data.contracts import Intent
from program.grounding.readings import entity_ids
from tests.program.grounding.conftest import Read
from tests.tiny import track_id

PAIRS = {
    "Africa by Toto": ("Africa", "Toto", track_id("toto", "Africa")),
    "Strobe by deadmau5": ("Strobe", "deadmau5", track_id("deadmau5", "Strobe")),
    "So What by P!nk": ("So What", "P!nk", track_id("pink", "So What")),
    "A Forest by The Cure": ("A Forest", "The Cure", track_id("the-cure", "A Forest")),
    "Yesterday by The Beatles": ("Yesterday", "The Beatles", track_id("the-beatles", "Yesterday")),
    "Hello by Lionel Richie": ("Hello", "Lionel Richie", track_id("lionel-richie", "Hello")),
    "Running Up That Hill by Placebo": ("Running Up That Hill", "Placebo", track_id("placebo", "Running Up That Hill")),
    "Hoppípolla by Sigur Rós": ("Hoppípolla", "Sigur Rós", track_id("sigur-ros", "Hoppípolla")),
    "Stressed Out by 21 Pilots": ("Stressed Out", "21 Pilots", track_id("twenty-one-pilots", "Stressed Out")),
    "Sunny Day by Jay Chou": ("Sunny Day", "Jay Chou", "jay-chou--晴天"),
}
SPLITS = [
    "{t} by {a}",
    "{a} {t}",
    "{t} {a}",
    "{a}'s {t}",
    "{a}’s {t}",
    "{a} - {t}",
    "{t} - {a}",
    '"{t}" by {a}',
    "play {t} from {a}",
]
GREETING = ("Hello by Lionel Richie", "{t} {a}")
"""May well be one."""
CHINESE = ["周杰伦的晴天", "周杰倫 晴天", "晴天 周杰伦", "听周杰伦唱的晴天", "播放周杰伦的《晴天》", "Jay Chou的Sunny Day"]


def assert_pair(intent: Intent, identity: str) -> None:
    """The track alone is asked for, and its artist is context."""
    assert [(entity.role, entity.entity_type) for entity in intent.entities] == [("target", "track"), ("context", "artist")]
    assert entity_ids(intent.by_role("target"), "track") == (identity,)
    assert (intent.kind, intent.size, intent.ambiguity, intent.absent) == ("play", 1, (), ())


@pytest.mark.parametrize(("pair", "split"), [(pair, split) for pair in PAIRS for split in SPLITS if (pair, split) != GREETING])
def test_splits(read: Read, pair: str, split: str) -> None:
    """A title and its artist are one thing whichever comes first and whatever stands between them."""
    title, artist, identity = PAIRS[pair]

    assert_pair(read(split.format(t=title, a=artist)).best.intent, identity)


@pytest.mark.parametrize("request_", CHINESE)
def test_chinese_splits(read: Read, request_: str) -> None:
    """In Chinese too, in either script and mixed with English."""
    assert_pair(read(request_).best.intent, "jay-chou--晴天")


@pytest.mark.parametrize(
    ("request_", "album"),
    [
        ("the album Kaleidoscope by Siouxsie and the Banshees", "siouxsie/kaleidoscope"),
        ("Siouxsie and the Banshees Kaleidoscope album", "siouxsie/kaleidoscope"),
        ("Prince's album 1999", "prince/1999"),
        ("1999 the album by Prince", "prince/1999"),
        ("Daft Punk - Discovery", "daft-punk/discovery"),
        ("Unknown Pleasures by Joy Division", "joy-division/unknownpleasures"),
    ],
)
def test_albums(read: Read, request_: str, album: str) -> None:
    """An album and its artist belong together as a track does; a type word decides where both have the name."""
    intent = read(request_).best.intent

    assert entity_ids(intent.by_role("target"), "album") == (album,)
    assert len(intent.entities) == 2


def test_a_misspelt_title_with_its_artist(read: Read) -> None:
    """A spelling error in the title does not hide that the artist has such a track."""
    assert_pair(read("Wuthering Hights by Kate Bush").best.intent, track_id("kate-bush", "Wuthering Heights"))


def test_a_misspelt_artist(read: Read) -> None:
    """A spelling error in the artist does not send the request to a namesake."""
    assert_pair(read("Hello by Lionel Ritchie").best.intent, track_id("lionel-richie", "Hello"))


@pytest.mark.parametrize("request_", ["Hello by Metallica", "Yesterday by Muse", "Strobe by Adele"])
def test_pairs_that_the_catalog_does_not_hold(read: Read, request_: str) -> None:
    """A title of one artist and the name of another make no pair: neither is asked for."""
    intent = read(request_).best.intent

    assert intent.absent == (request_,)
    assert {entity.role for entity in intent.entities} == {"context"}
