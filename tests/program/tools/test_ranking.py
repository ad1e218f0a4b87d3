from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.catalog.schema import Credit, Track, VersionKind
from data.contracts import Candidate, Intent
from program.index.protocol import TrackEntry
from program.settings import ExecuteSettings
from program.tools.ranking import choose, feature_means, features, lifted, rank
from program.tools.weights import AFFINITY, HAND_SET, Weights
from tests.sessions import constraint, entity

DARK = constraint(0, "mood", "dark")
NORDIC = constraint(1, "region", "nordic")
SETTINGS = ExecuteSettings()


def _entry(track_id: str, *, artist: str = "a", popularity: float = 0.5, version: VersionKind = "original") -> TrackEntry:
    track = Track(track_id=track_id, title=track_id, artists=(Credit(artist_id=artist, name=artist),), version=version)
    return TrackEntry(0, track, popularity)


def _candidate(track_id: str, score: float = 0.5, **held: str) -> Candidate:
    return Candidate.model_validate({"track_id": track_id, "score": score, "route_ranks": {}, "satisfies": held})


def _order(candidates: list[Candidate], entries: dict[str, TrackEntry], intent: Intent) -> list[str]:
    return [candidate.track_id for candidate in rank(candidates, entries, intent)]


def test_features_are_shares() -> None:
    """Relevance is relative to the best, constraints count what is known to hold, a live version is no original."""
    found = features(
        _candidate("x", 0.2, c0="yes", c1="unknown"), _entry("x", popularity=0.7, version="live"), 0.8, [DARK, NORDIC]
    )

    assert found == {"relevance": pytest.approx(0.25), "constraints": 0.5, "popularity": 0.7, "original": 0.0}
    assert features(_candidate("x", 0.0), _entry("x"), 0.0, []) == {
        "relevance": 0.0, "constraints": 1.0, "popularity": 0.5, "original": 1.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("better", "worse", "better_entry", "worse_entry"),
    [
        (_candidate("b", 0.9), _candidate("a", 0.1), {}, {}),
        (_candidate("b", c0="yes"), _candidate("a", c0="no"), {}, {}),
        (_candidate("b", c0="yes"), _candidate("a", c0="unknown"), {}, {}),
        (_candidate("b"), _candidate("a"), {"popularity": 0.9}, {"popularity": 0.1}),
        (_candidate("b"), _candidate("a"), {}, {"version": "live"}),
        (_candidate("a"), _candidate("b"), {}, {}),
    ],
    ids=["relevance", "constraints", "unknown is not held", "popularity", "original", "ties by id"],
)
def test_each_feature_decides_alone(
    better: Candidate, worse: Candidate, better_entry: dict[str, object], worse_entry: dict[str, object]
) -> None:
    """With all else equal one feature puts a track first, whatever order it came in."""
    entries = {
        better.track_id: _entry(better.track_id, **better_entry),  # type: ignore[arg-type]
        worse.track_id: _entry(worse.track_id, **worse_entry),  # type: ignore[arg-type]
    }
    intent = Intent(kind="discover", constraints=(DARK,))

    assert _order([worse, better], entries, intent) == [better.track_id, worse.track_id]
    assert _order([better, worse], entries, intent) == [better.track_id, worse.track_id]


def test_what_was_asked_outweighs_fame() -> None:
    """A little-known track that holds the constraint stands before a famous one that does not."""
    entries = {"niche": _entry("niche", popularity=0.01), "hit": _entry("hit", popularity=0.99)}
    ranked = _order(
        [_candidate("hit", c0="no"), _candidate("niche", c0="yes")], entries, Intent(kind="discover", constraints=(DARK,))
    )

    assert ranked == ["niche", "hit"]


