"""Where the measured catalogs and their indexes lie, and when they have to be made again."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from pathlib import Path

from data.catalog.demo_files import demo_path
from data.catalog.synth import write_synthetic
from data.errors import InfrastructureError
from experiments.bench.child import spawn
from experiments.bench.job import NotMeasurableError
from experiments.bench.machine import code, content
from experiments.bench.targets import Catalog
from experiments.commands.progress import stages
from program.index.layout import FORMAT_VERSION

SYNTH_SEED = 0


@dataclass(frozen=True)
class Shelf:
    """A folder of catalogs and indexes.

    Attributes:
        tracks: size of the synthetic catalog.
    """

    folder: Path
    tracks: int

    def label(self, catalog: Catalog) -> str:
        """The catalog's name in file names and tables."""
        return "demo" if catalog == "demo" else f"synth-{self.tracks}"

    def source(self, catalog: Catalog) -> Path:
        """The catalog itself; the synthetic one is written at its first use, and again when its recipe has changed.

        Raises:
            NotMeasurableError: there is no demo catalog.
        """
        if catalog == "demo":
            if not any(demo_path().glob("tracks.*")):
                raise NotMeasurableError("the package holds no demo catalog")
            return demo_path()
        self._make_folder()
        path = self.folder / f"{self.label(catalog)}.jsonl"
        recipe = f"{self.tracks} {SYNTH_SEED} {code('data.catalog')}"
        if not (path.is_file() and _read(self._stamp(path)) == recipe):
            self._stamp(path).unlink(missing_ok=True)
            with stages("synthetic catalog") as shown:
                write_synthetic(path, self.tracks, SYNTH_SEED, lambda done: shown("writing", done, None))
            self._stamp(path).write_text(recipe)
        return path

    def content(self, catalog: Catalog) -> str:
        """Names what an index of the catalog is made from: the catalog, and the code that reads and indexes it."""
        made_by = f"{FORMAT_VERSION} {code('data', 'program.index')}"
        if catalog == "demo":
            return f"{content(sorted(self.source('demo').glob('*.csv')))} {made_by}"
        return f"{self.tracks} {SYNTH_SEED} {made_by}"

    def index(self, catalog: Catalog) -> Path:
        """Where the catalog's index lies or is to be built."""
        self._make_folder()
        return self.folder / f"{self.label(catalog)}.index"

    def built(self, catalog: Catalog) -> Path:
        """An index of the catalog as it is, built now when there is none."""
        path = self.index(catalog)
        if not ((path / "manifest.json").is_file() and _read(self._stamp(path)) == self.content(catalog)):
            self._stamp(path).unlink(missing_ok=True)
            spawn("experiments.bench.parts.build", {"source": str(self.source(catalog)), "out": str(path)})
            self.keep(catalog)
        return path

    def keep(self, catalog: Catalog) -> None:
        """Note that the index on the shelf is of the catalog as it is."""
        self._stamp(self.index(catalog)).write_text(self.content(catalog))

    def token(self) -> str:
        """Random, made once a folder: what was measured elsewhere and came with the repository does not stand in."""
        self._make_folder()
        path = self.folder / "shelf-id"
        if not path.is_file():
            path.write_text(uuid.uuid4().hex[:12])
        return path.read_text()

    @staticmethod
    def _stamp(path: Path) -> Path:
        return path.with_name(f"{path.name}.stamp")

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InfrastructureError(f"cannot make the folder {self.folder}: {error}") from error


def _read(path: Path) -> str:
    return path.read_text() if path.is_file() else ""
