from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data.catalog.schema import Credit, Track
from program.index import space
from program.index.embedder import DIMENSIONS, unit
from program.index.space import Part, PartCensus, VectorSpace, project, title_words, track_parts
from tests.program.index.conftest import Open
from tests.tiny import TinyEmbedder, build_tiny, tracks

ROCK: Part = ("genre", "rock")
SAD: Part = ("mood", "sad")


def track(title: str = "Rain", artist: str = "Ada", **facets: Any) -> Track:
    return Track(track_id="t", title=title, artists=(Credit(artist_id="a", name=artist),), **facets)


def census_of(*counted: Track) -> PartCensus:
    census = PartCensus()
    for item in counted:
        census.add(item)
    return census


@pytest.fixture(scope="module")
def plain() -> VectorSpace:
    """The space of one track, not projected."""
    return VectorSpace.build(census_of(track(tags=("rainy",))), TinyEmbedder(), tracks=1)


def embedded(*texts: str) -> np.ndarray[Any, Any]:
    return TinyEmbedder().embed(list(texts))


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Purple Rain (Live)", ["purple", "rain"]),
        ("I Am an Ox", []),
        ("Hello - Remastered 2011", ["hello"]),
        ("Næturblóm", ["naeturblom"]),
    ],
)
def test_title_words(title: str, words: list[str]) -> None:
    """Words of three letters and more mean something; version remarks do not."""
    assert title_words(title) == words


def test_parts() -> None:
    """Each facet value, tag, artist and title word is a part; a title counts once, split over its words."""
    parts = dict(track_parts(track("Purple Rain", genres=("rock",), moods=("sad", "dark"), region="IS", year=1984, tags=("x",))))

    assert set(parts) == {
        ROCK, SAD, ("mood", "dark"), ("region", "IS"), ("era", "1980s"), ("tag", "x"), ("artist", "Ada"),
        ("title", "purple"), ("title", "rain"),
    }  # fmt: skip
    assert parts[("title", "purple")] + parts[("title", "rain")] == pytest.approx(space.WEIGHTS["title"])


def test_census() -> None:
    """The census names each artist, title word and tag once, and all concepts whether used or not."""
    texts = census_of(track("Rain Song", tags=("wet",)), track("Rain", tags=("wet",)), track("Sun", artist="Bob")).texts()
    own = {part: text for part, text in texts.items() if part[0] in ("artist", "title", "tag")}

    assert own == {
        ("artist", "Ada"): "Ada", ("artist", "Bob"): "Bob", ("title", "rain"): "rain", ("title", "song"): "song",
        ("title", "sun"): "sun", ("tag", "wet"): "wet",
    }  # fmt: skip
    assert texts[("genre", "post-punk")] == "Post-punk music"
    assert texts[("region", "IS")] == "music from Iceland"


def test_rare_words_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the commonest title words are worth an embedding."""
    monkeypatch.setattr(space, "TITLE_WORDS", 1)
    texts = census_of(track("Rain"), track("Rain"), track("Sun")).texts()

    assert [part for part in texts if part[0] == "title"] == [("title", "rain")]


def test_compose(plain: VectorSpace) -> None:
    """A track's vector is the weighted sum of its parts' vectors, scaled to unit length."""
    composed = plain.compose([[(ROCK, 1.0), (SAD, 0.5)], [(SAD, 2.0)]])
    rock, sad = embedded("Rock music", "Sad")

    assert composed[0] == pytest.approx(unit(rock + 0.5 * sad), abs=1e-5)
    assert composed[1] == pytest.approx(sad, abs=1e-5)


def test_compose_keeps_rows_apart(plain: VectorSpace) -> None:
    """Tracks without any known part get a zero vector, and the rows after them keep their place."""
    unknown: list[tuple[Part, float]] = [(("genre", "no such"), 1.0)]
    composed = plain.compose([unknown, [(SAD, 1.0)], [], [*unknown, (ROCK, 1.0)], unknown])

    assert np.linalg.norm(composed, axis=1) == pytest.approx([0, 1, 0, 1, 0], abs=1e-5)
    assert composed[3] == pytest.approx(embedded("Rock music")[0], abs=1e-5)


def test_compose_nothing(plain: VectorSpace) -> None:
    """No tracks have no vectors."""
    assert plain.compose([]).shape == (0, DIMENSIONS)


def test_tags_and_titles_have_vectors(plain: VectorSpace) -> None:
    """What only this catalog says has a place in its space."""
    parts = [(("tag", "rainy"), 1.0), (("title", "rain"), 1.0), (("artist", "Ada"), 1.0)]

    assert np.linalg.norm(plain.compose([[part] for part in parts]), axis=1) == pytest.approx([1, 1, 1], abs=1e-5)


def test_small_catalogs_are_not_projected(plain: VectorSpace) -> None:
    """Below the bound vectors keep the embedder's dimensions, and a text's vector stays as it is."""
    vector = embedded("rain")[0]

    assert (plain.dims, plain.projection) == (DIMENSIONS, None)
    assert project(vector, None) is vector


def test_projection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the bound the parts live in their principal components, and texts are brought there too."""
    monkeypatch.setattr(space, "PROJECT_ABOVE", 0)
    made = VectorSpace.build(census_of(*tracks()), TinyEmbedder(), tracks=len(tracks()))

    assert made.projection is not None
    assert made.projection.shape == (DIMENSIONS, space.PROJECTED_DIMENSIONS)
    assert made.projection.T @ made.projection == pytest.approx(np.eye(space.PROJECTED_DIMENSIONS), abs=1e-4)
    text = project(embedded("Rock music")[0], made.projection)
    assert np.linalg.norm(text) == pytest.approx(1.0, abs=1e-5)
    assert text == pytest.approx(made.compose([[(ROCK, 1.0)]])[0], abs=1e-4)


def test_projected_index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, opened: Open) -> None:
    """A projected index is smaller and finds a track by itself and by its words."""
    monkeypatch.setattr(space, "PROJECT_ABOVE", 0)
    manifest = build_tiny(tmp_path / "index")
    index = opened(tmp_path / "index")
    row = index.by_ids(["the-hu--wolftotem"])["the-hu--wolftotem"].row

    assert manifest["dims"] == space.PROJECTED_DIMENSIONS
    assert index.track_vectors([row]).shape == index.embed("rain")[None, :].shape == (1, space.PROJECTED_DIMENSIONS)
    assert index.nearest(index.track_vectors([row])[0], 1)[0][0] == row
    nearest = index.track(index.nearest(index.embed("Folk metal music"), 1)[0][0])
    assert nearest.track.artists[0].name == "The HU"


def test_progress() -> None:
    """Embedding reports how far it is and ends on the total."""
    seen: list[tuple[int, int]] = []
    VectorSpace.build(census_of(track()), TinyEmbedder(), tracks=1, on_progress=lambda done, total: seen.append((done, total)))

    assert seen[-1][0] == seen[-1][1]
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
