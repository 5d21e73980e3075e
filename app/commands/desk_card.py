"""``arc-console desk-card``: the operator's own card for a console, in a process of its own.

The console never loads PC/SC: a driver that hangs or dies takes this process along, and the window stays. It talks by
lines of JSON over stdin and stdout, and ends with stdin.

Out: ``{"readers": [{"reader", "card", "changes"}], "trouble"}`` at the start and at each change; ``trouble`` says why
no reader can be seen. ``{"signed": {"id", "certificate", "signature"}}``, both base64, or ``{"failed": {"id",
"sentence", "tries"}}``.
In: ``{"id", "reader", "changes", "statement", "pin"}``. A card that came since ``changes`` is not asked: its holder did
not type this PIN.
"""

from __future__ import annotations

import argparse
import base64
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Annotated, BinaryIO

import msgspec

from app.commands.options import EXIT_OK
from app.service.process import limit_process
from hardware.cards.backend import CardBackend, CardError, StatusWordError
from hardware.cards.monitor import CardMonitor, CardReaderState
from hardware.cards.statement import sign_statement

LINE = 65_536
"""Bytes of the longest line that is read."""


class _Order(msgspec.Struct, forbid_unknown_fields=True):
    """One signature that is asked for. ``pin`` as typed: 4 to 8 characters of ASCII (SP 800-73-5)."""

    id: str
    reader: str
    changes: int
    statement: str
    pin: Annotated[str, msgspec.Meta(min_length=4, max_length=8, pattern=r"^[\x20-\x7e]+\Z")]


class DeskCardAgent:
    """Answers the orders of one console. ``tell`` gets each line, from any thread, never two at once."""

    def __init__(self, backend: CardBackend, tell: Callable[[bytes], None]) -> None:
        self._backend = backend
        self._write = tell
        self._turn = threading.Lock()
        self._monitor = CardMonitor([backend], self._show)

    def run(self, orders: BinaryIO) -> None:
        """Answer until ``orders`` ends."""
        self._monitor.start()
        try:
            while line := orders.readline(LINE):
                self._take(line)
        finally:
            self._monitor.stop()

    def _show(self, states: Sequence[CardReaderState]) -> None:
        readers = [{"reader": one.reader, "card": one.present, "changes": one.changes} for one in states]
        self._tell({"readers": readers, "trouble": self._monitor.services()[0]})

    def _take(self, line: bytes) -> None:
        """Answer one order; a line that is none is refused."""
        try:
            order = msgspec.json.decode(line, type=_Order)
        except (msgspec.DecodeError, UnicodeDecodeError):
            # What it was is not told: it may have been a PIN.
            self._fail("", "The order could not be read: a PIN has 4 to 8 characters of the keyboard.", None)
            return
        now = {one.reader: one for one in self._monitor.states()}.get(order.reader)
        if now is None or not now.present or now.changes != order.changes:
            sentence = "Another card is in the reader, or none. Type the PIN of the card that is in now."
            self._fail(order.id, sentence, None)
            return
        try:
            signed = sign_statement(self._backend, order.reader, order.statement.encode(), order.pin)
        except StatusWordError as error:
            tries = error.tries
            sentence = "The PIN is wrong." if tries is not None else f"The card refused. {error.remedy()}"
            self._fail(order.id, sentence, tries)
        except CardError as error:
            self._fail(order.id, f"{error}. {error.remedy()}", None)
        else:
            self._tell(
                {
                    "signed": {
                        "id": order.id,
                        "certificate": base64.b64encode(signed.certificate).decode(),
                        "signature": base64.b64encode(signed.signature).decode(),
                    }
                }
            )

    def _fail(self, order_id: str, sentence: str, tries: int | None) -> None:
        self._tell({"failed": {"id": order_id, "sentence": sentence, "tries": tries}})

    def _tell(self, message: dict[str, object]) -> None:
        with self._turn:
            self._write(msgspec.json.encode(message) + b"\n")


def run(_options: argparse.Namespace) -> int:
    """Answers on stdout until stdin ends."""
    from hardware.cards.pcsc import PcscBackend

    limit_process()

    def tell(line: bytes) -> None:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()

    DeskCardAgent(PcscBackend(), tell).run(sys.stdin.buffer)
    return EXIT_OK
