"""A settings file that holds what differs from the defaults, with comments that say where the numbers come from."""

from __future__ import annotations

import os
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from data.errors import InfrastructureError
from program.settings import Settings


def settings_text(settings: Settings, comments: Sequence[str]) -> str:
    """The file's text: TOML that `Settings.load` reads as exactly these settings.

    Args:
        comments: lines for the head of the file.
    """
    own = _difference(settings.model_dump(mode="json"), Settings().model_dump(mode="json"))
    tables = {name: value for name, value in own.items() if isinstance(value, dict)}
    plain = {name: value for name, value in own.items() if name not in tables}
    lines = [f"# {line}".rstrip() for line in comments]
    lines += ["", *_pairs(plain)] if plain else []
    for name, values in tables.items():
        lines += ["", f"[{name}]", *_pairs(values)]
    text = "\n".join(lines) + "\n"
    if Settings.model_validate(tomllib.loads(text)) != settings:
        raise ValueError("the settings file would not be read as it was meant")
    return text


def _difference(settings: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Names whose values differ, groups with their own names that do."""
    own: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, dict):
            if inner := _difference(value, defaults[name]):
                own[name] = inner
        elif value != defaults[name]:
            own[name] = value
    return own


def _pairs(values: Mapping[str, Any]) -> Iterator[str]:
    """TOML pairs; its booleans, numbers, texts and lists of these are written as in JSON."""
    return (f"{name} = {orjson.dumps(value).decode()}" for name, value in values.items())


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        InfrastructureError: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        number, work = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        try:
            with os.fdopen(number, "w", encoding="utf-8") as file:
                file.write(text)
            Path(work).chmod(0o644)
            Path(work).replace(path)
        except BaseException:
            Path(work).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InfrastructureError(f"cannot write {path}: {error.strerror}") from error
