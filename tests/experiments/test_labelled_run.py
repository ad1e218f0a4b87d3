"""A labelled set asked from end to end over the tiny catalog: records, scores, replays, the journal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from data.errors import InputError
from data.labelled import LabelledRow
from experiments.figures import Drawn
from experiments.labelled_run import LabelledRun, Scored, System, rows_of
from experiments.scores import MEASURES, by_facet, figures
from experiments.tables.base import Setup
from experiments.variants import variant
from optimizers.judge import Judge
from optimizers.metrics import RowScores
from program.index.engine import EmbeddedIndex
from program.settings import Settings
from tests.labelled import ADELE, LIONEL, named, row
from tests.tiny import TinyEmbedder

_DRAWN = Drawn(seed=2, draws=200)
_VARIANTS = ("full", "none", "no_retry")


def _rows() -> list[LabelledRow]:
    post_punk = [
        {"facet": "genre", "op": "is", "values": ["post-punk"], "strength": "core", "relaxable": False},
        {"facet": "region", "op": "is", "values": ["IS"]},
        {"facet": "popularity", "op": "is", "values": ["niche"]},
    ]
    genre = {"field": "genre", "values": ["post-punk"]}
    rules = [
        {"grade": 3, "where": [genre, {"field": "region", "values": ["IS"]}]},
        {"grade": 2, "where": [genre, {"field": "region", "values": ["nordic"]}]},
    ]
    readings = [[named("hello", "track", ADELE)], [named("hello", "track", LIONEL)]]
    return [
        row("africa by toto", qid="entity-001", entities=[named("africa", "track", "toto--africa")],
            quality={"rules": [{"grade": 3, "where": [{"field": "track", "values": ["toto--africa"]}]}], "least": 1, "size": 1}),
        row("niche Icelandic post-punk", qid="longtail-002", set="longtail", kind="multi_constraint", constraints=post_punk,
            retry=["relaxed"], quality={"rules": rules, "least": 10, "size": 20}),
        row("play hello", qid="entity-003", ambiguity={"readings": readings, "answers": ["ask", "any_reading"]},
            retry=["clarify", "none"]),
        row("songs by xylograph quartet", qid="entity-004", absent=["xylograph quartet"], retry=["fallback"]),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def index(tiny_catalog: Path) -> Iterator[EmbeddedIndex]:
    """The tiny catalog."""
    opened = EmbeddedIndex(tiny_catalog, embedder=TinyEmbedder())
    yield opened
    opened.close()


def _scored(index: EmbeddedIndex, rows: Sequence[LabelledRow] | None = None, **options: Any) -> Scored:
    setup = Setup(Settings(), **options)
    systems = {name: System(variant(name, Settings())) for name in _VARIANTS}
    return LabelledRun(rows or _rows(), index, setup).scored(systems)


@pytest.fixture(scope="module")
def scored(index: EmbeddedIndex) -> Scored:
    """The rows under three variants."""
    return _scored(index)


def _by_qid(scored: Scored, variant_name: str) -> dict[str, RowScores]:
    return {scores.qid: scores for scores in scored.scores[variant_name][0]}


def test_answers_are_scored(scored: Scored) -> None:
    """The named track is found; the thin request is relaxed and told; the namesakes are asked about; the absent is told."""
    full = _by_qid(scored, "full")

    assert (full["entity-001"].mistake, full["entity-001"].ndcg_at_20, full["entity-001"].success) == ("none", 1.0, True)
    assert (full["longtail-002"].triggered, full["longtail-002"].retried) == (True, "retry_relaxed")
    assert full["longtail-002"].changes == full["longtail-002"].disclosed > 0
    assert (full["entity-003"].asked, full["entity-003"].ambiguity_right) == (True, True)
    assert (full["entity-004"].abstained, full["entity-004"].action_right) == (True, True)


def test_records_hold_what_scores_need(scored: Scored) -> None:
    """Rounds with their verdicts and tools, the reading, the tracks' own records, times by node; nothing invented."""
    thin = {row.qid: record for row, record in zip(scored.rows, scored.records["full"][0], strict=True)}["longtail-002"]

    assert thin.rounds[0].action == "retry_relaxed"
    assert thin.rounds[-1].action in ("proceed", "fallback")
    assert all(tool.ok for each in thin.rounds for tool in each.tools)
    assert thin.tracks[0].track.genres
    assert {"understand", "plan", "execute", "reflect", "synthesize", "total"} <= thin.timings_ms.keys()
    assert (thin.unknown_ids, thin.error, thin.path) == ((), "", "shortcut")


