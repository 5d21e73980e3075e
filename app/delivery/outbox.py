"""The outbox: what leaves the site, durable with what it tells of, sent after the commit.

Signed calls to URLs that API keys named are sent here; notices to platforms by the ``Carrier`` of their channel
(``notice_carriers.py``), on the same schedule. A row is put into the caller's own transaction, so it exists exactly
when what it tells of does. One task of the service sends what is due; an attempt is recorded after its answer, so a
process that is killed between the two sends the same id again: at least once, in no order.

Within a process waits run on the monotone clock: a machine's clock that is set moves none of them. At a start they are
read back from rows, and none is longer than the schedule has it, or than a receiver may ask for.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Final, Protocol

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.api.keys import KeyRing
from app.delivery.addresses import AllowedReach
from app.delivery.delivery_rows import (
    ASKING_TO_WAIT,
    MAIL_HOST,
    Attempted,
    DeliveryContent,
    DeliveryRows,
    WaitingDelivery,
)
from app.delivery.guarded import FetchLimits, FetchRefused, GuardedFetch, UrlRefused, judge_url
from app.delivery.messages import DeliveryChannel
from app.delivery.outbound import retry_after_s
from app.delivery.published_keys import PublishedKeys
from app.delivery.webhook_signature import signed_headers
from app.store.engine import Store
from app.store.errors import SealBroken, StoreUnavailable
from app.store.writer import Transaction

ATTEMPT_S: Final = 15.0
"""For one attempt: name, connection, TLS and the head of the answer."""
TOGETHER: Final = 16
"""Attempts at a time."""
PER_HOST: Final = 2
"""Attempts at one host at a time: a slow receiver holds no more of them."""
PER_RELAY: Final = 24
"""Mails at a time to the site's own relay, beside the others: those of a strike are claimed and recorded together,
while they take turns at its few connections (``notice_carriers.CONNECTIONS``)."""
PER_KEY: Final = 8
"""Attempts for one API key at a time, however many hosts it names."""
_UNRECORDED_S: Final = (1.0, 60.0)
"""First and longest pause while the store takes no record of an attempt."""
_BROKEN_S: Final = 300.0
"""Before a delivery is looked at again whose attempt or record failed by this service's own fault."""

# No redirect of a POST is followed, and no body of its answer is read.
_LIMITS: Final = FetchLimits(total_s=ATTEMPT_S)

log = logging.getLogger(__name__)


class Carrier(Protocol):
    """Sends the deliveries of some channels. ``waiting`` blocks on the store, ``attempt`` runs on the event loop."""

    def waiting(self) -> Iterable[WaitingDelivery]:
        """Every row of these channels that is to be sent."""
        ...

    async def attempt(self, delivery_id: str) -> float | None:
        """One attempt with its record: in how many seconds the next one is due, None where none is."""
        ...


class _Queued:
    """A delivery that this process knows of: it waits, is due, or is being sent."""

    __slots__ = ("again", "channel", "delivery_id", "host", "kid")

    def __init__(self, waiting: WaitingDelivery) -> None:
        self.delivery_id = waiting.delivery_id
        self.channel = waiting.channel
        # The relay is the site's own: mail of all keys is one line, and takes no place of a key's callbacks.
        self.kid = MAIL_HOST if waiting.host == MAIL_HOST else waiting.kid
        self.host = waiting.host
        self.again = False
        """Whether it was brought forward during an attempt: it is looked at again after it."""


@dataclass(frozen=True, slots=True)
class _Parcel:
    """What is sent, what signs it, and by what it goes; without a ``secret`` nothing is sent."""

    content: DeliveryContent
    secret: bytes | None
    signers: Sequence[Ed25519PrivateKey]
    fetch: GuardedFetch


