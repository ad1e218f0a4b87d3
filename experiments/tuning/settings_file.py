"""Writes a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from data.errors import InfrastructureError


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        InfrastructureError: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        number, work = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        try:
            with os.fdopen(number, "w", encoding="utf-8") as file:
                file.write(text)
            Path(work).chmod(0o644)
            Path(work).replace(path)
        except BaseException:
            Path(work).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InfrastructureError(f"cannot write {path}: {error.strerror}") from error
