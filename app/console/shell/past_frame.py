"""What lies round the page while the window shows the past: an amber frame with the moment in it.

It stands in the margin that every page has, so that nothing on the page moves.
"""

from __future__ import annotations

from PySide6 import QtCore
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.console import theme
from app.console.language import tr

MARGIN = 16
"""Of a page, px at any text size."""
EDGE = 3
BAR_PX = 15
"""Less than the margin: the frame of the first panel stays in sight."""
BACK = tr("Esc for live")


class PastCover(QWidget):
    """The frame itself: painted over the page, and never in the way of the pointer."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(QtCore.Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.moment, self.sentence = "", ""

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens, painter = theme.current(), QPainter(self)
        box, bar = QRectF(self.rect()), float(theme.px(BAR_PX))
        amber, dark = QColor(tokens.band), QColor(tokens.stripe)
        for side in (
            QRectF(0, 0, box.width(), bar),
            QRectF(0, 0, EDGE, box.height()),
            QRectF(box.width() - EDGE, 0, EDGE, box.height()),
            QRectF(0, box.height() - EDGE, box.width(), EDGE),
        ):
            painter.fillRect(side, amber)
        # Yellow alone is faint on a light page.
        painter.setPen(QPen(QColor(tokens.warn), 1))
        painter.drawRect(QRectF(EDGE - 0.5, bar - 0.5, box.width() - 2 * EDGE + 1, box.height() - bar - EDGE + 1))
        painter.setPen(dark)
        painter.setFont(theme.ui(12, QFont.Weight.Bold))
        measure = painter.fontMetrics()
        top = (bar - measure.height()) / 2 + measure.ascent()
        left = float(MARGIN)
        painter.drawText(QPointF(left, top), self.moment)
        left += measure.horizontalAdvance(self.moment) + theme.px(12)
        back = measure.horizontalAdvance(BACK)
        painter.drawText(QPointF(box.width() - MARGIN - back, top), BACK)
        painter.setFont(theme.ui(12, QFont.Weight.Medium))
        measure = painter.fontMetrics()
        room = int(box.width() - MARGIN - back - theme.px(12) - left)
        words = measure.elidedText(self.sentence, QtCore.Qt.TextElideMode.ElideRight, max(0, room))
        painter.drawText(QPointF(left, top), words)


class PastFrame(QWidget):
    """Holds ``content``, and the frame over it while ``show_past`` says so."""

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(content)
        self._cover: PastCover | None = None

    @property
    def words(self) -> str:
        """What the frame says; empty while it is away."""
        cover = self._cover
        return "" if cover is None or cover.isHidden() else f"{cover.moment} {cover.sentence} {BACK}"

    def show_past(self, moment: str, sentence: str) -> None:
        """Frame the content: ``moment`` is ``PAST 14:32:07Z``, ``sentence`` what of the page shows it. The empty moment
        takes the frame away."""
        if not moment:
            if self._cover is not None:
                self._cover.hide()
                self._column.setContentsMargins(0, 0, 0, 0)
            return
        if self._cover is None:
            self._cover = PastCover(self)
        cover = self._cover
        cover.moment, cover.sentence = moment, sentence
        cover.setAccessibleName(f"{moment}. {sentence} {BACK}")
        self._make_room()
        cover.setGeometry(self.rect())
        cover.show()
        cover.raise_()
        cover.update()

    def _make_room(self) -> None:
        """With larger text the bar is higher than the page's margin: only then the page gives way."""
        self._column.setContentsMargins(0, max(0, theme.px(BAR_PX) + 1 - MARGIN), 0, 0)

    def dress(self) -> None:
        """The look has changed. To be called by the window: what lies round the pages wears no style, and hears of
        none."""
        if self.words:
            self._make_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._cover is not None:
            self._cover.setGeometry(self.rect())
