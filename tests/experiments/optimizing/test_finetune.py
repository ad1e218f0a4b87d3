"""`melo optimize finetune` around the training: what is learned from, what the bundle says, what is refused."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from data.errors import InputError
from data.labelled import load_rows
from experiments.labelled_run import System
from experiments.optimizing import finetuning
from experiments.optimizing.finetuning import Training, finetune, finetuned_lines
from experiments.tables.base import Setup
from optimizers.finetune.trainer import Progress
from optimizers.recipes.finetune import Trained, Watch, Work
from program.bundle.files import load_bundle
from program.index.engine import EmbeddedIndex
from program.settings import Settings
from tests.experiments.conftest import Run
from tests.tiny import TinyEmbedder

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
_LM = "embedded/smollm2-135m"


@pytest.fixture
def index(tiny_catalog: Path) -> Iterator[EmbeddedIndex]:
    """The tiny catalog."""
    opened = EmbeddedIndex(tiny_catalog, embedder=TinyEmbedder())
    yield opened
    opened.close()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """MusicRecoNER's two training sets, with seven invented requests: each sixth is held out."""
    requests = [f"songs O|like O|glass B-WoA|tide I-WoA|number O|{number} O" for number in range(6)]
    for split, texts in (("dataset1", requests), ("dataset2", ["slow O|music O"])):
        folder = tmp_path / "music_ner" / split
        folder.mkdir(parents=True)
        (folder / "ground-truth.bio").write_text("||".join(texts).replace("|", "\n").replace(" ", "\t") + "\n")
    return tmp_path / "music_ner"


@pytest.fixture
def works(monkeypatch: pytest.MonkeyPatch, home: Path) -> list[Work]:
    """What was given to the training, which here makes a file at once; the dev rows are then asked without an LM."""
    given: list[Work] = []

    def train(work: Work, stop: Callable[[], bool], watch: Watch) -> Trained:
        given.append(work)
        work.folder.mkdir(parents=True)
        adapter = work.folder / "adapter-2.gguf"
        adapter.write_bytes(b"GGUF trained")
        watch.step(Progress(1, 2, 0, 0.5, 1.0))
        watch.judged(2, 0.6)
        return Trained(adapter, 2, {1: 0.4, 2: 0.6}, "all epochs are done")

    monkeypatch.setattr(finetuning, "need_torch", lambda: None)
    monkeypatch.setattr(finetuning, "train", train)
    monkeypatch.setattr(finetuning, "system_of", lambda bundle, settings: System(Settings()))
    monkeypatch.setattr(finetuning, "rows_of", lambda name, split: load_rows("entity", split)[:30])
    return given


def test_the_bundle_says_what_it_was_made_of(works: list[Work], index: EmbeddedIndex, tmp_path: Path, data: Path) -> None:
    """Data, licences, base model; the settings ask the model for drafts and for nothing else; the figures are of dev."""
    found = finetune(Training(_LM, tmp_path / "out", names=data), index, Setup(Settings()))
    bundle = load_bundle(tmp_path / "out")

    assert [(one.name, one.licence) for one in bundle.trained_on] == [
        ("Melo labelled sets", "Apache-2.0"), ("MusicRecoNER (deezer/music-ner-eacl2023)", "MIT"),
    ]  # fmt: skip
    assert [(one.name, one.licence) for one in bundle.weights] == [("smollm2-135m", "Apache-2.0")]
    assert bundle.adapter is not None and bundle.adapter.read_bytes() == b"GGUF trained"
    assert bundle.settings.understand.order == "draft"
    assert [bundle.settings.lm.of(node) for node in ("understand", "plan", "reflect", "synthesize")] == [_LM, *["none"] * 3]
    assert found.drafts == {"1": 0.4, "2": 0.6} and found.epoch == 2
    assert "gain.misidentified" in bundle.scores.measured[0].figures
    assert any("epoch 2 was taken" in line for line in finetuned_lines(found))


def test_what_is_learned_from_chooses_nothing(works: list[Work], index: EmbeddedIndex, tmp_path: Path, data: Path) -> None:
    """Dev rows and the held-out requests are not trained on, and no test row is either."""
    finetune(Training(_LM, tmp_path / "out", names=data), index, Setup(Settings()))
    work = works[0]
    fit, dev = {one.text for one in work.fit}, {one.text for one in work.dev}

    assert fit.isdisjoint(dev)
    assert fit.isdisjoint(row.request for row in load_rows("entity", "test"))
    assert "songs like glass tide number 0" in fit and "songs like glass tide number 5" in dev
    assert work.held["artist"] and work.held["work"]


def test_the_same_call_has_the_same_folder(works: list[Work], index: EmbeddedIndex, tmp_path: Path) -> None:
    """A killed call goes on; other material begins anew."""
    asked = Training(_LM, tmp_path / "out", force=True)
    for one in (asked, replace(asked, seed=1)):
        finetune(one, index, Setup(Settings()))
    first, other = works

    assert first.folder != other.folder
    with pytest.raises(FileExistsError):  # the stand-in for the training makes its folder and finds it
        finetune(asked, index, Setup(Settings()))
    assert works[2].folder == first.folder


def test_what_cannot_be_trained_is_refused(works: list[Work], index: EmbeddedIndex, tmp_path: Path) -> None:
    """Only embedded backbones have weights here; a bundle that is there stays."""
    with pytest.raises(InputError, match="openai/x cannot be fine-tuned here"):
        finetune(Training("openai/x", tmp_path / "out"), index, Setup(Settings()))
    finetune(Training(_LM, tmp_path / "out"), index, Setup(Settings()))
    with pytest.raises(InputError, match="is there already"):
        finetune(Training(_LM, tmp_path / "out"), index, Setup(Settings()))


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="the extra is installed")
def test_without_the_extra_the_command_says_what_to_install(run: Run, tmp_path: Path) -> None:
    """Before anything is asked or written."""
    done = run("optimize", "finetune", "--lm", _LM, "--out", tmp_path / "out")

    assert done.code == 2
    assert "melo[finetune]" in done.err
    assert not (tmp_path / "out").exists()
