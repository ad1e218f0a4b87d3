from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from data.contracts import Intent
from program.index.engine import EmbeddedIndex
from program.lm.meter import Budget
from program.nodes.describe import intent_words
from program.nodes.understand import UnderstandNode
from program.settings import Settings
from program.state import Session
from tests.scripted import DeadEngine, ScriptedLM, dead_lm
from tests.sessions import number_of, reading, resources, scripted, session

VAGUE = "smells of asphalt and Africa"
"""Code reads Africa as a track or as a region and cannot place the other words, so an LM is asked."""
ALWAYS_ASK = Settings(head_shortcut=False)
Reply = dict[str, Any] | str | Callable[[str], dict[str, Any]]


def _understand(
    index: EmbeddedIndex, text: str, *replies: Reply, settings: Settings | None = None, n: int | None = None, schema: bool = True
) -> tuple[Intent, Session, ScriptedLM]:
    """The intent with a script of exactly these replies; one call more fails the test."""
    lm, engine = scripted([("understand", list(replies))], schema=schema)
    made = session(text, n=n)
    intent: Intent = UnderstandNode()(made, resources(index, settings, lm))
    return intent, made, engine


def _by_code(index: EmbeddedIndex, text: str) -> Intent:
    intent: Intent = UnderstandNode()(session(text), resources(index))
    return intent


def _meaning(intent: Intent) -> tuple[object, ...]:
    entities = [(entity.role, entity.entity_id) for entity in intent.entities]
    return intent.kind, entities, [(c.facet, c.op, c.values) for c in intent.constraints], intent.absent, intent.free_text


def _outcomes(made: Session) -> dict[str, str]:
    return {outcome.name: outcome.outcome for outcome in made.assertions.get("understand", ())}


CLEAR = ["Africa by Toto", "Miles Davis", "post-punk", "sad piano songs", "晴天", "my liked songs", "Hello"]


@pytest.mark.parametrize("text", CLEAR)
def test_a_clear_request_asks_no_lm(tiny_index: EmbeddedIndex, text: str) -> None:
    """Exact names, plain facet words, personal sets and plain ambiguity are read by code alone."""
    intent, made, engine = _understand(tiny_index, text)

    assert engine.prompts == []
    assert _meaning(intent) == _meaning(_by_code(tiny_index, text))
    assert made.assertions == {}


def test_a_bare_artist_with_an_album_of_that_name_asks_no_lm(tiny_index: EmbeddedIndex) -> None:
    """An exact artist is a clear request also where one of its albums is called the same."""
    intent, _, _ = _understand(tiny_index, "Metallica")

    assert [entity.entity_id for entity in intent.by_role("target")] == ["metallica"]


def test_the_session_keeps_what_was_decided(tiny_index: EmbeddedIndex) -> None:
    """Intent, constraints to hold and a fresh ledger are set for the nodes that follow."""
    intent, made, _ = _understand(tiny_index, "post-punk")

    assert made.intent == intent
    assert made.active == intent.constraints
    assert made.ledger.original == intent.constraints
    assert not made.ledger.relaxed
    assert made.understanding is not None


def test_the_number_asked_for_outside_the_words_wins(tiny_index: EmbeddedIndex) -> None:
    """A size given beside the request replaces the one in it, with and without an LM."""
    assert _understand(tiny_index, "2 songs by Queen")[0].size == 2
    assert _understand(tiny_index, "2 songs by Queen", n=3)[0].size == 3
    assert _understand(tiny_index, VAGUE, reading("r0"), n=3)[0].size == 3


def test_the_prompt_offers_what_was_found(tiny_index: EmbeddedIndex) -> None:
    """The prompt holds the request, every reading and every option by number, and decoding is held to these numbers."""
    _, made, engine = _understand(tiny_index, VAGUE, reading("r0"))
    prompt = engine.prompts[0]
    assert made.understanding is not None
    numbers = [f"r{n}" for n in range(len(made.understanding.readings))]

    assert f"request: {VAGUE}" in prompt.last
    for number, read in zip(numbers, made.understanding.readings, strict=True):
        assert f"{number}: {intent_words(read.intent)}" in prompt.last
    assert prompt.schema is not None
    assert prompt.schema["properties"]["reading"]["enum"] == numbers
    assert number_of(prompt.text, "track Africa by Toto").startswith("e")
    assert number_of(prompt.text, '"Africa" = region').startswith("f")


