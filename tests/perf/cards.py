"""Personalizing a card: yubikit's list of steps, done by yubikit and by our stack on cards of the same make.

The list: select, 9B, CHUID and CCC, keys and certificates in four slots, read back, PIN,
PUK, VERIFY, two signatures, new 9B. yubikit also asks what ours knows or probes otherwise (version, metadata,
attestation) and tries objects that this make of card refuses. Host time is without what the card itself took: CPU time
in one process, wall time over PC/SC.

`ROWS` are functions without arguments; each returns its `Row`s. `python -m tests.perf.cards` prints them.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self
from unittest.mock import patch
from uuid import UUID

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from smartcard.System import readers
from ykman.pcsc import ScardSmartCardConnection
from yubikit.core import TRANSPORT
from yubikit.core.smartcard import ApduError, SmartCardConnection
from yubikit.piv import KEY_TYPE, MANAGEMENT_KEY_TYPE, OBJECT_ID, SLOT
from yubikit.piv import PivSession as PeerSession

from app.ledger.log.append import AuditLog
from hardware.cards.apdu import ApduChannel
from hardware.cards.backend import CardConnection, StatusWordError
from hardware.cards.identify import identify
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.objects import build_ccc, build_chuid
from hardware.cards.pcsc import PcscBackend
from hardware.cards.personalize import Personalizer
from hardware.cards.piv import Algorithm, PivObject, PivSession, PublicKey, Slot, certificate_object
from hardware.cards.profile import Profile, factory_management_keys
from hardware.cards.software import SIMPLE_CARD, SoftwareCard
from hardware.cards.software import piv as software_piv
from tests.conftest import READERS, PcscService
from tests.hardware.cards.card_site import AES_256, PIN, PUK, TDES, TestSite, new_secrets
from tests.perf.report import Row, run
from tests.service.capabilities.provisioning import card_desk
from tests.service.capabilities.provisioning.card_desk import READER, Desk

ROUNDS = 25
GOAL_APDUS, GOAL_TIME, GOAL_ORDER = 34, 0.8, 1.5
CALL_SYNCS = 2  # a provision call's row before the first APDU, and its end
AGAINST = "yubikit, same make of card"
# Without these yubikit could not write it at all: it asks without Le (61xx and no byte for ever) and for metadata.
MAKE = dataclasses.replace(SIMPLE_CARD, starves_without_le=False, refusals={0xF9: 0x6D00})
SITE = TestSite()
PROFILE = SITE.profile()
CHUID = build_chuid(PROFILE.guid, PROFILE.expires.date(), SITE.content_signer)


class Timed:
    """A software card that knows how often it was asked and how long it took by ``clock``."""

    def __init__(self, card: SoftwareCard, clock: Callable[[], float] = time.perf_counter) -> None:
        self.card = card
        self.clock = clock
        self.apdus = 0
        self.seconds = 0.0

    @property
    def atr(self) -> bytes:
        """The card's."""
        return self.card.atr

    def transmit(self, apdu: bytes) -> bytes:
        """One APDU."""
        started = self.clock()
        answer = self.card.transmit(apdu)
        self.seconds += self.clock() - started
        self.apdus += 1
        return answer

    def power(self, on: bool) -> None:
        """On or off."""
        self.card.power(on)

    def reset(self) -> None:
        """Warm reset."""
        self.card.reset()


class PeerConnection(SmartCardConnection):
    """yubikit's connection straight to the card."""

    def __init__(self, card: Timed) -> None:
        self._card = card

    @property
    def transport(self) -> TRANSPORT:
        """As if by wire."""
        return TRANSPORT.USB

    def send_and_receive(self, apdu: bytes) -> tuple[bytes, int]:
        """One APDU and its answer."""
        answer = self._card.transmit(apdu)
        return answer[:-2], int.from_bytes(answer[-2:], "big")


