"""One probe: a full mutual TLS handshake with one server frame, as a state machine over a non-blocking socket.

TLS runs in memory (OpenSSL's memory BIOs), so that every byte passes through this module: the clock starts when the
ClientHello is handed to the kernel and stops at the first byte of the answer. On Linux that byte carries the kernel's
receive time, so a busy interpreter does not count as latency. There is no resumption: every probe is a full handshake
(no session is ever set, RFC 8446 section 2.2), with the key exchange that both sides prefer.

The probe succeeds when we trust the frame's certificate and the frame has accepted ours. In TLS 1.3 a client is done
before the server has seen its certificate, so the probe waits for the first record after the handshake (session ticket
or alert) and sends ``close_notify`` to ask for one when none comes by itself.
"""

from __future__ import annotations

import contextlib
import enum
import errno
import functools
import ipaddress
import os
import selectors
import socket
import struct
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from OpenSSL import SSL
from OpenSSL.crypto import X509

from app.capabilities.infrastructure.identity import TlsIdentity
from app.registry.peers import PeerRow

_SO_TIMESTAMPNS = 35 if sys.platform == "linux" else None
"""asm-generic/socket.h; the control message of the same number carries a ``struct timespec``."""
_TIMESPEC = struct.Struct("@qq")
_READ = 65536
_HEADER = 5
"""Bytes of a TLS record's header; its last two are the length of what follows (RFC 8446 section 5.1)."""
_QUIET_S = 0.1
"""How long a frame may keep silent after the handshake before we ask with ``close_notify``."""
_STAMPS_WITHIN_S = 1.0
"""How long the kernel may take until it begins to stamp what it receives."""
_STAMP_GAP_S = 0.002
"""Pause between sending a datagram to ourselves and reading it: far more than loopback needs."""

_VERIFY_WORDS = {
    9: "is not valid yet",
    10: "has expired",
    18: "is self-signed and not the one registered",
    19: "ends at a root that is not registered",
    20: "was issued by an authority that is not registered",
    21: "was issued by an authority that is not registered",
    26: "is not for TLS servers",
}
"""The codes of OpenSSL's x509_vfy.h that occur in practice."""


class HandshakeRefused(Exception):
    """The handshake failed; the message is a sentence for a person."""


@dataclass(frozen=True, slots=True)
class Phases:
    """Milliseconds: name resolution, TCP connect, ClientHello to the first server byte, ClientHello to our Finished."""

    resolve_ms: float
    connect_ms: float
    first_byte_ms: float
    handshake_ms: float


@dataclass(frozen=True, slots=True)
class Measurement:
    """The result of one probe.

    ``failure`` None: the handshake succeeded, and ``phases``, ``cipher``, ``group`` and ``protocol`` were read from the
    connection. Otherwise ``failure`` is a sentence for a person.
    """

    peer_id: str
    at_us: int
    failure: str | None
    phases: Phases | None = None
    cipher: str | None = None
    group: str | None = None
    protocol: str | None = None
    not_after_us: int | None = None
    """End of the frame's certificate, Unix microseconds."""


class FrameTrust:
    """Whom to trust for one target: an OpenSSL context with the registered roots, or the pinned certificate."""

    def __init__(self, identity: TlsIdentity, roots: bytes, pinned: bytes | None) -> None:
        """``roots`` PEM; ``pinned`` PEM of the exact certificate, which then is the only trust. ValueError for PEM
        that holds no certificate."""
        self.pinned = None
        if pinned is not None:
            self.pinned = x509.load_pem_x509_certificate(pinned).public_bytes(Encoding.DER)
        context = SSL.Context(SSL.TLS_METHOD)
        context.set_min_proto_version(SSL.TLS1_2_VERSION)
        context.set_session_cache_mode(SSL.SESS_CACHE_OFF)
        context.use_certificate(identity.certificate)
        context.use_privatekey(identity.key)
        if self.pinned is None:
            store = context.get_cert_store()
            if store is None:
                raise RuntimeError("OpenSSL gave a context without a certificate store")
            for root in x509.load_pem_x509_certificates(roots):
                store.add_cert(X509.from_cryptography(root))
            context.set_verify(SSL.VERIFY_PEER, _judge)
        # With a pin OpenSSL verifies nothing: ``check`` compares the whole certificate, which is stricter than a chain.
        self.context = context

    def check(self, certificate: x509.Certificate, host: str) -> None:
        """Check what OpenSSL did not: the pin, or the name in a certificate that chains to a root.

        Raises ``HandshakeRefused``.
        """
        if self.pinned is None:
            _check_name(certificate, host)
        elif certificate.public_bytes(Encoding.DER) != self.pinned:
            raise HandshakeRefused("The frame's certificate is not the one that is pinned.")
        elif certificate.not_valid_after_utc < datetime.now(UTC):
            raise HandshakeRefused("The frame's pinned certificate has expired.")


