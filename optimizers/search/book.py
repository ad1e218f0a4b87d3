"""Every LM answer of a run, one JSON line each: a run that was stopped plays them back and goes on where it was."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import orjson
from dspy import lm15
from dspy.clients.call_result import response_from_dict, response_to_dict

from data.errors import InfrastructureError
from program.lm.environment import private_folder

_KEY_CHARS = 32


def key_of(parts: Mapping[str, object]) -> str:
    """SHA-256 over everything that an answer depends on, first 32 hex digits."""
    return hashlib.sha256(orjson.dumps(dict(parts), option=orjson.OPT_SORT_KEYS)).hexdigest()[:_KEY_CHARS]


class AnswerBook:
    """The file.

    Args:
        path: made with its folder at the first answer; None keeps nothing. A line that was cut off is left out.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lines: dict[str, bytes] = {}
        for line in path.read_bytes().splitlines() if path is not None and path.is_file() else ():
            if line.endswith(b"}}") and line.startswith(b'{"key":"'):
                self._lines[line[8 : 8 + _KEY_CHARS].decode()] = line

    @property
    def held(self) -> int:
        """How many answers it holds."""
        return len(self._lines)

    def get(self, key: str) -> tuple[lm15.Response, float] | None:
        """The answer and what it cost in USD; None when it is not there."""
        line = self._lines.get(key)
        if line is None:
            return None
        told = orjson.loads(line)
        return response_from_dict(told["answer"]["response"]), float(told["answer"]["usd"])

    def put(self, key: str, response: lm15.Response, usd: float) -> None:
        """Keep an answer, at once and for good.

        Raises:
            InfrastructureError: the file cannot be written.
        """
        line = orjson.dumps({"key": key, "answer": {"usd": usd, "response": response_to_dict(response)}})
        self._lines[key] = line
        if self._path is None:
            return
        try:
            private_folder(self._path.parent)
            with self._path.open("ab") as file:
                file.write(line + b"\n")
        except OSError as error:
            raise InfrastructureError(f"cannot write {self._path}: {error.strerror}") from error
