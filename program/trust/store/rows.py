"""Artifacts as the tiers keep them: a few columns to search by, and the whole artifact as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import orjson
from pydantic import ValidationError

from data.contracts import Artifact
from data.errors import StoreError

_MOST = 5_000


@dataclass(frozen=True, slots=True)
class Row:
    """One artifact. body: its JSON."""

    artifact_id: str
    trace_id: str
    node: str
    created_at: float
    body: str
    parents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """That an artifact is no longer to be believed.

    Attributes:
        cause: the artifact that was found wrong: itself, or one that it was made from.
        at: seconds since 1970.
    """

    artifact_id: str
    cause: str
    why: str
    at: float


def row_of(artifact: Artifact) -> Row:
    """The row of an artifact."""
    # The payload is plain JSON already: orjson writes it in a fifth of the time that pydantic takes over `Any`.
    body = orjson.dumps(vars(artifact), default=vars).decode()
    return Row(artifact.artifact_id, artifact.trace_id, artifact.node, artifact.created_at, body, artifact.parents)


def artifact_of(body: str) -> Artifact:
    """The artifact of a body.

    Raises:
        StoreError: it is none.
    """
    try:
        return Artifact.model_validate_json(body)
    except ValidationError as error:
        raise StoreError("an artifact in the trace store is damaged") from error


def in_order(bodies: dict[str, str]) -> list[str]:
    """The bodies of one trace by the numbers that their ids end with: `…-99` before `…-100`."""
    return [bodies[name] for name in sorted(bodies, key=lambda name: (len(name), name))]


def chunks(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """The names in pieces that fit the variables of one statement."""
    return (names[first : first + _MOST] for first in range(0, len(names), _MOST))
