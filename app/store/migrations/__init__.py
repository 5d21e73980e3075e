"""The schema's history, run by alembic without an ini file.

``HEAD`` is the newest revision. ``engine.py`` compares it with the file's own before it loads alembic at all: loading
costs more than the rest of the start.
"""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

HEAD = "0036"
STATED_SINCE = "0028"
"""The revision from which on the audit log states the rows of the store (``ledger/state/``)."""

SCHEMA = Path(__file__).parent / "head.sql"
"""What a new store is made of; written by ``head_writer.py``."""


def lay_out(path: Path) -> None:
    """Makes the empty SQLite file at ``path`` a store at ``HEAD``, in one transaction: what ``migrate`` would make of
    it, in a tenth of the time."""
    with contextlib.closing(_connect(path)) as raw:
        raw.executescript(f"BEGIN IMMEDIATE;\n{SCHEMA.read_text(encoding='utf-8')}COMMIT;")


def _connect(path: Path) -> sqlite3.Connection:
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA journal_mode=WAL")
    raw.execute("PRAGMA synchronous=FULL")
    return raw


def migrate(path: Path, revision: str = "head") -> None:
    """Bring the SQLite file at ``path`` to ``HEAD``, or to an earlier revision, creating it if there is none. All
    revisions are one transaction: a process that is killed in it leaves the store as it was."""
    from alembic import command
    from alembic.config import Config
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    from app.store.tables import metadata

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["metadata"] = metadata

    engine = create_engine("sqlite+pysqlite://", creator=lambda: _connect(path), poolclass=NullPool)
    with engine.connect() as connection:
        # The driver would commit before DDL by itself; an explicit BEGIN makes the revisions all or nothing.
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        connection.commit()
    engine.dispose()
