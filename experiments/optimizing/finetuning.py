"""One `melo optimize finetune`: baseline first, training with its state kept, a bundle with the adapter, judged on dev."""

from __future__ import annotations

import datetime
import hashlib
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import orjson
from pydantic import BaseModel, ConfigDict

from data.errors import InputError, MeloError
from experiments.bench.machine import code, versions
from experiments.bundles import slug, system_of
from experiments.commands.bar import Bar, bar
from experiments.commands.progress import say
from experiments.external import music_ner
from experiments.external.rows import LabelledRequest
from experiments.figures import Difference, Drawn
from experiments.labelled_run import LabelledRun, Scored, System, rows_of
from experiments.scores import MEASURES, OBJECTIVE, Measure
from experiments.tables.base import Setup
from experiments.tracking import TrackedRun, Tracker, user_data
from optimizers.finetune.examples import Example, Marked, example, of_rows
from optimizers.finetune.held import names_of
from optimizers.finetune.torch_model import need_torch
from optimizers.finetune.trainer import Course, Progress
from optimizers.recipes.finetune import NAME, Trained, Watch, Work, train
from program.bundle.files import Bundle, Measured, Scores, save_bundle
from program.bundle.manifest import MANIFEST, Source
from program.index.protocol import CatalogIndex
from program.lm.brains import REGISTRY
from program.lm.embedded import PREFIX, free_cores, stop_all
from program.settings import LMSettings, Settings, UnderstandSettings

EXPERIMENT = "melo optimize"
_CODE = ("data", "signatures", "program.lm", "optimizers.finetune")
_OWN = Source(name="Melo labelled sets", licence="Apache-2.0", split="train")
_MUSIC_NER = Source(name="MusicRecoNER (deezer/music-ner-eacl2023)", licence="MIT", split="dataset1, dataset2")
_DEV_EVERY = 6
"""Of the requests of MusicRecoNER each sixth chooses the epoch and is not learned from (own choice)."""
_READ = ("en",)
"""Languages that the small models draft well enough to help (measured on train and dev)."""
_SHOWN = ("misidentified", "constraint_f1", "recovery", "preservation", "success_at_n", "hallucinated", "crashed")
_BEFORE, _AFTER = "before", "after"
Metric = dict[str, float | int | None]


@dataclass(frozen=True)
class Training:
    """One call.

    Attributes:
        train, dev: name of a labelled set or `all`; the splits of these names are used, never test.
        names: folder of MusicRecoNER; None learns from the project's own rows alone.
        seconds: of training, judging left out; None: as long as the epochs take. out: the folder of the bundle.
    """

    lm: str
    out: Path
    train: str = "all"
    dev: str = "all"
    names: Path | None = None
    epochs: int = 3
    seconds: float | None = None
    seed: int = 0
    settings: Settings = field(default_factory=Settings)
    force: bool = False
    fresh: bool = False


