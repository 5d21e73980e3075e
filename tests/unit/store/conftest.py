"""A store on a fresh training site, with the real log under it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from app.ledger.log.append import AuditLog
from app.ledger.tables import audit_entry
from app.site.site import Site
from app.store.engine import Store
from app.store.keys import Keys, find_kek
from app.store.tables import integer, table, text
from tests.own_tables import add_table

probe_row = table("test_probe_row", integer("id", primary_key=True), text("word", unique=True))
"""A table as a capability would declare one."""


class Opened:
    """A site and its open store."""

    def __init__(self, path: Path, **options: object) -> None:
        self.site = Site.open(path, "training")
        self.keys = Keys(self.site.keys_path, find_kek(self.site))
        self.log = AuditLog(self.site.origin("audit"), self.keys.ed25519("audit"))
        self.store = Store.open(self.site.store_path, self.log, sealer=self.keys.sealer, **options)  # type: ignore[arg-type]
        add_table(self.site.store_path, probe_row)

    def words(self) -> list[str]:
        """The words in the test's own table."""
        with self.store.read() as connection:
            return list(connection.scalars(select(probe_row.c.word).order_by(probe_row.c.id)))

    def actions(self) -> list[tuple[int, bytes]]:
        """``(seq, header)`` of every entry."""
        with self.store.read() as connection:
            rows = connection.execute(select(audit_entry.c.seq, audit_entry.c.header).order_by(audit_entry.c.seq))
            return [(row.seq, row.header) for row in rows]

    def close(self) -> None:
        """Close store and keys."""
        self.store.close()
        self.keys.close()


@pytest.fixture
def opening(tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Opens the store of the test's one site; closes all at the end."""
    made: list[Opened] = []

    def open_it(**options: object) -> Opened:
        made.append(Opened(tmp_path / "site", **options))
        return made[-1]

    yield open_it
    for opened in made:
        opened.close()


@pytest.fixture
def opened(opening: Callable[..., Opened]) -> Opened:
    """An open store on a fresh site."""
    return opening()
