"""The status bar: what the console knows of itself, always. A cell over its limit turns warn and opens Diagnostics."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Signal
from PySide6.QtGui import QIcon, QPainter, QPainterPath, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from app.console import theme
from app.console.theme import icons
from app.console.widgets.marks import ink
from app.console.widgets.text import ElidedLabel, label


class ProfileBand(QWidget):
    """The profile's name; on a training site a striped band around it, so that no picture of it passes as real."""

    def __init__(self, training: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._training = training
        self._text = "TRAINING" if training else "PRODUCTION"
        self.setProperty("role", self._text.lower())
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"Profile {self._text.lower()}")
        self.setToolTip(
            "Training site: simulated cards, readers and people; everything it issues is marked TRAINING."
            if training
            else "Production site."
        )

    def sizeHint(self) -> QSize:
        return QSize(theme.px(104 if self._training else 88), theme.px(20))

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect())
        painter.setFont(theme.ui(11, painter.font().Weight.Bold))
        measure = painter.fontMetrics()
        width = measure.horizontalAdvance(self._text)
        if self._training:
            warn = ink(tokens.warn).brush()
            shape = QPainterPath()
            shape.addRoundedRect(box, 4, 4)
            painter.setClipPath(shape)
            painter.fillPath(shape, warn)
            stripes = QPainterPath()
            step = 8.0
            left = -box.height()
            while left < box.width():
                corner = box.bottomLeft()
                stripes.addPolygon(
                    QPolygonF(
                        [
                            corner + QPointF(left, 0),
                            corner + QPointF(left + step / 2, 0),
                            corner + QPointF(left + step / 2 + box.height(), -box.height()),
                            corner + QPointF(left + box.height(), -box.height()),
                        ]
                    )
                )
                left += step
            painter.fillPath(stripes, ink(tokens.stripe).brush())
            inner = QPainterPath()
            inner.addRect(QRectF((box.width() - width - 10) / 2, 2, width + 10, box.height() - 4))
            painter.fillPath(inner, warn)
        # In the colour that the sheet gives to this role.
        baseline = (self.height() - measure.height()) // 2 + measure.ascent()
        painter.drawText(QPointF((self.width() - width) // 2, baseline), self._text)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self.updateGeometry()
        super().changeEvent(event)


class StatusBar(QFrame):
    """Cells: service, stream lag, events lost, call p99, frame, GUI stall, clearance, profile."""

    diagnostics = Signal()
    """A cell was pressed: open Diagnostics."""

    CELLS = (
        ("lag", "stream lag"),
        ("lost", "lost"),
        ("p99", "call p99"),
        ("frame", "frame"),
        ("stall", "stall"),
    )

    def __init__(self, *, training: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "statusbar")
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 12, 0)
        row.setSpacing(4)
        self._service = ElidedLabel("Service: starting", "small")
        row.addWidget(self._service, 1)
        self._cells: dict[str, QPushButton] = {}
        for name, title in self.CELLS:
            cell = QPushButton()
            cell.setProperty("role", "cell")
            cell.setProperty("over", "false")
            cell.clicked.connect(self.diagnostics)
            self._cells[name] = cell
            row.addWidget(cell)
            self.set_cell(name, "–", f"{title}: nothing measured yet")
        self._clearance = label("", "small")
        row.addWidget(self._clearance)
        row.addSpacing(8)
        row.addWidget(ProfileBand(training))
        self.setFixedHeight(theme.px(28))

    def set_service(self, text: str) -> None:
        """Who answers, and where."""
        self._service.setText(text)

    def set_clearance(self, clearance: str) -> None:
        """Clearance of the key in use."""
        self._clearance.setText(clearance.capitalize())

    def set_cell(self, name: str, value: str, hint: str, *, over: bool = False) -> None:
        """Show a figure; ``over`` its limit turns it warn, with the triangle before it."""
        cell = self._cells[name]
        title = dict(self.CELLS)[name]
        words = f"{title} {value}"
        text = f" {words}" if over else words  # Fusion leaves 4 px between icon and text
        if cell.text() != text:
            cell.setText(text)
            cell.setAccessibleName(words)
            if (row := self.layout()) is not None:
                row.activate()  # at once: a figure that grew is never seen cut
        cell.setToolTip(hint)
        flag = "true" if over else "false"
        if cell.property("over") != flag:
            cell.setProperty("over", flag)
            self._mark(cell)
            cell.style().unpolish(cell)
            cell.style().polish(cell)

    @staticmethod
    def _mark(cell: QPushButton) -> None:
        over = cell.property("over") == "true"
        cell.setIcon(icons.icon("triangle-alert", theme.current().warn, size=theme.px(12)) if over else QIcon())

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self.setFixedHeight(theme.px(28))
            for cell in getattr(self, "_cells", {}).values():
                self._mark(cell)
        super().changeEvent(event)
