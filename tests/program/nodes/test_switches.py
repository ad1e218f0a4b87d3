"""Each grounding switch changes what the same request becomes."""

from __future__ import annotations

from typing import Any

import pytest

from data.contracts import Intent
from program.grounding.rules import rules_text
from program.index.engine import EmbeddedIndex
from program.nodes.understand import UnderstandNode
from program.settings import GroundingSettings, Settings
from signatures.understand import WITHOUT_RULES, Understand
from tests.sessions import number_of, reading, resources, scripted, session

FULL = Settings()
NO_RULES = Settings(grounding=GroundingSettings(rules=False))
NO_LOOKUP = Settings(grounding=GroundingSettings(rules=False, lookup=False))
VAGUE = "smells of asphalt and Africa"


def _intent(index: EmbeddedIndex, text: str, settings: Settings, reply: dict[str, Any] | None = None) -> Intent:
    lm = scripted([("understand", [reply])])[0] if reply else None
    intent: Intent = UnderstandNode()(session(text), resources(index, settings, lm))
    return intent


def _targets(intent: Intent) -> list[str]:
    return [entity.entity_id for entity in intent.by_role("target")]


@pytest.mark.parametrize(
    ("asked", "taken"),
    [
        ("something to play at night", "moby/play"),
        ("music to play cards", "moby/play"),
        ("say hello to the world", "adele--hello"),
    ],
)
def test_without_rules_everyday_words_are_names(tiny_index: EmbeddedIndex, asked: str, taken: str) -> None:
    """The rule that everyday words are not names holds in code too, and only while it is on."""
    assert not _intent(tiny_index, asked, FULL).entities
    assert _targets(_intent(tiny_index, asked, NO_RULES)) == [taken]


def test_without_rules_nothing_is_asked_back(tiny_index: EmbeddedIndex) -> None:
    """Two equally popular songs of one title are a question; without the rules the first one is taken."""
    assert len(_intent(tiny_index, "play Hello", FULL).ambiguity) == 2
    assert _intent(tiny_index, "play Hello", NO_RULES).ambiguity == ()
    assert _targets(_intent(tiny_index, "play Hello", NO_RULES))


def test_without_rules_a_wrong_artist_is_not_refused(tiny_index: EmbeddedIndex) -> None:
    """An artist whose works exclude the title makes it absent; without the rules the title is played by whoever has it."""
    asked = "play 1999 by Metallica"

    assert _intent(tiny_index, asked, FULL).absent
    assert not _targets(_intent(tiny_index, asked, FULL))
    assert not _intent(tiny_index, asked, NO_RULES).absent


def test_without_lookup_the_first_hit_is_taken(tiny_index: EmbeddedIndex) -> None:
    """Names go straight to the search: a facet word is never a title then, and no evidence backs a hit."""
    made = session("play 1999 by Prince")
    intent = UnderstandNode()(made, resources(tiny_index, NO_LOOKUP))

    assert made.understanding is not None
    assert all(item.support == 0.0 for item in made.understanding.best.evidence)
    assert _targets(_intent(tiny_index, "play Africa", FULL))
    assert not _targets(_intent(tiny_index, "play Africa", NO_LOOKUP))
    assert intent.ambiguity == ()


def test_without_lookup_an_lm_names_things_from_memory(tiny_index: EmbeddedIndex) -> None:
    """What the LM lists is searched for unchecked, what it rules out is left out, what is not held is left over."""
    reply = {"artists": ["Metallica"], "titles": [], "unwanted": ["Prince"]}
    intent = _intent(tiny_index, VAGUE, NO_LOOKUP, reply)

    assert [(e.role, e.entity_id) for e in intent.entities] == [("exclude", "prince"), ("target", "metallica")]
    pair = _intent(tiny_index, VAGUE, NO_LOOKUP, {"artists": ["Adele"], "titles": ["Hello"], "unwanted": []})
    assert [entity.entity_type for entity in pair.by_role("target")] == ["track"]
    missing = _intent(tiny_index, VAGUE, NO_LOOKUP, {"artists": ["Nobody At All"], "titles": [], "unwanted": []})
    assert not missing.entities
    assert "Nobody At All" in missing.free_text


def test_negated_leftovers_are_ruled_out_without_lookup(tiny_index: EmbeddedIndex) -> None:
    """The comparison is no straw man: a name after "but not" is excluded by it too."""
    intent = _intent(tiny_index, "play Xyzzy but not Metallica", NO_LOOKUP)

    assert [entity.entity_id for entity in intent.by_role("exclude")] == ["metallica"]


def test_the_prompt_carries_the_cut_offs(tiny_index: EmbeddedIndex) -> None:
    """The catalog's own thresholds stand in the rules, and the rules leave the prompt when they are off."""
    cut = GroundingSettings(p_hi=0.71, p_lo=0.13, ambiguity_margin=0.07)

    def prompt(settings: GroundingSettings) -> str:
        lm, engine = scripted([("understand", [reading("r0")])])
        UnderstandNode()(session(VAGUE), resources(tiny_index, Settings(grounding=settings), lm))
        return engine.prompts[0].system

    assert all(number in prompt(cut) for number in ("0.71", "0.13", "0.07"))
    assert "{p_" not in prompt(GroundingSettings())
    assert "Rules" in prompt(cut)
    assert "Rules" not in prompt(cut.model_copy(update={"rules": False}))


def test_rules_text_leaves_other_braces() -> None:
    """An optimizer's instructions may hold any braces."""
    text = "Answer {well}. Popular is {p_hi}."

    assert rules_text(text, GroundingSettings(p_hi=0.5)) == "Answer {well}. Popular is 0.5."
    assert rules_text(text, GroundingSettings(rules=False)) == WITHOUT_RULES
    assert Understand.instructions.startswith(WITHOUT_RULES.split(".", maxsplit=1)[0])


@pytest.mark.parametrize(
    ("words", "outcome"), [((("Hello", "Adele"), ("Hello", "Lionel")), "passed"), ((("Hello", "Adele"),), "failed")]
)
def test_an_lm_may_be_unsure_of_namesakes_only(
    tiny_index: EmbeddedIndex, words: tuple[tuple[str, str], ...], outcome: str
) -> None:
    """Two songs of one title and popularity become a question; one option alone is no doubt."""
    always = Settings(head_shortcut=False)
    made = session("the song Hello, at dusk")

    def reply(prompt: str) -> dict[str, Any]:
        return reading("r0", unsure=[number_of(prompt, *pair, "track") for pair in words])

    lm, _ = scripted([("understand", [reply, reply])])
    intent = UnderstandNode()(made, resources(tiny_index, always, lm))

    assert {o.name: o.outcome for o in made.assertions["understand"]}["unsure_of_namesakes"] == outcome
    if outcome == "passed":
        assert made.understanding is not None
        named = {item.evidence_id: item for item in made.understanding.best.evidence}
        assert {named[name].artists for name in intent.ambiguity} == {("Adele",), ("Lionel Richie",)}
