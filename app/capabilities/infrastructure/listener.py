"""Server frames of this process: real TLS servers that ask for a client certificate and serve nothing else.

The site's own frame is one of them (``GET /v1/infrastructure/status`` measures it for this node). The training site's
frames are a set of them in a process of their own (``app.training.frames``). All listeners of a set share one thread.
"""

from __future__ import annotations

import contextlib
import enum
import heapq
import itertools
import logging
import random
import selectors
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cryptography import x509
from OpenSSL import SSL
from OpenSSL.crypto import X509

from app.capabilities.infrastructure.identity import TlsIdentity

log = logging.getLogger(__name__)

_DEADLINE_S = 10.0
_CONNECTIONS_PER_FRAME = 64
"""The most connections of a frame at one time; for another one the oldest is cut, so silent peers cannot block it."""
_READ = 65536
_ABORT = struct.pack("ii", 1, 0)
"""SO_LINGER 0: closing resets the connection."""


class Mode(enum.StrEnum):
    """How a frame behaves on the wire."""

    UP = "up"
    CLOSED = "closed"
    """Takes the connection and resets it: a host whose service is down."""
    SILENT = "silent"
    """Takes the connection and never answers: a host that hangs."""


@dataclass(frozen=True)
class FrameSpec:
    """One server frame.

    ``client_roots`` PEM: the roots of the clients that may connect. ``delay_ms`` and ``jitter_ms`` (standard deviation)
    hold back the answer to the ClientHello, as a longer wire would.
    """

    name: str
    identity: TlsIdentity
    client_roots: bytes
    delay_ms: float = 0.0
    jitter_ms: float = 0.0
    host: str = "127.0.0.1"
    port: int = 0


class _Frame:
    """One frame that listens, and its open connections."""

    def __init__(self, spec: FrameSpec, any_port: bool) -> None:
        self.spec = spec
        self.mode = Mode.UP
        self.connections: dict[_FrameConnection, None] = {}
        try:
            self.socket = socket.create_server((spec.host, spec.port), backlog=128)
        except OSError:
            if not any_port:
                raise
            self.socket = socket.create_server((spec.host, 0), backlog=128)
        self.socket.setblocking(False)
        context = SSL.Context(SSL.TLS_METHOD)
        context.set_min_proto_version(SSL.TLS1_3_VERSION)
        context.set_session_cache_mode(SSL.SESS_CACHE_OFF)
        context.use_certificate(spec.identity.certificate)
        context.use_privatekey(spec.identity.key)
        store = context.get_cert_store()
        if store is None:
            raise RuntimeError("OpenSSL gave a context without a certificate store")
        for root in x509.load_pem_x509_certificates(spec.client_roots):
            store.add_cert(X509.from_cryptography(root))
            context.add_client_ca(root)
        context.set_verify(SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT)
        self.context = context


class _FrameConnection:
    """One connection to a frame. ``shaken``: its handshake is complete; ``held``: its answer is held back."""

    def __init__(self, frame: _Frame, peer: socket.socket) -> None:
        self.frame = frame
        self.socket = peer
        self.deadline = time.monotonic() + _DEADLINE_S
        self.tls = SSL.Connection(frame.context, None)
        self.tls.set_accept_state()
        self.shaken = False
        self.answered = False
        self.held = False
        self.silent = frame.mode is Mode.SILENT


