"""The status bar: which site this is, what was said, how the link is, the clock. What the console measures of itself is
told by the link; a figure above its limit stands beside it as a warning. Each opens Diagnostics."""

from __future__ import annotations

import time
from typing import ClassVar

from PySide6 import QtCore
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Signal
from PySide6.QtGui import QIcon, QPainter, QPainterPath, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QPushButton, QSizePolicy, QWidget

from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import clock_time, utc_time, zone_name
from app.console.language import tr
from app.console.session import WindowSession
from app.console.shell.toasts import Toasts
from app.console.theme import icons
from app.console.theme.tokens import Meaning
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import ink, shape_icon
from app.console.widgets.text import ElidedLabel, label

LAG_LIMIT_S, P99_LIMIT_MS, FRAME_LIMIT_MS, STALL_LIMIT_MS = 2.0, 500.0, 50.0, 250.0
"""A figure above its limit turns warn."""
BAND_PX, NARROW_BAND_PX = 196, 104
"""The band of the profile under a wide rail, and in a narrow window."""


class ProfileBand(QWidget):
    """The profile's name; a training site has stripes around it, so that no screenshot of it passes as real. UNKNOWN
    until a service has stated it."""

    WORDS: ClassVar = {
        "training": tr("Training site: simulated cards, readers and people; everything it issues is marked TRAINING."),
        "production": tr("Production site."),
        "": tr("No service has stated yet whether this is a training site or one in production."),
    }

    def __init__(self, profile: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wide = BAND_PX
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.show_profile(profile)

    def show_profile(self, profile: str) -> None:
        """Show ``training``, ``production``, or that neither is known (empty)."""
        self._training = profile == "training"
        self._text = profile.upper() or "UNKNOWN"
        role = profile or "production"
        if self.property("role") is None:
            # Nothing is looked up anew: that would cost the first frame.
            self.setProperty("role", role)
        theme.set_property(self, "role", role)
        self.setAccessibleName(tr("Profile {words}", words=self._text.lower()))
        self.setToolTip(self.WORDS[profile])
        self.updateGeometry()
        self.update()

    def set_narrow(self, narrow: bool) -> None:
        """As wide as a narrow rail allows, or as the wide rail above it."""
        self._wide = NARROW_BAND_PX if narrow else BAND_PX
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(self._wide), theme.px(28))

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect())
        painter.setFont(theme.ui(11, painter.font().Weight.DemiBold))
        measure = painter.fontMetrics()
        width = measure.horizontalAdvance(self._text)
        if self._training:
            ground = ink(tokens.band).brush()
            painter.setClipRect(box)
            painter.fillRect(box, ground)
            stripes = QPainterPath()
            step = 16.0
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
            inner.addRect(QRectF((box.width() - width) / 2 - 8, 5, width + 16, box.height() - 10))
            painter.fillPath(inner, ground)
        # In the colour that the sheet gives to this role.
        baseline = (self.height() - measure.height()) // 2 + measure.ascent()
        painter.drawText(QPointF((self.width() - width) // 2, baseline), self._text)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self.updateGeometry()
        super().changeEvent(event)


class StatusBar(QFrame):
    """From the left: the profile's band, the lane of messages with its history, what may be done here, which service,
    figures above their limits, the link, the clock. While a message is shown it has the room of the service."""

    diagnostics = Signal()
    """A cell was pressed: open Diagnostics."""

    CELLS = (
        ("lag", tr("stream lag")),
        ("lost", tr("lost")),
        ("p99", tr("call p99")),
        ("frame", tr("frame")),
        ("stall", tr("stall")),
    )

    def __init__(self, actions: ActionTable, *, profile: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "statusbar")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 12, 0)
        row.setSpacing(4)
        self.band = ProfileBand(profile)
        row.addWidget(self.band)
        self.toasts = Toasts(actions, self)
        row.addWidget(self.toasts, 1)
        self._lock_note = label(tr("Locked"), "small")
        self._lock_note.setContentsMargins(8, 0, 0, 0)
        self._lock_note.hide()
        row.addWidget(self._lock_note, 1)
        self._clearance = label("", "small")
        row.addWidget(self._clearance)
        row.addSpacing(8)
        self._service = ElidedLabel(tr("Service: starting"), "small")
        # Its whole text, as long as what stands beside it leaves room; the lane has the rest.
        self._service.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        keep_lengths(self._service, lambda one: one.setMinimumWidth(theme.px(80)))
        row.addWidget(self._service)
        self._cells: dict[str, QPushButton] = {}
        for name, title in self.CELLS:
            cell = QPushButton()
            cell.setProperty("role", "cell")
            cell.setProperty("over", "false")
            cell.clicked.connect(self.diagnostics)
            cell.hide()
            self._cells[name] = cell
            row.addWidget(cell)
            self.set_cell(name, "–", tr("{title}: nothing measured yet", title=title))
        self.toasts.spoke.connect(lambda _shown: self._make_room())
        self.link = QPushButton()
        self.link.setProperty("role", "cell")
        self.link.setToolTip(tr("How the service is reached; press for the figures"))
        self.link.clicked.connect(self._show_figures_menu)
        row.addWidget(self.link)
        self._link_state, self._link_word = Meaning.WORK, tr("Starting")
        self._lag = ""
        self._link_shown: tuple[Meaning, str] | None = None
        """What the link says, so that nothing is drawn or told to a screen reader at each beat."""
        self._time = label("", "mono")
        row.addWidget(self._time)
        self._show_link()
        self.beat()
        self.setFixedHeight(theme.px(28))

    def _make_room(self) -> None:
        """Show what the message leaves room for. Beside it stands one figure above its limit, which leads to all: a
        sentence that is cut helps nobody. A cell with the focus stays."""
        silent = self.toasts.shown is None
        self._service.setVisible(silent)
        over = [cell for cell in self._cells.values() if cell.property("over") == "true"]
        told = over if silent else over[:1]
        for cell in self._cells.values():
            cell.setVisible(cell in told or cell.hasFocus())

    def set_narrow(self, narrow: bool) -> None:
        """Stand under a narrow rail, or a wide one."""
        self.band.set_narrow(narrow)

    def beat(self) -> None:
        """Show the clock; called once a second."""
        now = time.time()
        self._time.setText(f"{clock_time(now)} {zone_name(now)}")
        self._time.setToolTip(utc_time(now)[:19] + " UTC")

    def set_link(self, state: Meaning, word: str) -> None:
        """Show how the service is reached. While all is well, how old the newest event was when it came."""
        self._link_state, self._link_word = state, word
        self._show_link()

    def _show_link(self) -> None:
        well = self._link_state is Meaning.OK
        words = tr("Live, {lag}", lag=self._lag) if well and self._lag else self._link_word
        if self._link_shown == (self._link_state, words):
            return
        self._link_shown = (self._link_state, words)
        self.link.setText(f" {words}")
        self.link.setAccessibleName(tr("Link: {words}", words=words))
        side = theme.px(10)
        self.link.setIcon(shape_icon(self._link_state, side))
        self.link.setIconSize(QSize(side, side))

    def _show_figures_menu(self) -> None:
        """Above the cell, so that it covers no other."""
        menu = self.link_figures()
        menu.popup(self.link.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    def link_figures(self) -> QMenu:
        """The menu of what the console measures of itself, each figure with what it means; each opens Diagnostics."""
        menu = QMenu(self)
        menu.setAccessibleName(tr("Figures of the link"))
        menu.setToolTipsVisible(True)
        menu.setAttribute(QtCore.Qt.WidgetAttribute.WA_DeleteOnClose)
        for cell in self._cells.values():
            words = cell.accessibleName()
            made = menu.addAction(words[:1].upper() + words[1:])
            made.setToolTip(cell.toolTip())
            made.triggered.connect(self.diagnostics)
        return menu

    def set_service(self, text: str) -> None:
        """Show which service answers."""
        self._service.setText(text)

    def set_clearance(self, clearance: str) -> None:
        """Show the clearance of the key in use."""
        self._clearance.setText(clearance.capitalize())

    def set_locked(self, locked: bool) -> None:
        """Messages name people: of a locked desk none is shown. They are in the history afterwards."""
        self.toasts.setVisible(not locked)
        self._lock_note.setVisible(locked)
        self.toasts.quiet = locked
        for cell in (*self._cells.values(), self.link):
            cell.setEnabled(not locked)

    def set_cell(self, name: str, value: str, hint: str, *, over: bool = False) -> None:
        """Show a figure. ``over`` (above its limit) turns it warn and puts a triangle before it."""
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
            theme.set_property(cell, "over", flag)
            self._mark(cell)
            self._make_room()

    def show_figures(self, session: WindowSession) -> None:
        """Show what the session measures now: lag and losses of the stream, calls, frames, stalls."""
        live = getattr(session, "live", None)
        if live is not None:
            stale = live.stale
            lag = "–" if live.lag_s is None else tr("{ms:.0f} ms", ms=live.lag_s * 1000)
            hint = live.trouble or (live.stream.words() if stale else tr("Age of the newest event when it came."))
            self.set_cell(
                "lag",
                tr("stale") if stale and live.received else lag,
                hint or tr("No event yet."),
                over=session.is_connected and (stale or (live.lag_s or 0) > LAG_LIMIT_S),
            )
            self._lag = "" if stale or live.lag_s is None else lag
            self._show_link()
            self.set_cell("lost", str(live.lost), tr("Events that were lost on the way."), over=live.lost > 0)
        p99 = session.calls.percentile(0.99)
        shown = "–" if p99 is None else tr("{ms:.0f} ms", ms=p99)
        self.set_cell("p99", shown, tr("99 of 100 API calls took less."), over=(p99 or 0) > P99_LIMIT_MS)
        frame = session.frames.p95
        shown = "–" if frame is None else tr("{ms:.0f} ms", ms=frame)
        self.set_cell("frame", shown, tr("95 of 100 repaints took less."), over=(frame or 0) > FRAME_LIMIT_MS)
        worst = session.stalls.worst_ms
        self.set_cell(
            "stall",
            tr("{ms:.0f} ms", ms=worst),
            tr("Longest time in the last minute in which the window did not answer."),
            over=worst > STALL_LIMIT_MS,
        )

    @staticmethod
    def _mark(cell: QPushButton) -> None:
        over, side = cell.property("over") == "true", theme.px(12)
        cell.setIcon(icons.icon("triangle-alert", theme.current().warn, size=side) if over else QIcon())
        cell.setIconSize(QSize(side, side))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self.setFixedHeight(theme.px(28))
            for cell in getattr(self, "_cells", {}).values():
                self._mark(cell)
            if hasattr(self, "_link_shown"):
                self._link_shown = None  # drawn anew, in the theme's colour and size
                self._show_link()
        super().changeEvent(event)
