"""A state in large letters: shape and word that an operator must see from across the desk."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.clock import date_time
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import paint_shape
from app.running_clock import running_s

STANDS_S = 10.0
"""How long a decision of a moment is shown as current."""


class VerdictLabel(QWidget):
    """Shape and word in ``size`` px at 100 % text, semi-bold. The word is also the accessible name."""

    def __init__(self, size: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._size = size
        self._state, self._word = Meaning.IDLE, ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set(self, state: Meaning, word: str) -> None:
        """Show another state."""
        if (state, word) != (self._state, self._word):
            self._state, self._word = state, word
            self.setAccessibleName(word)
            self.updateGeometry()
            self.update()

    @property
    def state(self) -> Meaning:
        """The state shown."""
        return self._state

    @property
    def word(self) -> str:
        """The word shown."""
        return self._word

    # The style sheet sets the font of every widget, so the font is taken from the theme while painting.
    def _font(self) -> QFont:
        return theme.ui(self._ink_size(), QFont.Weight.DemiBold)

    def _ink(self) -> str:
        return theme.current().text

    def _ink_size(self) -> int:
        """The size in which shape and word are drawn, px at 100 % text."""
        return self._size

    def _side(self) -> int:
        return theme.px(round(self._ink_size() * 0.78))

    def _gap(self) -> int:
        return theme.px(round(self._ink_size() * 0.5))

    def sizeHint(self) -> QSize:
        wide = self._side() + self._gap() + QFontMetrics(self._font()).horizontalAdvance(self._word) + 2
        # Always as high as its largest word: what stands below never jumps.
        return QSize(wide, QFontMetrics(theme.ui(self._size, QFont.Weight.DemiBold)).height() + 2)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        side = self._side()
        paint_shape(painter, QRectF(0, (self.height() - side) / 2, side, side), self._state)
        painter.setPen(QColor(self._ink()))
        painter.setFont(self._font())
        left = side + self._gap()
        box = QRectF(left, 0, self.width() - left, self.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._word)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange):
            self.updateGeometry()
        super().changeEvent(event)


class PassingVerdict(VerdictLabel):
    """A decision of a moment: it carries its time, and after ``STANDS_S`` it is the past and looks like it. Emits
    ``passed`` then, and ``changed`` whenever it shows something else. ``timed``: its time stands beside the word; else
    who shows it says it elsewhere."""

    passed = Signal()
    changed = Signal()

    def __init__(self, size: int, parent: QWidget | None = None, *, timed: bool = True) -> None:
        super().__init__(size, parent)
        self._timed = timed
        self._decided: tuple[Meaning, str, float] | None = None
        self._since = 0.0
        """When that was, by ``running_s``."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.pass_by)

    def decide(self, state: Meaning, word: str, at: float, now: float | None = None) -> None:
        """Show what was decided at ``at`` (Unix time). The same decision again changes nothing. ``now``: by the clock
        that ``at`` is of; None: it is ours."""
        if self._decided == (state, word, at):
            return
        # Before anything is told: the label itself, and who shows its age.
        old_s = max(0.0, (time.time() if now is None else now) - at)
        self._decided, self._since = (state, word, at), running_s() - old_s
        super().set(state, word)
        self._tell(tr("{word} at {time}", word=word, time=moment(at)))
        # By a clock that differs from ours a decision may be of tomorrow: it stands no longer for that.
        rest_s = STANDS_S - old_s
        if rest_s > 0:
            self._timer.start(round(rest_s * 1000))
        else:
            self.pass_by()

    @property
    def decided(self) -> tuple[Meaning, str, float] | None:
        """State, word and time of the decision while it stands; None when it has passed, or when there is none."""
        return self._decided if self._timer.isActive() else None

    @property
    def at(self) -> float | None:
        """When it was decided, passed or not; None: nothing was."""
        return None if self._decided is None else self._decided[2]

    @property
    def age_s(self) -> float | None:
        """How long ago it was decided, seconds; None: nothing was."""
        return None if self._decided is None else running_s() - self._since

    def set(self, state: Meaning, word: str) -> None:
        """Show a state that is no decision (nothing decided yet, asking)."""
        self._timer.stop()
        self._decided = None
        super().set(state, word)
        self.setAccessibleName(word)
        self.changed.emit()

    def pass_by(self) -> None:
        """Show the decision as one of the past, because of its age or because something newer was told."""
        self._timer.stop()
        if self._decided is not None:
            _, word, at = self._decided
            super().set(Meaning.IDLE, tr("Was {word}", word=word))
            self._tell(tr("Was {word} at {time}", word=word, time=moment(at)))
            self.passed.emit()

    def _tell(self, name: str) -> None:
        self.setAccessibleName(name)
        self.updateGeometry()
        self.update()
        self.changed.emit()

    def _past(self) -> bool:
        return self._decided is not None and not self._timer.isActive()

    # Smaller, so that "Was Refused" has room where "Refused" had, and nobody across the desk takes it for one.
    def _ink_size(self) -> int:
        return round(super()._ink_size() * 0.6) if self._past() else super()._ink_size()

    def _ink(self) -> str:
        return theme.current().dim if self._past() else theme.current().text

    def _moment(self) -> str:
        return moment(self._decided[2]) if self._timed and self._decided is not None else ""

    def sizeHint(self) -> QSize:
        size = super().sizeHint()
        told = self._moment()
        more = theme.px(10) + QFontMetrics(theme.mono(12)).horizontalAdvance(told) if told else 0
        return QSize(size.width() + more, size.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if told := self._moment():
            painter = QPainter(self)
            painter.setPen(QColor(theme.current().dim))
            painter.setFont(theme.mono(12))
            painter.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, told)


def moment(at: float) -> str:
    """``14:32:07``, with the day when it is not today."""
    shown = date_time(at)
    today = date_time(time.time())[:10]
    return shown[11:] if shown.startswith(today) else shown
