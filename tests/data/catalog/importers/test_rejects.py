from __future__ import annotations

import json
from pathlib import Path

import pytest

from data.catalog.importers import Rejects
from data.errors import InfrastructureError, RowError


def test_counts_by_field_and_reason() -> None:
    """Rows are counted by field and reason, without a file when none is asked for."""
    rejects = Rejects()
    for row in (2, 3):
        rejects.add(RowError("missing", row=row, field="title"))
    rejects.add(RowError("not valid JSON", row=4))
    rejects.flush()

    assert rejects.counts == {"title: missing": 2, "not valid JSON": 1}
    assert rejects.total == 3
    assert rejects.summary() == "3 rows rejected: title: missing (2), not valid JSON (1)"


def test_file_content(tmp_path: Path) -> None:
    """A line tells file, row, field, reason and the row's cells, shortened, whatever their bytes were."""
    path = tmp_path / "deep" / "rejects.jsonl"
    rejects = Rejects(path)
    rejects.add(RowError("missing", row=2, field="title"), file="t.csv", values={"artist": "Zoë \udcff", "x": "y" * 999})
    rejects.flush()

    assert json.loads(path.read_text(encoding="utf-8")) == {
        "file": "t.csv",
        "row": 2,
        "field": "title",
        "reason": "missing",
        "data": {"artist": "Zoë \udcff", "x": "y" * 200},
    }


def test_many_rows_are_all_written(tmp_path: Path) -> None:
    """More rows than are held in memory still make one file, in order."""
    rejects = Rejects(tmp_path / "rejects.jsonl")
    for row in range(1, 1301):
        rejects.add(RowError("missing", row=row, field="title"))
    rejects.flush()

    assert [json.loads(line)["row"] for line in (tmp_path / "rejects.jsonl").read_text().splitlines()] == list(range(1, 1301))


def test_begin_removes_an_earlier_file(tmp_path: Path) -> None:
    """A file of an earlier import does not stay beside an import without rejects."""
    path = tmp_path / "rejects.jsonl"
    path.write_text("old\n")
    rejects = Rejects(path)
    rejects.begin()
    rejects.flush()

    assert not path.exists()


def test_unwritable_file(tmp_path: Path) -> None:
    """A rejects file that cannot be written is the surroundings' fault, not the catalog's."""
    (tmp_path / "plain").write_text("")
    rejects = Rejects(tmp_path / "plain" / "rejects.jsonl")
    rejects.add(RowError("missing", row=1))

    with pytest.raises(InfrastructureError, match="cannot write the rejects file"):
        rejects.flush()
