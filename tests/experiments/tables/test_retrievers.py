"""The table of the two retrievers, and the commands that train and tell."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from data.errors import InputError
from experiments.commands import catalog as catalog_command
from experiments.figures import Difference, Drawn, Figure
from experiments.tables.base import Setup
from experiments.tables.retrievers import BOTH, GENERATIVE, SEMANTIC, Asked, RetrieversTable, judged, labelled
from program.generative.train import TrainSettings
from program.index.engine import EmbeddedIndex
from program.settings import Settings
from tests.experiments.conftest import Run
from tests.labelled import row
from tests.tiny import TinyEmbedder, open_tiny
from tests.tiny_ids import QUICK, train_tiny

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
_RULES = [{"grade": 3, "where": [{"field": "genre", "values": ["post-punk"]}, {"field": "region", "values": ["IS"]}]},
          {"grade": 1, "where": [{"field": "genre", "values": ["post-punk"]}]}]  # fmt: skip


@pytest.fixture(scope="module")
def trained(tiny_catalog: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedIndex]:
    """The tiny catalog with Semantic IDs."""
    path = Path(shutil.copytree(tiny_catalog, tmp_path_factory.mktemp("trained") / "index"))
    train_tiny(path)
    index = open_tiny(path)
    yield index
    index.close()


def _asked(index: EmbeddedIndex) -> list[Asked]:
    rows = [
        row(text, qid=f"longtail-{number:03}", set="longtail", kind="multi_constraint", retry=["relaxed"],
            quality={"rules": _RULES, "least": 3, "size": 20})
        for number, text in enumerate(("icelandic post-punk", "dark music from iceland"), 1)
    ]  # fmt: skip
    return labelled(rows, index)


def test_measures_by_hand() -> None:
    """Recall counts good tracks only; the gains are discounted by place."""
    asked = Asked(0, "", {"a": 3, "b": 2, "c": 1})

    assert judged(["a", "b", "c"], asked) == (1.0, 1.0, 1.0)
    assert judged(["x", "a"], asked)[:2] == (0.5, 0.5)
    assert judged(["x", "a"], asked)[2] == pytest.approx((7 / 1.5849625) / (7 + 3 / 1.5849625 + 1 / 2))
    assert judged([], asked) == (0.0, 0.0, 0.0)


def test_the_table_pairs_the_retrievers(trained: EmbeddedIndex) -> None:
    """Three systems, two paired differences that are the differences of their figures, and times above zero."""
    setup = Setup(Settings(), drawn=Drawn(seed=1, draws=100))
    table = RetrieversTable("longtail", "train", _asked(trained), trained, setup).table()
    figures, differences, times = table.blocks
    by_name = {line.name: line.cells for line in figures.lines}
    paired = {line.name: line.cells["ndcg_20"] for line in differences.lines}

    assert list(by_name) == [SEMANTIC, GENERATIVE, BOTH]
    for system in (GENERATIVE, BOTH):
        one, other, gap = by_name[system]["ndcg_20"], by_name[SEMANTIC]["ndcg_20"], paired[f"{system} - {SEMANTIC}"]
        assert isinstance(one, Figure) and isinstance(other, Figure) and isinstance(gap, Difference)
        assert gap.value == pytest.approx((one.value or 0) - (other.value or 0), abs=1e-5)
        assert one.n == 2
    assert all(isinstance(cell, Figure) and (cell.value or 0) > 0 for line in times.lines for cell in line.cells.values())


def test_an_index_without_semantic_ids_is_refused(tiny_catalog: Path) -> None:
    """Nothing is compared with nothing."""
    index = open_tiny(tiny_catalog)

    with pytest.raises(InputError, match="no Semantic IDs"):
        RetrieversTable("longtail", "train", _asked(index), index, Setup(Settings()))
    index.close()


def test_build_trains_and_info_tells(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--generative` puts Semantic IDs beside the index; without it `info` says that there are none."""
    source = tmp_path / "tracks.jsonl"
    names = ("rain", "snow", "sun", "wind", "night", "dawn")
    rows = [{"track_id": name, "title": name, "artist": f"the {name}s", "genres": ["jazz"]} for name in names]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setattr(catalog_command, "packaged_embedder", TinyEmbedder)
    monkeypatch.setattr(
        "program.generative.train.TrainSettings", lambda seed: TrainSettings(requests=20, seed=seed, fit=QUICK.fit)
    )
    plain, taught = tmp_path / "plain", tmp_path / "taught"

    assert run("catalog", "build", source, "--out", plain).code == 0
    assert run("catalog", "build", source, "--out", taught, "--generative", "--seed", 3).code == 0
    assert json.loads(run("catalog", "info", "--catalog", plain, "--json").out)["semantic_ids"] is None
    told = json.loads(run("catalog", "info", "--catalog", taught, "--json").out)["semantic_ids"]
    assert (told["tracks"], told["seed"], told["requests"]) == (len(names), 3, 20)
    assert "Semantic IDs: 6 tracks" in run("catalog", "info", "--catalog", taught).out
    assert "Semantic IDs: none" in run("catalog", "info", "--catalog", plain).out
