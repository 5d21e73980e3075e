"""A person in a table: the name first, and the id beside it where there is room."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QWidget

from app.console.widgets.person_columns import person_column, person_columns

NAMES = {"ARC-T0001": "Training Person 01"}


class Desk:
    """Knows one person."""

    def person(self, node_id: str) -> str:
        """The name, or empty."""
        return NAMES.get(node_id, "")


@pytest.fixture
def view(application: Any, qtbot: Any) -> QWidget:
    """A view in a window whose desk knows names."""
    window = QWidget()
    window.table_desk = Desk()  # type: ignore[attr-defined]
    qtbot.addWidget(window)
    return QWidget(window)


def shown(view: QWidget | None, node_id: str | None) -> list[str | None]:
    """What both columns show of a row, and what of the first is copied and told by the pointer."""
    name, node = person_columns(view, lambda row: row)
    assert name.copied is not None
    assert name.hint is not None
    return [name.text(node_id), node.text(node_id), name.copied(node_id), name.hint(node_id)]  # type: ignore[arg-type]


def test_the_name_stands_before_the_id_and_is_copied_with_it(view: QWidget) -> None:
    """Programs need the id, people the name."""
    assert shown(view, "ARC-T0001") == [
        "Training Person 01", "ARC-T0001", "Training Person 01 (ARC-T0001)", "ARC-T0001",
    ]  # fmt: skip


@pytest.mark.parametrize("known", [True, False])
def test_whom_nobody_knows_is_told_by_the_id(view: QWidget, known: bool) -> None:
    """Also where no window knows names at all."""
    assert shown(view if known else None, "ARC-T0009") == ["ARC-T0009"] * 4


def test_a_row_of_nobody_has_a_dash(view: QWidget) -> None:
    """An entry of the service itself has no person."""
    assert shown(view, None) == ["–", "–", "–", ""]


def test_one_column_has_the_name_and_tells_both(view: QWidget) -> None:
    """Where there is no room for two."""
    column = person_column(view, str)
    assert column.hint is not None
    assert [(column.text(one), column.hint(one)) for one in ("ARC-T0001", "ARC-T0009")] == [
        ("Training Person 01", "Training Person 01\nARC-T0001"),
        ("ARC-T0009", "ARC-T0009"),
    ]
