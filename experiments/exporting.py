"""Makes a bundle of what is at hand: a bundle, the folder of `melo optimize`, or a backbone's current program."""

from __future__ import annotations

import datetime
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from data.errors import BundleError, InputError
from experiments.bench.machine import versions
from experiments.bundles import default_bundle, slug
from experiments.chosen import with_lm
from experiments.tracking import Tracker
from program.bundle.files import PROGRAM, SCORES, Bundle, Measured, Scores, load_bundle
from program.bundle.manifest import MANIFEST, Source
from program.bundle.state import parse_state
from program.settings import Settings

_EXPERIMENT = "melo optimize"
_RUN_ID = re.compile(r"[0-9a-f]{32}")
_OWN_SETS = Source(name="Melo labelled sets", licence="Apache-2.0", split="train")


def bundle_of(folder: Path, lm: str = "", settings: Path | None = None, name: str = "") -> Bundle:
    """The bundle at a folder, or made of what `melo optimize` left there.

    Args:
        lm, settings: only for the folder of `melo optimize`: empty: the backbone that it was tuned for, the defaults.
        name: empty: the bundle's own, or the folder's.

    Raises:
        BundleError: there is neither, or it cannot be believed.
    """
    if (folder / MANIFEST).exists():
        if lm or settings:
            raise InputError("a bundle brings its backbone and settings", hint="leave --lm and --settings out")
        return load_bundle(folder)
    if not (folder / PROGRAM).is_file():
        raise BundleError(f"{folder} holds neither {MANIFEST} nor {PROGRAM}", hint="melo optimize and melo export write them")
    told = _told(folder / SCORES)
    tuned_for = lm or str(told.get("lm", ""))
    if not tuned_for:
        raise InputError(f"{folder} does not say for which backbone it was tuned", hint="--lm NAME")
    chosen = with_lm(Settings.load(settings) if settings else Settings(), tuned_for)
    made = {key: str(told[key]) for key in ("recipe", "seed", "train", "dev", "teacher", "reflection_lm") if told.get(key)}
    helpers = {str(told[key]) for key in ("teacher", "reflection_lm") if told.get(key)} - {tuned_for}
    state = parse_state((folder / PROGRAM).read_bytes(), str(folder / PROGRAM))
    return Bundle(
        name=name or slug(folder.resolve().name), settings=chosen, state=state,
        created=datetime.date.today().isoformat(), versions=versions(), catalog=str(told.get("catalog_hash", ""))[:16],
        recipe=made.get("recipe", ""), scores=Scores(measured=_measured(told, made)), trained_on=(_OWN_SETS,),
        weights=tuple(Source(name=helper, licence="the provider's terms") for helper in sorted(helpers)),
    )  # fmt: skip


@contextmanager
def place_of(run: str) -> Iterator[Path]:
    """The folder that a word on the command line means: its own path, or a copy of what a run of `melo optimize` keeps.

    Raises:
        BundleError: there is no such folder, and it is not the id of a run.
        InfrastructureError: the store of runs cannot be used, or does not have the run.
    """
    if Path(run).exists() or not _RUN_ID.fullmatch(run):
        yield Path(run)
        return
    with tempfile.TemporaryDirectory(prefix="melo-run-") as folder:
        yield Tracker.open(_EXPERIMENT).fetch(run, (PROGRAM, SCORES), Path(folder))


def current(lm: str, settings: Path | None = None) -> Bundle:
    """The program that a backbone has now, as a bundle; without any text where it is the program as it is written."""
    base = with_lm(Settings.load(settings) if settings else Settings(), lm)
    found = default_bundle(base.lm.label)
    return found or Bundle(
        name=slug(base.lm.label), settings=base, state={}, created=datetime.date.today().isoformat(), versions=versions(),
        scores=Scores(note="the program as it is written"),
    )  # fmt: skip


def _told(path: Path) -> dict[str, Any]:
    try:
        data = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return {}
    return data if isinstance(data, dict) else {}


def _measured(told: dict[str, Any], made: dict[str, str]) -> tuple[Measured, ...]:
    """The dev scores of the nodes, where they have the shape of figures."""
    figures: dict[str, dict[str, float | int | None]] = {}
    for node in told.get("nodes", ()):
        for key in ("start", "best", "difference"):
            value = node.get(key) if isinstance(node, dict) else None
            if isinstance(value, dict):
                figures[f"{node.get('node')}.{key}"] = {
                    name: number for name, number in value.items() if number is None or isinstance(number, int | float)
                }
    return (Measured(set=made.get("dev", "all"), split="dev", figures=figures, about=made),) if figures else ()
