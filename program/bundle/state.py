"""What a bundle may set of a program: the instructions and demos of its predictors, by node name, and nothing else.

Plain JSON, `{node: {"instructions": text, "demos": [{field: value}]}}`. No DSPy file is read or written: those match fields by
position and may set any attribute of a predictor, its server's address among them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

import dspy
import orjson
from pydantic import ConfigDict, TypeAdapter, ValidationError

from data.contracts import Contract, NodeName
from data.errors import InputError
from program.lm.slots import SLOTS

NODES: tuple[NodeName, ...] = ("understand", "plan", "reflect", "synthesize")
"""Nodes that ask an LM, in the order of the graph."""
assert set(NODES) == set(SLOTS)
_HASH_CHARS = 16


class NodeText(Contract):
    """One predictor's text.

    Attributes:
        demos: field → text or list of texts, in prompt order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    instructions: str
    demos: tuple[dict[str, str | list[str]], ...] = ()

    @property
    def key(self) -> str:
        """Names the text: equal texts have equal keys; 16 hex digits."""
        return hashlib.sha256(orjson.dumps(self.model_dump(), option=orjson.OPT_SORT_KEYS)).hexdigest()[:_HASH_CHARS]


ProgramState = Mapping[NodeName, NodeText]
_FILE = TypeAdapter(dict[str, NodeText])


def predictors(program: dspy.Module) -> Iterator[tuple[NodeName, dspy.Predict]]:
    """The program's tunable predictors by node."""
    for name, predictor in program.named_predictors():
        first = name.split(".", 1)[0]
        for node in NODES:
            if node == first:
                yield node, predictor


def state_of(program: dspy.Module) -> dict[NodeName, NodeText]:
    """The program's state as it stands. Of a demo only the signature's own fields are kept."""
    return {node: text_of(predictor) for node, predictor in predictors(program)}


def apply_state(program: dspy.Module, state: ProgramState) -> None:
    """Set the program's predictors; nodes that `state` does not name keep their own text.

    A predictor's signature class is replaced, never changed: others may share it.

    Raises:
        InputError: it names a node or a demo field that the program does not have. Nothing is set then.
    """
    found = dict(predictors(program))
    for node, text in state.items():
        if node not in found:
            raise InputError(f"the program has no node {node!r} to set")
        _check_fields(node, found[node], text)
    for node, text in state.items():
        set_text(found[node], text, node)


def set_text(predictor: dspy.Predict, text: NodeText, node: str) -> None:
    """Set one predictor, of the node that is named for the message.

    Raises:
        InputError: a demo names a field that the signature does not have.
    """
    _check_fields(node, predictor, text)
    predictor.signature = predictor.signature.with_instructions(text.instructions)
    predictor.demos = [dict(demo) for demo in text.demos]


def _check_fields(node: str, predictor: dspy.Predict, text: NodeText) -> None:
    if strange := {name for demo in text.demos for name in demo} - set(predictor.signature.fields):
        raise InputError(f"a demo of {node} has a field that its signature lacks: {', '.join(sorted(strange))}")


def state_json(state: ProgramState) -> bytes:
    """The state as the file holds it."""
    data = {node: text.model_dump(mode="json") for node, text in state.items()}
    return orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def parse_state(content: bytes, where: str) -> dict[NodeName, NodeText]:
    """Read what `state_json` wrote.

    Args:
        where: the file's name, for the message.

    Raises:
        InputError: it holds anything but instructions and demos by node.
    """
    try:
        read = _FILE.validate_json(content, strict=True)
    except ValidationError as error:
        raise InputError(f"{where}: {validation_reason(error)}") from error
    if strange := [name for name in read if name not in NODES]:
        raise InputError(f"{where}: no node is called {strange[0]!r}")
    return {node: read[node] for node in NODES if node in read}


def state_hash(state: ProgramState) -> str:
    """Names the texts: equal states have equal hashes; first 16 hex digits."""
    return hashlib.sha256(state_json(state)).hexdigest()[:_HASH_CHARS]


def validation_reason(error: ValidationError) -> str:
    """The first fault with its place; never the value, which may be a secret."""
    first = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}" if place else str(first["msg"])


def text_of(predictor: dspy.Predict) -> NodeText:
    """One predictor's text. Of a demo only the signature's own fields are kept."""
    signature = predictor.signature
    demos = [{name: _plain(demo[name]) for name in signature.fields if demo.get(name) is not None} for demo in predictor.demos]
    return NodeText(instructions=signature.instructions, demos=tuple(demo for demo in demos if demo))


def _plain(value: object) -> str | list[str]:
    return [str(item) for item in value] if isinstance(value, list | tuple) else str(value)
