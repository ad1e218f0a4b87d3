"""Answers that were already given, one JSON line each, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Generic, TypeVar

import orjson
from pydantic import ValidationError

from data.errors import InfrastructureError
from optimizers.records import Asked
from program.lm.environment import private_folder

_A = TypeVar("_A", bound=Asked)


def key_of(parts: Mapping[str, str | int | float]) -> str:
    """The key of one answer: SHA-256 over everything that it depends on, first 32 hex digits."""
    return hashlib.sha256(orjson.dumps(dict(parts), option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]


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
            with self._path.open("ab") as file:
                file.write(line + b"\n")
        except OSError as error:
            raise InfrastructureError(f"cannot write {self._path}: {error.strerror}") from error
        self._lines[key] = line


def _read(path: Path) -> dict[str, bytes]:
    if not path.is_file():
        return {}
    found = {}
    for line in path.read_bytes().splitlines():
        try:
            found[str(orjson.loads(line)["key"])] = line
        except (orjson.JSONDecodeError, KeyError, TypeError):
            continue
    return found
