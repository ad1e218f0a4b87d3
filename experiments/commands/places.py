"""Where the command line finds the catalog index and the trace store, and how the demo catalog gets its index."""

from __future__ import annotations

import hashlib
import os
from contextlib import closing
from pathlib import Path

from data.catalog.demo_files import demo_path
from data.catalog.importers.base import read_catalog
from data.catalog.importers.rejects import Rejects
from data.errors import StoreError
from experiments.commands.progress import say, stages
from program.index.build import build_index
from program.index.embedder import packaged_embedder
from program.index.engine import EmbeddedIndex
from program.index.layout import FORMAT_VERSION
from program.index.protocol import CatalogIndex
from program.lm.environment import user_cache, user_data
from program.settings import ReviewSettings, Settings, StoreSettings
from program.trust.breaker.breaker import Breaker
from program.trust.breaker.log import BreakerLog, MemoryLog
from program.trust.breaker.sqlite_log import SqliteLog
from program.trust.review.corrected_index import corrected
from program.trust.review.corrections import CorrectionBook
from program.trust.review.queue import ReviewQueue
from program.trust.store import TraceStore, open_store
from program.users.store import UserStore


def trace_store(settings: StoreSettings | None = None) -> TraceStore:
    """The user's trace store: SQLite files in the cache folder, unless the environment names a database."""
    return open_store(user_cache() / "traces.sqlite", settings)


def breaker_of(settings: Settings, program: str = "", *, kept: bool = True) -> Breaker:
    """The breaker with what it remembers from earlier runs; it forgets with the process where that cannot be opened.

    Args:
        program: the hash of a compiled program, or its beginning. kept: whether traces are kept; else nothing is remembered.
    """
    if not (settings.breaker.enabled and settings.trust.store and kept):
        return Breaker(settings.breaker, program=program)
    try:
        log: BreakerLog = breaker_log(settings)
    except StoreError as error:
        say(f"melo: {error.one_line()}; what the breaker learns now is forgotten")
        log = MemoryLog(settings=settings.breaker)
    return Breaker(settings.breaker, log, program=program)


def review_queue(settings: ReviewSettings | None = None) -> ReviewQueue:
    """The queue of answers that a person should look at."""
    return ReviewQueue(user_cache() / "review.sqlite", (settings or ReviewSettings()).most_open)


def correction_book() -> CorrectionBook:
    """What people said that words mean."""
    return CorrectionBook(_corrections())


def _corrections() -> Path:
    return user_data() / "corrections.sqlite"


def corrected_index(index: EmbeddedIndex) -> CatalogIndex:
    """The index under the user's corrections; as it is, with a line that says so, where they cannot be read."""
    if not _corrections().is_file():
        return index
    try:
        with closing(correction_book()) as book:
            return corrected(index, book.corrections())
    except StoreError as error:
        say(f"melo: {error.one_line()}; words mean what the catalog says")
        return index


def breaker_log(settings: Settings | None = None) -> SqliteLog:
    """What the breaker remembers."""
    return SqliteLog(user_cache() / "breaker.sqlite", (settings or Settings()).breaker)


def user_store() -> UserStore:
    """The store of listeners' likes and plays."""
    return UserStore(user_data() / "listeners" / "listeners.sqlite")


def open_index(catalog: Path | None) -> EmbeddedIndex:
    """The index at `catalog`, else at `MELO_CATALOG`, else of the demo catalog, which is built at its first use.

    Raises:
        CatalogIndexError: there is no usable index at the path given.
    """
    given = catalog or _from_environment()
    return EmbeddedIndex(given) if given else EmbeddedIndex(demo_index())


def _from_environment() -> Path | None:
    value = os.environ.get("MELO_CATALOG", "").strip()
    return Path(value).expanduser() if value else None


def demo_index() -> Path:
    """The index of the packaged demo catalog; its folder is named after the catalog's content, so it is never stale."""
    source = demo_path()
    out = user_cache() / "catalogs" / f"demo-{_content(source)}"
    if not (out / "manifest.json").is_file():
        say("building the index of the demo catalog, once")
        with stages("demo catalog") as progress:
            build_index(read_catalog(source, rejects=Rejects()), out, embedder=packaged_embedder(), progress=progress)
    return out


def _content(folder: Path) -> str:
    digest = hashlib.sha256(str(FORMAT_VERSION).encode())
    for file in sorted(folder.glob("*.csv")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
