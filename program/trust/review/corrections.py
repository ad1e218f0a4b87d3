"""What people said that words mean: kept with author and date, used from then on, taken back but never lost."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Column, Float, MetaData, String, Table, Text, select, update
from sqlalchemy.dialects.sqlite import insert

from data.errors import InputError
from data.names import name_key
from data.trust import Correction
from program.trust.store.tables import own_file, told

_METADATA = MetaData()
_CORRECTIONS = Table(
    "corrections",
    _METADATA,
    Column("correction_id", String(16), primary_key=True),
    Column("at", Float, nullable=False),
    Column("key", String(200), nullable=False, index=True),
    Column("taken_back_at", Float),
    Column("body", Text, nullable=False),
)
_READING, _WRITING = "read the corrections", "write a correction"


class CorrectionBook:
    """Every method raises StoreError where the file cannot be read or written.

    Args:
        path: an SQLite file; its folder is made, readable by its owner only. now: seconds since 1970.
    """

    def __init__(self, path: Path, *, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._engine = own_file(path, "the corrections", _CORRECTIONS)

    def add(self, surface: str, meant: Correction) -> Correction:
        """Remember what words mean; an earlier meaning of the same words is taken back.

        Args:
            meant: without id and time, which are given here.
        """
        at, key = self._now(), name_key(surface)
        kept = meant.model_copy(update={"correction_id": secrets.token_hex(4), "surface": surface, "at": at})
        with told(_WRITING), self._engine.begin() as connection:
            standing = (_CORRECTIONS.c.key == key) & (_CORRECTIONS.c.taken_back_at.is_(None))
            connection.execute(update(_CORRECTIONS).where(standing).values(taken_back_at=at))
            values = {"correction_id": kept.correction_id, "at": at, "key": key, "body": kept.model_dump_json()}
            connection.execute(insert(_CORRECTIONS).values(values))
        return kept

    def corrections(self, *, every: bool = False) -> list[Correction]:
        """Those that count, the newest first; with `every` those too that were taken back."""
        query = select(_CORRECTIONS.c.body, _CORRECTIONS.c.taken_back_at).order_by(_CORRECTIONS.c.at.desc())
        query = query if every else query.where(_CORRECTIONS.c.taken_back_at.is_(None))
        with told(_READING), self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return [Correction.model_validate_json(str(body)).model_copy(update={"taken_back_at": at}) for body, at in rows]

    def take_back(self, correction_id: str) -> Correction:
        """No longer use a correction.

        Raises:
            InputError: none that counts is called so.
        """
        found = [one for one in self.corrections() if correction_id and one.correction_id.startswith(correction_id)]
        if len(found) != 1:
            raise InputError(f"no correction is called {correction_id[:20]!r}", hint="melo review corrections")
        with told(_WRITING), self._engine.begin() as connection:
            here = _CORRECTIONS.c.correction_id == found[0].correction_id
            connection.execute(update(_CORRECTIONS).where(here).values(taken_back_at=self._now()))
        return found[0]

    def close(self) -> None:
        """Release the connections."""
        self._engine.dispose()
