"""What a person does to the window: keys and text to the focused widget, and waiting until something is seen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.console.tour.eyes import NotSeen

Seen = TypeVar("Seen")

POLL_S = 0.03
PATIENCE_S = 30.0
GIVEN_S = 5.0
"""How long the window system may take to give the keys to the window that is in front."""


class StepFailed(Exception):
    """Why a step of the tour did not work, in a sentence."""


class Hands:
    """Keys go where a keyboard's keys would go: to an open popup, else to the focused widget, else to the window.

    QTest's way for widgets is used because it asks the shortcuts first, as the window system does, and never runs the
    event loop inside a task.
    """

    def __init__(self, window: QWidget, ends_at: float) -> None:
        self._window = window
        self._ends_at = ends_at
        self.done: list[str] = []
        """What was done since ``take_done``."""

    def take_done(self) -> list[str]:
        """What was done since the last call, for the report."""
        done, self.done = self.done, []
        return done

    def _target(self) -> QWidget:
        return QApplication.activePopupWidget() or QApplication.focusWidget() or self._window

    @staticmethod
    def _combination(keys: str) -> tuple[Qt.Key, Qt.KeyboardModifier]:
        combination: QKeyCombination = QKeySequence(keys)[0]  # type: ignore[index]  # the stub leaves operator[] out
        return combination.key(), combination.keyboardModifiers()

    async def take_keys(self) -> None:
        """Wait until the window in front has the keyboard focus. Without a window manager a window is not given it when
        it appears, nor given it back when a dialog or a drop-down list closes. Raises StepFailed."""
        if QApplication.activePopupWidget() is not None:
            return
        front = QApplication.activeModalWidget() or self._window
        if not front.isActiveWindow():
            front.activateWindow()
            await self.until("the keys are given to the window in front", front.isActiveWindow, GIVEN_S)

    async def press(self, *keys: str) -> None:
        """Press and release keys, one after the other, in Qt's portable spelling (``Ctrl+Shift+1``)."""
        for spelled in keys:
            self.done.append(f"key {spelled}")
            key, modifiers = self._combination(spelled)
            await self.take_keys()
            QTest.keyClick(self._target(), key, modifiers)
            await asyncio.sleep(0)

    async def type(self, text: str, shown_as: str = "") -> None:
        """Type a text, key by key. ``shown_as`` stands for it in the report."""
        self.done.append(f"type {shown_as or text}")
        await self.take_keys()
        for letter in text:
            QTest.keyClicks(self._target(), letter)
            await asyncio.sleep(0)

    async def down(self, spelled: str) -> None:
        """Press a key and keep it down."""
        self.done.append(f"hold {spelled}")
        await self.take_keys()
        QTest.keyPress(self._target(), *self._combination(spelled))
        await asyncio.sleep(0)

    async def up(self, spelled: str) -> None:
        """Release a key."""
        self.done.append(f"let {spelled} go")
        QTest.keyRelease(self._target(), *self._combination(spelled))
        await asyncio.sleep(0)

    async def until(self, what: str, seen: Callable[[], Seen], seconds: float = PATIENCE_S) -> Seen:
        """The value of ``seen`` as soon as it is true. Raises StepFailed after ``seconds``, or when the tour's time is
        over."""
        end = min(time.monotonic() + seconds, self._ends_at)
        while True:
            missing = ""
            try:
                found = seen()
                if found:
                    return found
            except NotSeen as error:
                missing = f" ({error})"
            if time.monotonic() > end:
                raise StepFailed(f"not seen in time: {what}{missing}")
            await asyncio.sleep(POLL_S)
