"""Parquet files and saved Hugging Face data sets, read batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from data.catalog.importers.columns import ARTISTS, TRACKS
from data.catalog.importers.streams import Part, RecordKind, SourceRow, reading
from data.errors import CatalogError, RowError

_BATCH_ROWS = 4096


def _known(names: Iterable[str], kind: RecordKind) -> list[str]:
    columns = ARTISTS if kind == "artist" else TRACKS
    return [name for name in names if columns.knows(name)]


def _batch_rows(batch: Any, first: int) -> Iterator[SourceRow]:
    """The rows of one batch; where one cell cannot be read, each row is tried alone."""
    try:
        yield from enumerate(batch.to_pylist(), first)
        return
    except (UnicodeDecodeError, pa.ArrowException, OverflowError):
        pass
    for offset in range(batch.num_rows):
        number = first + offset
        try:
            yield number, batch.slice(offset, 1).to_pylist()[0]
        except UnicodeDecodeError:
            yield number, RowError("not UTF-8", row=number)
        except (pa.ArrowException, OverflowError):
            yield number, RowError("a cell that cannot be read", row=number)


def rows(path: Path, kind: RecordKind = "track") -> Iterator[SourceRow]:
    """The rows of one Parquet file; columns that no field needs are not read.

    Raises:
        CatalogError: the file is not Parquet or is damaged.
    """
    number = 1
    with reading(path):
        try:
            with pq.ParquetFile(path) as file:
                names = _known(file.schema_arrow.names, kind)
                for batch in file.iter_batches(batch_size=_BATCH_ROWS, columns=names):
                    yield from _batch_rows(batch, number)
                    number += batch.num_rows
        except pa.ArrowException as error:
            raise CatalogError(f"cannot read {path}: {error}") from error


def parts(path: Path, kind: RecordKind = "track") -> list[Part]:
    """One pass."""
    return [Part(path.name, kind, lambda: rows(path, kind))]


def _dataset_rows(dataset: Any) -> Iterator[SourceRow]:
    number = 1
    for table in dataset.with_format("arrow").iter(batch_size=_BATCH_ROWS):
        yield from _batch_rows(table, number)
        number += table.num_rows


def dataset_parts(folder: Path) -> list[Part]:
    """One pass for each split of a folder that `Dataset.save_to_disk` made; a split called `artists` comes first.

    Raises:
        CatalogError: the folder is not a saved data set.
    """
    from datasets import DatasetDict, load_from_disk  # takes seconds to import: only when asked for

    with reading(folder):
        try:
            loaded = load_from_disk(str(folder))
        except (ValueError, KeyError, TypeError, pa.ArrowException) as error:
            raise CatalogError(f"cannot read {folder}: {error}") from error
    splits = dict(loaded) if isinstance(loaded, DatasetDict) else {folder.name: loaded}
    return [_split_part(name, splits[name]) for name in sorted(splits, key=lambda name: name != "artists")]


def _split_part(name: str, dataset: Any) -> Part:
    kind: RecordKind = "artist" if name == "artists" else "track"
    narrowed = dataset.select_columns(_known(dataset.column_names, kind))
    return Part(name, kind, lambda: _dataset_rows(narrowed))
