"""The rows of deliveries, each change of them inside a writer's transaction: put, tried, ended, sent again, settled.

Nothing here waits or sends; ``outbox.py`` does. Times in rows are the store's, which never fall. A wait that is read
back is never longer than the schedule has it, or than a receiver may ask for, so a clock that was set holds nothing up
for longer than that.
"""

from __future__ import annotations

import hmac
import random
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
from sqlalchemy import Row, delete, func, insert, select, update

from app.api.problems import Problem
from app.api.tables import api_key
from app.api.wire import rfc3339
from app.delivery.alarms import SERVICE_ACTOR, AlarmBook
from app.delivery.guarded import URL_LIMIT
from app.delivery.messages import DeliveryChannel, DeliveryFault, DeliveryState, NoticeChannel, OutcomeState
from app.delivery.tables import delivery, delivery_gone
from app.store.clock import system_clock_us
from app.store.engine import Store
from app.store.writer import FAILED, Transaction

RETRIES_S: Final = (5.0, 300.0, 1_800.0, 7_200.0, 18_000.0, 36_000.0, 36_000.0)
"""Waits after the first attempt and each later one; the attempt after the last wait is the last."""
JITTER: Final = 0.1
"""Each wait is longer by up to this part of it, so that what failed together does not come together again."""
ASKING_TO_WAIT: Final = frozenset({429, 503})
"""Statuses of answers whose ``Retry-After`` is obeyed (RFC 6585, 4; RFC 9110, 15.6.4)."""
PAUSE_MAX_S: Final = 36_000.0
"""Longest wait that a receiver may ask for; it is no shorter than the schedule has it."""
BODY_LIMIT: Final = 64 << 10
"""Longest signed body, in bytes."""
WAITING_PER_KEY: Final = 1_000
"""Deliveries of one key that wait to be sent; what is put beyond them is a dead letter at once."""
ROWS_PER_KEY: Final = 5_000
"""Deliveries of one key that a sweep leaves; the oldest that are over go first, dead letters last."""
GONE_PER_KEY: Final = 1_000
"""URLs of one key that are known to be gone; the oldest are forgotten."""
KEPT_US: Final = 30 * 86_400 * 1_000_000
"""How long a delivery that is over is kept. A dead letter stays until a person sees to it."""

DEAD_LETTER: Final = "delivery.dead_letter"
"""Action of the leaf, and kind of the alarm, which is open for a key as long as it has dead letters."""
DISABLED: Final = "delivery.disabled"
SENT_AGAIN: Final = "delivery.send"
SETTLED: Final = "delivery.outcome"

MAIL_HOST: Final = "mail"
"""Where mail goes first: the one relay of the site, for all recipients."""

_SWEPT: Final = 500
_PURPOSE: Final = "delivery"
_TYPE: Final = re.compile(r"[a-z][a-z0-9_.]{0,63}")
_HOST: Final = re.compile(r"[^\s/?#@\\\x00-\x1f\x7f]{1,253}")
_HIDDEN: Final = "…"
_CALLBACK: Final = delivery.c.channel == "callback"
"""Notices stand in the same table, and are kept as long as their strikes."""


class WebhookBody(msgspec.Struct, kw_only=True):
    """The signed body (Standard Webhooks 1.0): the same bytes in every attempt; ``timestamp`` of the event."""

    type: str
    timestamp: str
    data: object


@dataclass(frozen=True, slots=True)
class WaitingDelivery:
    """A row that is to be sent in ``wait_s`` seconds; ``host``: as its URL names it, ``MAIL_HOST`` for what goes by
    the site's relay."""

    delivery_id: str
    kid: str
    host: str
    wait_s: float
    channel: DeliveryChannel = "callback"


@dataclass(frozen=True, slots=True)
class DeliveryContent:
    """What is sent, and where: ``body`` to the byte."""

    delivery_id: str
    kid: str
    url: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Attempted:
    """How an attempt ended: ``status`` of the answer, if one came; ``fault`` is None where it was 2xx; ``pause_s``:
    for which the receiver wants no other."""

    status: int | None
    fault: DeliveryFault | None
    pause_s: float = 0.0


