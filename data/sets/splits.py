"""The frozen splits: train, dev and test, 50/20/30, stratified by kind and language.

`python -m data.sets.splits` compares the manifest with the rows and exits 1 when they differ; `--write` gives new rows a
split, keeps every row where it is, and takes down the new hashes. A row never changes its split.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, get_args

from data.labelled import KINDS, LabelledRow, Split, load_rows

SEED = 20261201
PATTERN: tuple[Split, ...] = ("train", "test", "train", "dev", "train", "test", "train", "dev", "train", "test")
"""Ten rows of a stratum in turn: half to train, two to dev, three to test."""


def all_rows() -> tuple[LabelledRow, ...]:
    """Every row of every set."""
    return tuple(row for name in KINDS for row in load_rows(name))


def assign(rows: Iterable[LabelledRow], frozen: Mapping[str, Split], seed: int = SEED) -> dict[str, Split]:
    """The split of each qid: `frozen` rows stay, the others are dealt out by kind and language in a seeded order."""
    fresh = sorted((row for row in rows if row.qid not in frozen), key=lambda row: row.qid)
    random.Random(seed).shuffle(fresh)
    fresh.sort(key=lambda row: (row.set, row.kind, row.locale))  # stable: the order within a stratum stays shuffled
    return {**frozen, **{row.qid: PATTERN[number % len(PATTERN)] for number, row in enumerate(fresh)}}


def digest(rows: Iterable[LabelledRow]) -> str:
    """SHA-256 over the rows' canonical JSON in the order of their qids."""
    found = hashlib.sha256()
    for row in sorted(rows, key=lambda row: row.qid):
        line = json.dumps(row.model_dump(mode="json"), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        found.update(line.encode() + b"\n")
    return found.hexdigest()


def make_manifest(rows: Sequence[LabelledRow], frozen: Mapping[str, Split]) -> dict[str, Any]:
    """What `manifest.json` holds: seed, and per split the number of rows, their hash and their qids."""
    split_of = assign(rows, frozen)
    splits = {}
    for split in get_args(Split):
        members = [row for row in rows if split_of[row.qid] == split]
        splits[split] = {"rows": len(members), "sha256": digest(members), "qids": sorted(row.qid for row in members)}
    return {"seed": SEED, "splits": splits}


def manifest_path() -> Path:
    """Where the manifest lies."""
    return Path(str(resources.files("data.sets") / "manifest.json"))


def read_manifest() -> dict[str, Any]:
    """The manifest as it is on disk; without splits when there is none yet."""
    path = manifest_path()
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"seed": SEED, "splits": {}}


def frozen_splits(manifest: Mapping[str, Any]) -> dict[str, Split]:
    """The split of each qid, as a manifest has it."""
    return {qid: split for split, part in manifest["splits"].items() for qid in part["qids"]}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m data.sets.splits", description="Check or renew the frozen splits.")
    parser.add_argument("--write", action="store_true", help="take down new rows and changed labels")
    options = parser.parse_args(arguments)
    old = read_manifest()
    new = make_manifest(all_rows(), frozen_splits(old))
    changed = [split for split, part in new["splits"].items() if old["splits"].get(split) != part]
    if options.write and changed:
        manifest_path().write_text(json.dumps(new, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"changed: {', '.join(changed) or 'nothing'}\n")
    return 0 if options.write or not changed else 1


if __name__ == "__main__":
    sys.exit(main())
