"""Which store the settings and the environment ask for."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from data.errors import SettingsError
from program.settings import StoreSettings
from program.trust.store.cold import ColdTier
from program.trust.store.database import TablePartitions
from program.trust.store.files import FilePartitions
from program.trust.store.memory_tier import MemoryTier, NoTier
from program.trust.store.protocol import HotTier
from program.trust.store.tiered import TraceStore

REDIS_URL = "MELO_REDIS_URL"
"""The environment variable with the address of Redis; it may hold a password, so no file ever does."""
TRACE_URL = "MELO_TRACE_URL"
"""The environment variable with the SQLAlchemy URL of a database that takes the place of the SQLite files."""
_DAY_S = 86_400


def open_store(
    path: Path,
    settings: StoreSettings | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
    now: Callable[[], float] = time.time,
    clock: Callable[[], float] = time.monotonic,
) -> TraceStore:
    """The trace store at `path`, or where the environment says; what is past its retention is removed first.

    Raises:
        SettingsError: Redis is asked for and its address or the package `redis` is missing.
        StoreError: it cannot be opened.
    """
    chosen = settings or StoreSettings()
    url = environ.get(TRACE_URL, "").strip()
    hot = _hot(chosen, environ.get(REDIS_URL, "").strip(), clock)
    layout = TablePartitions(url, chosen.partitions, now) if url else FilePartitions(path, chosen.partitions, now)
    cold = ColdTier(layout)
    if chosen.retention_days:
        cold.prune(now() - chosen.retention_days * _DAY_S, now(), whole_only=True)
    return TraceStore(cold, hot, check=chosen.check, now=now)


def _hot(settings: StoreSettings, url: str, clock: Callable[[], float]) -> HotTier:
    if settings.hot == "none":
        return NoTier()
    if settings.hot == "memory" or (settings.hot == "auto" and not url):
        return MemoryTier(settings.ttl_s, settings.hot_mb * 1_000_000, clock)
    if not url:
        raise SettingsError("store.hot is redis, and no address is given", hint=f"set {REDIS_URL}=redis://HOST:6379/0")
    try:
        from program.trust.store.redis_tier import RedisTier
    except ImportError as error:
        raise SettingsError("the package redis is not installed", hint="pip install 'melo[redis]'") from error
    return RedisTier(url, settings.ttl_s, settings.pause_s, clock)
