"""The console in the desktop's tray: the state of the alarms by shape, colour and word, and notices while the operator
works in another program. A desktop without a tray gets none of it, and is said to have none."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, QRectF, QTimer, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPixmap
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon, QWidget

from app.console import theme
from app.console.actions import ActionTable
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import ink, paint_shape

SIDES = (16, 22, 24, 32, 48, 64)
"""Px that trays ask for."""
LOOK_MS = 2000
"""How often is looked whether the desktop has a tray: it tells nobody on its own."""
QUIT_WORDS = tr("Quit: no alarm calls here then")


def tray_icon(state: Meaning) -> QIcon:
    """The shape of ``state`` on a tile of the theme's own: nobody knows the colour of the tray that it lies on."""
    icon = QIcon()
    for side in SIDES:
        made = QPixmap(side, side)
        made.fill(QColor(0, 0, 0, 0))
        painter = QPainter(made)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tile = QPainterPath(QPointF(0, 0))
        tile.addRoundedRect(QRectF(0.5, 0.5, side - 1, side - 1), side / 5, side / 5)
        painter.fillPath(tile, QColor(theme.current().panel))
        painter.strokePath(tile, ink(theme.current().border))
        inset = side * 0.22
        paint_shape(painter, QRectF(inset, inset, side - 2 * inset, side - 2 * inset), state)
        painter.end()
        icon.addPixmap(made)
    return icon


class Tray(QObject):
    """The icon comes as soon as the desktop has a tray, also a late one. ``site`` is what it names the console by."""

    opened = Signal()
    """The operator wants the window."""
    followed = Signal()
    """The operator follows a notice of an alarm."""
    gone = Signal()
    """The desktop had a tray and has none any more: a window that waits in it would be out of reach."""

    def __init__(self, actions: ActionTable, site: str, window: QWidget) -> None:
        super().__init__(window)
        self._actions = actions
        self._site = site
        self._icon: QSystemTrayIcon | None = None
        self._state, self._words = Meaning.IDLE, tr("Alarms unknown")
        self._shown: tuple[Meaning, str, int] | None = None
        """State, words and edition of the theme that the icon shows; None: there is no icon."""
        self._calls = False
        """The notice that was shown last is of an alarm."""
        self._menu = QMenu(window)
        self._menu.setAccessibleName("ARC Console")
        theme.wear(self._menu)
        self._said = self._menu.addAction("")
        self._said.setEnabled(False)
        self._menu.addSeparator()
        self._menu.addAction(tr("Open")).triggered.connect(self.opened)
        self._lock = self._menu.addAction(tr("Lock"))
        self._lock.triggered.connect(lambda: actions.trigger("console.lock"))
        self._menu.addSeparator()
        self._menu.addAction(QUIT_WORDS).triggered.connect(lambda: actions.trigger("console.quit"))
        actions.changed.connect(self._allow)
        self._allow()
        self._look = QTimer(self)
        self._look.setInterval(LOOK_MS)
        self._look.timeout.connect(self.look)
        self._look.start()
        self.look()

    @property
    def is_there(self) -> bool:
        """Whether the desktop shows the icon now: a window that is hidden can be brought back by it."""
        return self._icon is not None and self._icon.isVisible() and QSystemTrayIcon.isSystemTrayAvailable()

    @property
    def words(self) -> str:
        """What the tooltip says: the console, its site and the state in words."""
        return f"{self._site}: {self._words}"

    def set_state(self, state: Meaning, words: str) -> None:
        """Show what the alarms are like."""
        self._state, self._words = state, words
        self.look()

    def look(self) -> None:
        """Show the state in the tray that the desktop has now, if any."""
        if not QSystemTrayIcon.isSystemTrayAvailable():
            if self._icon is not None:
                self._icon.hide()
                self._icon.deleteLater()
                self._icon = None
                self._shown = None
                self.gone.emit()
            return
        wanted = (self._state, self._words, theme.edition())
        if wanted == self._shown:
            return
        self._shown = wanted
        if self._icon is None:
            self._icon = QSystemTrayIcon(self)
            self._icon.setContextMenu(self._menu)
            self._icon.activated.connect(self._answer)
            self._icon.messageClicked.connect(self._follow)
        self._icon.setIcon(tray_icon(self._state))
        self._icon.setToolTip(self.words)
        self._said.setText(self.words)
        self._icon.show()

    def call(self, words: str, text: str) -> None:
        """Show a notice of an alarm, unless the operator works in the console itself: there the window says it."""
        if self._icon is None or QApplication.activeWindow() is not None:
            return
        self._calls = True
        self._icon.showMessage(f"{self._site}: {words}", text, QSystemTrayIcon.MessageIcon.Critical)

    def say_where(self) -> None:
        """Tell that the window waits here and what ends the console."""
        if self._icon is None:
            return
        self._calls = False
        self._icon.showMessage(
            tr("ARC Console stays here"),
            tr("It goes on calling for alarms. Click it to open the window; Quit in its menu ends it."),
            QSystemTrayIcon.MessageIcon.Information,
        )

    def close(self) -> None:
        """Take the icon away: the console ends."""
        self._look.stop()
        if self._icon is not None:
            self._icon.hide()

    def _allow(self) -> None:
        self._lock.setEnabled(self._actions.is_enabled("console.lock"))

    def _answer(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason is not QSystemTrayIcon.ActivationReason.Context:
            self.opened.emit()

    def _follow(self) -> None:
        (self.followed if self._calls else self.opened).emit()
