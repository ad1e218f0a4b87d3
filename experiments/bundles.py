"""Which compiled program a backbone gets: the user's promoted one, else the packaged one, else the program as it is written."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import dspy

from experiments.commands.progress import say
from experiments.labelled_run import Resolver, System
from experiments.tracking import user_data
from program.bundle.files import Bundle, load_bundle
from program.bundle.manifest import MANIFEST
from program.graph import Melo
from program.index.protocol import CatalogIndex
from program.settings import LMSettings, Settings
from program.trust.store import TraceStore

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


def slug(backbone: str) -> str:
    """A backbone's name as a folder's."""
    return _NOT_IN_NAMES.sub("_", backbone)


def served(lm: LMSettings) -> str:
    """The backbones that a program is for, as `--lm` says it: nodes that it leaves without one are its own affair."""
    kept = [part for part in lm.label.split(",") if not part.endswith("=none")]
    return ",".join(kept)


def promoted_folder(backbone: str) -> Path:
    """Where `melo promote` puts a backbone's program; it need not be there."""
    return user_data() / "bundles" / slug(backbone)


def packaged_folder(backbone: str) -> Path:
    """Where the repository keeps a backbone's program; it need not be there."""
    return Path(str(resources.files("program.bundle"))) / "packaged" / slug(backbone)


def default_folder(backbone: str) -> Path | None:
    """The folder of the program that the backbone gets; None: the program as it is written."""
    folders = (promoted_folder(backbone), packaged_folder(backbone))
    return next((folder for folder in folders if (folder / MANIFEST).is_file()), None)


def default_bundle(backbone: str) -> Bundle | None:
    """The program that a backbone gets without `--bundle`; None: the program as it is written.

    Raises:
        BundleError: there is one, and it cannot be believed.
    """
    folder = default_folder(backbone)
    return None if folder is None else load_bundle(folder)


def warn(bundle: Bundle, catalog: str, lm: str = "") -> None:
    """Say on stderr what makes a bundle's scores doubtful here.

    Args:
        catalog: content hash of the catalog in use. lm: the backbones in use.
    """
    for words in bundle.warnings(catalog):
        say(f"melo: {words}: its scores may not hold")
    if lm and lm != bundle.settings.lm.label:
        say(f"melo: the bundle {bundle.name} was made for {bundle.settings.lm.label}, not for {lm}")


def system_of(bundle: Bundle | None, settings: Settings) -> System:
    """A bundle's program to be asked by experiments."""
    if bundle is None:
        return System(settings)

    def made(index: CatalogIndex, chosen: Settings, store: TraceStore, resolver: Resolver) -> dspy.Module:
        return Melo(index, chosen, store=store, backbones=bundle.resolver(resolver), texts=bundle.state)

    return System(settings, made, f"melo-{bundle.program_hash}" if bundle.state or bundle.adapter else "melo")
