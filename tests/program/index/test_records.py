from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from data.errors import CatalogIndexError
from program.index.records import RecordReader, RecordWriter

LINES = [b'{"a":1}', b"", "晴天".encode(), b"x" * 5_000]


def write(path: Path, lines: list[bytes]) -> str:
    with RecordWriter(path) as writer:
        rows = [writer.append(line) for line in lines]
        digest = writer.digest()
    assert rows == list(range(len(lines)))
    return digest


def test_round_trip(tmp_path: Path) -> None:
    """Records come back by row, in any order, byte for byte."""
    write(tmp_path / "r.jsonl", LINES)
    reader = RecordReader(tmp_path / "r.jsonl")

    assert len(reader) == 4
    assert [reader.line(row) for row in (3, 0, 2, 1)] == [LINES[3], LINES[0], LINES[2], LINES[1]]
    reader.close()


def test_no_records(tmp_path: Path) -> None:
    """A file without records opens and has none."""
    write(tmp_path / "r.jsonl", [])
    reader = RecordReader(tmp_path / "r.jsonl")

    assert len(reader) == 0
    reader.close()


def test_file_is_lines(tmp_path: Path) -> None:
    """The file is plain lines, which other tools can read."""
    write(tmp_path / "r.jsonl", [b"one", b"two"])

    assert (tmp_path / "r.jsonl").read_bytes() == b"one\ntwo\n"


def test_digest_names_the_records(tmp_path: Path) -> None:
    """The digest is that of the records' bytes, and another for another order."""
    digest = write(tmp_path / "a.jsonl", [b"one", b"two"])

    assert digest == hashlib.sha256(b"one\ntwo\n").hexdigest()
    assert digest != write(tmp_path / "b.jsonl", [b"two", b"one"])


def test_digest_covers_the_ends(tmp_path: Path) -> None:
    """Records that split the same bytes at other places have another digest."""
    assert write(tmp_path / "a.jsonl", [b"one", b"two"]) != write(tmp_path / "b.jsonl", [b"on", b"etwo"])


@pytest.mark.parametrize("change", [b"", b"one\ntwo\nthree\n", b"one\ntw"], ids=["emptied", "longer", "cut"])
def test_damage(tmp_path: Path, change: bytes) -> None:
    """A file of another length than its offsets say is refused."""
    write(tmp_path / "r.jsonl", [b"one", b"two"])
    (tmp_path / "r.jsonl").write_bytes(change)

    with pytest.raises(CatalogIndexError, match=r"r\.jsonl is damaged"):
        RecordReader(tmp_path / "r.jsonl")


def test_no_offsets(tmp_path: Path) -> None:
    """Offsets without even a start are refused."""
    write(tmp_path / "r.jsonl", [])
    np.save(tmp_path / "r.offsets.npy", np.array([], dtype=np.uint64))

    with pytest.raises(CatalogIndexError, match="damaged"):
        RecordReader(tmp_path / "r.jsonl")


def test_offsets_hold_no_objects(tmp_path: Path) -> None:
    """Offsets that would be unpickled are refused before anything runs."""
    write(tmp_path / "r.jsonl", [b"one"])
    np.save(tmp_path / "r.offsets.npy", np.array([object()]), allow_pickle=True)

    with pytest.raises(ValueError, match="allow_pickle"):
        RecordReader(tmp_path / "r.jsonl")
