"""What a window does for its tables."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QWidget

from app.console.file_dialog import FileDialog
from app.console.session import WindowSession
from app.console.table_desk import TableDesk
from app.console.table_layout import AS_MADE, TableLayout
from app.console.widgets.table import Column, DataTable, RowsModel
from tests.console.conftest import Run, until

Row = tuple[str, str]


@pytest.fixture
def window(session: WindowSession, qtbot: Any) -> QWidget:
    """A window with a desk and a table of three rows, two columns of which are shown, the second one first."""
    made = QWidget()
    made.table_desk = TableDesk(session, made)  # type: ignore[attr-defined]
    rows = RowsModel[Row](
        [
            Column("KEY ID", lambda row: row[0], 120),
            Column("LABEL", lambda row: row[1], 120),
            Column("HIDDEN", lambda row: "never", 120),
        ],
        lambda row: row[0],
    )
    rows.set_rows([("k1", "=cmd()"), ("k2", "two\nlines"), ("k3", "plain")])
    DataTable(rows, name="Keys of the site", parent=made).resize(600, 200)
    qtbot.addWidget(made)
    made.resize(600, 300)
    made.show()
    return made


def test_rows_are_saved_as_they_are_shown(window: QWidget, session: WindowSession, run: Run, tmp_path: Path) -> None:
    """In the order of the columns, without those that are hidden, and with no cell that a spreadsheet would run."""
    table = window.findChild(DataTable)
    assert table is not None
    table.head.shift(1, -1)
    table.head.show_column(2, False)
    said: list[str] = []
    session.toast.connect(lambda text, *_rest: said.append(text))

    async def work() -> None:
        table.save_rows()
        dialog = window.findChild(FileDialog)
        assert dialog is not None
        assert dialog.name.text() == "keys-of-the-site.csv"
        dialog.chosen.emit([tmp_path / "keys.csv"])
        await until(lambda: said, "the message")

    run(work())
    with (tmp_path / "keys.csv").open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [["Label", "Key ID"], ["'=cmd()", "k1"], ["two\nlines", "k2"], ["plain", "k3"]]
    assert said == [f"“Keys of the site”, 3 rows, is in {tmp_path.name}/keys.csv."]
    assert (tmp_path / "keys.csv").stat().st_mode & 0o777 == 0o600


def test_a_desk_keeps_tables_in_the_preferences(window: QWidget, session: WindowSession) -> None:
    """Under their name."""
    desk: TableDesk = window.table_desk  # type: ignore[attr-defined]
    assert desk.layout_of("Keys of the site") == AS_MADE
    desk.keep_layout("Keys of the site", TableLayout(sort="LABEL"))
    assert session.preferences.value.tables == {"Keys of the site": TableLayout(sort="LABEL")}
    assert desk.layout_of("Keys of the site").sort == "LABEL"
