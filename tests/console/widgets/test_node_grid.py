"""The painted grid of server frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from app.console import theme
from app.console.theme.tokens import Meaning
from app.console.widgets.node_grid import GridNode, NodeGrid, short_names


@given(st.lists(st.text("abc-1", min_size=1, max_size=8), unique=True, max_size=12))
def test_short_names_tell_nodes_apart(ids: list[str]) -> None:
    """Each is an ending of its id and of no other id, or the whole id."""
    for name, short in zip(ids, short_names(ids), strict=True):
        assert name.endswith(short)
        assert short == name or sum(other.endswith(short) for other in ids) == 1


def nodes(count: int = 12, bad: int = 3) -> list[GridNode]:
    """Nodes of two groups, one of them unreachable."""
    return [
        GridNode(
            f"FRAME-{at:03d}",
            "Left" if at < count // 2 else "Right",
            Meaning.BAD if at == bad else Meaning.OK,
            "Unreachable" if at == bad else "Operational",
            "2.41 ms",
        )
        for at in range(count)
    ]


@pytest.fixture
def grid(application: QApplication, qtbot: Any) -> NodeGrid:
    """A shown grid of 12 nodes with histories."""
    made = NodeGrid()
    qtbot.addWidget(made)
    made.resize(700, 300)
    made.set_nodes(nodes())
    made.set_values(np.full((12, 60), 2.0, dtype=np.float32))
    made.show()
    return made


def colours(grid: NodeGrid, node_id: str) -> set[str]:
    """Colours that are painted in a node's cell."""
    image = grid.grab(grid.box_of(node_id)).toImage()
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def test_a_cell_carries_its_state_s_colour(grid: NodeGrid) -> None:
    """The unreachable one and no other has the colour of trouble."""
    bad = QColor(theme.current().bad).name()
    assert [node.id for node in nodes() if bad in colours(grid, node.id)] == ["FRAME-003"]


def test_a_history_is_drawn_where_there_is_one(grid: NodeGrid) -> None:
    """NaN leaves the cell empty, a value does not."""
    values = np.full((12, 60), 2.0, dtype=np.float32)
    values[5] = np.nan
    grid.set_values(values)
    empty, drawn = colours(grid, "FRAME-005"), colours(grid, "FRAME-006")
    assert len(drawn - empty) >= 1


def test_a_change_of_state_is_painted(grid: NodeGrid) -> None:
    """The cached layer is made anew."""
    grid.set_nodes(nodes(bad=4))
    grid.set_values(np.full((12, 60), 2.0, dtype=np.float32))
    assert QColor(theme.current().bad).name() not in colours(grid, "FRAME-003")


def test_arrow_keys_walk_the_cells(grid: NodeGrid, qtbot: Any) -> None:
    """Right, down into the next group, Home, End, Enter."""
    opened: list[str] = []
    grid.opened.connect(opened.append)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Home):
        qtbot.keyClick(grid, key)
    assert grid.current == "FRAME-000"
    qtbot.keyClick(grid, Qt.Key.Key_End)
    qtbot.keyClick(grid, Qt.Key.Key_Return)
    assert opened == ["FRAME-011"]


def test_down_reaches_the_other_group(grid: NodeGrid, qtbot: Any) -> None:
    """Groups are no walls."""
    grid.set_current("FRAME-001")
    for _ in range(12):
        qtbot.keyClick(grid, Qt.Key.Key_Down)
    assert int(grid.current[-3:]) >= 6


def test_the_cursor_is_read_out(grid: NodeGrid) -> None:
    """Id, word and value of the current cell are the widget's accessible name."""
    grid.set_current("FRAME-003")
    assert "FRAME-003, Unreachable, 2.41 ms" in grid.accessibleName()


def test_a_click_finds_its_cell(grid: NodeGrid, qtbot: Any) -> None:
    """The cell under the pointer becomes current."""
    qtbot.mouseClick(grid, Qt.MouseButton.LeftButton, pos=grid.box_of("FRAME-007").center())
    assert grid.current == "FRAME-007"


def test_values_of_other_nodes_are_refused(grid: NodeGrid) -> None:
    """A history must not stand in another node's cell."""
    with pytest.raises(ValueError, match="11 rows for 12 nodes"):
        grid.set_values(np.zeros((11, 4), dtype=np.float32))


@pytest.mark.parametrize("count", [0, 1, 200, 1500])
def test_any_number_of_nodes_fits(application: QApplication, qtbot: Any, count: int) -> None:
    """All cells lie inside the widget; too small for names, they say so by their size."""
    made = NodeGrid()
    qtbot.addWidget(made)
    made.resize(900, 500)
    made.set_nodes(nodes(count))
    made.set_values(np.ones((count, 30), dtype=np.float32))
    made.show()
    made.grab()
    assert all(made.rect().contains(made.box_of(node.id)) for node in nodes(count))
