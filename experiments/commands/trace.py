"""`melo trace`: the chain of artifacts behind an answer."""

from __future__ import annotations

from typing import Annotated

import typer

from data.errors import InputError
from experiments.commands.places import trace_store
from experiments.commands.render import trace_lines
from program.trust.artifacts import verify

EXAMPLE = "Example:  melo trace 3f2a9c1d5e7b8a60"


def trace(
    trace_id: Annotated[str, typer.Argument(help="the id that an answer ends with; empty lists the latest")] = "",
    json: Annotated[bool, typer.Option("--json", help="print every artifact as a JSON line")] = False,
) -> None:
    """Show how an answer came about: every node's output with its parents, checked against its hash."""
    store = trace_store()
    if not trace_id:
        for known in store.latest():
            typer.echo(known)
        return
    artifacts = store.trace(trace_id)
    if not artifacts:
        raise InputError(f"no trace has the id {trace_id[:40]}", hint="melo trace lists the latest ids")
    known_ids = {artifact.artifact_id for artifact in artifacts}
    for artifact in artifacts:
        verify(artifact, known_ids.__contains__)
    lines = (artifact.model_dump_json() for artifact in artifacts) if json else trace_lines(artifacts)
    for line in lines:
        typer.echo(line)