class DeliveryRows:
    """The rows of ``delivery`` and ``delivery_gone``. Methods with a ``tx`` run inside its job, the others on any
    thread that may block."""

    def __init__(
        self,
        store: Store,
        secret: bytes,
        alarms: AlarmBook,
        *,
        retries_s: Sequence[float] = RETRIES_S,
        chance: Callable[[], float] = random.random,
        clock: Callable[[], int] = system_clock_us,
    ) -> None:
        """``secret``: of the site, under which URLs are told apart without being read. ``chance``: 0 to 1, for the
        jitter. ``clock``: the machine's, in Unix microseconds."""
        self._store = store
        self._secret = secret
        self._alarms = alarms
        self._retries_s = tuple(retries_s)
        self._chance = chance
        self._clock = clock

    # --- put ---

    def put(
        self, tx: Transaction, *, kid: str, url: str, event_type: str, data: object, subject: str | None
    ) -> tuple[str, WaitingDelivery | None]:
        """Writes the row; its id, and what is to be sent, None where the row is over from the start. As
        ``Outbox.put``."""
        if not _TYPE.fullmatch(event_type):
            raise ValueError(f"no type of an event: {event_type!r}")
        if len(url) > URL_LIMIT:
            raise ValueError(f"a URL of more than {URL_LIMIT} characters")
        body = msgspec.json.encode(WebhookBody(type=event_type, timestamp=rfc3339(tx.now_us), data=data))
        if len(body) > BODY_LIMIT:
            raise ValueError(f"a body of more than {BODY_LIMIT} bytes")
        delivery_id = f"msg_{secrets.token_hex(16)}"
        target = self._target(url)
        row: dict[str, object] = {
            "delivery_id": delivery_id,
            "kid": kid,
            "type": event_type,
            "subject": subject,
            "url_sealed": self._store.sealer.seal(_PURPOSE, url.encode(), _context(delivery_id)),
            "shown_url": shown_url(url),
            "target": target,
            "body": body,
            "created_us": tx.now_us,
            "state": "queued",
            "attempts": 0,
            "step": 0,
            "next_us": tx.now_us,
        }
        crowded = self._is_crowded(tx, kid)
        if self._is_gone(tx, kid, target):
            # The leaf of the 410 stands for all that comes after it.
            row |= {"state": "disabled", "fault": "gone", "ended_us": tx.now_us, "next_us": None}
        tx.connection.execute(insert(delivery).values(row))
        if row["state"] == "disabled":
            return delivery_id, None
        if crowded:
            self._end(tx, delivery_id, "dead_letter", fault="crowded")
            return delivery_id, None
        return delivery_id, WaitingDelivery(delivery_id, kid, _host_of(str(row["shown_url"])), 0.0)

    def insert_notice(
        self,
        tx: Transaction,
        notice_id: str,
        *,
        channel: NoticeChannel,
        kid: str,
        platform_id: str,
        address: str,
        type_: str,
        subject: str,
        state: DeliveryState,
    ) -> None:
        """Writes the row of a notice beside those of callbacks; as ``Notices.put``."""
        row: dict[str, object] = {
            "delivery_id": notice_id,
            "kid": kid,
            "type": type_,
            "subject": subject,
            "url_sealed": self._store.sealer.seal(_PURPOSE, address.encode(), _context(notice_id)),
            "shown_url": address,
            "target": self._target(address),
            "body": b"",
            "created_us": tx.now_us,
            "state": state,
            "attempts": 0,
            "step": 0,
            "channel": channel,
            "platform_id": platform_id,
        }
        tx.connection.execute(insert(delivery).values(row))

    def address_of(self, row: Row[Any]) -> str:
        """Where the row goes. ``SealBroken`` where that does not open."""
        return self._store.sealer.open(_PURPOSE, bytes(row.url_sealed), _context(row.delivery_id)).decode()

    @staticmethod
    def waiting_notice(
        notice_id: str, channel: NoticeChannel, kid: str, address: str, wait_s: float
    ) -> WaitingDelivery:
        """A notice as the outbox queues it."""
        host = MAIL_HOST if channel == "mail" else _host_of(shown_url(address))
        return WaitingDelivery(notice_id, kid, host, wait_s, channel)

    @staticmethod
    def _is_crowded(tx: Transaction, kid: str) -> bool:
        """Whether as many of the key wait as may."""
        waiting = select(func.count()).where(delivery.c.kid == kid, delivery.c.state == "queued", _CALLBACK)
        return tx.connection.execute(waiting).scalar_one() >= WAITING_PER_KEY

    # --- sent ---

    def waiting(self) -> list[WaitingDelivery]:
        """Every row that is to be sent, those that are due first."""
        c = delivery.c
        columns = (c.delivery_id, c.kid, c.shown_url, c.step, c.next_us, c.status)
        wanted = select(*columns).where(c.state == "queued", _CALLBACK).order_by(c.next_us)
        with self._store.read() as connection:
            rows = connection.execute(wanted).all()
        now_us = max(self._store.writer.floor_us, self._clock())
        found = []
        for row in rows:
            left_s = ((row.next_us or 0) - now_us) / 1e6
            longest_s = self._retries_s[min(row.step, len(self._retries_s)) - 1] if row.step else 0.0
            if row.step and row.status in ASKING_TO_WAIT:
                longest_s = max(longest_s, PAUSE_MAX_S)
            wait_s = min(max(left_s, 0.0), longest_s * (1 + JITTER))
            found.append(WaitingDelivery(row.delivery_id, row.kid, _host_of(row.shown_url), wait_s))
        return found

    def content(self, delivery_id: str) -> DeliveryContent | None:
        """What is to be sent; None where it is over meanwhile. ``SealBroken`` where the URL does not open."""
        wanted = select(delivery).where(delivery.c.delivery_id == delivery_id, delivery.c.state == "queued", _CALLBACK)
        with self._store.read() as connection:
            row = connection.execute(wanted).first()
        return None if row is None else DeliveryContent(delivery_id, row.kid, self.address_of(row), bytes(row.body))

    def record(self, tx: Transaction, delivery_id: str, attempted: Attempted) -> float | None:
        """Writes how an attempt ended; in how many seconds the next one is due, None where none is."""
        row = self._find(tx, delivery_id)
        if row is None:
            return None
        tried: dict[str, object] = {"attempts": row.attempts + 1, "tried_us": tx.now_us, "status": attempted.status}
        if attempted.fault == "key_ended":
            tried = {}
        one = update(delivery).where(delivery.c.delivery_id == delivery_id)
        tx.connection.execute(one.values(fault=attempted.fault, **tried))
        if row.state != "queued":
            return None
        match attempted.fault:
            case None:
                tx.connection.execute(one.values(state="delivered", ended_us=tx.now_us, next_us=None))
            case "gone":
                self._disable_url(tx, row.kid, bytes(row.target), delivery_id)
            case "key_ended":
                self._end(tx, delivery_id, "disabled", fault="key_ended")
            case fault if row.step >= len(self._retries_s):
                self._end(tx, delivery_id, "dead_letter", fault=fault)
            case _:
                pause_s = min(attempted.pause_s, PAUSE_MAX_S)
                wait_s: float = max(self._retries_s[row.step], pause_s) * (1 + JITTER * self._chance())
                tx.connection.execute(one.values(step=row.step + 1, next_us=tx.now_us + int(wait_s * 1e6)))
                return wait_s
        return None

    def _disable_url(self, tx: Transaction, kid: str, target: bytes, delivery_id: str) -> None:
        """The receiver wants no call of this key at this URL any more: none that waits for it is sent."""
        tx.connection.execute(insert(delivery_gone).values(kid=kid, target=target, at_us=tx.now_us))
        oldest = (
            select(delivery_gone.c.target)
            .where(delivery_gone.c.kid == kid)
            .order_by(delivery_gone.c.at_us.desc())
            .offset(GONE_PER_KEY)
        )
        gone = delete(delivery_gone).where(delivery_gone.c.kid == kid, delivery_gone.c.target.in_(oldest))
        tx.connection.execute(gone)
        same = delivery.c.kid == kid, delivery.c.target == target, delivery.c.state == "queued", _CALLBACK
        others = tx.connection.execute(
            update(delivery)
            .where(*same, delivery.c.delivery_id != delivery_id)
            .values(state="disabled", ended_us=tx.now_us, next_us=None, fault="gone")
        ).rowcount
        self._end(tx, delivery_id, "disabled", fault="gone", others=others)

    def _end(
        self, tx: Transaction, delivery_id: str, state: DeliveryState, *, fault: DeliveryFault, **more: object
    ) -> None:
        """The row is over without having arrived: its leaf, and for a dead letter the alarm of its key."""
        one = update(delivery).where(delivery.c.delivery_id == delivery_id)
        tx.connection.execute(one.values(state=state, ended_us=tx.now_us, next_us=None, fault=fault))
        row = self._find(tx, delivery_id)
        if row is None:
            raise LookupError(delivery_id)
        detail = {**_leaf_detail(row), "fault": fault, "attempts": row.attempts, "status": row.status, **more}
        action = DEAD_LETTER if state == "dead_letter" else DISABLED
        tx.audit(action, actor=SERVICE_ACTOR, outcome=FAILED, detail=detail)
        if state == "dead_letter":
            self._settle_alarm(tx, row.kid)

    def _settle_alarm(self, tx: Transaction, kid: str) -> None:
        """The alarm of the key is open exactly while it has dead letters."""
        dead = select(delivery.c.delivery_id).where(delivery.c.kid == kid, delivery.c.state == "dead_letter").limit(1)
        if tx.connection.execute(dead).first() is None:
            self._alarms.clear(tx, DEAD_LETTER, kid)
            return
        text = (
            f"Calls for the API key {kid} could not be delivered. Send the dead letters again once their receiver "
            "answers, or record what became of them."
        )
        self._alarms.raise_alarm(tx, DEAD_LETTER, kid, text, ref=kid)

    # --- what people do ---

    def send_again(
        self, tx: Transaction, delivery_id: str, *, actor: str, request_id: str
    ) -> tuple[Row[Any], WaitingDelivery | None]:
        """A dead letter, or one that was not to be sent, is due again under its id; the row, and what is to be sent.
        One that waits or has arrived stays as it is. ``Problem`` 404, 409."""
        row = self.find(tx, delivery_id)
        if row.state in ("queued", "delivered"):
            return row, None
        if row.state == "closed":
            raise Problem("state_conflict", "A person has recorded what became of this delivery: it is not sent again.")
        signs = select(api_key.c.kid).where(api_key.c.kid == row.kid, api_key.c.revoked_us.is_(None))
        if tx.connection.execute(signs).first() is None:
            raise Problem(
                "state_conflict",
                f"Nothing signs for the key {row.kid}, which was revoked: record the outcome.",
            )
        if self._is_crowded(tx, row.kid):
            raise Problem("state_conflict", f"{WAITING_PER_KEY} deliveries of this key are waiting: try again later.")
        gone = delete(delivery_gone).where(delivery_gone.c.kid == row.kid, delivery_gone.c.target == row.target)
        tx.connection.execute(gone)
        again = {"state": "queued", "ended_us": None, "step": 0, "next_us": tx.now_us}
        tx.connection.execute(update(delivery).where(delivery.c.delivery_id == delivery_id).values(again))
        detail = {**_leaf_detail(row), "before": row.state}
        tx.audit(SENT_AGAIN, actor=actor, request_id=request_id, detail=detail)
        self._settle_alarm(tx, row.kid)
        waiting = WaitingDelivery(delivery_id, row.kid, _host_of(row.shown_url), 0.0)
        return self.find(tx, delivery_id), waiting

    def settle(
        self,
        tx: Transaction,
        delivery_id: str,
        outcome: OutcomeState,
        reference: str | None,
        note: str | None,
        *,
        actor: str,
        request_id: str,
    ) -> Row[Any]:
        """A person says what became of it: it is not sent any more; the row. The same words again change nothing.
        ``Problem`` 404, and 409 where the receiver has it."""
        row = self.find(tx, delivery_id)
        if row.state == "delivered":
            raise Problem("state_conflict", "The receiver has taken this delivery: there is nothing to record.")
        if (row.outcome, row.reference, row.note) == (outcome, reference, note):
            return row
        said = {"outcome": outcome, "reference": reference, "note": note, "outcome_by": actor, "outcome_us": tx.now_us}
        over = {"state": "closed", "ended_us": row.ended_us or tx.now_us, "next_us": None}
        tx.connection.execute(update(delivery).where(delivery.c.delivery_id == delivery_id).values(said | over))
        # Without the note: a leaf that names no node is found by no erasure.
        detail = {**_leaf_detail(row), "outcome": outcome, "before": row.outcome or row.state}
        tx.audit(SETTLED, actor=actor, request_id=request_id, detail=detail)
        self._settle_alarm(tx, row.kid)
        return self.find(tx, delivery_id)

    def sweep(self, tx: Transaction) -> int:
        """Deletes what has been over for ``KEPT_US``, and of keys with more than ``ROWS_PER_KEY`` rows the oldest that
        are over, dead letters last; how many rows, of each at most ``_SWEPT``."""
        too_old = delivery.c.ended_us < tx.now_us - KEPT_US
        over = (
            select(delivery.c.delivery_id)
            .where(delivery.c.state.in_(("delivered", "disabled", "closed")), too_old, _CALLBACK)
            .limit(_SWEPT)
        )
        swept = tx.connection.execute(delete(delivery).where(delivery.c.delivery_id.in_(over))).rowcount
        counted = (
            select(delivery.c.kid, func.count())
            .where(_CALLBACK)
            .group_by(delivery.c.kid)
            .having(func.count() > ROWS_PER_KEY)
        )
        for kid, number in tx.connection.execute(counted).all():
            oldest = (
                select(delivery.c.delivery_id)
                .where(delivery.c.kid == kid, delivery.c.state != "queued", _CALLBACK)
                .order_by(delivery.c.state == "dead_letter", delivery.c.ended_us)
                .limit(min(number - ROWS_PER_KEY, _SWEPT))
            )
            swept += tx.connection.execute(delete(delivery).where(delivery.c.delivery_id.in_(oldest))).rowcount
            self._settle_alarm(tx, kid)
        return swept

    # --- rows ---

    def find(self, tx: Transaction, delivery_id: str) -> Row[Any]:
        """The row; ``Problem`` 404 where there is none."""
        row = self._find(tx, delivery_id)
        if row is None:
            raise no_delivery()
        return row

    @staticmethod
    def _find(tx: Transaction, delivery_id: str) -> Row[Any] | None:
        wanted = select(delivery).where(delivery.c.delivery_id == delivery_id, _CALLBACK)
        return tx.connection.execute(wanted).first()

    def _target(self, url: str) -> bytes:
        return hmac.digest(self._secret, url.encode(), "sha256")

    @staticmethod
    def _is_gone(tx: Transaction, kid: str, target: bytes) -> bool:
        known = select(delivery_gone.c.kid).where(delivery_gone.c.kid == kid, delivery_gone.c.target == target)
        return tx.connection.execute(known).first() is not None


def shown_url(url: str) -> str:
    """A URL as it may be shown: scheme, host and port. Path and query, which may hold a secret, become ``…``; so does
    all of a text that is no URL of the web."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return _HIDDEN
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host):
        return _HIDDEN
    named = f"[{host}]" if ":" in host else host
    rest = "/" if parts.path in ("", "/") and not parts.query and not parts.fragment else f"/{_HIDDEN}"
    return f"{parts.scheme}://{named}{'' if port is None else f':{port}'}{rest}"


def no_delivery() -> Problem:
    """404 of an id that no row has."""
    return Problem("not_found", "There is no such delivery, or it is no longer kept: GET /v1/deliveries lists them.")


def _host_of(shown: str) -> str:
    return urlsplit(shown).hostname or shown


def _leaf_detail(row: Row[Any]) -> Mapping[str, object]:
    """What a leaf says of a delivery: never its URL."""
    return {"delivery_id": row.delivery_id, "kid": row.kid, "type": row.type, "subject": row.subject}


def _context(delivery_id: str) -> bytes:
    return b"delivery.url|" + delivery_id.encode("ascii")
