"""The hot tier in Redis, shared by processes. When it does not answer it is left alone for a while, and comes back empty."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from data.errors import SettingsError, StoreError
from program.trust.store.rows import Row

_LOG = logging.getLogger("melo.store")
_PREFIX = "melo:trace:"
_PATIENCE_S = 0.25
"""For one answer of Redis: what a hanging one costs an answer of ours, once a pause."""
_CONNECTIONS = 32
_SCANNED = 1_000
_T = TypeVar("_T")


class RedisTier:
    """Holds whole traces, each a hash of artifact id → body that expires.

    Args:
        url: `redis://…`; taken from the environment, never written anywhere.
        ttl_s: how long a trace is held. pause_s: how long it is left alone after a failure.
        clock: seconds, monotonic.

    Raises:
        SettingsError: the URL is none. A server that does not answer is no error.
    """

    def __init__(self, url: str, ttl_s: int, pause_s: float, clock: Callable[[], float]) -> None:
        self._ttl_s, self._pause_s, self._clock = ttl_s, pause_s, clock
        self._lock = threading.Lock()
        self._until = -1.0
        self._missed = False
        self.fault = ""
        try:
            pool = redis.BlockingConnectionPool.from_url(
                url, max_connections=_CONNECTIONS, timeout=_PATIENCE_S * 8, decode_responses=True,
                socket_timeout=_PATIENCE_S, socket_connect_timeout=_PATIENCE_S, retry=Retry(NoBackoff(), 0),
            )  # fmt: skip
        except ValueError as error:
            raise SettingsError(f"the URL of Redis cannot be used: {error}") from error
        self._redis: Any = redis.Redis(connection_pool=pool)  # its types promise awaitables too

    def put(self, traces: Sequence[Sequence[Row]]) -> None:
        """Keep these."""

        def send() -> None:
            pipe = self._redis.pipeline(transaction=True)
            for rows in traces:
                key = _PREFIX + rows[0].trace_id
                pipe.hset(key, mapping={row.artifact_id: row.body for row in rows})
                pipe.expire(key, self._ttl_s)
            pipe.execute()

        self._try(send, None)

    def drop(self, trace_ids: Sequence[str]) -> None:
        """Forget these."""
        self._try(lambda: self._redis.unlink(*(_PREFIX + trace_id for trace_id in trace_ids)), 0)

    def trace(self, trace_id: str) -> dict[str, str] | None:
        """One trace, if it is held."""
        found: dict[str, str] = self._try(lambda: self._redis.hgetall(_PREFIX + trace_id), {})
        return found or None

    def clear(self) -> None:
        """Forget everything, of all processes.

        Raises:
            StoreError: Redis does not answer.
        """
        try:
            self._wipe()
        except (redis.RedisError, OSError) as error:
            self._fail(error)
            raise StoreError(
                f"Redis does not answer, so what it holds ends by itself within {self._ttl_s} s", hint="or run it again"
            ) from error

    def close(self) -> None:
        """Release the connections."""
        self._redis.close()
        self._redis.connection_pool.disconnect()

    def _try(self, run: Callable[[], _T], otherwise: _T) -> _T:
        if self._clock() < self._until:
            return otherwise
        try:
            self._come_back()
            return run()
        except (redis.RedisError, OSError, UnicodeError) as error:
            self._fail(error)
            return otherwise

    def _come_back(self) -> None:
        """After an outage Redis may hold what has changed since: it starts empty."""
        if not self._missed:
            return
        with self._lock:
            if self._missed:
                self._wipe()
                self._missed, self.fault = False, ""
                _LOG.info("Redis answers again")

    def _fail(self, error: Exception) -> None:
        with self._lock:
            if not self._missed:
                _LOG.warning("Redis does not answer (%s): traces are kept in the cold tier alone until it does", error)
            self._missed, self.fault = True, str(error).splitlines()[0] if str(error) else type(error).__name__
            self._until = self._clock() + self._pause_s

    def _wipe(self) -> None:
        keys: list[str] = []
        for key in self._redis.scan_iter(match=f"{_PREFIX}*", count=_SCANNED):
            keys.append(key)
            if len(keys) == _SCANNED:
                self._redis.unlink(*keys)
                keys = []
        if keys:
            self._redis.unlink(*keys)
