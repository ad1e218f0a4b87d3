"""The reply of a signature as a strict pydantic model, as a JSON schema, and as one line of words."""

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import dspy
from pydantic import BaseModel, ConfigDict, Field, create_model

# Prose, and `uniqueItems`: hosted strict modes refuse it, and llama.cpp drops the whole schema over it without a word.
_DROPPED = ("title", "default", "description", "examples", "uniqueItems")
_LENGTHS = ("minLength", "maxLength")


def one_of(options: Sequence[str]) -> Any:
    """The type whose values are exactly `options`.

    Raises:
        ValueError: there are no options; the field must be left out then.
    """
    if not options:
        raise ValueError("one_of needs at least one option")
    return Literal[tuple(options)]


def some_of(options: Sequence[str], *, least: int = 0, most: int) -> Any:
    """The type of lists of `least` to `most` of `options`; with no options only the empty list is left."""
    if not options or most < 1:
        return Annotated[list[str], Field(max_length=0)]
    return Annotated[list[one_of(options)], Field(min_length=least, max_length=most)]  # type: ignore[misc]


def reply_model(signature: type[dspy.Signature]) -> type[BaseModel]:
    """The signature's outputs as one closed model: every field required, declared limits enforced."""
    fields: dict[str, Any] = {}
    for name, field in signature.output_fields.items():
        kind: Any = field.annotation
        for limit in field.metadata:
            kind = Annotated[kind, limit]
        fields[name] = (kind, ...)
    return create_model("Reply", __config__=ConfigDict(extra="forbid", arbitrary_types_allowed=True), **fields)


def strict_schema(model: type[BaseModel], *, lengths: bool) -> dict[str, Any]:
    """The model's JSON schema in strict form: closed objects, every property required, no prose.

    Args:
        model: what `reply_model` gave.
        lengths: keep limits on the length of strings; hosted strict modes refuse them.
    """
    dropped = _DROPPED if lengths else (*_DROPPED, *_LENGTHS)
    strict = _strict(model.model_json_schema(), dropped)
    assert isinstance(strict, dict)
    return strict


def _strict(node: Any, dropped: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_strict(item, dropped) for item in node]
    if not isinstance(node, dict):
        return node
    out: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("properties", "$defs"):
            out[key] = {name: _strict(item, dropped) for name, item in value.items()}
        elif key in ("enum", "const"):
            out[key] = value
        elif key not in dropped:
            out[key] = _strict(value, dropped)
    if "properties" in out:
        out["required"] = list(out["properties"])
        out["additionalProperties"] = False
    return out


def schema_words(schema: dict[str, Any]) -> str:
    """A strict schema in one line, for backbones that do not decode under it."""
    return _words(schema, schema.get("$defs", {}))


def _words(node: dict[str, Any], defs: dict[str, Any]) -> str:
    if "$ref" in node:
        return _words(defs.get(node["$ref"].rsplit("/", 1)[-1], {}), defs)
    if "const" in node:
        return json.dumps(node["const"], ensure_ascii=False)
    if "enum" in node:
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in node["enum"])
    if "anyOf" in node:
        return " | ".join(_words(option, defs) for option in node["anyOf"])
    kind = node.get("type")
    if kind == "object":
        pairs = (f'"{name}": {_words(item, defs)}' for name, item in node.get("properties", {}).items())
        return "{" + ", ".join(pairs) + "}"
    if kind == "array":
        return _array_words(node, defs)
    if kind in ("integer", "number"):
        return _number_words(node)
    if kind == "string":
        return f"text (at most {node['maxLength']} characters)" if "maxLength" in node else "text"
    return {"boolean": "true | false", "null": "null"}.get(str(kind), "any value")


def _array_words(node: dict[str, Any], defs: dict[str, Any]) -> str:
    if node.get("maxItems") == 0:
        return "[]"
    item = _words(node.get("items", {}), defs)
    limit = f" (at most {node['maxItems']})" if "maxItems" in node else ""
    return f"[{item}, ...]{limit}"


def _number_words(node: dict[str, Any]) -> str:
    word = "whole number" if node["type"] == "integer" else "number"
    low, high = node.get("minimum"), node.get("maximum")
    return f"{word} {low}..{high}" if low is not None and high is not None else word
