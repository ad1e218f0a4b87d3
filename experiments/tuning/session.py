"""One `melo tune` from its sources to its settings file: search, put back what is not needed, judge, write, keep the record."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from data.errors import InputError
from experiments.bench.machine import code, versions
from experiments.commands.bar import bar
from experiments.tracking import TrackedRun, Tracker, user_data
from experiments.tuning.compare import OBJECTIVE, Compared, compare
from experiments.tuning.material import Material, Sources, material
from experiments.tuning.report import Changed, Counted, Tuned, comments
from experiments.tuning.settings_file import write_text
from optimizers.thresholds import Proposal, Search, ThresholdStudy, Trial
from program.lm.environment import private_folder
from program.settings import Settings
from program.settings_text import settings_text

EXPERIMENT = "melo tune"
_CODE = ("data", "signatures", "program", "optimizers", "experiments.external", "experiments.tuning")


@dataclass(frozen=True)
class Asked:
    """One call.

    Attributes:
        base: the settings that are tuned. out: the file to write; force: over one that is there, and a result that may be worse.
        trials: in all, those of an interrupted call counted. seconds: after which no trial starts; None: no limit.
    """

    sources: Sources
    base: Settings
    out: Path
    trials: int
    seed: int = 0
    seconds: float | None = None
    force: bool = False


def tune(asked: Asked, clock: Callable[[], float] = time.monotonic) -> Tuned:
    """Search, judge, write.

    Raises:
        InputError: there is nothing to tune on, or the file is there already.
        InfrastructureError: a file or the store of runs cannot be used; the trials that are done are kept.
    """
    if asked.out.exists() and not asked.force:
        raise InputError(f"{asked.out} is there already", hint="--force writes over it, --out names another")
    started = clock()
    with material(asked.sources, asked.seed) as given:
        name = _study_name(asked, given)
        run_store = Tracker.open(EXPERIMENT)
        run = run_store.run(name, f"tune-{name}", _params(asked, given))
        finished = False
        try:
            study, resumed = _searched(asked, given, name, run, clock)
            proposal = _proposed(study)
            found = Tuned(
                **_told(asked, given, study, proposal), resumed=resumed, study=name, store=run_store.store, run=run.run_id,
                seconds=round(clock() - started, 1),
            )  # fmt: skip
            found = _written(asked, found, proposal)
            _keep(run, found, settings_text(proposal.settings, [*comments(found)]))
            finished = not found.incomplete
        finally:
            run.end(finished=finished)
    return found


def _study_name(asked: Asked, given: Material) -> str:
    """Names everything that a trial's score depends on."""
    search = Search(asked.base)
    parts = {
        "weights": given.tuned.shares,
        "examples": {kind: asdict(one) for kind, one in given.examples.items()},
        "catalogs": dict(given.catalogs),
        "base": asked.base.hash(),
        "dials": [asdict(dial) for dial in search.dials],
        "constraints": [constraint.words for constraint in search.constraints],
        "seed": asked.seed,
        "code": code(*_CODE),
    }
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def _params(asked: Asked, given: Material) -> dict[str, object]:
    catalogs = {f"catalog_hash.{kind}": value for kind, value in given.catalogs.items()}
    counts = {
        f"{kind}.{part}": getattr(one, part) for kind, one in given.examples.items() for part in ("tuned", "held_out", "hash")
    }
    weights = {f"weight.{name}": round(share, 4) for name, share in given.tuned.shares.items()}
    return {
        "seed": asked.seed, "settings_hash": asked.base.hash(), "code": code(*_CODE), "objective": given.tuned.words(),
        **catalogs, **counts, **weights, **{f"version.{name}": value for name, value in versions().items()},
    }  # fmt: skip


