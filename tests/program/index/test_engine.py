from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from data.contracts import Constraint, Facet, Op
from data.names import name_key
from program.index.documents import text_words
from program.index.engine import EmbeddedIndex
from program.index.protocol import Filter
from tests.tiny import open_tiny, track_id


def entities(index: EmbeddedIndex, text: str) -> list[tuple[str, str, str]]:
    """(type, id, match kind) of all that answers to `text`."""
    hits = index.lookup([name_key(text)]).get(name_key(text))
    found: list[tuple[str, str, str]] = []
    for posting in hits.postings if hits else ():
        if posting.entity_type == "track":
            identity = index.track(posting.row).track.track_id
        elif posting.entity_type == "artist":
            identity = index.artist(posting.row).artist.artist_id
        else:
            identity = index.album(posting.row).album_id
        found.append((posting.entity_type, identity, posting.kind))
    return found


def constraint(facet: Facet, *values: str, op: Op = "is", unknown_ok: bool = False) -> Constraint:
    return Constraint(constraint_id="c0", facet=facet, op=op, values=values, strength="soft", unknown_ok=unknown_ok)


def ids(index: EmbeddedIndex, where: Filter, limit: int = 200) -> list[str]:
    return [index.track(row).track.track_id for row in index.search(where, limit).rows]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Africa", [("track", "toto--africa", "exact")]),
        ("metallica", [("artist", "metallica", "exact"), ("album", "metallica/metallica", "exact")]),
        ("周杰倫", [("artist", "jay-chou", "alias")]),
        ("Sunny Day", [("track", "jay-chou--晴天", "alias")]),
        ("Pink", [("artist", "pink", "normalised")]),
        ("Beatles", [("artist", "the-beatles", "normalised")]),
        ("Zhou Jielun", [("artist", "jay-chou", "transliterated")]),
        ("qing tian", [("track", "jay-chou--晴天", "transliterated")]),
        ("!!!", [("artist", "chk-chk-chk", "exact")]),
        ("ac dc", [("artist", "acdc", "exact")]),
        ("21 Pilots", [("artist", "twenty-one-pilots", "exact")]),
        ("blink 182", [("artist", "blink-182", "exact")]),
        ("thriller", []),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_lookup(tiny_index: EmbeddedIndex, text: str, found: list[tuple[str, str, str]]) -> None:
    """A name is found by any of its spellings, with the kind of match and every entity that answers to it."""
    assert entities(tiny_index, text) == found


def test_lookup_of_several_keys(tiny_index: EmbeddedIndex) -> None:
    """One call answers many keys; unknown and repeated ones do no harm, and no keys need no search."""
    found = tiny_index.lookup(["kaleidoscope", "nothing like it", "1999", "1999", ""])

    assert set(found) == {"kaleidoscope", "1999"}
    assert [posting.entity_type for posting in found["kaleidoscope"].postings] == ["artist", "album"]
    assert found["1999"].of("track")[0].popularity > 0.5
    assert tiny_index.lookup([]) == {}


def test_namesakes_have_their_popularity(tiny_index: EmbeddedIndex) -> None:
    """Two tracks of one title are two postings, each with its percentile."""
    hello = tiny_index.lookup(["hello"])["hello"]

    assert hello.total == 2
    assert len({posting.popularity for posting in hello.of("track")}) == 1
    assert hello.of("artist") == ()


def test_a_remark_finds_the_original(tiny_index: EmbeddedIndex) -> None:
    """A live version answers to its plain title too, after the originals of that title."""
    found = entities(tiny_index, "running up that hill")

    assert found[0] == ("track", "kate-bush--runningupthathill", "exact")
    assert set(found[1:]) == {
        ("track", "placebo--runningupthathill", "exact"),
        ("track", "kate-bush--runningupthathilllive", "normalised"),
    }


@pytest.mark.parametrize(
    ("word", "distance", "found"),
    [
        ("metalica", 1, {"metallica"}),
        ("metlalica", 1, {"metallica"}),
        ("mettalica", 1, set()),
        ("mettalica", 2, {"metallica"}),
        ("siouxie", 1, {"siouxsie"}),
        ("daftpnuk", 1, {"daftpunk"}),
        ("hello", 0, {"hello"}),
        ("zzzzzzz", 2, set()),
    ],
)
def test_near_words(tiny_index: EmbeddedIndex, word: str, distance: int, found: set[str]) -> None:
    """Words of names within the distance come back; swapped neighbours are one edit, an artist's whole name is one word."""
    assert {near.word for near in tiny_index.near_words(word, distance, 9) if near.weight >= 0} == found


