"""What the catalogs of external sets hold, and what they must not."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.catalog.schema import Artist, Track
from data.errors import LabelError
from data.names import name_key
from experiments.external.catalogs import LinkName, cpcd_file, link_name, music_ner_items, open_catalog, snips_items
from experiments.external.names import UNSAID, NameCatalog
from program.index.protocol import IndexInfo


def _info(name: str, data: Path) -> IndexInfo:
    index = open_catalog(name, data)
    index.close()
    return index.info


@pytest.mark.parametrize(
    ("wiki_name", "name"),
    [
        ("Radio_Station", LinkName("Radio Station", None)),
        ("Vexa_(band)", LinkName("Vexa", None)),
        ("Ember%27s_Street_(song)", LinkName("Ember's Street", None)),
        ("Cold_Room_(Vexa_album)", LinkName("Cold Room", "Vexa")),
        ("Cold_Room_(The_Old_Oaks_song)", LinkName("Cold Room", "The Old Oaks")),
        ("Cold_Room_(2010_song)", LinkName("Cold Room", None)),
        ("Cold_Room_(folk_song)", LinkName("Cold Room", None)),
        ("Cold_Room_(1977_film)", LinkName("Cold Room", None)),
        ("(Untitled)", LinkName("(Untitled)", None)),
    ],
)
def test_link_name(wiki_name: str, name: LinkName) -> None:
    """A bracket credits an artist only when it names one."""
    assert link_name(wiki_name) == name


def test_music_ner_catalog(data: Path) -> None:
    """Linked names come in with their popularity; what a request merely says together is not joined."""
    items = list(music_ner_items(data / "music_ner"))
    artists = {item.name: item for item in items if isinstance(item, Artist)}
    tracks = {(track.album or track.title): track for track in items if isinstance(track, Track)}

    assert artists["Vexa"].popularity == 4.5
    assert tracks["Cold Room"].artists[0].name == "Vexa"
    assert tracks["Cold Room"].title == UNSAID
    assert tracks["Ember's Street"].artists[0].name == UNSAID
    assert tracks["Ember's Street"].popularity == 2.0
    assert "noone" not in {name_key(name) for name in artists}


def test_an_artist_under_another_spelling_is_the_same(data: Path) -> None:
    """The link "Lanterns" means the catalog's own "The Lanterns", and no second track is made up for it."""
    items = list(music_ner_items(data))
    own = next(item for item in items if isinstance(item, Track) and item.title == "Something").artists[0].artist_id
    artist = next(item for item in items if isinstance(item, Artist) and item.artist_id == own)

    assert artist.popularity == 3.0
    assert [item.title for item in items if isinstance(item, Track) and item.artists[0].artist_id == own] == ["Something"]


def test_every_artist_has_a_track(data: Path) -> None:
    """An artist of which only the name is known gets one track without a title."""
    items = list(snips_items(data))
    credited = {credit.artist_id for item in items if isinstance(item, Track) for credit in item.artists}

    assert {item.artist_id for item in items if isinstance(item, Artist)} <= credited
    assert len({item.track_id for item in items if isinstance(item, Track)}) == sum(isinstance(item, Track) for item in items)


def test_snips_catalog_joins_one_title_and_one_artist(data: Path) -> None:
    """A pair of one request is joined; a title alone is nobody's."""
    tracks = [item for item in snips_items(data) if isinstance(item, Track)]
    owners = {(track.album or track.title): track.artists[0].name for track in tracks}

    assert owners["Cold Room"] == "Vexa"
    assert owners["Pale Fire"] == UNSAID


def test_a_name_given_twice_keeps_the_higher_popularity() -> None:
    """Also when one of the two is unknown."""
    catalog = NameCatalog([])
    for popularity in (1.0, None, 3.0, 2.0):
        catalog.artist("Vexa", popularity)
        catalog.work("Cold Room", "Vexa", popularity=popularity)
    items = list(catalog.items())

    assert [item.popularity for item in items] == [3.0, 3.0]


def test_the_catalog_is_built_once_and_again_when_a_file_changes(
    data: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folder's name follows the content of the files."""
    first = _info("music_ner", data)
    built = capsys.readouterr().err
    again = _info("music_ner", data)
    quiet = capsys.readouterr().err
    with (data / "cpcd" / "tracks.jsonl").open("a") as file:
        file.write('{"track_id": "t9", "title": "New", "artists": ["Toto"], "album": null}\n')
    other = _info("music_ner", data)

    assert "once" in built
    assert quiet == ""
    assert again == first
    assert Path(first.path).parent == home / "catalogs"
    assert (other.path != first.path, other.tracks) == (True, first.tracks + 1)


def test_without_the_track_list_nothing_is_built(data: Path) -> None:
    """The track list is looked for in the folder and beside it."""
    assert cpcd_file(data) == cpcd_file(data / "music_ner")
    (data / "cpcd" / "tracks.jsonl").unlink()

    with pytest.raises(LabelError, match=r"cpcd/tracks\.jsonl is missing"):
        list(music_ner_items(data))
