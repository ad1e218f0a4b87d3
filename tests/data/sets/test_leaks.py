from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path

from data.labelled import LabelledRow, split_qids
from data.names import has_cjk, name_form
from data.sets.check import near_pairs
from data.sets.skeleton import normal_request
from program.index.embedder import packaged_embedder, unit

ROOT = Path(__file__).parents[3]
READ_BY_THE_PROGRAM = ("signatures", "program", "optimizers", "data/vocab", "README.md")
TEXTS = frozenset((".py", ".md", ".toml", ".json", ".jsonl", ".html", ".txt"))
CLOSEST_LATIN, CLOSEST_CJK = 0.85, 0.8
LAST_LATIN_LETTER = "\u024f"


def texts() -> Iterator[tuple[Path, str]]:
    for name in READ_BY_THE_PROGRAM:
        place = ROOT / name
        for path in [place] if place.is_file() else sorted(place.rglob("*")):
            if path.suffix in TEXTS and path.is_file():
                yield path.relative_to(ROOT), f" {name_form(path.read_text(encoding='utf-8'))} "


def is_more_than_a_word(request: str) -> bool:
    """A single vocabulary word ("rock", "十年") stands in a vocabulary by nature."""
    return len(request) > 4 if has_cjk(request) else " " in request


def test_no_test_request_is_shown_to_the_program(rows: tuple[LabelledRow, ...]) -> None:
    """Prompts, demos, vocabularies, code and the README hold no request that the program is judged on."""
    judged = frozenset(split_qids()["test"])
    requests = {row.qid: name_form(row.request) for row in rows if row.qid in judged}
    asked = {qid: text for qid, text in requests.items() if is_more_than_a_word(text)}

    shown = [
        f"{qid} in {path}" for path, text in texts() for qid, request in asked.items()
        if (request in text if has_cjk(request) else f" {request} " in text)
    ]  # fmt: skip

    assert len(asked) > 180
    assert shown == []


def test_no_near_duplicates_in_latin_script(rows: tuple[LabelledRow, ...]) -> None:
    """No two requests mean nearly the same to the packaged embedding, which knows Latin script only."""
    latin = [row for row in rows if max(row.request) <= LAST_LATIN_LETTER]
    vectors = unit(packaged_embedder().embed([row.request for row in latin]))

    close = near_pairs([row.qid for row in latin], (vectors @ vectors.T).tolist(), CLOSEST_LATIN)

    assert len(latin) > 400
    assert close == []


def test_no_near_duplicates_in_chinese_japanese_korean(rows: tuple[LabelledRow, ...]) -> None:
    """No two requests in these scripts share nearly all of their characters in order."""
    keys = [(row.qid, normal_request(row.request)) for row in rows if has_cjk(row.request)]

    close = [
        (one, other)
        for (one, text), (other, second) in combinations(keys, 2)
        if SequenceMatcher(None, text, second, autojunk=False).ratio() >= CLOSEST_CJK
    ]

    assert len(keys) > 150
    assert close == []
