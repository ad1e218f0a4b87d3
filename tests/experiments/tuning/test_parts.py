"""Requests and field rows as tables: what counts as right, and that nothing is read or built twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from experiments.external.field_rows import load_common, load_rows
from experiments.external.rows import GoldSpan, LabelledRequest
from experiments.external.sets import SPAN_SETS
from experiments.tuning import span_rows
from experiments.tuning.field_asked import FieldRows, RememberingEmbedder, shelved
from experiments.tuning.span_rows import ASKED, SpanRows
from optimizers.space import turned
from optimizers.spans import f1
from program.grounding.readings import Understanding, understand_by_code
from program.index.engine import EmbeddedIndex
from program.index.protocol import CatalogIndex
from program.settings import Settings
from tests.tiny import TinyEmbedder

SET = SPAN_SETS["music_ner"]


def _request(text: str, *gold: tuple[str, str]) -> LabelledRequest:
    spans = [GoldSpan(text=name, type=kind, start=text.index(name), end=text.index(name) + len(name)) for name, kind in gold]
    return LabelledRequest(split="s", index=0, text=text, gold=tuple(spans))


@pytest.fixture
def index(tiny_catalog: Path) -> Iterator[EmbeddedIndex]:
    """The tiny catalog, opened."""
    with closing(EmbeddedIndex(tiny_catalog, embedder=TinyEmbedder())) as opened:
        yield opened


def test_names_are_counted_and_the_shortcut_is_judged(index: EmbeddedIndex) -> None:
    """Right by the shortcut is 1, wrong 0; a request with words that nothing explains is left to a model."""
    requests = [
        _request("songs by metallica", ("metallica", "Artist")),
        _request("songs by metallica", ("metallica", "WoA")),
        _request("metallica zzyx qwv blorp", ("metallica", "Artist")),
    ]
    rows = SpanRows(SET, requests, index)
    counts, worth = rows.names(Settings()), rows.shortcut(Settings())

    assert counts[:2].tolist() == [[1, 0, 0], [0, 1, 1]]
    assert f1(counts[:2].sum(axis=0)) == 0.5
    assert worth.tolist() == [[1, 1], [0, 1], [ASKED, 1]]


def test_the_margin_reaches_the_shortcut(index: EmbeddedIndex) -> None:
    """A margin that no reading keeps leaves more to a model, and never less; the names stay the same."""
    texts = ["play halo by beyonce", "play happy house", "wire 154", "one by metallica", "play ride", "play 1999 by prince"]
    rows = SpanRows(SET, [_request(text) for text in texts], index)
    wide = turned(Settings(), {"shortcut_margin": 1_000.0})
    usual_asked, wide_asked = (rows.shortcut(settings)[:, 0] == ASKED for settings in (Settings(), wide))

    assert rows.names(Settings()).tolist() == rows.names(wide).tolist()
    assert (wide_asked >= usual_asked).all()
    assert wide_asked.sum() > usual_asked.sum()


def test_the_last_readings_are_kept(index: EmbeddedIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two parts of the same settings read each request once."""
    read: list[str] = []

    def counted(text: str, catalog: CatalogIndex, settings: Settings) -> Understanding:
        read.append(text)
        return understand_by_code(text, catalog, settings)

    monkeypatch.setattr(span_rows, "understand_by_code", counted)
    rows = SpanRows(SET, [_request("songs by metallica", ("metallica", "Artist"))], index)
    rows.names(Settings())
    rows.shortcut(Settings())
    once = len(read)
    rows.names(turned(Settings(), {"p_hi": 0.7}))

    assert (once, len(read)) == (1, 2)


def _silent(stage: str, done: int, total: int | None) -> None:
    """No progress."""


def test_field_rows_are_answered_under_the_settings(rows: Path, home: Path) -> None:
    """Misspelt names are found only where spelling errors are looked for."""
    embedder = TinyEmbedder()
    ready = shelved(load_rows(rows), load_common(rows), embedder, _silent)
    asked = FieldRows(ready, embedder)
    usual, strict = asked.right(Settings()), asked.right(turned(Settings(), {"fuzzy_max_spans": 0}))

    assert usual.shape == (11, 2)
    assert usual[:, 1].tolist() == [1.0] * 11
    assert strict[:, 0].tolist() == [0.0] * 10 + [1.0]
    assert usual[:, 0].sum() > 6


def test_a_row_is_never_answered_by_a_model(rows: Path, home: Path) -> None:
    """Settings that name a model for any node are asked without it."""
    embedder = TinyEmbedder()
    asked = FieldRows(shelved(load_rows(rows)[-1:], load_common(rows), embedder, _silent), embedder)
    lm = Settings().lm.model_copy(update={"name": "nowhere/model", "plan": "nowhere/other"})

    assert asked.right(Settings().model_copy(update={"lm": lm})).tolist() == [[1.0, 1.0]]


def test_indexes_are_built_once_and_kept(rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of one catalog share its index, and the next call finds it."""
    monkeypatch.setenv("MELO_HOME", str(tmp_path / "new"))
    steps: list[tuple[int, int | None]] = []
    first, second = TinyEmbedder(), TinyEmbedder()
    built = shelved(load_rows(rows), load_common(rows), first, lambda stage, done, total: steps.append((done, total)))
    again = shelved(load_rows(rows), load_common(rows), second, _silent)

    assert len({row.index for row in built}) == 1
    assert [row.index for row in again] == [row.index for row in built]
    assert first.texts and not second.texts
    assert steps == [(number, 11) for number in range(11)]


def test_each_text_is_embedded_once() -> None:
    """The vectors are those of the embedder that was given, in the order asked for."""
    inner = TinyEmbedder()
    remembering = RememberingEmbedder(inner)
    remembering.embed(["one", "two"])
    found = remembering.embed(["two", "three", "one", "two"])

    assert inner.texts == ["one", "two", "three"]
    assert np.array_equal(found, TinyEmbedder().embed(["two", "three", "one", "two"]))
    assert len(remembering.embed([])) == 0
