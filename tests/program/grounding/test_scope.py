from __future__ import annotations

from collections.abc import Iterator

import pytest

from program.grounding.readings import understand_by_code
from program.index.engine import EmbeddedIndex
from program.settings import GroundingSettings, Settings
from tests.program.grounding.conftest import Read, summary
from tests.program.grounding.shelf import open_shelf


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedIndex]:
    """The shelf's index."""
    with open_shelf(tmp_path_factory.mktemp("shelf")) as index:
        yield index


@pytest.mark.parametrize(
    "request_",
    [
        "who wrote this",
        "what is the weather",
        "what's the time",
        "who sings Hello",
        "did Radiohead write Creep",
        "how old is Drake",
        "谁唱的晴天",
        "为什么天是蓝的",
        "怎么样",
        "stop the music",
        "stop it",
        "next song",
        "previous track",
        "stop the music please",
        "skip this one",
    ],
)
def test_no_music_is_asked_for(read: Read, request_: str) -> None:
    """A question about something else, and a command to the player, ask for no music, and nothing is taken from them."""
    intent = read(request_).best.intent

    assert summary(intent) == "other 20"
    assert (intent.ambiguity, intent.unwanted) == ((), ())


@pytest.mark.parametrize(
    ("request_", "meaning"),
    [
        ("what are some songs like Creep", "similar 20, seed:radiohead--creep"),
        ("what are some good jazz records", "discover 20, genre=jazz*"),
        ("what about some jazz", "discover 20, genre=jazz*"),
        ("what about Creep", "play 1, target:radiohead--creep"),
        ("how about Creep", "play 1, target:radiohead--creep"),
        ("do you have any Radiohead", "play 20, target:radiohead"),
        ("will you play Creep", "play 1, target:radiohead--creep"),
        ("are there any songs by Muse", "play 20, target:muse"),
        ("is there a song called Creep", "play 1, target:radiohead--creep"),
        ("What's My Age Again", "play 1, target:blink-182--whatsmyageagain"),
        ("什么是爵士", "discover 20, genre=jazz*, free:什么"),
        ("skip", "discover 20"),
        ("skip Africa", "discover 20, exclude:toto--africa"),
        ("one more time", "play 1, target:daft-punk--1moretime"),
    ],
)
def test_music_is_asked_for(read: Read, request_: str, meaning: str) -> None:
    """A question with a word for music, a suggestion, a title that is a question, and a lone word are requests."""
    assert summary(read(request_).best.intent) == meaning


@pytest.mark.parametrize("request_", ["Stop", "stop", "play stop", "Stop by the Spice Girls", "queue Stop", "stop Stop"])
def test_stop_is_a_song_too(shelf: EmbeddedIndex, request_: str) -> None:
    """A command to the player that is all there is, or that stands where a title stands, is the title; and it is meant once."""
    intent = understand_by_code(request_, shelf, Settings()).best.intent

    assert [entity.entity_id for entity in intent.by_role("target")] == ["stop"]
    assert intent.size == 1


def test_scope_is_a_rule(tiny_index: EmbeddedIndex) -> None:
    """Without L2 everything is a request for music."""
    without = Settings(grounding=GroundingSettings(rules=False))

    assert understand_by_code("what is the weather", tiny_index, without).best.intent.kind == "discover"


@pytest.mark.parametrize(
    ("request_", "meaning"),
    [
        ("stop playing Africa", "discover 20, exclude:toto--africa"),
        ("Adele but less sad", "play 20, target:adele, mood!=sad*"),
        ("Running Up That Hill by anyone but Kate Bush", "play 1, target:placebo--runningupthathill, exclude:kate-bush"),
        pytest.param(
            "Hello without Adele", "play 1, target:lionel-richie--hello, exclude:adele",
            marks=pytest.mark.xfail(strict=True, reason="Hello is read as a greeting, and anything but Adele is played"),
        ),
        pytest.param(
            "what is the capital of France", "other 20",
            marks=pytest.mark.xfail(strict=True, reason="a place in a question is read as a condition: French music is played"),
        ),
    ],
)  # fmt: skip
def test_misread(read: Read, request_: str, meaning: str) -> None:
    """Words that turn a request around."""
    assert summary(read(request_).best.intent) == meaning
