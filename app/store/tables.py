"""The one ``metadata`` and the column types that are valid in STRICT SQLite and in PostgreSQL alike.

A capability declares its tables in its own ``tables.py`` with these helpers; times are integers in microseconds since
1970 (UTC) and their columns end in ``_us``.
"""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import BigInteger, Column, Double, Integer, LargeBinary, MetaData, Table, Text
from sqlalchemy.dialects.sqlite import REAL
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeEngine

metadata = MetaData(
    naming_convention={
        "ix": "%(table_name)s_by_%(column_0_N_name)s",
        "uq": "%(table_name)s_one_%(column_0_N_name)s",
        "ck": "%(table_name)s_is_%(constraint_name)s",
        "fk": "%(table_name)s_of_%(column_0_N_name)s",
        "pk": "%(table_name)s_key",
    }
)
"""Every table of the product; migrations create what stands here."""

# STRICT knows INT, INTEGER, REAL, TEXT, BLOB, ANY alone: BIGINT or DOUBLE would be refused at CREATE TABLE.
INTEGER = BigInteger().with_variant(Integer(), "sqlite")
REAL_TYPE: TypeEngine[float] = Double().with_variant(REAL(), "sqlite")
TEXT = Text()
BLOB = LargeBinary()


def text(name: str, *items: SchemaItem, nullable: bool = False, **options: Any) -> Column[str]:
    """A column of text (UTF-8)."""
    return Column(name, TEXT, *items, nullable=nullable, **options)


def integer(name: str, *items: SchemaItem, nullable: bool = False, **options: Any) -> Column[int]:
    """A column of 64-bit integers. ``primary_key=True`` alone makes SQLite's rowid; pass values yourself or leave it to
    the database with ``autoincrement`` at its default."""
    return Column(name, INTEGER, *items, nullable=nullable, **options)


def blob(name: str, *items: SchemaItem, nullable: bool = False, **options: Any) -> Column[bytes]:
    """A column of bytes."""
    return Column(name, BLOB, *items, nullable=nullable, **options)


def real(name: str, *items: SchemaItem, nullable: bool = False, **options: Any) -> Column[float]:
    """A column of 64-bit floats. Never for money, times or anything that is compared for equality."""
    return Column(name, REAL_TYPE, *items, nullable=nullable, **options)


def table(name: str, *items: SchemaItem, **options: Any) -> Table:
    """A STRICT table on ``metadata``."""
    return Table(name, metadata, *items, sqlite_strict=True, **options)


def json_text(value: object) -> str:
    """A list, dict or Struct as the JSON text of a column."""
    return msgspec.json.encode(value).decode()
