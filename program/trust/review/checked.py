"""May these words mean that entity? What a correction must pass before it is kept."""

from __future__ import annotations

from data.contracts import EntityType
from data.errors import InputError
from data.names import name_key
from data.trust import Correction
from data.vocab.loader import facet_words
from data.vocab.request_words import request_words
from program.grounding.tokens import tokenize
from program.index.protocol import CatalogIndex, NameHits, Posting
from program.lm.untrusted import neutralise

MOST_WORDS = 8
_SHOWN = 3
_ALSO_TITLES = frozenset({"greeting"})
"""Roles of words in requests that are as often titles."""


def checked(
    surface: str, entity_id: str, index: CatalogIndex, *, author: str, item_id: str = "", force: bool = False
) -> Correction:
    """The correction, without its id and time.

    Args:
        force: also where the words name something else in the catalog, or a genre, a mood, …

    Raises:
        InputError: the words cannot stand for a name, or the catalog does not hold the entity, or nothing of it that plays.
    """
    words = " ".join(neutralise(surface).split())
    key = name_key(words)
    if not key:
        raise InputError("the words of a correction are empty")
    if len(tokenize(words)) > MOST_WORDS:
        raise InputError(f"a correction has at most {MOST_WORDS} words")
    if set(request_words().get(key, ())) - _ALSO_TITLES:
        raise InputError(f"{words!r} is a word that requests are made of", hint="give the words of the name alone")
    kind, name = _entity(entity_id, index)
    if not force and (others := _others(key, entity_id, index)):
        raise InputError(f"{words!r} already names {', '.join(others)}", hint="--force binds it anyway")
    return Correction(
        correction_id="", surface=words, entity_id=entity_id, entity_type=kind, name=name, author=author, at=0.0, item_id=item_id
    )  # fmt: skip


def posting_of(entity_id: str, kind: EntityType, name: str, index: CatalogIndex) -> Posting | None:
    """Where the index has an entity, found by its name; None where it has it no more."""
    hits = index.lookup([name_key(name)]).get(name_key(name))
    for posting in hits.postings if hits else ():
        if posting.entity_type == kind and identity(posting, index) == entity_id:
            return posting
    if kind == "track" and (entry := index.by_ids([entity_id]).get(entity_id)) is not None:
        return Posting("track", entry.row, "alias", entry.popularity)
    return None


def identity(posting: Posting, index: CatalogIndex) -> str:
    """The catalog id behind a posting."""
    if posting.entity_type == "track":
        return index.track(posting.row).track.track_id
    return index.artist(posting.row).artist.artist_id if posting.entity_type == "artist" else index.album(posting.row).album_id


def _entity(entity_id: str, index: CatalogIndex) -> tuple[EntityType, str]:
    entry = index.by_ids([entity_id]).get(entity_id)
    if entry is not None:
        if not entry.track.playable:
            raise InputError(f"the track {entity_id[:60]} cannot be played")
        return "track", entry.track.title
    artist = index.artist_by_id(entity_id)
    if artist is None:
        raise InputError(
            f"the catalog holds no track and no artist with the id {entity_id[:60]!r}", hint="melo ask --json shows ids"
        )
    if not artist.available_tracks:
        raise InputError(f"nothing by {artist.artist.name} can be played")
    return "artist", artist.artist.name


def _others(key: str, entity_id: str, index: CatalogIndex) -> list[str]:
    """What else the words mean already: facet values and exact names."""
    values = [f"the {facet} {value}" for facet, value in facet_words().get(key, ())]
    hits: NameHits | None = index.lookup([key]).get(key)
    named = [posting for posting in (hits.postings if hits else ()) if posting.kind in ("exact", "alias")]
    names = [f"the {one.entity_type} {_name(one, index)}" for one in named if identity(one, index) != entity_id]
    return list(dict.fromkeys(values + names))[:_SHOWN]


def _name(posting: Posting, index: CatalogIndex) -> str:
    if posting.entity_type == "track":
        track = index.track(posting.row).track
        return f"{track.title} by {track.artists[0].name}"
    return index.artist(posting.row).artist.name if posting.entity_type == "artist" else index.album(posting.row).name