@pytest.mark.parametrize(
    ("words", "expected"),
    [(("target track Africa",), ("track", "toto--africa")), (("discover", "region Africa"), ("region", "africa"))],
    ids=["the track", "the region"],
)
def test_accepts_an_offered_reading(tiny_index: EmbeddedIndex, words: tuple[str, ...], expected: tuple[str, str]) -> None:
    """The reading that the model names becomes the intent, and every check is noted as passed."""
    intent, made, _ = _understand(tiny_index, VAGUE, lambda prompt: reading(number_of(prompt, *words)))
    names = [(str(entity.entity_type), entity.entity_id) for entity in intent.entities]
    facets = [(str(c.facet), c.values[0]) for c in intent.constraints]

    assert [*names, *facets] == [expected]
    assert made.fallbacks == []
    assert set(_outcomes(made).values()) == {"passed"}


def test_accepts_offered_options(tiny_index: EmbeddedIndex) -> None:
    """An option may take the place of another one that uses the same words."""

    def swap(prompt: str) -> dict[str, Any]:
        track, region = number_of(prompt, "track Africa by Toto"), number_of(prompt, '"Africa" = region')
        return reading(number_of(prompt, "target track Africa"), add=[region], drop=[track])

    intent, made, _ = _understand(tiny_index, VAGUE, swap)

    assert [(c.constraint_id, c.facet, c.values) for c in intent.constraints] == [("c0", "region", ("africa",))]
    assert intent.entities == ()
    assert made.active == intent.constraints


def test_an_added_track_is_played(tiny_index: EmbeddedIndex) -> None:
    """Adding a named track to a reading without names makes it a request to play that one track."""

    def swap(prompt: str) -> dict[str, Any]:
        track, region = number_of(prompt, "track Africa by Toto"), number_of(prompt, '"Africa" = region')
        return reading(number_of(prompt, "discover", "region Africa"), add=[track], drop=[region])

    intent, _, _ = _understand(tiny_index, VAGUE, swap)

    assert [entity.entity_id for entity in intent.by_role("target")] == ["toto--africa"]
    assert (intent.kind, intent.size) == ("play", 1)


def _drops_everything(prompt: str) -> dict[str, Any]:
    return reading(number_of(prompt, "discover", "region Africa"), drop=[number_of(prompt, '"Africa" = region')])


def _uses_words_twice(prompt: str) -> dict[str, Any]:
    return reading(number_of(prompt, "target track Africa"), add=[number_of(prompt, '"Africa" = region')])


REJECTED: dict[str, tuple[Reply, str, str]] = {
    "a reading that was not offered": (reading("r99"), "schema", "reading"),
    "an option that was not offered": (reading("r0", add=["e99"]), "schema", "add"),
    "an id instead of a number": (reading("toto--africa"), "schema", "reading"),
    "more options than allowed": (reading("r0", add=["e0", "e0", "e0"]), "schema", "add"),
    "an unknown field": ({**reading("r0"), "title": "x"}, "schema", "title"),
    "no JSON": ("I think they mean Toto.", "schema", "JSON"),
    "words left uncovered": (_drops_everything, "covers_request", "words of the request unused"),
    "words used twice": (_uses_words_twice, "options_disjoint", "already uses"),
    "a name that is not in the request": (reading("r0", name="Michael Jackson"), "name_in_request", "copied from the request"),
}
rejected = pytest.mark.parametrize(("bad", "check", "told"), REJECTED.values(), ids=REJECTED.keys())


