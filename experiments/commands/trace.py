"""`melo trace`: the artifacts behind an answer, what one affected, and taking back what was wrong or is old."""

from __future__ import annotations

import re
from contextlib import closing
from typing import Annotated

import orjson
import typer

from data.contracts import Artifact
from data.errors import InputError
from experiments.commands.places import trace_store
from experiments.commands.render import trace_lines
from program.trust.artifacts import verify
from program.trust.store import TraceStore

EXAMPLE = (
    "Examples:  melo trace 3f2a9c1d5e7b8a60   melo trace 3f2a9c1d5e7b8a60-02 --affected   "
    'melo trace 3f2a9c1d5e7b8a60-02 --invalidate "the region table was wrong"   melo trace --prune 30d'
)
_AGE = re.compile(r"(\d{1,6})([dhw])")
_UNITS_S = {"h": 3_600, "d": 86_400, "w": 604_800}


def trace(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="what an answer ends with, or one artifact of it; none: the latest"),
    ] = None,
    affected: Annotated[bool, typer.Option("--affected", help="list the answers that it is, or went into")] = False,
    invalidate: Annotated[str, typer.Option(metavar="WHY", help="mark it and all that was made from it as wrong")] = "",
    prune: Annotated[str, typer.Option(metavar="AGE", help="remove every trace that is older, such as 30d, 12h, 4w")] = "",
    json: Annotated[bool, typer.Option("--json", help="print a JSON line for each artifact or answer")] = False,
) -> None:
    """Show how an answer came about: every node's output and every call, with parents, checked against its hash.

    Of one artifact: what it was made from, and what it went into.
    """
    names = list(dict.fromkeys(ids or ()))
    _check_use(names, affected, invalidate, prune)
    with closing(trace_store()) as store:
        if prune:
            typer.echo(f"removed: {store.prune(_seconds(prune)):,} traces older than {prune}")
        elif invalidate:
            _invalidate(store, names, invalidate)
        elif affected:
            _affected(store, names, json)
        elif names:
            for name in names:
                _show(store, name, json)
        else:
            for known in store.latest():
                typer.echo(known)


def _check_use(names: list[str], affected: bool, invalidate: str, prune: str) -> None:
    if sum(map(bool, (affected, invalidate, prune))) > 1:
        raise typer.BadParameter("one of --affected, --invalidate and --prune at a time")
    if (affected or invalidate) and not names:
        raise typer.BadParameter("--affected and --invalidate need an id")
    if prune and names:
        raise typer.BadParameter("--prune is about every trace, not about one")


def _seconds(age: str) -> float:
    found = _AGE.fullmatch(age.strip())
    if found is None:
        raise InputError(f"no age: {age[:20]}", hint="a number with h, d or w, such as 30d")
    return int(found[1]) * _UNITS_S[found[2]]


def _show(store: TraceStore, name: str, json: bool) -> None:
    """A whole trace, or one artifact with what it came from and went into."""
    one = store.get(name)
    artifacts = [one] if one else store.trace(name)
    if not artifacts:
        raise _unknown(name)
    _verify(store, artifacts)
    if json:
        for artifact in artifacts:
            typer.echo(artifact.model_dump_json())
        return
    for line in trace_lines(artifacts, store.marks([artifact.artifact_id for artifact in artifacts])):
        typer.echo(line)
    if one:
        typer.echo(f"    made from: {', '.join(store.made_from(name)) or 'nothing'}")
        typer.echo(f"    went into: {', '.join(store.went_into(name)) or 'nothing'}")


def _verify(store: TraceStore, artifacts: list[Artifact]) -> None:
    own = {artifact.artifact_id for artifact in artifacts}
    others = {parent for artifact in artifacts for parent in artifact.parents} - own
    known = own | (store.known(others) if others else set())
    for artifact in artifacts:
        verify(artifact, known.__contains__)


def _affected(store: TraceStore, names: list[str], json: bool) -> None:
    for answer in dict.fromkeys(answer for name in names for answer in store.affected_answers(_artifact(store, name))):
        made = store.get(answer)
        summary = made.summary if made else ""
        typer.echo(orjson.dumps({"artifact_id": answer, "summary": summary}).decode() if json else f"{answer}  {summary}")


def _invalidate(store: TraceStore, names: list[str], why: str) -> None:
    wrong = [_artifact(store, name) for name in names]
    answers = {answer for name in wrong for answer in store.affected_answers(name)}
    marked = store.invalidate(wrong, why)
    typer.echo(f"marked: {marked:,} artifacts, {len(answers):,} answers among what they went into")


def _artifact(store: TraceStore, name: str) -> str:
    """The artifact of that id; of a trace, the one that all others were made from."""
    if store.known([name]):
        return name
    artifacts = store.trace(name)
    if not artifacts:
        raise _unknown(name)
    return artifacts[0].artifact_id


def _unknown(name: str) -> InputError:
    return InputError(f"no trace has the id {name[:40]}", hint="melo trace lists the latest ids")
