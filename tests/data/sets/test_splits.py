from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from data.labelled import KINDS, LabelledRow
from data.sets import splits
from data.sets.splits import assign, digest, frozen_splits, main, make_manifest, read_manifest

MakeRow = Callable[..., LabelledRow]


def many(make_row: MakeRow, count: int) -> list[LabelledRow]:
    return [make_row(qid=f"entity-{number:03d}", locale="en" if number % 2 else "zh") for number in range(1, count + 1)]


def test_shares(rows: tuple[LabelledRow, ...]) -> None:
    """Half to train, a fifth to dev, the rest to test: overall within a row or two, for each kind within three."""
    split_of = frozen_splits(read_manifest())
    shares = {"train": 0.5, "dev": 0.2, "test": 0.3}
    for kinds in [sum(KINDS.values(), ()), *((kind,) for kind in sum(KINDS.values(), ()))]:
        members = [row.qid for row in rows if row.kind in kinds]
        counts: Counter[str] = Counter(split_of[qid] for qid in members)

        assert all(abs(counts[split] - share * len(members)) <= 3 for split, share in shares.items()), (kinds, counts)


@pytest.mark.parametrize("language", ["en", "zh", "other"])
def test_every_split_speaks_every_language(rows: tuple[LabelledRow, ...], language: str) -> None:
    """English, Chinese and the others together have about their share in each split."""
    split_of = frozen_splits(read_manifest())
    group = {row.qid: row.locale[:2] if row.locale[:2] in ("en", "zh") else "other" for row in rows}
    members = [qid for qid in group if group[qid] == language]
    counts: Counter[str] = Counter(split_of[qid] for qid in members)

    assert all(abs(counts[split] / len(members) - share) < 0.06 for split, share in (("train", 0.5), ("dev", 0.2), ("test", 0.3)))


def test_a_row_keeps_its_split(make_row: MakeRow) -> None:
    """New rows change nothing for the old ones."""
    first = many(make_row, 20)
    frozen = assign(first, {})

    later = assign(many(make_row, 40), frozen)

    assert {qid: later[qid] for qid in frozen} == frozen
    assert len(later) == 40


def test_the_seed_decides(make_row: MakeRow) -> None:
    """One seed deals in one way, 0 included, whatever the order of the rows."""
    rows = many(make_row, 40)

    assert assign(rows, {}, seed=0) == assign(rows[::-1], {}, seed=0)
    assert assign(rows, {}, seed=0) != assign(rows, {}, seed=1)


def test_any_change_shows(make_row: MakeRow) -> None:
    """The hash covers every label, and not the order of the rows."""
    rows = many(make_row, 3)
    changed = [rows[0].model_copy(update={"failure_mode": "wrong_split"}), *rows[1:]]

    assert digest(rows) == digest(rows[::-1])
    assert digest(rows) != digest(changed)
    assert make_manifest(rows, {}) != make_manifest(changed, {})


def test_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It fails while the manifest differs, and `--write` makes it the rows' own."""
    monkeypatch.setattr(splits, "manifest_path", lambda: tmp_path / "manifest.json")

    assert main([]) == 1
    assert main(["--write"]) == 0
    assert main([]) == 0
    assert capsys.readouterr().out.splitlines() == ["changed: train, dev, test"] * 2 + ["changed: nothing"]
    assert json.loads((tmp_path / "manifest.json").read_text())["splits"].keys() == {"train", "dev", "test"}