@rejected
def test_a_rejected_reply_is_repaired_once(tiny_index: EmbeddedIndex, bad: Reply, check: str, told: str) -> None:
    """The second prompt says what was wrong; a good second reply counts as repaired and leaves no fallback."""
    intent, made, engine = _understand(
        tiny_index, VAGUE, bad, lambda prompt: reading(number_of(prompt, "discover", "region Africa"))
    )

    assert len(engine.prompts) == 2
    assert engine.prompts[1].last.splitlines()[-1].startswith("correction: ")
    assert told in engine.prompts[1].last.splitlines()[-1]
    assert "correction" not in engine.prompts[0].last
    assert [c.values for c in intent.constraints] == [("africa",)]
    assert _outcomes(made)[check] == "repaired"
    assert made.fallbacks == []


@rejected
def test_a_reply_rejected_twice_gives_way_to_code(tiny_index: EmbeddedIndex, bad: Reply, check: str, told: str) -> None:
    """After one repair turn code's own reading stands, with a typed fallback that names the check."""
    intent, made, engine = _understand(tiny_index, VAGUE, bad, bad)

    assert len(engine.prompts) == 2
    assert _meaning(intent) == _meaning(_by_code(tiny_index, VAGUE))
    assert _outcomes(made)[check] == "failed"
    assert [(f.node, f.kind, f.code) for f in made.fallbacks] == [("understand", "model_output", check)]
    assert told in made.fallbacks[0].message


@pytest.mark.parametrize(
    ("check", "bad"),
    [("covers_request", _drops_everything), ("options_disjoint", _uses_words_twice)],
    ids=["covers_request", "options_disjoint"],
)
def test_a_check_that_is_off_lets_the_reply_through(tiny_index: EmbeddedIndex, check: str, bad: Reply) -> None:
    """With its switch off a check costs no repair turn, changes the intent, and is noted as off."""
    settings = Settings(assertions_off=frozenset({check}))
    intent, made, engine = _understand(tiny_index, VAGUE, bad, settings=settings)

    assert len(engine.prompts) == 1
    assert _meaning(intent) != _meaning(_by_code(tiny_index, VAGUE))
    assert _outcomes(made)[check] == "off"
    assert made.fallbacks == []


def test_the_name_check_off(tiny_index: EmbeddedIndex) -> None:
    """With the name check off a foreign name costs no repair turn; it still finds no place in the intent."""
    settings = Settings(assertions_off=frozenset({"name_in_request"}))
    intent, made, engine = _understand(tiny_index, VAGUE, reading("r0", name="Michael Jackson"), settings=settings)

    assert len(engine.prompts) == 1
    assert _outcomes(made)["name_in_request"] == "off"
    assert intent.absent == ()


def test_the_schema_check_off(tiny_index: EmbeddedIndex) -> None:
    """With the schema check off an unreadable reply gets no repair turn; code reads the request."""
    intent, made, engine = _understand(tiny_index, VAGUE, "no JSON", settings=Settings(assertions_off=frozenset({"schema"})))

    assert len(engine.prompts) == 1
    assert _meaning(intent) == _meaning(_by_code(tiny_index, VAGUE))
    assert _outcomes(made) == {"schema": "off"}


def test_a_name_that_nothing_covers_becomes_absent(tiny_index: EmbeddedIndex) -> None:
    """Words of the request that the model calls a name, and that the catalog does not hold, are absent."""
    text = "songs that remind of zanzibarcodes and rain"
    intent, _, engine = _understand(tiny_index, text, reading("r0", name="zanzibarcodes"))

    assert len(engine.prompts) == 1
    assert intent.absent == ("zanzibarcodes",)
    assert "zanzibarcodes" not in intent.free_text


def test_a_name_that_is_covered_changes_nothing(tiny_index: EmbeddedIndex) -> None:
    """A name that the reading already holds is no absent name."""
    intent, _, _ = _understand(tiny_index, VAGUE, lambda prompt: reading(number_of(prompt, "target track Africa"), name="Africa"))

    assert intent.absent == ()


NEGATED = "rock but no Metallica"


def _drops_exclusion(prompt: str) -> dict[str, Any]:
    return reading(number_of(prompt, "exclude artist Metallica"), drop=[number_of(prompt, "artist Metallica (")])


