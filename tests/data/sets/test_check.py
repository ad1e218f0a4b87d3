from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from data.labelled import LabelledRow
from data.sets import check
from data.sets.census import Census
from data.sets.check import check_rows, check_sets, main, near_pairs, problems
from data.sets.counts import counts_table, datasheet_path, with_counts

MakeRow = Callable[..., LabelledRow]
SOL = {"field": "artist", "values": ["sol"]}
ALL = [{"grade": 3, "where": [{"field": "region", "values": ["nordic"]}]}]


def quality(**fields: Any) -> dict[str, Any]:
    return {"rules": [{"grade": 3, "where": [SOL]}], "least": 2, "size": 20} | fields


def wanted(**fields: Any) -> list[dict[str, Any]]:
    return [{"facet": "genre", "op": "is", "values": ["rock"]} | fields]


def test_the_shipped_labels_hold(rows: tuple[LabelledRow, ...], demo: Census) -> None:
    """Every label agrees with the demo catalog, the others and the quotas, and the splits are as they were frozen."""
    assert problems(rows, demo) == []


def test_a_right_row_has_no_problem(small: Census, make_row: MakeRow) -> None:
    """The row that the next test spoils is right as it stands."""
    assert list(check_rows([make_row()], small)) == []


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"entities": [{"entity_type": "artist", "ids": ["sun"], "role": "target", "surface": "sol"}]}, "no such artist: sun"),
        ({"entities": [{"entity_type": "album", "ids": ["sol/x"], "role": "target", "surface": "sol"}]}, "no such album: sol/x"),
        ({"quality": quality(excluded=[{"field": "track", "values": ["t9"]}])}, "no such track: t9"),
        ({"request": "play nox sol", "absent": ["nox"]}, "the catalog does hold 'nox'"),
        ({"constraints": wanted(values=["skiffle-punk"])}, "genre: skiffle-punk is not in the vocabulary"),
        ({"constraints": wanted(facet="era", op="range", values=["198x", ""])}, "'198x' is no number"),
        ({"constraints": wanted(also=[{"facet": "mood", "op": "is", "values": ["beige"]}])}, "mood: beige is not"),
        ({"quality": quality(excluded=[{"field": "mood", "values": ["beige"]}])}, "mood: beige is not in the vocabulary"),
        ({"quality": quality(satisfiable=False)}, "satisfiable is False, and 2 tracks are right"),
        ({"quality": quality(rules=[{"grade": 2, "where": [SOL]}])}, "satisfiable is True, and 0 tracks are right"),
        ({"quality": quality(least=3)}, "at least 3 of 20 tracks, and 2 are good"),
        ({"quality": quality(least=2, size=1)}, "at least 2 of 1 tracks"),
        ({"quality": quality(least=0)}, "asks for no track at all"),
        ({"entities": []}, "no repair, and only 2 tracks of 20 are right"),
        ({"entities": [], "retry": ["none"], "quality": quality(rules=ALL, least=3, size=3)}, "do not pass the size gate"),
        ({"retry": ["relaxed"]}, "nothing may be relaxed"),
        ({"retry": ["relaxed"], "constraints": wanted()}, "brings no track"),
        ({"retry": ["fallback"], "quality": quality(least=1, size=1)}, "a fallback, and 2 tracks are right"),
        (
            {
                "entities": [],
                "ambiguity": {"readings": [[], []], "answers": ["any_reading", "ask"]},
                "retry": ["clarify"],
            },
            "the best repair and the best answer to the ambiguity differ",
        ),
    ],
)
def test_a_wrong_label_is_found(small: Census, make_row: MakeRow, fields: dict[str, Any], problem: str) -> None:
    """One spoilt label is told, with its row."""
    found = list(check_rows([make_row(**fields)], small))

    assert any(problem in one for one in found), found
    assert all(one.startswith("entity-001: ") for one in found)


def test_sets_as_a_whole(make_row: MakeRow) -> None:
    """Repeated requests and ids, a template used too often, and every quota missed are told."""
    same = [make_row(request="Play  SOL!", entities=[]), make_row(request="play sol", entities=[])]
    alike = [
        make_row(qid=f"entity-00{number}", request=f"{name} quick", absent=[name], entities=[])
        for number, name in enumerate(("abba", "beck", "cher", "dido"), 2)
    ]

    found = "\n".join(check_sets([*same, *alike]))

    assert "the same request: entity-001 entity-001" in found
    assert "entity-001: the id is used 2 times" in found
    assert "one template, 4 rows: '_ quick'" in found
    assert "entity: 6 rows of 210" in found
    assert "entity: 0 rows of misspelt" in found
    assert "0 of 6 requests are Chinese" in found
    assert "0 of 6 requests are in other languages" in found


def test_too_many_bare_requests(make_row: MakeRow) -> None:
    """Requests that are a name and nothing else are few in a set."""
    assert "entity: 1 requests of 1 are bare names or facet words" in set(check_sets([make_row(request="sol")]))


def test_near_pairs_come_closest_first() -> None:
    """Pairs below the floor are left out, each pair is told once."""
    similarity = [[1.0, 0.9, 0.2], [0.9, 1.0, 0.95], [0.2, 0.95, 1.0]]

    assert near_pairs(["a", "b", "c"], similarity, 0.5) == [("b", "c", 0.95), ("a", "b", 0.9)]


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, demo: Census) -> None:
    """It prints the counts and how many tracks are right, and fails when anything is wrong."""
    monkeypatch.setattr(Census, "read", lambda source: demo)

    assert main(["--right"]) == 0
    printed = capsys.readouterr().out
    monkeypatch.setitem(check.LEAST_ROWS, "entity", 10_000)
    assert main([]) == 1

    assert "entity-001 homonym: 1 right" in printed
    assert printed.endswith("0 problems\n")


def test_the_datasheet_is_counted(rows: tuple[LabelledRow, ...]) -> None:
    """Its tables are those of the rows: `python -m data.sets.counts` renews them."""
    text = datasheet_path().read_text(encoding="utf-8")

    assert with_counts(text, counts_table(rows)) == text
