"""Name keys → postings, collected in memory during a build and written as the names index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import orjson
import tantivy

from data.contracts import EntityType
from data.names import key_variants
from program.index.layout import name_schema
from program.index.protocol import NameHits, Posting, PostingKind
from program.index.ranks import Numbers

TYPES: tuple[EntityType, ...] = ("artist", "track", "album")
KINDS: tuple[PostingKind, ...] = ("exact", "alias", "normalised", "transliterated")
PER_KEY: dict[EntityType, int] = {"artist": 8, "track": 16, "album": 8}
"""How many postings of a type a key keeps, the most popular first; the total is kept beside them."""
_ROW_BITS = 40


class NameCollector:
    """Collects the keys of every entity; one small integer a posting."""

    def __init__(self) -> None:
        self._postings: dict[str, list[int]] = defaultdict(list)

    def add(self, entity_type: EntityType, row: int, name: str, aliases: Iterable[str] = ()) -> None:
        """Add all keys of one entity; an alias never hides the entity's own name."""
        kinds: dict[str, PostingKind] = dict(key_variants(name))
        for alias in aliases:
            for key, how in key_variants(alias).items():
                kinds.setdefault(key, "transliterated" if how == "transliterated" else "alias")
        base = TYPES.index(entity_type) << (_ROW_BITS + 3)
        for key, kind in kinds.items():
            self._postings[key].append(base | KINDS.index(kind) << _ROW_BITS | row)

    def write(self, path: Path, popularity: dict[EntityType, Numbers]) -> int:
        """Write the index to the folder `path`; returns how many keys it holds."""
        path.mkdir()
        schema = name_schema()
        index = tantivy.Index(schema, path=str(path))
        writer = index.writer(heap_size=256_000_000, num_threads=1)
        for key, codes in self._postings.items():
            document = tantivy.Document()
            document.add_text("key", key)
            document.add_bytes("postings", orjson.dumps(_rows(codes, popularity)))
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        return len(self._postings)


def _rows(codes: Sequence[int], popularity: dict[EntityType, Numbers]) -> list[int | list[list[float]]]:
    by_type: dict[EntityType, list[list[float]]] = {}
    for code in codes:
        entity_type = TYPES[code >> (_ROW_BITS + 3)]
        row = code & ((1 << _ROW_BITS) - 1)
        kind = (code >> _ROW_BITS) & 7
        rank = round(float(popularity[entity_type][row]), 4)
        by_type.setdefault(entity_type, []).append([TYPES.index(entity_type), kind, row, rank])
    kept: list[list[float]] = []
    for entity_type, rows in by_type.items():
        rows.sort(key=lambda item: (-item[3], item[1], item[2]))
        kept.extend(rows[: PER_KEY[entity_type]])
    return [len(codes), kept]


def decode(key: str, payload: bytes) -> NameHits:
    """The postings stored under `key`."""
    total, rows = orjson.loads(payload)
    postings = tuple(Posting(TYPES[kind], row, KINDS[match], rank) for kind, match, row, rank in rows)
    return NameHits(key, postings, total)
