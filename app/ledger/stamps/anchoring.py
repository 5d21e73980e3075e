"""Asks outside time-stamp authorities (RFC 3161 over HTTP) to stamp the newest cosigned checkpoint of each log.

Each authority has a loop of its own, so that one that hangs delays neither another authority, nor a round, nor a seal.
A token is judged before it is kept, and it is kept together with a leaf that names it. If the process dies before that,
the next one asks again."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from cryptography import x509

from app.ledger.c2sp.note import parse_note
from app.ledger.cosigned import Cosigned, newest
from app.ledger.log.append import Ledger
from app.ledger.log.log import AnyLog
from app.ledger.stamps.anchors import add_anchor, owed_since
from app.ledger.stamps.timestamp import APART_S, StampError, read_answer, request_of
from app.site.errors import SiteRefused
from app.site.site import Site
from app.store.engine import Store
from app.store.errors import StoreError

AWAY_ALARM: Final = "time_stamp.away"
FIRST_BACKOFF_S: Final = 2.0
LONGEST_BACKOFF_S: Final = 600.0
_NONCE_BITS: Final = 64

log = logging.getLogger("arc.ledger")


class AuthorityAway(Exception):
    """An authority gave no usable answer; the message is a sentence for people."""


@dataclass(frozen=True)
class OutsideAuthority:
    """An authority to ask. ``roots``: where its certificate must lead. ``policy``: the only one that it may stamp
    under, dotted (``None``: any). ``tls``: PEM certificates to which its TLS must lead (``None``: those of the
    machine). ``ask`` False: it is no longer asked, and its old tokens are still judged."""

    url: str
    roots: Sequence[x509.Certificate]
    policy: str | None = None
    tls: str | None = None
    ask: bool = True


Ask = Callable[[OutsideAuthority, bytes], Awaitable[bytes]]
"""Sends a TimeStampReq and returns the answer's body; raises ``AuthorityAway``."""
Alarm = Callable[[str, str | None], Awaitable[None]]
"""Opens the alarm of an authority (by its URL) with a sentence; ``None`` closes it."""


def authorities_of(site: Site, *, all_of_them: bool = False) -> Sequence[OutsideAuthority]:
    """The authorities of the site's settings that are asked, or ``all_of_them``. ``SiteRefused`` for roots that are no
    certificates, and for an authority that is named twice."""
    found: dict[str, OutsideAuthority] = {}
    for row in site.settings.time_stamp_authorities:
        try:
            roots = x509.load_pem_x509_certificates(row.roots.encode())
        except ValueError:
            raise SiteRefused(
                f"site.json: the roots of {row.url} are no PEM certificates. Get them from the authority."
            ) from None
        if row.url in found:
            raise SiteRefused(f"site.json: {row.url} is named twice. Put all of its roots into one.")
        found[row.url] = OutsideAuthority(row.url, roots, row.policy, row.tls_roots, row.ask)
    return [one for one in found.values() if one.ask or all_of_them]


