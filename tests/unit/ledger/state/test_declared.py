"""Every table of the product says whether the audit log states its rows, and if not, why."""

from __future__ import annotations

import app.service.assembly
from app.ledger.state.declared import CLOSING, DECIDES, LOOSE, LOOSE_COLUMNS, PROVEN, RECORDS
from app.store.tables import metadata

assert app.service.assembly.TABLE  # Imported for its tables: the service's import declares all of them.


def tables() -> list[str]:
    """The product's tables; those of tests do not count."""
    return sorted(name for name in metadata.tables if not name.startswith(("test_", "sample_")))


def test_every_table_stands_in_one_list() -> None:
    """A new table that stands nowhere is red here: rows that somebody obeys belong to ``DECIDES``."""
    listed = [*DECIDES, *RECORDS, *PROVEN, *LOOSE]
    assert sorted(set(tables()) - set(listed)) == [], "say in app/ledger/state/declared.py what fsck does with these"
    assert sorted(set(listed) - set(tables())) == [], "these tables are gone"
    assert len(listed) == len(set(listed)), "a table stands there twice"
    assert CLOSING <= DECIDES


def test_what_is_left_out_has_a_reason() -> None:
    """Tables and columns that fsck does not derive say why; such a column is there and is no part of a key."""
    assert all(len(reason.split()) > 3 for reason in (*PROVEN.values(), *LOOSE.values(), *LOOSE_COLUMNS.values()))
    for name in LOOSE_COLUMNS:
        table, column = name.split(".")
        assert table in DECIDES | RECORDS
        assert not metadata.tables[table].columns[column].primary_key


def test_every_covered_table_has_a_key() -> None:
    """The key names the row that differs."""
    assert all(len(metadata.tables[name].primary_key) for name in DECIDES | RECORDS)
