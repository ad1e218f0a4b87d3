"""Requests that want something else than music are told so; music requests that look like them are played."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from data.catalog.schema import Artist, Credit, Track
from data.labelled import KINDS, load_rows
from data.vocab.other_tasks import out_of_scope_message
from program.grounding.other_tasks import other_task
from program.index.build import build_index
from program.index.engine import EmbeddedIndex
from program.settings import SafetySettings, Settings
from tests.sessions import asked, melo, scripted
from tests.tiny import TinyEmbedder, open_tiny

SETS = tomllib.loads((Path(__file__).parent / "scope.toml").read_text(encoding="utf-8"))
LOCALES = ("en", "zh", "ja", "ko", "de", "es", "fr", "it", "pt", "nl", "tr", "ru", "pl", "sv", "ar")


@pytest.mark.parametrize("name", ["own", "fresh"])
def test_precision_and_recall(name: str) -> None:
    """Of the hand-written requests every one is told apart: 60 that the word lists were written with, 48 that they were not."""
    other, music = SETS[name]["other"], SETS[name]["music"]
    found = {text for text in (*other, *music) if other_task(text)}

    assert len(other) == len(music) >= 24
    assert found - set(other) == set()
    assert set(other) - found == set()


def test_no_request_of_the_sets_is_taken_for_something_else() -> None:
    """All 351 train requests want music."""
    rows = [row.request for name in KINDS for row in load_rows(name, "train")]

    assert len(rows) > 300
    assert [text for text in rows if other_task(text)] == []


TITLES = ("What's the Weather", "Turn On the Lights", "Translate Me into Spanish")


@pytest.fixture(scope="module")
def titles(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedIndex]:
    """A catalog of titles that sound like other tasks."""
    folder = tmp_path_factory.mktemp("titles") / "index"
    credit = Credit(artist_id="a", name="Radiohead")
    tracks = [Track(track_id=f"t-{n}", title=title, artists=(credit,), popularity=50) for n, title in enumerate(TITLES)]
    build_index([Artist(artist_id="a", name="Radiohead", popularity=90), *tracks], folder, embedder=TinyEmbedder())
    index = open_tiny(folder)
    yield index
    index.close()


@pytest.mark.parametrize("title", TITLES)
def test_a_title_is_music(titles: EmbeddedIndex, tiny_index: EmbeddedIndex, title: str) -> None:
    """What the catalog knows as a name is played; elsewhere the same words are another task."""
    held, elsewhere = melo(titles)(request=title).playlist, melo(tiny_index)(request=title).playlist

    assert [track.title for track in held.tracks] == [title]
    assert (elsewhere.status, elsewhere.tracks) == ("refused", ())


@pytest.mark.parametrize("text", ["write me an essay about Radiohead", "please write an essay about Radiohead songs"])
def test_a_name_in_another_task_is_not_played(titles: EmbeddedIndex, text: str) -> None:
    """The status is honest, the reason is told, nothing is played, and no model is asked."""
    lm, engine = scripted([])
    playlist = melo(titles, lm, Settings(head_shortcut=False))(request=text).playlist

    assert (playlist.status, playlist.tracks, playlist.title) == ("refused", (), "")
    assert [(fault.code, fault.reason, fault.owner) for fault in playlist.fallback] == [
        ("out_of_scope", "unsupported", "listener")
    ]
    assert playlist.handover is None
    assert asked(engine) == []


def test_the_switch_decides(titles: EmbeddedIndex) -> None:
    """With scope off the name in the essay is played, as before."""
    playlist = melo(titles, settings=Settings(safety=SafetySettings(scope=False)))(
        request="write me an essay about Radiohead"
    ).playlist

    assert playlist.tracks
    assert playlist.fallback == ()


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("what's the weather in Berlin tomorrow", "en"), ("今天北京天气怎么样", "zh"),
        ("wie wird das Wetter morgen in Köln", "de"), ("qué tiempo hace en Madrid", "es"), ("quel temps fait-il à Lyon", "fr"),
    ],
)  # fmt: skip
def test_it_is_told_in_the_requests_language(tiny_index: EmbeddedIndex, text: str, locale: str) -> None:
    """The listener reads it in the language of the request."""
    assert melo(tiny_index)(request=text).playlist.message == out_of_scope_message(locale)


def test_messages_in_fifteen_languages() -> None:
    """Each has words of its own; any other language is told in English."""
    assert len({out_of_scope_message(locale) for locale in LOCALES}) == len(LOCALES)
    assert out_of_scope_message("is") == out_of_scope_message("en")