class Anchoring:
    """The loops of all authorities. Made and used on one event loop."""

    def __init__(
        self,
        store: Store,
        ledger: Ledger,
        authorities: Sequence[OutsideAuthority],
        *,
        ask: Ask,
        ready: Callable[[], bool],
        alarm: Alarm,
        alarmed: Collection[str] = (),
        interval_s: float,
        away_s: float,
        first_backoff_s: float = FIRST_BACKOFF_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``ready``: whether checkpoints may leave this process. ``alarmed``: URLs with an open alarm. ``away_s``:
        after a checkpoint has waited so long for an authority, that is an alarm."""
        self._store = store
        self._logs: Sequence[AnyLog] = (ledger.seal, ledger.audit)
        self._authorities = authorities
        self._ask = ask
        self._ready = ready
        self._alarm = alarm
        self._alarmed = alarmed
        self._interval_s = interval_s
        self._away_s = away_s
        self._first_backoff_s = first_backoff_s
        self._clock = clock
        self._began = 0.0
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Begin to ask."""
        self._began = self._clock()
        for url in set(self._alarmed) - {one.url for one in self._authorities}:
            # An authority that is no longer asked is not away. A store that takes only burns now keeps the alarm.
            await self._tell(url, None)
        self._tasks = [
            asyncio.create_task(self._serve(one), name=f"time stamps of {one.url}") for one in self._authorities
        ]

    async def stop(self) -> None:
        """Stop asking. An answer that comes now is lost, and is asked for again after the next start."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, authority: OutsideAuthority) -> None:
        """The loop of one authority: it asks, waits longer after each failure, and keeps the alarm true."""
        backoff = self._first_backoff_s
        last = ""
        alarm: str | None = "unknown"
        while True:
            wait = self._interval_s
            if self._ready():
                owed, trouble = await self._stamp(authority)
                if trouble:
                    if trouble != last:
                        log.warning("%s gave no time stamp: %s", authority.url, trouble)
                    wait, backoff = min(backoff, self._interval_s), min(2 * backoff, LONGEST_BACKOFF_S)
                else:
                    backoff = self._first_backoff_s
                last = trouble
                away = owed is not None and self._clock() - max(owed, self._began) >= self._away_s
                if (away and alarm in (None, "unknown")) or (not trouble and alarm is not None):
                    fact = self._sentence(authority, trouble) if trouble else None
                    if await self._tell(authority.url, fact):
                        alarm = fact
            await asyncio.sleep(wait)

    async def _stamp(self, authority: OutsideAuthority) -> tuple[int | None, str]:
        """Since when a checkpoint waits for the authority (``None``: none does), and what is wrong with it."""
        owed: int | None = None
        try:
            for ledger in self._logs:
                found = await asyncio.to_thread(self._find_owed, ledger, authority)
                if found is not None:
                    checkpoint, owed = found
                    await self._anchor(ledger, checkpoint, authority)
        except (AuthorityAway, StampError, StoreError) as error:
            return owed, f"{error}".rstrip(".")
        except Exception:
            # An error over one answer must not end the loop: nobody would learn of it.
            log.exception("an outside time stamp failed", extra={"authority": authority.url})
            return owed, "its answer could not be used, see the service's log"
        return None, ""

    def _find_owed(self, ledger: AnyLog, authority: OutsideAuthority) -> tuple[Cosigned, int] | None:
        with self._store.read() as connection:
            found = newest(ledger, connection)
            since = None if found is None else owed_since(connection, ledger, found, authority.url)
        return None if found is None or since is None else (found, since)

    async def _anchor(self, ledger: AnyLog, checkpoint: Cosigned, authority: OutsideAuthority) -> None:
        text = parse_note(checkpoint.note.encode()).text.encode()
        nonce = secrets.randbits(_NONCE_BITS) | 1
        response = await self._ask(authority, request_of(text, nonce, authority.policy))
        token, at = await asyncio.to_thread(read_answer, response, text, nonce, authority.roots, authority.policy)
        apart = at.timestamp() - self._clock()
        if abs(apart) > APART_S:
            raise StampError(f"its clock and this machine's differ by {abs(apart):.0f} s; set the one that is wrong")
        await self._store.writer.run(lambda tx: add_anchor(tx, ledger, checkpoint.size, authority.url, token))

    def _sentence(self, authority: OutsideAuthority, trouble: str) -> str:
        return (
            f"{authority.url} has stamped no checkpoint for {self._away_s / 60:.0f} minutes: {trouble}. Seals go on; "
            "see whether it can be reached, or name another authority."
        )

    async def _tell(self, url: str, fact: str | None) -> bool:
        try:
            await self._alarm(url, fact)
        except StoreError:
            log.warning("the alarm about %s could not be kept; it is tried again", url, exc_info=True)
            return False
        return True