def _turns_exclusion(prompt: str) -> dict[str, Any]:
    option = number_of(prompt, "artist Metallica (")
    return reading(number_of(prompt, "exclude artist Metallica"), add=[option], drop=[option])


@pytest.mark.parametrize("reply", [_drops_exclusion, _turns_exclusion], ids=["dropped", "turned into a target"])
def test_a_model_cannot_undo_an_exclusion(tiny_index: EmbeddedIndex, reply: Reply) -> None:
    """What the request excludes stays excluded, whatever the model replies."""
    intent, _, _ = _understand(tiny_index, NEGATED, reply, reply, settings=ALWAYS_ASK)

    assert [(entity.role, entity.entity_id) for entity in intent.entities] == [("exclude", "metallica")]


def test_no_offered_reading_wants_what_is_excluded(tiny_index: EmbeddedIndex) -> None:
    """Every reading that a model may choose keeps the excluded name excluded."""
    _, made, engine = _understand(tiny_index, NEGATED, reading("r0"), settings=ALWAYS_ASK)
    assert made.understanding is not None
    roles = {entity.role for read in made.understanding.readings for entity in read.intent.entities}

    assert roles == {"exclude"}
    assert "target artist Metallica" not in engine.prompts[0].last


def test_an_excluded_facet_cannot_be_dropped(tiny_index: EmbeddedIndex) -> None:
    """A negated facet stays in the intent although the model names it among what is not meant."""
    text = "rock but no pop"
    intent, _, _ = _understand(
        tiny_index, text, lambda prompt: reading("r0", drop=[number_of(prompt, '"pop" = no genre Pop')]), settings=ALWAYS_ASK
    )

    assert ("genre", "not", ("pop",)) in [(c.facet, c.op, c.values) for c in intent.constraints]


def test_without_the_shortcut_the_lm_is_always_asked(tiny_index: EmbeddedIndex) -> None:
    """The switch for the head shortcut decides whether a clear request costs a call."""
    intent, _, engine = _understand(tiny_index, "Africa by Toto", reading("r0"), settings=ALWAYS_ASK)

    assert len(engine.prompts) == 1
    assert _meaning(intent) == _meaning(_by_code(tiny_index, "Africa by Toto"))


def test_a_backend_without_a_schema_is_told_it_in_words(tiny_index: EmbeddedIndex) -> None:
    """Where decoding is free the prompt spells the numbers out, and a fenced reply is read."""
    intent, made, engine = _understand(
        tiny_index,
        VAGUE,
        '```json\n{"reading": "r1", "add": [], "drop": [], "unsure": [], "name": ""}\n```',
        schema=False,
    )

    assert '"r0" | "r1"' in engine.prompts[0].last
    assert engine.prompts[0].schema is None
    assert made.understanding is not None
    assert _meaning(intent) == _meaning(made.understanding.readings[1].intent)


def test_a_dead_lm_leaves_the_reading_to_code(tiny_index: EmbeddedIndex) -> None:
    """A refused connection is tried once and told as a fault of the infrastructure."""
    lm = dead_lm()
    made = session(VAGUE)
    intent = UnderstandNode()(made, resources(tiny_index, lm=lm))
    engine: DeadEngine = lm.engine

    assert engine.calls == 1
    assert _meaning(intent) == _meaning(_by_code(tiny_index, VAGUE))
    assert [(f.kind, f.code) for f in made.fallbacks] == [("infrastructure", "lm_unavailable")]


def test_a_budget_for_one_call_leaves_no_repair(tiny_index: EmbeddedIndex) -> None:
    """When the repair turn is not paid for, code reads the request and the fault is the budget's."""
    lm, engine = scripted([("understand", ["no JSON"])])
    made = session(VAGUE, budget=Budget(calls=1))
    intent = UnderstandNode()(made, resources(tiny_index, lm=lm))

    assert len(engine.prompts) == 1
    assert _meaning(intent) == _meaning(_by_code(tiny_index, VAGUE))
    assert [(f.kind, f.code) for f in made.fallbacks] == [("budget", "calls")]
