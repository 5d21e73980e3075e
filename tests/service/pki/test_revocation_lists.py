"""Revocation lists on a real store: when one is signed, what its number is, and what cannot be signed."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from sqlalchemy import Connection, select

from app.ledger.log.append import AuditLog
from app.pki.authority import Root, make_root
from app.pki.crl import INTERVAL_S, SIGNED, ClockBehind, NotListed, RevocationList, RevocationLists, sign_crl
from app.pki.revocation import KnownCertificate, NodeCertificate, RevocationReason, RevokedEntry
from app.pki.tables import revocation_list
from app.store.engine import Store
from app.store.keys import Kek, Keys

BEGAN = datetime(2026, 3, 1, 12, 0, 0, 250_000, UTC)
LIFE_S = 86_400.0
KEY = ec.generate_private_key(ec.SECP256R1())
ROOT = Root(make_root(KEY, training=True, site="site.invalid", now=BEGAN), KEY)


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = BEGAN

    def __call__(self) -> int:
        return round(self.now.timestamp() * 1e6)

    def go(self, **by: float) -> None:
        self.now += timedelta(**by)


class Records:
    """A source whose rows a test writes."""

    def __init__(self) -> None:
        self.rows: dict[int, RevokedEntry] = {}
        self.ends_us = 2**62
        self.of: list[NodeCertificate] = []

    def revoke(self, serial: int, at: datetime, reason: RevocationReason | None = None) -> None:
        self.rows[serial] = RevokedEntry(serial, round(at.timestamp() * 1e6), reason)

    def entries(self, _connection: Connection, ended_after_us: int) -> Sequence[RevokedEntry]:
        return list(self.rows.values()) if self.ends_us > ended_after_us else []

    def find(self, _connection: Connection, serial: int) -> KnownCertificate | None:
        return KnownCertificate(self.rows.get(serial))

    def of_node(self, _connection: Connection, _node_id: str) -> Sequence[NodeCertificate]:
        return self.of


class Lists:
    """The lists of one store, with a clock and records of the test."""

    def __init__(self, place: Path) -> None:
        self.clock, self.records = Clock(), Records()
        self.keys = Keys(place / "keys.db", Kek(bytes(32)))
        self.log = AuditLog("site.invalid/audit", self.keys.ed25519("audit"))
        self.store = Store.open(place / "store.db", self.log, sealer=self.keys.sealer)
        self.lists = self.restarted()

    def restarted(self) -> RevocationLists:
        """Those of a new process."""
        lists = RevocationLists(self.store, ROOT, lifetime_s=LIFE_S, clock=self.clock)
        lists.add_source(self.records)
        return lists

    def publish(self) -> RevocationList:
        return asyncio.run(self.lists.publish())

    def leaves(self) -> int:
        with self.store.read() as connection:
            return len(
                connection.exec_driver_sql(
                    "SELECT 1 FROM audit_entry e JOIN log_word w ON w.id = e.action WHERE w.text = ?", (SIGNED,)
                ).all()
            )

    def kept(self) -> list[int]:
        with self.store.read() as connection:
            return list(connection.scalars(select(revocation_list.c.number).order_by(revocation_list.c.number)))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Lists]:
    made = Lists(tmp_path)
    try:
        yield made
    finally:
        made.store.close()
        made.keys.close()


def read(der: bytes) -> x509.CertificateRevocationList:
    return x509.load_der_x509_crl(der)


def number_of(crl: x509.CertificateRevocationList) -> int:
    return crl.extensions.get_extension_for_class(x509.CRLNumber).value.crl_number


def test_a_list_is_signed_when_something_is_revoked(site: Lists) -> None:
    """The first call signs; the next gives the same list; a revocation, its reason, and its end give a new one."""
    first = site.publish()
    assert site.publish() == first
    site.records.revoke(7, BEGAN, RevocationReason.HOLD)
    held = site.publish()
    site.records.revoke(7, BEGAN, RevocationReason.KEY_COMPROMISE)
    lost = site.publish()
    del site.records.rows[7]
    free = site.publish()
    numbers = [one.number for one in (first, held, lost, free)]
    assert numbers == sorted(set(numbers))
    assert (site.leaves(), site.kept()) == (4, numbers)
    entries = [read(one.der).get_revoked_certificate_by_serial_number(7) for one in (first, held, lost, free)]
    assert [entry and entry.extensions[0].value for entry in entries] == [
        None,
        x509.CRLReason(x509.ReasonFlags.certificate_hold),
        x509.CRLReason(x509.ReasonFlags.key_compromise),
        None,
    ]
    assert [number_of(read(one.der)) for one in (first, held, lost, free)] == numbers


def test_an_unspecified_reason_is_left_out(site: Lists) -> None:
    """RFC 5280, 5.3.1: absent rather than unspecified."""
    site.records.revoke(7, BEGAN)
    entry = read(site.publish().der).get_revoked_certificate_by_serial_number(7)
    assert entry is not None
    assert list(entry.extensions) == []
    assert entry.revocation_date_utc == BEGAN.replace(microsecond=0)


def test_a_list_is_an_hour_old_at_most(site: Lists) -> None:
    """Just before the hour it is the same, at the hour a new one; each is good for its lifetime."""
    first = site.publish()
    site.clock.go(seconds=INTERVAL_S - 1)
    assert site.publish() == first
    site.clock.go(seconds=1)
    second = site.publish()
    assert second.number > first.number
    assert (second.this_us, second.next_us) == (site.clock() // 1_000_000 * 1_000_000, second.this_us + LIFE_S * 1e6)
    crl = read(second.der)
    assert (crl.last_update_utc, crl.next_update_utc) == (
        site.clock.now.replace(microsecond=0),
        site.clock.now.replace(microsecond=0) + timedelta(seconds=LIFE_S),
    )


def test_the_number_rises_when_the_clock_goes_back(site: Lists) -> None:
    """What is signed then is never dated ahead of the clock, nor is any entry, and its number still rises."""
    site.clock.go(days=1)
    ahead = site.publish()
    site.records.revoke(7, site.clock.now)
    site.clock.go(hours=-23)
    back = site.publish()
    assert back.number == ahead.number + 1
    crl = read(back.der)
    entry = crl.get_revoked_certificate_by_serial_number(7)
    assert crl.last_update_utc == site.clock.now.replace(microsecond=0)
    assert entry is not None
    assert entry.revocation_date_utc == crl.last_update_utc


def test_the_number_rises_over_a_restored_backup(site: Lists, tmp_path: Path) -> None:
    """A store that knows none of the lists that were signed before goes on beyond their numbers."""
    for serial in range(20):
        site.records.revoke(serial + 1, BEGAN)
        last = site.publish()
    (tmp_path / "older").mkdir()
    older = Lists(tmp_path / "older")
    try:
        older.clock.go(seconds=1)
        assert older.publish().number > last.number
    finally:
        older.store.close()
        older.keys.close()


def test_a_clock_before_the_authority_signs_nothing(site: Lists) -> None:
    """Such a list would be void; the refusal says what to do, and the next call with a right clock signs."""
    site.clock.go(minutes=-6)
    with pytest.raises(ClockBehind, match="set it"):
        site.publish()
    assert (site.leaves(), site.kept()) == (0, [])
    site.clock.go(minutes=6)
    site.publish()
    assert site.leaves() == 1


def test_a_list_that_cannot_be_signed_is_none(site: Lists) -> None:
    """A key that fails leaves no row and no leaf, and the next call tries again."""
    with patch("app.pki.crl.sign_crl", side_effect=OSError("the token is gone")), pytest.raises(OSError, match="token"):
        site.publish()
    assert (site.leaves(), site.kept()) == (0, [])
    site.publish()


def test_a_node_is_proven_by_the_signed_bytes(site: Lists) -> None:
    """Every certificate of the node stands in the list, or the node is not proven."""
    one, two = (NodeCertificate(serial, "card", 1, "burn") for serial in (7, 8))
    site.records.of = [one, two]
    site.records.revoke(7, BEGAN)
    with pytest.raises(NotListed):
        asyncio.run(site.lists.publish_node("ARC-1"))
    site.records.revoke(8, BEGAN)
    proof = asyncio.run(site.lists.publish_node("ARC-1"))
    assert (proof.certificates, proof.by) == ([one, two], site.lists.newest())


def test_calls_at_once_share_a_list(site: Lists) -> None:
    """A hundred revocations that come together cost one or two signatures, and each is in the list it is given."""

    async def revoke(serial: int) -> bool:
        site.records.revoke(serial, BEGAN)
        listed = await site.lists.publish()
        return read(listed.der).get_revoked_certificate_by_serial_number(serial) is not None

    async def all_of_them() -> list[bool]:
        return await asyncio.gather(*(revoke(serial) for serial in range(1, 101)))

    assert all(asyncio.run(all_of_them()))
    assert site.leaves() <= 2


def test_a_revocation_during_the_signing_is_in_the_next_list(site: Lists) -> None:
    """A call never gets a list that was begun before it."""
    serials = itertools.count(1)

    async def run() -> None:
        first = asyncio.create_task(site.lists.publish())
        for serial in itertools.islice(serials, 20):
            await asyncio.sleep(0)
            site.records.revoke(serial, BEGAN)
            listed = await site.lists.publish()
            assert read(listed.der).get_revoked_certificate_by_serial_number(serial) is not None
        await first

    asyncio.run(run())


def test_an_ended_certificate_leaves_the_list_a_day_later(site: Lists) -> None:
    """It is in a list that was signed after its end."""
    site.records.revoke(7, BEGAN)
    site.records.ends_us = site.clock() + 1
    site.clock.go(hours=23)
    assert len(read(site.publish().der)) == 1
    site.clock.go(hours=2)
    assert len(read(site.publish().der)) == 0


def test_until_when_an_older_list_is_believed(site: Lists) -> None:
    """The last end of all lists that were stored by then; none once they have ended. Ended lists are not kept."""
    assert site.lists.believed_until(2**62) is None
    first = site.publish()
    with site.store.read() as connection:
        made_us: int = connection.execute(select(revocation_list.c.made_us)).scalar_one()
    assert site.lists.believed_until(made_us) == first.next_us
    assert site.lists.believed_until(made_us - 1) is None
    site.clock.go(seconds=LIFE_S)
    assert site.lists.believed_until(made_us) is None
    second = site.publish()
    assert site.kept() == [second.number]
    assert site.restarted().newest() == second


def test_the_hourly_task_signs_and_tells_of_trouble(site: Lists) -> None:
    """At its start it signs what is unlisted; what fails is an alarm until a list is signed."""
    told: list[str | None] = []
    heard = asyncio.Event()

    async def alarm(sentence: str | None) -> None:
        told.append(sentence)
        heard.set()

    async def run() -> None:
        site.lists.on_trouble(alarm)
        with patch("app.pki.crl.RETRY_S", 0.01):
            site.clock.go(minutes=-6)
            await site.lists.start()
            await asyncio.wait_for(heard.wait(), 20)
            heard.clear()
            site.clock.go(minutes=6)
            await asyncio.wait_for(heard.wait(), 20)
        await site.lists.stop()

    asyncio.run(run())
    assert told[0] is not None
    assert "the machine's clock stands before" in told[0]
    assert told[1:] == [None]
    assert len(site.kept()) == 1


def test_a_list_of_nothing_is_signed(site: Lists) -> None:
    """The pure function: no entries, and a signature of the root."""
    crl = read(sign_crl(ROOT, [], number=5, this_us=site.clock(), next_us=site.clock() + 10**9))
    assert (len(crl), number_of(crl)) == (0, 5)
    assert crl.is_signature_valid(KEY.public_key())
