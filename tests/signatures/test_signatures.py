"""The signatures are prompt text: what the model is told must be there, and what it replies must be what nodes read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dspy
import pytest

from data.contracts import Candidate, CandidateSet, Intent, ToolResult
from program.index.engine import EmbeddedIndex
from program.lm.schema import reply_model, strict_schema
from program.nodes.plan import PlanNode
from program.nodes.reflect import ReflectNode
from program.nodes.synthesize import SynthesizeNode
from program.nodes.understand import UnderstandNode
from signatures.plan import PlanRoutes
from signatures.reflect import Reflect
from signatures.synthesize import Synthesize
from signatures.teach import MarkNames
from signatures.understand import Understand
from tests.listeners import listener
from tests.scripted import Prompt
from tests.sessions import constraint, number_of, resources, scripted, session
from tests.tiny import build_tiny, open_tiny

ALL: dict[str, tuple[type[dspy.Signature], type[dspy.Module]]] = {
    "understand": (Understand, UnderstandNode),
    "plan": (PlanRoutes, PlanNode),
    "reflect": (Reflect, ReflectNode),
    "synthesize": (Synthesize, SynthesizeNode),
}
every = pytest.mark.parametrize("node", ALL)
SEARCHED = ToolResult(tool="catalog_search", ok=True, latency_ms=1.0)
NARROW = Intent(kind="discover", constraints=(constraint(0, "region", "IS"),), free_text="rain", size=10)


@every
def test_says_what_to_do(node: str) -> None:
    """The instruction is written for the model, not left to dspy's default."""
    signature, _ = ALL[node]
    fields = ", ".join(signature.input_fields)

    assert len(signature.instructions.split()) >= 15
    assert f"Given the fields `{fields.split(', ')[0]}`" not in signature.instructions


@every
def test_says_what_each_field_is(node: str) -> None:
    """Every field has a description of its own: dspy's placeholder would reach the prompt as noise."""
    signature, _ = ALL[node]
    descs = {name: field.json_schema_extra["desc"] for name, field in signature.fields.items()}

    assert all(len(desc.split()) >= 2 and not desc.startswith("${") for desc in descs.values()), descs


@every
def test_the_node_holds_its_signature(node: str) -> None:
    """The node asks through one predictor of exactly this signature, under the node's name."""
    signature, module = ALL[node]
    predictors = dict(module().named_predictors())

    assert list(predictors) == [node]
    assert predictors[node].signature.equals(signature)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedIndex]:
    """The tiny catalog."""
    path = tmp_path_factory.mktemp("signatures") / "index"
    build_tiny(path)
    opened = open_tiny(path)
    yield opened
    opened.close()


def _values(prompt: str) -> dict[str, Any]:
    """A good reply's value for each output that the nodes know."""
    return {
        "reading": "r1" if "r1: " in prompt else "none",
        "add": [],
        "drop": [],
        "unsure": [],
        "name": "",
        "routes": ["t1"],
        "action": "retry_relaxed",
        "chosen": [number_of(prompt, "to Europe")] if "to Europe" in prompt else [],
        "cause": "too few live there",
        "title": "Icelandic list",
        "description": "Music from Iceland and songs of rain.",
    }


def _run(node: str, index: EmbeddedIndex) -> tuple[Any, Prompt]:
    """Run one node on a session that makes it ask; the reply holds exactly the signature's outputs."""
    signature, module = ALL[node]
    lm, engine = scripted([(node, lambda prompt: {name: _values(prompt)[name] for name in signature.output_fields})])
    made = session("smells of rain and Africa", None) if node == "understand" else session("rain in Iceland", NARROW)
    ids = [entry.track.track_id for entry in map(index.track, range(3))]
    made.entries = dict(index.by_ids(ids))
    made.found = CandidateSet(
        candidates=tuple(Candidate(track_id=name, score=1.0, route_ranks={}) for name in ids), results=(SEARCHED,)
    )
    made.listener = listener(index, likes=("toto--africa",)) if node == "understand" else None
    module()(made, resources(index, lm=lm))
    assert made.fallbacks == []
    return made, engine.prompts[0]


@every
def test_every_input_reaches_the_prompt(index: EmbeddedIndex, node: str) -> None:
    """The node fills every input that the signature declares, and sends none that it does not."""
    _, prompt = _run(node, index)
    sent = [line.split(":")[0] for line in prompt.last.splitlines() if not line.startswith(" ")]

    assert sent == list(ALL[node][0].input_fields)


@every
def test_every_output_is_asked_for(index: EmbeddedIndex, node: str) -> None:
    """Decoding is held to exactly the outputs that the signature declares, in its order."""
    _, prompt = _run(node, index)
    assert prompt.schema is not None

    assert list(prompt.schema["properties"]) == list(ALL[node][0].output_fields)


def test_what_the_model_says_changes_what_the_node_does(index: EmbeddedIndex) -> None:
    """Each node reads its outputs: the second reading, the second tool, the chosen change, the title and the words."""
    understood = _run("understand", index)[0]
    planned = _run("plan", index)[0]
    reflected = _run("reflect", index)[0]
    written = _run("synthesize", index)[0]

    second = understood.understanding.readings[1].intent
    assert [e.entity_id for e in understood.intent.entities] == [e.entity_id for e in second.entities]
    assert [c.values for c in understood.intent.constraints] == [c.values for c in second.constraints]
    assert [call.tool for call in planned.plan.routes] == ["semantic_recall"]
    assert reflected.active[0].values == ("europe",)
    assert reflected.verdict.reason == "too few live there"
    assert (written.reply.title, written.reply.description) == ("Icelandic list", "Music from Iceland and songs of rain.")


def test_the_teachers_signature_is_typed_and_short() -> None:
    """A name has words and one of two kinds, and nothing else is answered; every field says what it is."""
    schema = strict_schema(reply_model(MarkNames), lengths=False)
    name = schema["$defs"]["NamedWords"]

    assert (list(schema["properties"]), list(name["properties"])) == (["names"], ["words", "kind"])
    assert name["properties"]["kind"]["enum"] == ["artist", "work"]
    assert name["additionalProperties"] is False
    assert 40 <= len(MarkNames.instructions.split()) <= 120
    assert all(len(field.json_schema_extra["desc"].split()) >= 2 for field in MarkNames.fields.values())


def test_prompt_text_is_one_place_only() -> None:
    """Notes for people stay out of the prompt: no module docstring is part of an instruction."""
    folder = Path(__file__).resolve().parents[2] / "signatures"
    heads = [file.read_text(encoding="utf-8").split('"""')[1].splitlines()[0] for file in folder.glob("[a-z]*.py")]

    assert len(heads) >= len(ALL)
    assert not any(head in signature.instructions for head in heads for signature, _ in ALL.values())
