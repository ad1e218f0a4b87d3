"""Reads and writes bundles. A bundle is written whole or not at all, and believed only when every byte is as it was sealed."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from pydantic import ConfigDict, Field, ValidationError

from data.contracts import Contract
from data.errors import BundleError, InfrastructureError, InputError
from program.bundle.manifest import MANIFEST, Adapted, Manifest, Source, manifest_json, read_manifest
from program.bundle.secrets import refuse_secrets
from program.bundle.state import NODES, ProgramState, parse_state, state_hash, state_json, validation_reason
from program.lm.backbones import Backbone, adapted
from program.lm.brains import brain
from program.lm.embedded import ADAPTED_NODE, PREFIX
from program.lm.names_adapter import PROMPT_VERSION
from program.settings import Settings
from program.settings_text import settings_text
from signatures.plan import PlanRoutes
from signatures.reflect import Reflect
from signatures.synthesize import Synthesize
from signatures.understand import Understand

PROGRAM, SETTINGS, SCORES, ADAPTER = "program.json", "settings.toml", "scores.json", "adapter.gguf"
_MAGIC = b"GGUF"
_NEEDED = frozenset({PROGRAM, SETTINGS, SCORES})
_KNOWN = _NEEDED | {ADAPTER}
_MOST_BYTES = {MANIFEST: 1_000_000, PROGRAM: 10_000_000, SETTINGS: 1_000_000, SCORES: 10_000_000, ADAPTER: 2_000_000_000}
_SIGNATURES: dict[str, Any] = {"understand": Understand, "plan": PlanRoutes, "reflect": Reflect, "synthesize": Synthesize}


class Measured(Contract):
    """Figures of one set. figures: name → value, lower and upper end, requests."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)

    set: str
    split: str
    figures: dict[str, dict[str, float | int | None]]
    about: dict[str, str] = Field(default_factory=dict)


