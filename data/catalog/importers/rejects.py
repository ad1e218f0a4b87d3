"""Where rows that cannot be used go: counted by reason, and written to a file when there is one to write to."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from data.errors import InfrastructureError, RowError

_BUFFERED = 500
_SHOWN_CELLS, _SHOWN_CHARACTERS = 40, 200


class Rejects:
    """Collects the rejected rows of one import.

    Args:
        path: JSONL file with one object for each rejected row: `file`, `row` (1-based), `field` (empty when the whole
            row is at fault), `reason`, `data` (the row's cells as text, shortened). Made only when a row is rejected; a
            file of an earlier import is removed when the next one begins. None: count only.

    Attributes:
        counts: rejected rows by "field: reason", or by the reason alone when the whole row is at fault.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.counts: Counter[str] = Counter()
        self._lines: list[str] = []
        self._written = False

    @property
    def total(self) -> int:
        """How many rows were rejected."""
        return self.counts.total()

    def begin(self) -> None:
        """Forget earlier rows and remove an earlier import's file."""
        self.counts.clear()
        self._lines.clear()
        self._written = False
        if self.path is not None:
            try:
                self.path.unlink(missing_ok=True)
            except OSError as error:
                raise InfrastructureError(f"cannot replace the rejects file {self.path}: {error}") from error

    def add(self, error: RowError, *, file: str = "", values: Mapping[str, Any] | None = None) -> None:
        """Count one rejected row and keep it for the file."""
        self.counts[f"{error.field}: {error.message}" if error.field else error.message] += 1
        if self.path is None:
            return
        shown = list((values or {}).items())[:_SHOWN_CELLS]
        data = {str(name)[:_SHOWN_CHARACTERS]: str(value)[:_SHOWN_CHARACTERS] for name, value in shown}
        line = {"file": file, "row": error.row, "field": error.field, "reason": error.message, "data": data}
        self._lines.append(json.dumps(line, ensure_ascii=False))
        if len(self._lines) >= _BUFFERED:
            self.flush()

    def flush(self) -> None:
        """Write what is kept; the file is not held open between writes.

        Raises:
            InfrastructureError: the file cannot be written.
        """
        if not self._lines or self.path is None:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # bytes that were not UTF-8 arrive as lone surrogates; backslashreplace makes them valid JSON escapes
            with self.path.open("a" if self._written else "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write("\n".join(self._lines) + "\n")
        except OSError as error:
            raise InfrastructureError(f"cannot write the rejects file {self.path}: {error}") from error
        self._written = True
        self._lines.clear()

    def summary(self, reasons: int = 3) -> str:
        """One line: how many rows were rejected and the most frequent reasons."""
        top = ", ".join(f"{reason} ({count})" for reason, count in self.counts.most_common(reasons))
        return f"{self.total} rows rejected: {top}" if top else "no row rejected"
