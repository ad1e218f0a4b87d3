from __future__ import annotations

from pathlib import Path

import pytest

from data.contracts import Intent, Playlist, ToolArgs
from program.index.build import build_index
from program.index.engine import EmbeddedIndex
from program.index.lyrics import lyric_terms, nearest_line
from program.settings import ExecuteSettings
from program.tools.protocol import ToolContext
from program.tools.registry import TOOLS, eligible_tools, served
from tests.sessions import constraint, melo
from tests.tiny import LYRICS, TinyEmbedder, artists, open_tiny, tracks

AFRICA = "toto--africa"
SEEDS_LINE = "I promised you a garden but the seeds refused to grow"


def _search(index: EmbeddedIndex, query: str, **args: object) -> tuple[list[str], ToolContext]:
    context = ToolContext(index, ExecuteSettings())
    return TOOLS["lyric_search"].run(ToolArgs.model_validate({"query": query, **args}), context), context


@pytest.mark.parametrize(
    ("query", "track_id", "line"),
    [
        ("the seeds refused to grow", AFRICA, SEEDS_LINE),
        ("i promissed you a gardn but the seed refused to gro", AFRICA, SEEDS_LINE),
        ("I promised you a pardon but the seas refused to go", AFRICA, SEEDS_LINE),
        ("promised a garden, seeds refused growing", AFRICA, SEEDS_LINE),
        ("the radio hums low I promised you a garden", AFRICA, "The kettle sings at seven and the radio hums low"),
        ("clocks had been put back", "the-cure--aforest", "Nobody told the winter that the clocks had been put back"),
        ("gray gulls over gravel", "theyr--rudolf", "Grey gulls over gravel, grey gulls over tar"),
        ("把昨天折成一只小船", "jay-chou--晴天", "我把昨天折成一只小船"),
        ("把昨天折成小船", "jay-chou--晴天", "我把昨天折成一只小船"),
        ("河邊的風慢慢吹過", "jay-chou--晴天", "河边的风慢慢吹过旧木桥"),
    ],
    ids=[
        "part of a line", "misspelt", "misheard", "words left out", "across two lines", "another song", "one letter",
        "Chinese", "Chinese with words left out", "the other script",
    ],
)  # fmt: skip
def test_finds_the_song_and_the_line(tiny_index: EmbeddedIndex, query: str, track_id: str, line: str) -> None:
    """Remembered words find their song, wrong ones tolerated, and the line in which they stand comes with it."""
    found, context = _search(tiny_index, query)

    assert found[0] == track_id
    assert context.sources["lyric_search", track_id] == line


@pytest.mark.parametrize(
    "query",
    ["submarines in the morning sun", "hello", "the and of to", "an umbrella for the elephant", "grow up", "ζωή", "潜水艇的早晨"],
)
def test_words_of_no_song_find_none(tiny_index: EmbeddedIndex, query: str) -> None:
    """A shared word or two is no lyric: below the floor nothing comes back, whatever the index finds."""
    assert _search(tiny_index, query)[0] == []


def test_a_shared_refrain_finds_all_who_sing_it(tiny_index: EmbeddedIndex) -> None:
    """The best known comes first among equals; what may not be played is left out, and conditions hold."""
    found, _ = _search(tiny_index, "lanterns on the water lanterns in my hand")
    within, _ = _search(tiny_index, "lanterns on the water lanterns in my hand", constraints=[constraint(0, "region", "IS")])

    assert found == [AFRICA, "the-cure--aforest", "theyr--rudolf"]
    assert within == ["theyr--rudolf"]


def test_terms() -> None:
    """Words and neighbouring pairs, each once; CJK by pairs of characters."""
    assert lyric_terms("Grey gulls, grey gulls") == ["grey", "gulls", "grey_gulls", "gulls_grey"]
    assert lyric_terms("旧木桥") == ["旧木", "木桥"]


