"""UNDERSTAND in draft order: the LM names, the catalog reads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from data.contracts import Intent
from program.index.engine import EmbeddedIndex
from program.nodes.understand import UnderstandNode
from program.settings import Settings, UnderstandSettings
from program.state import Session
from tests.scripted import ScriptedLM, dead_lm
from tests.sessions import resources, scripted, session

VAGUE = "smells of asphalt and Africa"
DRAFT = Settings(understand=UnderstandSettings(order="draft"))
ALL = Settings(understand=UnderstandSettings(order="draft", draft_all=True))


def _understand(
    index: EmbeddedIndex, text: str, *replies: dict[str, Any] | str, settings: Settings = DRAFT, adapter: str = ""
) -> tuple[Intent, Session, ScriptedLM]:
    lm, engine = scripted([("understand", list(replies))])
    given = resources(index, settings, lm)
    node = replace(given.backbones["understand"], adapter=adapter)
    made = session(text)
    intent: Intent = UnderstandNode()(made, replace(given, backbones={**given.backbones, "understand": node}))
    return intent, made, engine


def _by_code(index: EmbeddedIndex, text: str) -> Intent:
    intent: Intent = UnderstandNode()(session(text), resources(index))
    return intent


def _entities(intent: Intent) -> list[str]:
    return [entity.entity_id for entity in intent.entities]


def test_the_draft_decides_between_readings(tiny_index: EmbeddedIndex) -> None:
    """The same request with another draft is read otherwise; every id is the catalog's."""
    named, _, _ = _understand(tiny_index, VAGUE, {"names": ["work: Africa"]})
    unnamed, _, _ = _understand(tiny_index, VAGUE, {"names": []})

    assert _entities(named) == ["toto--africa"]
    assert _entities(unnamed) == []


def test_a_trained_backbone_gets_the_trained_prompt(tiny_index: EmbeddedIndex) -> None:
    """With an adapter the request alone is asked, and no schema; without one there are instructions."""
    trained, _, bare = _understand(tiny_index, VAGUE, "work: africa", adapter="adapter.gguf")
    _, _, full = _understand(tiny_index, VAGUE, {"names": ["work: Africa"]})

    assert _entities(trained) == ["toto--africa"]
    assert (bare.prompts[0].system, bare.prompts[0].last, bare.prompts[0].schema) == ("", VAGUE.lower(), None)
    assert "List the names" in full.prompts[0].system and full.prompts[0].schema is not None


def test_clear_requests_ask_nothing_unless_all_are_to_be_drafted(tiny_index: EmbeddedIndex) -> None:
    """`draft_all` asks for a draft of every request."""
    clear, _, silent = _understand(tiny_index, "Africa by Toto")
    drafted, _, engine = _understand(tiny_index, "Africa by Toto", {"names": ["work: Africa", "artist: Toto"]}, settings=ALL)

    assert silent.prompts == [] and len(engine.prompts) == 1
    assert _entities(clear) == _entities(drafted)


@pytest.mark.parametrize("reply", ["gibberish", "artist: somebody else"])
def test_a_useless_draft_does_no_harm_to_what_code_knows(tiny_index: EmbeddedIndex, reply: str) -> None:
    """An unreadable draft leaves code's reading; names that are not in the request are no evidence for anything held."""
    intent, made, engine = _understand(tiny_index, VAGUE, reply, reply, adapter="adapter.gguf")

    assert set(_entities(intent)) <= set(_entities(_by_code(tiny_index, VAGUE)))
    assert "somebody" not in " ".join(intent.absent)
    assert (reply == "gibberish") == any(fault.kind == "model_output" for fault in made.fallbacks)
    assert len(engine.prompts) == 1  # a line in another form is not asked for again


def test_without_the_model_code_reads(tiny_index: EmbeddedIndex) -> None:
    """An outage is told, and costs no answer."""
    made = session(VAGUE)
    intent = UnderstandNode()(made, resources(tiny_index, DRAFT, dead_lm()))

    assert _entities(intent) == _entities(_by_code(tiny_index, VAGUE))
    assert [fault.kind for fault in made.fallbacks] == ["infrastructure"]


def test_without_an_lm_the_order_changes_nothing(tiny_index: EmbeddedIndex) -> None:
    """The LM-free path is the same in both orders."""
    intent = UnderstandNode()(session(VAGUE), resources(tiny_index, DRAFT))

    assert intent == _by_code(tiny_index, VAGUE)


def test_other_languages_are_read_by_code(tiny_index: EmbeddedIndex) -> None:
    """Where languages are named, a request in another one asks nothing; the setting empty asks for all."""
    english = Settings(understand=UnderstandSettings(order="draft", draft_all=True, draft_locales=("en",)))
    chinese, _, silent = _understand(tiny_index, "播放晴天", settings=english)
    _, _, asked = _understand(tiny_index, "播放晴天", {"names": ["work: 晴天"]}, settings=ALL)
    _, _, named = _understand(tiny_index, VAGUE, {"names": []}, settings=english)

    assert chinese == _by_code(tiny_index, "播放晴天")
    assert [len(engine.prompts) for engine in (silent, asked, named)] == [0, 1, 1]
