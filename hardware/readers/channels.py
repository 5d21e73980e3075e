"""Byte channels below OSDP: memory, serial line, TCP. All are non-blocking and are used by one loop thread.

libosdp calls `read`, `write` and `flush` from inside `refresh()`. An exception there would surface in a later,
unrelated call of the binding, so no method that the library calls may raise: a line reports trouble by `-1` from
`write` and by `ready` turning False.

A line that is attended (`attend`) is read by the thread's waker when bytes have come, so that `read` costs no system
call. A line that is not attended makes the system call in `read`.
"""

from __future__ import annotations

import abc
import errno
import itertools
import os
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol
from urllib.parse import urlsplit

from hardware.readers.waker import Waker

_ids = itertools.count(1)
_READ_MAX = 4096
"""At most this many bytes wait to be read; a packet of OSDP has at most 1,440 (2.2, 5.5)."""
_CONNECT_SECONDS = 3.0


class Channel(Protocol):
    """What libosdp and the panel need of a line.

    `id` is unique in the process: the library takes equal ids for one shared line.

    `last_heard`: `time.monotonic()` of the last byte that came in (0.0 before the first). `broken`: set by the panel to
    make the next write fail, the only way to end the library's retries on a dead line early.
    """

    id: int
    last_heard: float
    broken: bool

    def read(self, max_bytes: int) -> bytes:
        """Return the bytes that are there, at most `max_bytes`, without waiting; b"" for none."""
        ...

    def write(self, data: bytes) -> int:
        """Send without waiting; return the number of bytes taken, -1 if the line is down."""
        ...

    def flush(self) -> None:
        """Drop input that has not been read."""
        ...

    def reset(self) -> None:
        """Forget what is on the line. A line that can be opened again is closed: a dead connection may look alive."""
        ...

    def ready(self) -> bool:
        """True if bytes can be sent. It also drives the reconnect of a line: call it regularly on the loop thread."""
        ...

    def set_speed(self, baud: int) -> None:
        """Go on at this speed, if the line has one. ValueError for a speed that the system does not know."""
        ...

    def attend(self, waker: Waker, on_data: Callable[[], None]) -> None:
        """Have `on_data` called whenever bytes have come. Call it on the waker's thread.

        `on_data` runs on the waker's thread or on the sender's, and must neither wait nor raise.
        """
        ...

    def close(self) -> None:
        """Release the line; idempotent."""
        ...


class MemoryChannel:
    """One end of a pair in memory.

    The two ends may live on different threads: each call changes the buffer by single atomic operations.
    """

    def __init__(self) -> None:
        self.id = next(_ids)
        self.last_heard = 0.0
        self.broken = False
        self.cut = False
        """True: the line is unplugged; bytes written are lost, none arrive."""
        self.on_data: Callable[[], None] | None = None
        """Called on the writer's thread after bytes have arrived here; must not raise."""
        self._incoming = bytearray()
        self._peer: MemoryChannel | None = None

    @classmethod
    def pair(cls) -> tuple[MemoryChannel, MemoryChannel]:
        """Return two connected ends."""
        one, other = cls(), cls()
        one._peer, other._peer = other, one
        return one, other

    def read(self, max_bytes: int) -> bytes:
        if not self._incoming:
            return b""
        # Only this thread takes bytes out and the peer only appends, so the slice and its removal name the same bytes.
        data = bytes(self._incoming[:max_bytes])
        del self._incoming[: len(data)]
        self.last_heard = time.monotonic()
        return data

    def write(self, data: bytes) -> int:
        if self.broken:
            return -1
        peer = self._peer
        if peer is not None and not (self.cut or peer.cut):
            peer._incoming += data
            if peer.on_data is not None:
                peer.on_data()
        return len(data)

    def flush(self) -> None:
        self._incoming.clear()

    def reset(self) -> None:
        self._incoming.clear()

    def ready(self) -> bool:
        return self._peer is not None

    def set_speed(self, baud: int) -> None:
        del baud

    def attend(self, waker: Waker, on_data: Callable[[], None]) -> None:
        del waker
        self.on_data = on_data

    def close(self) -> None:
        peer, self._peer = self._peer, None
        if peer is not None:
            peer._peer = None
        self.on_data = None
        self._incoming.clear()


