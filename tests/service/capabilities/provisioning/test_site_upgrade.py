"""A site of the first schema with issued cards is brought to the newest one: nothing is lost, and its cards go on."""

import asyncio
import contextlib
import importlib
import sqlite3
from pathlib import Path

import pytest

from app.ledger.log.append import AuditLog
from app.store import migrations
from hardware.cards.software import SoftwareCard
from tests.service.capabilities.provisioning.card_desk import ACTOR, READER, WRITER, Desk

FIRST = importlib.import_module("app.store.migrations.versions.0001_first")


def schema(path: Path) -> dict[str, str]:
    """Name and words of every table and index, whatever the white space."""
    with contextlib.closing(sqlite3.connect(path)) as raw:
        rows = raw.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'alembic_version'")
        return {name: " ".join(sql.split()) for name, sql in rows}


def rows(path: Path, tables: list[str]) -> dict[str, list[tuple[object, ...]]]:
    """Everything that these tables hold."""
    with contextlib.closing(sqlite3.connect(path)) as raw:
        return {name: raw.execute(f"SELECT * FROM {name}").fetchall() for name in tables}


def columns_of(path: Path) -> dict[str, set[str]]:
    """The names of each table's columns."""
    with contextlib.closing(sqlite3.connect(path)) as raw:
        rows = raw.execute(
            "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'"
        ).fetchall()
    return {table: {column for name, column in rows if name == table} for table, _ in rows}


def back_to_the_first(path: Path, directory: Path) -> list[str]:
    """Makes of the file what the first version would have left, with all its rows; the tables of that version."""
    first = directory / "first.db"
    with contextlib.closing(sqlite3.connect(first)) as raw:
        for statement in FIRST.STATEMENTS:
            raw.execute(statement)
        raw.commit()
    known = schema(first)
    with contextlib.closing(sqlite3.connect(path)) as raw:
        newer = raw.execute(
            "SELECT type, name FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'alembic_version'"
        ).fetchall()
        for kind, name in newer:
            if name not in known:
                raw.execute(f"DROP {kind} IF EXISTS {name}")
        for table, columns in columns_of(first).items():
            for column in columns_of(path)[table] - columns:
                raw.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        raw.execute("UPDATE alembic_version SET version_num = '0001'")
        raw.commit()
    assert schema(path) == known
    return [name for name, words in known.items() if words.startswith("CREATE TABLE") and "audit_text" not in name]


def test_a_site_of_the_first_schema_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row is as it was, and the card that was issued before gets a new PIN and another node afterwards."""
    card = SoftwareCard(serial=9001)
    desk = Desk(tmp_path / "site")

    async def before() -> tuple[str, str]:
        async with desk.running({READER: card}) as table:
            made = await table.done(desk.node())
            await table.service.mailers.pin_mailer(made.provision_id, caller=WRITER, request_id="req_test")
            return made.provision_id, desk.node()

    with monkeypatch.context() as patch:
        # Its version stated no rows in its leaves.
        patch.setattr(AuditLog, "_keep_state", lambda *_: None)
        provision_id, other = asyncio.run(before())
        desk.close()
    path = tmp_path / "site" / "store.db"
    tables = back_to_the_first(path, tmp_path)
    kept = rows(path, tables)
    assert kept["provision"]
    migrations.migrate(path)
    # New columns stand behind the old ones.
    old = {name: len(columns) for name, columns in columns_of(tmp_path / "first.db").items()}
    assert {name: [row[: old[name]] for row in found] for name, found in rows(path, tables).items()} == kept

    again = Desk(tmp_path / "site")

    async def after() -> None:
        async with again.running({READER: card}) as table:
            approval_id = await again.approved("pin_reset", provision_id)
            reply, status = await table.service.resets.reset(
                provision_id, approval_id, actor=ACTOR, request_id="req_test"
            )
            assert (status, reply.state) == (200, "COMPLETE")
            await table.remove()
            await table.insert(card)
            await again.approved("reissue", provision_id)
            assert (await table.done(other)).node_id == other

    try:
        asyncio.run(after())
    finally:
        again.close()
