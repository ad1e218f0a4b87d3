"""The rows' own rules: what a row may not say, and that the reader says where it is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data.errors import LabelError
from experiments.external.field_rows import COMMON, load_rows

_COMMON = {"tracks": [{"title": "Hello", "by": "Adele"}]}
_ROW: dict[str, Any] = {
    "id": "a-1",
    "case": None,
    "kind": "homonym",
    "request": "play Africa",
    "catalog": {"artists": [{"name": "Toto", "region": "US"}], "tracks": [{"title": "Africa", "by": "Toto", "year": 1982}]},
    "want": {"status": "ok", "first": [{"title": "Africa"}]},
}


def _folder(path: Path, *rows: dict[str, Any], name: str = "homonym") -> Path:
    (path / COMMON).write_text(json.dumps(_COMMON), encoding="utf-8")
    (path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def _with(**want: Any) -> dict[str, Any]:
    return {**_ROW, "want": {"status": "ok", **want}}


def test_a_row_is_read(tmp_path: Path) -> None:
    """One status may stand without brackets, and an artist needs no record."""
    (row,) = load_rows(_folder(tmp_path, _ROW))

    assert row.want.status == ("ok",)
    assert not row.known_fault


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (_with(first=[{"title": "Afrika"}]), "no track with title Afrika"),
        (_with(never=[{"title": "Africa", "year_from": 1990}], first=[{"title": "Africa"}]), "want.never"),
        (_with(every=[{"year_to": 2026}]), "every track of the catalog will do"),
        (_with(), "any tracks will do"),
        (_with(first=[{"title": "Africa"}], entities=[{"type": "artist", "name": "Tutu"}]), "no artist Tutu"),
        ({**_ROW, "want": {"status": "not_found", "absent": ["hello"]}}, "the catalog holds hello"),
        ({**_ROW, "want": {"status": ["ok", "clarify"], "first": [{"title": "Africa"}]}}, "want.options"),
        ({**_ROW, "want": {"status": "fine"}}, "want.status"),
        ({**_ROW, "kind": "other"}, "stands in homonym.jsonl"),
        ({**_ROW, "catalog": {"tracks": [{"title": "Africa", "by": "Toto", "yaer": 1982}]}}, "track Africa: yaer"),
        ({**_ROW, "catalog": {"artists": [{"name": "Toto", "vocal": "loud"}]}}, "artist Toto: vocal"),
        ({**_ROW, "catalog": {"tracks": [{"title": "Africa"}]}}, "track Africa: artists"),
        ({**_ROW, "colour": "red"}, "colour"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    """The error names the file, the line and what is wrong."""
    with pytest.raises(LabelError, match=message) as error:
        load_rows(_folder(tmp_path, _ROW | {"id": "a-0"}, row))

    assert "homonym.jsonl:2" in str(error.value)


def test_ids_are_used_once(tmp_path: Path) -> None:
    """Two rows of one id are an error over all files."""
    with pytest.raises(LabelError, match="two rows have the id a-1"):
        load_rows(_folder(tmp_path, _ROW, _ROW))


def test_an_alone_catalog_has_no_common_tracks(tmp_path: Path) -> None:
    """A bare row's catalog is its own; there, what every track fulfils cannot be wanted."""
    with pytest.raises(LabelError, match="every track"):
        load_rows(_folder(tmp_path, {**_with(every=[{"title": "Africa"}]), "bare": True}))


def test_missing_common_tracks_are_told(tmp_path: Path) -> None:
    """Without the shared file nothing can be read."""
    with pytest.raises(LabelError, match=COMMON):
        load_rows(tmp_path)
