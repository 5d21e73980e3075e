"""How a cell is painted and what it shows, apart from the table that it stands in."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QStandardItem, QStandardItemModel

from app.console.theme.tokens import Meaning
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.table_cells import MARK_ROLE, MONO_ROLE, STATE_ROLE, CellDelegate, CellFace, face_of


@pytest.fixture
def cells(application: Any, qtbot: Any) -> CellDelegate:
    """The cells of a table of words."""
    table = DataTable(RowsModel[str]([Column("WORD", lambda row: row)], lambda row: row), name="Words")
    qtbot.addWidget(table)
    return CellDelegate(table)


def test_a_text_without_room_loses_its_end_and_an_id_its_middle(cells: CellDelegate) -> None:
    """The ends of ids tell them apart."""
    text = "training-directory-0042"
    shown = [cells._fit(text, mono, 90) for mono in (False, True)]
    assert shown[0].endswith("…")
    assert shown[0].startswith("train")
    assert (shown[1][:3], shown[1][-3:]) == ("tra", "042")
    assert "…" in shown[1]


def test_a_text_is_shown_whole_again_when_there_is_room(cells: CellDelegate) -> None:
    """What is kept is kept for one width."""
    assert [cells._fit("a reader of the north tower", False, width) for width in (40, 900)][1] == (
        "a reader of the north tower"
    )


def test_a_model_that_knows_no_faces_is_asked_role_by_role(application: Any) -> None:
    """Lists of dialogs are plain models of Qt."""
    plain, full = QStandardItem("north"), QStandardItem("12")
    plain.setTextAlignment(Qt.AlignmentFlag.AlignLeft)
    full.setData(Meaning.WARN, STATE_ROLE)
    full.setData(True, MONO_ROLE)
    full.setData(True, MARK_ROLE)
    full.setData(QColor("red"), Qt.ItemDataRole.ForegroundRole)
    full.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    model = QStandardItemModel()
    for item in (plain, full, QStandardItem()):
        model.appendRow(item)
    assert [face_of(model.index(at, 0)) for at in range(3)] == [
        CellFace("north"),
        CellFace("12", Meaning.WARN, mono=True, dim=True, right=True, marked=True),
        CellFace(""),
    ]
