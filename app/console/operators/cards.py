"""The operator's own card: a process of its own looks at the readers and lets the card sign (``desk-card``)."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from app.console.failures import SignInRefused
from app.console.language import tr

LINE_LIMIT = 65_536
AGAIN_MS = 2000
"""Until the process is started again after it died."""


@dataclass(frozen=True)
class DeskReader:
    """A reader of this machine. ``changes`` grows with every card that may be another one."""

    name: str
    card: bool
    changes: int


class CardRefusal(SignInRefused):
    """No signature."""


class DeskCards(QObject):
    """Owner of the process. ``command`` is how it is started. ``changed``: the readers, or whether they can be seen."""

    changed = Signal()

    def __init__(self, command: Sequence[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.readers: tuple[DeskReader, ...] = ()
        self.trouble = tr("The readers are not looked at.")
        """Why no reader can be seen; empty where they can."""
        self._numbers = itertools.count(1)
        self._asked: dict[str, asyncio.Future[tuple[str, str]]] = {}
        self._wanted = False
        self._process = QProcess(self)
        self._process.setProgram(command[0])
        self._process.setArguments(list(command[1:]))
        # Its log is for the terminal; a channel that nobody reads would fill and block it.
        self._process.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._take_end)
        self._process.errorOccurred.connect(lambda _error: self._lose())
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(AGAIN_MS)
        self._again.timeout.connect(self._launch)

    def start(self) -> None:
        """Look at the readers from now on."""
        self._wanted = True
        if self._process.state() is QProcess.ProcessState.NotRunning and not self._again.isActive():
            self._launch()

    def stop(self) -> None:
        """End the process; what waits for a signature fails."""
        self._wanted = False
        self._again.stop()
        self._process.closeWriteChannel()
        if not self._process.waitForFinished(2000):
            self._process.kill()
            self._process.waitForFinished(2000)
        self._lose()

    async def sign(self, reader: DeskReader, statement: str, pin: str) -> tuple[str, str]:
        """Certificate and signature of slot 9A, both base64, by the card that was in the reader when it was seen.
        Raises CardRefusal."""
        if self._process.state() is not QProcess.ProcessState.Running:
            raise CardRefusal(tr("The readers cannot be reached."))
        number = str(next(self._numbers))
        order = {"id": number, "reader": reader.name, "changes": reader.changes, "statement": statement, "pin": pin}
        answer: asyncio.Future[tuple[str, str]] = asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        self._process.write(json.dumps(order).encode() + b"\n")
        try:
            return await answer
        finally:
            self._asked.pop(number, None)

    def holds(self, reader: DeskReader) -> bool:
        """Whether the very card is still in its reader."""
        return reader in self.readers

    # --- the process -------------------------------------------------------------------------------------------------

    def _launch(self) -> None:
        if self._wanted:
            self._process.start()

    def _read(self) -> None:
        while self._process.canReadLine():
            raw = bytes(self._process.readLine(LINE_LIMIT).data())
            with contextlib.suppress(ValueError, KeyError, TypeError):  # its own process: a broken line says nothing
                self._take(json.loads(raw))

    def _take(self, message: dict[str, Any]) -> None:
        if "readers" in message:
            self._show(message["readers"], message["trouble"])
        elif "signed" in message:
            signed = message["signed"]
            self._answer(signed["id"], (signed["certificate"], signed["signature"]))
        elif "failed" in message:
            failed = message["failed"]
            tries = failed["tries"]
            self._answer(failed["id"], CardRefusal(failed["sentence"], None if tries is None else int(tries)))

    def _show(self, readers: Sequence[dict[str, Any]], trouble: str | None) -> None:
        """These are the readers now."""
        self.readers = tuple(DeskReader(str(one["reader"]), bool(one["card"]), int(one["changes"])) for one in readers)
        self.trouble = trouble or ""
        self.changed.emit()

    def _answer(self, number: str, answer: tuple[str, str] | CardRefusal) -> None:
        waits = self._asked.get(number)
        if waits is None or waits.done():
            return
        if isinstance(answer, CardRefusal):
            waits.set_exception(answer)
        else:
            waits.set_result(answer)

    def _take_end(self) -> None:
        self._lose()
        if self._wanted:
            self._again.start()

    def _lose(self) -> None:
        """Nobody looks at the readers: no card is known to be in one."""
        self.readers, self.trouble = (), tr("The readers are not looked at.")
        for waits in list(self._asked.values()):
            if not waits.done():
                waits.set_exception(CardRefusal(tr("The readers cannot be reached.")))
        self.changed.emit()