def _searched(
    asked: Asked, given: Material, name: str, run: TrackedRun, clock: Callable[[], float]
) -> tuple[ThresholdStudy, int]:
    storage = private_folder(user_data() / "tuning") / f"{name}.journal"
    study = ThresholdStudy(given.tuned, Search(asked.base, name, asked.seed, storage, clock=clock))
    known, resumed = run.children(), len(study.trials)
    for trial in study.trials:
        if _child(trial) not in known:
            _log(run, trial)
    best = max((trial.score for trial in study.trials), default=0.0)
    with bar("melo tune") as progress:
        progress("trial", resumed, asked.trials)

        def watch(trial: Trial) -> None:
            nonlocal best
            best = max(best, trial.score)
            _log(run, trial)
            run.log({"best": best}, step=trial.number)
            progress(f"best {best:.4f}, trial", trial.number + 1, asked.trials)

        study.run(asked.trials, asked.seconds, watch)
    return study, resumed


def _proposed(study: ThresholdStudy) -> Proposal:
    with bar("melo tune") as progress:
        return study.proposal(lambda name, done, total: progress(f"what {name} is worth, step", done, total))


def _told(asked: Asked, given: Material, study: ThresholdStudy, proposal: Proposal) -> dict[str, Any]:
    """What the search found, and how it does on rows that it did not see."""
    done = len(study.trials)
    held_out = compare(given.held_out, asked.base, proposal.settings, seed=asked.seed)
    return {
        "objective": given.tuned.words(),
        "weights": {name: round(share, 4) for name, share in given.tuned.shares.items()},
        "constraints": tuple(constraint.words for constraint in Search(asked.base).constraints),
        "trials": done,
        "incomplete": "" if done >= asked.trials else f"of {asked.trials}: no time was left; the same call goes on",
        "seed": asked.seed,
        "found_in": proposal.found_in,
        "examples": {kind: Counted(**asdict(one), catalog_hash=given.catalogs[kind]) for kind, one in given.examples.items()},
        "searched": {"before": round(proposal.before.score, 6), "after": round(proposal.after.score, 6)},
        "changes": {
            name: Changed(before=change.before, after=change.after, worth=round(change.worth, 6))
            for name, change in proposal.changes.items()
        },
        "held_out": held_out,
        "test": compare(given.test, asked.base, proposal.settings, seed=asked.seed) if given.test else {},
        "file": None,
        "verdict": "",
        "base_settings_hash": asked.base.hash(),
        "settings_hash": proposal.settings.hash(),
        "versions": versions(),
    }


def _written(asked: Asked, found: Tuned, proposal: Proposal) -> Tuned:
    """Write the settings when they are better on rows that the search did not see, and say what was done and why."""
    judged: Compared = found.held_out[OBJECTIVE]
    if not found.changes:
        return found.model_copy(update={"verdict": "Nothing was written: no other settings do better on the rows tuned on."})
    if not judged.is_better and not asked.force:
        verdict = (
            "Nothing was written: on the rows held out this is not shown to be better "
            f"(difference {judged.difference.value:+.3f}, 95 % interval from {judged.difference.lo:+.3f} to "
            f"{judged.difference.hi:+.3f}). The settings stay as they are; --force writes the file all the same."
        )
        return found.model_copy(update={"verdict": verdict})
    why = "better on the rows held out" if judged.is_better else "because of --force; it is not shown to be better"
    found = found.model_copy(
        update={"file": str(asked.out), "verdict": f"Written to {asked.out}: {why}. Use it with --settings."}
    )
    write_text(asked.out, settings_text(proposal.settings, [*comments(found)]))
    return found


def _child(trial: Trial) -> str:
    return f"trial-{trial.number}"


def _log(run: TrackedRun, trial: Trial) -> None:
    run.child(_child(trial), {"score": trial.score, **trial.figures}, trial.values)


def _keep(run: TrackedRun, found: Tuned, text: str) -> None:
    metrics = {"trials": float(found.trials), **{f"searched.{name}": value for name, value in found.searched.items()}}
    for split, figures in (("held_out", found.held_out), ("test", found.test)):
        for name, one in figures.items():
            for column in ("before", "after", "difference"):
                cell = getattr(one, column)
                metrics |= {f"{split}.{name}.{column}.{end}": getattr(cell, end) for end in ("value", "lo", "hi")}
    run.log(metrics, step=found.trials)
    run.text("result.json", found.model_dump_json(indent=1))
    run.text("settings.toml", text)
