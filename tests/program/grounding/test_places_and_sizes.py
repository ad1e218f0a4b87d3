from __future__ import annotations

import pytest

from program.grounding.readings import entity_ids
from tests.program.grounding.conftest import Read, summary


@pytest.mark.parametrize(
    ("request_", "minutes", "size"),
    [
        ("30 minutes of jazz", 30, 9),
        ("jazz for 20 minutes", 20, 6),
        ("90 min of rock", 90, 26),
        ("a 45 minute workout mix", 45, 13),
        ("45-minute workout playlist", 45, 13),
        ("twenty five minutes of piano", 25, 8),
        ("an hour of sad songs", 60, 18),
        ("half an hour of Radiohead", 30, 9),
        ("half-an-hour of jazz", 30, 9),
        ("two hours of jazz", 120, 35),
        ("a couple of hours of jazz", 120, 35),
        ("an hour and a half of jazz", 90, 26),
        ("one and a half hours of jazz", 90, 26),
        ("2 and a half hours of jazz", 150, 43),
        ("1.5 hours of jazz", 90, 26),
        ("1,5 hours of jazz", 90, 26),
        ("24 hours of jazz", 1440, 100),
        ("1440 minutes of jazz", 1440, 100),
        ("30 hours of jazz", 1440, 100),
        ("半小时的爵士", 30, 9),
        ("半个小时的摇滚", 30, 9),
        ("两个小时的爵士", 120, 35),
        ("一个半小时的爵士", 90, 26),
        ("十五分鐘的摇滚", 15, 5),
        ("5 songs, 30 minutes", 30, 5),
        ("songs, 2 hours", 120, 35),
        ("Blink 182, 30 minutes", 30, 9),
        ("jazz under 30 minutes", 30, 9),
    ],
)
def test_playing_time(read: Read, request_: str, minutes: int, size: int) -> None:
    """How long a list should play gives about as many tracks as fill it, unless their number is said too."""
    intent = read(request_).best.intent

    assert (intent.minutes, intent.size) == (minutes, size)
    assert intent.free_text == ""


@pytest.mark.parametrize(
    ("request_", "meaning"),
    [
        ("songs under 3 minutes", "discover 20, free:3 minutes"),
        ("songs shorter than 3 minutes", "discover 20, free:shorter 3 minutes"),
        ("10 songs under 5 minutes", "discover 10, free:5 minutes"),
        ("3 minute songs", "discover 20, free:3 minute"),
        ("0 minutes of jazz", "discover 20, genre=jazz*, free:0 minutes"),
        ("the last hour", "discover 20, free:last hour"),
    ],
)
def test_no_playing_time(read: Read, request_: str, meaning: str) -> None:
    """How long one song may be, no time at all, and an hour without a count say nothing about the list."""
    intent = read(request_).best.intent

    assert (summary(intent), intent.minutes) == (meaning, None)


@pytest.mark.parametrize(
    ("request_", "meaning"),
    [
        ("top 20 jazz songs", "discover 20, genre=jazz*"),
        ("top-15 rock", "discover 15, genre=rock*"),
        ("top twelve pop songs", "discover 12, genre=pop*"),
        ("top 5 of Adele", "play 5, target:adele"),
        ("Adele's top 5", "play 5, target:adele"),
        ("twenty one pilots top 10", "play 10, target:twenty-one-pilots"),
        ("top songs", "discover 20, popularity=popular"),
        ("top 0 songs", "discover 20, popularity=popular, free:0"),
        ("happy songs, four of them", "discover 4, mood=happy*"),
        ("five of those by Muse", "play 5, target:muse"),
        ("10 songs, four of them by Adele", "play 10, target:adele"),
        ("four of them, no wait, 6 songs by Muse", "play 6, target:muse"),
        ("10 songs by Adele, no wait, 5 songs by Drake", "play 5, target:drake"),
        ("500 songs", "discover 100"),
        ("21 songs", "discover 21"),
    ],
)
def test_sizes(read: Read, request_: str, meaning: str) -> None:
    """A number of the best known, or of what was asked for before, is the size; a part of a number that was said is not."""
    assert summary(read(request_).best.intent) == meaning


