"""The training hall: real servers in a process of their own."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from cryptography import x509
from cryptography.x509.oid import NameOID

from app.capabilities.infrastructure.identity import client_identity
from app.capabilities.infrastructure.prober import Prober
from app.pki.authority import SiteAuthority
from app.registry.peers import PeerRow
from app.training.frames import TrainingFrame, TrainingFrames
from tests.service.capabilities.infrastructure.test_frame_probe import Gathered
from tests.service.capabilities.infrastructure.watch_site import authority, until


@pytest.fixture(scope="module")
def root() -> SiteAuthority:
    """The training site's root."""
    return authority()


def with_frames(
    root: SiteAuthority, work: Callable[[TrainingFrames, list[TrainingFrame]], Coroutine[Any, Any, None]]
) -> None:
    """Runs ``work`` beside a started set."""

    async def run() -> None:
        frames = TrainingFrames(root, training=True)
        found = await frames.start()
        try:
            await work(frames, found)
        finally:
            await frames.stop()

    asyncio.run(run())


def rows(found: list[TrainingFrame]) -> tuple[PeerRow, ...]:
    """As the registry holds them."""
    return tuple(PeerRow(f.peer_id, f.node_id, f.url, None, None, f.level, f.maintenance, ()) for f in found)


def test_fifty_frames_shake_hands(root: SiteAuthority) -> None:
    """At least fifty frames answer the site's own prober, each with its own length of wire; one is slow."""
    gathered = Gathered()

    async def work(_frames: TrainingFrames, found: list[TrainingFrame]) -> None:
        prober = Prober(
            targets=lambda: rows(found),
            identity=lambda: client_identity(root, "TRAINING Prober"),
            site_root=root.root_pem(),
            sink=gathered.all.extend,
        )
        prober.start()
        try:
            await asyncio.to_thread(until, lambda: len({g.peer_id for g in tuple(gathered.all) if not g.failure}) >= 50)
            await asyncio.to_thread(until, lambda: len({g.peer_id for g in tuple(gathered.all)}) == len(found))
        finally:
            prober.stop()
        slow = [g for g in gathered.all if g.phases is not None and g.phases.first_byte_ms > 300]
        assert {g.peer_id for g in slow} == {"training-e-08"}
        assert [f.peer_id for f in found if f.maintenance] == ["training-e-07"]

    with_frames(root, work)


def test_certificates_say_training(root: SiteAuthority) -> None:
    """Whoever connects sees TRAINING in the certificate."""

    async def work(_frames: TrainingFrames, found: list[TrainingFrame]) -> None:
        port = int(found[0].url.rpartition(":")[2])
        shown = x509.load_pem_x509_certificate(ssl.get_server_certificate(("127.0.0.1", port)).encode())
        for oid in (NameOID.ORGANIZATION_NAME, NameOID.COMMON_NAME):
            assert str(shown.subject.get_attributes_for_oid(oid)[0].value).startswith("TRAINING")

    with_frames(root, work)


def test_client_certificate_is_required(root: SiteAuthority) -> None:
    """A client without the site's certificate gets no answer but an alert."""

    async def work(_frames: TrainingFrames, found: list[TrainingFrame]) -> None:
        context = ssl.create_default_context(cadata=root.root_pem().decode())
        port = int(found[0].url.rpartition(":")[2])

        def connect() -> None:
            with (
                socket.create_connection(("127.0.0.1", port), 5) as plain,
                context.wrap_socket(plain, server_hostname="127.0.0.1") as secured,
            ):
                secured.recv(1)

        with pytest.raises(ssl.SSLError, match="certificate required"):
            await asyncio.to_thread(connect)

    with_frames(root, work)


def test_frame_fails_and_recovers(root: SiteAuthority) -> None:
    """An order takes effect from the next connection on, both ways."""
    identity = client_identity(root, "TRAINING Prober")

    async def work(frames: TrainingFrames, found: list[TrainingFrame]) -> None:
        gathered = Gathered()
        prober = Prober(
            targets=lambda: rows(found[:1]),
            identity=lambda: identity,
            site_root=root.root_pem(),
            sink=gathered.all.extend,
            interval_s=0.05,
        )
        prober.start()
        try:
            await frames.fail(found[0].peer_id)
            await asyncio.to_thread(until, lambda: gathered.all and gathered.all[-1].failure)
            await frames.recover(found[0].peer_id)
            await asyncio.to_thread(until, lambda: not gathered.all[-1].failure)
        finally:
            prober.stop()

    with_frames(root, work)


def test_unknown_frame_cannot_be_ordered(root: SiteAuthority) -> None:
    """A name that is none of the set."""

    async def work(frames: TrainingFrames, _found: list[TrainingFrame]) -> None:
        with pytest.raises(KeyError):
            await frames.fail("nobody")

    with_frames(root, work)


def test_ports_stay_over_a_restart(root: SiteAuthority) -> None:
    """Known ports are taken again, so that the registry's rows stay as they are."""

    async def run() -> None:
        # Below those that the system gives to any connection: one of them is another's as soon as it is free.
        base = 12_000 + os.getpid() % 300 * 60
        first = TrainingFrames(root, training=True)
        before = await first.start({f"training-a-{number:02}": base + number for number in range(1, 15)})
        await first.stop()
        second = TrainingFrames(root, training=True)
        try:
            known = {frame.peer_id: int(frame.url.rpartition(":")[2]) for frame in before}
            after = await second.start(known)
            assert [frame for frame in after if "-a-" in frame.peer_id] == before[:14]
        finally:
            await second.stop()

    asyncio.run(run())


def test_process_ends_with_its_input(root: SiteAuthority) -> None:
    """The frames' process does not outlive whoever holds its input."""

    async def run() -> None:
        frames = TrainingFrames(root, training=True)
        await frames.start()
        process = frames._process
        assert process is not None
        assert process.stdin is not None
        process.stdin.close()
        assert await asyncio.wait_for(process.wait(), 10) == 0
        with pytest.raises(ProcessLookupError):
            os.kill(process.pid, 0)
        await frames.stop()

    asyncio.run(run())


def test_production_has_no_training_frames(root: SiteAuthority) -> None:
    """A production site cannot make them."""
    with pytest.raises(ValueError, match="training sites only"):
        TrainingFrames(root, training=False)