def _judge(connection: SSL.Connection, _certificate: X509, code: int, _depth: int, ok: int) -> bool:
    if not ok:
        connection.set_app_data(code)
    return bool(ok)


@functools.lru_cache(maxsize=4096)  # the same certificate at the same host every second; a refusal is not kept
def _check_name(certificate: x509.Certificate, host: str) -> None:
    """RFC 9525: the certificate must name the host, as an address or as a name with at most a whole left-most ``*``."""
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        names = x509.SubjectAlternativeName([])
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        wanted = host.lower().rstrip(".")
        rest = wanted.partition(".")[2]
        for name in (name.lower() for name in names.get_values_for_type(x509.DNSName)):
            if name == wanted or (rest and name == f"*.{rest}"):
                return
    else:
        if address in names.get_values_for_type(x509.IPAddress):
            return
    raise HandshakeRefused(f"The frame's certificate does not name {host}.")


class KernelStamps:
    """Makes the kernel stamp what it receives, until it is closed.

    Linux begins to stamp with the first socket that asks, a moment after the call (a static key that a work queue
    patches), and ends with the last such socket. A packet that came before is stamped when it is read, and the stamp
    does not show it. A probe's own socket asks too late to be sure; one socket that stays open beside the probes is
    early enough.
    """

    def __init__(self) -> None:
        """OSError when there is no loopback socket."""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind(("127.0.0.1", 0))
            self._socket.connect(self._socket.getsockname())
            self._socket.settimeout(_STAMPS_WITHIN_S)
            _ask_for_stamps(self._socket)
        except OSError:
            self.close()
            raise

    def settle(self) -> bool:
        """Waits until a datagram to ourselves carries the time at which it came; False where the kernel gives none."""
        if _SO_TIMESTAMPNS is None:
            return False
        deadline = time.monotonic() + _STAMPS_WITHIN_S
        while time.monotonic() < deadline:
            self._socket.send(b"\0")
            time.sleep(_STAMP_GAP_S)
            read_ns = time.time_ns()
            control = self._socket.recvmsg(1, 64)[1]
            stamp_ns = _stamp_of(control)
            if stamp_ns is None:
                return False
            if stamp_ns < read_ns:
                return True
        return False

    def close(self) -> None:
        """Stop asking; the kernel stops stamping unless another socket asks."""
        self._socket.close()


def _ask_for_stamps(asker: socket.socket) -> None:
    if _SO_TIMESTAMPNS is not None:
        asker.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)


def _stamp_of(control: list[tuple[int, int, bytes]]) -> int | None:
    """The kernel's receive time among ``recvmsg``'s control messages, Unix nanoseconds."""
    for _level, kind, payload in control:
        if kind == _SO_TIMESTAMPNS and len(payload) >= _TIMESPEC.size:
            seconds, nanoseconds = _TIMESPEC.unpack_from(payload)
            return int(seconds * 1_000_000_000 + nanoseconds)
    return None


class HandshakeStep(enum.Enum):
    """The stage of a probe."""

    CONNECTING = enum.auto()
    HELLO_SENT = enum.auto()
    FINISHED_SENT = enum.auto()
    DONE = enum.auto()


