"""The store: one SQLite file in WAL mode with one writer and a pool of read-only snapshots."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool, StaticPool

from app.store import migrations
from app.store.clock import system_clock_us
from app.store.errors import StoreRefused, StoreUnavailable
from app.store.sealed import FieldSealer
from app.store.writer import LogAppender, WriteConnection, Writer

_BUSY_MS: Final = 5_000
_READERS: Final = 8
_STALLED_S: Final = 10.0


@dataclass(frozen=True)
class StoreHealth:
    """State of the store for ``/readyz``. ``reason`` is a sentence where ``ok`` is false."""

    ok: bool
    reason: str | None
    writer_alive: bool
    waiting: int
    """Jobs in the writer's queues."""
    busy_s: float
    """Seconds since the commit in progress began, 0.0 if none is."""
    last_commit_age_s: float | None
    """``None`` before this process's first commit."""
    free_bytes: int
    min_free_bytes: int


class Store:
    """The open store. ``writer`` changes it, ``read()`` reads it."""

    def __init__(
        self,
        path: Path,
        writer: Writer,
        sealer: FieldSealer,
        write_engine: Engine,
        readers: Engine,
        min_free_bytes: int,
    ) -> None:
        self.path = path
        self.writer = writer
        self.sealer = sealer
        self._write_engine = write_engine
        self._readers = readers
        self._min_free_bytes = min_free_bytes

    @classmethod
    def open(
        cls,
        path: Path,
        log: LogAppender,
        *,
        sealer: FieldSealer,
        min_free_bytes: int = 0,
        clock: Callable[[], int] = system_clock_us,
        on_clock_step: Callable[[int], None] | None = None,
    ) -> Store:
        """Open the store at ``path``, making or migrating it, and check the log before anything is written.

        ``on_clock_step(behind_us)`` runs on the writer's thread when the machine's clock stepped back. Raises
        ``StoreRefused`` with a sentence that an operator can act on.
        """
        try:
            _prepare(path, log)
        except sqlite3.Error as error:
            raise StoreRefused(f"{path} cannot be opened: {error}. Check the disk, or restore a backup.") from error
        # Parameters stay out of the text of errors: they may be secrets, and errors are logged.
        write_engine = create_engine(
            "sqlite+pysqlite://",
            creator=lambda: _connect(path),
            poolclass=StaticPool,
            hide_parameters=True,
        )
        connection = write_engine.connect()
        try:
            writer = Writer(connection, log, clock=clock, on_clock_step=on_clock_step)
            if log.adopts:
                # Rows of an earlier version are stated before anybody builds on them.
                writer.submit(lambda _: None).result()
        except BaseException:
            connection.close()
            write_engine.dispose()
            raise
        readers = create_engine(
            "sqlite+pysqlite://",
            creator=lambda: _connect(path, read_only=True),
            poolclass=QueuePool,
            pool_size=_READERS,
            max_overflow=_READERS,
            pool_timeout=10.0,
            hide_parameters=True,
        )
        event.listen(readers, "begin", begin_snapshot)
        return cls(path, writer, sealer, write_engine, readers, min_free_bytes)

    @contextlib.contextmanager
    def read(self) -> Iterator[Connection]:
        """A read-only connection on one snapshot, from any thread. Keep it short: an open snapshot holds the WAL.

        It sees every commit that was answered before its first statement. Raises ``StoreUnavailable`` when no
        connection is free within 10 s or the disk cannot be read.
        """
        with _reading(), self._readers.connect() as connection:
            yield connection

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """As ``read``, but gives the driver's own connection, for hot paths that cannot afford Core (10 us, not 32)."""
        with _reading():
            pooled = self._readers.raw_connection()
            try:
                raw = pooled.driver_connection
                if not isinstance(raw, sqlite3.Connection):
                    raise TypeError("not a connection of the sqlite3 driver")
                raw.execute("BEGIN")
                yield raw
            finally:
                # The pool rolls back a returned connection, which ends the snapshot.
                pooled.close()

    def probe(self) -> StoreHealth:
        """Whether the store can take changes now. Costs one system call."""
        writer = self.writer
        alive, busy = writer.alive, writer.busy_s
        try:
            free = shutil.disk_usage(self.path.parent).free
        except OSError:
            free = 0
        reason = None
        if not alive:
            reason = "The store's writer is stopped. Restart the service."
        elif busy > _STALLED_S:
            reason = "The disk has not answered for over 10 s. Check its health."
        elif free < self._min_free_bytes:
            reason = "The disk is nearly full. Free some space."
        return StoreHealth(
            ok=reason is None,
            reason=reason,
            writer_alive=alive,
            waiting=writer.waiting,
            busy_s=busy,
            last_commit_age_s=writer.last_commit_age_s,
            free_bytes=free,
            min_free_bytes=self._min_free_bytes,
        )

    def close(self) -> None:
        """Commit what is queued, end the writer, close every connection. A second call does nothing."""
        self.writer.close()
        self._readers.dispose()
        self._write_engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextlib.contextmanager