def test_a_long_line_is_cut() -> None:
    """Of a long line as much is quoted as is needed to know it."""
    score, line = nearest_line(" ".join(f"word{number}" for number in range(40)), "word0 word1 word2")

    assert score == 1.0
    assert line == " ".join(f"word{number}" for number in range(12)) + " …"


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("the one that goes the seeds refused to gro", "the seeds refused to gro"),
        ('whats that song, "promised you a garden but the seeds"', "promised you a garden but the seeds"),
        ("I promised you a garden but the seeds refused to grow", "I promised you a garden but the seeds refused to grow"),
        ("歌词是 把昨天折成一只小船", "把昨天折成一只小船"),
        ("das lied mit dem text promised you a garden", "promised you a garden"),
    ],
    ids=["that goes", "quoted", "nothing but the line", "Chinese", "German"],
)
def test_a_request_that_quotes_a_song(tiny_index: EmbeddedIndex, request_text: str, words: str) -> None:
    """Quoted words become a lyric request, which plays the one song that has them and cites the line."""
    prediction = melo(tiny_index)(request=request_text)
    playlist: Playlist = prediction.playlist
    intent: Intent = prediction.intent

    assert (intent.kind, intent.free_text, intent.size) == ("lyric", words, 1)
    assert [call.tool for call in prediction.plan.routes] == ["lyric_search"]
    assert (playlist.status, len(playlist.tracks)) == ("ok", 1)
    line = LYRICS[playlist.tracks[0].track_id].splitlines()[1]
    assert line in playlist.tracks[0].reason


def test_a_theme_of_lyrics_is_a_list(tiny_index: EmbeddedIndex) -> None:
    """A word "in the lyrics" asks for all songs that have it; fewer than a usual list are the whole answer."""
    prediction = melo(tiny_index)(request="songs with lanterns in the lyrics")

    assert {track.track_id for track in prediction.playlist.tracks} == {AFRICA, "the-cure--aforest", "theyr--rudolf"}
    assert prediction.playlist.status == "ok"


@pytest.mark.parametrize(
    "request_text", ["Africa by Toto", "post-punk from Iceland", '"A Forest"', "songs like The Cure", "sad piano music"]
)
def test_other_requests_stay_what_they_are(tiny_index: EmbeddedIndex, request_text: str) -> None:
    """A name or a description is no quoted lyric, quotes or not."""
    prediction = melo(tiny_index)(request=request_text)

    assert prediction.intent.kind != "lyric"
    assert "lyrics" not in prediction.playlist.message


def test_words_that_no_lyrics_hold_are_told(tiny_index: EmbeddedIndex) -> None:
    """Where the request says that it quotes a song and none has the words, the answer says so."""
    playlist = melo(tiny_index)(request="the song that goes submarines in the morning sun").playlist

    assert (playlist.status, playlist.tracks) == ("not_found", ())
    assert playlist.message == "No lyrics in the catalog hold these words."
    assert "no_lyric_match" in {fault.code for fault in playlist.fallback}


def test_a_theme_that_no_lyrics_hold_is_searched_by_meaning(tiny_index: EmbeddedIndex) -> None:
    """A word or two "in the lyrics" is no line of one song: a list is made, and what it does not rest on is told."""
    playlist = melo(tiny_index)(request="songs with hill in the lyrics").playlist

    assert playlist.tracks
    assert "No lyrics in the catalog hold these words." in playlist.message


def test_a_catalog_without_lyrics(tmp_path: Path) -> None:
    """The tool is never eligible there and refuses to run, and a request that quotes a song is told why."""
    bare = [track.model_copy(update={"lyrics": None}) for track in tracks()]
    build_index([*artists(), *bare], tmp_path / "index", embedder=TinyEmbedder())
    index = open_tiny(tmp_path / "index")
    intent = Intent(kind="lyric", free_text="the seeds refused to grow")
    prediction = melo(index)(request="the one that goes the seeds refused to grow")

    assert index.info.lyrics == 0
    assert "lyric_search" not in [tool.name for tool in eligible_tools(intent, among=served(index, ExecuteSettings()))]
    assert prediction.intent.kind != "lyric"
    assert (prediction.playlist.status, prediction.playlist.tracks) == ("not_found", ())
    assert "The catalog holds no lyrics" in prediction.playlist.message
    with pytest.raises(ValueError, match="lyric_search needs a catalog with lyrics"):
        _search(index, "the seeds refused to grow")
    index.close()
