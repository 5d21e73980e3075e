"""The grid of server frames: ONE painted widget for hundreds of cells, each with shape, short name and history.

Two layers. What changes rarely (ground, names, shapes, captions) is one cached pixmap. What changes with every
measurement (the histories) is drawn by numpy straight into the memory of one image a row of cells and copied to the
screen: a polygon a cell costs 16 ms for 200 cells of 600 points, this a fraction of it (tests/perf/grid.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.console import theme
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.grid_fit import GAP, LABEL_HEIGHT, LABEL_WIDTH, WIDEST, fit_cells
from app.console.widgets.histories import argb, curves, mix
from app.console.widgets.marks import paint_shape

CAPTION = 18
NAME = 11
WALL_CAPTION, WALL_NAME = 36, 14
WALL_ROW_FROM = 60
"""Of the grid of a wall display, which is read from afar; px at 100 % text."""
"""Height of a group's caption, px."""


@dataclass(frozen=True)
class GridNode:
    """One cell. ``word`` is the state's word, ``detail`` further lines of the tooltip."""

    id: str
    group: str = ""
    state: Meaning = Meaning.IDLE
    word: str = tr("Unknown")
    detail: str = ""


@dataclass(frozen=True)
class _Cell:
    at: int
    box: QRect


def short_names(ids: Sequence[str], least: int = 4) -> list[str]:
    """For each id its shortest suffix, of at least ``least`` characters, that no other id ends with.

    A suffix begins at a character that is no separator. Ids that repeat keep their whole text.
    """
    ending: dict[str, int] = {}
    for name in ids:
        for size in range(1, len(name) + 1):
            ending[name[-size:]] = ending.get(name[-size:], 0) + 1
    made = []
    for name in ids:
        found = next((size for size in range(min(least, len(name)), len(name) + 1) if ending[name[-size:]] == 1), None)
        short = name if found is None else name[-found:]
        stripped = short.lstrip("-._:")
        made.append(stripped if ending.get(stripped) == 1 else short)
    return made


