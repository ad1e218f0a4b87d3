"""One `melo optimize finetune`: baseline first, training with its state kept, a bundle with the adapter, judged on dev."""

from __future__ import annotations

import datetime
import hashlib
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import orjson

from data.errors import InputError, MeloError
from experiments.bench.machine import code, versions
from experiments.bundles import slug, system_of
from experiments.commands.bar import Bar, bar
from experiments.commands.progress import say
from experiments.labelled_run import LabelledRun, System, rows_of
from experiments.optimizing.finetuned import AFTER, BEFORE, Finetuned, figures, gains, scores_of
from experiments.optimizing.material import Material, material, unlabelled
from experiments.optimizing.requests_file import OwnRequests, read_requests
from experiments.optimizing.teaching import Lessons, Taught, check_teacher, source_of, teach
from experiments.tables.base import Setup
from experiments.tracking import TrackedRun, Tracker, user_data
from optimizers.finetune.examples import Example
from optimizers.finetune.held import names_of
from optimizers.finetune.torch_model import need_torch
from optimizers.finetune.trainer import Course, Progress
from optimizers.limits import Limits
from optimizers.recipes.finetune import NAME, Trained, Watch, Work, train
from program.bundle.files import Bundle, save_bundle
from program.bundle.manifest import MANIFEST, Source
from program.index.protocol import CatalogIndex
from program.lm.backbones import Backbone, resolve
from program.lm.brains import REGISTRY
from program.lm.embedded import PREFIX, free_cores, stop_all
from program.settings import LMSettings, Settings, UnderstandSettings

EXPERIMENT = "melo optimize"
_CODE = ("data", "signatures", "program.lm", "optimizers.finetune")
_READ = ("en",)
"""Languages that the small models draft well enough to help (measured on train and dev)."""


@dataclass(frozen=True)
class Training:
    """One call.

    Attributes:
        train, dev: name of a labelled set or `all`; the splits of these names are used, never test.
        names: folder of MusicRecoNER; None learns from the project's own rows alone.
        limits: seconds are of training and teacher, calls and USD of the teacher alone. out: the folder of the bundle.
        teacher: backbone that marks the names of requests without a label; empty: none. requests: a person's own, for it.
    """

    lm: str
    out: Path
    train: str = "all"
    dev: str = "all"
    names: Path | None = None
    epochs: int = 3
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    settings: Settings = field(default_factory=Settings)
    force: bool = False
    fresh: bool = False
    teacher: str = ""
    requests: Path | None = None


def finetune(
    asked: Training, index: CatalogIndex, setup: Setup, *, resolver: Callable[[str], Backbone] = resolve
) -> Finetuned:  # fmt: skip
    """Train, choose the epoch by drafts of dev, write the bundle, and judge it on dev from end to end.

    Args:
        setup: how the dev rows are asked. resolver: finds the teacher.

    Raises:
        InputError: no embedded backbone, too few requests, a bundle is there already, or the extra is missing.
        LMUnavailableError: the teacher does not answer. Nothing is written; what it answered is kept.
        InfrastructureError: a file or the store of runs cannot be used.
    """
    _check(asked)
    need_torch()
    found = material(asked.train, asked.dev, asked.names)
    lessons = _lessons(asked, found) if asked.teacher else None
    params = _params(asked, index, found, lessons)
    study = _digest(params)
    tracker = Tracker.open(EXPERIMENT)
    run, finished = tracker.run(study, f"{NAME}-{asked.lm}-{asked.seed}", params), False
    try:
        job = _Job(asked, found, study)
        if lessons is not None:
            job = job.taught_by(lessons, *teach(lessons, resolver, run.log))
        done = _trained(job, index, setup, run).model_copy(update={"store": tracker.store, "run": run.run_id})
        run.text("finetuned.json", done.model_dump_json(indent=1))
        run.log({f"dev.{name}": float(one["value"] or 0) for name, one in done.after.items()})
        finished = True
    except MeloError as error:
        run.text("failure.txt", f"{error.code}: {error.one_line()}\n")
        raise
    finally:
        run.end(finished=finished)
    return done


@dataclass(frozen=True)
class _Job:
    """One call's material, with what a teacher added to it."""

    asked: Training
    found: Material
    study: str
    taught: Taught | None = None

    def taught_by(self, lessons: Lessons, examples: Sequence[Example], taught: Taught) -> _Job:
        """The same with a teacher's examples."""
        found = self.found
        sources = (*found.sources, source_of(taught, lessons.wanted)) if examples else found.sources
        return replace(self, found=replace(found, fit=(*found.fit, *examples), sources=sources), taught=taught)

    @property
    def folder(self) -> Path:
        """For what survives a kill: of this study and of these very examples."""
        return user_data() / "finetune" / _digest([self.study, _lines_of(self.found)])

    @property
    def seconds(self) -> float | None:
        """That the training may take; None: as long as the epochs take."""
        most, used = self.asked.limits.seconds, self.taught.spent["seconds"] if self.taught else 0.0
        return None if most is None else max(0.0, most - used)


