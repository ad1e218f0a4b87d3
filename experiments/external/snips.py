"""The PlayMusic requests of SNIPS with their artist, album and track slots.

Source: github.com/sonos/nlu-benchmark (CC0 1.0): a JSON object with one list of requests, each a list of text pieces, some of
which are slots (`entity`). Other slots (service, year, playlist …) are not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from data.errors import LabelError
from experiments.external.rows import GoldSpan, LabelledRequest, bad_line, folder_of, read_text

SPLITS = ("validate", "train")
SLOTS = ("artist", "album", "track")
_INTENT = "PlayMusic"
_FILES = {"validate": f"validate_{_INTENT}.json", "train": f"train_{_INTENT}_full.json"}
_AT_EDGES = " .,!?;:\t\n"


def files(data: Path) -> list[Path]:
    """The files of both splits, that a catalog is made from."""
    folder = folder_of(data, "snips", _FILES["validate"])
    return [folder / _FILES[split] for split in SPLITS]


def requests(data: Path, split: str) -> list[LabelledRequest]:
    """The requests of one split, in the order of its file.

    Raises:
        LabelError: the file is missing or malformed; names file and line, or file and request.
    """
    path = folder_of(data, "snips", _FILES["validate"]) / _FILES[split]
    found = [_request(path, split, index, entry) for index, entry in enumerate(_entries(path))]
    if not found:
        raise LabelError(f"no request in {path}")
    return found


def _entries(path: Path) -> list[Any]:
    try:
        data = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise bad_line(path, error.lineno, f"not JSON: {error.msg}") from error
    entries = data.get(_INTENT) if isinstance(data, dict) else None
    if not isinstance(entries, list):
        raise bad_line(path, 1, f"expected an object with a list {_INTENT}")
    return entries


def _request(path: Path, split: str, index: int, entry: Any) -> LabelledRequest:
    text, gold = "", []
    for piece, slot in _pieces(path, index, entry):
        start = len(text) + len(piece) - len(piece.lstrip(_AT_EDGES))
        name = piece.strip(_AT_EDGES)
        text += piece
        if slot in SLOTS and name:
            gold.append(GoldSpan(text=name, type=slot, start=start, end=start + len(name)))
    return LabelledRequest(split=split, index=index, text=text, gold=tuple(gold))


def _pieces(path: Path, index: int, entry: Any) -> Iterator[tuple[str, str]]:
    pieces = entry.get("data") if isinstance(entry, dict) else None
    if not isinstance(pieces, list):
        raise LabelError(f"{path}: {_INTENT}[{index}]: expected an object with a list data")
    for piece in pieces:
        if not isinstance(piece, dict) or not isinstance(piece.get("text"), str):
            raise LabelError(f"{path}: {_INTENT}[{index}]: a piece without a text")
        yield piece["text"], str(piece.get("entity", ""))