class Finetuned(BaseModel):
    """The whole run.

    Attributes:
        fit, chosen_by: requests. drafts: epoch → micro F1 of the names in drafts of the requests that chose.
        before, after, gain: without an LM, with the adapter, and the paired difference, over the dev rows from end to end.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    recipe: str = NAME
    lm: str
    seed: int
    fit: int
    chosen_by: int
    sources: tuple[str, ...]
    drafts: dict[str, float]
    epoch: int
    ended: str
    seconds: float
    before: dict[str, Metric]
    after: dict[str, Metric]
    gain: dict[str, Metric]
    train: str
    dev: str
    settings_hash: str
    catalog_hash: str
    code: str
    versions: dict[str, str]
    out: str
    store: str = ""
    run: str = ""


def finetune(asked: Training, index: CatalogIndex, setup: Setup) -> Finetuned:
    """Train, choose the epoch by drafts of dev, write the bundle, and judge it on dev from end to end.

    Args:
        setup: how the dev rows are asked.

    Raises:
        InputError: no embedded backbone, too few requests, a bundle is there already, or the extra is missing.
        InfrastructureError: a file or the store of runs cannot be used.
    """
    brain = asked.lm.removeprefix(PREFIX)
    if not asked.lm.startswith(PREFIX) or brain not in REGISTRY:
        raise InputError(f"{asked.lm} cannot be fine-tuned here", hint="an embedded backbone: --lm embedded/smollm2-135m")
    if (asked.out / MANIFEST).exists() and not asked.force:
        raise InputError(f"{asked.out} is there already", hint="--force writes over it, --out names another")
    need_torch()
    fit, dev, sources = _material(asked)
    params = _params(asked, index, fit, dev)
    study = hashlib.sha256(orjson.dumps(params, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
    folder = user_data() / "finetune" / study
    if asked.fresh:
        shutil.rmtree(folder, ignore_errors=True)
    tracker = Tracker.open(EXPERIMENT)
    run, finished = tracker.run(study, f"{NAME}-{asked.lm}-{asked.seed}", params), False
    try:
        rows, by_code = LabelledRun(rows_of(asked.dev, "dev"), index, setup), _without_lm(asked.settings)
        rows.scored({_BEFORE: by_code})  # the baseline first; its answers are kept
        began = time.monotonic()
        course = Course(epochs=asked.epochs, seed=asked.seed)
        work = Work(brain, fit, dev, folder, names_of(index), course=course, threads=free_cores())
        with bar(f"melo optimize {NAME}") as progress:
            trained = train(work, _until(asked.seconds), _Shown(progress, run))
        seconds = round(time.monotonic() - began, 1)
        stop_all()
        bundle = _bundle(asked, brain, trained, sources, index)
        scored = rows.scored({_AFTER: system_of(bundle, bundle.settings), _BEFORE: by_code})
        found = Finetuned(
            lm=asked.lm, seed=asked.seed, fit=len(fit), chosen_by=len(dev), sources=tuple(one.name for one in sources),
            drafts={str(epoch): round(score, 4) for epoch, score in trained.scores.items()}, epoch=trained.epoch,
            ended=trained.ended, seconds=seconds, train=asked.train, dev=asked.dev, settings_hash=bundle.settings.hash(),
            catalog_hash=index.info.content_hash[:16], code=code(*_CODE), versions=versions(), out=str(asked.out),
            store=tracker.store, run=run.run_id, before=_figures(scored, _BEFORE, setup.drawn),
            after=_figures(scored, _AFTER, setup.drawn), gain=_gains(scored, setup.drawn),
        )  # fmt: skip
        save_bundle(asked.out, replace(bundle, scores=_scores(found)), force=asked.force)
        run.text("finetuned.json", found.model_dump_json(indent=1))
        run.log({f"dev.{name}": float(one["value"] or 0) for name, one in found.after.items()})
        finished = True
    except MeloError as error:
        run.text("failure.txt", f"{error.code}: {error.one_line()}\n")
        raise
    finally:
        run.end(finished=finished)
    return found


def _material(asked: Training) -> tuple[list[Example], list[Example], tuple[Source, ...]]:
    """Requests to learn from and to choose by, and where they are from."""
    fit, dev = of_rows(rows_of(asked.train, "train"), "own"), of_rows(rows_of(asked.dev, "dev"), "own")
    if asked.names is None:
        return fit, dev, (_OWN,)
    known = [_marked(one) for split in music_ner.SPLITS[:2] for one in music_ner.requests(asked.names, split)]
    held = known[_DEV_EVERY - 1 :: _DEV_EVERY]
    taken = [one for number, one in enumerate(known, 1) if number % _DEV_EVERY]
    return [*taken, *fit], [*held, *dev], (_OWN, _MUSIC_NER)


def _marked(request: LabelledRequest) -> Example:
    names = [Marked("artist" if span.type == "Artist" else "work", span.start, span.end) for span in request.gold]
    return example(request.text, names, "music_ner")


def _until(seconds: float | None) -> Callable[[], bool]:
    """Whether the time is up."""
    end = None if seconds is None else time.monotonic() + seconds
    return lambda: end is not None and time.monotonic() >= end


class _Shown(Watch):
    """A line on stderr, and the losses and scores in the run."""

    def __init__(self, progress: Bar, run: TrackedRun) -> None:
        self._progress, self._run = progress, run

    def step(self, progress: Progress) -> None:
        """After every step."""
        self._progress(f"epoch {progress.epoch + 1}, loss {progress.loss:.3f}, step", progress.step, progress.steps)

    def judged(self, epoch: int, score: float) -> None:
        """After every epoch."""
        say(f"epoch {epoch}: names in drafts, micro F1 {score:.3f}")
        self._run.log({"drafts.f1": score}, step=epoch)


def _bundle(asked: Training, brain: str, trained: Trained, sources: Sequence[Source], index: CatalogIndex) -> Bundle:
    """The adapter with its settings: the brain drafts names, code does the rest."""
    lm = LMSettings(name=asked.lm, plan="none", reflect="none", synthesize="none")
    settings = asked.settings.model_copy(update={"lm": lm, "understand": UnderstandSettings(order="draft", draft_locales=_READ)})
    return Bundle(
        name=slug(asked.out.resolve().name), settings=settings, state={}, created=datetime.date.today().isoformat(),
        versions=versions(), catalog=index.info.content_hash[:16], recipe=NAME, trained_on=tuple(sources),
        weights=(Source(name=brain, licence=REGISTRY[brain].licence),), adapter=trained.adapter,
    )  # fmt: skip


def _without_lm(settings: Settings) -> System:
    return System(settings.model_copy(update={"lm": LMSettings()}))


def _params(asked: Training, index: CatalogIndex, fit: Sequence[Example], dev: Sequence[Example]) -> dict[str, object]:
    """What a run depends on; a call with the same goes on where the last one stopped."""
    material = hashlib.sha256(orjson.dumps([[one.prompt, one.answer] for one in (*fit, *dev)])).hexdigest()[:16]
    return {
        "recipe": NAME, "lm": asked.lm, "train": asked.train, "dev": asked.dev, "epochs": asked.epochs, "seed": asked.seed,
        "material": material, "settings_hash": asked.settings.hash(), "catalog_hash": index.info.content_hash[:16],
        "code": code(*_CODE),
    }  # fmt: skip


def _figures(scored: Scored, system: str, drawn: Drawn) -> dict[str, Metric]:
    """One system's figures on the dev rows."""
    return {name: measure.figure(scored.scores[system], drawn).metric() for name, measure in _measures().items()}


