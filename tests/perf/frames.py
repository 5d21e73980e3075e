"""The prober's processor time with 52 frames, against the same handshakes made one after the other by bare pyOpenSSL.

`ROWS` are functions without arguments; each returns a `Row`. `python -m tests.perf.frames` prints them.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path

from OpenSSL import SSL
from OpenSSL.crypto import X509

from app.capabilities.infrastructure.identity import client_identity
from app.registry.messages.peers import PeerBody
from app.training.frames import TrainingFrames
from tests.perf.report import Row, run
from tests.service.capabilities.infrastructure.watch_site import WatchSite

SECONDS = 10
BARE = 200


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _bare(site: WatchSite, port: int) -> float:
    """Processor seconds of one full handshake: blocking socket, no clock, no status, no history."""
    identity = client_identity(site.authority, "TRAINING bare")
    context = SSL.Context(SSL.TLS_METHOD)
    context.use_certificate(identity.certificate)
    context.use_privatekey(identity.key)
    store = context.get_cert_store()
    if store is None:
        raise RuntimeError("no certificate store")
    store.add_cert(X509.from_cryptography(site.authority.root.certificate))
    context.set_verify(SSL.VERIFY_PEER)
    before = _cpu_s()
    for _ in range(BARE):
        with socket.create_connection(("127.0.0.1", port)) as plain:
            tls = SSL.Connection(context, plain)
            tls.set_connect_state()
            tls.do_handshake()
            tls.shutdown()
            with contextlib.suppress(SSL.Error):
                tls.recv(1)
    return (_cpu_s() - before) / BARE


async def _ours(site: WatchSite) -> tuple[float, float, int]:
    """Ours and bare in processor seconds a handshake, and the handshakes counted."""
    frames = TrainingFrames(site.authority, training=True)
    try:
        found = await frames.start()
        bare = _bare(site, int(found[0].url.rpartition(":")[2]))
        for frame in found:
            body = PeerBody(node_id=frame.node_id, url=frame.url, level=frame.level, maintenance=frame.maintenance)
            await site.registry.peers_kind.put(frame.peer_id, body, actor="perf")
        await site.infrastructure.start()
        try:
            await asyncio.sleep(2.0)
            site.events.clear()
            before = _cpu_s()
            await asyncio.sleep(SECONDS)
            used = _cpu_s() - before
            count = sum(len(body.items) for body in site.bodies("handshake"))
        finally:
            await site.infrastructure.stop()
    finally:
        await frames.stop()
    return used / count, bare, count


def prober() -> Row:
    """Everything that a probe costs: schedule, handshake, verification, status, history, events."""
    with tempfile.TemporaryDirectory() as directory:
        site = WatchSite(Path(directory) / "site", interval_s=1.0)
        try:
            ours, bare, count = asyncio.run(_ours(site))
        finally:
            site.close()
    share = ours * count / SECONDS * 100
    return Row(
        f"prober, {count / SECONDS:.0f} probes/s, {share:.0f} % of a core; a probe",
        "ms",
        ours * 1e3,
        bare * 1e3,
        ours / bare,
        "<= 20 % of a core",
    )


ROWS: tuple[Callable[[], Row], ...] = (prober,)

if __name__ == "__main__":
    run(ROWS)
