"""Small sets of invented requests in the forms of the external ones, and a home folder for their catalogs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[4] / "shared" / "data"

_TRACKS = [
    ("t1", "Maybe", ["Toto"], "Days"),
    ("t2", "Glass Tide", ["Zorn Hollow"], "Glass Tide"),
    ("t3", "Something", ["The Lanterns"], "Harbour"),
]
_BIO = {
    "dataset1": "songs O|like O|glass B-WoA|tide I-WoA|by O|zorn B-Artist|hollow I-Artist||dark O|and O|slow O|music O",
    "dataset2": "maybe O|something O|by O|the B-Artist|lanterns I-Artist",
    "dataset3": "quiet O|songs O",
}
_HEADER = "mention,type,query,wiki_link,wikidata_type,wiki_name,exposure"
_LINKS = {
    "dataset1": ["vexa,Artist,q,w,musical group,Vexa_(band),4.5", "cold room,WoA,q,w,album,Cold_Room_(Vexa_album),1.5"],
    "dataset2": ["ember st,WoA,q,w,song,Ember%27s_Street_(song),2.0", "noone,Artist,q,,,,0.0"],
    "dataset3": ["lanterns,Artist,q,w,musical group,Lanterns,3.0"],
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with music_ner, snips and the track list of cpcd."""
    folder = tmp_path / "data"
    cpcd = folder / "cpcd"
    cpcd.mkdir(parents=True)
    keys = ("track_id", "title", "artists", "album")
    lines = [json.dumps(dict(zip(keys, row, strict=True))) for row in _TRACKS]
    (cpcd / "tracks.jsonl").write_text("\n".join(lines) + "\n")
    for split, text in _BIO.items():
        part = folder / "music_ner" / split
        part.mkdir(parents=True)
        (part / "ground-truth.bio").write_text(text.replace("|", "\n").replace(" ", "\t") + "\n")
        (part / "ground-truth_linked.csv").write_text("\n".join([_HEADER, *_LINKS[split]]) + "\n")
    write_snips(folder, "validate_PlayMusic.json", [["Play ", ("Cold Room", "album"), " by ", ("Vexa", "artist"), "."]])
    write_snips(folder, "train_PlayMusic_full.json", [["hear ", ("Pale Fire ", "track")], ["play ", ("Old Oak", "artist")]])
    return folder


def write_snips(folder: Path, name: str, requests: list[list[str | tuple[str, str]]]) -> Path:
    """A SNIPS file; a piece is plain text or (text, slot)."""
    pieces = [
        {"data": [{"text": piece} if isinstance(piece, str) else {"text": piece[0], "entity": piece[1]} for piece in request]}
        for request in requests
    ]
    path = folder / "snips" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"PlayMusic": pieces}, indent=1))
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder without catalogs."""
    folder = tmp_path / "home"
    monkeypatch.setenv("MELO_HOME", str(folder))
    return folder
