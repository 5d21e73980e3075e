"""Revocation lists of the site's authority (RFC 5280, section 5): one complete list, no deltas.

It names every revoked certificate of the authority until that has ended, so it needs no IssuingDistributionPoint: that
extension is critical and says that a list is partial or indirect, and this one is neither.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding
from sqlalchemy import Row, delete, func, insert, select

from app.pki.authority import Root
from app.pki.revocation import NodeCertificate, RevocationSource, RevokedEntry, utc
from app.pki.tables import revocation_list
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.writer import Transaction

log = logging.getLogger(__name__)

SIGNED = "pki.crl_signed"
UNSIGNED_ALARM = "pki.crl_unsigned"
INTERVAL_S = 3_600.0
RETRY_S = 5.0
_KEEP_US = 86_400_000_000
"""An ended certificate stays listed so long: a list that was made before its end must not be the last one to name it
(RFC 5280, section 3.3), and clocks differ."""

Clock = Callable[[], int]
Alarm = Callable[[str | None], Awaitable[None]]
"""Raises the alarm that no list could be signed, with a sentence, or clears it."""


@dataclass(frozen=True, slots=True)
class RevocationList:
    """A signed list as it is stored; times in Unix microseconds."""

    number: int
    this_us: int
    next_us: int
    sha256: str
    der: bytes

    def names(self, serials: Iterable[int]) -> bool:
        """Whether the signed bytes name each of these certificates."""
        signed = x509.load_der_x509_crl(self.der)
        return all(signed.get_revoked_certificate_by_serial_number(serial) is not None for serial in serials)


@dataclass(frozen=True, slots=True)
class NodeRevocation:
    """The newest list, and the certificates of one node that it names."""

    by: RevocationList
    certificates: Sequence[NodeCertificate]


class NotListed(Exception):
    """The newest list does not name every certificate of the node's cards."""


class ClockBehind(Exception):
    """The machine's clock stands before the authority's own beginning: a list signed now would be void."""


def sign_crl(root: Root, entries: Collection[RevokedEntry], *, number: int, this_us: int, next_us: int) -> bytes:
    """The list as DER. An entry whose revocation is later than ``this_us`` (the clock stepped back since) is dated
    ``this_us``, for no list may speak of what is to come."""
    listed = []
    for entry in entries:
        made = x509.RevokedCertificateBuilder(entry.serial, utc(min(entry.revoked_us, this_us)))
        if entry.reason is not None:
            made = made.add_extension(x509.CRLReason(entry.reason.flag), critical=False)
        listed.append(made.build())
    key_id = root.certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    builder = x509.CertificateRevocationListBuilder(
        root.certificate.subject, utc(this_us), utc(next_us), revoked_certificates=listed
    )
    return (
        builder.add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(key_id), critical=False)
        .add_extension(x509.CRLNumber(number), critical=False)
        .sign(root.key, hashes.SHA256())
        .public_bytes(Encoding.DER)
    )


