"""Probes against real TLS servers: ours, Python's own, OpenSSL's command, and some that speak no TLS."""

from __future__ import annotations

import contextlib
import selectors
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.capabilities.infrastructure.handshake import FrameTrust, Handshake, KernelStamps, Measurement
from app.capabilities.infrastructure.identity import TlsIdentity, client_identity, server_identity
from app.capabilities.infrastructure.listener import FrameServer, FrameSpec, Mode
from app.capabilities.infrastructure.prober import Prober
from app.pki.authority import SiteAuthority
from app.registry.peers import PeerRow
from tests.service.capabilities.infrastructure.watch_site import authority, until

HOST = "127.0.0.1"


@pytest.fixture(scope="module")
def root() -> SiteAuthority:
    """The site's root."""
    return authority()


@pytest.fixture(scope="module")
def stranger() -> SiteAuthority:
    """Another site's root, of another name."""
    return authority("stranger.site.invalid")


@pytest.fixture(scope="module")
def identity(root: SiteAuthority) -> TlsIdentity:
    """What the prober shows."""
    return client_identity(root, "TRAINING Prober")


def peer(port: int, host: str = HOST) -> PeerRow:
    """A registered frame."""
    return PeerRow("p", "FRAME-P", f"{host}:{port}", None, None, "sovereign", False, ())


def probe(row: PeerRow, trust: FrameTrust, *, seconds: float = 5.0) -> Measurement:
    """One probe, driven as the prober does."""
    handshake = Handshake(row, trust, [(socket.AF_INET, HOST)], 0.0)
    deadline = time.monotonic() + seconds
    try:
        while handshake.result is None:
            now = time.monotonic()
            if now >= deadline:
                handshake.expire()
                continue
            if handshake.wake_at is not None and now >= handshake.wake_at:
                handshake.wake()
                continue
            with selectors.DefaultSelector() as selector:
                selector.register(handshake.socket, handshake.events)
                if selector.select(min(deadline, handshake.wake_at or deadline) - now):
                    handshake.ready()
        return handshake.result
    finally:
        handshake.close()


@contextlib.contextmanager
def frame(issuer: SiteAuthority, **how: object) -> Iterator[tuple[FrameServer, int, TlsIdentity]]:
    """A server frame of ours."""
    own = server_identity(issuer, "TRAINING frame", [HOST])
    server = FrameServer([FrameSpec("f", own, issuer.root_pem(), **how)])  # type: ignore[arg-type]
    port = server.start()["f"]
    try:
        yield server, port, own
    finally:
        server.stop()


def pem(identity: TlsIdentity) -> bytes:
    """Key and certificate as other programs read them."""
    key = identity.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return key + identity.certificate.public_bytes(Encoding.PEM)


@contextlib.contextmanager
def python_server(
    root: SiteAuthority, path: Path, *, tickets: int = 2, client: bool = True
) -> Iterator[tuple[int, list[bool]]]:
    """A server of Python's own ssl module; its port, and for each connection whether the session was resumed."""
    (path / "own.pem").write_bytes(pem(server_identity(root, "TRAINING python", [HOST])))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path / "own.pem")
    context.load_verify_locations(cadata=root.root_pem().decode())
    context.verify_mode = ssl.CERT_REQUIRED if client else ssl.CERT_NONE
    context.num_tickets = tickets
    listener = socket.create_server((HOST, 0))
    resumed: list[bool] = []

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                plain, _address = listener.accept()
                with plain, contextlib.suppress(ssl.SSLError, OSError):
                    plain.settimeout(5)
                    with context.wrap_socket(plain, server_side=True) as secured:
                        resumed.append(bool(secured.session_reused))
                        secured.recv(1)
                        secured.unwrap()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listener.getsockname()[1], resumed
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)


def test_everything_is_read_from_the_connection(root: SiteAuthority, identity: TlsIdentity) -> None:
    """Cipher, group, protocol and expiry are what both sides agreed on; the group is the hybrid one."""
    with frame(root) as (_server, port, own):
        result = probe(peer(port), FrameTrust(identity, root.root_pem(), None))
    assert result.failure is None
    assert (result.cipher, result.group, result.protocol) == ("TLS_AES_256_GCM_SHA384", "X25519MLKEM768", "TLSv1.3")
    assert result.not_after_us == int(own.certificate.not_valid_after_utc.timestamp()) * 1_000_000


