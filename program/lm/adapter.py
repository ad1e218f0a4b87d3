"""Prompts that are short and cache well, and replies that are checked strictly.

A prompt is: a system message that never changes between requests (instructions, one line an output field), the
demos, then the request. Where the backbone decodes under a JSON schema the prompt does not spell the schema out.
"""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError
from pydantic import ValidationError
from pydantic_core import to_json

from program.lm.schema import reply_model, schema_words, strict_schema
from program.lm.untrusted import neutralise

SCHEMA_INPUT = "reply_schema"
_FENCE = re.compile(r"\A```(?:json)?\s*\n?(.*?)\n?```\Z", re.DOTALL)
_THOUGHT = re.compile(r"\A<think>.*?</think>", re.DOTALL)
_PARTIAL = "(Some fields of this example are left out.)"
_MAX_REPORTED = 3


class CompactAdapter(dspy.Adapter):
    """Renders signatures compactly, asks for schema decoding where the LM offers it, validates always.

    Every input value is neutralised. A reply that is not exactly one JSON object of the signature's output types
    raises `AdapterParseError` whose first paragraph is the validation message; nothing is repaired.
    """

    def __call__(
        self,
        lm: dspy.BaseLM,
        lm_kwargs: dict[str, Any],
        signature: type[dspy.Signature],
        demos: list[dict[str, Any]],
        inputs: dict[str, Any],
    ) -> list[dict[str, Any]]:
        """Render, call the LM, parse."""
        inputs = _prepare(lm, lm_kwargs, signature, inputs)
        completions: list[dict[str, Any]] = super().__call__(lm, lm_kwargs, signature, demos, inputs)
        return completions

    async def acall(
        self,
        lm: dspy.BaseLM,
        lm_kwargs: dict[str, Any],
        signature: type[dspy.Signature],
        demos: list[dict[str, Any]],
        inputs: dict[str, Any],
    ) -> list[dict[str, Any]]:
        """Like `__call__`; the look-up of the LM's capabilities may import, so it leaves the event loop."""
        inputs = await asyncio.to_thread(_prepare, lm, lm_kwargs, signature, inputs)
        completions: list[dict[str, Any]] = await super().acall(lm, lm_kwargs, signature, demos, inputs)
        return completions

    def format_system_message(self, signature: type[dspy.Signature]) -> str:
        """Instructions and one line an output field; equal for every request of a signature."""
        lines = [signature.instructions.strip(), "", "Reply as JSON with:"]
        for name, field in signature.output_fields.items():
            desc = " ".join((field.json_schema_extra or {}).get("desc", "").split())
            lines.append(f"{name}: {desc}" if desc and desc != f"${{{name}}}" else name)
        return "\n".join(lines)

    def format_demos(self, signature: type[dspy.Signature], demos: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """User and assistant turns in the order given; demos without any input or any output are left out."""
        messages = []
        for demo in demos:
            present = {name for name in signature.fields if name in demo and demo[name] is not None}
            if present.isdisjoint(signature.input_fields) or present.isdisjoint(signature.output_fields):
                continue
            # An input more than the demo knows (a correction) must not change how the demo reads: it is cached prefix.
            prefix = "" if present.issuperset(signature.output_fields) else _PARTIAL
            question = self.format_user_message_content(signature, demo, prefix=prefix)
            messages.append({"role": "user", "content": question})
            messages.append({"role": "assistant", "content": self.format_assistant_message_content(signature, demo)})
        return messages

    def format_user_message_content(
        self,
        signature: type[dspy.Signature],
        inputs: dict[str, Any],
        prefix: str = "",
        suffix: str = "",
        main_request: bool = False,
    ) -> str:
        """`name: value` lines of the inputs that hold something; further lines of a value are indented."""
        lines = [prefix] if prefix else []
        lines += [f"{name}:{_value(inputs[name])}" for name in signature.input_fields if _holds(inputs.get(name))]
        if main_request and SCHEMA_INPUT in inputs:
            lines.append(f"Reply with one JSON object and nothing else: {inputs[SCHEMA_INPUT]}")
        return "\n".join(lines + ([suffix] if suffix else []))

    def format_assistant_message_content(
        self,
        signature: type[dspy.Signature],
        outputs: dict[str, Any],
        missing_field_message: str | None = None,
    ) -> str:
        """The outputs as compact JSON, in the signature's order; fields that a demo lacks are left out."""
        present = {name: outputs[name] for name in signature.output_fields if outputs.get(name) is not None}
        return to_json(present).decode()

    def parse(self, signature: type[dspy.Signature], completion: str) -> dict[str, Any]:
        """Read one JSON object.

        Raises:
            AdapterParseError: it is cut off, not JSON, open, or outside the declared types and limits.
        """
        text = _unwrap(completion)
        try:
            reply = reply_model(signature).model_validate_json(text, strict=True)
        except ValidationError as error:
            raise AdapterParseError(
                adapter_name=type(self).__name__,
                signature=signature,
                lm_response=completion,
                message=validation_message(error),
            ) from error
        return {name: getattr(reply, name) for name in signature.output_fields}


def validation_message(error: ValidationError) -> str:
    """The first faults of a reply on one line, each with its place."""
    faults = error.errors(include_url=False, include_context=False)
    parts = []
    for fault in faults[:_MAX_REPORTED]:
        place = ".".join(str(step) for step in fault["loc"])
        shown = "" if fault["type"] in ("missing", "json_invalid") else f" (got {str(fault['input'])[:60]!r})"
        parts.append(f"{place}: {fault['msg']}{shown}" if place else str(fault["msg"]))
    if len(faults) > _MAX_REPORTED:
        parts.append(f"and {len(faults) - _MAX_REPORTED} more")
    return " ".join("; ".join(parts).split())


def _prepare(
    lm: dspy.BaseLM, lm_kwargs: dict[str, Any], signature: type[dspy.Signature], inputs: Mapping[str, Any]
) -> dict[str, Any]:
    """Ask for schema decoding in `lm_kwargs`, or add the schema's words to the inputs."""
    own_engine = not isinstance(getattr(lm, "engine", "auto"), str)
    schema = strict_schema(reply_model(signature), lengths=own_engine)
    if lm.supports_response_schema:
        wrapped = {"name": "Reply", "strict": True, "schema": schema}
        lm_kwargs["response_format"] = {"type": "json_schema", "json_schema": wrapped}
        return dict(inputs)
    if "response_format" in lm.supported_params:
        lm_kwargs["response_format"] = {"type": "json_object"}
    return {**inputs, SCHEMA_INPUT: schema_words(schema)}


def _holds(value: object) -> bool:
    return value is not None and value != "" and value != [] and value != () and value != {}


def _value(value: object) -> str:
    """Text as it is, a list of texts one to a line, the rest as JSON; only the first line can stand at a margin."""
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return "".join(f"\n  {_indented(item)}" for item in value)
    return f" {_indented(value if isinstance(value, str) else to_json(value).decode())}"


def _indented(text: str) -> str:
    return "\n  ".join(neutralise(text).splitlines())


def _unwrap(completion: str) -> str:
    text = _THOUGHT.sub("", completion.strip()).strip()
    fenced = _FENCE.match(text)
    return fenced.group(1) if fenced else text