def test_fame_counts_little_by_meaning() -> None:
    """Among tracks found by meaning alone the nearer one stands first, where a facet search lets the famous one pass."""
    entries = {"near": _entry("near", popularity=0.0), "hit": _entry("hit", popularity=1.0)}
    candidates = [_candidate("near", 1.0), _candidate("hit", 0.8)]
    intent = Intent(kind="discover", free_text="rain")
    by_meaning = [candidate.track_id for candidate in rank(candidates, entries, intent, by_meaning=True)]
    otherwise = [candidate.track_id for candidate in rank(candidates, entries, intent, by_meaning=False)]

    assert by_meaning == ["near", "hit"]
    assert otherwise == ["hit", "near"]


def _placed(pairs: list[tuple[Candidate, float]], intent: Intent, weights: Weights = HAND_SET) -> list[str]:
    """The order of candidates, each with how near it is to the taste."""
    entries = {candidate.track_id: _entry(candidate.track_id) for candidate, _ in pairs}
    near = {candidate.track_id: affinity for candidate, affinity in pairs}
    return [one.track_id for one in rank([one for one, _ in pairs], entries, intent, weights=weights, affinity=near)]


def test_taste_decides_among_equals_only() -> None:
    """The nearer track stands first where both hold what is asked, and never before one that holds more of it."""
    intent = Intent(kind="discover", constraints=(DARK,))
    equal = [(_candidate("a", c0="yes"), 0.0), (_candidate("b", c0="yes"), 1.0)]
    unequal = [(_candidate("a", 0.1, c0="yes"), 0.0), (_candidate("b", 0.9, c0="unknown"), 1.0)]

    assert _placed(equal, intent) == ["b", "a"]
    assert _placed(unequal, intent) == ["a", "b"]