def test_phases_are_in_order(root: SiteAuthority, identity: TlsIdentity) -> None:
    """The first byte comes before the end of the handshake, and everything takes time."""
    with frame(root) as (_server, port, _own):
        phases = probe(peer(port), FrameTrust(identity, root.root_pem(), None)).phases
    assert phases is not None
    assert 0 < phases.first_byte_ms < phases.handshake_ms
    assert phases.connect_ms > 0


def test_wire_counts_in_the_first_byte(root: SiteAuthority, identity: TlsIdentity) -> None:
    """A longer wire is latency, and not connect time."""
    with frame(root, delay_ms=60.0) as (_server, port, _own):
        phases = probe(peer(port), FrameTrust(identity, root.root_pem(), None)).phases
    assert phases is not None
    assert phases.first_byte_ms >= 60
    assert phases.connect_ms < 60


def test_busy_interpreter_is_no_latency(root: SiteAuthority, identity: TlsIdentity) -> None:
    """The kernel's time of the first byte counts, not when we came to read it."""
    with frame(root) as (_server, port, _own), contextlib.closing(KernelStamps()) as stamps:
        assert stamps.settle()
        handshake = Handshake(peer(port), FrameTrust(identity, root.root_pem(), None), [(socket.AF_INET, HOST)], 0.0)
        with contextlib.closing(handshake), selectors.DefaultSelector() as selector:
            selector.register(handshake.socket, handshake.events)
            assert selector.select(5)
            handshake.ready()
            selector.modify(handshake.socket, handshake.events)
            assert selector.select(5)
            time.sleep(0.3)
            while handshake.result is None:
                handshake.ready()
                selector.modify(handshake.socket, handshake.events)
                selector.select(1)
            assert handshake.result.phases is not None
            assert handshake.result.phases.handshake_ms > 300
            assert handshake.result.phases.first_byte_ms < 300


def test_no_session_is_resumed(root: SiteAuthority, identity: TlsIdentity, tmp_path: Path) -> None:
    """An independent server sees a full handshake each time."""
    with python_server(root, tmp_path) as (port, resumed):
        trust = FrameTrust(identity, root.root_pem(), None)
        results = [probe(peer(port), trust) for _ in range(3)]
        assert [result.failure for result in results] == [None] * 3
        until(lambda: len(resumed) == 3)
    assert resumed == [False] * 3


def test_frame_without_tickets_is_asked(root: SiteAuthority, identity: TlsIdentity, tmp_path: Path) -> None:
    """A server that says nothing after the handshake is no failure."""
    with python_server(root, tmp_path, tickets=0) as (port, _resumed):
        assert probe(peer(port), FrameTrust(identity, root.root_pem(), None)).failure is None


