r"""Notices to platforms: what enforcement writes of them, and what people do with them.

Each change runs inside a writer's transaction. Nothing here waits or sends; the outbox does, by
``notice_carriers.py``, and ``notice_attempts.py`` writes what came of it.

::

    held ---> queued ---> sent ---> delivered ---> acknowledged, actioned, rejected, countered
      |         |  \                    by a report of a mail server; by a person, or the platform's answer
      |         |   +---> bounced, failed ---> queued (a person sends it again)
      +---> operator_action ---> sent (a person filled in the form)
    withdrawn from held, operator_action, queued, bounced and failed

A row that an attempt has claimed (``lease_us``) is shown as ``sending``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

from sqlalchemy import Connection, Row, delete, select

from app.api.problems import Problem, invalid_field
from app.delivery.alarms import SERVICE_ACTOR
from app.delivery.delivery_rows import WaitingDelivery
from app.delivery.mail_message import mail_content
from app.delivery.messages import DeliveryFault, NoticeChannel, NoticeState, RecordOutcome
from app.delivery.notice_content import (
    HttpsContent,
    MailContent,
    NoticeParcel,
    digest_of,
    https_content,
    pack,
    parcel_of,
)
from app.delivery.notice_rows import LOST_STATES, NoticeOwner, NoticeRows
from app.delivery.site_mail import SiteMail
from app.delivery.tables import delivery, notice_content
from app.store.clock import system_clock_us
from app.store.writer import Transaction

__all__ = ["FinishedNotice", "NoticeChannel", "NoticeOwner", "NoticeParcel", "NoticeState", "Notices"]

NOTICE_TYPE: Final = "enforcement.notice"
"""Type of these rows in ``delivery``."""
OPEN_STATES: Final = frozenset({"held", "operator_action", "queued"})
"""Nothing has left."""
ARRIVED_STATES: Final = frozenset({"sent", "delivered", "acknowledged", "actioned", "rejected", "countered"})


@dataclass(frozen=True, slots=True)
class FinishedNotice:
    """The very bytes that leave, and the parcel that they were made from (SHA-256 of it as packed)."""

    content: bytes
    parcel_sha256: str


@dataclass(frozen=True, slots=True)
class NoticeProgress:
    """How far a notice is on its way. ``sending``: an attempt has it now; ``next_us``: when the next one is due;
    ``fault`` and ``answer``: of the last attempt."""

    attempts: int
    sending: bool
    next_us: int | None
    fault: DeliveryFault | None
    answer: str | None


class Notices:
    """Notices as enforcement and people see them. Methods with a ``tx`` run inside its job, the others on any thread
    that may block."""

    def __init__(
        self,
        rows: NoticeRows,
        *,
        enter: Callable[[WaitingDelivery], None],
        mail: SiteMail,
        clock: Callable[[], int] = system_clock_us,
    ) -> None:
        """``enter``: tells the outbox of a row that is to be sent. ``clock``: the machine's, in Unix microseconds, for
        the date of a mail."""
        self._rows = rows
        self._enter = enter
        self._mail = mail
        self._clock = clock

    def register(self, owner: NoticeOwner) -> None:
        """Names who is told of each change. At wiring; ``ValueError`` if there is one already."""
        self._rows.register(owner)

    def hindrance(self, channel: NoticeChannel) -> str | None:
        """Why nothing can leave by this channel, a sentence for people; None if it can."""
        return self._mail.hindrance() if channel == "mail" else None

    # --- what enforcement writes ---

    def finish(self, notice_id: str, channel: NoticeChannel, address: str, parcel: NoticeParcel) -> FinishedNotice:
        """The bytes of a notice that is about to be queued. For mail this signs (some milliseconds), so it is best
        called on a worker thread before the transaction. ``ValueError`` where ``hindrance`` has something to say."""
        content: MailContent | HttpsContent
        if channel == "mail":
            identity = self._mail.identity()
            if identity is None:
                raise ValueError("the site has no mail relay")
            content = mail_content(identity, notice_id, address, parcel, at_us=self._clock())
        elif channel == "https":
            content = https_content(notice_id, parcel)
        else:
            raise ValueError("a form is filled in by a person: nothing is queued")
        return FinishedNotice(pack(content), digest_of(pack(parcel)))

    def put(
        self,
        tx: Transaction,
        *,
        notice_id: str,
        kid: str,
        platform_id: str,
        channel: NoticeChannel,
        address: str,
        subject_id: str,
        state: Literal["held", "operator_action", "queued"],
        parcel: NoticeParcel | None,
        finished: FinishedNotice | None = None,
    ) -> NoticeState:
        """Writes the row of a notice; the state that it has, ``held`` where ``hindrance`` keeps a queued one.

        ``notice_id``: ``ntc_`` and 32 hexadecimal digits; ``subject_id``: the strike, by which it is listed;
        ``parcel``: None only for a held one; ``finished``: of ``finish`` with this parcel, else a queued one is
        finished here, on the writer's thread. The owner is not told: it writes its own row beside this one.
        """
        if state == "queued" and self.hindrance(channel) is not None:
            state = "held"
        if parcel is None and state != "held":
            raise ValueError("what leaves has a parcel")
        self._rows.deliveries.insert_notice(
            tx,
            notice_id,
            channel=channel,
            kid=kid,
            platform_id=platform_id,
            address=address,
            type_=NOTICE_TYPE,
            subject=subject_id,
            state=state,
        )
        if state == "queued" and parcel is not None:
            self._queue(tx, notice_id, parcel, finished)
        elif parcel is not None:
            self._rows.keep(tx, notice_id, pack(parcel))
        return state

    def fill(self, tx: Transaction, notice_id: str, parcel: NoticeParcel) -> None:
        """Replaces what a notice says that is ``held`` or waits for an operator. ``ValueError`` for another one."""
        if self._rows.find(tx, notice_id).state not in ("held", "operator_action"):
            raise ValueError(f"{notice_id} is under way: its bytes stay as they are")
        self._rows.keep(tx, notice_id, pack(parcel))

    def release(
        self,
        tx: Transaction,
        notice_id: str,
        state: Literal["queued", "operator_action"],
        *,
        actor: str = SERVICE_ACTOR,
        request_id: str | None = None,
        finished: FinishedNotice | None = None,
    ) -> None:
        """A held notice leaves, or waits for an operator; the owner is told. ``finished``: of ``finish`` with the
        parcel that was filled in last, else it is finished here. ``ValueError`` for one that is not held or has no
        parcel; ``Problem`` 409 where ``hindrance`` keeps it."""
        row = self._rows.find(tx, notice_id)
        content = self._rows.content(tx.connection, notice_id)
        if row.state != "held" or content is None:
            raise ValueError(f"{notice_id} is not held, or nothing was filled in")
        if state == "operator_action":
            self._rows.set(tx, notice_id, state=state)
            detail = "A person has to fill in the platform's form."
        else:
            why = self.hindrance(row.channel)
            if why is not None:
                raise Problem("state_conflict", why)
            self._queue(tx, notice_id, parcel_of(content), finished)
            detail = "It was released, and its bytes are fixed."
        self._rows.tell(tx, notice_id, state, actor=actor, request_id=request_id, detail=detail)

    def withdraw(
        self, tx: Transaction, notice_id: str, *, actor: str = SERVICE_ACTOR, request_id: str | None = None
    ) -> bool:
        """What has not left never leaves; the owner is told. Whether it was taken back: what arrived stays as it is."""
        row = self._rows.find(tx, notice_id)
        if row.state not in OPEN_STATES | LOST_STATES:
            return False
        self._rows.set(tx, notice_id, state="withdrawn", ended_us=tx.now_us, next_us=None)
        detail = "It was withdrawn." if row.lease_us is None else "It was withdrawn while an attempt was under way."
        self._rows.tell(tx, notice_id, "withdrawn", actor=actor, request_id=request_id, detail=detail)
        self._rows.settle_alarm(tx, row.platform_id)
        return True

    def erase(self, tx: Transaction, subject_id: str) -> int:
        """Empties what the notices of a strike say, for an erasure; from how many. What is still to be sent is
        withdrawn first: without its content nothing can leave. Digests and states stay."""
        emptied = 0
        for row in tx.connection.execute(select(delivery).where(delivery.c.subject == subject_id)).all():
            if row.channel == "callback":
                continue
            self.withdraw(tx, row.delivery_id)
            gone = delete(notice_content).where(notice_content.c.delivery_id == row.delivery_id)
            erased = {"answer": None, "note": None, "reference": None}
            self._rows.set(tx, row.delivery_id, **erased)
            emptied += bool(tx.connection.execute(gone).rowcount)
        return emptied

    def progress(self, connection: Connection, notice_ids: Sequence[str]) -> dict[str, NoticeProgress]:
        """How far these notices are, by id; only reads."""
        c = delivery.c
        wanted = select(c.delivery_id, c.state, c.attempts, c.lease_us, c.next_us, c.fault, c.answer)
        return {
            row.delivery_id: NoticeProgress(
                row.attempts, row.state == "queued" and row.lease_us is not None, row.next_us, row.fault, row.answer
            )
            for row in connection.execute(wanted.where(c.delivery_id.in_(notice_ids)))
        }

    def _queue(self, tx: Transaction, notice_id: str, parcel: NoticeParcel, finished: FinishedNotice | None) -> None:
        """Fixes what leaves, and has it sent after the commit."""
        row = self._rows.find(tx, notice_id)
        if finished is None or finished.parcel_sha256 != digest_of(pack(parcel)):
            # What was finished before the transaction may be of an earlier parcel.
            finished = self.finish(notice_id, row.channel, self._rows.deliveries.address_of(row), parcel)
        self._rows.keep(tx, notice_id, finished.content)
        self._rows.set(tx, notice_id, state="queued", step=0, next_us=tx.now_us)
        self._enter_after(tx, row)

    def _enter_after(self, tx: Transaction, row: Row[Any]) -> None:
        """The outbox looks at the row after the commit."""
        deliveries = self._rows.deliveries
        waiting = deliveries.waiting_notice(row.delivery_id, row.channel, row.kid, deliveries.address_of(row), 0.0)
        tx.after_commit(partial(self._enter, waiting))

    # --- what people do ---

    def send(
        self, tx: Transaction, notice_id: str, *, actor: str, request_id: str, finished: FinishedNotice | None = None
    ) -> Row[Any]:
        """A person releases a held notice, sends one again that bounced or failed, with the same bytes, or has the next
        attempt of one that waits made at once; the row. One that arrived stays as it is, and one that was countered is
        not sent again. ``Problem`` 404, 409."""
        row = self._rows.find(tx, notice_id)
        if row.state == "held":
            state = self._rows.owner.may_release(tx, notice_id, actor=actor, request_id=request_id)
            self.release(tx, notice_id, state, actor=actor, request_id=request_id, finished=finished)
        elif row.state in LOST_STATES:
            again = {"state": "queued", "ended_us": None, "step": 0, "next_us": tx.now_us, "lease_us": None}
            self._rows.set(tx, notice_id, **again)
            detail = "It is sent again, with the same bytes."
            self._rows.tell(tx, notice_id, "queued", actor=actor, request_id=request_id, detail=detail)
            self._rows.settle_alarm(tx, row.platform_id)
            self._enter_after(tx, row)
        elif row.state == "queued":
            # It waits for its next attempt, which is made now.
            self._enter_after(tx, row)
        elif row.state == "operator_action":
            raise Problem(
                "state_conflict", "A person fills in this platform's form: do so, and record the outcome (sent)."
            )
        elif row.state == "withdrawn":
            raise Problem("state_conflict", "This notice was withdrawn: it is not sent. Issue the strike again.")
        elif row.state == "countered":
            raise Problem(
                "state_conflict",
                "The uploader has objected to this notice: it is not sent again. Answer the platform, and record what "
                "it does (actioned or rejected).",
            )
        return self._rows.find(tx, notice_id)

    def settle(self, tx: Transaction, notice_id: str, said: RecordOutcome, *, actor: str, request_id: str) -> Row[Any]:
        """A person says that a notice was sent by hand, or what the platform did; the row. The same words again change
        nothing. ``Problem`` 404, 409; 422 for what is no outcome of a notice."""
        state = said.state
        if state == "received" or state == "abandoned":
            raise invalid_field("/state", "Of a notice say sent, acknowledged, actioned, rejected or countered.")
        if said.decision is not None and said.state not in ("actioned", "rejected"):
            raise invalid_field("/decision", "A decision goes with actioned or rejected.")
        row = self._rows.find(tx, notice_id)
        reference = said.reference or row.reference
        words = (said.state, said.decision, reference, said.note)
        if (row.outcome, row.decision, row.reference, row.note) == words and row.state == said.state:
            return row
        may = LOST_STATES | ({"operator_action"} if said.state == "sent" else ARRIVED_STATES)
        if row.state not in may:
            raise Problem("state_conflict", _no_outcome(row.state, said.state))
        outcome = {
            "outcome": said.state,
            "decision": said.decision,
            "reference": reference,
            "note": said.note,
            "outcome_by": actor,
            "outcome_us": tx.now_us,
        }
        self._rows.set(tx, notice_id, state=said.state, ended_us=row.ended_us or tx.now_us, next_us=None, **outcome)
        self._rows.tell(
            tx,
            notice_id,
            state,
            actor=actor,
            request_id=request_id,
            detail="A person recorded it.",
            reference=reference,
            decision=said.decision,
        )
        self._rows.settle_alarm(tx, row.platform_id)
        return self._rows.find(tx, notice_id)

    def held_parcel(self, notice_id: str) -> tuple[NoticeChannel, str, NoticeParcel] | None:
        """Channel, address and parcel of a held notice that can be finished; None for another one. Blocks."""
        with self._rows.store.read() as connection:
            row = connection.execute(select(delivery).where(delivery.c.delivery_id == notice_id)).first()
            content = None if row is None else self._rows.content(connection, notice_id)
        if row is None or row.state != "held" or row.channel == "form" or content is None:
            return None
        if self.hindrance(row.channel) is not None:
            return None
        return row.channel, self._rows.deliveries.address_of(row), parcel_of(content)


def _no_outcome(state: str, wanted: str) -> str:
    match state:
        case "held":
            return "This notice is held, and nothing has left: send it first."
        case "queued":
            return "This notice is on its way: wait until it was sent, or withdraw the strike."
        case "operator_action":
            return "Nobody has filled in the platform's form yet: record that it was sent first."
        case "withdrawn":
            return "This notice was withdrawn."
        case _:
            return f"This notice is {state} already: {wanted} says nothing new of it."
