"""A handful of field rows whose outcome is known under each variant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

_TOTO = [{"name": "Toto", "region": "US", "popularity": 80}, {"name": "Adele", "popularity": 90}]
_AFRICA = [{"title": "Africa", "by": "Toto", "year": 1982}, {"title": "Hello", "by": "Adele", "year": 2015}]


def _row(name: str, request: str, case: str | None, title: str) -> dict[str, Any]:
    want = {"status": "ok", "every": [{"title": title}]}
    return {
        "id": name, "case": case, "kind": "exact", "request": request, "want": want,
        "catalog": {"artists": _TOTO, "tracks": _AFRICA},
    }  # fmt: skip


@pytest.fixture(scope="session")
def field_rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three rows: two that the program gets right, and one that wants the other track."""
    folder = tmp_path_factory.mktemp("rows")
    rows = [
        _row("a", "africa by toto", "MR-1", "Africa"),
        _row("b", "play hello by adele", None, "Hello"),
        _row("c", "play africa", None, "Hello"),
    ]
    (folder / "exact.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "common.json").write_text(json.dumps({"tracks": [{"title": "Something", "by": "The Lanterns"}]}))
    return folder