class Scores(Contract):
    """The content of `scores.json`."""

    measured: tuple[Measured, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Bundle:
    """A compiled program.

    Attributes:
        state: node → instructions and demos. adapter: weights that the embedded backbone applies; None without any.
        versions, trained_on, weights, recipe, created: see `Manifest`.
        settings_hash: of the settings when it was written; empty for one that was not read from a folder.
    """

    name: str
    settings: Settings
    state: ProgramState
    created: str
    versions: Mapping[str, str]
    catalog: str = ""
    recipe: str = ""
    scores: Scores = field(default_factory=Scores)
    trained_on: tuple[Source, ...] = ()
    weights: tuple[Source, ...] = ()
    adapter: Path | None = None
    settings_hash: str = ""

    @property
    def backbone(self) -> str:
        """The backbone that it was made for."""
        return self.settings.lm.name

    @property
    def program_hash(self) -> str:
        """Names its texts, and its adapter."""
        texts = state_hash(self.state)
        return texts if self.adapter is None else hashlib.sha256((texts + _sha256(self.adapter)).encode()).hexdigest()[:16]

    def resolver(self, resolve: Callable[[str], Backbone]) -> Callable[[str], Backbone]:
        """`resolve`, with this bundle's adapter on the backbone that it was made for."""
        own = self.settings.lm.of(ADAPTED_NODE)
        return lambda name: resolve(adapted(name, self.adapter) if name == own else name)

    def warnings(self, catalog: str) -> tuple[str, ...]:
        """What makes its scores doubtful here.

        Args:
            catalog: content hash of the catalog in use.
        """
        found = []
        if self.catalog and not catalog.startswith(self.catalog):
            found.append(f"the bundle {self.name} was made on the catalog {self.catalog}, not on {catalog[:16]}")
        if self.settings_hash and self.settings_hash != self.settings.hash():
            found.append(f"the bundle {self.name} leaves settings open whose defaults have changed since it was made")
        return tuple(found)


def save_bundle(folder: Path, bundle: Bundle, *, force: bool = False, whole: bool = True) -> Path:
    """Write a bundle; returns its folder.

    Args:
        force: take the place of what is there.
        whole: write every setting; otherwise only what differs from the defaults, so that it follows them.

    Raises:
        BundleError: something is there already, or a file would hold a secret or an address.
        InfrastructureError: it cannot be written. What was there stays.
    """
    if folder.exists() and not force:
        raise BundleError(f"{folder} is there already", hint="--force takes its place, --out names another")
    files = _contents(bundle, whole)
    manifest = _manifest(bundle, files)
    refuse_secrets({MANIFEST: manifest_json(manifest), **files}, binary=(ADAPTER,))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            for name, content in (*files.items(), (MANIFEST, manifest_json(manifest))):
                (work / name).write_bytes(content)
                (work / name).chmod(0o644)
            work.chmod(0o755)
            _swap(work, folder)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        raise InfrastructureError(f"cannot write {folder}: {error.strerror}") from error
    return folder


def load_bundle(folder: Path) -> Bundle:
    """Read a bundle and check all of it. Nothing in it is executed, and nothing is asked.

    Raises:
        BundleError: it is not there or not whole, of another schema version, a byte of it was changed, or it holds a file, a
            key, a node or a demo field that a bundle does not have; the message says which.
    """
    manifest = read_manifest(_bytes(folder, MANIFEST), str(folder / MANIFEST))
    listed = frozenset(manifest.files)
    if listed - _KNOWN or _NEEDED - listed:
        raise BundleError(f"{folder / MANIFEST} must list {', '.join(sorted(_NEEDED))}, and besides only {ADAPTER}")
    present = {path.name for path in folder.iterdir()}
    if strange := sorted(present - listed - {MANIFEST}):
        raise BundleError(f"{folder} holds {strange[0]}, which its manifest does not list")
    files = {name: _bytes(folder, name) for name in sorted(listed)}
    for name, content in files.items():
        if hashlib.sha256(content).hexdigest() != manifest.files[name]:
            raise BundleError(f"{folder / name} was changed: its hash is not the one in the manifest")
    return _read(folder, manifest, files)


def _read(folder: Path, manifest: Manifest, files: Mapping[str, bytes]) -> Bundle:
    settings = _settings(files[SETTINGS], folder / SETTINGS)
    _check_adapter(folder, manifest, files.get(ADAPTER), settings)
    try:
        state = parse_state(files[PROGRAM], str(folder / PROGRAM))
    except InputError as error:
        raise BundleError(error.message) from error
    for node, text in state.items():
        if strange := {name for demo in text.demos for name in demo} - set(_SIGNATURES[node].fields):
            raise BundleError(f"{folder / PROGRAM}: a demo of {node} has a field that does not exist: {sorted(strange)[0]}")
    if settings.lm.name != manifest.backbone or _named(settings) != manifest.nodes:
        raise BundleError(f"{folder / SETTINGS} names another backbone than the manifest")
    return Bundle(
        name=manifest.name, settings=settings, state=state, created=manifest.created, versions=manifest.versions,
        catalog=manifest.catalog, recipe=manifest.recipe, scores=_scores(files[SCORES], folder / SCORES),
        trained_on=tuple(manifest.trained_on), weights=tuple(manifest.weights),
        adapter=folder / ADAPTER if ADAPTER in files else None, settings_hash=manifest.settings_hash,
    )  # fmt: skip


def _check_adapter(folder: Path, manifest: Manifest, content: bytes | None, settings: Settings) -> None:
    if (content is None) != (manifest.adapter is None):
        raise BundleError(f"{folder / MANIFEST} must say what {ADAPTER} was trained on, and only where there is one")
    if content is None or manifest.adapter is None:
        return
    if not content.startswith(_MAGIC):
        raise BundleError(f"{folder / ADAPTER} is no GGUF file")
    if manifest.adapter.prompt != PROMPT_VERSION:
        raise BundleError(
            f"{folder / ADAPTER} was trained for version {manifest.adapter.prompt} of the prompt; this Melo asks with version "
            f"{PROMPT_VERSION}", hint="melo optimize finetune trains it again",
        )  # fmt: skip
    if manifest.adapter.weights != _adapted_weights(settings):
        raise BundleError(f"{folder / ADAPTER} was trained on other weights than those of {settings.lm.of(ADAPTED_NODE)}")


def _adapted_weights(settings: Settings) -> str:
    """Hash of the weights that an adapter is applied to; empty where the settings name no embedded backbone."""
    name = settings.lm.of(ADAPTED_NODE)
    return brain(name.removeprefix(PREFIX)).sha256 if name.startswith(PREFIX) else ""


def _bytes(folder: Path, name: str) -> bytes:
    path = folder / name
    try:
        if path.is_symlink():
            raise BundleError(f"{path} is a link; a bundle holds plain files only")
        if path.stat().st_size > _MOST_BYTES[name]:
            raise BundleError(f"{path} is larger than any bundle's")
        return path.read_bytes()
    except OSError as error:
        raise BundleError(f"cannot read {path}: {error.strerror}", hint="melo export writes a bundle") from error


def _settings(content: bytes, path: Path) -> Settings:
    try:
        return Settings.model_validate(tomllib.loads(content.decode()))
    except ValidationError as error:
        raise BundleError(f"{path}: {validation_reason(error)}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BundleError(f"{path} is not TOML") from error


def _scores(content: bytes, path: Path) -> Scores:
    try:
        return Scores.model_validate_json(content)
    except ValidationError as error:
        raise BundleError(f"{path}: {validation_reason(error)}") from error


def _contents(bundle: Bundle, whole: bool) -> dict[str, bytes]:
    head = [f"Settings of the bundle {bundle.name}, {'all of them' if whole else 'where they differ from the defaults'}."]
    files = {
        PROGRAM: state_json(bundle.state),
        SETTINGS: settings_text(bundle.settings, head, whole=whole).encode(),
        SCORES: orjson.dumps(bundle.scores.model_dump(mode="json"), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE),
    }
    return files if bundle.adapter is None else {**files, ADAPTER: bundle.adapter.read_bytes()}


def _manifest(bundle: Bundle, files: Mapping[str, bytes]) -> Manifest:
    try:
        manifest = Manifest(
            name=bundle.name, backbone=bundle.backbone, nodes=_named(bundle.settings), created=bundle.created,  # type: ignore[arg-type]
            recipe=bundle.recipe, catalog=bundle.catalog, settings_hash=bundle.settings.hash(), versions=dict(bundle.versions),
            trained_on=list(bundle.trained_on), weights=list(bundle.weights), adapter=_adapted(bundle),
            files={name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
        )  # fmt: skip
    except ValidationError as error:
        raise BundleError(f"this cannot be a bundle: {validation_reason(error)}") from error
    return manifest.sealed()


def _adapted(bundle: Bundle) -> Adapted | None:
    if bundle.adapter is None:
        return None
    return Adapted(weights=_adapted_weights(bundle.settings), prompt=PROMPT_VERSION)


def _named(settings: Settings) -> dict[str, str]:
    """The nodes that have a backbone of their own."""
    return {node: name for node in NODES if (name := str(getattr(settings.lm, node)))}


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _swap(work: Path, folder: Path) -> None:
    """Put `work` in the place of `folder`."""
    if not folder.exists():
        work.rename(folder)
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-old-", dir=folder.parent))
    try:
        folder.rename(aside / "old")
        try:
            work.rename(folder)
        except OSError:
            (aside / "old").rename(folder)
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