def test_near_words_are_told_from_everyday_ones(tiny_index: EmbeddedIndex) -> None:
    """Everyday words that no name uses come back too, marked; the nearest first, then the best known."""
    near = tiny_index.near_words("hallo", 1, 20)

    assert [word.distance for word in near] == sorted(word.distance for word in near)
    assert {word.word: word.weight >= 0 for word in near}.items() >= {"hello": True, "halo": True, "hallo": False}.items()
    assert {word.word for word in near if word.common} >= {"hallo", "hello"}
    assert tiny_index.is_everyday_word("kitchen") and not tiny_index.is_everyday_word("makthaverskan")


def test_words_sounding_like(tiny_index: EmbeddedIndex) -> None:
    """Words of names that are said alike come back, the most alike in writing first."""
    assert [near.word for near in tiny_index.words_sounding_like("seagurr", 5) if near.weight >= 0] == ["sigur"]
    assert tiny_index.words_sounding_like("metalyka", 5)[0].word == "metallica"
    assert tiny_index.words_sounding_like("xyz", 5) == []


@pytest.mark.parametrize(
    ("where", "found"),
    [
        (Filter(artist_ids=("jay-chou",)), ["jay-chou--晴天", "jay-chou--稻香", "jay-chou--七里香"]),
        (Filter(album_ids=("prince/1999",)), ["prince--1999", "prince--littleredcorvette"]),
        (Filter(track_ids=("toto--africa", "nobody--nothing")), ["toto--africa"]),
        (Filter(title_keys=("hello",)), ["adele--hello", "lionel-richie--hello"]),
        (Filter(title_keys=("hello",), artist_ids=("lionel-richie",)), ["lionel-richie--hello"]),
        (Filter(title_keys=("sunnyday",)), ["jay-chou--晴天"]),
        (Filter(artist_ids=("adele",), not_track_ids=("adele--hello",)), ["adele--someonelikeyou", "adele--rollinginthedeep"]),
        (Filter(title_keys=("hello",), not_artist_ids=("adele",)), ["lionel-richie--hello"]),
        (Filter(artist_ids=("taylor-swift",), title_keys=("lovestory",)), []),
        (Filter(constraints=(constraint("region", "IS"), constraint("vocal", "mixed"))), ["kukl--dismembered"]),
        (Filter(artist_ids=("nobody",)), []),
    ],
    ids=["artist", "album", "track", "title", "both", "alias", "not track", "not artist", "unplayable", "facets", "unknown"],
)
def test_search(tiny_index: EmbeddedIndex, where: Filter, found: list[str]) -> None:
    """Every given condition holds, tracks that cannot be played are left out, and the most popular come first."""
    assert ids(tiny_index, where) == found
    assert tiny_index.count(where) == len(found)


def test_named_things_are_alternatives(tiny_index: EmbeddedIndex) -> None:
    """Tracks, artists and albums that a request names together are one set to choose from."""
    where = Filter(track_ids=("toto--africa",), artist_ids=("adele",), album_ids=("prince/1999",))

    assert len(ids(tiny_index, where)) == 6


def test_search_limit(tiny_index: EmbeddedIndex) -> None:
    """At most `limit` rows come back, and how many match in all."""
    hits = tiny_index.search(Filter(constraints=(constraint("genre", "post-punk"),)), 3)

    assert len(hits.rows) == 3
    assert hits.total == 39
    popularity = [tiny_index.track(row).popularity for row in hits.rows]
    assert popularity == sorted(popularity, reverse=True)


def test_search_for_nothing(tiny_index: EmbeddedIndex) -> None:
    """A limit of 0 gives no rows."""
    assert tiny_index.search(Filter(), 0).rows == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("hill", {"kate-bush--runningupthathill", "kate-bush--runningupthathilllive", "placebo--runningupthathill"}),
        ("hill placebo", {"placebo--runningupthathill"}),
        ("abbey road", {"the-beatles--herecomesthesun"}),
        ("sigur ros takk", {"sigur-ros--hoppipolla", "sigur-ros--saeglopur"}),
        ("晴天", {"jay-chou--晴天"}),
        ("hill nowhere", set()),
    ],
)
def test_text_search(tiny_index: EmbeddedIndex, text: str, found: set[str]) -> None:
    """Each word occurs in title, artist, album or tags; Chinese is searched by character."""
    assert set(ids(tiny_index, Filter(text=text_words(text)))) == found


