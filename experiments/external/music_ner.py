"""Real music requests with Artist and WoA (work of art) spans, and the automatic wiki links of their mentions.

Source: github.com/deezer/music-ner-eacl2023 (MIT): `dataset1` to `dataset3`, each with `ground-truth.bio` (token, tab, tag; a
blank line ends a request) and `ground-truth_linked.csv`. The text of a request is its tokens joined by single spaces;
`queries.csv` does not always hold the same text and is not read. The links are noisy and no gold for linking.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from data.errors import LabelError
from experiments.external.rows import GoldSpan, LabelledRequest, Row, bad_line, folder_of, read_text

SPLITS = ("dataset1", "dataset2", "dataset3")
NameType = Literal["Artist", "WoA"]
TYPES: tuple[NameType, ...] = ("Artist", "WoA")

_TAGS = frozenset({"O", *(f"{part}-{kind}" for part in "BI" for kind in TYPES)})
_COLUMNS = ("mention", "type", "query", "wiki_link", "wikidata_type", "wiki_name", "exposure")
_Token = tuple[str, str]


class LinkedName(Row):
    """One row of the links.

    Attributes:
        wiki_name: the linked page's name as written, empty without a link. wikidata_type: what kind of thing it is.
        exposure: a popularity signal of the page, 0 when unknown.
    """

    type: NameType
    wiki_name: str
    wikidata_type: str
    exposure: float


def files(data: Path) -> list[Path]:
    """The files of the links, that a catalog is made from."""
    folder = folder_of(data, "music_ner", SPLITS[0])
    return [folder / split / "ground-truth_linked.csv" for split in SPLITS]


def requests(data: Path, split: str) -> list[LabelledRequest]:
    """The requests of one split, in the order of its file.

    Raises:
        LabelError: the file is missing, or a line is malformed; names file and line.
    """
    path = folder_of(data, "music_ner", SPLITS[0]) / split / "ground-truth.bio"
    found = [_request(split, index, tokens) for index, tokens in enumerate(_blocks(path))]
    if not found:
        raise LabelError(f"no request in {path}")
    return found


def links(data: Path) -> list[LinkedName]:
    """The links of all three splits.

    Raises:
        LabelError: a file is missing, or a row is malformed; names file and line.
    """
    return [link for path in files(data) for link in _links(path)]


def _blocks(path: Path) -> Iterator[list[_Token]]:
    block: list[_Token] = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip():
            if block:
                yield block
            block = []
            continue
        token, separator, tag = line.rpartition("\t")
        if not separator or not token.strip() or tag not in _TAGS:
            raise bad_line(path, number, "expected a token, a tab and one of O, B-Artist, I-Artist, B-WoA, I-WoA")
        if tag[0] == "I" and (not block or block[-1][1][1:] != tag[1:]):
            raise bad_line(path, number, f"{tag} does not continue a span")
        block.append((token.strip(), tag))
    if block:
        yield block


def _request(split: str, index: int, tokens: Sequence[_Token]) -> LabelledRequest:
    text, spans, position = " ".join(token for token, _ in tokens), list[tuple[int, int, str]](), 0
    for token, tag in tokens:
        end = position + len(token)
        if tag[0] == "B":
            spans.append((position, end, tag[2:]))
        elif tag[0] == "I":
            spans[-1] = (spans[-1][0], end, tag[2:])
        position = end + 1
    gold = tuple(GoldSpan(text=text[start:end], type=kind, start=start, end=end) for start, end, kind in spans)
    return LabelledRequest(split=split, index=index, text=text, gold=gold)


def _links(path: Path) -> Iterator[LinkedName]:
    rows = csv.DictReader(io.StringIO(read_text(path), newline=""))
    if tuple(rows.fieldnames or ()) != _COLUMNS:
        raise bad_line(path, 1, f"expected the columns {', '.join(_COLUMNS)}")
    for row in rows:
        if None in row or None in row.values():
            raise bad_line(path, rows.line_num, f"expected {len(_COLUMNS)} cells")
        kind = row["type"]
        if kind not in TYPES:
            raise bad_line(path, rows.line_num, f"the type is {kind}, not Artist or WoA")
        name, about = row["wiki_name"].strip(), row["wikidata_type"].strip()
        yield LinkedName(type=kind, wiki_name=name, wikidata_type=about, exposure=_exposure(path, rows.line_num, row["exposure"]))


def _exposure(path: Path, line: int, cell: str) -> float:
    try:
        value = float(cell or 0)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise bad_line(path, line, f"the exposure is {cell}, not a number from 0 on")
    return value
