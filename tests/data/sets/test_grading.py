from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from data.grading import grade, holds
from data.labelled import Condition, LabelledRow
from data.sets.census import Census

MakeRow = Callable[..., LabelledRow]


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"field": "track", "values": ["t1"]}, "t1"),
        ({"field": "artist", "values": ["sol", "nobody"]}, "t1 t2"),
        ({"field": "album", "values": ["sol/first"]}, "t1"),
        ({"field": "title", "values": ["run"]}, "t2"),
        ({"field": "title", "values": ["moonlight"]}, "t4"),
        ({"field": "title_word", "values": ["moon"]}, "t1"),
        ({"field": "title_word", "values": ["月"]}, "t4"),
        ({"field": "title_word", "values": ["cold moon", "moonlight"]}, "t1 t3 t4"),
        ({"field": "genre", "values": ["rock"]}, "t1 t2"),
        ({"field": "genre", "values": ["electronic"]}, "t3 t4"),
        ({"field": "region", "values": ["nordic"]}, "t1 t2 t3 t4"),
        ({"field": "region", "values": ["IS"]}, "t1 t2"),
        ({"field": "language", "values": ["is"]}, "t1 t2"),
        ({"field": "language", "values": ["is"], "negated": True}, "t3 t4"),
        ({"field": "vocal", "values": ["female"]}, "t1 t2"),
        ({"field": "mood", "values": ["dark"]}, "t1"),
        ({"field": "mood", "values": ["dark"], "negated": True}, "t2 t3 t4"),
        ({"field": "mood", "values": ["dark"], "unknown_ok": True}, "t1 t2 t4"),
        ({"field": "year", "low": 1983, "high": 1990}, "t1 t2"),
        ({"field": "year", "high": 1983}, "t1"),
        ({"field": "year", "low": 1984, "unknown_ok": True}, "t2 t3 t4"),
        ({"field": "bpm", "low": 120}, "t1"),
        ({"field": "popularity", "high": 3}, "t1 t3"),
        ({"field": "version", "values": ["live"]}, "t2"),
        ({"field": "version", "values": ["original"]}, "t1 t3 t4"),
    ],
)
def test_conditions(small: Census, fields: dict[str, Any], found: str) -> None:
    """A condition holds for exactly these tracks: artists' facets, wider concepts and unknown values included."""
    condition = Condition.model_validate(fields)

    assert [track.track_id for track in small.tracks.values() if holds(track, condition)] == found.split()


def test_grades(small: Census, make_row: MakeRow) -> None:
    """The best rule counts, and an exclusion outweighs it."""
    rules = [
        {"grade": 1, "where": [{"field": "region", "values": ["nordic"]}]},
        {"grade": 3, "where": [{"field": "artist", "values": ["sol"]}, {"field": "year", "low": 1985}]},
        {"grade": 2, "where": [{"field": "artist", "values": ["sol"]}]},
    ]
    excluded = [{"field": "language", "values": ["zh"]}]
    row = make_row(quality={"rules": rules, "excluded": excluded, "least": 1, "size": 20})

    assert {track_id: grade(track, row) for track_id, track in small.tracks.items()} == {"t1": 2, "t2": 3, "t3": 1, "t4": 0}
    assert small.grade_counts(row) == {3: 1, 2: 1, 1: 1}


def test_a_rule_without_conditions_takes_everything(small: Census, make_row: MakeRow) -> None:
    """It is what a whole personal set looks like."""
    row = make_row(quality={"rules": [{"grade": 3}], "least": 0, "size": 20, "personal": "liked"})

    assert small.grade_counts(row) == {3: 4, 2: 0, 1: 0}


@pytest.mark.parametrize("seed", [1, 2])
def test_counting_agrees_with_grading(demo: Census, rows: tuple[LabelledRow, ...], seed: int) -> None:
    """The checker's postings and the records give every grade to the same number of tracks."""
    for row in random.Random(seed).sample(rows, 8):
        graded = Counter(grade(track, row) for track in demo.tracks.values())

        assert demo.grade_counts(row) == {number: graded[number] for number in (3, 2, 1)}, row.qid