class Outbox:
    """``put`` runs inside a writer's job, ``enter`` on any thread; ``start``, ``stop`` and all that is sent on the
    event loop."""

    def __init__(
        self,
        store: Store,
        rows: DeliveryRows,
        keyring: KeyRing,
        keys: PublishedKeys,
        *,
        plain_http: bool,
        reach: Callable[[], Sequence[AllowedReach]],
        fetch: GuardedFetch | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``plain_http``: whether http is taken beside https, on a training site. ``reach``: what is reached beside
        public addresses, asked anew for each attempt, on the event loop. ``clock``: Unix seconds, for the signed
        time."""
        self._store = store
        self._rows = rows
        self._keyring = keyring
        self._keys = keys
        self._plain_http = plain_http
        self._reach = reach
        self._fetch = fetch
        self._clock = clock
        self._carriers: dict[DeliveryChannel, Carrier] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake = asyncio.Event()
        self._known: dict[str, _Queued] = {}
        self._later: list[tuple[float, int, _Queued]] = []
        """A heap by the loop's time."""
        self._numbers = itertools.count()
        self._due: dict[tuple[str, str], deque[_Queued]] = {}
        """What is due, by key and host; the first in line has waited longest since its last turn."""
        self._hosts: Counter[str] = Counter()
        self._kids: Counter[str] = Counter()
        self._attempts: set[asyncio.Task[None]] = set()
        self._task: asyncio.Task[None] | None = None
        keyring.on_revoke(self._hurry)

    def carry(self, channels: Iterable[DeliveryChannel], carrier: Carrier) -> None:
        """Has ``carrier`` send what goes by these channels. Before start only."""
        for channel in channels:
            self._carriers[channel] = carrier

    # --- callers ---

    def refusal_of(self, url: str, kid: str) -> str | None:
        """Why nothing would be delivered to this URL for this key, a sentence for its caller; None if it may be.
        For the request that names the URL: ``put`` takes every one. Blocks on the store."""
        try:
            self._judge(url)
        except UrlRefused as error:
            return str(error)
        try:
            self._keyring.webhook_secret(kid)
        except KeyError:
            return "This API key has no webhook secret, so nothing signs a callback for it. Use a key that was created."
        return None

    def put(
        self, tx: Transaction, *, kid: str, url: str, event_type: str, data: object, subject: str | None = None
    ) -> str:
        """Writes a delivery in the caller's transaction; its id, which is its ``webhook-id`` for ever. It is sent after
        the commit, signed for the API key ``kid``.

        The body is fixed now: ``{"type": event_type, "timestamp": tx.now_us, "data": data}``; ``data``: a Struct or
        what JSON has. ``subject``: the id of what it tells of, by which it is listed. ``ValueError`` for a type that is
        none (``[a-z][a-z0-9_.]*``, 64 characters), a URL beyond 2048 characters, and a body beyond 64 KiB.
        """
        found, waiting = self._rows.put(tx, kid=kid, url=url, event_type=event_type, data=data, subject=subject)
        if waiting is not None:
            tx.after_commit(partial(self.enter, waiting))
        return found

    def enter(self, waiting: WaitingDelivery) -> None:
        """A durable row is to be sent. Before ``start`` this does nothing: the start takes up every row."""
        self._on_loop(partial(self._enter, waiting))

    def hurry(self, channel: DeliveryChannel) -> None:
        """What waits by this channel is looked at now. On any thread."""
        self._on_loop(partial(self._bring_forward, lambda one: one.channel == channel))

    @property
    def waiting(self) -> int:
        """Deliveries that wait, are due, or are being sent."""
        return len(self._known)

    # --- life ---

    async def start(self) -> None:
        """Takes up what an earlier process left, under its ids, and begins to send."""
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        with contextlib.suppress(StoreUnavailable):  # on a full disk the first attempt makes the site's key
            await asyncio.to_thread(self._keys.webhook_signers)
        sources: list[Carrier | DeliveryRows] = [self._rows, *dict.fromkeys(self._carriers.values())]
        for known in sources:
            for waiting in await asyncio.to_thread(known.waiting):
                self._enter(waiting)
        self._task = asyncio.create_task(self._run(), name="outbox")

    async def stop(self) -> None:
        """Ends every attempt: what is not recorded by then is sent again at the next start."""
        self._loop = None
        tasks = [*self._attempts, *([] if self._task is None else [self._task])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._known.clear()
        self._later.clear()
        self._due.clear()

    def _on_loop(self, work: Callable[[], None]) -> None:
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # closed in between: the next start takes it up
                loop.call_soon_threadsafe(work)

    # --- the schedule, on the event loop ---

    def _enter(self, waiting: WaitingDelivery) -> None:
        known = self._known.get(waiting.delivery_id)
        if known is not None:
            self._bring_forward(lambda one: one is known)
            return
        queued = self._known[waiting.delivery_id] = _Queued(waiting)
        self._put_off(queued, waiting.wait_s)

    def _put_off(self, queued: _Queued, seconds: float) -> None:
        at = asyncio.get_running_loop().time() + seconds
        heapq.heappush(self._later, (at, next(self._numbers), queued))
        self._wake.set()

    def _bring_forward(self, those: Callable[[_Queued], bool]) -> None:
        """These are looked at now: what waits at once, what is being sent once more after that. During its attempt a
        delivery stands in no schedule, so what is asked for then would be forgotten."""
        for one in filter(those, self._known.values()):
            one.again = True
        self._later = [(0.0 if those(one) else at, number, one) for at, number, one in self._later]
        heapq.heapify(self._later)
        self._wake.set()

    def _hurry(self, kid: str) -> None:
        """The key was revoked: callbacks that wait for it end. A notice is the site's own. On the writer's thread."""
        self._on_loop(partial(self._bring_forward, lambda one: one.kid == kid and one.channel == "callback"))

    async def _run(self) -> None:
        """Begins what is due, and waits for the next time, for an attempt that ends, or for a new row."""
        loop = asyncio.get_running_loop()
        while True:
            self._wake.clear()
            while self._later and self._later[0][0] <= loop.time():
                _, _, queued = heapq.heappop(self._later)
                self._due.setdefault((queued.kid, queued.host), deque()).append(queued)
            while self._begin_one_each():
                pass
            wait_s = self._later[0][0] - loop.time() if self._later else None
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._wake.wait()

    def _begin_one_each(self) -> bool:
        """Begins at most one attempt for each key and host; whether any was begun. Who had a turn goes to the end of
        the line."""
        begun = False
        for line in list(self._due):
            kid, host = line
            if not self._has_room(kid, host):
                continue
            waiting = self._due.pop(line)
            queued = waiting.popleft()
            if waiting:
                self._due[line] = waiting
            self._hosts[host] += 1
            self._kids[kid] += 1
            task = asyncio.create_task(self._serve(queued), name=f"deliver {queued.delivery_id}")
            self._attempts.add(task)
            task.add_done_callback(self._end)
            begun = True
        return begun

    def _has_room(self, kid: str, host: str) -> bool:
        """Whether one more attempt may begin for this key at this host."""
        mails = self._hosts[MAIL_HOST]
        if host == MAIL_HOST:
            return mails < PER_RELAY
        together = len(self._attempts) - mails
        return together < TOGETHER and self._hosts[host] < PER_HOST and self._kids[kid] < PER_KEY

    async def _serve(self, queued: _Queued) -> None:
        """One attempt with its record; then the delivery waits for the next one, or is forgotten here."""
        queued.again = False
        wait_s: float | None = _BROKEN_S
        try:
            carrier = self._carriers.get(queued.channel)
            wait_s = await (self._attempt if carrier is None else carrier.attempt)(queued.delivery_id)
        except Exception:
            log.exception("a delivery failed", extra={"delivery_id": queued.delivery_id})
        finally:
            for busy, name in ((self._hosts, queued.host), (self._kids, queued.kid)):
                busy[name] -= 1
                if not busy[name]:
                    del busy[name]
        if queued.again:
            wait_s = 0.0
        if wait_s is None:
            del self._known[queued.delivery_id]
        else:
            self._put_off(queued, wait_s)

    def _end(self, attempt: asyncio.Task[None]) -> None:
        """There is room for another one."""
        self._attempts.discard(attempt)
        self._wake.set()

    # --- one attempt ---

    async def _attempt(self, delivery_id: str) -> float | None:
        """In how many seconds the next one is due; None where none is."""
        try:
            parcel = await asyncio.to_thread(self._open, delivery_id)
        except SealBroken:
            log.exception("a delivery cannot be read", extra={"delivery_id": delivery_id})
            return await self._record(delivery_id, Attempted(None, "internal"))
        if parcel is None:
            return None
        attempted = Attempted(None, "key_ended") if parcel.secret is None else await self._post(parcel)
        return await self._record(delivery_id, attempted)

    def _open(self, delivery_id: str) -> _Parcel | None:
        """What is sent and who signs it; None where it is over meanwhile. Blocks on the store."""
        row = self._rows.content(delivery_id)
        if row is None:
            return None
        secret = None
        with contextlib.suppress(KeyError):
            secret = self._keyring.webhook_secret(row.kid)
        if self._fetch is None:
            # Made here: it reads the system's certificates, for which no start waits.
            self._fetch = GuardedFetch()
        return _Parcel(row, secret, self._keys.webhook_signers(), self._fetch)

    async def _post(self, parcel: _Parcel) -> Attempted:
        """One POST, of which no redirect is followed."""
        what = parcel.content
        known_as = {"delivery_id": what.delivery_id}
        try:
            self._judge(what.url)
            headers = signed_headers(
                what.delivery_id, int(self._clock()), what.body, secret=parcel.secret, keys=parcel.signers
            )
            call = parcel.fetch.open(
                what.url, allowed=self._reach(), limits=_LIMITS, method="POST", headers=headers, content=what.body
            )
            async with call as answer:
                status = answer.status
                pause_s = 0.0
                if status in ASKING_TO_WAIT:
                    asked_at = datetime.fromtimestamp(self._clock(), UTC)
                    pause_s = retry_after_s(answer.headers.get("retry-after"), asked_at)
        except UrlRefused:
            return Attempted(None, "url_refused")
        except FetchRefused as error:
            # The cause names the host alone; callers are told one wording, for it says which addresses answer.
            log.info("a delivery found no answer", extra={**known_as, "cause": error.cause})
            return Attempted(None, "no_answer")
        except Exception:
            log.exception("a delivery could not be sent", extra=known_as)
            return Attempted(None, "internal")
        if status == 410:
            return Attempted(status, "gone")
        return Attempted(status, None if 200 <= status < 300 else "refused", pause_s=pause_s)

    def _judge(self, url: str) -> None:
        """``UrlRefused`` for what may not be called as it is written."""
        judged = judge_url(url, self._reach())
        if judged.scheme != "https" and not self._plain_http:
            raise UrlRefused("A callback goes to https:// alone: its body and its signature are not for others.")

    async def _record(self, delivery_id: str, attempted: Attempted) -> float | None:
        return await keep_record(self._store, delivery_id, lambda tx: self._rows.record(tx, delivery_id, attempted))


async def keep_record(store: Store, delivery_id: str, job: Callable[[Transaction], float | None]) -> float | None:
    """Writes how an attempt ended, as often as it takes; what ``job`` gives. Until then nothing else is sent in its
    place, so a store that takes nothing is no storm of repeats."""
    pause_s, longest_s = _UNRECORDED_S
    while True:
        try:
            return await store.writer.run(job)
        except StoreUnavailable as error:
            log.warning("a delivery is not recorded yet: %s", error, extra={"delivery_id": delivery_id})
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, longest_s)
