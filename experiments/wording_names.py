"""Names of a catalog to put into wordings: drawn by a seed, told apart by how everyday their words are."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from random import Random

from data.commonwords import zipf
from data.contracts import EntityType
from data.names import base_title, name_form, name_key
from data.vocab.loader import facet_words
from data.vocab.request_words import request_words
from program.index.engine import EmbeddedIndex
from program.index.gather import album_id
from program.index.protocol import Filter

_SCRIPTS = {"zh": r"[\u4e00-\u9fff]", "ja": r"[\u3040-\u30ff\u4e00-\u9fff]", "ko": r"[\uac00-\ud7a3]", "ru": r"[\u0400-\u04ff]"}
_OTHER = re.compile(r"[\u0370-\u05ff\u0600-\u06ff\u0900-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_OWN_SCRIPT, _WELL_KNOWN, _KNOWN = 0.6, 0.5, 0.75
"""Share of names in a language's own script; share that is drawn among the well known, and from which percentile they are."""
_EVERYDAY = 4.5
"""Zipf frequency from which a word is one of everyday language."""
_TRIES, _NAMESAKES = 4_000, 200


@dataclass(frozen=True)
class Drawn:
    """A name in the letters that a wording gets. ids: what it may mean, any of them is right.

    Attributes:
        artist_id: of an artist its own id, of a title or an album its artist's.
    """

    entity_type: EntityType
    surface: str
    ids: tuple[str, ...]
    artist_id: str


class Names:
    """Draws playable names that only one kind of thing is called by."""

    def __init__(self, index: EmbeddedIndex, rng: Random, *, everyday: bool = False) -> None:
        self.index, self.rng, self.everyday = index, rng, everyday

    def artist(self, language: str) -> Drawn | None:
        """An artist by its name or by another one in the letters of the language."""
        script = self._script(language)
        for _ in range(_TRIES):
            entry = self.index.artist(self.rng.randrange(self.index.info.artists))
            record = entry.artist
            name = next((name for name in (record.name, *record.aliases, *record.transliterations) if script(name)), None)
            if entry.available_tracks and name and self._is_wanted(entry.popularity) and self._is_apart(name, "artist"):
                return Drawn("artist", name, self._artists(name), record.artist_id)
        return None

    def title(self, language: str, *, owned: bool, artist_id: str = "") -> Drawn | None:
        """A title; where its artist is said too, or given, any words will do."""
        rows = self._rows(artist_id)
        for _ in range(_TRIES if not artist_id else len(rows)):
            entry = self.index.track(self.rng.choice(rows))
            track, script = entry.track, self._script(language)
            plain = track.playable and track.version == "original" and base_title(track.title) == track.title
            if not plain or len(track.artists) != 1 or not script(track.title) or len(name_key(track.title)) < 2:
                continue
            alone = not owned and not artist_id
            if alone and not (self._is_wanted(entry.popularity) and self._is_apart(track.title, "track")):
                continue
            where = Filter(title_keys=(name_key(track.title),), artist_ids=() if alone else (track.artists[0].artist_id,))
            same = self.index.search(where, limit=_NAMESAKES).rows
            ids = tuple(self.index.track(row).track.track_id for row in same)
            return Drawn("track", track.title, ids, track.artists[0].artist_id)
        return None

    def album(self, language: str) -> Drawn | None:
        """An album that no title is called like."""
        script = self._script(language)
        for _ in range(_TRIES):
            album = self.index.album(self.rng.randrange(self.index.info.albums))
            plain = album.available_tracks and script(album.name) and base_title(album.name) == album.name
            if plain and self._is_apart(album.name, "album"):
                held = self.index.lookup([name_key(album.name)])[name_key(album.name)].of("album")
                ids = tuple(self.index.album(posting.row).album_id for posting in held)
                return Drawn("album", album.name, ids, album.artist_ids[0])
        return None

    def name_of(self, artist_id: str, language: str) -> Drawn | None:
        """The artist of that id, where its name can be written in the language."""
        entry = self.index.artist_by_id(artist_id)
        names = (entry.artist.name, *entry.artist.aliases) if entry else ()
        script = self._script(language)
        name = next((name for name in names if script(name)), entry.artist.name if entry else None)
        return Drawn("artist", name, (artist_id,), artist_id) if name and name_key(name) else None

    def of_album(self, drawn: Drawn) -> Drawn:
        """The album as it is meant once its artist is said."""
        return Drawn("album", drawn.surface, (album_id(drawn.artist_id, drawn.surface),), drawn.artist_id)

    @cached_property
    def _all_rows(self) -> tuple[int, ...]:
        return tuple(range(self.index.info.tracks))

    def _rows(self, artist_id: str) -> tuple[int, ...]:
        return self.index.search(Filter(artist_ids=(artist_id,)), limit=_NAMESAKES).rows if artist_id else self._all_rows

    def _script(self, language: str) -> Callable[[str], object]:
        """Whether a name is in the letters that this draw wants."""
        own = _SCRIPTS.get(language)
        if own and self.rng.random() < _OWN_SCRIPT:
            return re.compile(own).search
        return lambda name: not _OTHER.search(name) and bool(re.search(r"[^\W\d_]", name))

    def _is_wanted(self, popularity: float) -> bool:
        return popularity >= _KNOWN or self.rng.random() >= _WELL_KNOWN

    def _is_apart(self, name: str, kind: EntityType) -> bool:
        """Whether nothing of another kind is called so, and its words are as everyday as is wanted."""
        key = name_key(name)
        hits = self.index.lookup([key]).get(key)
        kinds = {posting.entity_type for posting in hits.postings} if hits else set()
        return kinds == {kind} and len(key) > 1 and is_everyday(name) is self.everyday

    def _artists(self, name: str) -> tuple[str, ...]:
        key = name_key(name)
        return tuple(self.index.artist(posting.row).artist.artist_id for posting in self.index.lookup([key])[key].of("artist"))


def is_everyday(name: str) -> bool:
    """Whether all words of a name are everyday ones, or it is a word that requests describe music with."""
    words = name_form(name).split()
    said = request_words()
    if name_key(name) in facet_words("en") or name_key(name) in said:
        return True
    return all(word in said or word.isdigit() or zipf(word) >= _EVERYDAY for word in words)