@given(st.lists(st.tuples(st.sampled_from(["yes", "no"]), st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12))
def test_no_place_holds_less_of_what_is_asked(drawn: list[tuple[str, float, float]]) -> None:
    """Whatever the taste and whatever was learned: at every place as much of the request holds as by hand."""
    intent = Intent(kind="discover", constraints=(DARK,))
    made = [(_candidate(f"t{number:02d}", score, c0=held), near) for number, (held, score, near) in enumerate(drawn)]
    held = {candidate.track_id: candidate.satisfies["c0"] for candidate, _ in made}
    entries = {name: _entry(name) for name in held}
    wild = Weights({"relevance": -3.0, AFFINITY: 9.0, "constraints": -5.0}, {}, "wild")
    plain = _order([candidate for candidate, _ in made], entries, intent)
    known = _placed(made, intent, wild)

    assert [held[name] for name in known] == [held[name] for name in plain]
    assert sorted(known) == sorted(plain)


def test_an_own_set_keeps_its_order() -> None:
    """Neither fame nor taste reorders what the listener liked last."""
    entries = {"old": _entry("old", popularity=1.0), "new": _entry("new", popularity=0.0)}
    candidates = [_candidate("old", 0.1), _candidate("new", 0.9)]

    assert _order(candidates, entries, Intent(kind="personal", personal="liked")) == ["new", "old"]


def test_what_lifted_a_track() -> None:
    """Each feature's weighted lead over the mean, the strongest first; what held the track back is left out."""
    intent = Intent(kind="discover", constraints=(DARK,))
    entries = {"a": _entry("a", popularity=1.0), "b": _entry("b", popularity=0.0)}
    ranked = rank([_candidate("a", 0.5), _candidate("b", 1.0)], entries, intent)
    means, weights = feature_means(ranked), {"relevance": 1.0, "popularity": 0.4}
    gains = {one.track_id: lifted(one, means, weights) for one in ranked}

    assert gains == {"a": {"popularity": pytest.approx(0.2)}, "b": {"relevance": pytest.approx(0.25)}}


def _list(*artists: str) -> tuple[list[Candidate], dict[str, TrackEntry]]:
    names = [f"t{n:02d}" for n in range(len(artists))]
    entries = {name: _entry(name, artist=artist) for name, artist in zip(names, artists, strict=True)}
    return [_candidate(name) for name in names], entries


@pytest.mark.parametrize(
    ("artists", "size", "share", "expected"),
    [
        ("aaaabcde", 4, 0.25, "abcd"),
        ("aaaabcde", 8, 0.25, "aaaabcde"),
        ("aaabbbcc", 4, 0.5, "aabb"),
        ("aaaaab", 4, 0.25, "aaab"),
        ("aaaa", 2, 0.25, "aa"),
        ("abcd", 2, 0.25, "ab"),
        ("aaaabbbb", 4, 1.0, "aaaa"),
        ("abc", 5, 0.25, "abc"),
    ],
    ids=[
        "one each",
        "the cap gives way when the list would be short",
        "half each",
        "it gives way only as far as needed",
        "a single artist",
        "nothing to cap",
        "no cap",
        "fewer than asked",
    ],
)
def test_choose_caps_an_artist(artists: str, size: int, share: float, expected: str) -> None:
    """One artist gets at most its share, unless the list would come up short; the order stays."""
    ranked, entries = _list(*artists)
    chosen = choose(
        ranked, entries, Intent(kind="discover", size=size), SETTINGS.model_copy(update={"max_share_per_artist": share})
    )

    assert "".join(entries[candidate.track_id].track.artists[0].artist_id for candidate in chosen) == expected
    assert [candidate for candidate in ranked if candidate in chosen] == chosen


@pytest.mark.parametrize("entity_type", ["artist", "album"])
def test_choose_does_not_cap_what_was_named(entity_type: str) -> None:
    """All of a named artist or album may come back, whatever the cap."""
    ranked, entries = _list(*"aaaab")
    named = entity(entity_type, "a")  # type: ignore[arg-type]
    chosen = choose(ranked, entries, Intent(kind="play", entities=(named,), size=4), SETTINGS)

    assert chosen == ranked[:4]


@pytest.mark.parametrize(
    ("artists", "named", "size", "expected"),
    [
        ("aaaabbc", "abc", 5, "abcab"),
        ("aaaab", "ab", 4, "abaa"),
        ("xaaab", "ab", 5, "abaax"),
        ("bbaa", "ab", 4, "baba"),
        ("aaab", "a", 3, "aaa"),
    ],
    ids=["in turn", "the rest follows", "nobody's comes last", "the best ranked begins", "one name has no turns"],
)
def test_named_artists_take_turns(artists: str, named: str, size: int, expected: str) -> None:
    """Of several named artists none fills the list before the others are in."""
    ranked, entries = _list(*artists)
    intent = Intent(kind="play", entities=tuple(entity("artist", name) for name in named), size=size)
    chosen = choose(ranked, entries, intent, SETTINGS)
    newest = choose(ranked, entries, intent.model_copy(update={"order": "newest"}), SETTINGS)

    assert "".join(entries[candidate.track_id].track.artists[0].artist_id for candidate in chosen) == expected
    assert newest == ranked[:size]


def test_a_named_track_stays_before_the_turns() -> None:
    """A track that is named itself stands first though its artist is not named; the others take turns behind it."""
    ranked, entries = _list(*"xaab")
    named = (entity("track", "t00"), entity("artist", "a"), entity("artist", "b"))
    chosen = choose(ranked, entries, Intent(kind="play", entities=named, size=4), SETTINGS)

    assert [candidate.track_id for candidate in chosen] == ["t00", "t01", "t03", "t02"]


def test_the_cap_holds_on_a_whole_list() -> None:
    """In a list of twenty no artist has more than a quarter when there are enough others."""
    ranked, entries = _list(*"aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd")
    chosen = choose(ranked, entries, Intent(kind="discover", size=20), SETTINGS)
    counts = Counter(entries[candidate.track_id].track.artists[0].artist_id for candidate in chosen)

    assert len(chosen) == 20
    assert set(counts.values()) == {5}
