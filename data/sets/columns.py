"""The Arrow schema of `LabelledRow`, read off its type, so that an empty column has a type too."""

from __future__ import annotations

from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import pyarrow as pa
from pydantic import BaseModel

from data.labelled import LabelledRow

_PLAIN = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


def arrow_schema() -> Any:
    """The schema: one column a field, tuples as lists, contracts as structs, closed choices as strings."""
    return pa.schema(_fields(LabelledRow))


def _fields(model: type[BaseModel]) -> list[Any]:
    return [pa.field(name, _arrow(info.annotation)) for name, info in model.model_fields.items()]


def _arrow(kind: Any) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return _PLAIN[type(inner[0])]
    if origin in (Union, UnionType):
        return _arrow(next(one for one in inner if one is not type(None)))
    if origin is tuple:
        return pa.list_(_arrow(inner[0]))
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return pa.struct(_fields(kind))
    return _arrow(inner[0]) if inner else _PLAIN[kind]
