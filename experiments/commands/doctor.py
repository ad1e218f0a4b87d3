"""`melo doctor`: what is installed, which backbones answer, what is missing and how to get it."""

from __future__ import annotations

import os
import platform
from contextlib import closing
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import orjson
import typer

from data.errors import MeloError
from experiments.bundles import default_bundle
from experiments.commands.places import open_index, trace_store
from program.lm.auto import choose
from program.lm.backbones import NONE, probe, resolve
from program.lm.brains import language_models

EXAMPLE = "Example:  melo doctor --lm openai/my-model"
_PACKAGES = ("dspy", "litellm", "mlflow", "tantivy", "usearch", "onnxruntime", "xllamacpp", "datasets")
_PROBE_S = 20.0


def doctor(
    lm: Annotated[list[str] | None, typer.Option(help="also ask this backbone (may be repeated)")] = None,
    json: Annotated[bool, typer.Option("--json", help="print JSON lines")] = False,
) -> None:
    """Check the installation. Exit code 1 when something that `melo ask` needs is missing."""
    rows = [_python(), *map(_package, _PACKAGES), _catalog(), _store()]
    names = [f"embedded/{name}" for name in language_models()] + list(lm or [])
    rows.extend(_backbone(name) for name in names)
    rows.append(_auto())
    for row in rows:
        typer.echo(orjson.dumps(row).decode() if json else f"{'ok ' if row['ok'] else '-- '} {row['what']:<28} {row['detail']}")
    needed = [row for row in rows if row["needed"] and not row["ok"]]
    raise typer.Exit(1 if needed else 0)


def _row(what: str, ok: bool, detail: str, *, needed: bool = True) -> dict[str, str | bool]:
    return {"what": what, "ok": ok, "detail": detail, "needed": needed}


def _python() -> dict[str, str | bool]:
    return _row("python", True, f"{platform.python_version()}, {os.cpu_count()} cores")


def _package(name: str) -> dict[str, str | bool]:
    try:
        return _row(name, True, version(name))
    except PackageNotFoundError:
        return _row(name, False, "not installed: make setup")


def _catalog() -> dict[str, str | bool]:
    try:
        facts = open_index(None).info
    except MeloError as error:
        return _row("catalog", False, error.one_line())
    return _row("catalog", True, f"{facts.tracks:,} tracks at {facts.path}")


def _store() -> dict[str, str | bool]:
    try:
        with closing(trace_store()) as store:
            store.get("none")  # asks every tier
            fault = store.fault
    except MeloError as error:
        return _row("trace store", False, error.one_line(), needed=False)
    return _row("trace store", True, f"writable, without its hot tier: {fault}" if fault else "writable")


def _auto() -> dict[str, str | bool]:
    """What `--lm auto` means here, why, and which program it is asked with."""
    try:
        found = choose()
        bundle = default_bundle(found.name) if found.name != NONE else None
    except MeloError as error:
        return _row("--lm auto", False, error.one_line())
    program = f"; program: {bundle.name} ({bundle.created})" if bundle and bundle.state else ""
    return _row("--lm auto", True, found.why + program)


def _backbone(name: str) -> dict[str, str | bool]:
    try:
        reason = probe(resolve(name), _PROBE_S)
    except MeloError as error:
        reason = error.one_line()
    return _row(name, reason is None, reason or "answers", needed=False)
