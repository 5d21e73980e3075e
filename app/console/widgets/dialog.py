"""What every dialog is: a window of its own, which wears the look by itself."""

from __future__ import annotations

from PySide6 import QtCore
from PySide6.QtWidgets import QDialog, QWidget

from app.console import theme


class Dialog(QDialog):
    """Wears the look from the start, so that a dialog can ask what stands in it for its size. ``flags`` None: Qt's."""

    def __init__(self, parent: QWidget | None = None, flags: QtCore.Qt.WindowType | None = None) -> None:
        if flags is None:
            super().__init__(parent)
        else:
            super().__init__(parent, flags)
        theme.wear(self)
