"""Makes a catalog out of names that a data set mentions, on top of the tracks of CPCD.

Nothing is known about most names but that they exist, so what a record must have and the source does not say is `UNSAID`:
the title of the one track that an artist or album without a known track gets, and the artist of a work that nobody is known
for. No request can name it: a lone question mark is punctuation to the tokenizer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from data.catalog.importers.rows import derived_id
from data.catalog.schema import Artist, Credit, Track
from data.names import key_variants, name_key

UNSAID = "?"


class NameCatalog:
    """Collects artists and works; the same name given twice is one entity with the higher popularity.

    Args:
        tracks: a catalog to start from; its artists are found under every spelling of their names.
    """

    def __init__(self, tracks: Iterable[Track]) -> None:
        self._tracks = list(tracks)
        self._artists: dict[str, Artist] = {}
        self._ids: dict[str, str] = {}
        self._works: dict[str, Track] = {}
        self._credited: set[str] = set()
        self._titles: set[tuple[str, str]] = set()
        for track in self._tracks:
            self._titles.add((track.artists[0].artist_id, name_key(track.title)))
            for credit in track.artists:
                self._credited.add(credit.artist_id)
                self._remember(credit.name, credit.artist_id)

    def artist(self, name: str, popularity: float | None = None) -> Credit:
        """Take in an artist; returns how tracks credit it."""
        artist_id = self._ids.get(name_key(name)) or f"name:{derived_id(name)}"
        known = self._artists.get(artist_id) or Artist(artist_id=artist_id, name=name)
        self._artists[artist_id] = known.model_copy(update={"popularity": _higher(known.popularity, popularity)})
        self._remember(name, artist_id)
        return Credit(artist_id=artist_id, name=known.name)

    def work(self, name: str, artist: str | None = None, *, is_album: bool = False, popularity: float | None = None) -> None:
        """Take in a title, or an album with one track of which only the album is known. Without an artist, nobody is credited.

        A title that the artist has already is not added again.
        """
        # nobody is a different one for each name: popularity falls back to how many tracks an artist has
        credit = self.artist(artist) if artist else Credit(artist_id=f"name:{derived_id(UNSAID, name)}", name=UNSAID)
        self._credited.add(credit.artist_id)
        title, album = (UNSAID, name) if is_album else (name, None)
        if (credit.artist_id, name_key(title)) in self._titles:
            return
        track_id = f"name:{derived_id(credit.name, name, 'album' if is_album else 'title')}"
        fresh = Track(track_id=track_id, title=title, artists=(credit,), album=album)
        known = self._works.get(track_id, fresh)
        self._works[track_id] = known.model_copy(update={"popularity": _higher(known.popularity, popularity)})

    def items(self) -> Iterator[Artist | Track]:
        """Every record, artists first, in the order in which they came."""
        yield from self._artists.values()
        yield from self._tracks
        yield from self._works.values()
        for artist in self._artists.values():
            if artist.artist_id not in self._credited:
                credit = Credit(artist_id=artist.artist_id, name=artist.name)
                yield Track(track_id=f"name:{derived_id(artist.name, UNSAID)}", title=UNSAID, artists=(credit,))

    def _remember(self, name: str, artist_id: str) -> None:
        for key in key_variants(name):
            self._ids.setdefault(key, artist_id)


def _higher(known: float | None, given: float | None) -> float | None:
    return max((value for value in (known, given) if value is not None), default=None)