class NodeGrid(QWidget):
    """Arrow keys move, Enter or a click opens. ``current_changed`` and ``opened`` give the node's id. ``wall``: it is
    read from afar, with larger names and each group in one line."""

    current_changed = Signal(str)
    opened = Signal(str)

    def __init__(self, name: str = tr("Server frames"), parent: QWidget | None = None, *, wall: bool = False) -> None:
        super().__init__(parent)
        self._name = name
        self._wall = wall
        self._caption, self._ink = (WALL_CAPTION, WALL_NAME) if wall else (CAPTION, NAME)
        self._nodes: list[GridNode] = []
        self._names: list[str] = []
        self._groups: list[tuple[str, list[int]]] = []
        self._cells: list[_Cell] = []
        self._by_id: dict[str, int] = {}
        self._cell_of: dict[int, _Cell] = {}
        self._lines: list[list[_Cell]] = []
        self._cell = QSize(LABEL_WIDTH, LABEL_HEIGHT)
        self._labels = True
        self._layer: QPixmap | None = None
        self._values: npt.NDArray[np.float32] = np.empty((0, 0), dtype=np.float32)
        self._images: list[tuple[QPoint, QImage, npt.NDArray[np.uint32]]] = []
        self._drawn = False
        self._current = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(200, 120)
        # Every pixel is painted here: Qt need not clear the ground first.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(name)

    # --- data --------------------------------------------------------------------------------------------------------

    def set_nodes(self, nodes: Sequence[GridNode]) -> None:
        """Show these nodes, grouped in the order in which their groups first appear. Values belong to them by
        position, so call ``set_values`` after it."""
        if list(nodes) == self._nodes:
            return
        same = [node.id for node in nodes] == [node.id for node in self._nodes]
        same = same and [node.group for node in nodes] == [node.group for node in self._nodes]
        current = self.current
        self._nodes = list(nodes)
        self._layer = None
        if not same:
            self._names = short_names([node.id for node in nodes])
            self._by_id = {node.id: at for at, node in enumerate(nodes)}
            groups: dict[str, list[int]] = {}
            for at, node in enumerate(nodes):
                groups.setdefault(node.group, []).append(at)
            self._groups = list(groups.items())
            self._current = self._by_id.get(current, -1)
            self._values = np.empty((0, 0), dtype=np.float32)
            self._arrange()
        self._tell()
        self.update()

    def set_values(self, values: npt.NDArray[np.float32]) -> None:
        """Histories, oldest first: shape (nodes, samples), NaN where nothing was measured, any positive unit. All cells
        share one logarithmic scale: they can be compared, and one slow node does not flatten the others."""
        if values.shape[0] != len(self._nodes):
            raise ValueError(f"{values.shape[0]} rows for {len(self._nodes)} nodes")
        self._values = values
        self._drawn = False
        self.update()

    @property
    def current(self) -> str:
        """Id of the node under the cursor; empty when there is none."""
        return self._nodes[self._current].id if 0 <= self._current < len(self._nodes) else ""

    def set_current(self, node_id: str) -> None:
        """Move the cursor."""
        at = self._by_id.get(node_id, -1)
        if at != self._current:
            self._current = at
            self._tell()
            self.update()
            self.current_changed.emit(self.current)

    def _tell(self) -> None:
        name = f"{self._name}: {len(self._nodes)}"
        if self.current:
            node = self._nodes[self._current]
            name += f". {node.id}, {node.word}" + (f", {node.detail.splitlines()[0]}" if node.detail else "")
        self.setAccessibleName(name)

    # --- layout ------------------------------------------------------------------------------------------------------

    def _arrange(self) -> None:
        """Give every cell its place for the size that the widget has now."""
        self._layer = None
        self._drawn = False
        self._cells, self._lines, self._images = [], [], []
        self._cell_of = {}
        if not self._nodes or self.width() < 8 or self.height() < 8:
            return
        caption = theme.px(self._caption)
        captions = sum(1 for group, _ in self._groups if group) * caption
        room = QSize(self.width(), self.height() - captions)
        sizes = [len(members) for _, members in self._groups]
        fit = fit_cells(sizes, room, row_from=WALL_ROW_FROM, highest=WIDEST) if self._wall else fit_cells(sizes, room)
        self._cell, self._labels, columns = fit.cell, fit.labels, fit.columns
        y = 0
        for group, members in self._groups:
            if group:
                y += caption
            for start in range(0, len(members), columns):
                line = []
                for position, at in enumerate(members[start : start + columns]):
                    left = position * (self._cell.width() + GAP)
                    cell = _Cell(at, QRect(QPoint(left, y), self._cell))
                    line.append(cell)
                    self._cells.append(cell)
                    self._cell_of[at] = cell
                self._lines.append(line)
                y += self._cell.height() + GAP

    def _spark(self) -> QRect:
        """Where the history lies within a cell, logical px: under the name, beside the shape where there is no name,
        nowhere in a cell that only has room for the shape."""
        width, height = self._cell.width(), self._cell.height()
        if self._labels:
            top = theme.px(self._ink + 9)
            return QRect(4, top, width - 8, max(8, height - top - 3))
        left = theme.px(8) + 5
        if width < left + 12:
            return QRect()
        return QRect(left, 2, width - left - 3, height - 4)

    # --- painting ----------------------------------------------------------------------------------------------------

    def _paint_layer(self) -> QPixmap:
        """Paint what changes rarely: ground, captions, shapes and names."""
        ratio = self.devicePixelRatioF()
        layer = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
        layer.setDevicePixelRatio(ratio)
        tokens = theme.current()
        layer.fill(QColor(tokens.panel))
        painter = QPainter(layer)
        title = 18 if self._wall else NAME
        painter.setFont(theme.ui(title, painter.font().Weight.DemiBold))
        painter.setPen(QColor(tokens.dim))
        caption = theme.px(self._caption)
        for group, members in self._groups:
            first = self._cell_of.get(members[0])
            if group and first is not None:
                box = QRect(3, first.box.top() - caption, self.width() - 3, caption - 2)
                flags = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)
                painter.drawText(box, flags, f"{group}  {len(members)}")
        for cell in self._cells:
            painter.fillRect(cell.box, QColor(tokens.raised))
            if self._labels:
                self._paint_label(painter, cell)
            else:
                self._paint_bare_shape(painter, cell)
        if not self._labels and self._cells:
            painter.setFont(theme.ui(11))
            painter.setPen(QColor(tokens.dim))
            text = tr("Names are hidden at this size; point at a cell or use the list.")
            box = self.rect().adjusted(0, 0, -4, -2)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom), text)
        painter.end()
        return layer

    def _paint_label(self, painter: QPainter, cell: _Cell) -> None:
        """The shape of a node's state, and its short name beside it."""
        node, side, tokens = self._nodes[cell.at], theme.px(10 if self._wall else 8), theme.current()
        top = cell.box.top() + theme.px(6)
        paint_shape(painter, QRectF(cell.box.left() + 6, top + theme.px(2), side, side), node.state)
        painter.setFont(theme.ui(self._ink))
        painter.setPen(QColor(tokens.text if node.state is not Meaning.IDLE else tokens.dim))
        left = cell.box.left() + 6 + side + theme.px(5)
        room = QRectF(left, cell.box.top() + 2, cell.box.right() - left - 3, theme.px(self._ink + 7))
        name = painter.fontMetrics().elidedText(self._names[cell.at], Qt.TextElideMode.ElideLeft, int(room.width()))
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)

    def _paint_bare_shape(self, painter: QPainter, cell: _Cell) -> None:
        """The shape of a node's state alone: at the left of its history, or in the middle where that has no room."""
        small = min(theme.px(8), cell.box.width() - 2, cell.box.height() - 2)
        inset = 2.0 if not self._spark().isEmpty() else (cell.box.width() - small) / 2
        above = (cell.box.height() - small) / 2
        place = QRectF(cell.box.left() + inset, cell.box.top() + above, small, small)
        paint_shape(painter, place, self._nodes[cell.at].state)

    def _line_image(
        self, line: list[_Cell], spark: QRect, size: tuple[int, int, int], ratio: float
    ) -> tuple[QPoint, QImage, npt.NDArray[np.uint32]]:
        """Image of one line's histories and the pixels that it shares. Between two of them lie the shape of the next
        cell and the gap: those parts are left transparent."""
        width, height, pitch = size
        total = (len(line) - 1) * pitch + width
        pixels = np.zeros((height, total), dtype=np.uint32)
        # The image does not own its memory: the array is kept beside it.
        image = QImage(pixels.data, total, height, total * 4, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(ratio)
        return line[0].box.topLeft() + spark.topLeft(), image, pixels

    def _inks(self) -> npt.NDArray[np.uint32]:
        """The colours of each node's line and of the area below it: shape (nodes, 2)."""
        tokens = theme.current()
        inks = np.empty((len(self._nodes), 2), dtype=np.uint32)
        # What is well keeps quiet, so that what is not draws the eye.
        shades = {
            state: mix(tokens.state(state), tokens.raised, 0.7 if state is Meaning.OK else 1.0) for state in Meaning
        }
        tints = {
            state: mix(tokens.state(state), tokens.raised, 0.14 if state is Meaning.OK else 0.3) for state in Meaning
        }
        for at, node in enumerate(self._nodes):
            inks[at] = shades[node.state], tints[node.state]
        return inks

    def _draw_values(self) -> None:
        """Draw all histories into the images of the lines."""
        ratio = self.devicePixelRatioF()
        spark = self._spark()
        width = max(1, round(spark.width() * ratio))
        height = max(1, round(spark.height() * ratio))
        pitch = round((self._cell.width() + GAP) * ratio)
        raised = argb(theme.current().raised)
        if not self._images:
            for line in self._lines:
                self._images.append(self._line_image(line, spark, (width, height, pitch), ratio))
        under, on = curves(self._values, width, height)
        inks = self._inks()
        cells = np.where(under, inks[:, 1, None, None], np.uint32(raised))
        np.copyto(cells, inks[:, 0, None, None], where=on)
        for line, (_, _, pixels) in zip(self._lines, self._images, strict=True):
            for position, cell in enumerate(line):
                left = position * pitch
                pixels[:, left : left + width] = cells[cell.at]
        self._drawn = True

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._layer is None or self._layer.devicePixelRatio() != self.devicePixelRatioF():
            self._images = []
            self._drawn = False
            self._layer = self._paint_layer()
        painter.drawPixmap(0, 0, self._layer)
        if self._values.size and self._cells and not self._spark().isEmpty():
            if not self._drawn:
                self._draw_values()
            for origin, image, _ in self._images:
                painter.drawImage(origin, image)
        # A cell that is not well has a full frame in its colour: seen from across the room.
        for state in (Meaning.WARN, Meaning.BAD, Meaning.CRIT):
            unwell = [cell.box.adjusted(0, 0, -1, -1) for cell in self._cells if self._nodes[cell.at].state is state]
            if unwell:
                painter.setPen(QPen(QColor(theme.current().state(state)), 1))
                painter.drawRects(unwell)
        cell = self._cell_of.get(self._current)
        if cell is not None:
            tokens = theme.current()
            colour = tokens.accent if self.hasFocus() else tokens.dim
            painter.setPen(QPen(QColor(colour), 2))
            painter.drawRect(cell.box.adjusted(0, 0, -1, -1))
        elif self.hasFocus():
            painter.setPen(QPen(QColor(theme.current().accent), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))

    # --- hands -------------------------------------------------------------------------------------------------------

    def node_at(self, point: QPoint) -> str:
        """Id of the node at a point of the widget; empty between cells."""
        return next((self._nodes[cell.at].id for cell in self._cells if cell.box.contains(point)), "")

    def box_of(self, node_id: str) -> QRect:
        """Where a node's cell is; an empty rectangle for an unknown one."""
        cell = self._cell_of.get(self._by_id.get(node_id, -1))
        return QRect() if cell is None else QRect(cell.box)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        node_id = self.node_at(event.position().toPoint())
        if node_id and event.button() == Qt.MouseButton.LeftButton:
            self.set_current(node_id)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        node_id = self.node_at(event.position().toPoint())
        if node_id and event.button() == Qt.MouseButton.LeftButton:
            self.opened.emit(node_id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current:
            self.opened.emit(self.current)
        elif key in (
            Qt.Key.Key_Left,
            Qt.Key.Key_Right,
            Qt.Key.Key_Home,
            Qt.Key.Key_End,
            Qt.Key.Key_Up,
            Qt.Key.Key_Down,
        ):
            self._move(key)
        else:
            super().keyPressEvent(event)

    def _move(self, key: int) -> None:
        """Move the cursor by an arrow key, Home or End; it stays within the grid."""
        if not self._cells:
            return
        order = [cell.at for cell in self._cells]
        if self._current not in order:
            self.set_current(self._nodes[order[0]].id)
            return
        position = order.index(self._current)
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            line = next(at for at, cells in enumerate(self._lines) if any(c.at == self._current for c in cells))
            column = next(at for at, cell in enumerate(self._lines[line]) if cell.at == self._current)
            line = min(max(line + (1 if key == Qt.Key.Key_Down else -1), 0), len(self._lines) - 1)
            cells = self._lines[line]
            self.set_current(self._nodes[cells[min(column, len(cells) - 1)].at].id)
            return
        step = {
            int(Qt.Key.Key_Left): position - 1,
            int(Qt.Key.Key_Right): position + 1,
            int(Qt.Key.Key_Home): 0,
            int(Qt.Key.Key_End): len(order) - 1,
        }[int(key)]
        self.set_current(self._nodes[order[min(max(step, 0), len(order) - 1)]].id)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            node_id = self.node_at(event.pos())
            if node_id:
                node = self._nodes[self._by_id[node_id]]
                QToolTip.showText(event.globalPos(), f"{node.id}\n{node.word}\n{node.detail}".rstrip(), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._arrange()
        super().changeEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(800, 320)
