"""Where files, folders and addresses are dropped."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, Signal
from PySide6.QtGui import QColor, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.console import theme


def sources_in(data: QMimeData) -> tuple[list[Path], list[str]]:
    """What is dropped: files and folders of this machine, and addresses of other ones (http, https)."""
    urls = data.urls()
    text = data.text().strip() if not urls and data.hasText() else ""
    paths = [Path(one.toLocalFile()) for one in urls if one.isLocalFile()]
    addresses = [one.toString() for one in urls if one.scheme() in ("http", "https")]
    return paths, addresses + addresses_in(text)


def addresses_in(text: str) -> list[str]:
    """The words of a text that are addresses (http, https), in their order."""
    return [one for one in text.split() if one.lower().startswith(("http://", "https://"))]


class DropGround(QWidget):
    """A ground on which things are dropped; it shows where while they are over it. Nothing can only be dropped: the
    page has a button for each."""

    files_dropped = Signal(list)
    addresses_dropped = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._over = False
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(sources_in(event.mimeData())):
            self._show(True)
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._show(False)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        self._show(False)
        paths, addresses = sources_in(event.mimeData())
        if paths:
            self.files_dropped.emit(paths)
        if addresses:
            self.addresses_dropped.emit(addresses)
        event.acceptProposedAction()

    def _show(self, over: bool) -> None:
        self._over = over
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._over:
            painter = QPainter(self)
            painter.setPen(QPen(QColor(theme.current().accent), 3))
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -2, -2), 8, 8)
