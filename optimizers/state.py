"""What an optimizer may change of a program: the instructions and demos of its four predictors, and nothing else.

The state is plain JSON, `{node: {"instructions": text, "demos": [{field: value}]}}`. No DSPy file is read or written: those
match fields by position and may set any attribute (see dspy_facts.md, section 5).
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import dspy
import orjson
from pydantic import ConfigDict, TypeAdapter, ValidationError

from data.contracts import Contract, NodeName
from data.errors import InfrastructureError, InputError

NODES: tuple[NodeName, ...] = ("understand", "plan", "reflect", "synthesize")
"""Nodes that ask an LM, in the order of the graph."""
PROGRAM_FILE = "program.json"
_HASH_CHARS = 12
assert set(NODES) <= set(get_args(NodeName))


class NodeState(Contract):
    """One predictor's text.

    Attributes:
        demos: field → text or list of texts, in prompt order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    instructions: str
    demos: tuple[dict[str, str | list[str]], ...] = ()

    @property
    def key(self) -> str:
        """Names the text: equal states have equal keys."""
        return hashlib.sha256(orjson.dumps(self.model_dump(), option=orjson.OPT_SORT_KEYS)).hexdigest()[:_HASH_CHARS]


State = Mapping[NodeName, NodeState]
_FILE = TypeAdapter(dict[str, NodeState])


def predictors(program: dspy.Module) -> Iterator[tuple[NodeName, dspy.Predict]]:
    """The program's tunable predictors by node."""
    for name, predictor in program.named_predictors():
        node = name.split(".", 1)[0]
        if node in NODES:
            yield node, predictor


def state_of(program: dspy.Module) -> dict[NodeName, NodeState]:
    """The program's state as it stands."""
    return {node: node_state(predictor) for node, predictor in predictors(program)}


def node_state(predictor: dspy.Predict) -> NodeState:
    """One predictor's state. Of a demo only the signature's own fields are kept."""
    signature = predictor.signature
    demos = [{name: _plain(demo[name]) for name in signature.fields if demo.get(name) is not None} for demo in predictor.demos]
    return NodeState(instructions=signature.instructions, demos=tuple(demo for demo in demos if demo))


def apply_state(program: dspy.Module, state: State) -> None:
    """Set the program's predictors to `state`; nodes that it does not name keep their own.

    Raises:
        InputError: it names a node or a demo field that the program does not have.
    """
    found = dict(predictors(program))
    for node, given in state.items():
        if node not in found:
            raise InputError(f"the program has no node {node} to set")
        set_node(found[node], given)


def set_node(predictor: dspy.Predict, state: NodeState) -> None:
    """Set one predictor. Its signature class is replaced, never changed: others may share it.

    Raises:
        InputError: a demo names a field that the signature does not have.
    """
    if strange := {name for demo in state.demos for name in demo} - set(predictor.signature.fields):
        raise InputError(f"a demo has fields that the signature lacks: {', '.join(sorted(strange))}")
    predictor.signature = predictor.signature.with_instructions(state.instructions)
    predictor.demos = [dict(demo) for demo in state.demos]


def write_state(folder: Path, state: State) -> Path:
    """Write `program.json` into a folder, which is made when it is not there.

    Raises:
        InfrastructureError: it cannot be written.
    """
    path = folder / PROGRAM_FILE
    text = orjson.dumps({node: one.model_dump() for node, one in state.items()}, option=orjson.OPT_INDENT_2)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_bytes(text + b"\n")
        part.replace(path)
    except OSError as error:
        raise InfrastructureError(f"cannot write {path}: {error.strerror}") from error
    return path


def read_state(folder: Path) -> dict[NodeName, NodeState]:
    """Read what `write_state` wrote.

    Raises:
        InputError: it is not there, or holds anything but instructions and demos by node.
    """
    path = folder / PROGRAM_FILE
    try:
        read = _FILE.validate_json(path.read_bytes(), strict=True)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    if strange := [name for name in read if name not in NODES]:
        raise InputError(f"{path}: no node is called {strange[0]}")
    return {node: read[node] for node in NODES if node in read}


def diff(before: NodeState, after: NodeState) -> str:
    """A unified diff of instructions and demos, empty where they are the same."""
    lines = difflib.unified_diff(_lines(before), _lines(after), "before", "after", lineterm="", n=2)
    return "\n".join(lines)


def demos_text(state: NodeState) -> str:
    """The demos as JSON, indented."""
    return orjson.dumps(list(state.demos), option=orjson.OPT_INDENT_2).decode()


def _lines(state: NodeState) -> list[str]:
    shown = state.instructions.splitlines()
    for number, demo in enumerate(state.demos):
        shown += [f"demo {number}", *orjson.dumps(demo, option=orjson.OPT_INDENT_2).decode().splitlines()]
    return shown


def _plain(value: Any) -> str | list[str]:
    return [str(item) for item in value] if isinstance(value, Sequence) and not isinstance(value, str) else str(value)
