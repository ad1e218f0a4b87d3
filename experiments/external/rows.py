"""What the readers of external sets yield, and how their files are opened."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from data.errors import LabelError

_STRAY_BYTE = re.compile(r"[\udc80-\udcff]")


class Row(BaseModel):
    """Base of the rows: immutable, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class GoldSpan(Row):
    """A labelled name. start, end: character offsets [start, end) into the request's text."""

    text: str = Field(min_length=1)
    type: str
    start: int = Field(ge=0)
    end: int


class LabelledRequest(Row):
    """One request with its labelled names, in order. index: 0-based position in its split."""

    split: str
    index: int = Field(ge=0)
    text: str
    gold: tuple[GoldSpan, ...]


def read_text(path: Path) -> str:
    """A whole file as text: UTF-8, a byte that is none read as Latin-1 (SNIPS holds a few).

    Raises:
        LabelError: the file is missing or cannot be read.
    """
    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError as error:
        raise LabelError(f"no such file: {path}", hint="give the folder of the data set with --data") from error
    except OSError as error:
        raise LabelError(f"cannot read {path}: {error.strerror}") from error
    return _STRAY_BYTE.sub(lambda match: chr(ord(match.group()) - 0xDC00), text.removeprefix("\ufeff"))


def bad_line(path: Path, line: int, message: str) -> LabelError:
    """What is wrong with one line of a file (1-based)."""
    return LabelError(f"{path}:{line}: {message}")


def folder_of(data: Path, name: str, holds: str) -> Path:
    """The folder of a set: `data` itself when it holds `holds`, else `data`/name.

    Raises:
        LabelError: neither holds it.
    """
    for folder in (data, data / name):
        if (folder / holds).exists():
            return folder
    raise LabelError(f"no {name} data in {data}: {holds} is missing", hint=f"--data names the folder of {name}")


def sibling(data: Path, name: str, holds: str) -> Path:
    """The folder of another set: in `data`, or beside it."""
    for folder in (data / name, data.resolve().parent / name, data):
        if (folder / holds).exists():
            return folder
    raise LabelError(f"no {name} data in or beside {data}: {name}/{holds} is missing", hint="the catalog is built from it")
