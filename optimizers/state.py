"""The compiled program as a file of a run's folder, and what tuning changed of it, to look at."""

from __future__ import annotations

import difflib
from pathlib import Path

import orjson

from data.contracts import NodeName
from data.errors import InfrastructureError, InputError
from program.bundle.state import NodeText, ProgramState, parse_state, state_json

PROGRAM_FILE = "program.json"


def write_state(folder: Path, state: ProgramState) -> Path:
    """Write `program.json` into a folder, which is made when it is not there.

    Raises:
        InfrastructureError: it cannot be written.
    """
    path = folder / PROGRAM_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_bytes(state_json(state))
        part.replace(path)
    except OSError as error:
        raise InfrastructureError(f"cannot write {path}: {error.strerror}") from error
    return path


def read_state(folder: Path) -> dict[NodeName, NodeText]:
    """Read what `write_state` wrote.

    Raises:
        InputError: it is not there, or holds anything but instructions and demos by node.
    """
    path = folder / PROGRAM_FILE
    try:
        return parse_state(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error


def diff(before: NodeText, after: NodeText) -> str:
    """A unified diff of instructions and demos, empty where they are the same."""
    lines = difflib.unified_diff(_lines(before), _lines(after), "before", "after", lineterm="", n=2)
    return "\n".join(lines)


def demos_text(state: NodeText) -> str:
    """The demos as JSON, indented."""
    return orjson.dumps(list(state.demos), option=orjson.OPT_INDENT_2).decode()


def _lines(state: NodeText) -> list[str]:
    shown = state.instructions.splitlines()
    for number, demo in enumerate(state.demos):
        shown += [f"demo {number}", *orjson.dumps(demo, option=orjson.OPT_INDENT_2).decode().splitlines()]
    return shown
