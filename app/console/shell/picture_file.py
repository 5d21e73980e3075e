"""A picture of the window kept in a file, for machines that have no display to look at."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from app.console.language import tr

FIRST_MS, EVERY_MS = 1_000, 10_000


def save_picture(image: QImage, path: Path) -> None:
    """Write a PNG by rename, so that a reader of ``path`` finds a whole picture or the one before. Raises OSError."""
    part = path.with_name(f".{path.name}.part")
    try:
        if not image.save(str(part), "PNG"):  # type: ignore[call-overload]  # the stub wants bytes, Qt takes a name
            raise OSError(f"{path} cannot be written")
        os.replace(part, path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


class PictureFile(QObject):
    """Writes the window's picture 1 s after ``begin`` and then every 10 s. A picture that cannot be written is reported
    once by ``failed`` and tried again all the same: the disk may have room later."""

    failed = Signal(str)
    """One sentence."""

    def __init__(self, window: QWidget, path: Path) -> None:
        super().__init__(window)
        self._window = window
        self._path = path
        self._reported = False
        self._writing: threading.Thread | None = None
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._take)

    def begin(self) -> None:
        """Start, when the service answers; calling it again changes nothing."""
        if not self._timer.isActive():
            self._timer.start(FIRST_MS)

    def _take(self) -> None:
        self._timer.setInterval(EVERY_MS)
        if self._writing is not None and self._writing.is_alive():
            return
        image = self._window.grab().toImage()
        # Packing a PNG takes longer than the window may be silent.
        self._writing = threading.Thread(target=self._write, args=(image,), name="picture")
        self._writing.start()

    def _write(self, image: QImage) -> None:
        try:
            save_picture(image, self._path)
        except OSError as error:
            if not self._reported:
                self._reported = True
                self.failed.emit(tr("The picture cannot be kept: {why}.", why=error.strerror or error))
        else:
            self._reported = False