def _reading() -> Iterator[None]:
    """Turns what keeps a reader from its answer into ``StoreUnavailable``; a programming error stays what it is."""
    try:
        yield
    except PoolTimeout as error:
        raise StoreUnavailable("Too many readers wait for the store. Try again in a second.") from error
    except (sqlite3.Error, DBAPIError) as error:
        code = getattr(error.orig if isinstance(error, DBAPIError) else error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN):
            raise StoreUnavailable("The store could not be read. Check the disk and try again.") from error
        raise


@contextlib.contextmanager
def refusing(data_dir: Path) -> Iterator[None]:
    """Turns every failure of the disk at a site's start into ``StoreRefused`` with a sentence for the operator."""
    try:
        yield
    except OSError as error:
        where = error.filename or data_dir
        raise StoreRefused(f"{where} cannot be used: {error.strerror}. Correct it or restore a backup.") from error
    except (sqlite3.Error, DBAPIError) as error:
        why = error.orig if isinstance(error, DBAPIError) else error
        raise StoreRefused(
            f"The store in {data_dir} cannot be used: {why}. Check the disk, or restore a backup."
        ) from error


def driver(connection: Connection) -> sqlite3.Connection:
    """The driver's own connection under ``connection``, for hot paths that cannot afford Core."""
    raw = connection.connection.driver_connection
    if not isinstance(raw, sqlite3.Connection):
        raise TypeError("not a connection of the sqlite3 driver")
    return raw


def open_snapshot(path: Path) -> sqlite3.Connection:
    """One snapshot of the store at ``path`` for as long as the connection is open, beside a running service or without
    one. It cannot write to the store, and may make temporary tables. ``sqlite3.Error`` if there is no store."""
    raw = _connect(path, read_only=True)
    raw.execute("PRAGMA query_only=OFF")
    raw.execute("BEGIN")
    return raw


def begin_snapshot(connection: Connection) -> None:
    """Opens the read transaction of an engine's connection (SQLAlchemy's event ``begin``)."""
    # The driver opens no transaction for a SELECT by itself: without this each statement would be its own snapshot.
    driver(connection).execute("BEGIN")


def _connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """A connection of the driver with this product's pragmas."""
    uri = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rw'}"
    raw = sqlite3.connect(
        uri,
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=512,
        timeout=_BUSY_MS / 1000,
        factory=sqlite3.Connection if read_only else WriteConnection,
    )
    pragmas = ["foreign_keys=ON", "trusted_schema=OFF", "temp_store=MEMORY"]
    if read_only:
        pragmas += ["query_only=ON", "cache_size=-8000", "mmap_size=268435456"]
    else:
        pragmas += ["synchronous=FULL", "cache_size=-65536", "secure_delete=ON"]
        # The writer makes the checkpoints: SQLite's automatic ones would hide a failed fsync (``writer.py``).
        pragmas += ["wal_autocheckpoint=0", "journal_size_limit=67108864"]
    for pragma in pragmas:
        raw.execute(f"PRAGMA {pragma}").fetchall()
    return raw


def _prepare(path: Path, log: LogAppender) -> None:
    """Make the file private, bring its schema to ``HEAD``, and copy its WAL into the file. A store whose log states its
    rows is checked before a migration changes them."""
    if not path.exists():
        # Never for a file that exists: closing it would drop the locks of every SQLite connection that this process has
        # on it (POSIX), and another process might then remove the WAL under them.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    revision = schema_of(path)
    if revision is None and _is_empty(path):
        migrations.lay_out(path)
    elif revision != migrations.HEAD:
        if revision is not None and revision >= migrations.STATED_SINCE:
            _check_all(path, log)
        migrations.migrate(path)
    raw = _connect(path)
    try:
        raw.execute("PRAGMA journal_mode=WAL").fetchall()
        # After a failed fsync the WAL may exist only in the page cache; copying it writes it again.
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        raw.close()


def _check_all(path: Path, log: LogAppender) -> None:
    """Everything that ``log`` states of the store at ``path``; raises ``StoreRefused``."""
    engine = create_engine("sqlite+pysqlite://", creator=lambda: _connect(path), poolclass=StaticPool)
    try:
        with engine.connect() as connection:
            log.check_all(connection)
    finally:
        engine.dispose()


def _is_empty(path: Path) -> bool:
    """Whether nothing was ever made in the file: it is new, or the process that began it ended before its commit."""
    with contextlib.closing(sqlite3.connect(path, timeout=_BUSY_MS / 1000)) as raw:
        return raw.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone() is None


def schema_of(path: Path) -> str | None:
    """The schema of the store at ``path``; None for a file that none was laid out in yet. ``StoreRefused`` for one of a
    newer version."""
    raw = sqlite3.connect(path, timeout=_BUSY_MS / 1000)
    try:
        known = raw.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'").fetchone()
        row = raw.execute("SELECT version_num FROM alembic_version").fetchone() if known else None
    finally:
        raw.close()
    if row is None:
        return None
    if row[0] > migrations.HEAD:
        raise StoreRefused(
            f"{path} was made by a newer version (schema {row[0]}; this one knows {migrations.HEAD}). Install that "
            "version."
        )
    return str(row[0])
