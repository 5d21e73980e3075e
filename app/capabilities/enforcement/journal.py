"""Every change of strikes and their notices, each inside one writer's transaction with its audit leaf.

What a notice is on its way stands in ``delivery``; this room keeps what the law says of it, and is told of each change
there in the same transaction (``NoticeOwner``)."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from app.api.problems import Problem
from app.capabilities.enforcement.deadlines import (
    NoticeClock,
    clock_from_counter,
    clock_from_sent,
    urgency_us,
    warning_us,
)
from app.capabilities.enforcement.documents import NoticeDocument, StrikeDocuments, leaving_state
from app.capabilities.enforcement.jurisdictions import LAW, LawFile, LawShelf, today
from app.capabilities.enforcement.messages import LawUsed, MissingElement
from app.capabilities.enforcement.notice import NoticeFacts, StrikeRecord
from app.capabilities.enforcement.states import ENDED, WATCHED
from app.capabilities.enforcement.tables import strike, strike_event, strike_file, strike_notice
from app.delivery.alarms import AlarmBook
from app.delivery.messages import NoticeState
from app.delivery.notices import FinishedNotice, Notices
from app.store.tables import json_text
from app.store.writer import Transaction

ISSUED: Final = "strike.issued"
REVISED: Final = "strike.revised"
WITHDRAWN: Final = "strike.withdrawn"
NOTICED: Final = "strike.notice"
DEADLINE: Final = "strike.deadline"
EXPIRED: Final = "strike.expired"
FOLLOW_UP: Final = "strike.follow_up"
CLOCK_ALARMS: Final = (DEADLINE, EXPIRED, FOLLOW_UP)
"""Kinds of alarms of a notice's clock, each open under the notice's id."""
LAW_FOLDER: Final = "law/"
EVIDENCE_FOLDER: Final = "evidence/"
_LATE: Final[frozenset[NoticeState]] = frozenset({"delivered", "acknowledged"})
"""What leaves an ``expired`` notice expired."""


@dataclass(frozen=True)
class StrikeOrder:
    """A strike that is ready to be written. ``same``: what makes another call the same one; ``files``: what it pins;
    ``finished``: the very bytes of those that leave at once, by notice."""

    facts: NoticeFacts
    track: bytes
    same: bytes
    node_id: str | None
    law_used: LawUsed
    warnings: Sequence[str]
    files: Mapping[str, bytes]
    documents: StrikeDocuments
    may_leave: bool
    finished: Mapping[str, FinishedNotice]


class StrikeJournal:
    """Writes the rows of strikes. Implements ``app.delivery.notices.NoticeOwner``."""

    def __init__(self, notices: Notices, alarms: AlarmBook, shelf: LawShelf, *, training: bool) -> None:
        self._notices = notices
        self._alarms = alarms
        self._shelf = shelf
        self._training = training

    # --- strikes ---

    def issue(self, tx: Transaction, order: StrikeOrder, *, actor: str, request_id: str | None) -> str | None:
        """Writes the strike, its notices and what leaves at once; None. If the same strike is open already, nothing is
        written and its id is returned."""
        known = tx.connection.scalar(select(strike.c.strike_id).where(strike.c.same == order.same))
        if known is not None:
            return str(known)
        states = {document.plan.notice_id: self._state_of(order, document) for document in order.documents.notices}
        leaf = self._state_strike(tx, ISSUED, order, states, actor, request_id)
        row = self._strike_row(order) | {
            "strike_id": order.facts.strike_id,
            "track": order.track,
            "actor": actor,
            "leaf": leaf,
            "created_us": tx.now_us,
            "changed_us": tx.now_us,
        }
        tx.connection.execute(insert(strike).values(row))
        self._pin(tx, order)
        for document in order.documents.notices:
            self._put(tx, order, document, states[document.plan.notice_id], leaf, actor)
        return None

    def revise(
        self,
        tx: Transaction,
        order: StrikeOrder,
        dropped: Sequence[str],
        leaf_read: int,
        *,
        actor: str,
        request_id: str | None,
    ) -> None:
        """Replaces the documents of a strike of which nothing has left, or those that its order does not keep.
        ``dropped``: notices to platforms that it names no more; ``leaf_read``: the entry that stated what the caller
        read. 409 if it has changed meanwhile, or another open strike is the same now."""
        strike_id = order.facts.strike_id
        row = tx.connection.execute(select(strike).where(strike.c.strike_id == strike_id)).one()
        if row.leaf != leaf_read or row.withdrawn_us is not None:
            raise Problem("state_conflict", "The strike was changed meanwhile; read it and send the details again.")
        kept = order.documents.kept
        self.require_held(tx.connection, strike_id, kept)
        other = tx.connection.scalar(
            select(strike.c.strike_id).where(strike.c.same == order.same, strike.c.strike_id != strike_id)
        )
        if other is not None:
            raise Problem("state_conflict", f"The strike {other} is open for the same; withdraw one of the two.")
        known = _states_of(tx.connection, strike_id)
        states = {
            document.plan.notice_id: known[document.plan.notice_id]
            if document.plan.notice_id in kept
            else self._state_of(order, document)
            for document in order.documents.notices
        }
        leaf = self._state_strike(tx, REVISED, order, states, actor, request_id)
        for notice_id in dropped:
            self._notices.withdraw(tx, notice_id, actor=actor, request_id=request_id)
        changed = self._strike_row(order) | {"leaf": leaf, "changed_us": tx.now_us}
        tx.connection.execute(update(strike).where(strike.c.strike_id == strike_id).values(changed))
        tx.connection.execute(delete(strike_file).where(strike_file.c.strike_id == strike_id))
        self._pin(tx, order)
        for document in order.documents.notices:
            notice_id = document.plan.notice_id
            if notice_id in kept:
                continue
            if notice_id not in known:
                self._put(tx, order, document, states[notice_id], leaf, actor)
                continue
            one = update(strike_notice).where(strike_notice.c.notice_id == notice_id)
            tx.connection.execute(one.values(_document_columns(document)))
            if document.parcel is not None:
                self._notices.fill(tx, notice_id, document.parcel)
            state = states[notice_id]
            if state == "held":
                self._append(tx, notice_id, tx.now_us, state, actor, self._words(order, document, state), leaf)
            else:
                finished = order.finished.get(notice_id)
                self._notices.release(tx, notice_id, state, actor=actor, request_id=request_id, finished=finished)

    def withdraw(self, tx: Transaction, strike_id: str, reason: str, *, actor: str, request_id: str | None) -> None:
        """Takes the strike back: what has not left never leaves. A strike that is withdrawn stays so."""
        row = tx.connection.execute(select(strike).where(strike.c.strike_id == strike_id)).one()
        if row.withdrawn_us is not None:
            return
        detail = {"strike_id": strike_id, "reason": reason}
        tx.audit(WITHDRAWN, actor=actor, node_id=row.node_id, request_id=request_id, detail=detail)
        one = update(strike).where(strike.c.strike_id == strike_id)
        tx.connection.execute(one.values(withdrawn_us=tx.now_us, changed_us=tx.now_us, same=None))
        for notice_id in tx.connection.scalars(_ids_of(strike_id)).all():
            self._notices.withdraw(tx, notice_id, actor=actor, request_id=request_id)
            self.clear_alarms(tx, notice_id)

    def require_held(self, connection: Connection, strike_id: str, kept: Collection[str] = ()) -> None:
        """409 unless every notice of the strike is held, but those that were withdrawn and those that are ``kept``."""
        states = _states_of(connection, strike_id)
        left = sum(state not in ("held", "withdrawn") for one, state in states.items() if one not in kept)
        if left:
            raise Problem(
                "state_conflict",
                f"{left} of this strike's notices left: what was sent stays as it is. Withdraw the strike and "
                "issue another one.",
            )

    # --- app.delivery.notices.NoticeOwner ---

    def may_release(
        self, tx: Transaction, notice_id: str, *, actor: str, request_id: str | None
    ) -> Literal["queued", "operator_action"]:
        """As ``NoticeOwner``: 409 while something is missing, and in production while nobody has signed the law file
        off."""
        del actor, request_id
        row = tx.connection.execute(_with_strike(notice_id)).one()
        missing = msgspec.json.decode(row.missing, type=list[MissingElement])
        if missing:
            raise Problem(
                "state_conflict",
                f"The notice lacks {len(missing)} of what must be in it: {missing[0].detail} Supply it by PATCH "
                "of the strike.",
            )
        used = msgspec.json.decode(row.law_used, type=LawUsed)
        if not self._may_leave(used):
            raise Problem(
                "state_conflict",
                f"Nobody has signed off the law file {used.code} as this strike used it, or its review is due: a "
                "lawyer signs it off, then the strike is issued anew.",
            )
        return "operator_action" if row.channel == "form" else "queued"

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
        """As ``NoticeOwner``: row, clock, history and leaf of a change."""
        row = tx.connection.execute(_with_strike(notice_id)).one()
        if row.state == "expired" and state in _LATE:
            state = "expired"
        values: dict[str, object] = {"state": state}
        if reference is not None:
            values["reference"] = reference
        if decision is not None:
            values["decision"] = decision
        if state == "sent" and row.sent_us is None:
            values |= {"sent_us": at_us} | self._clock_columns(tx, row, at_us, countered=False)
        elif state == "countered":
            values |= self._clock_columns(tx, row, at_us, countered=True)
        elif state not in WATCHED:
            values["warn_us"] = None
        tx.connection.execute(update(strike_notice).where(strike_notice.c.notice_id == notice_id).values(values))
        if state not in WATCHED or state == "countered":
            self.clear_alarms(tx, notice_id)
        told = {
            "strike_id": row.strike_id,
            "notice_id": notice_id,
            "platform": row.platform,
            "kind": row.kind,
            "state": state,
            "detail": detail,
            "evidence": {name: value for name, value in evidence.items() if value is not None},
        }
        more = {"reference": reference, "decision": decision}
        told |= {name: value for name, value in more.items() if value is not None}
        leaf = tx.audit(NOTICED, actor=actor, node_id=row.node_id, request_id=request_id, detail=told)
        self._append(tx, notice_id, at_us, state, actor, detail, leaf)
        self._settle_end(tx, row.strike_id)

    def clear_alarms(self, tx: Transaction, notice_id: str) -> None:
        """Closes the alarms of the notice's clock."""
        for kind in CLOCK_ALARMS:
            self._alarms.clear(tx, kind, notice_id)

    # --- parts ---

    def _may_leave(self, used: LawUsed) -> bool:
        """Whether documents under this very law file may leave today. Training sends to this machine alone."""
        if self._training:
            return True
        law = self._shelf.book().laws.get(used.code)
        return law is not None and law.sha256 == used.sha256 and law.is_signed_off(today())

    def _state_of(self, order: StrikeOrder, document: NoticeDocument) -> Literal["held", "operator_action", "queued"]:
        """Where the notice goes now; one whose channel is not there waits."""
        state = leaving_state(document, order.documents, automated=order.facts.automated, may_leave=order.may_leave)
        if state == "queued" and self._notices.hindrance(document.plan.recipient.channel) is not None:
            return "held"
        return state

    def _state_strike(
        self,
        tx: Transaction,
        action: str,
        order: StrikeOrder,
        states: Mapping[str, str],
        actor: str,
        request_id: str | None,
    ) -> int:
        """The leaf that states everything that the strike issues now, by digests; its number."""
        facts, documents = order.facts, order.documents
        detail = {
            "strike_id": facts.strike_id,
            "law": facts.law.code,
            "law_sha256": facts.law.sha256,
            "automated": facts.automated,
            "attested": facts.record.attested,
            "declaration_sha256": documents.sha256,
            "revision": documents.revision,
            "training": facts.training,
            "notices": [
                {
                    "notice_id": document.plan.notice_id,
                    "number": document.plan.number,
                    "platform": document.plan.recipient.platform_id,
                    "kind": document.plan.kind,
                    "channel": document.plan.recipient.channel,
                    "sha256": document.sha256,
                    "state": states[document.plan.notice_id],
                    "missing": [one.element for one in document.missing],
                }
                for document in documents.notices
            ],
            "files": {name: hashlib.sha256(data).hexdigest() for name, data in order.files.items()},
        }
        if facts.record.attested_by is not None:
            detail |= {"attested_by": facts.record.attested_by}
        return tx.audit(action, actor=actor, node_id=order.node_id, request_id=request_id, detail=detail)

    @staticmethod
    def _strike_row(order: StrikeOrder) -> dict[str, object]:
        """The columns that a revision writes anew."""
        facts, documents = order.facts, order.documents
        return {
            "same": order.same,
            "node_id": order.node_id,
            "target": facts.target,
            "automated": int(facts.automated),
            "law": facts.law.code,
            "law_state": facts.state,
            "law_used": json_text(order.law_used),
            "language": documents.language,
            "details": json_text(facts.record),
            "evidence": json_text(facts.evidence),
            "mandate": facts.mandate,
            "warnings": json_text(list(order.warnings)),
            "declaration": documents.pdf,
            "sha256": documents.sha256,
            "pages": documents.pages,
            "revision": documents.revision,
        }

    @staticmethod
    def _pin(tx: Transaction, order: StrikeOrder) -> None:
        for name, data in order.files.items():
            row = {
                "strike_id": order.facts.strike_id,
                "name": name,
                "sha256": hashlib.sha256(data).hexdigest(),
                "data": data,
            }
            tx.connection.execute(insert(strike_file).values(row))

    def _put(
        self,
        tx: Transaction,
        order: StrikeOrder,
        document: NoticeDocument,
        state: Literal["held", "operator_action", "queued"],
        leaf: int,
        actor: str,
    ) -> None:
        """The rows of a new notice, here and in ``delivery``."""
        plan = document.plan
        row = _document_columns(document) | {
            "notice_id": plan.notice_id,
            "strike_id": order.facts.strike_id,
            "number": plan.number,
            "platform": plan.recipient.platform_id,
            "kind": plan.kind,
            "state": state,
            "deadline_about": 0,
            "due_us": tx.now_us,
        }
        tx.connection.execute(insert(strike_notice).values(row))
        self._notices.put(
            tx,
            notice_id=plan.notice_id,
            kid=actor,
            platform_id=plan.recipient.platform_id,
            channel=plan.recipient.channel,
            address=plan.recipient.address,
            subject_id=order.facts.strike_id,
            state=state,
            parcel=document.parcel,
            finished=order.finished.get(plan.notice_id),
        )
        self._append(tx, plan.notice_id, tx.now_us, state, actor, self._words(order, document, state), leaf)

    def _words(self, order: StrikeOrder, document: NoticeDocument, state: str) -> str:
        """Why a notice is in its state, as it is made now."""
        hindrance = self._notices.hindrance(document.plan.recipient.channel)
        waits = order.facts.automated and order.documents.lack_something
        return _first_words(document, state, hindrance, waits=waits)

    def _clock_columns(self, tx: Transaction, row: Row[Any], at_us: int, *, countered: bool) -> dict[str, object]:
        """The clock of the law that the strike pinned, started at ``at_us``. The board's order follows it."""
        law = self._pinned_law(tx.connection, row.strike_id)
        if law is None:
            return {}
        nature = None if row.details is None else msgspec.json.decode(row.details, type=StrikeRecord).nature
        clock = clock_from_counter(law, at_us) if countered else clock_from_sent(law, nature, at_us)
        return clock_columns(clock, row.created_us, at_us)

    @staticmethod
    def _pinned_law(connection: Connection, strike_id: str) -> LawFile | None:
        """The law file as the strike used it; None where it cannot be read any more."""
        data = connection.scalar(
            select(strike_file.c.data).where(
                strike_file.c.strike_id == strike_id, strike_file.c.name == f"{LAW_FOLDER}{LAW}"
            )
        )
        return None if data is None else msgspec.toml.decode(bytes(data), type=LawFile)

    @staticmethod
    def _append(
        tx: Transaction, notice_id: str, at_us: int, state: NoticeState, actor: str, detail: str, leaf: int
    ) -> None:
        """One more entry of the notice's history."""
        count = select(func.count()).select_from(strike_event).where(strike_event.c.notice_id == notice_id)
        row = {
            "notice_id": notice_id,
            "number": 1 + (tx.connection.scalar(count) or 0),
            "at_us": at_us,
            "state": state,
            "actor": actor,
            "detail": detail,
            "leaf": leaf,
        }
        tx.connection.execute(insert(strike_event).values(row))

    @staticmethod
    def _settle_end(tx: Transaction, strike_id: str) -> None:
        """A strike whose every notice has come to its end is over: the same call makes a new one then."""
        standing = select(strike_notice.c.state).where(strike_notice.c.strike_id == strike_id)
        states = set(tx.connection.scalars(standing))
        over = states <= ENDED and states != {"withdrawn"}
        one = update(strike).where(strike.c.strike_id == strike_id, strike.c.withdrawn_us.is_(None))
        if over:
            tx.connection.execute(one.values(ended_us=tx.now_us, changed_us=tx.now_us, same=None))
        else:
            tx.connection.execute(one.values(ended_us=None, changed_us=tx.now_us))


