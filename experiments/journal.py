"""Answers that were already given, one JSON line each, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Generic, TypeVar

import orjson
from pydantic import ValidationError

from data.errors import InfrastructureError
from optimizers.records import Asked
from program.lm.environment import private_folder

_A = TypeVar("_A", bound=Asked)
_HEAD = b'{"key":"'
_KEY_CHARS = 32
_DAY_S = 86_400.0


def key_of(parts: Mapping[str, str | int | float]) -> str:
    """The key of one answer: SHA-256 over everything that it depends on, first 32 hex digits."""
    return hashlib.sha256(orjson.dumps(dict(parts), option=orjson.OPT_SORT_KEYS)).hexdigest()[:_KEY_CHARS]


class Journal(Generic[_A]):
    """A file of answers by key. The last answer of a key counts; a line that was cut off is left out.

    Args:
        path: made with its folder at the first answer; None keeps nothing.
        kind: the type of the answers.
        fresh: do not read what is there.
    """

    def __init__(self, path: Path | None, kind: type[_A], *, fresh: bool = False) -> None:
        self._path = path
        self._kind = kind
        self._writing = threading.Lock()
        self._lines = {} if path is None or fresh else _read(path)

    def get(self, key: str) -> _A | None:
        """The answer, or None when it is not there or of another format."""
        line = self._lines.get(key)
        if line is None:
            return None
        try:
            return self._kind.model_validate(orjson.loads(line)["answer"])
        except (ValidationError, orjson.JSONDecodeError, KeyError):
            return None

    def put(self, key: str, answer: _A) -> None:
        """Keep an answer, at once and for good.

        Raises:
            InfrastructureError: the file cannot be written.
        """
        if self._path is None:
            return
        line = orjson.dumps({"key": key, "answer": answer.model_dump(mode="json", by_alias=True)})
        try:
            private_folder(self._path.parent)
            with self._writing, self._path.open("ab") as file:
                file.write(line + b"\n")
        except OSError as error:
            raise InfrastructureError(f"cannot write {self._path}: {error.strerror}") from error
        self._lines[key] = line


def _read(path: Path) -> dict[str, bytes]:
    """Lines by key; what is in them is looked at when it is wanted."""
    if not path.is_file():
        return {}
    start, length = len(_HEAD), _KEY_CHARS
    lines = (line for line in path.read_bytes().splitlines() if line.startswith(_HEAD) and line.endswith(b"}}"))
    return {line[start : start + length].decode(): line for line in lines}


def remove_old(folder: Path, pattern: str, *, days: float = 7.0) -> None:
    """Remove journals that no run has written to for so long: another source's answers never serve again."""
    oldest = time.time() - days * _DAY_S
    for path in folder.glob(pattern):
        if path.stat().st_mtime < oldest:
            path.unlink(missing_ok=True)