class Straight:
    """Our connection straight to the card, as yubikit's: no reader and no lock between them."""

    reader = "R"

    def __init__(self, card: Timed) -> None:
        self.atr = card.atr
        self.transmit = card.transmit
        self._power = card.power
        card.power(True)

    def reconnect_fresh(self) -> None:
        """Off and on."""
        self._power(False)
        self._power(True)

    def close(self) -> None:
        """Off."""
        self._power(False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _peer(connection: SmartCardConnection, clock: Callable[[], float] = time.perf_counter) -> float:
    """yubikit's list; seconds that the authority took to certify."""
    certify_s = 0.0
    session = PeerSession(connection)
    session.authenticate(factory_management_keys()[0].value)
    session.put_object(OBJECT_ID.CHUID, CHUID)
    session.put_object(OBJECT_ID.CAPABILITY, build_ccc())
    session.put_object(OBJECT_ID.PRINTED, b"\x01\x01T\xfe\x00")
    for refused in (OBJECT_ID.SECURITY, OBJECT_ID.KEY_HISTORY):
        try:
            session.put_object(refused, b"\xfe\x00")
        except ApduError:
            continue
        raise RuntimeError("the card was to refuse this object")
    slots = (SLOT.AUTHENTICATION, SLOT.SIGNATURE, SLOT.KEY_MANAGEMENT, SLOT.CARD_AUTH)
    certificates = {}
    for slot in slots:
        key = session.generate_key(slot, KEY_TYPE.ECCP256)
        if not isinstance(key, ec.EllipticCurvePublicKey):
            raise RuntimeError("another kind of key")
        started = clock()
        certificates[slot] = x509.load_der_x509_certificate(SITE.issue(Slot(slot), key, PROFILE.guid, PROFILE))
        certify_s += clock() - started
        session.put_certificate(slot, certificates[slot])
        try:
            session.attest_key(slot)
        except (ApduError, NotImplementedError, ValueError):
            continue
    session.get_object(OBJECT_ID.CHUID)
    for slot in slots:
        if session.get_certificate(slot) != certificates[slot]:
            raise RuntimeError("read back differently")
    session.change_pin("123456", PIN)
    session.change_puk("12345678", PUK)
    session.verify_pin(PIN)
    for slot in (SLOT.SIGNATURE, SLOT.AUTHENTICATION):
        session.sign(slot, KEY_TYPE.ECCP256, b"proof", hashes.SHA256())
    try:
        session.set_management_key(MANAGEMENT_KEY_TYPE.AES256, AES_256.value)
    except ApduError:
        session.set_management_key(MANAGEMENT_KEY_TYPE.TDES, TDES.value)
    return certify_s


def _ours(connection: CardConnection, clock: Callable[[], float] = time.perf_counter) -> float:
    """The same list; seconds that the authority took to certify."""
    certify_s = 0.0
    piv = PivSession(ApduChannel(connection))
    piv.select()
    piv.authenticate_management(factory_management_keys())
    piv.put_object(PivObject.CHUID, CHUID)
    piv.put_object(PivObject.CCC, build_ccc())
    piv.put_object(PivObject.PRINTED, b"\x01\x01T\xfe\x00")
    certificates = {}
    for slot in Slot:
        key = piv.generate(slot, Algorithm.P256)
        started = clock()
        certificates[slot] = SITE.issue(slot, key, PROFILE.guid, PROFILE)
        certify_s += clock() - started
        piv.put_object(slot.object, certificate_object(certificates[slot]))
    piv.get_object(PivObject.CHUID)
    if {slot: piv.read_certificate(slot) for slot in Slot} != certificates:
        raise RuntimeError("read back differently")
    piv.change_pin("123456", PIN)
    piv.change_puk("12345678", PUK)
    piv.verify(PIN)
    digest = hashes.Hash(hashes.SHA256())
    digest.update(b"proof")
    hashed = digest.finalize()
    for slot in (Slot.SIGNATURE, Slot.AUTHENTICATION):
        piv.sign(slot, Algorithm.P256, hashed)
    try:
        piv.set_management_key(AES_256)
    except StatusWordError:
        piv.set_management_key(TDES)
    return certify_s


def _blank() -> SoftwareCard:
    return SoftwareCard(quirks=MAKE, serial=4711)


def _measure(card: Timed, work: Callable[[], float]) -> tuple[float, int]:
    """Milliseconds beside the card's and the authority's own, and APDUs."""
    apdus, seconds = card.apdus, card.seconds
    started = card.clock()
    certify_s = work()
    took = card.clock() - started
    return (took - (card.seconds - seconds) - certify_s) * 1000, card.apdus - apdus


def _ours_in_process() -> tuple[float, int]:
    card = Timed(_blank(), time.thread_time)
    return _measure(card, lambda: _ours(Straight(card), time.thread_time))


def _peer_in_process() -> tuple[float, int]:
    card = Timed(_blank(), time.thread_time)
    return _measure(card, lambda: _peer(PeerConnection(card), time.thread_time))


def _row(where: str, ours: list[tuple[float, int]], peer: list[tuple[float, int]]) -> Row:
    our_ms, peer_ms = (statistics.median(ms for ms, _ in found) for found in (ours, peer))
    ratio = statistics.median(one / other for (one, _), (other, _) in zip(ours, peer, strict=True))
    name, goal = f"card list, host time {where}", f"<= {GOAL_TIME}"
    return Row(name, "ms", our_ms, peer_ms, ratio, goal, AGAINST, ratio <= GOAL_TIME)


def list_in_process() -> list[Row]:
    """APDUs, and the CPU time of the host's own work without any transport; alternating, medians."""
    _ours_in_process(), _peer_in_process()
    pairs = [(_ours_in_process(), _peer_in_process()) for _ in range(ROUNDS)]
    ours, peer = [one for one, _ in pairs], [other for _, other in pairs]
    our_apdus, peer_apdus = ours[0][1], peer[0][1]
    count = Row(
        "card list, APDUs",
        "APDU",
        our_apdus,
        peer_apdus,
        our_apdus / peer_apdus,
        f"<= {GOAL_APDUS}",
        AGAINST,
        our_apdus <= GOAL_APDUS,
    )
    return [count, _row("in process, CPU", ours, peer)]


def list_over_pcsc() -> list[Row]:
    """Host and transport through pcscd and vpcd; one card proxy in the reader, a blank card in it for each round."""
    service = PcscService()
    service.start()
    try:
        card = Timed(_blank())
        with service.inserted(card):
            ours, peer = [], []
            for _ in range(ROUNDS + 1):
                card.card = _blank()
                with PcscBackend().open(READERS[0]) as connection:
                    ours.append(_measure(card, lambda connection=connection: _ours(connection)))
                card.card = _blank()
                theirs = next(one for one in readers() if one.name == READERS[0]).createConnection()
                with ScardSmartCardConnection(theirs) as wrapped:
                    peer.append(_measure(card, lambda wrapped=wrapped: _peer(wrapped)))
                theirs.release()
    finally:
        service.close()
    return [_row("and transport over PC/SC", ours[1:], peer[1:])]


class TimedSite(TestSite):
    """An authority whose certifying is not counted: it is the test's, not the product's."""

    seconds = 0.0

    def issue(self, slot: Slot, public_key: PublicKey, guid: UUID, profile: Profile) -> bytes:
        """One certificate."""
        started = time.perf_counter()
        der = super().issue(slot, public_key, guid, profile)
        self.seconds += time.perf_counter() - started
        return der


class Tape:
    """A connection that keeps what went over it: APDUs and their status words, None where the power was taken."""

    def __init__(self, connection: CardConnection) -> None:
        self._connection = connection
        self.kept: list[tuple[bytes, bytes] | None] = []

    @property
    def reader(self) -> str:
        """The connection's."""
        return self._connection.reader

    @property
    def atr(self) -> bytes:
        """The card's."""
        return self._connection.atr

    def transmit(self, apdu: bytes) -> bytes:
        """One APDU."""
        answer = self._connection.transmit(apdu)
        self.kept.append((apdu, answer[-2:]))
        return answer

    def reconnect_fresh(self) -> None:
        """Power off and on."""
        self._connection.reconnect_fresh()
        self.kept.append(None)

    def close(self) -> None:
        """The connection's."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class Repeating:
    """The card's random numbers, the same from each `restart`: only so does a recorded 9B answer fit once more."""

    def __init__(self) -> None:
        self._count = 0

    def restart(self) -> None:
        """From the beginning."""
        self._count = 0

    def token_bytes(self, length: int) -> bytes:
        """As `secrets.token_bytes`, at most 32 bytes."""
        self._count += 1
        return hashlib.sha256(self._count.to_bytes(4, "big")).digest()[:length]


def _replay(connection: CardConnection, kept: list[tuple[bytes, bytes] | None]) -> float:
    """Milliseconds that the same APDUs and the same power cycle take with nothing around them."""
    began = time.perf_counter()
    for one in kept:
        if one is None:
            connection.reconnect_fresh()
        elif connection.transmit(one[0])[-2:] != one[1]:
            raise RuntimeError("the card answers the recorded APDU otherwise")
    return (time.perf_counter() - began) * 1000


def order_against_raw() -> list[Row]:
    """The full order with its proof against the very same APDUs, and the power cycle before the proof, sent bare to
    another blank card in the same reader; in turns, the median of the pairs' ratios."""
    site, ours, raw, randomness = TimedSite(), [], [], Repeating()
    service = PcscService()
    service.start()
    try:
        card = Timed(_blank())
        with service.inserted(card), patch.object(software_piv, "secrets", randomness):
            for _ in range(ROUNDS + 1):
                card.card = _blank()
                randomness.restart()
                certified = site.seconds
                with PcscBackend().open(READERS[0]) as connection:
                    tape = Tape(connection)
                    began = time.perf_counter()
                    Personalizer(site).run(ApduChannel(tape), site.profile(), new_secrets())
                    ours.append((time.perf_counter() - began - (site.seconds - certified)) * 1000)
                card.card = _blank()
                randomness.restart()
                with PcscBackend().open(READERS[0]) as connection:
                    raw.append(_replay(connection, tape.kept))
    finally:
        service.close()
    our_ms, raw_ms = statistics.median(ours[1:]), statistics.median(raw[1:])
    ratio = statistics.median(one / other for one, other in zip(ours[1:], raw[1:], strict=True))
    against = "the same APDUs alone, over PC/SC"
    return [
        Row("full order with its proof", "ms", our_ms, raw_ms, ratio, f"<= {GOAL_ORDER}", against, ratio <= GOAL_ORDER)
    ]


class Counted(AuditLog):
    """The site's log, which hears of every commit: each is one fsync."""

    commits = 0

    def publish(self) -> None:
        """One more."""
        super().publish()
        Counted.commits += 1


def full_order() -> list[Row]:
    """The whole provision call (durable row, journal with an fsync a step, proof, record) against the bare order; and
    its fsyncs against its changing steps: one each, one for its row, one for its end."""
    with tempfile.TemporaryDirectory() as directory, patch.object(card_desk, "AuditLog", Counted):
        desk = Desk(Path(directory) / "site")
        try:
            bare, call = [], []
            for number in range(1, ROUNDS + 1):
                bare.append(_bare(number))
                call.append(asyncio.run(_call(desk, number)))
        finally:
            desk.close()
    ours, peer = (statistics.median(found) for found in ([ms for ms, _, _ in call], bare))
    syncs, steps = (statistics.median(found) for found in ([one for _, one, _ in call], [n for _, _, n in call]))
    each = (syncs - CALL_SYNCS) / steps
    return [
        Row("provision call, journalled", "ms", ours, peer, ours / peer, "", "same order, no store"),
        Row("provision call, fsyncs", "", syncs, steps, each, "<= 1 a step, 2 a call", "changing steps", each <= 1),
    ]


def _bare(serial: int) -> float:
    backend = InProcessBackend(["R"])
    backend.insert("R", SoftwareCard(serial=serial))
    started = time.perf_counter()
    with backend.open("R") as connection:
        Personalizer(SITE).run(ApduChannel(connection), PROFILE, new_secrets())
        identify(connection, SITE.authorities)
    return (time.perf_counter() - started) * 1000


async def _call(desk: Desk, serial: int) -> tuple[float, int, int]:
    """Milliseconds, fsyncs, changing steps of one call."""
    async with desk.running({READER: SoftwareCard(serial=serial)}) as table:
        node = desk.node()
        started, commits = time.perf_counter(), Counted.commits
        reply = await table.done(node, str(serial))
        took = (time.perf_counter() - started) * 1000
        return took, Counted.commits - commits, len(desk.steps(reply.provision_id))


ROWS: list[Callable[[], list[Row]]] = [list_in_process, list_over_pcsc, order_against_raw, full_order]

if __name__ == "__main__":
    run(ROWS)
