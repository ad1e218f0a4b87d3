"""A maintainer's tool: merges the hand-compiled parts into `demo/artists.csv` and `demo/tracks.csv`.

`python -m data.catalog.demo_files PARTS_DIR OUT_DIR` reads `artists_*.csv` and `tracks_*.csv`, prints what it finds
with file and row, writes the usable rows sorted by id, and exits 1 when a row was unusable.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import get_args

from anyascii import anyascii

from data.catalog.importers import csv_file
from data.catalog.importers.places import Places
from data.catalog.importers.streams import RecordKind
from data.catalog.importers.values import clean
from data.catalog.schema import VersionKind, Vocal
from data.errors import CatalogError, InfrastructureError, MeloError, RowError
from data.names import name_key
from data.vocab.loader import Vocabulary, load_vocabularies

_ARTIST_HEADER = "artist_id,name,aliases,former_names,transliterations,region,language,genres,vocal,popularity"
_TRACK_HEADER = (
    "artist_ids,title,album,year,genres,moods,activities,instruments,region,language,vocal,bpm,duration_s,popularity,"
    "version,aliases"
)
ARTIST_COLUMNS, TRACK_COLUMNS = tuple(_ARTIST_HEADER.split(",")), tuple(_TRACK_HEADER.split(","))
FIRST_YEAR, LAST_YEAR, LOWEST_TIER, HIGHEST_TIER = 1600, 2026, 1, 5
_MAX_SLUG, _MAX_GENRES = 80, 4
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")

Check = Callable[[str], str | None]
Row = dict[str, str]


def demo_path() -> Path:
    """The folder of the packaged demo catalog."""
    return Path(str(resources.files("data.catalog") / "demo"))


@dataclass(frozen=True)
class Finding:
    """Something about one row; `fatal` when the row cannot be used."""

    file: str
    row: int
    reason: str
    fatal: bool = True

    def __str__(self) -> str:
        """One line for a person."""
        return f"{self.file}:{self.row}: {'' if self.fatal else 'note: '}{self.reason}"


@dataclass
class Merged:
    """Rows by id, and everything worth telling about the parts."""

    artists: dict[str, Row] = field(default_factory=dict)
    tracks: dict[str, Row] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def unusable(self) -> int:
        """How many rows could not be used."""
        return sum(finding.fatal for finding in self.findings)


def slug(text: str) -> str:
    """`text` as lower-case ASCII words joined by hyphens; "x" when it holds no letter or digit."""
    return _NOT_SLUG.sub("-", anyascii(text).casefold()).strip("-")[:_MAX_SLUG].strip("-") or "x"


def _whole(low: int, high: int) -> Check:
    return lambda cell: None if cell.isdecimal() and low <= int(cell) <= high else f"not within {low}..{high}"


def _one_of(words: Sequence[str]) -> Check:
    return lambda cell: None if cell in words else f"not one of {' '.join(words)}"


def _ids(vocabulary: Vocabulary) -> Check:
    def check(cell: str) -> str | None:
        unknown = [word for word in cell.split("|") if word not in vocabulary]
        return f"not in the {vocabulary.facet} vocabulary ({' '.join(unknown)})" if unknown else None

    return check


def cell_checks(vocabularies: Mapping[str, Vocabulary]) -> dict[str, Check]:
    """For each column with closed content, what is wrong with a non-empty cell (None: nothing)."""
    places = Places(vocabularies["region"], vocabularies["language"])
    return {
        "artist_id": lambda cell: None if _SLUG.fullmatch(cell) else "not a slug",
        "region": lambda cell: None if places.region(cell) == cell else "not an ISO 3166-1 alpha-2 code",
        "language": lambda cell: None if places.language(cell) == cell else "not an ISO 639 code",
        "genres": _ids(vocabularies["genre"]),
        "moods": _ids(vocabularies["mood"]),
        "activities": _ids(vocabularies["activity"]),
        "instruments": _ids(vocabularies["instrument"]),
        "vocal": _one_of(get_args(Vocal)),
        "version": _one_of(get_args(VersionKind)),
        "year": _whole(FIRST_YEAR, LAST_YEAR),
        "bpm": _whole(20, 400),
        "duration_s": _whole(1, 36_000),
        "popularity": _whole(LOWEST_TIER, HIGHEST_TIER),
    }


class PartsReader:
    """Reads part files row by row and keeps what is wrong with them."""

    def __init__(self, checks: Mapping[str, Check], findings: list[Finding]) -> None:
        self._checks = checks
        self.findings = findings

    def rows(self, path: Path, kind: RecordKind) -> Iterator[tuple[int, Row]]:
        """The usable rows of one file with their numbers, every column present, every cell clean."""
        columns = ARTIST_COLUMNS if kind == "artist" else TRACK_COLUMNS
        named = "name" if kind == "artist" else "title"
        try:
            for number, cells in csv_file.rows(path, kind):
                if isinstance(cells, RowError):
                    self.findings.append(Finding(path.name, number, cells.message))
                elif set(cells) != set(columns):
                    odd = " ".join(sorted(set(cells) ^ set(columns)))
                    self.findings.append(Finding(path.name, number, f"columns missing or not expected: {odd}"))
                else:
                    row = {column: "|".join(filter(None, map(clean, cells[column].split("|")))) for column in columns}
                    row[named] = clean(cells[named])
                    wrong = list(self._wrong(row, (columns[0], named)))
                    self.findings += [Finding(path.name, number, reason) for reason in wrong]
                    if not wrong:
                        yield number, row
        except CatalogError as error:
            self.findings.append(Finding(path.name, 1, error.one_line()))

    def _wrong(self, row: Row, required: Sequence[str]) -> Iterator[str]:
        for column, cell in row.items():
            if not cell and column in required:
                yield f"{column}: missing"
            if cell and column in self._checks and (reason := self._checks[column](cell)):
                yield f"{column}: {cell} is {reason}"


class PartsMerger:
    """Puts parts together, one after the other; the first row about an artist or track is the one that stays."""

    def __init__(self, vocabularies: Mapping[str, Vocabulary]) -> None:
        self.merged = Merged()
        self._reader = PartsReader(cell_checks(vocabularies), self.merged.findings)
        self._by_name: dict[tuple[str, str], str] = {}
        self._by_key: dict[str, str] = {}
        self._titles: set[tuple[str, str]] = set()
        self._used: set[str] = set()
        self._source: dict[str, tuple[str, int]] = {}

    def _tell(self, file: str, row: int, reason: str, *, fatal: bool = False) -> None:
        self.merged.findings.append(Finding(file, row, reason, fatal))

    def artists(self, path: Path) -> dict[str, str]:
        """Take in an artists file; returns the part's artist ids, each with the id it has in the merged catalog."""
        id_of: dict[str, str] = {}
        for number, row in self._reader.rows(path, "artist"):
            if row["artist_id"] in id_of:
                self._tell(path.name, number, f"artist_id: {row['artist_id']} is used twice in this file", fatal=True)
            else:
                id_of[row["artist_id"]] = self._artist(path.name, number, row)
        return id_of

    def _artist(self, file: str, number: int, row: Row) -> str:
        key = name_key(row["name"])
        same = self._by_name.get((key, row["region"]))
        if same is not None:
            self._unite(file, number, self.merged.artists[same], row)
            return same
        artist_id = row["artist_id"]
        if artist_id in self.merged.artists:
            artist_id = self._free(artist_id, (row["region"].casefold(),), self.merged.artists)
            self._tell(file, number, f"{row['artist_id']} is taken by another artist: kept as {artist_id}")
        elif key in self._by_key:
            self._tell(file, number, f"{row['name']} is also the name of {self._by_key[key]}: both kept")
        self.merged.artists[artist_id] = {**row, "artist_id": artist_id}
        self._by_name[key, row["region"]] = artist_id
        self._source[artist_id] = file, number
        for name in (row["name"], *row["aliases"].split("|")):
            self._by_key.setdefault(name_key(name), artist_id)
        return artist_id

    def _unite(self, file: str, number: int, kept: Row, other: Row) -> None:
        """Fill `kept` from another row about the same artist."""
        for column in ("aliases", "former_names", "transliterations", "genres"):
            words = list(dict.fromkeys(filter(None, [*kept[column].split("|"), *other[column].split("|")])))
            kept[column] = "|".join(words[:_MAX_GENRES] if column == "genres" else words)
        for column in ("language", "vocal"):
            if kept[column] and other[column] and kept[column] != other[column]:
                self._tell(file, number, f"{kept['artist_id']}: {column} {other[column]}, elsewhere {kept[column]}")
            kept[column] = kept[column] or other[column]
        kept["popularity"] = max(kept["popularity"], other["popularity"])

    def tracks(self, path: Path, id_of: Mapping[str, str]) -> None:
        """Take in a tracks file whose artist ids mean what `id_of` says, or an artist of an earlier part."""
        for number, row in self._reader.rows(path, "track"):
            ids = [id_of.get(one, one) for one in row["artist_ids"].split("|")]
            if unknown := [one for one in ids if one not in self.merged.artists]:
                self._tell(path.name, number, f"artist_ids: no such artist: {' '.join(unknown)}", fatal=True)
                continue
            self._used.update(ids)
            if (ids[0], row["title"]) in self._titles:
                self._tell(path.name, number, f"{ids[0]}: {row['title']} is there already: dropped")
                continue
            self._titles.add((ids[0], row["title"]))
            track_id = self._free(f"{ids[0]}--{slug(row['title'])}", (row["version"], row["year"]), self.merged.tracks)
            self.merged.tracks[track_id] = {"track_id": track_id, **row, "artist_ids": "|".join(dict.fromkeys(ids))}

    @staticmethod
    def _free(wanted: str, endings: Sequence[str], taken: Mapping[str, Row]) -> str:
        """`wanted`, or it with the first ending (then number) that makes it new."""
        tries = [wanted, *(f"{wanted}-{ending}" for ending in endings if ending)]
        tries += [f"{wanted}-{number}" for number in range(2, len(taken) + 3)]
        return next(one for one in tries if one not in taken)

    def close(self) -> Merged:
        """The merged catalog, after a note about every artist without a track."""
        for artist_id in self.merged.artists.keys() - self._used:
            self._tell(*self._source[artist_id], f"{artist_id} has no track")
        return self.merged