@pytest.mark.parametrize(
    ("words", "first", "rest"),
    [
        ("hill placebo", ["placebo--runningupthathill"], {"kate-bush--runningupthathill", "kate-bush--runningupthathilllive"}),
        ("nowhere placebo nowhere", ["placebo--runningupthathill"], set()),
        ("晴 天", ["jay-chou--晴天"], set()),
        ("nowhere", [], set()),
        ("", [], set()),
    ],
)
def test_sharing_words(tiny_index: EmbeddedIndex, words: str, first: list[str], rest: set[str]) -> None:
    """One shared word is enough; tracks that share more and rarer words stand first."""
    found = [tiny_index.track(row).track.track_id for row in tiny_index.sharing_words(words, 20)]

    assert found[: len(first)] == first
    assert rest <= set(found[len(first) :])
    assert bool(found) == bool(first)


def test_sharing_words_leaves_common_words_out(tiny_index: EmbeddedIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """A word that too many tracks hold is not searched for, the others of the request are."""
    monkeypatch.setattr("program.index.engine._COMMON_WORD", 2)
    found = [tiny_index.track(row).track.track_id for row in tiny_index.sharing_words("hill abbey", 20)]

    assert found == ["the-beatles--herecomesthesun"]
    assert tiny_index.sharing_words("hill", 20) == []


def test_text_search_ranks_by_match(tiny_index: EmbeddedIndex) -> None:
    """With words the best match comes first, though another track is more popular."""
    found = ids(tiny_index, Filter(text="metallica"))

    assert set(found[:2]) == {"metallica--entersandman", "metallica--nothingelsematters"}
    assert ids(tiny_index, Filter(artist_ids=("metallica",)))[0] == "metallica--entersandman"


@pytest.mark.parametrize(
    ("facet", "value", "strict", "softened"),
    [("genre", "jazz", 6, 8), ("era", "1950s", 4, 6), ("popularity", "niche", 54, 56)],
)
def test_unknown_ok(tiny_index: EmbeddedIndex, facet: Facet, value: str, strict: int, softened: int) -> None:
    """A softened constraint accepts tracks whose record does not say, and no others besides."""
    one = tiny_index.count(Filter(constraints=(constraint(facet, value),)))
    other = tiny_index.count(Filter(constraints=(constraint(facet, value, unknown_ok=True),)))

    assert (one, other) == (strict, softened)


def test_exclusion_keeps_the_unknown(tiny_index: EmbeddedIndex) -> None:
    """What a record does not say cannot be held against it."""
    found = ids(tiny_index, Filter(constraints=(constraint("genre", "rock", "pop", op="not"),)))

    assert {"mystery-tape--sidea", "mystery-tape--sideb"} <= set(found)
    assert not {track_id("queen", "Radio Ga Ga"), track_id("joy-division", "Disorder")} & set(found)


def test_facet_counts(tiny_index: EmbeddedIndex) -> None:
    """Values are counted with everything wider than them, most frequent first, over the matches only."""
    everywhere = tiny_index.facet_counts(Filter(), "genre", limit=3)
    nordic = tiny_index.facet_counts(Filter(constraints=(constraint("genre", "post-punk"),)), "region")

    assert next(iter(everywhere)) == "rock"
    assert len(everywhere) == 3
    assert (nordic["nordic"], nordic["IS"], nordic["europe"]) == (20, 6, 39)
    assert list(nordic.values()) == sorted(nordic.values(), reverse=True)


def test_facet_counts_leave_out_the_unplayable(tiny_index: EmbeddedIndex) -> None:
    """Only tracks that an answer may hold are counted."""
    assert tiny_index.facet_counts(Filter(artist_ids=("taylor-swift",)), "genre") == {"pop": 3}


@pytest.mark.parametrize("facet", ["era", "tempo", "popularity", "colour"])
def test_uncountable_facets(tiny_index: EmbeddedIndex, facet: str) -> None:
    """Numbers and unknown facets have no values to count."""
    with pytest.raises(ValueError, match=facet):
        tiny_index.facet_counts(Filter(), facet)


def test_by_ids(tiny_index: EmbeddedIndex) -> None:
    """Tracks come by id, the unplayable too; unknown ids are left out."""
    found = tiny_index.by_ids(["toto--africa", "taylor-swift--lovestory", "nobody--nothing", ""])

    assert set(found) == {"toto--africa", "taylor-swift--lovestory"}
    assert found["toto--africa"].track.year == 1982
    assert tiny_index.track(found["toto--africa"].row) == found["toto--africa"]
    assert tiny_index.by_ids([]) == {}


def test_records(tiny_index: EmbeddedIndex) -> None:
    """Artists and albums come with what the index counted."""
    siouxsie = tiny_index.artist_by_id("siouxsie")
    row = tiny_index.lookup(["kaleidoscope"])["kaleidoscope"].of("album")[0].row
    album = tiny_index.album(row)

    assert siouxsie and (siouxsie.available_tracks, siouxsie.works) == (3, ("Spellbound", "Happy House", "Christine"))
    assert (album.album_id, album.artists) == ("siouxsie/kaleidoscope", ("Siouxsie and the Banshees",))
    assert album.works == ("Happy House", "Christine")
    assert tiny_index.artist_by_id("nobody") is None


def test_unplayable_tracks_are_not_available(tiny_index: EmbeddedIndex) -> None:
    """An artist's available tracks and works are those that an answer may hold."""
    entry = tiny_index.artist_by_id("taylor-swift")

    assert entry and entry.available_tracks == 3
    assert "Love Story" not in entry.works


def test_nothing_known(tiny_index: EmbeddedIndex) -> None:
    """A track of which nothing is known has a place in the middle of the popularity scale."""
    entry = tiny_index.by_ids(["mystery-tape--sidea"])["mystery-tape--sidea"]

    assert (entry.track.year, entry.track.genres, entry.track.popularity) == (None, (), None)
    assert 0.25 <= entry.popularity <= 0.75


def test_meaning(tiny_index: EmbeddedIndex) -> None:
    """Tracks that share the words of a text are nearest to it, best first, and vectors have unit length."""
    vector = tiny_index.embed("sad heartbroken pop")
    found = tiny_index.nearest(vector, 5)
    cosines = [cosine for _, cosine in found]

    assert vector.shape == (384,)
    assert cosines == sorted(cosines, reverse=True)
    assert {"sad", "heartbroken"} & set(tiny_index.track(found[0][0]).track.moods)
    assert np.linalg.norm(tiny_index.track_vectors([0, 1, 2]), axis=1) == pytest.approx(1.0, abs=0.01)


def test_a_track_is_nearest_to_itself(tiny_index: EmbeddedIndex) -> None:
    """The vector of a row is the vector of the track in that row."""
    row = tiny_index.by_ids(["kukl--dismembered"])["kukl--dismembered"].row
    found = tiny_index.nearest(tiny_index.track_vectors([row])[0], 3)

    assert found[0][0] == row
    assert found[0][1] == pytest.approx(1.0, abs=0.01)


def test_nearest_of_more_than_there_are(tiny_index: EmbeddedIndex) -> None:
    """Asking for more tracks than the catalog holds gives each once."""
    found = tiny_index.nearest(tiny_index.embed("music"), 10_000)

    assert sorted(row for row, _ in found) == list(range(tiny_index.info.tracks))


def test_vectors_of_no_rows(tiny_index: EmbeddedIndex) -> None:
    """No rows have vectors of shape (0, dims)."""
    assert tiny_index.track_vectors([]).shape == (0, 384)


def test_info(tiny_index: EmbeddedIndex, tiny_path: Path) -> None:
    """The counts of the manifest are those of the records."""
    info = tiny_index.info

    assert info.path == str(tiny_path)
    assert tiny_index.count(Filter()) == info.tracks - 1
    assert tiny_index.artist(info.artists - 1).artist.artist_id == "mystery-tape"
    assert tiny_index.album(info.albums - 1).available_tracks == 2


def test_many_readers(tiny_index: EmbeddedIndex) -> None:
    """Readers in several threads get what one reader gets."""
    keys = ["africa", "hello", "1999", "kaleidoscope"] * 8

    def read(key: str) -> tuple[str, int, bool]:
        hits = tiny_index.lookup([key])[key]
        return key, hits.total, tiny_index.artist_by_id("toto") is not None and len(tiny_index.track_vectors([0])) == 1

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(read, keys))

    assert found == list(map(read, keys))


def test_close(tiny_path: Path) -> None:
    """A closed index reads no more records; closing twice does no harm."""
    index = open_tiny(tiny_path)
    index.warm()
    index.close()
    index.close()

    with pytest.raises(ValueError, match="closed"):
        index.track(0)


@pytest.mark.parametrize("count", [1, 2, 100, 101, 500])
def test_many_ids_are_found_one_by_one_or_together(tiny_index: EmbeddedIndex, count: int) -> None:
    """However many ids are asked for, those that the catalog holds come back and no others."""
    known = [tiny_index.track(row).track.track_id for row in range(tiny_index.info.tracks)]
    asked = [*known[: count // 2], *(f"nobody--{number}" for number in range(count - count // 2))]

    assert set(tiny_index.by_ids(asked)) == set(known) & set(asked)
    assert set(ids(tiny_index, Filter(track_ids=tuple(asked)))) == {
        name for name, entry in tiny_index.by_ids(asked).items() if entry.track.playable
    }
