"""Tables that a test has of its own: the product's schema knows nothing of them."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from sqlalchemy import Table
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateTable


def add_table(path: Path, table: Table) -> None:
    """Makes ``table`` in the open store at ``path``, beside its writer, unless it is there."""
    statement = str(CreateTable(table, if_not_exists=True).compile(dialect=sqlite.dialect()))
    with contextlib.closing(sqlite3.connect(path)) as raw:
        raw.execute(statement)
        raw.commit()
