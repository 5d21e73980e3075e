"""The time strip under the top bar: an hour with what happened in it, and the moment that the window shows.

It is the last hour, or the one around an older moment. A click, a drag or the arrow keys go to a moment of it; a time
that is typed, and whole hours by keys, go further back. "Live" at the end, the End key and Esc go back to now.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from PySide6 import QtCore
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, QTimer
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from app.console import theme
from app.console.clock import clock_time, date_time, utc_time
from app.console.language import tr
from app.console.shown_time import PAST_SHOWN, REACH_S, why_not_kept
from app.console.widgets.marks import ink, paint_shape

if TYPE_CHECKING:
    from app.console.session import WindowSession
    from app.console.shell.time_field import TimeField
    from app.console.telemetry.hour_events import HourEvents
    from app.console.widgets.chart_plot import ChartEvent

HEIGHT = 20
LIVE_PX = 66
"""At the end of the strip, for the word "Live"."""
TICK_S = 600
CLEAR_PX = 46
"""A label closer to a shape than this is left out."""
LABEL_PX = 34
BESIDE_PX = 12
"""Between a label with its day and a shape."""
SHAPE_PX = 10
REACH_PX = 6
"""The pointer takes a shape that is no further away."""
WORDS_PAD = 6
STEP_S, FINE_S = 10, 1
LAG_S = 3.0
"""Events may be known so much later than they happened before the strip says that they are not known."""
AROUND_S = 10
SAID_AFTER_MS = 300
"""A moment on which the hands rest so long is announced; those that they pass are not."""
BEAT_MS = 1000
BEGINS = "0123456789-"
"""What a time begins with: typed on the strip, it opens the field."""
FIELD_X = 12
"""Of the field, px at 100 % text."""


class TimeStrip(QWidget):
    """``begin`` brings it to life, after the first paint; until then it is a blank line."""

    def __init__(self, session: WindowSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._events: HourEvents | None = None
        self._shown: list[ChartEvent] = []
        self._known: tuple[float, float] | None = None
        self._end = 0.0
        """Unix time at which the hour ends that is shown: now, or after an older moment."""
        self._awaits = False
        """The service was asked for the hour when it was shown last."""
        self._dragging = False
        self._field: TimeField | None = None
        # As a word: it is on the first frame, before which nothing may touch Qt's enumerations.
        self.setProperty("focusPolicy", "StrongFocus")
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Time strip, the last hour"))
        self.setFixedHeight(theme.px(HEIGHT))
        self._say_soon = QTimer(self)
        self._say_soon.setSingleShot(True)
        self._say_soon.setInterval(SAID_AFTER_MS)
        self._say_soon.timeout.connect(self._announce)
        self._beat = QTimer(self)
        self._beat.setInterval(BEAT_MS)
        self._beat.timeout.connect(self.refresh)
        session.shown_time.changed.connect(self._take_moment)

    def begin(self, events: HourEvents) -> None:
        """Show what ``events`` knows, from now on."""
        self._events = events
        events.changed.connect(self._take_events)
        self._beat.start()
        self.refresh()

    def _take_events(self) -> None:
        """Something was read of the hour; what was awaited is announced, too."""
        awaited = self._awaits
        self.refresh()
        if awaited and not self._awaits and self._session.shown_time.hour is not None:
            self._say_soon.start()

    def refresh(self) -> None:
        """Show the hour as it is known now."""
        if self._events is None:
            return
        hour = self._session.shown_time.hour
        self._end = self._session.live.now() if hour is None else hour[1]
        self._shown, self._known = self._events.all(), self._events.known_span()
        self._awaits = self._events.asking
        self._tell()
        self.update()

    # --- what is said ------------------------------------------------------------------------------------------------

    @property
    def value_text(self) -> str:
        """The moment and how many events there were, for who hears the strip."""
        at = self._session.shown_time.at
        count = len(self._shown)
        if self._session.shown_time.hour is None:
            one = tr("1 event in the last hour")
            events = one if count == 1 else tr("{count} events in the last hour", count=count)
        else:
            one = tr("1 event in that hour")
            events = one if count == 1 else tr("{count} events in that hour", count=count)
        missing = self.missing_words
        if missing and self._known is None and self._session.shown_time.hour is not None:
            events = missing  # of no event is not said that there was none
        elif missing:
            events = f"{events}; {missing}"
        if at is None:
            return tr("Live, {events}", events=events)
        near = [f"{one.word} {one.sentence}" for one in self._shown if abs(one.at - at) <= AROUND_S]
        here = tr(", here: {near}", near=", ".join(near)) if near else ""
        return tr("Past {time}{here}, {events}", time=self._session.shown_time.clock, here=here, events=events)

    @property
    def missing_words(self) -> str:
        """Which events are not known, in short; empty: all of the hour are."""
        if self._events is None or self._known is None:
            return tr("events being read") if self._awaits else tr("events unknown")
        start, end = self._known
        if start > self._end - REACH_S + LAG_S:
            return tr("events before {time} unknown", time=clock_time(start))
        return tr("events since {time} unknown", time=clock_time(end)) if end < self._end - LAG_S else ""

    @property
    def unknown_words(self) -> str:
        """What stands over a stretch of which events are not known."""
        return tr("Asking for events") if self._awaits else tr("Events unknown")

    def _tell(self) -> None:
        shown = self._session.shown_time
        older = tr("Time strip, the hour around {time}", time=shown.clock)
        self.setAccessibleName(tr("Time strip, the last hour") if shown.hour is None else older)
        self.setAccessibleDescription(
            tr(
                "{value_text}. Left and Right go 10 seconds, with Ctrl one, with Shift to the next event; "
                "Page Up and Page Down 10 minutes, with Ctrl a whole hour, also further back; Enter, or the first "
                "figure, types a time, also of another day; End is live.",
                value_text=self.value_text,
            )
        )

    def _announce(self) -> None:
        # Imported here: the enumerations of QAccessible are not needed before the first paint.
        from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.value_text))

    def _take_moment(self) -> None:
        self.refresh()
        self._say_soon.start()

    # --- geometry ----------------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(theme.px(400), theme.px(HEIGHT))

    @property
    def end_x(self) -> float:
        """Where now is, px."""
        return max(1.0, float(self.width() - theme.px(LIVE_PX)))

    def x_of(self, at: float) -> float:
        """Where a Unix time is, px; outside of the strip for what is outside of the hour."""
        return (at - self._end + REACH_S) / REACH_S * self.end_x

    def time_at(self, x: float) -> float:
        """The Unix time at a place, px; within the hour."""
        return self._end - REACH_S + min(max(x / self.end_x, 0.0), 1.0) * REACH_S

    def labels(self) -> list[tuple[float, str]]:
        """The ticks of the hour, each as its Unix time and its label; empty where a shape, words or the end are too
        near. The first label of another day than today names it."""
        # Whole ten minutes of this machine's clock, as the labels are.
        offset = time.localtime(self._end).tm_gmtoff
        first = math.ceil((self._end - REACH_S + offset) / TICK_S) * TICK_S - offset
        day = date_time(self._session.live.now())[:10]
        measure, free_from = QFontMetricsF(theme.ui(11)), 0.0
        shapes = [self.x_of(one.at) for one in self._shown]
        places = [self.place_words(*one) for one in self.unknown_stretches()]
        wide = theme.px(LABEL_PX + 6)
        made = []
        for at in range(int(first), int(self._end) + 1, TICK_S):
            x = self.x_of(at)
            clear = all(abs(x - one) >= theme.px(CLEAR_PX) for one in shapes)
            words, needs = clock_time(at)[:5], float(wide)
            named = date_time(at)[:16]
            if named[:10] != day:
                words, needs = named, measure.horizontalAdvance(named) + theme.px(6)
                clear = not any(x - theme.px(BESIDE_PX) < one < x + needs + theme.px(BESIDE_PX) for one in shapes)
            clear = clear and not any(one is not None and one[0] - needs < x < one[1] for one in places)
            fits = free_from <= x and x + needs <= self.end_x
            made.append((float(at), words if clear and fits else ""))
            if clear and fits:
                day, free_from = named[:10], x + needs
        return made

    def unknown_stretches(self) -> list[tuple[float, float]]:
        """Where events are not known, px."""
        low, high, known = self._end - REACH_S, self._end, self._known
        if known is None:
            return [(0.0, self.end_x)]
        made = []
        if known[0] > low + LAG_S:
            made.append((0.0, self.x_of(known[0])))
        if known[1] < high - LAG_S:
            made.append((max(0.0, self.x_of(known[1])), self.end_x))
        return made

    def place_words(self, left: float, right: float) -> tuple[float, float] | None:
        """Where in that stretch the words stand, px: over no shape, nor over the moment that is shown; None: there is
        no room for them."""
        wide = QFontMetricsF(theme.ui(11)).horizontalAdvance(self.unknown_words) + 2 * theme.px(WORDS_PAD)
        shapes = [self.x_of(one.at) for one in self._shown]
        if (at := self._session.shown_time.at) is not None:
            shapes.append(self.x_of(at))
        for begin in ((left + right - wide) / 2, left + 8, right - wide - 8):
            inside = left <= begin and begin + wide <= right
            if inside and not any(begin - SHAPE_PX <= x <= begin + wide + SHAPE_PX for x in shapes):
                return begin, begin + wide
        return None

    def _near(self, x: float) -> list[ChartEvent]:
        return [one for one in self._shown if abs(self.x_of(one.at) - x) <= theme.px(REACH_PX)]

    # --- painting ----------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens, painter = theme.current(), QPainter(self)
        box = QRectF(self.rect())
        painter.fillRect(box, ink(tokens.bg).brush())
        painter.fillRect(QRectF(0, box.height() - 1, box.width(), 1), ink(tokens.line).brush())
        if self._events is not None:
            self._paint_unknown(painter)
            self._paint_ticks(painter)
            self._paint_shapes(painter)
            self._paint_end(painter)
            self._paint_moment(painter)
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.drawRect(box.adjusted(1, 1, -1, -1))

    def _paint_shapes(self, painter: QPainter) -> None:
        side = theme.px(SHAPE_PX)
        top = (self.height() - side) / 2
        for one in self._shown:
            paint_shape(painter, QRectF(self.x_of(one.at) - side / 2, top, side, side), one.state)

    def _paint_ticks(self, painter: QPainter) -> None:
        """A tick at the upper edge each ten minutes, and its time beside it."""
        tokens = theme.current()
        painter.setFont(theme.ui(11))
        measure = painter.fontMetrics()
        top = (self.height() - measure.height()) / 2 + measure.ascent()
        for at, words in self.labels():
            x = round(self.x_of(at)) + 0.5
            painter.setPen(QPen(QColor(tokens.border), 1))
            painter.drawLine(QPointF(x, 0), QPointF(x, theme.px(5)))
            if words:
                # A ground of its own: a hatch must not run through it.
                wide = measure.horizontalAdvance(words) + theme.px(6)
                painter.fillRect(QRectF(x + theme.px(2), 0, wide, self.height() - 1), QColor(tokens.bg))
                painter.setPen(QColor(tokens.dim))
                painter.drawText(QPointF(x + theme.px(5), top), words)

    def _paint_unknown(self, painter: QPainter) -> None:
        """A hatch over each stretch of which events are not known, and the words where they have a place."""
        tokens, high = theme.current(), float(self.height())
        painter.setFont(theme.ui(11))
        measure = painter.fontMetrics()
        top = (high - measure.height()) / 2 + measure.ascent()
        for left, right in self.unknown_stretches():
            painter.save()
            painter.setClipRect(QRectF(left, 0, right - left, high - 1))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(tokens.border), 1))
            x = left - left % 8 - high
            while x < right:
                painter.drawLine(QPointF(x, high), QPointF(x + high, 0))
                x += 8
            place = self.place_words(left, right)
            if place is not None:
                painter.fillRect(QRectF(place[0], 0, place[1] - place[0], high), QColor(tokens.bg))
                painter.setPen(QColor(tokens.text))
                painter.drawText(QPointF(place[0] + theme.px(WORDS_PAD), top), self.unknown_words)
            painter.restore()

    @property
    def lives(self) -> bool:
        """Whether now is known."""
        return self._session.is_connected and not self._session.live.stale

    @property
    def end_word(self) -> str:
        """What stands at the end."""
        return tr("Live") if self.lives else tr("Not live")

    def _paint_end(self, painter: QPainter) -> None:
        """The line of now and its word; dim while the past is shown: it is the way back then. An older hour does not
        end now: it has no such line."""
        tokens, shown = theme.current(), self._session.shown_time
        lives, past = self.lives, shown.is_past
        x = round(self.end_x)
        if shown.hour is None:
            painter.fillRect(QRectF(x - 1, 0, 2, self.height() - 1), QColor(tokens.accent if lives else tokens.idle))
        else:
            painter.fillRect(QRectF(x, 0, 1, self.height() - 1), QColor(tokens.border))
        painter.setFont(theme.ui(12, QFont.Weight.DemiBold))
        painter.setPen(QColor(tokens.text if lives and not past else tokens.dim))
        measure = painter.fontMetrics()
        top = (self.height() - measure.height()) / 2 + measure.ascent()
        painter.drawText(QPointF(x + theme.px(8), top), self.end_word)

    def _paint_moment(self, painter: QPainter) -> None:
        """The moment that is shown, and all that is not shown because it came later. One that is an hour ago by now
        stands at the strip's edge."""
        at = self._session.shown_time.at
        if at is None:
            return
        amber = QColor(theme.current().warn_fill)
        x = round(max(1.0, self.x_of(at)))
        later = QColor(amber)
        later.setAlphaF(0.14)
        painter.fillRect(QRectF(x, 0, self.end_x - x, self.height() - 1), later)
        outline = QColor(theme.current().warn)
        painter.fillRect(QRectF(x - 2, 0, 4, self.height()), outline)
        painter.fillRect(QRectF(x - 1, 0, 2, self.height()), amber)

    # --- hands -------------------------------------------------------------------------------------------------------

    def go_to(self, at: float) -> None:
        """Show that moment of the hour on the strip; now and later is live."""
        hour, now = self._session.shown_time.hour, self._session.live.now()
        self._show(max(at, now - REACH_S) if hour is None else min(max(at, hour[0]), hour[1]))

    def _show(self, at: float) -> None:
        """Show that moment, of any hour; now and later is live."""
        if self._events is None:
            return
        if at >= self._session.live.now() - FINE_S / 2:
            self._session.shown_time.go_live()
        else:
            self._session.shown_time.go_to(at)

    def _go_hours(self, hours: int) -> None:
        """Go so many hours on (negative: back), or say why not. After the last hour comes live."""
        now, shown = self._session.live.now(), self._session.shown_time
        if hours > 0 and shown.hour is None:
            shown.go_live()
            return
        at = (now if shown.at is None else shown.at) + hours * REACH_S
        refusal = why_not_kept(at, now, None if self._events is None else self._events.first)
        if refusal:
            self._session.notify(refusal, "warn", subject=PAST_SHOWN)
        else:
            self._show(at)

    def _go_to_x(self, x: float) -> None:
        if x >= self.end_x:
            self._session.shown_time.go_live()
            return
        near = min(self._near(x), key=lambda one: abs(self.x_of(one.at) - x), default=None)
        self.go_to(self.time_at(x) if near is None else near.at)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is QtCore.Qt.MouseButton.LeftButton:
            self._dragging = True
            self._go_to_x(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._go_to_x(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is QtCore.Qt.MouseButton.LeftButton:
            self._dragging = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and Right 10 s, with Ctrl 1 s, with Shift to the next event; Page Up (back) and Page Down 10 min, with
        Ctrl an hour; Home where the hour begins, End live. Enter, a figure or a minus types a time."""
        keys = QtCore.Qt.Key
        now = self._session.live.now()
        shown = self._session.shown_time.at
        at = now if shown is None else shown
        fine = bool(event.modifiers() & QtCore.Qt.KeyboardModifier.ControlModifier)
        if event.key() in (keys.Key_Left, keys.Key_Right):
            sign = 1 if event.key() == keys.Key_Right else -1
            if event.modifiers() & QtCore.Qt.KeyboardModifier.ShiftModifier:
                self._go_to_event(at, sign)
                return
            self.go_to(at + sign * (FINE_S if fine else STEP_S))
        elif event.key() in (keys.Key_PageUp, keys.Key_PageDown) and fine:
            self._go_hours(1 if event.key() == keys.Key_PageDown else -1)
        elif event.key() in (keys.Key_PageUp, keys.Key_PageDown):
            self.go_to(at + (TICK_S if event.key() == keys.Key_PageDown else -TICK_S))
        elif event.key() == keys.Key_Home:
            self.go_to(self._end - REACH_S)
        elif event.key() == keys.Key_End:
            self._session.shown_time.go_live()
        elif event.key() in (keys.Key_Return, keys.Key_Enter):
            self.type_time()
        elif event.text() and event.text() in BEGINS:
            self.type_time(event.text())
        else:
            super().keyPressEvent(event)

    def type_time(self, text: str = "") -> None:
        """Open the field in which a time is typed, with ``text`` in it, below the strip."""
        parent = self.parentWidget()
        if self._events is None or parent is None:
            return
        if self._field is None:
            # Imported here: it stands on more of Qt than the first frame may.
            from app.console.shell.time_field import TimeField

            self._field = TimeField(parent)
            theme.wear(self._field)
            self._field.given.connect(self._take_typed)
            self._field.gone.connect(self._take_keys)
        self._place_field()
        self._field.open_with(text)

    def _place_field(self) -> None:
        parent = self.parentWidget()
        if self._field is not None and parent is not None:
            corner = self.mapTo(parent, QPoint(theme.px(FIELD_X), self.height()))
            self._field.place(corner, self.width() - 2 * theme.px(FIELD_X))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_field()

    def _take_typed(self, text: str) -> None:
        """Show the time that was typed, or say in the field why not."""
        if self._field is None:
            return
        # Imported here: the first frame has no field.
        from app.console.typed_time import TimeRefused, typed_time

        try:
            at = typed_time(text, self._session.live.now(), None if self._events is None else self._events.first)
        except TimeRefused as refused:
            self._field.refuse(str(refused))
            return
        self._field.close_()
        self._take_keys()
        self._show(at)

    def _take_keys(self) -> None:
        self.setFocus(QtCore.Qt.FocusReason.ShortcutFocusReason)

    def _go_to_event(self, at: float, sign: int) -> None:
        """Go to the next event after that time, or to the one before it; after the last one is live."""
        times = [one.at for one in self._shown if (one.at - at) * sign > FINE_S / 2]
        if times:
            self.go_to(min(times) if sign > 0 else max(times))
        elif sign > 0 and self._session.shown_time.hour is None:
            self._session.shown_time.go_live()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._tell()
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self._events is not None:
            x = event.pos().x()
            lines = [f"{clock_time(one.at)}  {one.word}: {one.sentence}" for one in self._near(x)]
            if not lines:
                lines = [tr("Live") if x >= self.end_x else utc_time(self.time_at(x))]
            if self.missing_words:
                lines.append(
                    f"{self.missing_words[:1].upper()}{self.missing_words[1:]}. {self._events.trouble}".strip()
                )
            QToolTip.showText(event.globalPos(), "\n".join(lines), self)
            return True
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_beat"):
            self.setFixedHeight(theme.px(HEIGHT))
            self.update()
        super().changeEvent(event)
