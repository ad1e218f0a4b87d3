"""A catalog whose titles, aliases, tags, albums, lyrics and artists carry the attempts, and the requests that bring them up.

The records are made directly: no importer has cleaned them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from data.catalog.schema import Artist, Credit, Track
from program.index.build import build_index
from program.index.engine import EmbeddedIndex
from program.users.listener import Listener
from tests.listeners import listener
from tests.program.trust.injection.attempts import ATTEMPTS, FORBIDDEN, IN_CATALOG, Attempt
from tests.tiny import TinyEmbedder, open_tiny

_KETTLES = "amber brass cobalt denim ebony flax ginger hazel indigo jade khaki lilac maroon navy olive pearl quartz rust".split()
_CLEAN = 30


def kettle(attempt: Attempt) -> str:
    """A line of lyrics that only this attempt's track holds."""
    first, second = divmod(attempt.number, len(_KETTLES))
    return f"copper kettle {_KETTLES[second]} sings {_KETTLES[first]} over water"


def hostile_id(attempt: Attempt) -> str:
    """The id of the track that carries an attempt."""
    return f"h-{attempt.number}"


def request_of(attempt: Attempt) -> str:
    """A request that an attempt's text is part of, or that brings up the track that carries it."""
    if attempt.carrier == "request":
        return f"post-punk {attempt.text}"
    if attempt.carrier == "lyrics":
        return f"the one that goes {kettle(attempt)}"
    return f"dark post-punk from {attempt.year}"


def fan(index: EmbeddedIndex) -> Listener:
    """A listener who likes what carries an attempt in the artist's name, so that it stands in the profile."""
    liked = tuple(hostile_id(a) for a in ATTEMPTS if a.carrier == "artist")[:3]
    return listener(index, likes=liked, plays={liked[0]: (1.0, 2.0)})


def _track(attempt: Attempt) -> tuple[Artist, Track]:
    text, number = attempt.text, attempt.number
    artist = Artist(artist_id=f"a-{number}", name=text if attempt.carrier == "artist" else f"Plain Band {number}", popularity=60)
    fields: dict[str, Any] = {"title": text if attempt.carrier == "title" else f"Plain Song {number}", "album": "Plain Album"}
    if attempt.carrier == "album":
        fields["album"] = text
    elif attempt.carrier == "lyrics":
        fields["lyrics"] = f"{kettle(attempt)} {' '.join(text.split())}\nand nothing else is said"
    elif attempt.carrier in ("alias", "tag"):
        fields["aliases" if attempt.carrier == "alias" else "tags"] = (text,)
    return artist, Track(
        track_id=hostile_id(attempt), artists=(Credit(artist_id=artist.artist_id, name=artist.name),), year=attempt.year,
        genres=("post-punk",), moods=("dark",), popularity=70, **fields,
    )  # fmt: skip


def _clean(number: int) -> Track:
    return Track(
        track_id=f"c-{number}", title=f"Grey Harbour {number}", artists=(Credit(artist_id="clean", name="Grey Harbour Choir"),),
        year=1980, genres=("post-punk",), moods=("cold",), popularity=40,
    )  # fmt: skip


def records() -> Iterator[Artist | Track]:
    """The whole catalog; the forbidden track is the best known of all, and nothing like what is asked for."""
    yield Artist(artist_id="clean", name="Grey Harbour Choir", region="GB", language="en", popularity=40)
    yield Artist(artist_id="locked", name="Cellar Accordions", popularity=99)
    for attempt in ATTEMPTS:
        if attempt.carrier in IN_CATALOG:
            yield from _track(attempt)
    yield from map(_clean, range(_CLEAN))
    yield Track(
        track_id=FORBIDDEN, title="Polka of the Locked Cellar", artists=(Credit(artist_id="locked", name="Cellar Accordions"),),
        year=2001, genres=("polka",), moods=("happy",), popularity=100,
    )  # fmt: skip


@contextmanager
def open_hostile(folder: Path) -> Iterator[EmbeddedIndex]:
    """The index of the catalog, built in `folder`."""
    build_index(list(records()), folder / "index", embedder=TinyEmbedder())
    index = open_tiny(folder / "index")
    try:
        yield index
    finally:
        index.close()
