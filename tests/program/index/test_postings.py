from __future__ import annotations

from typing import Any

import pytest

from data.catalog.schema import Artist, Credit, Track
from data.surface import surface_code
from program.index.postings import PER_KEY
from tests.program.index.conftest import Build


def song(number: int, title: str = "Home", **facets: Any) -> Track:
    credit = (Credit(artist_id=f"a{number}", name=f"Artist {number}"),)
    return Track(track_id=f"t{number}", title=title, artists=credit, **facets)


def test_most_popular_are_kept(built: Build) -> None:
    """A common title keeps its most popular tracks and counts them all."""
    index = built([song(number, popularity=float(number)) for number in range(30)])
    home = index.lookup(["home"])["home"]

    assert home.total == 30
    assert [posting.row for posting in home.postings] == list(range(29, 29 - PER_KEY["track"], -1))


def test_types_do_not_crowd_each_other_out(built: Build) -> None:
    """Many tracks of a name hide neither the artist nor the album of that name."""
    tracks = [song(number, popularity=9.0) for number in range(30)]
    album = song(99, "Other", album="Home", popularity=1.0)
    index = built([Artist(artist_id="home", name="Home", popularity=1.0), *tracks, album])
    home = index.lookup(["home"])["home"]

    assert (len(home.of("artist")), len(home.of("album")), home.total) == (1, 1, 32)


@pytest.mark.parametrize(
    ("aliases", "kind"), [(("Home",), "exact"), (("HOME!",), "exact"), (("The Home",), "exact"), ((), "exact")]
)
def test_an_alias_never_hides_the_name(built: Build, aliases: tuple[str, ...], kind: str) -> None:
    """An alias that has the name's own key leaves the match exact, and the entity is listed once."""
    hits = built([song(1, aliases=aliases)]).lookup(["home"])["home"]

    assert [posting.kind for posting in hits.postings] == [kind]


@pytest.mark.parametrize("field", ["aliases", "former_names", "transliterations"])
def test_other_names_of_artists(built: Build, field: str) -> None:
    """Every list of other names finds the artist."""
    artist = Artist.model_validate({"artist_id": "a1", "name": "Artist 1", field: ("Other Name",)})
    hits = built([artist, song(1)]).lookup(["othername"])["othername"]

    assert [(posting.entity_type, posting.kind) for posting in hits.postings] == [("artist", "alias")]


def test_a_rare_writing_is_kept(built: Build) -> None:
    """A title written in another way than many better known ones is kept beside them, with its writing."""
    tracks = [song(number, popularity=float(number + 1)) for number in range(30)]
    hits = built([*tracks, song(99, "HOME", popularity=0.5)]).lookup(["home"])["home"]

    assert hits.total == 31
    assert [posting.row for posting in hits.postings if posting.surface == surface_code("HOME")] == [30]
    assert {posting.surface for posting in hits.postings} == {surface_code("Home"), surface_code("HOME")}


def test_an_alias_has_its_own_writing(built: Build) -> None:
    """What is found by an alias carries the alias as it is written."""
    hits = built([song(1, aliases=("Другая",))]).lookup(["другая"])["другая"]

    assert [(posting.kind, posting.surface) for posting in hits.postings] == [("alias", surface_code("Другая"))]


def test_own_names_come_before_aliases(built: Build) -> None:
    """Of two equally popular tracks, the one that has the name comes before the one that is only also called so."""
    index = built([song(1, "Casa", aliases=("Home",), popularity=5.0), song(2, popularity=5.0)])
    home = index.lookup(["home"])["home"]

    assert [(posting.row, posting.kind) for posting in home.postings] == [(1, "exact"), (0, "alias")]


def test_an_artist_credited_twice(built: Build) -> None:
    """A track that credits an artist twice is one track of theirs."""
    credit = Credit(artist_id="a", name="A")
    entry = built([Track(track_id="t", title="Home", artists=(credit, credit))]).artist_by_id("a")

    assert entry and (entry.available_tracks, entry.works) == (1, ("Home",))
