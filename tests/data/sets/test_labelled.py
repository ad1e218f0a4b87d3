from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
from pydantic import ValidationError

from data.errors import LabelError
from data.labelled import (
    KINDS,
    Ambiguity,
    Condition,
    LabelledConstraint,
    LabelledRow,
    Reading,
    load_rows,
    load_set,
    split_qids,
)

MakeRow = Callable[..., LabelledRow]
SOL = {"entity_type": "artist", "ids": ["sol"], "role": "target", "surface": "sol"}


def test_a_row_survives_json(make_row: MakeRow) -> None:
    """What is written is what is read."""
    row = make_row(ambiguity={"readings": [[SOL], []], "answers": ["any_reading"]}, absent=["play"])

    assert LabelledRow.model_validate_json(row.model_dump_json()) == row
    assert row.ambiguous
    assert row.surfaces == ("sol", "sol", "play")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"kind": "lyric"}, "is none of the set"),
        ({"qid": "longtail-001"}, "is none of the set"),
        ({"qid": "entity-1"}, "pattern"),
        ({"request": "play something"}, "not in the request"),
        ({"absent": ["Nox"]}, "not in the request"),
        ({"retry": []}, "at least 1"),
        ({"retry": ["clarify"]}, "clarifies"),
        ({"ambiguity": {"readings": [[SOL], []], "answers": ["ask"]}}, "clarifies"),
        ({"failure_mode": "bad luck"}, "Input should be"),
        ({"colour": "blue"}, "Extra inputs"),
    ],
)
def test_rows_that_contradict_themselves_are_refused(make_row: MakeRow, fields: dict[str, Any], reason: str) -> None:
    """A label that cannot be right does not load."""
    with pytest.raises(ValidationError, match=reason):
        make_row(**fields)


@pytest.mark.parametrize("values", [("1980",), ("", ""), ("1980", "1989", "1999")])
def test_a_range_has_two_ends(values: tuple[str, ...]) -> None:
    """A range of years says from and to, one of them at least."""
    with pytest.raises(ValidationError, match="two values"):
        Reading(facet="era", op="range", values=values)


def test_an_exclusion_is_never_relaxed() -> None:
    """What was ruled out stays out, whatever is missing."""
    with pytest.raises(ValidationError, match="never relaxed"):
        LabelledConstraint(facet="genre", op="not", values=("rock",))

    assert not LabelledConstraint(facet="genre", op="not", values=("rock",), relaxable=False).relaxable


@pytest.mark.parametrize(
    "fields",
    [{"field": "year"}, {"field": "year", "values": ("1990",)}, {"field": "mood"}, {"field": "mood", "values": ("x",), "low": 1}],
)
def test_a_condition_tests_one_thing(fields: dict[str, Any]) -> None:
    """Numbers have bounds, everything else has values."""
    with pytest.raises(ValidationError):
        Condition.model_validate(fields)


def test_one_reading_is_not_ambiguous() -> None:
    """An ambiguity has two readings at least."""
    with pytest.raises(ValidationError):
        Ambiguity.model_validate({"readings": [[SOL]], "answers": ["ask"]})


def test_splits_part_the_sets() -> None:
    """Every row is in one split and no split holds anything else."""
    parts = [qid for qids in split_qids().values() for qid in qids]

    assert len(parts) == len(set(parts))
    assert set(parts) == {row.qid for name in KINDS for row in load_rows(name)}


@pytest.mark.parametrize("name", ["entity", "longtail", "regular"])
def test_a_set_is_its_splits(name: Any) -> None:
    """The three splits of a set hold its rows, each once."""
    parts = [row.qid for split in ("train", "dev", "test") for row in load_rows(name, split)]

    assert sorted(parts) == [row.qid for row in load_rows(name)]


def test_unknown_names_are_told() -> None:
    """A set or a split that does not exist is an error that lists those that do."""
    with pytest.raises(LabelError, match="lyrics") as no_set:
        load_rows(cast(Any, "lyrics"))
    with pytest.raises(LabelError, match="final") as no_split:
        load_rows("entity", cast(Any, "final"))

    assert "longtail" in no_set.value.hint
    assert "dev" in no_split.value.hint


def test_as_a_hugging_face_data_set() -> None:
    """The data set holds the same rows, nested fields and all."""
    rows = load_rows("longtail", "dev")

    loaded = load_set("longtail", "dev")

    assert [LabelledRow.model_validate(row) for row in loaded] == list(rows)