class Handshake:
    """One probe of one target. Not thread-safe.

    The owner registers ``socket`` for ``events`` and calls ``ready`` when the kernel reports one, ``wake`` at
    ``wake_at`` and ``expire`` at the deadline. The probe has ended when ``result`` is set. In every case the owner must
    call ``close`` at the end.
    """

    def __init__(self, target: PeerRow, trust: FrameTrust, addresses: list[tuple[int, str]], resolve_ms: float) -> None:
        """``addresses``: (family, address) in the order of trial."""
        self.target = target
        self.result: Measurement | None = None
        self.events = selectors.EVENT_WRITE
        self.wake_at: float | None = None
        self.socket: socket.socket
        self._trust = trust
        self._addresses = addresses
        self._resolve_ms = resolve_ms
        self._connect_ms = 0.0
        self._first_byte_ms = 0.0
        self._handshake_ms = 0.0
        self._hello_wall_ns = 0
        self._hello_ns = 0
        self._asked = False
        self._after = b""
        self._outgoing = b""
        self._certificate: x509.Certificate | None = None
        # The ClientHello with its key shares is made before the connection, so making it counts in no latency.
        tls = SSL.Connection(trust.context, None)
        tls.set_connect_state()
        if numeric(target.host) is None:
            tls.set_tlsext_host_name(target.host.encode("idna"))
        with contextlib.suppress(SSL.WantReadError):
            tls.do_handshake()
        self._tls = tls
        self._hello = tls.bio_read(_READ)
        self._started_ns = time.perf_counter_ns()
        self._connect()

    def _connect(self) -> None:
        """Starts to connect to the next address; a refusal at once ends the probe."""
        family, address = self._addresses.pop(0)
        self.step = HandshakeStep.CONNECTING
        self.events = selectors.EVENT_WRITE
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        code = self.socket.connect_ex((address, self.target.port))
        if code not in (0, *_IN_PROGRESS):
            self._fail(f"The frame cannot be reached: {_words(code)}.")

    def next_address(self) -> bool:
        """After a failed connect: tries the next address on a new ``socket``; False when there is none."""
        if self.step is not HandshakeStep.CONNECTING or not self._addresses:
            return False
        self.socket.close()
        self.result = None
        self._connect()
        return True

    def ready(self) -> None:
        """The socket is readable or writable as ``events`` asked."""
        try:
            if self.step is HandshakeStep.CONNECTING:
                self._send_hello()
            elif self._outgoing and self._flush():
                return
            elif self.step is HandshakeStep.HELLO_SENT:
                self._read_handshake()
            else:
                self._read_verdict()
        except HandshakeRefused as error:
            self._fail(str(error))
        except OSError as error:
            self._fail(_loss_words(self.step, error))

    def wake(self) -> None:
        """``wake_at`` has come: the frame is silent after the handshake, so send ``close_notify`` to get an answer."""
        self.wake_at = None
        if self.step is not HandshakeStep.FINISHED_SENT or self._asked:
            return
        self._asked = True
        try:
            self._tls.shutdown()
            self._send(self._pending())
        except (OSError, SSL.Error) as error:
            self._fail(_loss_words(self.step, error))

    def expire(self) -> None:
        """The deadline is over. A frame that is silent only after a complete handshake has answered all it must."""
        if self.step is HandshakeStep.FINISHED_SENT:
            self._succeed()
        elif self.step is HandshakeStep.CONNECTING:
            self._fail("The frame did not take the connection in time.")
        else:
            self._fail("The frame did not finish the handshake in time.")

    def close(self) -> None:
        """Gives the socket back."""
        self.socket.close()

    def _send_hello(self) -> None:
        """The connect has ended: if it succeeded, start the clock and send the ClientHello."""
        code = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code:
            self._fail(f"The frame cannot be reached: {_words(code)}.")
            return
        self._connect_ms = (time.perf_counter_ns() - self._started_ns) / 1e6
        _ask_for_stamps(self.socket)
        self.step = HandshakeStep.HELLO_SENT
        self._hello_wall_ns = time.time_ns()
        self._hello_ns = time.perf_counter_ns()
        self._send(self._hello)

    def _read_handshake(self) -> None:
        """Feed what has come to TLS; once the handshake is complete, judge the frame's certificate."""
        data = b""
        if not self._first_byte_ms:
            data, arrived = self._first_byte()
            if not data:
                raise HandshakeRefused("The frame closed the connection instead of answering the handshake.")
            self._first_byte_ms = arrived
        with contextlib.suppress(BlockingIOError):
            more = self.socket.recv(_READ)
            if not more and not data:
                raise HandshakeRefused("The frame closed the connection in the middle of the handshake.")
            data += more
        if not data:
            return
        self._tls.bio_write(data)
        try:
            self._tls.do_handshake()
        except SSL.WantReadError:
            self._send(self._pending())
            return
        except SSL.Error as error:
            # The alert gives the frame's log the reason; the probe has failed whether the alert arrives or not.
            with contextlib.suppress(OSError):
                self.socket.send(self._pending())
            raise HandshakeRefused(self._tls_words(error)) from error
        self._handshake_ms = (time.perf_counter_ns() - self._hello_ns) / 1e6
        certificate = self._tls.get_peer_certificate(as_cryptography=True)
        if certificate is None:
            raise HandshakeRefused("The frame showed no certificate.")
        self._trust.check(certificate, self.target.host)
        self._certificate = certificate
        self.step = HandshakeStep.FINISHED_SENT
        self._send(self._pending())
        if self._tls.get_protocol_version() < SSL.TLS1_3_VERSION:
            self._succeed()
            return
        self.wake_at = time.monotonic() + _QUIET_S

    def _first_byte(self) -> tuple[bytes, float]:
        """The first byte of the answer and when it came, milliseconds after the ClientHello."""
        if _SO_TIMESTAMPNS is None:  # Windows has no recvmsg either
            return self.socket.recv(1), (time.perf_counter_ns() - self._hello_ns) / 1e6
        data, control, _flags, _address = self.socket.recvmsg(1, 64)
        elapsed = (time.perf_counter_ns() - self._hello_ns) / 1e6
        stamp_ns = _stamp_of(control)
        if stamp_ns is not None:
            kernel = (stamp_ns - self._hello_wall_ns) / 1e6
            # The kernel's time is of the wall clock: believed only where the steady clock does not contradict.
            if 0.0 < kernel <= elapsed:
                return data, kernel
        return data, elapsed

    def _read_verdict(self) -> None:
        """Read the frame's verdict on this site's certificate: its first record, or its alert, after the handshake."""
        try:
            data = self.socket.recv(_READ)
        except BlockingIOError:
            return
        if not data:
            if not self._asked:
                raise HandshakeRefused("The frame closed the connection when it saw this site's certificate.")
            self._succeed()
            return
        self._after += data
        self._tls.bio_write(data)
        try:
            self._tls.recv(1)
        except SSL.WantReadError:
            # Nothing to read after a whole record: it was a session ticket, which only a satisfied frame sends.
            if len(self._after) < _HEADER or len(self._after) < _HEADER + int.from_bytes(self._after[3:_HEADER]):
                return
        except SSL.ZeroReturnError:
            pass
        except SSL.Error as error:
            raise HandshakeRefused(f"The frame refused this site's certificate ({_reason(error)}).") from error
        self._succeed()

    def _succeed(self) -> None:
        """Set the result of a complete handshake, and say goodbye if that was not done yet."""
        self.step = HandshakeStep.DONE
        if not self._asked:
            with contextlib.suppress(OSError, SSL.Error):
                self._tls.shutdown()
                self.socket.send(self._pending())
        self.result = Measurement(
            peer_id=self.target.peer_id,
            at_us=time.time_ns() // 1000,
            failure=None,
            phases=Phases(self._resolve_ms, self._connect_ms, self._first_byte_ms, self._handshake_ms),
            cipher=self._tls.get_cipher_name(),
            group=self._tls.get_group_name(),
            protocol=self._tls.get_protocol_version_name(),
            not_after_us=int(self._certificate.not_valid_after_utc.timestamp()) * 1_000_000
            if self._certificate
            else None,
        )

    def _fail(self, reason: str) -> None:
        self.result = Measurement(peer_id=self.target.peer_id, at_us=time.time_ns() // 1000, failure=reason)

    def _tls_words(self, error: SSL.Error) -> str:
        code = self._tls.get_app_data()
        if isinstance(code, int):
            return f"The frame's certificate {_VERIFY_WORDS.get(code, f'was not accepted (X.509 error {code})')}."
        return f"The handshake failed ({_reason(error)})."

    def _pending(self) -> bytes:
        try:
            return self._tls.bio_read(_READ)
        except SSL.WantReadError:
            return b""

    def _send(self, data: bytes) -> None:
        self._outgoing += data
        self._flush()

    def _flush(self) -> bool:
        """Sends what the kernel takes; True while bytes are left and the socket is to be watched for writing."""
        if self._outgoing:
            with contextlib.suppress(BlockingIOError):
                self._outgoing = self._outgoing[self.socket.send(self._outgoing) :]
        self.events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._outgoing else 0)
        return bool(self._outgoing)


_IN_PROGRESS = (errno.EINPROGRESS, errno.EWOULDBLOCK, getattr(errno, "WSAEWOULDBLOCK", errno.EWOULDBLOCK))


def numeric(host: str) -> int | None:
    """Address family of an IP literal; None for a name."""
    try:
        version = ipaddress.ip_address(host).version
    except ValueError:
        return None
    return socket.AF_INET if version == 4 else socket.AF_INET6


def _words(code: int) -> str:
    return os.strerror(code).lower()


def _loss_words(step: HandshakeStep, error: Exception) -> str:
    if step is HandshakeStep.FINISHED_SENT:
        return "The frame cut the connection when it saw this site's certificate."
    words = _words(error.errno) if isinstance(error, OSError) and error.errno else str(error)
    return f"The connection was lost in the handshake: {words}."


def _reason(error: SSL.Error) -> str:
    """OpenSSL's word for it, for example ``tlsv13 alert certificate required``."""
    entries = error.args[0] if error.args and isinstance(error.args[0], list) else []
    return str(entries[-1][-1]) if entries else "connection ended"
