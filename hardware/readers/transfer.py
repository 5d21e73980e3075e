"""Lists on their way to readers (osdp_FILETRANSFER), on a group's loop thread.

The binding has one set of file callbacks per panel, and they do not say which reader asks. So all transfers that run on
a panel at one time send the same bytes; another list waits until they are done.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any, Literal

from hardware.readers.binding import osdp_sys
from hardware.readers.delta import Delta, DeltaOperation
from hardware.readers.errors import ReaderRefused
from hardware.readers.listblob import FILE_TYPE, digest

_STALL_SECONDS = 3.0
"""A transfer of which no chunk arrives for this long is given up."""

_Step = Literal["idle", "ask", "clear", "send", "confirm"]


class ListTransfer:
    """One reader's list: the reader is asked whether it keeps it, is sent it if not, and is asked again.

    While one list is under way, only the newest that is wanted waits behind it.
    """

    def __init__(self) -> None:
        self.step: _Step = "idle"
        self.blob = b""
        self.epoch = 0
        self.offset = 0
        self.moved_at = 0.0
        self._asked = False
        self._futures: list[Future[None]] = []
        self._next: tuple[bytes, int, list[Future[None]]] | None = None

    @property
    def wanted(self) -> bool:
        """True from the call until the reader's last answer."""
        return self.step != "idle"

    def want(self, blob: bytes, epoch: int, future: Future[None]) -> None:
        """Have the reader keep this list; one that is under way is finished first."""
        if self.step == "idle":
            self.step, self.blob, self.epoch, self._futures, self._asked = "ask", blob, epoch, [future], False
        elif (blob, epoch) == (self.blob, self.epoch):
            self._futures.append(future)
        elif self._next is not None:
            self._next = (blob, epoch, [*self._next[2], future])
        else:
            self._next = (blob, epoch, [future])

    def question(self) -> Delta | None:
        """The delta that asks for this list; None if it is not time to ask."""
        if self._asked or self.step not in ("ask", "confirm"):
            return None
        self._asked = True
        return Delta(DeltaOperation.LIST, self.epoch, digest(self.blob))

    def take_answer(self, delta: Delta, *, held: bool, who: str) -> bool:
        """Take the reader's answer to `question`; True if the reader keeps the list of the delta's epoch.

        `held`: the reader acknowledged the question. `who`: its id, for the caller's error.
        """
        if not self._asked or delta.epoch != self.epoch or delta.digest != digest(self.blob):
            return False
        self._asked = False
        if held:
            self._end(None)
        elif self.step == "ask":
            self.step = "clear"
        else:
            self._end(ReaderRefused(f"{who} refused the list that it was sent"))
        return held

    def fail(self, error: Exception) -> None:
        """The channel is gone: fail every caller."""
        waiting, self._next = self._next, None
        self._end(error)
        if waiting is not None:
            _settle(waiting[2], error)

    def _end(self, error: Exception | None) -> None:
        futures, self._futures = self._futures, []
        self.step, self._asked, self.blob = "idle", False, b""
        _settle(futures, error)
        if self._next is not None:
            blob, epoch, later = self._next
            self._next = None
            self.want(blob, epoch, later[0])
            self._futures.extend(later[1:])


class ListSender:
    """The file callbacks of one panel, and the readers that are sent a list now.

    `indexes`: those of the panel's readers that keep lists.
    """

    def __init__(self, context: Any, indexes: Sequence[int]) -> None:
        self._context = context
        self._blob = b""
        self._users: set[int] = set()
        operations = {"open": self._open, "read": self._read, "write": self._write, "close": self._close}
        for index in indexes:
            context.register_file_ops(index, operations)

    @property
    def sending(self) -> bool:
        """True while a list is on its way to one of the readers."""
        return bool(self._users)

    def forget(self, index: int) -> None:
        """The reader is gone, or has all of its list."""
        self._users.discard(index)

    def advance(self, index: int, transfer: ListTransfer) -> bool:
        """Move a reader's transfer on; False if it must be given up: nothing of it has arrived for too long."""
        now = time.monotonic()
        if transfer.step == "clear":
            # A transfer that was cut off has left a half file at either end, and the library would go on in its middle.
            # So begin a transfer and cancel it, which sends an ABORT.
            if not self._claim(index, transfer.blob):
                return True
            if self._submit(index, 0):
                self._submit(index, osdp_sys.CMD_FILE_TX_FLAG_CANCEL)
                transfer.step, transfer.offset, transfer.moved_at = "send", -1, now
            else:
                self._submit(index, osdp_sys.CMD_FILE_TX_FLAG_CANCEL)
        elif transfer.step == "send":
            status = self._context.get_file_tx_status(index)
            if transfer.offset < 0:
                if status is None and self._submit(index, 0):
                    transfer.offset, transfer.moved_at = 0, now
            elif status is None:
                return False  # the library has given it up
            elif status["offset"] == status["size"]:
                self.forget(index)
                transfer.step = "confirm"
            elif status["offset"] > transfer.offset:
                transfer.offset, transfer.moved_at = status["offset"], now
            return now - transfer.moved_at <= _STALL_SECONDS
        return True

    def _claim(self, index: int, blob: bytes) -> bool:
        """Have the callbacks serve these bytes to the reader; False while other readers are sent another list."""
        if self._users - {index} and self._blob != blob:
            return False
        self._blob = blob
        self._users.add(index)
        return True

    def _submit(self, index: int, flags: int) -> bool:
        return bool(
            self._context.submit_command(index, {"command": osdp_sys.CMD_FILE_TX, "id": FILE_TYPE, "flags": flags})
        )

    # Called by the library inside refresh: they must not raise.

    def _open(self, file_id: int, size: int) -> int:
        del file_id, size
        return len(self._blob)

    def _read(self, size: int, offset: int) -> bytes:
        return self._blob[offset : offset + size]

    def _write(self, data: bytes, offset: int) -> int:
        del data, offset
        return -1

    def _close(self, file_id: int) -> int:
        del file_id
        return 0


def _settle(futures: Sequence[Future[None]], error: Exception | None) -> None:
    for future in futures:
        with suppress(InvalidStateError):
            if error is None:
                future.set_result(None)
            else:
                future.set_exception(error)