class FrameServer:
    """A set of frames on one thread. ``start`` binds and runs; ``mode`` may be called from any thread; ``stop`` ends
    every connection and joins the thread."""

    def __init__(self, specs: Sequence[FrameSpec], *, any_port: bool = False) -> None:
        """``any_port``: a port that is taken is replaced by a free one."""
        self._specs = specs
        self._any_port = any_port
        self._frames: dict[str, _Frame] = {}
        self._selector = selectors.DefaultSelector()
        self._woken, self._waker = socket.socketpair()
        self._woken.setblocking(False)
        self._thread = threading.Thread(target=self._run, name="frames", daemon=True)
        self._stopping = False
        self._timers: list[tuple[float, int, _FrameConnection]] = []
        self._serial = itertools.count()
        self._random = random.Random()  # spreads added latency, protects nothing

    def start(self) -> dict[str, int]:
        """Listens; the port of each frame by name. OSError when one cannot be bound: all are closed then."""
        try:
            for spec in self._specs:
                frame = _Frame(spec, self._any_port)
                self._frames[spec.name] = frame
                self._selector.register(frame.socket, selectors.EVENT_READ, frame)
        except OSError:
            self._close_all()
            raise
        self._selector.register(self._woken, selectors.EVENT_READ, None)
        self._thread.start()
        return {name: frame.socket.getsockname()[1] for name, frame in self._frames.items()}

    def mode(self, name: str, mode: Mode) -> None:
        """Set how the frame treats its next connections. KeyError for a frame that is not of this set."""
        self._frames[name].mode = mode

    def connections(self, name: str) -> int:
        """Number of open connections of the frame. KeyError for a frame that is not of this set."""
        return len(self._frames[name].connections)

    def stop(self) -> None:
        """Ends the thread and every socket. May be called twice."""
        if self._stopping or not self._thread.is_alive():
            return
        self._stopping = True
        with contextlib.suppress(OSError):  # it has seen the flag already, and closed its end
            self._waker.send(b"x")
        self._thread.join()

    def _run(self) -> None:
        """Serve sockets and timers until stopped, then close everything."""
        try:
            while not self._stopping:
                for key, _events in self._selector.select(self._until_timer()):
                    if isinstance(key.data, _Frame):
                        self._accept(key.data)
                    elif isinstance(key.data, _FrameConnection):
                        self._guard(key.data, self._read)
                now = time.monotonic()
                while self._timers and self._timers[0][0] <= now:
                    connection = heapq.heappop(self._timers)[2]
                    if connection in connection.frame.connections:
                        self._guard(connection, self._fire)
        except Exception:
            log.exception("the server frames stopped")
        finally:
            self._close_all()

    def _until_timer(self) -> float | None:
        return max(0.0, self._timers[0][0] - time.monotonic()) if self._timers else None

    def _accept(self, frame: _Frame) -> None:
        """Take a new connection, or reset it where the frame is closed."""
        with contextlib.suppress(OSError):
            peer, _address = frame.socket.accept()
            if frame.mode is Mode.CLOSED:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABORT)
                peer.close()
                return
            if len(frame.connections) >= _CONNECTIONS_PER_FRAME:
                self._drop(next(iter(frame.connections)))
            peer.setblocking(False)
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = _FrameConnection(frame, peer)
            frame.connections[connection] = None
            self._selector.register(peer, selectors.EVENT_READ, connection)
            self._at(connection.deadline, connection)

    def _at(self, when: float, connection: _FrameConnection) -> None:
        heapq.heappush(self._timers, (when, next(self._serial), connection))

    def _guard(self, connection: _FrameConnection, step: Callable[[_FrameConnection], None]) -> None:
        """Runs one step of a connection; an error ends this connection and no other."""
        try:
            step(connection)
        except SSL.Error:
            # The alert in the memory BIO gives the peer the reason.
            with contextlib.suppress(OSError, SSL.Error):
                connection.socket.send(connection.tls.bio_read(_READ))
            self._drop(connection)
        except OSError:
            self._drop(connection)

    def _read(self, connection: _FrameConnection) -> None:
        """Feed what has come to TLS, and answer: the ClientHello after the frame's delay, all else at once."""
        try:
            data = connection.socket.recv(_READ)
        except BlockingIOError:
            return
        if not data:
            self._drop(connection)
            return
        if connection.silent:
            return
        connection.tls.bio_write(data)
        if connection.answered:
            self._advance(connection)
        elif not connection.held:
            connection.held = True
            delay_s = self._delay_s(connection.frame.spec)
            if delay_s <= 0:
                self._advance(connection)
            else:
                self._at(time.monotonic() + delay_s, connection)

    def _delay_s(self, spec: FrameSpec) -> float:
        if not spec.delay_ms and not spec.jitter_ms:
            return 0.0
        return max(0.0, self._random.gauss(spec.delay_ms, spec.jitter_ms)) / 1000

    def _fire(self, connection: _FrameConnection) -> None:
        """A timer of the connection has come: its deadline, or the end of the delay of its answer."""
        if time.monotonic() >= connection.deadline:
            self._drop(connection)
        elif not connection.answered:
            self._advance(connection)

    def _advance(self, connection: _FrameConnection) -> None:
        """Move the handshake on; after it, any data ends the connection."""
        connection.answered = True
        try:
            if not connection.shaken:
                connection.tls.do_handshake()
                connection.shaken = True
            # A frame serves nothing: any data after the handshake, usually close_notify, ends the connection.
            connection.tls.recv(1)
        except SSL.WantReadError:
            self._flush(connection)
            return
        except SSL.ZeroReturnError:
            with contextlib.suppress(SSL.Error):
                connection.tls.shutdown()
        self._flush(connection)
        self._drop(connection)

    @staticmethod
    def _flush(connection: _FrameConnection) -> None:
        with contextlib.suppress(SSL.WantReadError):
            # A few kilobytes fit into a fresh socket's buffer; a peer that has no window at all is dropped.
            data = connection.tls.bio_read(_READ)
            if connection.socket.send(data) != len(data):
                raise OSError("the peer takes nothing")

    def _drop(self, connection: _FrameConnection) -> None:
        if connection.frame.connections.pop(connection, connection) is None:
            self._selector.unregister(connection.socket)
            connection.socket.close()
            # The timer keeps the connection in the heap until its deadline; OpenSSL's buffers must not stay so long.
            del connection.tls

    def _close_all(self) -> None:
        for frame in self._frames.values():
            for connection in tuple(frame.connections):
                self._drop(connection)
            frame.socket.close()
        self._selector.close()
        self._woken.close()
        self._waker.close()
