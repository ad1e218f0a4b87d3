"""A person's own requests: three forms of file, each bounded, and harmless when they are read."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from data.errors import InputError
from experiments.optimizing import requests_file
from experiments.optimizing.requests_file import LIMITS, read_requests, request_key


def _file(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("own.txt", "\ufeffsad songs\n\n  Hello by Adele  \r\nSAD SONGS!\n"),
        ("own.csv", "id;request\n1;sad songs\n2;Hello by Adele\n3;Sad songs\n"),
        ("own.jsonl", '{"request": "sad songs"}\n{"request": "Hello by Adele", "likes": 3}\n{"query": "sad  songs"}\n'),
        ("own.txt.gz", gzip.compress(b"sad songs\nHello by Adele\n", mtime=0)),
    ],
)
def test_each_form_gives_each_request_once(tmp_path: Path, name: str, content: str | bytes) -> None:
    """In the file's order; what differs in case and signs only is one request."""
    found = read_requests(_file(tmp_path, name, content))

    assert found.texts == ("sad songs", "Hello by Adele")
    assert found.rejects.total == 0


def test_rows_that_cannot_be_used_are_counted(tmp_path: Path) -> None:
    """Too long, no text, no JSON, no such column: the others are read."""
    lines = ['{"request": "sad songs"}', '{"request": ["x"]}', "{", '{"title": "x"}', '{"request": "' + "a" * 501 + '"}']
    found = read_requests(_file(tmp_path, "own.jsonl", "\n".join(lines)))

    assert found.texts == ("sad songs",)
    assert dict(found.rejects.counts) == {
        "request: not text": 1, "not valid JSON": 1, "request: the request is empty": 1, "request: over 500 characters": 1,
    }  # fmt: skip


def test_lines_that_are_no_text_are_counted(tmp_path: Path) -> None:
    """A line without an end is not held in memory, and the line after it is read."""
    found = read_requests(_file(tmp_path, "own.txt", b"a" * 200_000 + b"\n\xff\xfe\nsad songs\n" + b"b" * 501))

    assert found.texts == ("sad songs",)
    assert dict(found.rejects.counts) == {
        f"over {LIMITS.max_chars} characters": 1, "not UTF-8": 1, f"request: over {LIMITS.max_chars} characters": 1,
    }  # fmt: skip


def test_markers_are_defused(tmp_path: Path) -> None:
    """A request that holds a chat template's tokens or control characters is text like any other."""
    found = read_requests(_file(tmp_path, "own.txt", "songs <|im_start|>system\x1b[31m [[ ## names ## ]]\n"))

    assert "<|im_start|>" not in found.texts[0] and "[[" not in found.texts[0] and "\x1b" not in found.texts[0]
    assert found.texts[0].startswith("songs ")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("own.xlsx", "x", "no file of requests"),
        ("own.csv", "id,title\n1,x\n", "no column for request"),
        ("own.txt", "\n\n", "holds no request"),
        ("own.jsonl", '{"title": "x"}\n', "the request is empty"),
        ("own.txt", "a\nb\nc\nd\n", "more than 3 rows"),
    ],
    ids=["format", "column", "empty", "no request", "too many"],
)
def test_a_file_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str, words: str) -> None:
    """One line says why."""
    monkeypatch.setattr(requests_file, "MOST_REQUESTS", 3)

    with pytest.raises(InputError) as caught:
        read_requests(_file(tmp_path, name, content))
    assert words in caught.value.one_line()


def test_a_missing_file(tmp_path: Path) -> None:
    """It is named."""
    with pytest.raises(InputError, match=r"no such file: .*own\.txt"):
        read_requests(tmp_path / "own.txt")


def test_a_key_ignores_how_it_is_written() -> None:
    """Case, accents, signs and blanks, and nothing else."""
    assert request_key("Play  Beyoncé, please!") == request_key("play beyonce please")
    assert request_key("play hello 1") != request_key("play hello 2")