class _DescriptorChannel(abc.ABC):
    """Shared parts of channels over a file descriptor."""

    def __init__(self) -> None:
        self.id = next(_ids)
        self.last_heard = 0.0
        self.broken = False
        self._retry_at = 0.0
        self._incoming = bytearray()
        self._waker: Waker | None = None
        self._on_data: Callable[[], None] = _ignore

    @abc.abstractmethod
    def _receive(self, max_bytes: int) -> bytes:
        """Read once; b"" means that the line is gone."""

    @abc.abstractmethod
    def _send(self, data: bytes) -> int:
        """Write once."""

    @abc.abstractmethod
    def _descriptor_now(self) -> int | None:
        """The descriptor of a line that is up."""

    @abc.abstractmethod
    def _give_back(self) -> None:
        """Close the descriptor; idempotent."""

    def attend(self, waker: Waker, on_data: Callable[[], None]) -> None:
        self._on_data = on_data
        if self._waker is None:
            self._waker = waker
            self._watch_line()

    def receive(self) -> None:
        """Take in the bytes that have come, and report them."""
        if self._take_in():
            self._on_data()

    def _take_in(self) -> bool:
        """Read once into memory; True if bytes had come. A line that has ended or failed is dropped."""
        try:
            data = self._receive(_READ_MAX)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self._drop()
            return False
        if len(self._incoming) + len(data) > _READ_MAX:
            # The library reads only while it expects an answer. Bytes that nobody asked for must not fill the memory.
            self._incoming.clear()
        self._incoming += data
        self.last_heard = time.monotonic()
        return True

    def read(self, max_bytes: int) -> bytes:
        if self._waker is None and not self._incoming and self._descriptor_now() is not None:
            self._take_in()
        if not self._incoming:
            return b""
        data = bytes(self._incoming[:max_bytes])
        del self._incoming[:max_bytes]
        return data

    def write(self, data: bytes) -> int:
        if self.broken or self._descriptor_now() is None:
            return -1
        try:
            return self._send(data)
        except BlockingIOError:
            return -1
        except OSError:
            self._drop()
            return -1

    def flush(self) -> None:
        # Bounded: a peer that never stops talking must not hold the loop thread.
        for _ in range(16):
            if self._descriptor_now() is None or not self._take_in():
                break
        self._incoming.clear()

    def reset(self) -> None:
        self._drop()

    def set_speed(self, baud: int) -> None:
        del baud

    def close(self) -> None:
        self._drop()

    def _watch_line(self) -> None:
        descriptor = self._descriptor_now()
        if self._waker is not None and descriptor is not None:
            try:
                self._waker.watch(self, descriptor)
            except OSError:
                # No thread would ever read it.
                self._drop()

    def _drop(self) -> None:
        descriptor = self._descriptor_now()
        if self._waker is not None and descriptor is not None:
            self._waker.forget(descriptor)
        self._incoming.clear()
        self._give_back()


def _ignore() -> None:
    """No one listens."""


