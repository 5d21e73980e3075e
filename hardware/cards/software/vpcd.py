"""The wire to vpcd, the virtual reader driver of pcscd: the card dials in and answers (vsmartcard's protocol).

Each message is a length (2 bytes, big endian) and that many bytes. A message of one byte controls the card: 0 power
off, 1 power on, 2 reset, 4 asks for the ATR; only 4 is answered. All others are command APDUs.
"""

import contextlib
import logging
import selectors
import socket
from typing import Final, Protocol

logger = logging.getLogger(__name__)

HOST: Final = "127.0.0.1"
"""The only address that is dialled: the wire has no authentication, so a card never leaves its machine."""

REDIAL: Final = 0.3
"""Seconds between attempts while no reader listens: pcscd is down, or another card has the slot."""

_OFF, _ON, _RESET, _GET_ATR = 0, 1, 2, 4


class WireError(Exception):
    """The reader sent bytes that are no message; the connection cannot be used any more."""


class Messages:
    """Splits the byte stream into messages, however the segments fall."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """Take `data` and return the messages that are whole now, each of 1 to 65535 bytes; `WireError` for none."""
        self._buffer += data
        messages: list[bytes] = []
        while len(self._buffer) >= 2:
            size = int.from_bytes(self._buffer[:2], "big")
            if not size:
                raise WireError("message without a byte")
            if len(self._buffer) < 2 + size:
                break
            messages.append(bytes(self._buffer[2 : 2 + size]))
            del self._buffer[: 2 + size]
        return messages


def frame(message: bytes) -> bytes:
    """One message as it goes over the wire; `message` has at most 65535 bytes (`OverflowError` otherwise)."""
    return len(message).to_bytes(2, "big") + message


class CardPort(Protocol):
    """What the link needs of a card."""

    @property
    def atr(self) -> bytes: ...
    def power(self, on: bool) -> None: ...
    def reset(self) -> None: ...
    def transmit(self, apdu: bytes) -> bytes: ...


class VpcdLink:
    """Keeps `card` in the reader that listens on `port` of this machine, through every restart of pcscd."""

    def __init__(self, card: CardPort, port: int) -> None:
        if not 0 < port < 65536:
            raise ValueError("port is 1 to 65535")
        self._card = card
        self._port = port
        self._stopping = False
        self._powered = False
        # stop() may be called by a signal handler or another thread while run() waits: a byte here wakes it
        self._woken, self._waker = socket.socketpair()
        self._woken.setblocking(False)
        self._waker.setblocking(False)

    def stop(self) -> None:
        """Take the card out: `run` returns soon. Safe in signal handlers and other threads."""
        self._stopping = True
        # suppress: full means that it is woken already, closed that it has ended already
        with contextlib.suppress(OSError):
            self._waker.send(b"\0")

    def run(self) -> None:
        """Serve until `stop`. Raises `CardAbsent` when a tear pulls the card out; a new link puts it in again."""
        try:
            while not self._stopping:
                try:
                    with socket.create_connection((HOST, self._port), timeout=5) as reader:
                        logger.info("card inserted at %s:%d", HOST, self._port)
                        self._serve(reader)
                except (OSError, WireError) as error:
                    logger.debug("no reader at %s:%d: %s", HOST, self._port, error)
                finally:
                    self._power(False)
                self._wait(REDIAL)
        finally:
            self._woken.close()
            self._waker.close()

    def _wait(self, seconds: float) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._woken, selectors.EVENT_READ)
            selector.select(0 if self._stopping else seconds)

    def _serve(self, reader: socket.socket) -> None:
        """Answer the reader's messages until it hangs up or `stop` is called."""
        messages = Messages()
        with selectors.DefaultSelector() as selector:
            selector.register(reader, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while not self._stopping:
                # vpcd writes length and body apart and the kernel's delayed acknowledgement holds the body back 40 ms;
                # the option is no lasting state: it must be set again before every read
                if hasattr(socket, "TCP_QUICKACK"):
                    reader.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
                if not any(key.fileobj is reader for key, _ in selector.select()):
                    continue
                data = reader.recv(65536)
                if not data:
                    return
                for message in messages.feed(data):
                    answer = self._answer(message)
                    if answer is not None:
                        reader.sendall(frame(answer))

    def _answer(self, message: bytes) -> bytes | None:
        if len(message) > 1:
            if not self._powered:
                raise WireError("command for a card without power")
            return self._card.transmit(message)
        if message[0] == _GET_ATR:
            return self._card.atr
        if message[0] in (_OFF, _ON):
            self._power(message[0] == _ON)
        elif message[0] == _RESET:
            self._card.reset()
        return None

    def _power(self, on: bool) -> None:
        self._powered = on
        self._card.power(on)
