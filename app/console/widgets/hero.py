"""The one line of a page that is read first: state as colour, shape and word, and the sentence that explains it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.console import theme
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import paint_shape
from app.console.widgets.text import label

_BAR, _SHAPE, _LEFT, _LEAST = 6, 26, 22, 72
_CALLS = (Meaning.CRIT, Meaning.BAD)
"""States that frame the line: somebody must act."""


def paint_bar(painter: QPainter, box: QRectF, state: Meaning | None) -> None:
    """Paint the bar of a state, 6 px, at the left edge of a panel that fills ``box``. None: what is chosen, or next,
    which is no state."""
    ground, bar = QPainterPath(), QPainterPath()
    ground.addRoundedRect(box, 8, 8)
    bar.addRect(QRectF(box.left(), box.top(), _BAR, box.height()))
    tokens = theme.current()
    painter.fillPath(ground.intersected(bar), QColor(tokens.accent if state is None else tokens.state(state)))


class StateHero(QFrame):
    """``set`` shows a state; controls at the right are added to ``row``."""

    def __init__(self, *, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self._name = name
        self._state = Meaning.IDLE
        self.row = QHBoxLayout(self)
        self.row.setSpacing(16)
        self._fit()
        self._word = label("", "kpi")
        line = QFrame()
        line.setProperty("role", "separator")
        line.setFixedWidth(1)
        words = QVBoxLayout()
        words.setSpacing(2)
        self._sentence = label("", "heading", wrap=True)
        self._detail = label("", "dim", wrap=True, selectable=True)
        words.addStretch(1)
        words.addWidget(self._sentence)
        words.addWidget(self._detail)
        words.addStretch(1)
        self.row.addWidget(self._word)
        self.row.addWidget(line)
        self.row.addLayout(words, 1)

    @property
    def words(self) -> tuple[str, str, str]:
        """Word, sentence and detail that are shown."""
        return self._word.text(), self._sentence.text(), self._detail.text()

    @property
    def state(self) -> Meaning:
        """The state shown."""
        return self._state

    def set(self, state: Meaning, word: str, sentence: str, detail: str = "") -> None:
        """Show a state, its word, the sentence that explains it, and what stands behind that."""
        if (self._state, *self.words) == (state, word, sentence, detail):
            return
        self._state = state
        self._word.setText(word)
        self._sentence.setText(sentence)
        self._detail.setText(detail)
        self._detail.setVisible(bool(detail))
        self.setAccessibleName(f"{self._name}: {word}. {sentence} {detail}".strip())
        self.update()

    def _fit(self) -> None:
        self.row.setContentsMargins(theme.px(_LEFT + _SHAPE + 14), 8, 16, 8)
        self.setMinimumHeight(theme.px(_LEAST))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._fit()
        super().changeEvent(event)

    def minimumSizeHint(self) -> QSize:
        # Its layout would ask for the height of the narrowest form; what wraps gets its height by the width it has.
        return QSize(super().minimumSizeHint().width(), theme.px(_LEAST))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        panel = QRectF(self.rect())
        paint_bar(painter, panel, self._state)
        if self._state in _CALLS:
            frame = QPainterPath()
            frame.addRoundedRect(panel, 8, 8)
            painter.strokePath(frame, QPen(QColor(theme.current().state(self._state)), 2))
        side = theme.px(_SHAPE)
        paint_shape(painter, QRectF(theme.px(_LEFT), (self.height() - side) / 2, side, side), self._state)
