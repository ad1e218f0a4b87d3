"""`melo promote`: a compiled program takes the place of the current one, if it is no worse on test."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from experiments.bundles import promoted_folder, served
from experiments.commands.bar import bar
from experiments.commands.experiment import Catalog, Json, Seed, command_line, setup_of
from experiments.commands.places import open_index
from experiments.commands.progress import say
from optimizers.limits import Limits
from program.bundle.files import Bundle

EXAMPLE = "Example:  melo promote optimized-labelled --lm embedded/smollm2-135m"


def promote(
    run: Annotated[
        str, typer.Argument(metavar="RUN|DIR", help="a folder that melo optimize wrote, the id of its run, or a bundle")
    ],
    lm: Annotated[str, typer.Option(help="the backbone, where the folder does not say it")] = "",
    name: Annotated[str, typer.Option("--set", help="entity, longtail, regular or all")] = "all",
    split: Annotated[str, typer.Option("--split", help="the judgement is on test; another split is a rehearsal")] = "test",
    catalog: Catalog = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Judge a program once on test against the current one; it is promoted if the paired 95 % interval excludes "worse".

    Refused, with the reason, when it may be worse or when the bundle, read back from disk, does not answer identically. The
    record is kept either way; a program that was judged is not judged again. A rehearsal promotes nothing. Exit code 1 when
    it is not promoted.
    """
    from experiments.exporting import bundle_of, current, place_of
    from experiments.labelled_run import rows_of
    from experiments.promotion.judge import judge
    from experiments.promotion.record import earlier, write_record

    with place_of(run) as folder:
        candidate = bundle_of(folder, lm, name="" if folder == Path(run) else run[:12])
    found = earlier(candidate, split)
    is_new = found is None
    if found is not None:
        say(f"melo: this program was judged on {found.judged} and is not judged again")
    else:
        now = current(served(candidate.settings.lm))
        with closing(open_index(catalog)) as index, bar("promote") as progress:
            setup = setup_of("", 1, candidate.settings, seed, False, Limits(), progress)
            judged = judge(candidate, now, rows_of(name, split), index, setup)
            found = write_record(candidate, now, judged, (name, split, index.info.content_hash), command_line())
    # An old record puts nothing in the place of what was promoted since.
    free = is_new or not promoted_folder(served(candidate.settings.lm)).exists()
    where = _place(candidate) if found.promoted and split == "test" and free else None
    if json:
        typer.echo(found.model_dump_json())
    else:
        passed = "promoted" if split == "test" else "good enough, but this was a rehearsal"
        verdict = passed if found.promoted else "refused"
        typer.echo(f"{candidate.name} for {found.lm}: {verdict}. {found.reason}")
        if where:
            typer.echo(f"melo ask uses it from now on: {where}")
    raise typer.Exit(0 if found.promoted else 1)


def _place(candidate: Bundle) -> Path:
    from program.bundle.files import save_bundle

    return save_bundle(promoted_folder(served(candidate.settings.lm)), candidate, force=True)
