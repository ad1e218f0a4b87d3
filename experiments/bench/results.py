"""The result files: one JSON object a part and catalog, and when an old one still stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import orjson

from data.errors import InfrastructureError
from experiments.bench.job import Measured
from experiments.bench.targets import Catalog, Verdict, verdicts


@dataclass(frozen=True)
class Result:
    """What became of one part on one catalog.

    Attributes:
        what: part, catalog and size; its file is bench-<what>.json.
        state: measured now, kept from an earlier run, skipped, or failed.
        reason: why it was skipped or failed; when it was measured if it was kept.
    """

    what: str
    part: str
    catalog: Catalog
    state: Literal["measured", "kept", "skipped", "failed"]
    reason: str = ""
    measured: Measured | None = None

    def verdicts(self) -> dict[str, list[Verdict]]:
        """The targets of each figure, by its name; figures without a target are left out."""
        if self.measured is None:
            return {}
        tracks = int(self.measured.catalog["tracks"])
        judged = {figure.name: verdicts(figure, self.catalog, tracks) for figure in self.measured.figures}
        return {name: found for name, found in judged.items() if found}


@dataclass(frozen=True)
class ResultFiles:
    """The folder that the results lie in."""

    folder: Path

    def path(self, what: str) -> Path:
        """The file of one result."""
        return self.folder / f"bench-{what}.json"

    def write(self, result: Result, about: Mapping[str, Any]) -> None:
        """Keep a result with what it was measured on.

        Raises:
            InfrastructureError: the file cannot be written.
        """
        assert result.measured is not None
        judged = {
            name: [{**asdict(one.target), "value": one.value, "met": one.met, "at_scale": one.at_scale} for one in found]
            for name, found in result.verdicts().items()
        }
        data = {"what": result.what, **about, **asdict(result.measured), "targets": judged}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            whole = self.path(result.what).with_suffix(".part")
            whole.write_bytes(orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
            whole.replace(self.path(result.what))
        except OSError as error:
            raise InfrastructureError(f"cannot write {self.path(result.what)}: {error}") from error

    def kept(self, what: str, key: Mapping[str, Any]) -> tuple[str, Measured] | None:
        """When and what was measured under the same `key`; None when there is no such result, or it is damaged."""
        try:
            data = orjson.loads(self.path(what).read_bytes())
            return (str(data["date"]), Measured.read(data)) if data["key"] == dict(key) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None
