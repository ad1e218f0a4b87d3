"""What `--lm`, `--bundle` and `--settings` come to: settings with their backbones, and the compiled program for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from data.errors import BackboneError, InputError
from experiments.bundles import default_bundle
from program.bundle.files import Bundle, load_bundle
from program.bundle.state import NODES, ProgramState
from program.lm.auto import AUTO, choose
from program.lm.backbones import Backbone, resolve
from program.settings import LMSettings, Settings


@dataclass(frozen=True)
class Program:
    """What answers. bundle: None for the program as it is written."""

    settings: Settings
    bundle: Bundle | None = None

    @property
    def backbones(self) -> Callable[[str], Backbone]:
        """How a name becomes a backbone."""
        return resolve if self.bundle is None else self.bundle.resolver(resolve)

    @property
    def texts(self) -> ProgramState | None:
        """Instructions and demos to set."""
        return None if self.bundle is None else self.bundle.state


def program_of(lm: str, bundle: Path | None, settings: Path | None) -> Program:
    """The program that the options of a command mean.

    Args:
        lm: as in `with_lm`; empty: the bundle's, the settings file's, else `auto`.
        bundle: a folder; None: the backbone's default program.

    Raises:
        BundleError: the bundle cannot be believed.
        InputError: bundle and settings are both given, or a name is wrong.
    """
    if bundle is not None:
        if settings is not None:
            raise InputError("a bundle brings its own settings", hint="leave --settings or --bundle out")
        loaded = load_bundle(bundle)
        return Program(with_lm(loaded.settings, lm) if lm else loaded.settings, loaded)
    given = Settings.load(settings) if settings else Settings()
    wanted = lm or (AUTO if given.lm.label == "none" and "lm" not in given.model_fields_set else "")
    chosen = with_lm(given, wanted) if wanted else given
    found = default_bundle(chosen.lm.label) if chosen.lm.label != "none" else None
    if found is None:
        return Program(chosen)
    return Program(chosen if settings else found.settings, found)


def with_lm(settings: Settings, text: str) -> Settings:
    """Settings with other backbones.

    Args:
        text: a name, or `NODE=NAME` parts with commas, among them at most one bare name for the other nodes; `auto` stands
            for the best on dev that is usable here. A text without a node resets every node.

    Raises:
        BackboneError: a part is empty, a node is unknown or named twice, or two parts have no node.
    """
    names = dict.fromkeys(("name", *NODES), "")
    for part in text.split(","):
        node, _, name = part.strip().rpartition("=")
        key = node.strip() or "name"
        if key not in names or not name.strip():
            raise BackboneError(
                f"cannot read {part.strip()!r} in --lm", hint=f"NAME, or NODE=NAME with a node of {', '.join(NODES)}"
            )
        if names[key]:
            raise BackboneError(f"--lm names two backbones for {'all nodes' if key == 'name' else key}")
        names[key] = name.strip()
    names = {key: choose().name if name == AUTO else name for key, name in names.items()}
    names["name"] = names["name"] or settings.lm.name
    return settings.model_copy(update={"lm": LMSettings.model_validate(settings.lm.model_dump() | names)})
