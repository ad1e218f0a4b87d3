"""The catalogs that external sets are read against, built once each into the user's cache.

`music_ner`: the tracks of CPCD, and every name that any of the three datasets links. What a link says is taken as it stands,
noise included, and nothing else is: a linked artist becomes an artist, a linked work a title. A work is credited to an artist
only when its page's name says so ("Blackout (Britney Spears album)"); that a request names a title beside an artist joins
nothing, for that would put the labels of the requests into the catalog. Mentions are not taken in as other spellings either,
and a mention without a link is not in the catalog unless CPCD holds it: such names are the absent ones. The popularity
signal `exposure` is an artist's or title's popularity, 0 (the page was not counted) is unknown. CPCD brings thousands of
titles made of common words ("I Love", "Maybe", "Music"), which makes them traps.

`snips`: the tracks of CPCD, and every artist, track and album slot of PlayMusic, of the training set too, as distractors. Here
the catalog does hold what is asked for: one title and one artist of the same request are joined.

`cpcd`: its tracks as they are.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from data.catalog.importers.base import read_catalog
from data.catalog.importers.rejects import Rejects
from data.catalog.schema import Artist, Track
from experiments.commands.progress import say, stages
from experiments.external import music_ner, names, rows, snips
from experiments.external.names import NameCatalog
from program.index.build import build_index
from program.index.embedder import packaged_embedder
from program.index.engine import EmbeddedIndex
from program.index.layout import FORMAT_VERSION
from program.lm.environment import user_cache

_BRACKET = re.compile(r"^(?P<title>.+?)_\((?P<remark>[^()]*)\)$")
_CREDIT = re.compile(r"^(?P<artist>.+) (?:song|album|single|EP|soundtrack|instrumental|composition|mixtape)$")
_NO_NAME = re.compile(r"[a-z ]+|\d{4}(?: .*)?")
_ALBUMS = frozenset({"album", "extended play"})
_RECIPE = (*(Path(str(module.__file__)) for module in (music_ner, names, rows, snips)), Path(__file__))

Items = Callable[[Path], Iterator[Artist | Track]]


@dataclass(frozen=True)
class LinkName:
    """A linked page's name taken apart. artist: whom its bracket credits, None when it does not."""

    name: str
    artist: str | None


def link_name(wiki_name: str) -> LinkName:
    """The name that a page's address part stands for: escapes, underscores and the bracket at its end undone."""
    match = _BRACKET.match(unquote(wiki_name))
    title, remark = match.group("title", "remark") if match else (unquote(wiki_name), "")
    credit = _CREDIT.match(remark.replace("_", " "))
    artist = credit["artist"] if credit and not _NO_NAME.fullmatch(credit["artist"]) else None
    return LinkName(title.replace("_", " ").strip(), artist)


def music_ner_items(data: Path) -> Iterator[Artist | Track]:
    """The records of the catalog for music_ner."""
    catalog = NameCatalog(cpcd_tracks(data))
    for link in music_ner.links(data):
        if not link.wiki_name:
            continue
        found, popularity = link_name(link.wiki_name), link.exposure or None
        if link.type == "Artist":
            catalog.artist(found.name, popularity)
        else:
            catalog.work(found.name, found.artist, is_album=link.wikidata_type in _ALBUMS, popularity=popularity)
    return catalog.items()


def snips_items(data: Path) -> Iterator[Artist | Track]:
    """The records of the catalog for SNIPS."""
    catalog = NameCatalog(cpcd_tracks(data))
    for request in (request for split in snips.SPLITS for request in snips.requests(data, split)):
        artists = [span.text for span in request.gold if span.type == "artist"]
        works = [span for span in request.gold if span.type != "artist"]
        for artist in artists:
            catalog.artist(artist)
        joined = artists[0] if len(artists) == len(works) == 1 else None
        for work in works:
            catalog.work(work.text, joined, is_album=work.type == "album")
    return catalog.items()


def cpcd_file(data: Path) -> Path:
    """The track list of CPCD, in `data` or beside it.

    Raises:
        LabelError: it is in neither place.
    """
    return rows.sibling(data, "cpcd", "tracks.jsonl") / "tracks.jsonl"


def cpcd_tracks(data: Path) -> list[Track]:
    """The tracks of CPCD, in the order of its file."""
    items = read_catalog(cpcd_file(data), format="cpcd", rejects=Rejects())
    return [item for item in items if isinstance(item, Track)]


def _cpcd_items(data: Path) -> Iterator[Artist | Track]:
    return iter(cpcd_tracks(data))


_SETS: dict[str, tuple[Items, Callable[[Path], list[Path]]]] = {
    "music_ner": (music_ner_items, music_ner.files),
    "snips": (snips_items, snips.files),
    "cpcd": (_cpcd_items, lambda data: []),
}


def open_catalog(name: str, data: Path) -> EmbeddedIndex:
    """The index of a set's catalog, built at its first use; its folder's name changes with the files and with the recipe.

    Raises:
        LabelError: a file of the set is missing or malformed.
        CatalogError: the track list of CPCD cannot be read.
    """
    items, files = _SETS[name]
    out = user_cache() / "catalogs" / f"{name}-{_content([cpcd_file(data), *files(data), *_RECIPE])}"
    if not (out / "manifest.json").is_file():
        say(f"building the catalog of {name}, once")
        with stages(f"catalog of {name}") as progress:
            build_index(items(data), out, embedder=packaged_embedder(), progress=progress)
    return EmbeddedIndex(out)


def _content(files: list[Path]) -> str:
    digest = hashlib.sha256(str(FORMAT_VERSION).encode())
    for file in files:
        digest.update(hashlib.sha256(file.read_bytes() if file.is_file() else b"").digest())
    return digest.hexdigest()[:12]
