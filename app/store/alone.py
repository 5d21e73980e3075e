"""The store for reading alone, on a disk without any room.

Beside its file SQLite keeps an index of the WAL that all connections share, and makes it anew at each start: on a full
disk that fails, and nothing can be read. One connection that holds the whole file keeps that index in its own memory.
"""

from __future__ import annotations

import concurrent.futures
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sqlalchemy import create_engine, event
from sqlalchemy.pool import QueuePool

from app.store import migrations
from app.store.engine import Store, begin_snapshot
from app.store.errors import StoreRefused, StoreUnavailable
from app.store.sealed import FieldSealer
from app.store.writer import Transaction, Writer

T = TypeVar("T")

SENTENCE = "The disk is full: this service denies and burns, and does nothing else. Make room; it goes on by itself."


class RefusingWriter(Writer):
    """A writer that takes nothing."""

    def __init__(self) -> None:
        """Without a connection and without a thread."""

    async def run(self, job: Callable[[Transaction], T], *, urgent: bool = False, seal: bool = False) -> T:
        """``StoreUnavailable``."""
        del job, urgent, seal
        raise StoreUnavailable(SENTENCE)

    def submit(self, job: Callable[[Transaction], T], *, urgent: bool = False) -> concurrent.futures.Future[T]:
        """``StoreUnavailable``."""
        del job, urgent
        raise StoreUnavailable(SENTENCE)

    def on_commit(self, told: Callable[[], None]) -> None:
        """There will be none."""

    @property
    def alive(self) -> bool:
        """It never stops: there is nothing that it could lose."""
        return True

    @property
    def waiting(self) -> int:
        """Nothing waits."""
        return 0

    @property
    def busy_s(self) -> float:
        """No commit is in progress."""
        return 0.0

    @property
    def last_commit_age_s(self) -> float | None:
        """There was none."""
        return None

    def close(self) -> None:
        """Nothing to end."""


def open_alone(path: Path, sealer: FieldSealer, *, min_free_bytes: int) -> Store:
    """The store at ``path`` for reading, by one connection that keeps every other process out. ``StoreRefused`` if it
    is of another version, or another process reads it; ``sqlite3.Error`` if it cannot be read."""
    engine = create_engine(
        "sqlite+pysqlite://",
        creator=lambda: _connect(path),
        poolclass=QueuePool,
        pool_size=1,
        max_overflow=0,
        pool_timeout=10.0,
        hide_parameters=True,
    )
    event.listen(engine, "begin", begin_snapshot)
    return Store(path, RefusingWriter(), sealer, engine, engine, min_free_bytes)


def _connect(path: Path) -> sqlite3.Connection:
    """The one connection, which holds the file from its first read on."""
    raw = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None, check_same_thread=False, timeout=5.0
    )
    # Before anything is read: the index of the WAL is in memory only for a connection that was alone from its start.
    for pragma in ("locking_mode=EXCLUSIVE", "query_only=ON", "trusted_schema=OFF", "temp_store=MEMORY"):
        raw.execute(f"PRAGMA {pragma}").fetchall()
    version = raw.execute("SELECT version_num FROM alembic_version").fetchone()[0]
    if version != migrations.HEAD:
        raw.close()
        raise StoreRefused(
            f"{path} was made by another version (schema {version}), and the disk is full. Make room, then start again."
        )
    return raw
