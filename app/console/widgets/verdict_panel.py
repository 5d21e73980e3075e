"""A panel whose hero is a decision of a moment: the bar of its state at the left edge, and above it when it was made
and how long ago."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from app.console.clock import age
from app.console.language import tr
from app.console.widgets.hero import paint_bar
from app.console.widgets.text import TitledPanel, label
from app.console.widgets.verdict import PassingVerdict, moment

_TICK_MS = 1_000


class VerdictPanel(TitledPanel):
    """``verdict`` stands under the line of its time; what explains it is added to ``body``."""

    def __init__(self, title: str, size: int, *, padding: int = 16, parent: QWidget | None = None) -> None:
        """``size``: of the verdict, px at 100 % text."""
        super().__init__(padding=padding, parent=parent)
        self.setAccessibleName(title)
        self._title = title
        self.when = label(title, "small")
        self.verdict = PassingVerdict(size, timed=False)
        self.verdict.changed.connect(self._tell)
        self.body.addWidget(self.when)
        self.body.addWidget(self.verdict)
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tell)
        # Beside the bar of the state.
        self.setContentsMargins(6, 0, 0, 0)

    def _tell(self) -> None:
        """Show when it was, and how long ago that is."""
        at, age_s = self.verdict.at, self.verdict.age_s
        if at is None or age_s is None:
            self.when.setText(self._title)
        else:
            old = round(age_s)
            ago = age(old) if old > 9 else f"{old} s"
            self.when.setText(tr("{title}, {time}, {age} ago", title=self._title, time=moment(at), age=ago))
        self.update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._tell()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()
        super().hideEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_bar(painter, QRectF(self.rect()), self.verdict.state)
