"""Labels in the roles that the style sheet knows, and the panel that sections live in."""

from __future__ import annotations

from PySide6 import QtCore
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.console import theme
from app.console.widgets.breadth import TEXT


def label(
    text: str = "", role: str = "", *, wrap: bool = False, selectable: bool = False, centred: bool = False
) -> QLabel:
    """A plain-text label; ``role`` is title, heading, caps, dim, small, kpi, mono, error or key."""
    made = WrappedLabel(text) if wrap and not centred and not selectable else QLabel(text)
    # As strings: labels are on the first frame, before which nothing may touch Qt's enumerations.
    made.setProperty("textFormat", "PlainText")
    if centred:
        made.setProperty("alignment", "AlignCenter")
    if role:
        made.setProperty("role", role)
    if role in ("mono", "key"):
        made.setFont(theme.mono())
    if wrap:
        made.setWordWrap(True)
        # A wrapping label must be allowed to be narrow, else it dictates the width of its page.
        made.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    if selectable:
        made.setTextInteractionFlags(
            QtCore.Qt.TextInteractionFlag.TextSelectableByMouse | QtCore.Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
    return made


class WrappedLabel(QLabel):
    """Text in lines of at most ``TEXT`` px at 100 % text, at the left of its place, however wide that is."""

    def heightForWidth(self, width: int, /) -> int:
        return super().heightForWidth(min(width, theme.px(TEXT)))

    def paintEvent(self, event: QPaintEvent) -> None:
        place = self.contentsRect()
        if place.width() <= theme.px(TEXT):
            super().paintEvent(event)
            return
        place.setWidth(theme.px(TEXT))
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        painter.drawText(place, int(self.alignment()) | int(QtCore.Qt.TextFlag.TextWordWrap), self.text())


class ElidedLabel(QLabel):
    """One line that is cut in the middle when there is no room; the whole text is then the tooltip."""

    def __init__(self, text: str = "", role: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("textFormat", "PlainText")
        if role:
            self.setProperty("role", role)
        if role == "mono":
            self.setFont(theme.mono())
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(text)
        self._tell()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell()

    @property
    def elided(self) -> bool:
        """Whether the text has no room."""
        return self.fontMetrics().horizontalAdvance(self.text()) > self.contentsRect().width()

    def _tell(self) -> None:
        self.setToolTip(self.text() if self.elided else "")

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.elided:
            super().paintEvent(event)
            return
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        middle = QtCore.Qt.TextElideMode.ElideMiddle
        text = self.fontMetrics().elidedText(self.text(), middle, self.contentsRect().width())
        painter.drawText(self.contentsRect(), int(self.alignment()), text)


class TitledPanel(QFrame):
    """A rounded surface with a title, room for controls at the right of it, and ``body`` below."""

    def __init__(self, title: str = "", *, padding: int = 16, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(padding, 12 if title else padding, padding, padding)
        outer.setSpacing(8)
        self.head = QHBoxLayout()
        self.head.setSpacing(8)
        self.title = label(title, "paneltitle")
        if title:
            self.setAccessibleName(title)
            self.head.addWidget(self.title)
            self.head.addStretch(1)
            outer.addLayout(self.head)
        self.body = QVBoxLayout()
        self.body.setSpacing(8)
        outer.addLayout(self.body, 1)


def separator() -> QFrame:
    """A horizontal line, 1 px."""
    line = QFrame()
    line.setProperty("role", "separator")
    line.setFixedHeight(1)
    return line
