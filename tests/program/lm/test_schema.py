"""Reply models, strict schemas and their words."""

from typing import Any, Literal

import dspy
import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from program.lm.schema import one_of, reply_model, schema_words, some_of, strict_schema
from tests.program.lm.conftest import Choose


class Inner(BaseModel):
    track: str
    note: str | None = None


def _signature(**types: Any) -> type[dspy.Signature]:
    fields: dict[str, Any] = {"q": (str, dspy.InputField())}
    fields |= {name: (type_, dspy.OutputField()) for name, type_ in types.items()}
    signature: type[dspy.Signature] = dspy.Signature(fields, "Do.")
    return signature


def test_schema_is_closed_and_complete() -> None:
    """Every object is closed, every property required, and no prose is left."""
    schema = strict_schema(reply_model(_signature(items=list[Inner], n=int)), lengths=True)

    inner = schema["$defs"]["Inner"]
    assert schema["required"] == ["items", "n"]
    assert inner["required"] == ["track", "note"]
    assert schema["additionalProperties"] is inner["additionalProperties"] is False
    assert "title" not in str(schema)
    assert "default" not in str(schema)


def test_a_property_may_be_called_title() -> None:
    """Only annotations are dropped, not properties of the same name."""
    schema = strict_schema(reply_model(_signature(title=str)), lengths=True)

    assert schema["properties"] == {"title": {"type": "string"}}


def test_narrowed_types_reach_the_schema() -> None:
    """Enum and length come from the request's narrowed type and from the signature's own limit."""
    narrowed = Choose.with_updated_fields("targets", type_=some_of(["e0", "e1"], most=1))
    targets = strict_schema(reply_model(narrowed), lengths=False)["properties"]["targets"]

    assert targets["items"]["enum"] == ["e0", "e1"]
    assert targets["maxItems"] in (1, 2)
    with pytest.raises(ValidationError):
        reply_model(narrowed).model_validate({"kind": "play", "targets": ["e0", "e1"]})


def test_string_lengths_are_dropped_for_hosted_modes() -> None:
    """Hosted strict modes refuse maxLength; the model enforces it anyway."""
    signature = dspy.Signature({"q": (str, dspy.InputField()), "a": (str, dspy.OutputField(max_length=3))}, "Do.")
    model = reply_model(signature)

    assert strict_schema(model, lengths=True)["properties"]["a"]["maxLength"] == 3
    assert "maxLength" not in strict_schema(model, lengths=False)["properties"]["a"]
    with pytest.raises(ValidationError):
        model.model_validate({"a": "long"})


def test_sets_are_plain_arrays_on_the_wire() -> None:
    """`uniqueItems` would make llama.cpp decode without any schema."""
    schema = strict_schema(reply_model(_signature(tags=set[str])), lengths=True)

    assert schema["properties"]["tags"] == {"type": "array", "items": {"type": "string"}}


def test_options_make_types() -> None:
    """No options: `some_of` leaves the empty list, `one_of` refuses."""
    empty = TypeAdapter(some_of([], most=3))

    assert empty.validate_python([]) == []
    with pytest.raises(ValidationError):
        empty.validate_python(["e0"])
    with pytest.raises(ValueError, match="at least one"):
        one_of([])


def test_words_of_a_schema() -> None:
    """One line that a person can read, too."""
    signature = _signature(kind=Literal["a", "b"], ids=some_of(["x0"], most=2), inner=Inner, none=some_of([], most=1), ok=bool)
    words = schema_words(strict_schema(reply_model(signature), lengths=True))

    assert words == (
        '{"kind": "a" | "b", "ids": ["x0", ...] (at most 2), '
        '"inner": {"track": text, "note": text | null}, "none": [], "ok": true | false}'
    )
