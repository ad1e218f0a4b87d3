"""Requests that real assistants got wrong: each row is asked through the public way, without a language model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from data.catalog.schema import Track
from data.contracts import Intent, Playlist, PlaylistTrack
from experiments.external.field import FieldBench, by_kind, score_rows
from experiments.external.field_catalog import Shelf
from experiments.external.field_checks import answer_faults
from experiments.external.field_rows import FieldRow, load_common, load_rows
from program.settings import Settings
from tests.tiny import TinyEmbedder

FOLDER = Path(__file__).parent
COMMON = load_common(FOLDER)
ROWS = load_rows(FOLDER)
KINDS = sorted({row.kind for row in ROWS})
_OWN_ROWS = 2


def _param(row: FieldRow) -> Any:
    fault = pytest.mark.xfail(strict=True, reason=row.known_fault, raises=AssertionError)
    return pytest.param(row, id=row.id, marks=[fault] if row.known_fault else [])


def _shelf(row: FieldRow) -> Shelf:
    return Shelf.of(row.catalog, None if row.bare else COMMON)


def _answer(status: str, *tracks: Track) -> Playlist:
    listed = [
        PlaylistTrack(track_id=track.track_id, title=track.title, artists=tuple(credit.name for credit in track.artists))
        for track in tracks
    ]
    return Playlist.model_validate({"status": status, "tracks": listed})


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> FieldBench:
    """Builds each row's index once."""
    return FieldBench(COMMON, tmp_path_factory.mktemp("field"), TinyEmbedder())


@pytest.mark.parametrize("row", [_param(row) for row in ROWS])
def test_row(row: FieldRow, bench: FieldBench) -> None:
    """The answer is what the row wants; what fails today is marked in the row and must fail until it is mended."""
    result = bench.score(row, Settings())

    assert result.right, f"{row.request!r}: {'; '.join(result.faults)}"


@pytest.mark.parametrize("row", [pytest.param(row, id=row.id) for row in ROWS])
def test_every_row_can_fail(row: FieldRow) -> None:
    """An answer that plays a stray track of the row's own catalog is wrong, and so is one that plays nothing where it must."""
    shelf, want = _shelf(row), row.want
    right = (*want.first, *want.every, *want.some)
    stray = next(track for track in shelf.tracks if not any(wanted.holds(track) for wanted in right))

    assert answer_faults(want, shelf, _answer("ok", stray), None)
    if set(want.status) <= {"ok", "partial"}:
        assert answer_faults(want, shelf, _answer("not_found"), Intent(kind="play"))
    else:
        assert answer_faults(want, shelf, _answer("failed"), None)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_rows_of_our_own(kind: str) -> None:
    """A kind of fault is shown by reported cases and by others that nobody has reported."""
    rows = [row for row in ROWS if row.kind == kind]

    assert any(row.case for row in rows)
    assert sum(row.case is None for row in rows) >= _OWN_ROWS


def test_scores_come_per_row_and_kind() -> None:
    """A folder's rows are scored in order, and the table counts what is right."""
    rows = [row for row in ROWS if row.id in ("mr002", "asb-06")]

    results = score_rows(FOLDER, Settings(), embedder=TinyEmbedder(), rows=rows)

    assert [result.id for result in results] == [row.id for row in rows]
    assert by_kind(results)["all"] == (sum(result.right for result in results), 2)


def test_a_switch_reaches_the_rows() -> None:
    """The settings that are given are the ones that answer: with retry off, nothing is widened."""
    rows = [row for row in ROWS if row.id == "mr232a"]
    off = Settings().model_copy(update={"retry": Settings().retry.model_copy(update={"enabled": False})})

    widened, plain = (score_rows(FOLDER, settings, embedder=TinyEmbedder(), rows=rows)[0] for settings in (Settings(), off))

    assert any(entry.state != "kept" for entry in widened.playlist.ledger)
    assert all(entry.state == "kept" for entry in plain.playlist.ledger)
