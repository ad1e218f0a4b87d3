"""Sessions, resources and whole programs for tests: hand-made intents, scripted or dead LMs, stores that break."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import Any

import dspy

from data.contracts import Artifact, Constraint, EntityRef, EntityType, Facet, Intent, Op, Role, Strength
from data.errors import StoreError
from program.graph import Melo
from program.index.engine import EmbeddedIndex
from program.index.protocol import CatalogIndex
from program.lm.backbones import Backbone
from program.lm.meter import Budget, Meter
from program.lm.slots import SLOTS
from program.retry.ledger import Ledger
from program.settings import LMSettings, Settings
from program.state import Resources, Session
from tests.scripted import ScriptedLM, scripted_lm

NAME = "openai/scripted"
"""A backbone that resolves without a key; `set_lm` puts the script in its place, so nothing is ever asked over a wire."""

Rules = Sequence[tuple[Any, Any]]


def constraint(
    number: int, facet: Facet, *values: str, op: Op = "is", strength: Strength = "soft", unknown_ok: bool = False
) -> Constraint:
    """A constraint `c<number>`."""
    return Constraint(constraint_id=f"c{number}", facet=facet, op=op, values=values, strength=strength, unknown_ok=unknown_ok)


def entity(entity_type: EntityType, entity_id: str, role: Role = "target", number: int = 0) -> EntityRef:
    """A verified entity with the evidence id `e<number>`."""
    return EntityRef(evidence_id=f"e{number}", entity_id=entity_id, entity_type=entity_type, name=entity_id.title(), role=role)


def resources(index: EmbeddedIndex, settings: Settings | None = None, lm: dspy.BaseLM | None = None) -> Resources:
    """What nodes are given; `lm` serves every node, None is the LM-free path."""
    backbone = Backbone("none" if lm is None else NAME, lm, schema=lm is not None, embedded=False)
    return Resources(index, settings or Settings(), dict.fromkeys(SLOTS, backbone), time.monotonic)


def session(text: str, intent: Intent | None = None, *, n: int | None = None, budget: Budget | None = None) -> Session:
    """A session as it stands before UNDERSTAND, or right after it when `intent` is given."""
    made = Session(text=text, trace_id="feed", meter=Meter(budget or Budget()), n=n)
    if intent is not None:
        made.intent, made.active, made.ledger = intent, intent.constraints, Ledger(intent.constraints)
    return made


def melo(
    index: CatalogIndex,
    lm: dspy.BaseLM | None = None,
    settings: Settings | None = None,
    *,
    store: Any = None,
    progress: Callable[[str], None] | None = None,
    queue: Any = None,
) -> Melo:
    """The whole program; `lm` serves every node, None is the LM-free path."""
    chosen = settings or Settings()
    if lm is not None:
        names = LMSettings.model_validate(chosen.lm.model_dump() | {"name": NAME})
        chosen = chosen.model_copy(update={"lm": names})
    made = Melo(index, chosen, store=store, progress=progress, queue=queue)
    if lm is not None:
        made.set_lm(lm)
    return made


def scripted(rules: Rules, *, schema: bool = True) -> tuple[dspy.LM, ScriptedLM]:
    """A scripted LM and its engine, which records the prompts."""
    lm = scripted_lm(rules, schema=schema)
    return lm, lm.engine


def asked(engine: ScriptedLM) -> list[str]:
    """The nodes that asked, in order."""
    return [prompt.node for prompt in engine.prompts]


def number_of(prompt: str, *words: str) -> str:
    """The offered number whose line in the prompt holds all of `words`, in any case; fails when there is none."""
    for line in prompt.splitlines():
        found = re.fullmatch(r"(?:\w+: |\s*)?([a-z]\d+): (.*)", line)
        if found and all(word.casefold() in found.group(2).casefold() for word in words):
            return found.group(1)
    raise AssertionError(f"nothing that is offered holds {words} in:\n{prompt}")


def reading(
    number: str = "r0", *, add: Sequence[str] = (), drop: Sequence[str] = (), unsure: Sequence[str] = (), name: str = ""
) -> dict[str, Any]:
    """UNDERSTAND's reply."""
    return {"reading": number, "add": list(add), "drop": list(drop), "unsure": list(unsure), "name": name}


def verdict(action: str, *chosen: str, reading: str = "none", cause: str = "too narrow") -> dict[str, Any]:
    """REFLECT's reply."""
    return {"action": action, "chosen": list(chosen), "reading": reading, "cause": cause}


def words(title: str = "A quiet list", description: str = "Songs that fit the words.") -> dict[str, Any]:
    """SYNTHESIZE's reply."""
    return {"title": title, "description": description}


class KeptStore:
    """A trace store in memory. artifacts: of every session, in order."""

    def __init__(self) -> None:
        self.artifacts: list[Artifact] = []

    def add(self, artifacts: Sequence[Artifact]) -> None:
        """Keep them."""
        self.artifacts.extend(artifacts)

    def close(self) -> None:
        """Nothing to close."""


class BrokenStore:
    """A trace store whose disk is full."""

    def add(self, artifacts: Sequence[Artifact]) -> None:
        """Fail as the real one does."""
        raise StoreError("cannot write the trace: database or disk is full")

    def close(self) -> None:
        """Nothing to close."""