class RevocationLists:
    """Signs the site's lists and keeps them. ``start`` and the calls that publish: on the event loop.

    A list is a row that was made in the same transaction as its leaf, of all that was revoked by then. Its number is
    the clock's milliseconds, or one more than the last number where that is more: so it rises over restarts, and over
    the restoring of a backup that is older than the last list.
    """

    def __init__(
        self, store: Store, root: Root, *, lifetime_s: float, clock: Clock = lambda: time.time_ns() // 1000
    ) -> None:
        self._store = store
        self._root = root
        self._lifetime_us = round(lifetime_s * 1e6)
        self._clock = clock
        self._sources: list[RevocationSource] = []
        self._turn = asyncio.Lock()
        self._next: asyncio.Task[RevocationList] | None = None
        self._hourly: asyncio.Task[None] | None = None
        self._alarm: Alarm | None = None
        self._due = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def sources(self) -> Sequence[RevocationSource]:
        """Who knows certificates. Grows while the site is wired."""
        return self._sources

    def add_source(self, source: RevocationSource) -> None:
        """Lists what this source revokes. Before start only."""
        self._sources.append(source)

    def on_trouble(self, alarm: Alarm) -> None:
        """Tells ``alarm`` when no list can be signed, and when one can again. Before start only."""
        self._alarm = alarm

    async def start(self) -> None:
        """Signs what a dead process left unlisted, then each hour."""
        self._loop = asyncio.get_running_loop()
        self._hourly = self._loop.create_task(self._sign_hourly(), name="revocation lists")

    def hasten(self) -> None:
        """Has a list signed soon, for revocations whose caller waits for none. Any thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                # The loop may be over: then the next start signs.
                self._loop.call_soon_threadsafe(self._due.set)

    async def stop(self) -> None:
        """Ends the signing; a revocation that is not listed by now is listed at the next start."""
        tasks = [task for task in (self._hourly, self._next) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def publish(self) -> RevocationList:
        """The newest list with all that was revoked, durably, before the call. ``StoreError``, ``ClockBehind`` or what
        the key raises if there can be none now. Calls that come while a list is being signed share the next one."""
        if self._next is None:
            self._next = asyncio.get_running_loop().create_task(self._sign_in_turn())
            # Fetched in any case: a caller that left must not turn a failure into a warning.
            self._next.add_done_callback(lambda task: task.cancelled() or task.exception())
        return await asyncio.shield(self._next)

    async def publish_node(self, node_id: str) -> NodeRevocation:
        """As ``publish``, once it is certain that the list names every certificate of the node's cards; ``NotListed``
        if it does not."""
        newest = await self.publish()
        return await asyncio.to_thread(self._prove, newest, node_id)

    def _prove(self, newest: RevocationList, node_id: str) -> NodeRevocation:
        """Reads the list itself: what is not in the signed bytes is not proven."""
        with self._store.read() as connection:
            found = [one for source in self._sources for one in source.of_node(connection, node_id)]
        if not newest.names(one.serial for one in found):
            raise NotListed
        return NodeRevocation(newest, found)

    def newest(self) -> RevocationList | None:
        """The newest list; None on a site that has signed none yet. Blocks on the disk."""
        with self._store.read() as connection:
            row = connection.execute(_NEWEST).one_or_none()
        return None if row is None else _list(row)

    def believed_until(self, before_us: int) -> int | None:
        """Until when (us) a list that was stored by this moment (of the store's time) may be believed; None if none
        was, or all of those have ended. Blocks on the disk."""
        with self._store.read() as connection:
            until: int | None = connection.scalar(
                select(func.max(revocation_list.c.next_us)).where(revocation_list.c.made_us <= before_us)
            )
        return until if until is not None and until > self._clock() else None

    async def _sign_in_turn(self) -> RevocationList:
        async with self._turn:
            # From here on a caller's revocation may be too late for this list: it gets the next one.
            self._next = None
            try:
                return await self._store.writer.run(self._sign, urgent=True)
            except Exception:
                # The caller may give up; the task of each hour does not.
                self._due.set()
                raise

    def _sign(self, tx: Transaction) -> RevocationList:
        """Signs and stores a list, unless the newest one says the same and is not an hour old."""
        now_us = self._clock()
        if utc(now_us) < self._root.certificate.not_valid_before_utc:
            raise ClockBehind("the machine's clock stands before the beginning of the site's authority; set it")
        entries = sorted(
            (entry for source in self._sources for entry in source.entries(tx.connection, now_us - _KEEP_US)),
            key=lambda entry: entry.serial,
        )
        digest = _entries_digest(entries)
        last = tx.connection.execute(_NEWEST).one_or_none()
        if last is not None and last.entries_sha256 == digest and 0 <= now_us - last.this_us < INTERVAL_S * 1e6:
            return _list(last)
        number = max(now_us // 1000, 0 if last is None else last.number + 1)
        this_us = now_us // 1_000_000 * 1_000_000
        next_us = this_us + self._lifetime_us
        der = sign_crl(self._root, entries, number=number, this_us=this_us, next_us=next_us)
        made = RevocationList(number, this_us, next_us, sha256(der).hexdigest(), der)
        # A list that has ended proves nothing any more; every other one may still be believed somewhere.
        tx.connection.execute(delete(revocation_list).where(revocation_list.c.next_us <= now_us))
        row = {"made_us": tx.now_us, "entries_sha256": digest, "entries": len(entries), "crl": der}
        said = {"number": number, "this_us": this_us, "next_us": next_us, "sha256": made.sha256}
        tx.connection.execute(insert(revocation_list).values(**said, **row))
        tx.audit(SIGNED, actor="service", detail={**said, "entries": len(entries)})
        return made

    async def _sign_hourly(self) -> None:
        """Signs, waits until the list is an hour old, and keeps the alarm true."""
        told: str | None = "unknown"
        while True:
            trouble: str | None = None
            self._due.clear()
            try:
                newest = await self.publish()
                pause = INTERVAL_S - (self._clock() - newest.this_us) / 1e6
            except Exception as error:
                log.exception("no revocation list could be signed")
                trouble = (
                    f"No list of revoked certificates can be signed; the last one goes on to its end. {_why(error)}"
                )
            if self._alarm is not None and trouble != told:
                with contextlib.suppress(StoreError):
                    await self._alarm(trouble)
                    told = trouble
            if trouble is not None:
                await asyncio.sleep(RETRY_S)
                continue
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._due.wait(), min(max(pause, RETRY_S), INTERVAL_S))


_NEWEST = select(revocation_list).order_by(revocation_list.c.number.desc()).limit(1)


def _list(row: Row[Any]) -> RevocationList:
    return RevocationList(row.number, row.this_us, row.next_us, row.sha256, bytes(row.crl))


def _entries_digest(entries: Sequence[RevokedEntry]) -> str:
    """Equal for lists that say the same of every certificate."""
    lines = (f"{entry.serial:x} {entry.reason or '-'}\n" for entry in entries)
    return sha256("".join(lines).encode()).hexdigest()


def _why(error: Exception) -> str:
    return f"{error}" if isinstance(error, StoreError | ClockBehind) else "See the service's log."
