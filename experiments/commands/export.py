"""`melo export`: a compiled program as a bundle, or as an MLflow model that holds one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import orjson
import typer

from data.errors import InputError
from experiments.exporting import bundle_of, current
from program.bundle.files import save_bundle

EXAMPLE = (
    "Examples:  melo export --bundle optimized-labelled --out my-bundle   melo export --bundle my-bundle --out model --mlflow"
)


def export(
    out: Annotated[Path, typer.Option(help="the folder to write")],
    bundle: Annotated[
        Path | None, typer.Option(help="a bundle, or a folder that melo optimize wrote (default: the current program of --lm)")
    ] = None,
    lm: Annotated[str, typer.Option(help="the backbone, where --bundle does not say it")] = "",
    settings: Annotated[Path | None, typer.Option(help="a settings file (TOML), where --bundle brings none")] = None,
    name: Annotated[str, typer.Option(help="the bundle's name (default: its folder's)")] = "",
    mlflow: Annotated[
        bool, typer.Option("--mlflow", help="an MLflow model, for mlflow models serve --env-manager local")
    ] = False,
    defaults: Annotated[bool, typer.Option("--defaults", help="leave settings open that are as the defaults")] = False,
    force: Annotated[bool, typer.Option("--force", help="take the place of what is there")] = False,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Write a program for serving: instructions, demos, settings and scores, each file hashed; no key, host or pickle."""
    if bundle is None and not lm:
        raise InputError("nothing to export", hint="--bundle DIR, or --lm NAME for its current program")
    made = bundle_of(bundle, lm, settings, name) if bundle else current(lm, settings)
    made = replace(made, name=name) if name else made
    if mlflow:
        from experiments.mlflow_model import save_model

        save_model(out, made, force=force)
    else:
        save_bundle(out, made, force=force, whole=not defaults)
    told = {
        "out": str(out), "kind": "mlflow" if mlflow else "bundle", "name": made.name, "lm": made.settings.lm.label,
        "program": made.program_hash, "nodes": list(made.state), "demos": sum(len(text.demos) for text in made.state.values()),
    }  # fmt: skip
    if json:
        typer.echo(orjson.dumps(told).decode())
        return
    typer.echo(
        f"{told['kind']} {made.name} at {out}, for {told['lm']}: {', '.join(made.state) or 'no node'} set, {told['demos']} demos"
    )
