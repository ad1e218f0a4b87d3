"""Runs code in a process of its own, so that one part neither warms nor loads the next.

`python -m experiments.bench.child MODULE JSON ANSWER_FILE` calls `MODULE.run(**JSON)` and writes what it returns as JSON.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import orjson

from data.errors import InfrastructureError, MeloError
from experiments.bench.job import NotMeasurableError
from program.lm.environment import private_defaults


def spawn(module: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The JSON object that `module.run(**arguments)` returns in a new process; its stderr is ours.

    Raises:
        NotMeasurableError: it said that it cannot measure here.
        InfrastructureError: it failed or died.
    """
    with tempfile.TemporaryDirectory(prefix="melo-bench-") as folder:
        answer = Path(folder) / "answer.json"
        command = [sys.executable, "-m", "experiments.bench.child", module, orjson.dumps(arguments).decode(), str(answer)]
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
        if not answer.is_file():
            raise InfrastructureError(f"the measuring process ended with exit code {ended.returncode} and no answer")
        reply: dict[str, Any] = orjson.loads(answer.read_bytes())
    if "skipped" in reply:
        raise NotMeasurableError(reply["skipped"])
    if "failed" in reply:
        raise InfrastructureError(reply["failed"])
    return reply


def answer_of(module: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What `module.run` returns, or why it does not, as `spawn` reads it."""
    try:
        reply: dict[str, Any] = importlib.import_module(module).run(**arguments)
    except NotMeasurableError as error:
        return {"skipped": error.one_line()}
    except MeloError as error:
        return {"failed": error.one_line()}
    return reply


def main() -> None:
    """Entry point of the measuring process."""
    _, module, arguments, answer = sys.argv
    private_defaults()
    try:
        reply = answer_of(module, orjson.loads(arguments))
    except KeyboardInterrupt:
        sys.exit(130)
    Path(answer).write_bytes(orjson.dumps(reply))


if __name__ == "__main__":
    main()
