"""The schema: STRICT tables, private files, snapshots that cannot write, versions that never go back."""

from __future__ import annotations

import contextlib
import sqlite3
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError

from app.store import migrations
from app.store.errors import StoreRefused
from app.store.migrations import head_writer


def test_every_table_is_strict(opened: Any) -> None:
    """SQLite itself refuses a value of the wrong type in every table of ours."""
    with opened.store.read() as connection:
        loose = connection.execute(
            text(
                "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND NOT strict "
                "AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'audit_text%' AND name <> 'alembic_version'"
            )
        ).scalars()
        assert list(loose) == []


def test_head_is_the_newest_revision() -> None:
    """The constant that spares loading alembic names the newest revision."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    assert ScriptDirectory.from_config(config).get_current_head() == migrations.HEAD


def test_file_is_private(opened: Any) -> None:
    """Store and keys can be read by their owner alone."""
    modes = {stat.S_IMODE(path.stat().st_mode) for path in opened.site.data_dir.iterdir()}
    assert modes == {0o600}


def test_reader_cannot_write(opened: Any) -> None:
    """A connection of ``read`` refuses every change."""
    with opened.store.read() as connection, pytest.raises(DBAPIError):
        connection.execute(text("DELETE FROM log_head"))


def test_reader_keeps_its_snapshot(opened: Any) -> None:
    """What is committed while a reader looks is not seen by it."""
    opened.store.writer.submit(lambda tx: tx.audit("test.tick", actor="tester")).result(10)
    count = text("SELECT count(*) FROM audit_entry")
    with opened.store.read() as connection:
        before = connection.execute(count).scalar_one()
        opened.store.writer.submit(lambda tx: tx.audit("test.tick", actor="tester")).result(10)
        assert connection.execute(count).scalar_one() == before == 1


def test_newer_schema_is_refused(opened: Any, opening: Callable[..., Any]) -> None:
    """A store made by a newer version is not touched."""
    opened.close()
    raw = sqlite3.connect(opened.site.store_path)
    raw.execute("UPDATE alembic_version SET version_num = '9999'")
    raw.commit()
    raw.close()
    with pytest.raises(StoreRefused, match="newer version"):
        opening()


def test_foreign_file_is_refused(tmp_path: Path, opening: Callable[..., Any]) -> None:
    """A file that is no database is refused in a sentence."""
    opening().close()
    (tmp_path / "site" / "store.db").write_bytes(b"not a database at all" * 500)
    with pytest.raises(StoreRefused, match="cannot be opened"):
        opening()


def test_migrations_make_what_the_tables_declare(tmp_path: Path) -> None:
    """The revisions and the declared tables are one schema: whoever changes a table writes a revision."""
    import app.service.assembly
    from app.store.tables import metadata

    assert app.service.assembly.TABLE
    migrations.migrate(tmp_path / "migrated.db")
    declared = create_engine(f"sqlite+pysqlite:///{tmp_path / 'declared.db'}")
    with declared.begin() as connection:
        ours = [found for found in metadata.sorted_tables if not found.name.startswith(("test_", "sample_"))]
        metadata.create_all(connection, tables=ours)
    declared.dispose()
    assert schema(tmp_path / "migrated.db") == schema(tmp_path / "declared.db")


def test_a_new_store_is_made_of_what_the_revisions_make() -> None:
    """``head.sql`` is what the writer writes now; else run ``python -m app.store.migrations.head_writer``."""
    assert migrations.SCHEMA.read_text(encoding="utf-8") == head_writer.write()


def test_a_store_that_was_laid_out_is_migrated(tmp_path: Path) -> None:
    """The same words in the same order, at the newest revision; a second start changes nothing of it."""
    migrations.lay_out(tmp_path / "laid-out.db")
    migrations.migrate(tmp_path / "migrated.db")
    laid_out, migrated = (objects(tmp_path / name) for name in ("laid-out.db", "migrated.db"))
    assert laid_out == migrated
    migrations.migrate(tmp_path / "laid-out.db")
    assert objects(tmp_path / "laid-out.db") == migrated


def test_the_first_rows_are_of_the_moment(tmp_path: Path) -> None:
    """No time of the day on which the schema was written down stands in a new store."""
    before = int(time.time()) * 1_000_000
    migrations.lay_out(tmp_path / "store.db")
    with contextlib.closing(sqlite3.connect(tmp_path / "store.db")) as raw:
        ((created, changed),) = raw.execute("SELECT created_us, changed_us FROM template_registry").fetchall()
    assert before <= created == changed <= time.time() * 1_000_000


def objects(path: Path) -> tuple[list[tuple[str, str, str]], list[tuple[str]]]:
    """Everything that was made in the file, with its words, in its order; and its revision."""
    with contextlib.closing(sqlite3.connect(path)) as raw:
        made = raw.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
        return made, raw.execute("SELECT version_num FROM alembic_version").fetchall()


def schema(path: Path) -> dict[str, str]:
    """Name and words of every table and index, whatever the white space; alembic's own table is not ours."""
    with contextlib.closing(sqlite3.connect(path)) as raw:
        rows = raw.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'alembic_version'")
        return {name: " ".join(sql.split()) for name, sql in rows}
