"""A catalog index in which corrected words mean what people said they mean; everything else is the index's own."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, cast

from data.names import name_key
from data.surface import surface_code
from data.trust import Correction
from program.index.protocol import CatalogIndex, NameHits, Posting
from program.trust.review.checked import posting_of


class CorrectedIndex:
    """Answers a look-up of corrected words with their entity alone, and hands everything else on.

    Args:
        hits: name key → what it means.

    Attributes:
        corrections: a hash of what was corrected, first 16 hex digits.
    """

    def __init__(self, index: CatalogIndex, hits: Mapping[str, NameHits]) -> None:
        self._index, self._hits = index, hits
        told = repr(sorted((key, one.postings[0].entity_type, one.postings[0].row) for key, one in hits.items()))
        self.corrections = hashlib.sha256(told.encode()).hexdigest()[:16]

    def lookup(self, keys: Sequence[str]) -> dict[str, NameHits]:
        """See `CatalogIndex`."""
        found = self._index.lookup(keys)
        found.update({key: self._hits[key] for key in keys if key in self._hits})
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)


def corrected(index: CatalogIndex, corrections: Sequence[Correction]) -> CatalogIndex:
    """The index under the corrections; the same object where none is of this catalog.

    A correction whose entity the catalog no longer holds is left aside, not lost.
    """
    hits: dict[str, NameHits] = {}
    for one in corrections:
        posting = posting_of(one.entity_id, one.entity_type, one.name, index)
        key = name_key(one.surface)
        if posting is not None and key not in hits:
            meant = Posting(posting.entity_type, posting.row, "alias", 1.0, surface_code(one.surface))
            hits[key] = NameHits(key, (meant,), 1)
    return cast(CatalogIndex, CorrectedIndex(index, hits)) if hits else index
