"""Name keys → postings, collected in memory during a build and written as the names index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import orjson
import tantivy

from data.contracts import EntityType
from data.names import key_variants
from data.surface import surface_code
from program.index.layout import name_schema
from program.index.protocol import NameHits, Posting, PostingKind
from program.index.ranks import Numbers

TYPES: tuple[EntityType, ...] = ("artist", "track", "album")
KINDS: tuple[PostingKind, ...] = ("exact", "alias", "normalised", "transliterated")
PER_KEY: dict[EntityType, int] = {"artist": 8, "track": 16, "album": 8}
"""How many postings of a type a key keeps, the most popular first; the total is kept beside them."""
_ROW_BITS, _KIND_BITS, _TYPE_BITS = 40, 3, 2
_TYPE_SHIFT = _ROW_BITS + _KIND_BITS
_CODE_SHIFT = _TYPE_SHIFT + _TYPE_BITS
_ROW_MASK, _KIND_MASK, _TYPE_MASK = (1 << _ROW_BITS) - 1, (1 << _KIND_BITS) - 1, (1 << _TYPE_BITS) - 1
_KIND_CODES = {kind: number << _ROW_BITS for number, kind in enumerate(KINDS)}
_OTHER_WRITINGS = 4
"""How many more postings a key keeps for writings that its most popular postings do not have ("MEG" among many Megs)."""


class NameCollector:
    """Collects the keys of every entity; one integer a posting."""

    def __init__(self) -> None:
        self._postings: dict[str, list[int]] = defaultdict(list)
        self._by_name: dict[str, list[int]] = defaultdict(list)

    def add(self, entity_type: EntityType, row: int, name: str) -> None:
        """Add an entity of one name; names that are shared, as titles are, are put into keys once."""
        self._by_name[name].append(TYPES.index(entity_type) << _TYPE_SHIFT | row)

    def add_all(self, entity_type: EntityType, row: int, name: str, aliases: Iterable[str]) -> Iterable[str]:
        """Add an entity with its other names, and return all of its keys; an alias never hides the entity's own name."""
        code = surface_code(name) << _CODE_SHIFT
        kinds: dict[str, int] = {key: code | _KIND_CODES[how] for key, how in key_variants(name).items()}
        for alias in aliases:
            code = surface_code(alias) << _CODE_SHIFT
            for key, how in key_variants(alias).items():
                kinds.setdefault(key, code | _KIND_CODES["transliterated" if how == "transliterated" else "alias"])
        entity = TYPES.index(entity_type) << _TYPE_SHIFT | row
        for key, kind in kinds.items():
            self._postings[key].append(kind | entity)
        return kinds

    def write(self, path: Path, popularity: dict[EntityType, Numbers]) -> int:
        """Write the index to the folder `path`; returns how many keys it holds."""
        path.mkdir()
        self._shared_names_into_keys()
        ranks = [[round(rank, 4) for rank in popularity[entity_type].tolist()] for entity_type in TYPES]
        schema = name_schema()
        index = tantivy.Index(schema, path=str(path))
        writer = index.writer(heap_size=256_000_000, num_threads=1)
        for key, codes in self._postings.items():
            document = tantivy.Document()
            document.add_text("key", key)
            document.add_bytes("postings", orjson.dumps([len(codes), _rows(codes, ranks)]))
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        return len(self._postings)

    def _shared_names_into_keys(self) -> None:
        for name, entities in self._by_name.items():
            code = surface_code(name) << _CODE_SHIFT
            for key, how in key_variants(name).items():
                kind = code | _KIND_CODES[how]
                self._postings[key].extend([kind | entity for entity in entities])
        self._by_name.clear()


def _rows(codes: Sequence[int], ranks: list[list[float]]) -> list[list[float]]:
    by_type: tuple[list[list[float]], ...] = ([], [], [])
    for packed in codes:
        number = packed >> _TYPE_SHIFT & _TYPE_MASK
        row = packed & _ROW_MASK
        by_type[number].append([number, packed >> _ROW_BITS & _KIND_MASK, row, ranks[number][row], packed >> _CODE_SHIFT])
    kept: list[list[float]] = []
    for entity_type, rows in zip(TYPES, by_type, strict=True):
        rows.sort(key=lambda item: (-item[3], item[1], item[2]))
        kept.extend(_most_popular(rows, PER_KEY[entity_type]))
    return kept


def _most_popular(rows: list[list[float]], count: int) -> list[list[float]]:
    """The first `count`, and the first of every writing that is not among them, within bounds."""
    if len(rows) <= count:
        return rows
    written = {row[4] for row in rows[:count]}
    others: dict[float, list[float]] = {}
    for row in rows[count:]:
        if row[4] not in written:
            others.setdefault(row[4], row)
    return rows[:count] + list(others.values())[:_OTHER_WRITINGS]


def decode(key: str, payload: bytes) -> NameHits:
    """The postings stored under `key`."""
    total, rows = orjson.loads(payload)
    postings = tuple(Posting(TYPES[kind], row, KINDS[match], rank, code) for kind, match, row, rank, code in rows)
    return NameHits(key, postings, total)