def _gains(scored: Scored, drawn: Drawn) -> dict[str, Metric]:
    """By how much they changed, paired."""
    after, before = scored.scores[_AFTER], scored.scores[_BEFORE]
    return {name: _plain(measure.difference(after, before, drawn)) for name, measure in _measures().items()}


def _measures() -> dict[str, Measure]:
    return {"objective": OBJECTIVE, **{name: MEASURES[name] for name in _SHOWN}}


def _plain(found: Difference) -> Metric:
    return {"value": found.value, "lo": found.lo, "hi": found.hi, "n": found.n, "runs": found.runs}


def _scores(found: Finetuned) -> Scores:
    figures = {**{f"after.{name}": one for name, one in found.after.items()}}
    figures |= {f"gain.{name}": one for name, one in found.gain.items()}
    about = {"recipe": NAME, "seed": str(found.seed), "epoch": str(found.epoch), "train": found.train, "dev": found.dev}
    return Scores(measured=(Measured(set=found.dev, split="dev", figures=figures, about=about),))


def finetuned_lines(found: Finetuned) -> Iterator[str]:
    """The result for a terminal."""
    drafts = ", ".join(f"{epoch}: {score:.3f}" for epoch, score in found.drafts.items())
    yield f"{found.recipe}, LM {found.lm}, seed {found.seed}: {found.fit} requests, {found.seconds:.0f} s; {found.ended}"
    yield f"  names in drafts, micro F1 over {found.chosen_by} requests, by epoch: {drafts}; epoch {found.epoch} was taken"
    for name, before in found.before.items():
        yield f"  {name:<14} {_shown(before)} → {_shown(found.after[name])}  {_shown(found.gain[name], signed=True)}"
    yield f"  written to {found.out}; run kept in {found.store}"


def _shown(metric: Metric, *, signed: bool = False) -> str:
    if metric["value"] is None:
        return "–"
    sign = "+" if signed else ""
    return f"{metric['value']:{sign}.3f} [{metric['lo']:{sign}.3f}, {metric['hi']:{sign}.3f}]"
