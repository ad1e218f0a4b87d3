"""Precision and recall over a threshold, and the yardstick for words, on answers whose figures are known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments.claims import unsupported
from experiments.figures import Drawn
from experiments.selector import gives, is_answerable, operating_point
from optimizers.judge import Judge
from optimizers.records import AnswerRecord
from program.baselines.stated import Stated
from program.index.engine import EmbeddedIndex
from tests.labelled import ADELE, LIONEL, named, record, row
from tests.tiny import TinyEmbedder

_RULES = {"rules": [{"grade": 3, "where": [{"field": "artist", "values": ["toto"]}]}], "least": 1, "size": 20}
_ROWS = (
    row("songs by toto", qid="entity-001", quality=_RULES),
    row("toto songs", qid="entity-002", quality=_RULES),
    row("more of toto", qid="entity-003", quality=_RULES),
    row("by nobody", qid="entity-004", quality={"least": 0, "size": 20}),
)
_EITHER = {
    "readings": [[named("hello", "track", ADELE)], [named("hello", "track", LIONEL)]], "answers": ["ask"],
}  # fmt: skip
_ANSWERS = (
    record("toto--africa", confidences={"reflect": 0.9}),
    record("adele--hello", confidences={"reflect": 0.4}),
    AnswerRecord(status="not_found"),
    record("adele--hello", confidences={"reflect": 0.8}),
)


@pytest.fixture(scope="module")
def index(tiny_catalog: Path) -> Iterator[EmbeddedIndex]:
    """The tiny catalog."""
    opened = EmbeddedIndex(tiny_catalog, embedder=TinyEmbedder())
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("threshold", "given", "precision", "recall"),
    [(0.0, 0.75, 1 / 3, 1 / 3), (0.5, 0.5, 0.5, 1 / 3), (0.9, 0.25, 1.0, 1 / 3), (1.0, 0.0, None, 0.0)],
)
def test_an_operating_point(index: EmbeddedIndex, threshold: float, given: float, precision: float | None, recall: float) -> None:
    """Of four answers one is right; a higher threshold drops the wrong ones first, then the right one too."""
    judge = Judge(index)
    scores = [judge.score(*pair) for pair in zip(_ROWS, _ANSWERS, strict=True)]
    point = operating_point(threshold, "reflect", _ROWS, [_ANSWERS], [scores], Drawn(draws=50))

    assert point.given.value == given
    assert point.precision.value == (None if precision is None else pytest.approx(precision, abs=1e-5))
    assert point.recall.value == pytest.approx(recall, abs=1e-5)


def test_what_counts_as_given() -> None:
    """Tracks above the threshold; a node that scored nothing counts as a half, and a question is no answer."""
    assert gives(record("toto--africa"), "reflect", 0.5)
    assert not gives(record("toto--africa"), "reflect", 0.6)
    assert not gives(AnswerRecord(status="clarify"), "reflect", 0.0)
    assert not gives(record("toto--africa", error="crashed"), "reflect", 0.0)


def test_what_can_be_answered() -> None:
    """There is enough of it, and asking back is not the best answer."""
    assert is_answerable(_ROWS[0])
    assert not is_answerable(_ROWS[3])
    assert not is_answerable(row("hello", quality=_RULES, retry=["clarify"], ambiguity=_EITHER))


@pytest.mark.parametrize(
    ("title", "description", "claims"),
    [
        ("Toto", "Africa, from 1982.", []),
        ("Songs by toto", "Music.", []),
        ("Toto", "Number 1 in 17 countries.", ["the number 17"]),
        ("Toto", 'With the hit "Rosanna".', ['"Rosanna"']),
        ("Toto", "See https://example.org.", ["a web address"]),
        ("", "", []),
    ],
    ids=["of the record", "of the request", "a number", "a quote", "an address", "no words"],
)
def test_words_that_nobody_gave(index: EmbeddedIndex, title: str, description: str, claims: list[str]) -> None:
    """What the request and the records of the returned tracks hold is supported, the rest is not."""
    stated = Stated(decision="play", track_ids=("toto--africa",))
    answer = record("toto--africa", title=title, description=description, stated=stated)

    assert list(unsupported("songs by toto", answer, index)) == claims