def test_tls12_of_openssl(root: SiteAuthority, identity: TlsIdentity, tmp_path: Path) -> None:
    """OpenSSL's own server with TLS 1.2: the record says so."""
    (tmp_path / "own.pem").write_bytes(pem(server_identity(root, "TRAINING openssl", [HOST])))
    (tmp_path / "root.pem").write_bytes(root.root_pem())
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    command = ["openssl", "s_server", "-accept", f"{HOST}:{port}", "-cert", "own.pem", "-key", "own.pem", "-tls1_2"]
    command += ["-CAfile", "root.pem", "-Verify", "1", "-verify_return_error", "-quiet", "-curves", "P-256"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            trust = FrameTrust(identity, root.root_pem(), None)
            result = until(lambda: found if (found := probe(peer(port), trust)).failure is None else None)
        finally:
            process.kill()
    assert result.protocol == "TLSv1.2"
    assert result.group == "secp256r1"


def test_other_root_is_refused(root: SiteAuthority, stranger: SiteAuthority, identity: TlsIdentity) -> None:
    """A frame whose certificate ends at no registered root has failed."""
    with frame(stranger) as (_server, port, _own):
        result = probe(peer(port), FrameTrust(identity, root.root_pem(), None))
    assert result.failure == "The frame's certificate ends at a root that is not registered."


def test_forged_root_is_refused(root: SiteAuthority, identity: TlsIdentity) -> None:
    """A root of the same name with another key does not help."""
    with frame(authority()) as (_server, port, _own):
        assert probe(peer(port), FrameTrust(identity, root.root_pem(), None)).failure is not None


def test_our_certificate_refused_is_a_miss(root: SiteAuthority, stranger: SiteAuthority, identity: TlsIdentity) -> None:
    """A frame that does not take our certificate has failed, though our side of the handshake was complete."""
    own = server_identity(root, "TRAINING frame", [HOST])
    server = FrameServer([FrameSpec("f", own, stranger.root_pem())])
    port = server.start()["f"]
    try:
        result = probe(peer(port), FrameTrust(identity, root.root_pem(), None))
    finally:
        server.stop()
    assert result.failure is not None
    assert "this site's certificate" in result.failure


def test_pinned_certificate_is_enough(root: SiteAuthority, stranger: SiteAuthority, identity: TlsIdentity) -> None:
    """A pin needs no root."""
    own = server_identity(stranger, "TRAINING frame", [HOST])
    server = FrameServer([FrameSpec("f", own, root.root_pem())])
    port = server.start()["f"]
    try:
        trust = FrameTrust(identity, root.root_pem(), own.certificate.public_bytes(Encoding.PEM))
        assert probe(peer(port), trust).failure is None
    finally:
        server.stop()


def test_other_certificate_than_the_pin_is_refused(root: SiteAuthority, identity: TlsIdentity) -> None:
    """A pin is one certificate: another of the same root, even of the same key's owner, is not it."""
    with frame(root) as (_server, port, _own):
        other = server_identity(root, "TRAINING frame", [HOST])
        trust = FrameTrust(identity, root.root_pem(), other.certificate.public_bytes(Encoding.PEM))
        assert probe(peer(port), trust).failure == "The frame's certificate is not the one that is pinned."


def test_other_name_is_refused(root: SiteAuthority, identity: TlsIdentity) -> None:
    """A certificate of the right root for another host has failed."""
    own = server_identity(root, "TRAINING frame", ["127.0.0.2"])
    server = FrameServer([FrameSpec("f", own, root.root_pem())])
    port = server.start()["f"]
    try:
        assert probe(peer(port), FrameTrust(identity, root.root_pem(), None)).failure == (
            "The frame's certificate does not name 127.0.0.1."
        )
    finally:
        server.stop()


def test_expired_certificate_is_refused(identity: TlsIdentity) -> None:
    """An expired certificate has failed, in words."""
    old = authority()
    past = SiteAuthority(old.root, training=True, clock=lambda: datetime.now(UTC) - timedelta(days=60))
    own = server_identity(past, "TRAINING frame", [HOST])
    server = FrameServer([FrameSpec("f", own, old.root_pem())])
    port = server.start()["f"]
    try:
        result = probe(peer(port), FrameTrust(identity, old.root_pem(), None))
    finally:
        server.stop()
    # The root began with the site, after that certificate had ended: either word is true.
    assert result.failure in (
        "The frame's certificate has expired.",
        "The frame's certificate is not valid yet.",
    )


def test_refused_connection_is_a_miss(root: SiteAuthority, identity: TlsIdentity) -> None:
    """Nobody listens."""
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    result = probe(peer(port), FrameTrust(identity, root.root_pem(), None))
    assert result.failure == "The frame cannot be reached: connection refused."


def test_silent_frame_is_a_miss(root: SiteAuthority, identity: TlsIdentity) -> None:
    """A frame that hangs ends at the deadline."""
    with frame(root) as (server, port, _own):
        server.mode("f", Mode.SILENT)
        result = probe(peer(port), FrameTrust(identity, root.root_pem(), None), seconds=0.2)
    assert result.failure == "The frame did not finish the handshake in time."


def test_reset_is_a_miss(root: SiteAuthority, identity: TlsIdentity) -> None:
    """A frame that resets the connection."""
    with frame(root) as (server, port, _own):
        server.mode("f", Mode.CLOSED)
        assert probe(peer(port), FrameTrust(identity, root.root_pem(), None)).failure is not None


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(answer=st.binary(max_size=300))
def test_any_answer_is_a_result(root: SiteAuthority, identity: TlsIdentity, answer: bytes) -> None:
    """Whatever a host answers, the probe ends with words and never with an exception."""
    listener = socket.create_server((HOST, 0))

    def serve() -> None:
        plain, _address = listener.accept()
        with plain:
            plain.settimeout(5)
            plain.recv(65536)
            plain.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        result = probe(peer(listener.getsockname()[1]), FrameTrust(identity, root.root_pem(), None))
    finally:
        thread.join(10)
        listener.close()
    assert result.failure


class Gathered:
    """What a prober hands over."""

    def __init__(self) -> None:
        self.all: list[Measurement] = []

    def of(self, peer_id: str) -> list[Measurement]:
        """Measurements of one frame."""
        return [found for found in tuple(self.all) if found.peer_id == peer_id]

    def answers(self, peer_id: str) -> list[Measurement]:
        """Those that came in time; on a slow machine one comes too late now and then."""
        return [found for found in self.of(peer_id) if found.failure is None]


@contextlib.contextmanager
def prober(root: SiteAuthority, rows: list[PeerRow], interval_s: float = 0.05) -> Iterator[tuple[Prober, Gathered]]:
    """A running prober of these rows."""
    gathered = Gathered()
    made = Prober(
        targets=lambda: tuple(rows),
        identity=lambda: client_identity(root, "TRAINING Prober"),
        site_root=root.root_pem(),
        sink=gathered.all.extend,
        interval_s=interval_s,
    )
    made.start()
    try:
        yield made, gathered
    finally:
        made.stop()


def named(row: PeerRow, peer_id: str) -> PeerRow:
    """The row under another id."""
    return PeerRow(peer_id, f"FRAME-{peer_id}", row.url, None, None, "sovereign", False, ())


def test_every_frame_is_probed_again_and_again(root: SiteAuthority) -> None:
    """All registered frames get their turns, whatever the interval."""
    with frame(root) as (_server, port, _own):
        rows = [named(peer(port), f"p{number}") for number in range(5)]
        with prober(root, rows) as (_made, gathered):
            until(lambda: all(len(gathered.answers(row.peer_id)) >= 3 for row in rows))


def test_name_is_resolved_apart(root: SiteAuthority) -> None:
    """A host name costs resolution, counted apart; the certificate must name it."""
    own = root.tls_certificate
    identity = server_identity(root, "TRAINING frame", [HOST])
    issued = own(identity.key.public_key(), common_name="TRAINING frame", server=True, dns=["localhost"])
    server = FrameServer([FrameSpec("f", TlsIdentity(issued.certificate, identity.key), root.root_pem())])
    port = server.start()["f"]
    try:
        with prober(root, [named(peer(port, "localhost"), "n")], 1.0) as (_made, gathered):
            result = until(lambda: gathered.answers("n"))[0]
    finally:
        server.stop()
    assert result.phases is not None
    assert result.phases.resolve_ms > 0


def test_name_that_does_not_resolve_is_a_miss(root: SiteAuthority) -> None:
    """``.invalid`` never resolves (RFC 6761)."""
    with prober(root, [named(peer(443, "frame.invalid"), "n")], 1.0) as (_made, gathered):
        result = until(lambda: gathered.of("n"))[0]
    assert result.failure is not None
    assert "frame.invalid" in result.failure


def test_removed_frame_is_probed_no_more(root: SiteAuthority) -> None:
    """After a refresh without it, a frame gets no further connection."""
    with frame(root) as (_server, port, _own):
        rows = [named(peer(port), "stays"), named(peer(port), "goes")]
        with prober(root, rows) as (made, gathered):
            until(lambda: len(gathered.of("goes")) >= 1)
            del rows[1]
            made.refresh()
            seen = len(gathered.of("stays"))
            until(lambda: len(gathered.of("stays")) > seen + 20)
            before = len(gathered.of("goes"))
            seen = len(gathered.of("stays"))
            until(lambda: len(gathered.of("stays")) > seen + 10)
            assert len(gathered.of("goes")) == before


def test_stop_cancels_what_hangs(root: SiteAuthority) -> None:
    """Stopping does not wait for a frame that never answers."""
    with frame(root) as (server, port, _own):
        server.mode("f", Mode.SILENT)
        gathered = Gathered()
        made = Prober(
            targets=lambda: (named(peer(port), "hangs"),),
            identity=lambda: client_identity(root, "TRAINING Prober"),
            site_root=root.root_pem(),
            sink=gathered.all.extend,
            interval_s=60.0,
        )
        made.start()
        until(lambda: server.connections("f") == 1)
        made.stop()
        assert not made.alive
        until(lambda: server.connections("f") == 0)


def test_unreadable_registration_is_a_miss(root: SiteAuthority) -> None:
    """PEM that holds no certificate fails its own frame and no other."""
    with frame(root) as (_server, port, _own):
        bad = PeerRow("bad", "FRAME-BAD", f"{HOST}:{port}", "no pem", None, "sovereign", False, ())
        with prober(root, [bad, named(peer(port), "good")]) as (_made, gathered):
            until(lambda: gathered.of("bad") and gathered.answers("good"))
    assert {found.failure for found in gathered.of("bad")} == {
        "The certificates registered for this frame cannot be read."
    }
