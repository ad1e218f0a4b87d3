"""One contract over every registered tool; a new tool joins by its row in `STARTS`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from data.catalog.schema import Track
from data.contracts import Intent, ToolArgs, ToolName
from data.errors import ToolFailedError
from program.index.build import build_index
from program.index.engine import EmbeddedIndex
from program.settings import ExecuteSettings
from program.tools.protocol import ToolContext
from program.tools.registry import BY_MODEL, TOOLS, eligible_tools
from tests.listeners import listener
from tests.sessions import constraint, entity
from tests.tiny import LYRICS, TinyEmbedder, artists, open_tiny, tracks

MOST_CARD_WORDS = 60
UNPLAYABLE = "taylor-swift--lovestory"
STARTS: dict[ToolName, dict[str, dict[str, Any]]] = {
    "catalog_search": {
        "everything": {},
        "an artist": {"artist_ids": ("the-cure",)},
        "an album": {"album_ids": ("muse/absolution",)},
    },
    "similar_tracks": {
        "a track": {"track_ids": ("joy-division--disorder",)},
        "an artist": {"artist_ids": ("kaelan-mikla",)},
        "an album": {"album_ids": ("prince/1999",)},
        "all three": {
            "track_ids": ("toto--africa",),
            "artist_ids": ("the-cure",),
            "album_ids": ("radiohead/kida",),
        },
    },
    "semantic_recall": {"facet words": {"query": "dark cold post-punk"}, "free words": {"query": "winter lights"}},
    "liked_songs": {"all": {}, "of an artist": {"artist_ids": ("the-cure",)}, "of a year": {"period": "2026"}},
    "history": {"all": {}, "most played": {"most_played": True}, "of a year": {"period": "2026"}},
    "taste_recall": {"likes": {}},
    "similar_artists": {
        "a track": {"track_ids": ("joy-division--disorder",)},
        "an artist": {"artist_ids": ("kaelan-mikla",)},
        "an album": {"album_ids": ("prince/1999",)},
    },
    "lyric_search": {
        "a line": {"query": "count the empty houses from the harbour to the sand"},
        "wrong words": {"query": "lantern on the waters lanters in my hands"},
    },
    "fresh": {"everything": {}, "an artist": {"artist_ids": ("the-cure",)}},
    "popular_within": {"an artist": {"artist_ids": ("the-cure",)}, "an album": {"album_ids": ("muse/absolution",)}},
    "generative_retriever": {"facet words": {"query": "dark cold post-punk"}, "free words": {"query": "winter lights"}},
}  # fmt: skip
BAD: dict[ToolName, dict[str, dict[str, Any]]] = {
    "catalog_search": {},
    "similar_tracks": {
        "no seed": {},
        "unknown track": {"track_ids": ("nobody--nothing",)},
        "unknown artist": {"artist_ids": ("nobody",)},
        "only words": {"query": "rain"},
    },
    "similar_artists": {"no seed": {}, "unknown artist": {"artist_ids": ("nobody",)}, "only words": {"query": "rain"}},
    "lyric_search": {"no words": {}, "blanks": {"query": "  "}, "only ids": {"artist_ids": ("the-cure",)}},
    "fresh": {},
    "popular_within": {"nothing to stay within": {}, "only words": {"query": "rain"}},
    "semantic_recall": {"no query": {}, "blanks": {"query": "  "}, "only ids": {"artist_ids": ("the-cure",)}},
    "liked_songs": {},
    "history": {},
    "taste_recall": {},
    "generative_retriever": {"no query": {}, "blanks": {"query": "  "}, "only ids": {"artist_ids": ("the-cure",)}},
}
OWN = (
    UNPLAYABLE,
    "the-cure--aforest",
    "joy-division--disorder",
    "siouxsie--christine",
    "theyr--rudolf",
    "toto--africa",
    "pink--so-what",
)
_POST_PUNK = constraint(0, "genre", "post-punk")
POPULAR = constraint(1, "popularity", "popular")
_POST_PUNKS = {"post-punk", "gothic-rock", "coldwave"}  # with the kinds of it that the tiny catalog has
Holds = Callable[[Track], bool]
LIMITS: dict[str, tuple[dict[str, Any], Holds]] = {
    "none": ({}, lambda t: True),
    "one of two genres": (
        {"constraints": (constraint(0, "genre", "post-punk", "gothic-rock"),)},
        lambda t: bool({"post-punk", "gothic-rock"} & set(t.genres)),
    ),
    "a region and a time": (
        {"constraints": (constraint(0, "region", "GB"), constraint(1, "era", "1979", "1981", op="range"))},
        lambda t: t.region == "GB" and t.year is not None and 1979 <= t.year <= 1981,
    ),
    "no sad moods": (
        {"constraints": (constraint(0, "mood", "dark", "tense", op="not"),)},
        lambda t: not {"dark", "tense"} & set(t.moods),
    ),
    "a tempo or unknown": (
        {"constraints": (constraint(0, "tempo", "", "100", op="range", unknown_ok=True),)},
        lambda t: t.bpm is None or t.bpm <= 100,
    ),
    "excluded artists": (
        {"constraints": (_POST_PUNK,), "exclude_artist_ids": ("the-cure", "joy-division")},
        lambda t: bool(_POST_PUNKS & set(t.genres)) and t.artists[0].artist_id not in ("the-cure", "joy-division"),
    ),
    "excluded tracks": (
        {"exclude_track_ids": ("the-cure--aforest", "siouxsie--christine", "theyr--rudolf")},
        lambda t: t.track_id not in ("the-cure--aforest", "siouxsie--christine", "theyr--rudolf"),
    ),
    "what nothing holds": ({"constraints": (constraint(0, "genre", "polka"),)}, lambda t: False),
}
starts = pytest.mark.parametrize(
    ("tool", "start"),
    [pytest.param(name, start, id=f"{name}-{case}") for name, given in STARTS.items() for case, start in given.items()],
)
limits = pytest.mark.parametrize(("limit", "holds"), LIMITS.values(), ids=LIMITS.keys())


def _context(index: EmbeddedIndex, **settings: Any) -> ToolContext:
    plays = {name: (place + 0.1, place + 0.2) for place, name in enumerate(OWN)}
    return ToolContext(index, ExecuteSettings(**settings), listener(index, likes=OWN, plays=plays))


def test_every_tool_is_under_the_contract() -> None:
    """No registered tool is missing from the table, and each is registered under its own name."""
    assert set(STARTS) == set(TOOLS)
    assert all(tool.name == name for name, tool in TOOLS.items())
    assert all(tool.card.strip() and len(tool.card.split()) <= MOST_CARD_WORDS for tool in TOOLS.values())


@starts
@limits
def test_returns_only_what_the_arguments_allow(
    tiny_index: EmbeddedIndex, tool: ToolName, start: dict[str, Any], limit: dict[str, Any], holds: Holds
) -> None:
    """What comes back is playable, of the catalog, without repetition, within constraints and exclusions, and remembered."""
    context = _context(tiny_index)
    found = TOOLS[tool].run(ToolArgs.model_validate({**start, **limit, "limit": 200}), context)
    records = tiny_index.by_ids(found)

    assert len(set(found)) == len(found)
    assert set(records) == set(found)
    for track_id in found:
        assert records[track_id].track.playable
        assert holds(records[track_id].track)
        assert context.seen[track_id] == records[track_id]


@starts
def test_finds_something_where_there_is_something(tiny_index: EmbeddedIndex, tool: ToolName, start: dict[str, Any]) -> None:
    """Without conditions every start leads to tracks, so that the contract is not held by silence."""
    found = TOOLS[tool].run(ToolArgs.model_validate(start), _context(tiny_index, semantic_floor=-1.0))

    assert found
    assert UNPLAYABLE not in found


@starts
@pytest.mark.parametrize("limit", [1, 2, 200])
@pytest.mark.parametrize("conditions", [(), (_POST_PUNK,)], ids=["free", "within a genre"])
def test_keeps_the_limit_and_the_order(
    tiny_index: EmbeddedIndex, tool: ToolName, start: dict[str, Any], limit: int, conditions: tuple[Any, ...]
) -> None:
    """A limit cuts the list and does not change its beginning."""
    given = {**start, "constraints": conditions}
    whole = TOOLS[tool].run(ToolArgs.model_validate({**given, "limit": 200}), _context(tiny_index))
    cut = TOOLS[tool].run(ToolArgs.model_validate({**given, "limit": limit}), _context(tiny_index))

    assert cut == whole[:limit]


@starts
def test_the_same_call_gives_the_same_list(tiny_index: EmbeddedIndex, tool: ToolName, start: dict[str, Any]) -> None:
    """Two calls with fresh contexts agree to the last place."""
    args = ToolArgs.model_validate({**start, "constraints": (constraint(0, "region", "GB", "IS"),)})

    assert TOOLS[tool].run(args, _context(tiny_index)) == TOOLS[tool].run(args, _context(tiny_index))


@pytest.mark.parametrize(
    ("tool", "args"),
    [pytest.param(name, args, id=f"{name}-{case}") for name, given in BAD.items() for case, args in given.items()],
)
def test_refuses_arguments_that_do_not_suit(tiny_index: EmbeddedIndex, tool: ToolName, args: dict[str, Any]) -> None:
    """What a tool cannot start from is a ValueError that names the tool."""
    with pytest.raises(ValueError, match=tool):
        TOOLS[tool].run(ToolArgs.model_validate(args), _context(tiny_index))


@pytest.fixture(scope="module")
def empty_index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedIndex]:
    """An index of which no track may be played: the emptiest that can be built."""
    path = tmp_path_factory.mktemp("empty") / "index"
    gone = [track.model_copy(update={"playable": False}) for track in tracks() if track.track_id in LYRICS]
    build_index([*artists(), *gone], path, embedder=TinyEmbedder())
    index = open_tiny(path)
    yield index
    index.close()


@starts
def test_an_empty_catalog_gives_nothing(empty_index: EmbeddedIndex, tool: ToolName, start: dict[str, Any]) -> None:
    """Where nothing may be played a tool returns nothing, or says that it has nothing to start from."""
    try:
        found = TOOLS[tool].run(ToolArgs.model_validate(start), _context(empty_index, semantic_floor=-1.0))
    except ValueError as error:
        assert tool in str(error)
    except ToolFailedError:
        assert tool in BY_MODEL  # nothing to train one on
    else:
        assert found == []


def test_exact_search_is_complete_and_ordered(tiny_index: EmbeddedIndex) -> None:
    """Exact search returns every match, the more popular ones first."""
    found = TOOLS["catalog_search"].run(ToolArgs(constraints=(constraint(0, "region", "IS"),), limit=200), _context(tiny_index))
    everything = [tiny_index.track(row) for row in range(tiny_index.info.tracks)]
    expected = {entry.track.track_id for entry in everything if entry.track.region == "IS"}
    ranks = [tiny_index.by_ids([name])[name].popularity for name in found]

    assert set(found) == expected
    assert ranks == sorted(ranks, reverse=True)


def test_similar_tracks_leaves_its_seeds_out(tiny_index: EmbeddedIndex) -> None:
    """A track that the search starts from is no answer; the nearest ones are of its kind."""
    args = ToolArgs(track_ids=("joy-division--disorder", "joy-division--transmission"))
    found = TOOLS["similar_tracks"].run(args, _context(tiny_index))

    assert not {"joy-division--disorder", "joy-division--transmission"} & set(found)
    assert all(_POST_PUNKS & set(entry.track.genres) for entry in tiny_index.by_ids(found[:5]).values())


def test_each_seed_is_searched_by_itself(tiny_index: EmbeddedIndex) -> None:
    """What is nearest to either of two unlike seeds comes first, not what lies between them."""
    tool, context = TOOLS["similar_tracks"], _context(tiny_index)
    one, other = (tool.run(ToolArgs(artist_ids=(name,)), context) for name in ("kaelan-mikla", "radiohead"))
    both = tool.run(ToolArgs(artist_ids=("kaelan-mikla", "radiohead")), context)

    assert set(both[:2]) == {one[0], other[0]}
    assert set(both[:6]) <= {*one[:6], *other[:6]}


def test_recall_by_meaning_reads_words_too(tiny_index: EmbeddedIndex) -> None:
    """A track that holds the words comes back though nothing is near enough; without the switch it does not."""
    args = ToolArgs(query="something with hoppipolla")
    found = TOOLS["semantic_recall"].run(args, _context(tiny_index, semantic_floor=1.0))
    near = TOOLS["semantic_recall"].run(args, _context(tiny_index, semantic_floor=1.0, recall_words=False))
    within = TOOLS["semantic_recall"].run(
        args.model_copy(update={"constraints": (_POST_PUNK,)}), _context(tiny_index, semantic_floor=1.0)
    )

    assert "sigur-ros--hoppipolla" in found
    assert near == []
    assert "sigur-ros--hoppipolla" not in within


def test_recall_by_meaning_has_a_floor(tiny_index: EmbeddedIndex) -> None:
    """Without conditions a track must come near the words; the floor is a setting that changes what comes back."""
    args = ToolArgs(query="xylophone zeppelin quarry", limit=200)
    near = TOOLS["semantic_recall"].run(args, _context(tiny_index, semantic_floor=0.3))
    all_of_it = TOOLS["semantic_recall"].run(args, _context(tiny_index, semantic_floor=-1.0))

    assert near == []
    assert len(all_of_it) == tiny_index.info.tracks - 1


@pytest.mark.parametrize(
    ("intent", "expected"),
    [
        (Intent(kind="play", entities=(entity("artist", "toto"),)), ["catalog_search"]),
        (Intent(kind="similar", entities=(entity("track", "toto--africa", "seed"),)), ["similar_tracks", "similar_artists"]),
        (Intent(kind="discover", constraints=(_POST_PUNK,)), ["catalog_search", "semantic_recall"]),
        (Intent(kind="discover", free_text="rain"), ["semantic_recall"]),
        (Intent(kind="discover", entities=(entity("artist", "toto", "exclude"),)), ["catalog_search"]),
        (Intent(kind="discover", constraints=(constraint(0, "genre", "pop", op="not"),)), ["catalog_search"]),
        (Intent(kind="lyric", free_text="lanterns on the water"), ["semantic_recall", "lyric_search"]),
        (Intent(kind="play", entities=(entity("artist", "toto"),), order="newest"), ["catalog_search", "fresh"]),
        (Intent(kind="discover", constraints=(constraint(0, "era", "new"),)), ["catalog_search", "semantic_recall", "fresh"]),
        (Intent(kind="discover", constraints=(POPULAR,)), ["catalog_search", "semantic_recall"]),
        (Intent(kind="discover", constraints=(POPULAR, _POST_PUNK)), ["catalog_search", "semantic_recall", "popular_within"]),
        (Intent(kind="other"), []),
        (Intent(kind="personal", personal="liked", constraints=(_POST_PUNK,), free_text="rain"), ["liked_songs"]),
        (Intent(kind="personal", personal="history", entities=(entity("artist", "toto"),)), ["history"]),
    ],
    ids=[
        "a name",
        "a seed",
        "a facet",
        "words",
        "a name to leave out",
        "a facet to leave out",
        "lyrics",
        "the newest",
        "new",
        "popular",
        "popular of a kind",
        "nothing",
        "liked",
        "history",
    ],
)
def test_eligible(intent: Intent, expected: list[str]) -> None:
    """Only tools that get what they need from the intent are offered."""
    assert [tool.name for tool in eligible_tools(intent)] == expected
