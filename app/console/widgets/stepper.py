"""Stages of a long piece of work, one after the other: what is done, what runs, what failed, each with its time."""

from __future__ import annotations

import enum
from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.language import tr
from app.console.theme import icons
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import paint_shape


class StageState(enum.StrEnum):
    """State of one stage."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


STAGE_WORDS = {
    StageState.WAITING: tr("waiting"),
    StageState.RUNNING: tr("running"),
    StageState.DONE: tr("done"),
    StageState.FAILED: tr("failed"),
}


def fitted_detail(detail: str, metrics: QFontMetrics, room: int) -> str:
    """The detail as it is shown in ``room`` px: whole, or its time alone. The tooltip has it whole."""
    return detail if metrics.horizontalAdvance(detail) <= room else " ".join(detail.split()[-2:])


class Stepper(QWidget):
    """A row of stages. Under each name stands its detail, for example ``12 APDUs · 340 ms``."""

    def __init__(self, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = list(names)
        self._stages = [StageState.WAITING] * len(self._names)
        self._details = [""] * len(self._names)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._tell()

    def set_stage(self, index: int, stage: StageState, detail: str = "") -> None:
        """Set the state of stage ``index`` (from 0)."""
        self._stages[index], self._details[index] = stage, detail
        self._tell()
        self.update()

    def reset(self) -> None:
        """Set every stage to waiting."""
        self._stages = [StageState.WAITING] * len(self._names)
        self._details = [""] * len(self._names)
        self._tell()
        self.update()

    def stage(self, index: int) -> StageState:
        """State of stage ``index``."""
        return self._stages[index]

    def _tell(self) -> None:
        words = [STAGE_WORDS[stage] for stage in self._stages]
        said = ", ".join(f"{name} {word}" for name, word in zip(self._names, words, strict=True))
        self.setAccessibleName(said)
        self.setToolTip(
            "\n".join(
                f"{name}: {word}{' · ' + detail if detail else ''}"
                for name, word, detail in zip(self._names, words, self._details, strict=True)
            )
        )

    def sizeHint(self) -> QSize:
        return QSize(theme.px(96) * len(self._names), theme.px(64))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(60) * len(self._names), theme.px(64))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens = theme.current()
        count = max(1, len(self._names))
        width = self.width() / count
        side = theme.px(20)
        name_font, detail_font = theme.ui(12), theme.ui(11)
        for index, (name, stage) in enumerate(zip(self._names, self._stages, strict=True)):
            left = index * width
            box = QRectF(left + (width - side) / 2, 2, side, side)
            if index:
                reached = stage is not StageState.WAITING
                painter.setPen(QPen(QColor(tokens.accent if reached else tokens.line), 2))
                y = box.center().y()
                painter.drawLine(int(left - width / 2 + side / 2 + 6), int(y), int(box.left() - 6), int(y))
            self._paint_mark(painter, box, stage, index)
            painter.setFont(name_font)
            painter.setPen(QColor(tokens.dim if stage is StageState.WAITING else tokens.text))
            line = painter.fontMetrics().height()
            text = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, int(width - 4))
            painter.drawText(QRectF(left, side + 6, width, line), Qt.AlignmentFlag.AlignHCenter, text)
            painter.setFont(detail_font)
            painter.setPen(QColor(tokens.bad if stage is StageState.FAILED else tokens.dim))
            text = fitted_detail(self._details[index], painter.fontMetrics(), int(width - 4))
            text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(width - 4))
            painter.drawText(QRectF(left, side + 8 + line, width, line), Qt.AlignmentFlag.AlignHCenter, text)

    def _paint_mark(self, painter: QPainter, box: QRectF, stage: StageState, index: int) -> None:
        """Paint a stage's circle: with its number before the end, filled with a tick when done; a bad state's shape
        when failed."""
        tokens = theme.current()
        if stage is StageState.FAILED:
            paint_shape(painter, box.adjusted(3, 3, -3, -3), Meaning.BAD)
            return
        fill = {StageState.DONE: tokens.accent, StageState.RUNNING: tokens.panel, StageState.WAITING: tokens.panel}[
            stage
        ]
        edge = tokens.border if stage is StageState.WAITING else tokens.accent
        painter.setPen(QPen(QColor(edge), 1.5))
        painter.setBrush(QColor(fill))
        painter.drawEllipse(box)
        if stage is StageState.DONE:
            size = round(box.width() * 0.7)
            pixmap = icons.pixmap("check", tokens.on_fill, size, self.devicePixelRatioF())
            painter.drawPixmap(int(box.center().x() - size / 2), int(box.center().y() - size / 2 + 0.5), pixmap)
            return
        painter.setFont(theme.ui(11))
        painter.setPen(QColor(tokens.text if stage is StageState.RUNNING else tokens.dim))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(index + 1))
