"""The rows of notices, as all who change them find and write them, and the owner who is told of each change.

Enforcement writes what the law says of a notice, this room what becomes of it on its way. Both write in one
transaction: the capability that owns notices registers a ``NoticeOwner``, which is told of each change where it
happens.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, Protocol

from sqlalchemy import Connection, Row, delete, insert, select, update

from app.delivery.alarms import SERVICE_ACTOR, AlarmBook
from app.delivery.delivery_rows import DeliveryRows, no_delivery
from app.delivery.messages import NoticeState
from app.delivery.notice_content import digest_of
from app.delivery.tables import delivery, notice_content
from app.store.engine import Store
from app.store.writer import Transaction

UNDELIVERED: Final = "notice.undelivered"
"""Kind of the alarm of a platform, open as long as a notice to it is ``bounced`` or ``failed``."""
RELAY_AWAY: Final = "notice.relay_away"
"""Kind of the alarm while the site's mail relay takes no mail."""
LOST_STATES: Final = frozenset({"bounced", "failed"})
"""It did not arrive, and a person has to see to it."""


class NoticeOwner(Protocol):
    """Who writes what the law says of a notice. Both are called inside the transaction of the change."""

    def may_release(
        self, tx: Transaction, notice_id: str, *, actor: str, request_id: str | None
    ) -> Literal["queued", "operator_action"]:
        """A person asks for a held notice to leave: to where it goes. ``Problem`` 409 with what is missing."""
        ...

    def notice_changed(
        self,
        tx: Transaction,
        notice_id: str,
        state: NoticeState,
        *,
        at_us: int,
        actor: str,
        request_id: str | None,
        detail: str,
        reference: str | None,
        decision: str | None,
        evidence: Mapping[str, object],
    ) -> None:
        """The notice has this state since ``at_us`` (the transaction's time). ``actor``: an API key, or ``service``.
        ``detail``: a sentence; ``evidence``: what proves it (a server's answer, digests), for the leaf."""
        ...


class NoticeRows:
    """The rows of ``delivery`` that are notices, with their contents. Each method runs inside a writer's job."""

    def __init__(self, store: Store, deliveries: DeliveryRows, alarms: AlarmBook) -> None:
        self.store = store
        self.deliveries = deliveries
        self._alarms = alarms
        self._owner: NoticeOwner | None = None

    def register(self, owner: NoticeOwner) -> None:
        """As ``Notices.register``."""
        if self._owner is not None:
            raise ValueError("notices have an owner already")
        self._owner = owner

    @property
    def owner(self) -> NoticeOwner:
        """Who owns notices; ``LookupError`` where nobody does."""
        if self._owner is None:
            raise LookupError("nobody owns notices")
        return self._owner

    def keep(self, tx: Transaction, notice_id: str, content: bytes) -> None:
        """Writes what the notice is made of, or the bytes that leave, in place of what was there."""
        tx.connection.execute(delete(notice_content).where(notice_content.c.delivery_id == notice_id))
        tx.connection.execute(insert(notice_content).values(delivery_id=notice_id, content=content))
        self.set(tx, notice_id, content_sha256=digest_of(content), content_bytes=len(content))

    def find(self, tx: Transaction, notice_id: str) -> Row[Any]:
        """The row of a notice; ``Problem`` 404 where there is none."""
        row = self.look_up(tx, notice_id)
        if row is None:
            raise no_delivery()
        return row

    @staticmethod
    def look_up(tx: Transaction, notice_id: str) -> Row[Any] | None:
        wanted = select(delivery).where(delivery.c.delivery_id == notice_id, delivery.c.channel != "callback")
        return tx.connection.execute(wanted).first()

    @staticmethod
    def content(connection: Connection, notice_id: str) -> bytes | None:
        found = connection.scalar(select(notice_content.c.content).where(notice_content.c.delivery_id == notice_id))
        return None if found is None else bytes(found)

    @staticmethod
    def set(tx: Transaction, notice_id: str, **values: object) -> None:
        tx.connection.execute(update(delivery).where(delivery.c.delivery_id == notice_id).values(values))

    def tell(
        self,
        tx: Transaction,
        notice_id: str,
        state: NoticeState,
        *,
        detail: str,
        actor: str = SERVICE_ACTOR,
        request_id: str | None = None,
        reference: str | None = None,
        decision: str | None = None,
        evidence: Mapping[str, object] | None = None,
    ) -> None:
        if self._owner is not None:
            self._owner.notice_changed(
                tx,
                notice_id,
                state,
                at_us=tx.now_us,
                actor=actor,
                request_id=request_id,
                detail=detail,
                reference=reference,
                decision=decision,
                evidence=evidence or {},
            )

    def settle_alarm(self, tx: Transaction, platform_id: str) -> None:
        """The alarm of the platform is open exactly while a notice to it is lost."""
        lost = select(delivery.c.delivery_id).where(
            delivery.c.platform_id == platform_id, delivery.c.state.in_(sorted(LOST_STATES))
        )
        if tx.connection.execute(lost.limit(1)).first() is None:
            self._alarms.clear(tx, UNDELIVERED, platform_id)
            return
        text = (
            f"Notices to the platform {platform_id} did not arrive. See why in its deliveries, send them again, or "
            "record what became of them."
        )
        self._alarms.raise_alarm(tx, UNDELIVERED, platform_id, text, ref=platform_id)

    def tell_relay_away(self, tx: Transaction, answer: str) -> None:
        """The site's mail relay takes no mail: an alarm, with what it said."""
        text = f"The mail relay takes no mail, so notices wait. Last answer: {answer or 'none'}"
        self._alarms.raise_alarm(tx, RELAY_AWAY, "relay", text)

    def tell_relay_back(self, tx: Transaction) -> None:
        """It answers again."""
        self._alarms.clear(tx, RELAY_AWAY, "relay")
