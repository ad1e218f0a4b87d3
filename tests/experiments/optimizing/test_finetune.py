"""`melo optimize finetune` around the training: what is learned from, what the bundle says, what is refused."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mlflow.tracking import MlflowClient

from data.errors import InputError, LMUnavailableError
from data.labelled import load_rows
from experiments.labelled_run import System
from experiments.optimizing import finetuning, material
from experiments.optimizing.finetuned import finetuned_lines
from experiments.optimizing.finetuning import Training, finetune
from experiments.tables.base import Setup
from experiments.tracking import user_data
from optimizers.finetune.trainer import Progress
from optimizers.limits import Limits
from optimizers.recipes.finetune import Trained, Watch, Work
from program.bundle.files import load_bundle
from program.index.engine import EmbeddedIndex
from program.lm.backbones import Backbone
from program.settings import Settings
from tests.experiments.conftest import Run
from tests.scripted import ScriptedLM, dead_lm
from tests.sessions import NAME, scripted
from tests.tiny import TinyEmbedder

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
_LM = "embedded/smollm2-135m"
_SECRET = "sk-planted-in-the-environment"


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
    for module in (finetuning, material):
        monkeypatch.setattr(module, "rows_of", lambda name, split: load_rows("entity", split)[:30])
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


def _marked(prompt: str) -> dict[str, Any]:
    """A teacher that finds Adele where she is, and makes up a name beside hers."""
    found = [{"words": name, "kind": "artist"} for name in ("Adele", "Nobody Here")]
    return {"names": found if "Adele" in prompt.rsplit("request:", 1)[1] else []}


def _resolver() -> tuple[Callable[[str], Backbone], ScriptedLM]:
    lm, engine = scripted([("understand", _marked)])
    return lambda name: Backbone(name, lm, schema=True, embedded=False), engine


@pytest.fixture
def taught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Training:
    """A call with a teacher and a file of two requests and a test row, with a key in the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", _SECRET)
    own = tmp_path / "own.txt"
    own.write_text(f"gym songs by Adele\nrainy day\n{load_rows('entity', 'test')[0].request.upper()}\n")
    return Training(_LM, tmp_path / "out", teacher=NAME, requests=own, limits=Limits(calls=50))


def test_a_teachers_examples_are_learned_from(works: list[Work], index: EmbeddedIndex, taught: Training) -> None:
    """Beside people's, and the bundle and the run say so; the key is nowhere, and neither is a request in the bundle."""
    resolver, engine = _resolver()
    found = finetune(taught, index, Setup(Settings()), resolver=resolver)
    marked = {one.text: one for one in works[0].fit if one.source == "teacher"}
    home = user_data()
    files = [path.read_bytes() for folder in (home, taught.out) for path in folder.rglob("*") if path.is_file()]

    assert marked["gym songs by Adele"].answer == "artist: adele" and marked["rainy day"].answer == "none"
    assert {one.source for one in works[0].fit} == {"own", "teacher"}
    assert len(marked) == len(engine.prompts)
    assert found.taught is not None and (found.taught.barred, found.taught.dropped) == (1, 1)
    source = load_bundle(taught.out).trained_on[-1]
    assert (source.name, source.licence) == (NAME, "output of a model; see its terms")
    assert found.sources[-1] == NAME
    assert any(f"{NAME} marked 1 names" in line for line in finetuned_lines(found))
    assert not any(_SECRET.encode() in content for content in files)
    assert not any(b"gym songs" in path.read_bytes() for path in taught.out.iterdir())


def test_the_run_logs_the_teacher(works: list[Work], index: EmbeddedIndex, taught: Training) -> None:
    """Calls, tokens and counts are figures of the run in MLflow; a spent budget is told, and its labels are trained on."""
    found = finetune(replace(taught, limits=Limits(calls=1)), index, Setup(Settings()), resolver=_resolver()[0])
    kept = MlflowClient(f"sqlite:///{user_data() / 'mlflow' / 'mlflow.db'}").get_run(found.run)

    assert sum(one.source == "teacher" for one in works[0].fit) == 1
    assert found.taught is not None and found.taught.ended == "its 1 calls are spent"
    assert kept.data.params["teacher"] == NAME
    assert (kept.data.metrics["teacher.calls"], kept.data.metrics["teacher.labelled"]) == (1, 1)
    assert kept.data.metrics["teacher.prompt_tokens"] > 0


def test_an_outage_of_the_teacher_writes_nothing(works: list[Work], index: EmbeddedIndex, taught: Training) -> None:
    """Not one step is trained on what is there by chance; the record says why."""
    with pytest.raises(LMUnavailableError):
        finetune(
            taught, index, Setup(Settings()), resolver=lambda name: Backbone(name, dead_lm(), schema=True, embedded=False)
        )  # fmt: skip
    failures = [path.read_text() for path in (user_data() / "mlflow").rglob("failure.txt")]

    assert works == [] and not taught.out.exists()
    assert failures and "lm_unavailable" in failures[0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--nodes", "plan"), "--nodes: finetune trains drafts for understand"),
        (("--nodes", "understand", "--reflection-lm", "openai/x"), "--reflection-lm: finetune"),
        (("--max-calls", 5, "--max-usd", 1), "--max-calls and --max-usd: without a teacher"),
        (("--requests", "own.txt"), "--requests: without a teacher"),
        (("--teacher", "none"), "a teacher is a language model"),
    ],
    ids=["nodes", "reflection", "budgets", "requests", "none"],
)
def test_options_without_effect_are_refused(run: Run, tmp_path: Path, options: tuple[object, ...], words: str) -> None:
    """One line and exit code 2, rather than a run that ignores them."""
    done = run("optimize", "finetune", "--lm", _LM, "--out", tmp_path / "out", *options)

    assert done.code == 2
    assert words in done.err and len(done.err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_other_recipes_refuse_what_is_for_finetune(run: Run) -> None:
    """A file of requests does nothing for them."""
    done = run("optimize", "gepa", "--lm", _LM, "--requests", "own.txt")

    assert (done.code, "only finetune takes it" in done.err) == (2, True)


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="the extra is installed")
def test_without_the_extra_the_command_says_what_to_install(run: Run, tmp_path: Path) -> None:
    """Before anything is asked or written."""
    done = run("optimize", "finetune", "--lm", _LM, "--out", tmp_path / "out")

    assert done.code == 2
    assert "melo[finetune]" in done.err
    assert not (tmp_path / "out").exists()
