"""Grid of 200 server frames with 600 samples each, against one bare painted widget, in the same run.

The peer paints the same histories the plain way: one widget, one filled polygon a cell, no names, no shapes, no
captions. Both are decimated to the pixel columns by the same code, so the ratio is what the grid's own painting costs.
Figures are CPU milliseconds of the GUI thread a frame (median of 60). Goal: at most 1.3 times and 20 ms.
``python -m tests.perf.grid`` prints the ratio.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import shiboken6
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QApplication, QWidget

from app.console import theme
from app.console.application import make_application
from app.console.theme.tokens import DARK, Meaning
from app.console.widgets.histories import columns_of
from app.console.widgets.node_grid import GridNode, NodeGrid
from tests.perf.report import Row, run

NODES, SAMPLES, FRAMES, GOAL = 200, 600, 60, 1.3
WIDTH, HEIGHT = 1400, 820


class BarePaintedWidget(QWidget):
    """The peer: 200 polygons, nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.values: npt.NDArray[np.float32] = np.zeros((NODES, SAMPLES), dtype=np.float32)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(DARK.panel))
        painter.setPen(QColor(DARK.ok))
        painter.setBrush(QColor(DARK.ok))
        columns, cell_width, cell_height = 20, self.width() // 20, self.height() // 10
        width = cell_width - 12
        low, high = columns_of(self.values, width)
        scale = (cell_height - 24) / 8.0
        x = np.arange(width, dtype=np.float64)
        for at in range(NODES):
            left, base = (at % columns) * cell_width + 4.0, (at // columns + 1) * cell_height - 4.0
            upper = base - high[at].astype(np.float64) * scale
            lower = (base - low[at].astype(np.float64) * scale)[::-1]
            polygon = QPolygonF()
            polygon.resize(2 * width)
            memory = shiboken6.VoidPtr(polygon.data(), 2 * width * 16, True)
            points = np.frombuffer(memory, dtype=np.float64).reshape(-1, 2)
            points[:width, 0], points[:width, 1] = left + x, upper
            points[width:, 0], points[width:, 1] = left + x[::-1], lower
            painter.drawPolygon(polygon)


def frame_cost(application: QApplication, widget: QWidget, put: Callable[[int], None]) -> float:
    """Median CPU ms of the GUI thread for one frame; ``put`` gives the widget the data of frame k."""
    widget.resize(WIDTH, HEIGHT)
    widget.show()
    application.processEvents()
    costs = []
    for frame in range(FRAMES):
        put(frame)
        began = time.thread_time()
        widget.repaint()
        costs.append((time.thread_time() - began) * 1000)
    widget.hide()
    return statistics.median(costs)


def measure() -> Row:
    """CPU ms a frame of both and their ratio."""
    application = make_application()
    theme.apply(application, DARK)
    random = np.random.default_rng(7)
    data = (2 + random.gamma(2, 0.4, (NODES, SAMPLES + FRAMES))).astype(np.float32)
    grid = NodeGrid()
    theme.wear(grid)
    grid.resize(WIDTH, HEIGHT)
    grid.set_nodes([GridNode(f"FRAME-{at:04d}", "Frames", Meaning.OK, "Operational", "") for at in range(NODES)])
    bare = BarePaintedWidget()

    def put_grid(frame: int) -> None:
        grid.set_values(data[:, frame : frame + SAMPLES])

    def put_bare(frame: int) -> None:
        bare.values = data[:, frame : frame + SAMPLES]

    peer = frame_cost(application, bare, put_bare)
    ours = frame_cost(application, grid, put_grid)
    ratio = ours / peer
    return Row(
        "grid of 200 nodes, CPU a frame",
        "ms",
        ours,
        peer,
        ratio,
        f"<= {GOAL}x, <= 20 ms",
        "one bare painted widget",
        ratio <= GOAL and ours <= 20.0,
    )


ROWS = (measure,)

if __name__ == "__main__":
    run(ROWS)
