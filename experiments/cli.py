"""The command line `melo`. Results go to stdout, progress and errors to stderr.

Exit codes: 0 an answer of any status, 2 bad usage or a bad file, 1 a fault of ours or of what is around us.
"""

from __future__ import annotations

import logging
import os
import sys

import typer

from data.errors import MeloError
from experiments.commands import (
    ask,
    brain,
    catalog,
    compare,
    doctor,
    evaluate,
    experiment,
    export,
    optimize,
    promote,
    review,
    trace,
    tune,
    user,
)

app = typer.Typer(
    name="melo",
    help="Turns a sentence about music into a playlist from your own catalog.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("ask", epilog=ask.EXAMPLE)(ask.ask)
app.command("evaluate", epilog=evaluate.EXAMPLE)(evaluate.evaluate)
app.command("optimize", epilog=optimize.EXAMPLE)(optimize.optimize)
app.command("compare", epilog=compare.EXAMPLE)(compare.compare)
app.command("export", epilog=export.EXAMPLE)(export.export)
app.command("promote", epilog=promote.EXAMPLE)(promote.promote)
app.command("tune", epilog=tune.EXAMPLE)(tune.tune)
app.command("trace", epilog=trace.EXAMPLE)(trace.trace)
app.command("doctor", epilog=doctor.EXAMPLE)(doctor.doctor)
app.add_typer(catalog.app, name="catalog")
app.add_typer(brain.app, name="brain")
app.add_typer(user.app, name="user")
app.add_typer(review.app, name="review")
app.add_typer(experiment.app, name="experiment")


def main() -> None:
    """Run the command line; every error becomes one line and an exit code."""
    from program.lm.environment import private_defaults

    try:
        private_defaults()
        logging.getLogger("dspy").setLevel(logging.ERROR)
        sys.exit(app(prog_name="melo", standalone_mode=False) or 0)
    except MeloError as error:
        _fail(error.one_line(), error.exit_code)
    except typer.Exit as stop:
        sys.exit(stop.exit_code)
    except typer.TyperException as error:
        error.show()  # type: ignore[attr-defined]  # every error that typer raises while it parses has it
        sys.exit(error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        _fail("stopped", 130)
    except Exception as error:
        if os.environ.get("MELO_DEBUG"):
            raise
        _fail(f"internal error: {type(error).__name__}: {error} (MELO_DEBUG=1 shows where)", 1)


def _fail(message: str, code: int) -> None:
    print(f"melo: {message}", file=sys.stderr)  # noqa: T201 - the program's own voice on stderr
    sys.exit(code)


if __name__ == "__main__":
    main()
