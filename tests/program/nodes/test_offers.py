from __future__ import annotations

from typing import Any

import dspy
import pytest

from data.contracts import EntityRef
from program.grounding.readings import understand_by_code
from program.index.engine import EmbeddedIndex
from program.nodes.offers import Offers, applied, drafted, offered, output_types
from program.settings import GroundingSettings, Settings
from tests.program.grounding.conftest import summary
from tests.sessions import resources

RAINY = "rainy evening drive past Kaleidoscope"


def _known(text: str, index: EmbeddedIndex, settings: Settings | None = None) -> tuple[Any, Offers]:
    known = understand_by_code(text, index, settings or Settings())
    return known, offered(known, resources(index, settings))


def _choice(reading: str = "r0", **given: Any) -> dspy.Prediction:
    return dspy.Prediction(**{"reading": reading, "add": [], "drop": [], "unsure": [], "name": "", **given})


def _number(options: Offers, identity: str) -> str:
    for name, offer in options.items():
        if identity in (getattr(offer.item, "entity_id", None), *getattr(offer.item, "values", ())):
            return name
    raise AssertionError(f"{identity} is not offered")


@pytest.mark.parametrize("text", ["Hello", "Kaleidoscope", "sad jazz by Miles Davis", "play 1999", "", "播放晴天"])
def test_offers_are_numbered_and_verified(tiny_index: EmbeddedIndex, text: str) -> None:
    """Names are e…, facets f…; each is offered once, under its own number, with the words that it stands for."""
    _, options = _known(text, tiny_index)
    things = [
        (o.item.entity_type, o.item.entity_id) if isinstance(o.item, EntityRef) else (o.item.facet, o.item.op, *o.item.values)
        for o in options.values()
    ]

    assert len(things) == len(set(things))
    for name, offer in options.items():
        assert name[0] == ("e" if offer.evidence else "f")
        assert 0 <= offer.span[0] < offer.span[1] <= len(text)
        assert not isinstance(offer.item, EntityRef) or offer.item.evidence_id == name


@pytest.mark.parametrize("most", [1, 3])
def test_offers_are_bounded(tiny_index: EmbeddedIndex, most: int) -> None:
    """No more names are offered than the settings say."""
    settings = Settings(grounding=GroundingSettings(max_evidence=most))
    _, options = _known("Hello Yesterday Africa Creep Halo", tiny_index, settings)

    assert sum(name.startswith("e") for name in options) == most


def test_the_first_reading_unchanged(tiny_index: EmbeddedIndex) -> None:
    """Choosing the first reading and nothing else gives code's own intent."""
    known, options = _known("sad songs by Adele", tiny_index)

    assert summary(applied(_choice(), known, options)) == summary(known.best.intent)


@pytest.mark.parametrize(
    ("text", "add", "drop", "meaning"),
    [
        ("Kaleidoscope", (), ("kaleidoscope",), "discover 20"),
        ("Kaleidoscope", ("siouxsie/kaleidoscope",), ("kaleidoscope",), "play 20, target:siouxsie/kaleidoscope"),
        ("sad songs by Adele", (), ("sad",), "play 20, target:adele"),
        ("rock without Queen", (), ("rock",), "discover 20, exclude:queen"),
        ("jazz but not sad", (), ("sad",), "discover 20, genre=jazz*, mood!=sad*"),
        ("play Hello", (), ("adele--hello",), "discover 1"),
    ],
)
def test_adding_and_dropping(
    tiny_index: EmbeddedIndex, text: str, add: tuple[str, ...], drop: tuple[str, ...], meaning: str
) -> None:
    """What is added comes in, what is dropped goes; a negated facet stays, and a request without a target is for anything."""
    known, options = _known(text, tiny_index)
    chosen = _choice(add=[_number(options, name) for name in add], drop=[_number(options, name) for name in drop])

    assert summary(applied(chosen, known, options)) == meaning


def test_numbers_that_were_not_offered_do_nothing(tiny_index: EmbeddedIndex) -> None:
    """A number outside the offers cannot name a thing."""
    known, options = _known("songs by Adele", tiny_index)
    chosen = _choice(add=["e99", "f99"], drop=["e98"], unsure=["e97", "e96"])
    intent, after = drafted(chosen, known, options)

    assert summary(intent) == summary(known.best.intent)
    assert (intent.ambiguity, after) == ((), known)


@pytest.mark.parametrize(
    ("name", "absent"),
    [("Zorblax", ("Zorblax",)), ("", ()), ("Adele", ()), ("sad", ()), ("Michael Jackson", ()), ("ZORBLAX", ("Zorblax",))],
)
def test_a_name_of_the_model(tiny_index: EmbeddedIndex, name: str, absent: tuple[str, ...]) -> None:
    """A name becomes absent only where the words that nothing explains hold it."""
    known, options = _known("sad songs by Adele that have Zorblax in them", tiny_index)
    intent, _ = drafted(_choice(name=name), known, options)

    assert intent.absent == absent
    assert ("zorblax" in intent.free_text.casefold()) is (not absent)


@pytest.mark.parametrize(("count", "doubts"), [(0, 0), (1, 0), (2, 2)])
def test_doubt_takes_two(tiny_index: EmbeddedIndex, count: int, doubts: int) -> None:
    """Two namesakes are asked about, with evidence that the reading then holds; one alone is no doubt."""
    known, options = _known("Hello", tiny_index)
    both = [_number(options, "adele--hello"), _number(options, "lionel-richie--hello")]
    plain = known.best.intent.model_copy(update={"ambiguity": ()})
    known = type(known)(known.lookup, (type(known.best)(plain, known.best.evidence, 1.0, True),), 1.0)
    intent, after = drafted(_choice(unsure=both[:count]), known, options)

    assert len(intent.ambiguity) == doubts
    assert set(intent.ambiguity) <= {item.evidence_id for item in after.best.evidence}


def test_the_reply_is_held_to_the_offers(tiny_index: EmbeddedIndex) -> None:
    """The types allow the readings and numbers that were offered and no others; doubt is about names only."""
    _, options = _known("sad songs by Adele", tiny_index)
    types = output_types(2, tuple(options))

    assert set(types) == {"reading", "add", "drop", "unsure", "name"}
    assert "'r0', 'r1'" in repr(types["reading"])
    assert "f0" in repr(types["add"])
    assert "f0" not in repr(types["unsure"])
