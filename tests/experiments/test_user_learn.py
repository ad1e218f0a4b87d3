"""`melo user learn`: a lean that is in the likes is found, written, used, and told in the trace; one that is not stays out."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from program.tools.weights import FILE
from tests.experiments.conftest import Run

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
NICHE = ("theyr--rudolf", "musta-paraati--romanssi", "kukl--dismembered", "wire--outdoorminer", "idles--dannynedelko")
FAMOUS = ("joy-division--disorder", "the-cure--aforest", "siouxsie--spellbound")


def _sessions(path: Path, liked: tuple[str, ...], seed: int) -> Path:
    """Forty sessions of one request each that led to likes."""
    rng = random.Random(seed)
    rows = [
        {"track_id": name, "kind": "like", "request": "post-punk", "session": f"s{number}"}
        for number in range(40)
        for name in rng.sample(liked, 2)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def index(tiny_catalog: Path, tmp_path: Path) -> Path:
    """A copy of the tiny catalog's index that may be written to."""
    return Path(shutil.copytree(tiny_catalog, tmp_path / "index"))


def test_a_lean_is_learned_and_used(run: Run, index: Path, tmp_path: Path) -> None:
    """Listeners who like what is little known: the order turns, at the same tracks, and the trace names the ranker."""
    before = json.loads(run("ask", "post-punk", "--catalog", index, "--json").out)
    run("user", "import", _sessions(tmp_path / "likes.jsonl", NICHE, 0), "--user", "anna", "--catalog", index)
    done = run("user", "learn", "--catalog", index, "--json")
    found = json.loads(done.out)
    after = json.loads(run("ask", "post-punk", "--catalog", index, "--json").out)
    trace = [json.loads(line) for line in run("trace", after["trace_id"], "--json").lines]

    assert done.code == 0
    assert (index / FILE).is_file()
    assert found["ranker"]["by_facet"]["popularity"] < 0
    assert found["difference"]["ndcg_at_10"]["lo"] > 0
    first = [{track["track_id"] for track in answer["tracks"][:8]} & set(NICHE) for answer in (before, after)]
    assert len(first[1]) > len(first[0])
    assert trace[0]["parameters"]["ranker"].startswith("learned-")


def test_what_is_no_better_is_not_written(run: Run, index: Path, tmp_path: Path) -> None:
    """Likes without a lean leave the hand-set weights alone, and it is said; --force writes them."""
    pool = NICHE + FAMOUS
    run("user", "import", _sessions(tmp_path / "likes.jsonl", pool, 1), "--user", "anna", "--catalog", index)
    done = run("user", "learn", "--catalog", index)

    assert "not written" in done.err
    assert not (index / FILE).exists()
    assert "held-out sessions" in done.out
    assert run("user", "learn", "--catalog", index, "--force", "--out", tmp_path / "r.json").code == 0
    assert (tmp_path / "r.json").is_file()


def test_a_damaged_ranker_is_told(run: Run, index: Path) -> None:
    """One line with the way out, exit code 2."""
    (index / FILE).write_text("{")
    done = run("ask", "post-punk", "--catalog", index)

    assert (done.code, done.out) == (2, "")
    assert "melo user learn" in done.err