def merge_parts(folder: Path, vocabularies: Mapping[str, Vocabulary] | None = None) -> Merged:
    """Merge `artists_X.csv` and `tracks_X.csv` for every X, in the order of their names.

    Raises:
        CatalogError: the folder holds no part.
    """
    files = [*folder.glob("artists_*.csv"), *folder.glob("tracks_*.csv")]
    names = sorted({path.stem.partition("_")[2] for path in files})
    if not names:
        raise CatalogError(f"no artists_*.csv and tracks_*.csv in {folder}")
    merger = PartsMerger(vocabularies or load_vocabularies())
    id_of = {name: merger.artists(folder / f"artists_{name}.csv") for name in names}
    for name in names:
        merger.tracks(folder / f"tracks_{name}.csv", id_of[name])
    return merger.close()


def write_demo(merged: Merged, folder: Path) -> None:
    """Write `artists.csv` and `tracks.csv`, sorted by id.

    Raises:
        InfrastructureError: a file cannot be written.
    """
    files = (("artists", ARTIST_COLUMNS, merged.artists), ("tracks", ("track_id", *TRACK_COLUMNS), merged.tracks))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, columns, rows in files:
            with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, columns, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows[row_id] for row_id in sorted(rows))
    except OSError as error:
        raise InfrastructureError(f"cannot write {folder}: {error}") from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m data.catalog.demo_files", description="Merge demo catalog parts.")
    parser.add_argument("parts", type=Path, metavar="PARTS_DIR")
    parser.add_argument("out", type=Path, metavar="OUT_DIR")
    options = parser.parse_args(arguments)
    try:
        merged = merge_parts(options.parts)
        write_demo(merged, options.out)
    except MeloError as error:
        sys.stderr.write(f"{error.one_line()}\n")
        return error.exit_code
    for finding in sorted(merged.findings, key=lambda one: (one.file, one.row, one.reason)):
        sys.stdout.write(f"{finding}\n")
    sys.stdout.write(f"{len(merged.artists)} artists, {len(merged.tracks)} tracks, {merged.unusable} problems\n")
    return 1 if merged.unusable else 0


if __name__ == "__main__":
    sys.exit(main())