def test_a_switch_shows_in_the_scores(scored: Scored) -> None:
    """Without retry nothing is triggered, and the same request stays thin."""
    off = _by_qid(scored, "no_retry")["longtail-002"]

    assert (off.thin, off.triggered, off.changes) == (True, False, 0)


def test_two_runs_give_the_same(index: EmbeddedIndex, scored: Scored) -> None:
    """Without a model scores, and so every figure, are identical from run to run."""
    again = _scored(index)

    assert again.scores == scored.scores
    for name in _VARIANTS:
        one = figures(scored.scores[name], _DRAWN) | by_facet(scored.scores[name], _DRAWN)
        assert one == figures(again.scores[name], _DRAWN) | by_facet(again.scores[name], _DRAWN)


def test_replays_without_a_model_have_no_spread(index: EmbeddedIndex) -> None:
    """Three replays of a program without chance differ in nothing."""
    found = figures(_scored(index, runs=3).scores["full"], _DRAWN)

    assert {figure.runs for figure in found.values()} == {3}
    assert {figure.sd for figure in found.values() if figure.n} == {0.0}


def test_labels_are_no_part_of_what_is_kept(index: EmbeddedIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A corrected label changes the scores and asks nothing again; a changed request is asked."""
    rows = _rows()
    _scored(index, rows, journal=tmp_path)
    asked: list[str] = []
    from program.graph import Melo

    whole = Melo.forward

    def spied(self: Melo, request: str, n: int | None = None) -> Any:
        asked.append(request)
        return whole(self, request, n)

    monkeypatch.setattr(Melo, "forward", spied)
    relabelled = rows[0].model_copy(update={"entities": ()})
    reworded = rows[1].model_copy(update={"request": "niche Icelandic post-punk please"})
    found = _scored(index, [relabelled, reworded, *rows[2:]], journal=tmp_path)

    assert set(asked) == {"niche Icelandic post-punk please"}
    assert _by_qid(found, "full")["entity-001"].mistake == "extra"


def test_figures_have_the_promised_names(scored: Scored) -> None:
    """Those of the issue, each with what it rests on; clarify counts only where it applies."""
    found = figures(scored.scores["full"], _DRAWN)
    promised = (
        "misidentified missing extra wrong constraint_f1 plan_valid first_try trigger recovery preservation disclosure collapse"
        " ndcg_at_20 success_at_n clarify_precision clarify_recall abstention"
    )

    assert set(promised.split()) <= found.keys() == MEASURES.keys()
    assert (found["misidentified"].n, found["clarify_precision"].n, found["abstention"].n, found["disclosure"].value) == (
        3,
        1,
        1,
        1.0,
    )


def test_pairs_are_tested_where_both_speak(scored: Scored) -> None:
    """A yes or no over the same requests gets McNemar's p; one that few requests speak of does not."""
    full, off = scored.scores["full"], scored.scores["no_retry"]

    assert MEASURES["trigger"].difference(full, off, _DRAWN).p == 1.0
    assert MEASURES["success_at_n"].difference(full, off, _DRAWN).n == 4
    assert MEASURES["recovery"].difference(full, off, _DRAWN).p is None


def test_ideal_counts_playable_tracks(index: EmbeddedIndex) -> None:
    """Of six Icelandic post-punk tracks all are counted; one that cannot be played is not."""
    judge = Judge(index)
    unplayable = row("love story", quality={"rules": [{"grade": 3, "where": [{"field": "title", "values": ["Love Story"]}]}],
                                            "least": 0, "size": 1})  # fmt: skip

    assert judge.ideal(_rows()[1])[3] == 6
    assert judge.ideal(unplayable) == {3: 0, 2: 0, 1: 0}


@pytest.mark.parametrize(("name", "split"), [("nothing", "dev"), ("entity", "middle")])
def test_unknown_sets(name: str, split: str) -> None:
    """Named in one line."""
    with pytest.raises(InputError, match="is called"):
        rows_of(name, split)


def test_all_is_every_set() -> None:
    """`all` holds the rows of the three sets and no other."""
    parts = [rows_of(name, "dev") for name in ("entity", "longtail", "regular")]

    assert rows_of("all", "dev") == tuple(row for part in parts for row in part)
