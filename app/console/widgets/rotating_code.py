"""The rotating code of a terminal, drawn so that a camera reads each of its frames (ISO/IEC 18004, level M)."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QHideEvent, QImage, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.capabilities.keystone.messages import LIFETIME_S, CodeSession, boot_ns, step_at, to_next_ns
from app.console import theme
from app.console.language import tr

MODULES, QUIET = 29, 4
"""A payload's symbol, and the white around it, in modules."""
MODULE_MIN, MODULE_HINT = 6, 8
"""Pixels of a module."""
RENEW_S = LIFETIME_S - 30
"""Age of a session, s, at which the next one is asked for."""
NOTHING = tr("No code is shown.")

_SIDE = MODULES + 2 * QUIET


def code_image(payload: str) -> QImage:
    """The symbol of a payload, one pixel a module, without its quiet zone."""
    # Imported here: a console that shows no code never loads it.
    import zxingcpp

    code = zxingcpp.create_barcode(payload, zxingcpp.BarcodeFormat.QRCode, ec_level="M")
    pixels = bytes(cast("bytes", code.to_image(scale=1, add_quiet_zones=False)))
    # A copy: an image of QImage's own outlives the bytes that it was made of.
    return QImage(pixels, MODULES, MODULES, MODULES, QImage.Format.Format_Grayscale8).copy()


class RotatingCode(QWidget):
    """Shows the code of ``show_session``'s session until it ends or ``clear``.

    The step is read from the clock while painting, never counted: a late tick skips a step and none lags. A frame is
    painted whole, black on white in every theme, from an image that was made while the step before it was shown.
    """

    renewalDue = Signal()
    """Emitted once in each session: it is time to ask for the next one."""
    ended = Signal()
    """The session's time is over; nothing is shown any more."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session: CodeSession | None = None
        self._why = NOTHING
        self._since_ns = 0
        self._asked = False
        self._side = 0
        self._made: dict[int, QImage] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(MODULE_MIN * _SIDE, MODULE_MIN * _SIDE)
        self.setAccessibleDescription(tr("The code changes every 400 ms; scan it from the screen."))
        self.clear()

    @property
    def showing(self) -> bool:
        """Whether there is a living session."""
        return self._session is not None

    def show_session(self, session: CodeSession, received_ns: int) -> None:
        """Shows this session's codes; ``received_ns``: ``boot_ns()`` when the reply that made it came."""
        self._session, self._since_ns, self._asked = session, received_ns, False
        self._made.clear()
        self.setAccessibleName(tr("Rotating code of terminal {terminal}", terminal=session.terminal_id))
        self._beat()

    def clear(self, why: str = NOTHING) -> None:
        """Shows ``why`` instead of a code and forgets the session's secret."""
        self._session, self._why = None, why
        self._made.clear()
        self._timer.stop()
        self.setAccessibleName(why)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(MODULE_HINT * _SIDE, MODULE_HINT * _SIDE)

    def _beat(self) -> None:
        """Show the step of this moment, prepare the next one, and ask for a new session in time."""
        if self._session is None or not self.isVisible():
            return
        age_ns = boot_ns() - self._since_ns
        if age_ns >= LIFETIME_S * 1_000_000_000:
            self.clear()
            self.ended.emit()
            return
        # Rounded up: a timer that fires before its boundary would paint the old step again. Armed before the paint: a
        # boundary that passes meanwhile is not missed.
        self._timer.start(-(-to_next_ns(age_ns) // 1_000_000))
        # At once: an update would wait for the window system's next frame, some milliseconds.
        self.repaint()
        # Made now and not at the boundary, where the time it takes would make the code late.
        step = step_at(age_ns)
        self._made = {at: self._image(self._session, at) for at in (step, step + 1)}
        if age_ns >= RENEW_S * 1_000_000_000 and not self._asked:
            self._asked = True
            self.renewalDue.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        session = self._session
        if session is None:
            painter.fillRect(self.rect(), QColor(theme.current().raised))
            painter.setPen(QColor(theme.current().dim))
            painter.setFont(theme.ui(16))
            margin = theme.px(24)
            painter.drawText(
                self.rect().adjusted(margin, margin, -margin, -margin),
                Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap,
                self._why,
            )
            return
        # In the screen's own pixels: a module of 7.5 of them would be 7 here and 8 there.
        ratio = self.devicePixelRatioF()
        width, height = int(self.width() * ratio), int(self.height() * ratio)
        side = MODULES * (min(width, height) // _SIDE)
        if side != self._side:
            self._side = side
            self._made.clear()
        painter.fillRect(self.rect(), Qt.GlobalColor.white)
        painter.scale(1 / ratio, 1 / ratio)
        image = self._image(session, step_at(boot_ns() - self._since_ns))
        painter.drawImage((width - side) // 2, (height - side) // 2, image)

    def _image(self, session: CodeSession, step: int) -> QImage:
        """The symbol of a step as it lies on the screen: one pixel of it is one there, in the screen's own format."""
        made = self._made.get(step)
        if made is None:
            code = code_image(session.payload(step)).scaled(self._side, self._side)
            made = self._made[step] = code.convertToFormat(QImage.Format.Format_RGB32)
        return made

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._beat()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()