def clock_columns(clock: NoticeClock, created_us: int, begun_us: int) -> dict[str, object]:
    """The columns of a clock that began at ``begun_us``, of a strike of ``created_us``."""
    return {
        "deadline_us": clock.deadline_us,
        "deadline_basis": clock.basis,
        "deadline_about": int(clock.about),
        "follow_up_us": clock.follow_up_us,
        "warn_us": warning_us(begun_us, clock),
        "due_us": urgency_us(created_us, clock),
    }


def _document_columns(document: NoticeDocument) -> dict[str, object]:
    """What a revision writes anew of a notice."""
    recipient = document.plan.recipient
    return {
        "platform_name": recipient.name,
        "channel": recipient.channel,
        "address": recipient.address,
        "language": document.language,
        "missing": json_text(document.missing),
        "notice": document.notice,
        "notice_sha256": document.sha256,
        "jws": document.jws,
    }


def _first_words(document: NoticeDocument, state: str, hindrance: str | None, *, waits: bool) -> str:
    """Why a new notice is in its state. ``hindrance``: what keeps its channel from sending. ``waits``: it leaves with
    the others, and one of them lacks something."""
    if document.missing:
        return f"Held: {len(document.missing)} missing."
    if waits:
        return "Held: it leaves with the takedown notice, which lacks something."
    match state:
        case "held":
            return "Held: a person releases it." if hindrance is None else f"Held: {hindrance}"
        case "operator_action":
            return "A person has to fill in the platform's form."
        case _:
            return "Queued, and its bytes are fixed."


def _ids_of(strike_id: str) -> Any:
    wanted = select(strike_notice.c.notice_id).where(strike_notice.c.strike_id == strike_id)
    return wanted.order_by(strike_notice.c.number)


def _states_of(connection: Connection, strike_id: str) -> dict[str, Any]:
    """The states of the strike's notices, by id."""
    wanted = select(strike_notice.c.notice_id, strike_notice.c.state).where(strike_notice.c.strike_id == strike_id)
    return {row.notice_id: row.state for row in connection.execute(wanted)}


def _with_strike(notice_id: str) -> Any:
    """The row of a notice with what it needs of its strike."""
    more = (strike.c.node_id, strike.c.law_used, strike.c.details, strike.c.created_us)
    return (
        select(strike_notice, *more)
        .join(strike, strike.c.strike_id == strike_notice.c.strike_id)
        .where(strike_notice.c.notice_id == notice_id)
    )
