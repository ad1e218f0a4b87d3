"""Entities and constraints of a plan beside the label's, case by case."""

from __future__ import annotations

from typing import Any

import pytest

from data.contracts import EntityRef
from data.labelled import LabelledConstraint
from optimizers.compare import condition_counts, entity_mistakes, holds_condition, is_of_entity
from optimizers.naming import mistake_of
from tests.labelled import ADELE, LIONEL, answered, named, row, used
from tests.sessions import constraint

_HELLO = named("hello", "track", ADELE)
_EITHER = named("hello", "track", ADELE, LIONEL)
_BY_ADELE = named("adele", "artist", "adele", role="context", optional=True)
_NO_ADELE = named("adele", "artist", "adele", role="exclude")


@pytest.mark.parametrize(
    ("labels", "entities", "mistake"),
    [
        ([_HELLO], [used(ADELE)], "none"),
        ([_EITHER], [used(LIONEL)], "none"),
        ([_EITHER], [used(LIONEL), used(ADELE)], "none"),
        ([_HELLO, _BY_ADELE], [used(ADELE)], "none"),
        ([_HELLO, _BY_ADELE], [used(ADELE), used("adele", "artist", "context")], "none"),
        ([_HELLO], [used(ADELE), used("toto", "artist", "context")], "none"),
        ([], [], "none"),
        ([_HELLO], [], "missing"),
        ([_HELLO], [used(LIONEL)], "wrong"),
        ([_HELLO, _BY_ADELE], [used(ADELE), used("adele", "artist")], "extra"),
        ([_NO_ADELE], [used("adele", "artist")], "wrong"),
        ([_HELLO, _NO_ADELE], [used(ADELE)], "missing"),
        ([], [used(ADELE)], "extra"),
    ],
)
def test_entities(labels: list[dict[str, Any]], entities: list[EntityRef], mistake: str) -> None:
    """Any of a label's ids is right, what is optional may lack, context reaches no plan, another role is another thing."""
    found = entity_mistakes(entities, row("hello adele", entities=labels).entities)

    assert mistake_of(found) == mistake
    assert found.any == (mistake != "none")


def test_a_wrong_role_is_paired_with_its_own_label() -> None:
    """What was used in another part is set beside its label, and not beside the first one that lacks."""
    labels = row("hello adele", entities=[_HELLO, _NO_ADELE]).entities
    found = entity_mistakes([used("adele", "artist", "target")], labels)

    assert [(label.surface, other.entity_id) for label, other in found.wrong] == [("adele", "adele")]
    assert [label.surface for label in found.missing] == ["hello"]


_FRENCH = {"facet": "language", "op": "is", "values": ["fr"], "also": [{"facet": "region", "op": "is", "values": ["FR"]}]}


@pytest.mark.parametrize(
    ("found", "labels", "counts"),
    [
        ([constraint(0, "genre", "rock")], [{"facet": "genre", "op": "is", "values": ["rock"]}], (1, 0, 0)),
        ([constraint(0, "genre", "rock", op="not")], [{"facet": "genre", "op": "is", "values": ["rock"]}], (0, 1, 1)),
        ([constraint(0, "genre", "rock"), constraint(1, "genre", "jazz")],
         [{"facet": "genre", "op": "is", "values": ["rock", "jazz"]}], (2, 0, 0)),
        ([constraint(0, "region", "FR")], [_FRENCH], (1, 0, 0)),
        ([], [_FRENCH], (0, 0, 1)),
        ([], [{**_FRENCH, "optional": True}], (0, 0, 0)),
        ([constraint(0, "era", "1980", "1989.0", op="range")],
         [{"facet": "era", "op": "range", "values": ["1980", "1989"]}], (1, 0, 0)),
    ],
)  # fmt: skip
def test_constraints(found: list[Any], labels: list[dict[str, Any]], counts: tuple[int, int, int]) -> None:
    """Value by value; of equally right readings the best found one counts; polarity matters; what is optional never lacks."""
    got = condition_counts(found, [LabelledConstraint.model_validate(label) for label in labels])

    assert (len(got.right), len(got.extra), len(got.missing)) == counts


def test_what_a_track_holds() -> None:
    """By the catalog's record, in any of a label's readings."""
    (africa,) = answered("toto--africa")
    american = LabelledConstraint.model_validate(
        {"facet": "language", "op": "is", "values": ["fr"], "also": [{"facet": "region", "op": "is", "values": ["US"]}]}
    )
    by_toto, album, hello = row(
        "toto iv hello",
        entities=[named("toto", "artist", "toto"), named("iv", "album", "toto/totoiv"), named("hello", "track", ADELE)],
    ).entities

    assert holds_condition(africa, american) == "yes"
    assert is_of_entity(africa, by_toto)
    assert not is_of_entity(africa, hello)
    assert is_of_entity(africa, album)