def _check(asked: Training) -> None:
    """Refuse what cannot work before anything is read or asked."""
    if not asked.lm.startswith(PREFIX) or asked.lm.removeprefix(PREFIX) not in REGISTRY:
        raise InputError(f"{asked.lm} cannot be fine-tuned here", hint="an embedded backbone: --lm embedded/smollm2-135m")
    if (asked.out / MANIFEST).exists() and not asked.force:
        raise InputError(f"{asked.out} is there already", hint="--force writes over it, --out names another")
    if asked.teacher:
        check_teacher(asked.teacher)
        return
    given = {"--requests": asked.requests, "--max-calls": asked.limits.calls, "--max-usd": asked.limits.usd}
    if strange := [option for option, value in given.items() if value is not None]:
        raise InputError(f"{' and '.join(strange)}: without a teacher there is nothing to ask", hint="--teacher BACKBONE")


def _lessons(asked: Training, found: Material) -> Lessons:
    """What to ask the teacher."""
    own = read_requests(asked.requests) if asked.requests else OwnRequests()
    wanted = unlabelled(found, asked.train, own.texts)
    if own.rejects.total:
        say(own.rejects.summary())
    if wanted.barred:
        say(f"{wanted.barred} requests of {asked.requests} are dev or test rows and are left out")
    return Lessons(asked.teacher, wanted, own.rejects.total, asked.limits, asked.fresh)


def _trained(job: _Job, index: CatalogIndex, setup: Setup, run: TrackedRun) -> Finetuned:
    """The baseline first, then the training; writes the bundle."""
    asked, found = job.asked, job.found
    if asked.fresh:
        shutil.rmtree(job.folder, ignore_errors=True)
    rows, by_code = LabelledRun(rows_of(asked.dev, "dev"), index, setup), _without_lm(asked.settings)
    rows.scored({BEFORE: by_code})  # the baseline first; its answers are kept
    began = time.monotonic()
    course = Course(epochs=asked.epochs, seed=asked.seed)
    brain = asked.lm.removeprefix(PREFIX)
    work = Work(brain, found.fit, found.dev, job.folder, names_of(index), course=course, threads=free_cores())
    with bar(f"melo optimize {NAME}") as progress:
        trained = train(work, _until(job.seconds), _Shown(progress, run))
    seconds = round(time.monotonic() - began, 1)
    stop_all()
    bundle = _bundle(asked, brain, trained, found.sources, index)
    scored = rows.scored({AFTER: system_of(bundle, bundle.settings), BEFORE: by_code})
    done = Finetuned(
        lm=asked.lm, seed=asked.seed, fit=len(found.fit), chosen_by=len(found.dev),
        sources=tuple(one.name for one in found.sources), taught=job.taught,
        drafts={str(epoch): round(score, 4) for epoch, score in trained.scores.items()}, epoch=trained.epoch,
        ended=trained.ended, seconds=seconds, train=asked.train, dev=asked.dev, settings_hash=bundle.settings.hash(),
        catalog_hash=index.info.content_hash[:16], code=code(*_CODE), versions=versions(), out=str(asked.out),
        before=figures(scored, BEFORE, setup.drawn), after=figures(scored, AFTER, setup.drawn),
        gain=gains(scored, setup.drawn),
    )  # fmt: skip
    save_bundle(asked.out, replace(bundle, scores=scores_of(done)), force=asked.force)
    return done


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


def _params(asked: Training, index: CatalogIndex, found: Material, lessons: Lessons | None) -> dict[str, object]:
    """What a run depends on but its limits; a call with the same goes on where the last one stopped."""
    params: dict[str, object] = {
        "recipe": NAME, "lm": asked.lm, "train": asked.train, "dev": asked.dev, "epochs": asked.epochs, "seed": asked.seed,
        "material": _digest(_lines_of(found)), "settings_hash": asked.settings.hash(),
        "catalog_hash": index.info.content_hash[:16], "code": code(*_CODE),
    }  # fmt: skip
    return params if lessons is None else {**params, "teacher": lessons.teacher, "requests": _digest(lessons.wanted.texts)}


def _lines_of(found: Material) -> list[list[str]]:
    return [[one.prompt, one.answer] for one in (*found.fit, *found.dev)]


def _digest(value: object) -> str:
    """SHA-256 of a value as JSON, first 16 hex digits."""
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
