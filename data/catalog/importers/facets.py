"""Facet words of a source, matched to vocabulary ids once a word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import cast, get_args

from data.catalog.importers.places import Places
from data.catalog.schema import VersionKind, Vocal
from data.names import name_key
from data.vocab.loader import Vocabulary

WORD_FIELDS = {"genres": "genre", "moods": "mood", "activities": "activity", "instruments": "instrument"}
"""Record field → the vocabulary its words belong to, in the order in which an unsorted word is tried."""

Sorted = dict[str, dict[str, None]]
"""Field name → vocabulary ids (or, under `tags`, words) in order of appearance."""

_SEPARATOR = re.compile(r"\s*[,;/]\s*")
_CACHED_WORDS = 200_000
_VOCALS: dict[str, Vocal] = {
    "f": "female", "woman": "female", "women": "female", "girl": "female", "female vocals": "female",
    "m": "male", "man": "male", "men": "male", "boy": "male", "male vocals": "male",
    "duet": "mixed", "both": "mixed", "none": "instrumental", "no vocals": "instrumental",
}  # fmt: skip
_VERSIONS: dict[str, VersionKind] = {
    "studio": "original", "remastered": "remaster", "rerecorded": "re-recording", "rerecording": "re-recording",
    "mix": "remix", "remixed": "remix", "unplugged": "acoustic",
}  # fmt: skip


class FacetWords:
    """Sorts facet words into a record's fields.

    Args:
        vocabularies: by facet name; a facet that is missing holds no word.
    """

    def __init__(self, vocabularies: Mapping[str, Vocabulary]) -> None:
        self._vocabularies = vocabularies
        self._places = Places(vocabularies.get("region"), vocabularies.get("language"))
        self._homes: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {}
        own_vocals = {name_key(word): kind for word, kind in _VOCALS.items()}
        self._vocals = {name_key(kind): kind for kind in get_args(Vocal)} | own_vocals
        own_versions = {name_key(word): kind for word, kind in _VERSIONS.items()}
        self._versions = {name_key(kind): kind for kind in get_args(VersionKind)} | own_versions

    def sort(self, field: str, words: Iterable[str], into: Sorted) -> None:
        """Add each word's vocabulary id to the field it belongs to; a word that no vocabulary holds goes to `tags`.

        Args:
            field: where the source wrote the words; its own vocabulary is tried first, then the others.
            words: as written.
            into: is added to.
        """
        for word in words:
            homes = self._homes.get((field, word))
            if homes is None:
                if len(self._homes) > _CACHED_WORDS:
                    self._homes.clear()
                homes = self._homes[field, word] = self._homes_of(field, word)
            for home, value in homes:
                into.setdefault(home, {})[value] = None

    def _homes_of(self, field: str, word: str) -> tuple[tuple[str, str], ...]:
        if home := self._find(field, word):
            return (home,)
        parts = [part for part in _SEPARATOR.split(word) if part]
        found = [self._find(field, part) for part in parts] if len(parts) > 1 else []
        if not any(found):
            return (("tags", word),)
        return tuple(home or ("tags", part) for home, part in zip(found, parts, strict=True))

    def _find(self, field: str, word: str) -> tuple[str, str] | None:
        """The field and the id of `word`, or None."""
        for home in sorted(WORD_FIELDS, key=lambda home: home != field):
            vocabulary = self._vocabularies.get(WORD_FIELDS[home])
            found = vocabulary.find(word) if vocabulary is not None else None
            if found is not None:
                return home, found
        return None

    def region(self, word: str, into: Sorted) -> str | None:
        """The country code of `word`; an unknown word goes to `tags`."""
        code = self._places.region(word)
        if code is None:
            into.setdefault("tags", {})[word] = None
        return code

    def language(self, word: str, into: Sorted) -> str | None:
        """The language code of `word`; an unknown word goes to `tags`, "no language" nowhere."""
        code = self._places.language(word)
        if code is None and not self._places.says_no_language(word):
            into.setdefault("tags", {})[word] = None
        return code

    def vocal(self, word: str, into: Sorted) -> Vocal | None:
        """The kind of voice that `word` names; an unknown word goes to `tags`."""
        kind = self._vocals.get(name_key(word))
        if kind is None and (vocabulary := self._vocabularies.get("vocal")) is not None:
            found = vocabulary.find(word)
            kind = cast(Vocal, found) if found in get_args(Vocal) else None
        if kind is None:
            into.setdefault("tags", {})[word] = None
        return kind

    def version(self, word: str, into: Sorted) -> VersionKind | None:
        """The kind of recording that `word` names; an unknown word goes to `tags`."""
        kind = self._versions.get(name_key(word))
        if kind is None:
            into.setdefault("tags", {})[word] = None
        return kind