@pytest.mark.parametrize(
    ("request_", "meaning"),
    [
        ("latest song of Drake", "play 1, target:drake"),
        ("the latest track from Taylor Swift", "play 1, target:taylor-swift"),
        ("latest single by The Weeknd", "play 1, target:the-weeknd"),
        ("the newest Drake", "play 20, target:drake"),
        ("Drake's latest", "play 20, target:drake"),
        ("5 latest songs by Drake", "play 5, target:drake"),
        ("latest songs by Drake and Adele", "play 20, target:drake, target:adele"),
        ("new jazz by Miles Davis", "play 20, target:miles-davis, genre=jazz"),
        ("周杰伦的新歌", "play 20, target:jay-chou"),
        ("Drake 最新的歌", "play 20, target:drake"),
    ],
)
def test_newest_first(read: Read, request_: str, meaning: str) -> None:
    """Somebody's newest is an order of their songs, not a span of years; one song of it is one."""
    intent = read(request_).best.intent

    assert (summary(intent), intent.order) == (meaning, "newest")


@pytest.mark.parametrize(
    ("request_", "meaning"),
    [
        ("new songs", "discover 20, era=new*"),
        ("new jazz", "discover 20, era=new, genre=jazz*"),
        ("new wave by Joy Division", "play 20, target:joy-division, genre=new-wave"),
        ("latest Creep", "play 1, target:radiohead--creep, era=new"),
        ("songs like the latest Drake", "similar 20, seed:drake, era=new*"),
    ],
)
def test_not_newest_first(read: Read, request_: str, meaning: str) -> None:
    """Without an artist or an album to play, new is a span of years, and no order unless it says the newest."""
    intent = read(request_).best.intent

    assert sorted(summary(intent).split(", ")) == sorted(meaning.split(", "))
    assert intent.order == "relevance"


@pytest.mark.parametrize("request_", ["newest jazz", "latest jazz"])
def test_newest_of_a_kind(read: Read, request_: str) -> None:
    """The newest of a kind are both: of recent years, and the latest first."""
    intent = read(request_).best.intent

    assert sorted(summary(intent).split(", ")) == ["discover 20", "era=new", "genre=jazz*"]
    assert intent.order == "newest"


@pytest.mark.parametrize(
    ("request_", "tracks"),
    [
        ("play Africa in the kitchen", ("toto--africa",)),
        ("play Africa on the living room speaker", ("toto--africa",)),
        ("play Africa on spotify", ("toto--africa",)),
        ("play Creep on my headphones, upstairs", ("radiohead--creep",)),
        ("alexa play Creep", ("radiohead--creep",)),
        ("在客厅播放晴天", ("jay-chou--晴天",)),
        ("play Radio Ga Ga on the radio", ("queen--radiogaga",)),
        ("play Radio Ga Ga", ("queen--radiogaga",)),
    ],
)
def test_places(read: Read, request_: str, tracks: tuple[str, ...]) -> None:
    """Where something is to be played, and whom one speaks to, is no part of what is played."""
    intent = read(request_).best.intent

    assert entity_ids(intent.by_role("target"), "track") == tracks
    assert (intent.free_text, intent.absent, intent.constraints) == ("", (), ())


@pytest.mark.parametrize(
    ("request_", "meaning"),
    [
        ("play Adele, I meant Drake", "play 20, target:drake"),
        ("play Hello, no wait, Creep", "play 1, target:radiohead--creep"),
        ("no Adele, I meant Drake", "play 20, target:drake"),
        ("sad songs, scratch that, happy songs", "discover 20, mood=happy*"),
        ("Drake-ish songs", "similar 20, seed:drake"),
        ("Radiohead-esque", "similar 20, seed:radiohead"),
        ("周杰伦那种", "similar 20, seed:jay-chou"),
        ("no Drake-ish songs", "discover 20, exclude:drake"),
    ],
)
def test_corrections_and_likenesses(read: Read, request_: str, meaning: str) -> None:
    """What is taken back is forgotten; a name with a likeness behind it is where to start from."""
    assert summary(read(request_).best.intent) == meaning


@pytest.mark.parametrize(
    ("request_", "unwanted"),
    [
        ("rock without skits", ("skits",)),
        ("rock without interludes or intros", ("interludes", "intros")),
        ("rock without skits and skits", ("skits",)),
        ("Radiohead but not yellow brick roads", ("yellow brick roads",)),
        ("no remixes", ()),
        ("rock without Queen", ()),
        ("no skits, I meant no intros", ("intros",)),
        ("skits", ()),
    ],
)
def test_unwanted_words(read: Read, request_: str, unwanted: tuple[str, ...]) -> None:
    """What nothing explains under a negation is ruled out in the words of the request, a phrase as a whole."""
    assert read(request_).best.intent.unwanted == unwanted