class SerialChannel(_DescriptorChannel):
    """A serial line (RS-485 adapter or pty) in raw mode, 8N1, reopened after errors at most once a second.

    POSIX only.
    """

    def __init__(self, device: str, baud: int) -> None:
        super().__init__()
        if sys.platform == "win32":
            raise ValueError("serial readers need a POSIX system; use tcp:// here")
        self._device = device
        self._speed = _speed(baud)
        self._descriptor: int | None = None

    def set_speed(self, baud: int) -> None:
        import termios

        self._speed = _speed(baud)
        if self._descriptor is not None:
            try:
                mode = termios.tcgetattr(self._descriptor)
                mode[4] = mode[5] = self._speed
                # Bytes that are still on their way out leave at the old speed.
                termios.tcsetattr(self._descriptor, termios.TCSADRAIN, mode)
            except (OSError, termios.error):
                self._drop()

    def _open(self) -> int:
        """Open the device in raw mode, 8N1; its descriptor. OSError also for a device that is no serial line."""
        import termios

        descriptor = os.open(self._device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            mode = termios.tcgetattr(descriptor)
            control = (
                (mode[2] & ~(termios.CSIZE | termios.PARENB | termios.CSTOPB))
                | termios.CS8
                | termios.CLOCAL
                | termios.CREAD
            )
            characters = mode[6]
            # With VMIN 0 "no byte yet" would read like a hang-up.
            characters[termios.VMIN], characters[termios.VTIME] = 1, 0
            termios.tcsetattr(descriptor, termios.TCSANOW, [0, 0, control, 0, self._speed, self._speed, characters])
            termios.tcflush(descriptor, termios.TCIOFLUSH)
        except termios.error as error:
            os.close(descriptor)
            raise OSError(errno.ENOTTY, f"{self._device} is not a serial line") from error
        return descriptor

    def ready(self) -> bool:
        if self._descriptor is None and time.monotonic() >= self._retry_at:
            self._retry_at = time.monotonic() + 1.0
            with suppress(OSError):
                self._descriptor = self._open()
                self._watch_line()
        return self._descriptor is not None

    def _descriptor_now(self) -> int | None:
        return self._descriptor

    def _receive(self, max_bytes: int) -> bytes:
        return b"" if self._descriptor is None else os.read(self._descriptor, max_bytes)

    def _send(self, data: bytes) -> int:
        return -1 if self._descriptor is None else os.write(self._descriptor, data)

    def _give_back(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


def _speed(baud: int) -> int:
    import termios

    speed = getattr(termios, f"B{baud}", None)
    if not isinstance(speed, int):
        raise ValueError(f"{baud} is not a speed of this system's serial lines")
    return speed


class TcpChannel(_DescriptorChannel):
    """A reader or a serial server over TCP, without delay (Nagle off), with its own reconnect at most once a second."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__()
        self._address = (host, port)
        self._socket: socket.socket | None = None
        self._connected = False
        self._give_up_at = 0.0

    def _begin(self) -> None:
        """Start to connect, without waiting; where that fails at once, no socket is left."""
        try:
            # Numeric addresses only: a name would need a resolver, which waits.
            family, kind, protocol, _, address = socket.getaddrinfo(
                *self._address, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST
            )[0]
            line = socket.socket(family, kind, protocol)
        except OSError:
            return
        line.setblocking(False)
        try:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            status = line.connect_ex(address)
        except OSError:
            line.close()
            return
        if status not in (0, errno.EINPROGRESS, errno.EWOULDBLOCK):
            line.close()
            return
        self._socket = line
        self._give_up_at = time.monotonic() + _CONNECT_SECONDS

    def ready(self) -> bool:
        now = time.monotonic()
        if self._socket is None:
            if now < self._retry_at:
                return False
            self._retry_at = now + 1.0
            self._begin()
        if self._socket is not None and not self._connected:
            if self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) or now > self._give_up_at:
                self._drop()
            else:
                with suppress(OSError):
                    self._socket.getpeername()  # only answers once the handshake is done
                    self._connected = True
                    self._watch_line()
        return self._connected

    def _descriptor_now(self) -> int | None:
        return self._socket.fileno() if self._socket is not None and self._connected else None

    def _receive(self, max_bytes: int) -> bytes:
        return b"" if self._socket is None else self._socket.recv(max_bytes)

    def _send(self, data: bytes) -> int:
        return -1 if self._socket is None else self._socket.send(data)

    def _give_back(self) -> None:
        line, self._socket, self._connected = self._socket, None, False
        if line is not None:
            line.close()


def check_uri(uri: str) -> str:
    """Return `uri` if `open_channel` can serve it or it is `simulated:`; ValueError with the reason otherwise."""
    parts = urlsplit(uri)
    match parts.scheme:
        case "simulated":
            if uri != "simulated:":
                raise ValueError("a simulated reader's channel is just simulated:")
        case "serial":
            if not parts.path:
                raise ValueError("serial:<device> needs a device")
        case "tcp":
            if not parts.hostname or not parts.port or parts.path or parts.query or parts.username:
                raise ValueError("a TCP channel is tcp://<address>:<port>")
            try:
                socket.getaddrinfo(parts.hostname, parts.port, flags=socket.AI_NUMERICHOST)
            except OSError as error:
                raise ValueError("a TCP channel needs a numeric address") from error
        case _:
            raise ValueError("a channel is serial:<device>, tcp://<address>:<port> or simulated:")
    return uri


def open_channel(uri: str, baud: int) -> SerialChannel | TcpChannel:
    """Return the channel for a real reader. It connects once `ready()` is called. ValueError: wrong `uri` or `baud`."""
    parts = urlsplit(check_uri(uri))
    if parts.scheme == "serial":
        return SerialChannel(parts.path, baud)
    if parts.scheme == "tcp" and parts.hostname and parts.port:
        return TcpChannel(parts.hostname, parts.port)
    raise ValueError("a simulated reader has no line of its own")
