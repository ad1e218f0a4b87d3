"""Reads a catalog source of any known format as a stream of checked records, artists before tracks.

Bad rows are collected as rejects; only a source that cannot be read, or that holds no usable track, is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from data.catalog.importers import cpcd, csv_file, jsonl, parquet
from data.catalog.importers.rejects import Rejects
from data.catalog.importers.rows import RowMapper
from data.catalog.importers.streams import Part, RecordKind
from data.catalog.schema import Artist, Track
from data.errors import CatalogError, RowError
from data.vocab.loader import Vocabulary, load_vocabularies

__all__ = ["FORMATS", "Rejects", "detect_format", "read_catalog"]

FORMATS = ("csv", "jsonl", "parquet", "datasets", "cpcd")
_SUFFIXES = {
    "csv": (".csv", ".tsv", ".csv.gz", ".tsv.gz"),
    "jsonl": (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"),
    "parquet": (".parquet",),
}
_PROGRESS_ROWS = 5_000
_KNOWN = "a .csv, .jsonl or .parquet file (.gz too), a folder with artists.csv and tracks.csv, or a saved data set"


def read_catalog(
    source: Path,
    *,
    format: str | None = None,
    rejects: Rejects,
    on_progress: Callable[[int], None] | None = None,
    vocabularies: Mapping[str, Vocabulary] | None = None,
) -> Iterator[Artist | Track]:
    """Stream the records of a source: every artist, then every track, each in the order of its file.

    Args:
        source: a file or folder; it is read while the result is consumed, JSON Lines twice.
        format: one of `FORMATS`; None: told by names and, for CPCD, by the first row.
        rejects: takes the rows that cannot be used; it starts empty, and is complete when the result is used up.
        on_progress: is called with the number of rows read so far, now and then and at the end.
        vocabularies: by facet name; None: the project's own.

    Raises:
        CatalogError: at once when the source or format is unknown; while reading when the source breaks off; at the end
            when not one track was usable.
    """
    parts = _parts(source, format or detect_format(source))
    if rejects.path is not None and source.is_file() and rejects.path.exists() and rejects.path.samefile(source):
        raise CatalogError("the rejects file is the catalog itself", hint="give another path for the rejects")
    rejects.begin()
    return _records(parts, RowMapper(vocabularies or load_vocabularies()), rejects, on_progress or _ignore)


def _ignore(rows: int) -> None:
    """No progress wanted."""


def _records(
    parts: list[Part], mapper: RowMapper, rejects: Rejects, on_progress: Callable[[int], None]
) -> Iterator[Artist | Track]:
    read = tracks = 0
    try:
        for part in parts:
            to_record = mapper.artist if part.kind == "artist" else mapper.track
            for number, values in part.rows():
                read += 1
                if read % _PROGRESS_ROWS == 0:
                    on_progress(read)
                if isinstance(values, RowError):
                    rejects.add(values, file=part.name)
                    continue
                try:
                    record = to_record(values, number)
                except RowError as error:
                    rejects.add(error, file=part.name, values=values)
                    continue
                tracks += part.kind == "track"
                yield record
    finally:
        rejects.flush()
    on_progress(read)
    if not tracks:
        raise CatalogError(f"no usable track in {parts[-1].name}: {rejects.summary()}")


def detect_format(source: Path) -> str:
    """The format of a source, one of `FORMATS`.

    Raises:
        CatalogError: there is no such path, or its format is none that is known.
    """
    if not source.exists():
        raise CatalogError(f"no such file or folder: {source}")
    if source.is_dir():
        if (source / "dataset_dict.json").is_file() or (source / "state.json").is_file():
            return "datasets"
        for format in ("csv", "jsonl", "parquet"):
            if (tracks := _named(source, "tracks", format)) is not None:
                return _cpcd_or(format, tracks)
        if next(source.rglob("*.parquet"), None) is not None:
            return "parquet"
    for format, suffixes in _SUFFIXES.items():
        if source.is_file() and source.name.casefold().endswith(suffixes):
            return _cpcd_or(format, source)
    raise CatalogError(f"not a catalog: {source}", hint=f"expected {_KNOWN}")


def _cpcd_or(format: str, path: Path) -> str:
    return "cpcd" if format == "jsonl" and cpcd.is_cpcd(jsonl.first_row(path)) else format


def _named(folder: Path, stem: str, format: str) -> Path | None:
    """`folder`'s file of this stem and format, or None."""
    paths = (folder / f"{stem}{suffix}" for suffix in _SUFFIXES[format])
    return next((path for path in paths if path.is_file()), None)


def _parts(source: Path, format: str) -> list[Part]:
    if format not in FORMATS:
        raise CatalogError(f"unknown catalog format: {format}", hint=f"one of {', '.join(FORMATS)}")
    if not source.exists():
        raise CatalogError(f"no such file or folder: {source}")
    if format == "datasets":
        return parquet.dataset_parts(source)
    if not source.is_dir():
        return _file_parts(source, format, "track")
    file_format = "jsonl" if format == "cpcd" else format
    tracks, artists = _named(source, "tracks", file_format), _named(source, "artists", file_format)
    if tracks is not None:
        artist_parts = _file_parts(artists, format, "artist") if artists is not None and format != "cpcd" else []
        return artist_parts + _file_parts(tracks, format, "track")
    files = sorted(source.rglob("*.parquet")) if format == "parquet" else []
    if not files:
        raise CatalogError(f"no tracks in {source}", hint=f"expected {_KNOWN}")
    of_artists = [path for path in files if path.stem.startswith("artists")]
    of_tracks = [path for path in files if path not in of_artists]
    artist_parts = [part for path in of_artists for part in parquet.parts(path, "artist")]
    return artist_parts + [part for path in of_tracks for part in parquet.parts(path)]


def _file_parts(path: Path, format: str, kind: RecordKind) -> list[Part]:
    if format == "csv":
        return csv_file.parts(path, kind)
    if format == "parquet":
        return parquet.parts(path, kind)
    if format == "cpcd":
        return cpcd.parts(path)
    if kind == "artist":
        return [Part(path.name, "artist", lambda: jsonl.rows(path))]
    return jsonl.parts(path)
