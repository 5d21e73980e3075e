"""Signals of the operating system, heard at once."""

from __future__ import annotations

import contextlib
import os
import signal

from PySide6.QtCore import QObject, QSocketNotifier


class SignalWake(QObject):
    """Lets Python run its signal handlers at once. They wait for the next Python code, and Qt may call none for a long
    time: a hidden window has no timers."""

    def __init__(self) -> None:
        super().__init__()
        self._read_end, self._write_end = os.pipe()
        for end in (self._read_end, self._write_end):
            os.set_blocking(end, False)
        self._notifier = QSocketNotifier(self._read_end, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)
        signal.set_wakeup_fd(self._write_end, warn_on_full_buffer=False)

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._read_end, 4096)

    def close(self) -> None:
        """Give the descriptors back."""
        signal.set_wakeup_fd(-1)
        self._notifier.setEnabled(False)
        os.close(self._read_end)
        os.close(self._write_end)
