"""Sets made for tuning: requests in the form of music_ner, field rows whose names are misspelt, a store of runs made once."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from experiments.external.catalogs import open_catalog
from experiments.external.field_rows import load_common, load_rows
from experiments.tracking import Tracker
from experiments.tuning.field_asked import field_embedder, shelved

_HEADER = "mention,type,query,wiki_link,wikidata_type,wiki_name,exposure"
_PLACES = "harbour willow cobalt meridian lantern granite thistle orchard beacon saffron".split()
_ARTIST = "Quillmarsh"
_TYPOS = "qilmarsh quilmarsh quillmarh quilmarch quillmash quillmarsj uillmarsh quillmarshe quillarsh quillmrsh".split()


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of music_ner: songs of ten artists, plain requests that every setting reads the same."""
    folder = tmp_path_factory.mktemp("sets")
    cpcd = folder / "cpcd"
    cpcd.mkdir(parents=True)
    tracks = [
        {"track_id": f"t{number}", "title": f"Glass {place}", "artists": [f"Vexa {place}"], "album": "Days"}
        for number, place in enumerate(_PLACES)
    ]
    (cpcd / "tracks.jsonl").write_text("".join(json.dumps(track) + "\n" for track in tracks))
    for number in (1, 2, 3):
        part = folder / "music_ner" / f"dataset{number}"
        part.mkdir(parents=True)
        places = _PLACES[number:] if number < 3 else _PLACES[:2]
        blocks = [f"songs\tO\nby\tO\nvexa\tB-Artist\n{place}\tI-Artist\n" for place in places]
        (part / "ground-truth.bio").write_text("\n".join(blocks))
        (part / "ground-truth_linked.csv").write_text(f"{_HEADER}\n")
    return folder / "music_ner"


@pytest.fixture(scope="session")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of field rows: ten spellings of one artist that are a letter off, and one that is right."""
    folder = tmp_path_factory.mktemp("rows")
    (folder / "common.json").write_text(json.dumps({"tracks": [{"title": "Something Else", "by": "Nobody"}]}))
    own = [{"title": f"Glass {place}", "by": _ARTIST, "popularity": 60} for place in _PLACES]
    spelt = [*_TYPOS, _ARTIST.lower()]
    lines = [
        {
            "id": f"r{number}", "case": None, "kind": "typing", "request": f"songs by {name}", "catalog": {"tracks": own},
            "want": {"status": ["ok", "partial"], "every": [{"artist": _ARTIST}]},
        }
        for number, name in enumerate(spelt)
    ]  # fmt: skip
    (folder / "typing.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


@pytest.fixture(scope="session")
def used_home(tmp_path_factory: pytest.TempPathFactory, data: Path, rows: Path) -> Path:
    """A home folder with a store of runs that holds none, and the catalogs of the sets: all that takes long to make."""
    home = tmp_path_factory.mktemp("used")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MELO_HOME", str(home))
        Tracker.open("nothing")
        shelved(load_rows(rows), load_common(rows), field_embedder(), lambda stage, done, total: None)
        open_catalog("music_ner", data).close()
    return home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, used_home: Path) -> Path:
    """A home folder of its own, as full as that one."""
    folder = tmp_path / "home"
    shutil.copytree(used_home, folder)
    monkeypatch.setenv("MELO_HOME", str(folder))
    return folder
