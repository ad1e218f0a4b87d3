"""Settings as TOML text, with comments that say where the numbers come from."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from program.settings import Settings


def settings_text(settings: Settings, comments: Sequence[str], *, whole: bool = False) -> str:
    """The file's text: TOML that `Settings.load` reads as exactly these settings.

    Args:
        comments: lines for the head of the file.
        whole: write the defaults too, so that another version's defaults change nothing.
    """
    own = settings.model_dump(mode="json")
    own["assertions_off"] = sorted(own["assertions_off"])
    if not whole:
        own = _difference(own, Settings().model_dump(mode="json"))
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
