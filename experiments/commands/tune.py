"""`melo tune`: the thresholds of grounding for a catalog."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import orjson
import typer

from data.errors import InputError
from program.settings import Settings

EXAMPLE = "Example:  melo tune --data DIR --rows tests/field --trials 60 --out tuned.toml"


def tune(
    data: Annotated[Path | None, typer.Option(help="the folder of music_ner: its datasets 1 and 2 are tuned on")] = None,
    rows: Annotated[Path | None, typer.Option(help="a folder of field rows, such as tests/field")] = None,
    catalog: Annotated[
        Path | None, typer.Option(help="read the requests of --data against this index, not the set's own")
    ] = None,
    settings: Annotated[Path | None, typer.Option(help="the settings to start from (TOML; default: Melo's own)")] = None,
    out: Annotated[Path, typer.Option(help="the settings file to write")] = Path("tuned.toml"),
    trials: Annotated[int, typer.Option(help="settings to try in all", min=1, max=10_000)] = 60,
    seconds: Annotated[float | None, typer.Option(help="start no trial after so many seconds", min=0)] = None,
    seed: Annotated[int, typer.Option(help="of the search, of what is held out and of the bootstrap", min=0)] = 0,
    weight: Annotated[
        list[str] | None,
        typer.Option(help="of names, shortcut or field; 0 leaves it out; may be given again", metavar="PART=NUMBER"),
    ] = None,
    test: Annotated[bool, typer.Option("--test", help="at the end, score dataset 3 once")] = False,
    force: Annotated[bool, typer.Option("--force", help="write over a file, and write what may be worse")] = False,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Search the popularity cut-offs, ambiguity margins and spelling bounds that fit a catalog, without a language model.

    A part of the examples is held out: what is found is written only if it is better there, with its whole 95 % interval.
    Trials are kept in MLflow. A call that was interrupted goes on when it is made again.
    """
    from experiments.tuning import report, session
    from experiments.tuning.material import Sources

    base = Settings.load(settings) if settings else Settings()
    sources = Sources(data, rows, catalog, dict(map(_weight, weight or [])), test)
    found = session.tune(session.Asked(sources, base, out, trials, seed, seconds, force))
    if json:
        typer.echo(orjson.dumps(found.model_dump(mode="json")).decode())
        return
    for line in report.table_lines(found):
        typer.echo(line)


def _weight(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    try:
        return name.strip(), float(number)
    except ValueError:
        raise InputError(f"not a weight: {text}", hint="such as names=1") from None
