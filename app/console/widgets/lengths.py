"""Lengths that follow the text size and the density while the window is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from app.console import theme

Kept = TypeVar("Kept", bound=QWidget)


class _Keeper(QObject):
    """Lives with its widget and sees its changes of look."""

    def __init__(self, widget: QWidget, fit: Callable[[Any], object]) -> None:
        super().__init__(widget)
        self._fit, self._dressed = fit, theme.edition()
        fit(widget)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        # Qt tells of one change of style several times, and of a change of font where the style sheet gives another.
        if kind == QEvent.Type.FontChange or (kind == QEvent.Type.StyleChange and self._dressed != theme.edition()):
            self._dressed = theme.edition()
            self._fit(watched)
        return False


def keep_lengths(widget: Kept, fit: Callable[[Kept], object]) -> None:
    """Have ``fit`` give ``widget`` its lengths now and whenever the look has changed; it changes no font."""
    _Keeper(widget, fit)
