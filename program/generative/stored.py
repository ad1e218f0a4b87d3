"""Semantic IDs as files in an index folder: `semantic_ids/` with weights, codes and a manifest that says what they belong to."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from data.errors import CatalogIndexError
from program.generative.model import CodeModel, Weights, names_of
from program.generative.quantize import LEVELS, Codes
from program.generative.retriever import Flags, SemanticIds, TrackVectors

FOLDER, VERSION = "semantic_ids", 1
_FILES = ("weights.npz", "codes.npy", "playable.npy")
_MANIFEST = "manifest.json"
_FOLDER_MODE = 0o755
_HINT = "train them again with: melo catalog build SOURCE --out DIR --generative"


def write_semantic_ids(
    index: Path, weights: Weights, codes: Codes, playable: Flags, *, content_hash: str, told: Mapping[str, Any]
) -> Path:
    """Write the folder beside the index's files, in one move; what was there before is replaced. Returns it.

    Args:
        content_hash: of the catalog that they were trained on. told: what `melo catalog info` says about them.
    """
    work = Path(tempfile.mkdtemp(prefix=f".{FOLDER}-", dir=index))
    try:
        np.savez(work / _FILES[0], allow_pickle=False, **weights)
        np.save(work / _FILES[1], codes, allow_pickle=False)
        np.save(work / _FILES[2], playable, allow_pickle=False)
        hashes = {name: _hash(work / name) for name in _FILES}
        manifest = {"version": VERSION, "content_hash": content_hash, "files": hashes, "told": dict(told)}
        (work / _MANIFEST).write_text(json.dumps(manifest, indent=1, sort_keys=True), encoding="utf-8")
        work.chmod(_FOLDER_MODE)
        out = index / FOLDER
        shutil.rmtree(out, ignore_errors=True)
        work.rename(out)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    return out


def read_told(index: Path, content_hash: str) -> dict[str, Any] | None:
    """What is told about the Semantic IDs of an index; None where it has none, or those of another catalog or version.

    Raises:
        CatalogIndexError: the manifest is damaged.
    """
    manifest = _manifest(index, content_hash)
    return None if manifest is None else dict(manifest["told"])


def load_semantic_ids(index: Path, content_hash: str, tracks: int, vectors: TrackVectors) -> SemanticIds | None:
    """The Semantic IDs of an index of `tracks` tracks; None where it has none, or those of another catalog or version.

    Raises:
        CatalogIndexError: a file is not the one that was written.
    """
    manifest = _manifest(index, content_hash)
    if manifest is None:
        return None
    folder = index / FOLDER
    try:
        if any(_hash(folder / name) != manifest["files"][name] for name in _FILES):
            raise ValueError("a file has changed")
        with np.load(folder / _FILES[0], allow_pickle=False) as held:
            weights = {name: held[name] for name in names_of(LEVELS)}
        codes, playable = (np.load(folder / name, allow_pickle=False) for name in _FILES[1:])
        if codes.shape != (tracks, LEVELS + 1) or playable.shape != (tracks,):
            raise ValueError("they are of another number of tracks")
        return SemanticIds(CodeModel(weights), codes, playable, vectors)
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise CatalogIndexError(f"the Semantic IDs in {folder} are damaged: {error}", hint=_HINT) from error


def _manifest(index: Path, content_hash: str) -> dict[str, Any] | None:
    file = index / FOLDER / _MANIFEST
    if not file.is_file():
        return None
    try:
        manifest: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        fits = manifest["version"] == VERSION and manifest["content_hash"] == content_hash
        return manifest if fits and manifest["told"].keys() and manifest["files"].keys() else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CatalogIndexError(f"the Semantic IDs in {file.parent} are damaged: {error}", hint=_HINT) from error


def _hash(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
