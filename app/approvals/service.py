"""Four eyes: what one person may not do alone is requested by one, approved by another, and done once.

A capability registers its kinds with a function that says what a request is about; the act itself uses the approval up
in its own transaction. The two, operators or API keys, must be two persons, as far as can be known: ``app.api.lineage``
judges that at the moment of the approval. To reject is open to everybody but the one who asked, since it opens nothing.

At most one approval of a kind and subject is open at a time, so that a repeated request and the act mean the same one.
Time rules over what was recorded: an approval never holds after its end, even if the sweep has not come round yet.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, and_, func, insert, or_, select, update

from app.api.lineage import Lines
from app.api.operator_id import is_operator
from app.api.persons import names_of
from app.api.problems import Problem, invalid_field
from app.api.roles import Roles, role_words
from app.api.wire import rfc3339
from app.approvals.messages import (
    KIND_ROLES,
    Approval,
    ApprovalBody,
    ApprovalKind,
    ApprovalListQuery,
    ApprovalPage,
    ApprovalState,
)
from app.approvals.tables import approval
from app.delivery.alarms import AlarmBook
from app.delivery.events import Held
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.tables import json_text
from app.store.writer import ACCEPTED, DENIED, ActOutcome, Transaction

REQUEST = "approvals.request"
APPROVE = "approvals.approve"
REJECT = "approvals.reject"
USE = "approvals.use"
EXPIRE = "approvals.expire"
ALARM = "approval.requested"
LISTING = "approvals"
ERASED = "(erased)"
"""Stands in place of a reason that was erased."""

ABOUT_CARDS: tuple[ApprovalKind, ...] = ("reissue", "pin_reset")
OPEN: tuple[ApprovalState, ...] = ("PENDING", "APPROVED")
_WHY: dict[ApprovalState, str] = {
    "PENDING": "is not approved yet; another person must approve it first",
    "APPROVED": "is approved already",
    "USED": "was used; it holds once",
    "REJECTED": "was rejected; ask again",
    "EXPIRED": "has expired; ask again",
}


@dataclass(frozen=True)
class ApprovalSubject:
    """What a request is about. ``subject_id`` is equal for the same thing; ``node_id`` None: not about a single node;
    ``words`` say for people what is asked."""

    subject_id: str
    node_id: str | None
    card_guid: str | None
    words: str


SubjectOf = Callable[[Connection, Sequence[str]], ApprovalSubject]
"""From the subjects of a request, at least one and each once. Raises the ``Problem`` that makes a request senseless:
404 for what is not there, 409 for what cannot be done, 422 for what is no such subject."""


@dataclass(frozen=True)
class _Kind:
    subject: SubjectOf
    most: int
    ttl_us: int


class Approvals:
    """The approvals of a site. Kinds are added before start; ``ttl_s``: seconds from the request to the end,
    where a kind says nothing else. ``lines``: reads the lines of the keys."""

    def __init__(
        self,
        store: Store,
        cursors: Cursors,
        alarms: AlarmBook,
        *,
        ttl_s: float,
        lines: Callable[[Connection], Lines] = Lines,
    ) -> None:
        self._store = store
        self._cursors = cursors
        self._alarms = alarms
        self._ttl_s = ttl_s
        self._lines = lines
        self._kinds: dict[ApprovalKind, _Kind] = {}

    def add_kind(self, kind: ApprovalKind, subject: SubjectOf, *, most: int = 1, ttl_s: float | None = None) -> None:
        """Lets ``kind`` be asked for, about at most ``most`` subjects at a time. Before start only."""
        self._kinds[kind] = _Kind(subject, most, int((self._ttl_s if ttl_s is None else ttl_s) * 1_000_000))

    # --- the calls ---

    async def request(
        self, body: ApprovalBody, *, actor: str, request_id: str | None = None, roles: Roles | None = None
    ) -> tuple[Approval, bool]:
        """Asks for a second person; gives the approval and whether it was made now. An approval that is open already is
        given back. 400: subjects and provision_id differ; 403: not for an operator of these ``roles`` (None: a key);
        422: no subject, or too many."""
        _require_role(body.kind, roles)
        kind = self._kinds[body.kind]
        subjects = _subjects(body, kind.most)

        def job(tx: Transaction) -> tuple[Approval, bool]:
            subject = kind.subject(tx.connection, subjects)
            known = self._open(tx.connection, body.kind, subject.subject_id)
            if known is not None:
                if tx.now_us < known.expires_us:
                    return self._item(tx.connection, known, tx.now_us, actor), False
                self._expire(tx, known)
            approval_id = f"apr_{secrets.token_hex(8)}"
            tx.connection.execute(
                insert(approval).values(
                    approval_id=approval_id,
                    kind=body.kind,
                    subject=subject.subject_id,
                    subjects=json_text(subjects),
                    node_id=subject.node_id,
                    card_guid=subject.card_guid,
                    reason=body.reason,
                    state="PENDING",
                    requested_by=actor,
                    requested_us=tx.now_us,
                    expires_us=tx.now_us + kind.ttl_us,
                )
            )
            row = self._row(tx.connection, approval_id)
            self._leaf(tx, REQUEST, row, actor, request_id, reason=body.reason)
            other = "person" if is_operator(actor) else "Citadel key"
            words = f"{subject.words}: {actor} asks, another {other} must approve or reject. Reason: {body.reason}"
            self._alarms.raise_alarm(
                tx, ALARM, approval_id, words, node_id=subject.node_id, ref=approval_id, actor=actor
            )
            return self._item(tx.connection, row, tx.now_us, actor), True

        return await self._store.writer.run(job)

    async def approve(
        self, approval_id: str, *, actor: str, request_id: str | None = None, roles: Roles | None = None
    ) -> Approval:
        """Agrees to a pending request. 403: not for an operator of these ``roles`` (None: a key); 404: no such
        approval; 409: the caller is not another person than the one who asked (``Lines.bar``), or it is no longer
        pending."""
        return await self._decide(approval_id, "APPROVED", ("PENDING",), actor, request_id, roles)

    async def reject(
        self, approval_id: str, *, actor: str, request_id: str | None = None, roles: Roles | None = None
    ) -> Approval:
        """Refuses a request, or takes back an approval that is not used yet. 403 as of ``approve``; 404: no such
        approval; 409: it is the caller's own, or over."""
        return await self._decide(approval_id, "REJECTED", OPEN, actor, request_id, roles)

    async def _decide(
        self,
        approval_id: str,
        to: Literal["APPROVED", "REJECTED"],
        within: tuple[ApprovalState, ...],
        actor: str,
        request_id: str | None,
        roles: Roles | None,
    ) -> Approval:
        """Writes the decision of a second person: to state ``to``, from one of ``within``."""
        action, verb = (APPROVE, "approved") if to == "APPROVED" else (REJECT, "rejected")

        def job(tx: Transaction) -> Approval | Problem:
            row = self._row(tx.connection, approval_id)
            _require_role(row.kind, roles)
            state = state_at(row, tx.now_us)
            if state == to and row._mapping[f"{verb}_by"] == actor:
                return self._item(tx.connection, row, tx.now_us, actor)
            bar = self._lines(tx.connection).bar(row.requested_by, actor, row.requested_us)
            if bar is not None and (to == "APPROVED" or row.requested_by == actor):
                # Returned, not raised, so that its leaf stays.
                self._leaf(tx, action, row, actor, request_id, outcome=DENIED)
                return Problem("state_conflict", bar)
            if state not in within:
                raise Problem("state_conflict", f"Approval {approval_id} {_WHY[state]}.")
            self._change(tx, row, to, {f"{verb}_by": actor, f"{verb}_us": tx.now_us})
            self._leaf(tx, action, row, actor, request_id)
            self._alarms.clear(tx, ALARM, approval_id, actor=actor)
            return self._item(tx.connection, self._row(tx.connection, approval_id), tx.now_us, actor)

        decided = await self._store.writer.run(job)
        if isinstance(decided, Problem):
            raise decided
        return decided

    def get(self, approval_id: str, now_us: int, *, actor: str) -> Approval:
        """The approval as it is at ``now_us`` for the caller ``actor``; 404 for an unknown one."""
        with self._store.read() as connection:
            return self._item(connection, self._row(connection, approval_id), now_us, actor)

    def page(self, query: ApprovalListQuery, now_us: int, *, actor: str) -> ApprovalPage:
        """Approvals as they are at ``now_us`` for the caller ``actor``, newest first."""
        binding = f"{query.state}|{query.provision_id}".encode()
        wanted = select(approval)
        over = and_(approval.c.state.in_(OPEN), approval.c.expires_us <= now_us)
        if query.state == "EXPIRED":
            wanted = wanted.where(or_(approval.c.state == "EXPIRED", over))
        elif query.state is not None:
            wanted = wanted.where(approval.c.state == query.state, ~over)
        if query.provision_id is not None:
            wanted = wanted.where(approval.c.subject == query.provision_id)
        key = (approval.c.requested_us, approval.c.approval_id)
        with self._store.read() as connection:
            rows, after = self._cursors.page(
                connection, wanted, LISTING, key, limit=query.limit, cursor=query.cursor, query=binding
            )
            lines = self._lines(connection)
            names = names_of(connection, [one for row in rows for one in _actors(row)])
        return ApprovalPage(items=[_item(row, now_us, actor, lines, names) for row in rows], next=after)

    # --- what an act asks ---

    def find_approved(
        self, connection: Connection, kind: ApprovalKind, subject_id: str, now_us: int
    ) -> Row[Any] | None:
        """The approval by which this may be done now, or None."""
        row = self._open(connection, kind, subject_id)
        return row if row is not None and state_at(row, now_us) == "APPROVED" else None

    def subjects(self, connection: Connection, approval_id: str, kind: ApprovalKind) -> list[str]:
        """The subjects that the named approval was requested for. 404: there is none of the id; 409: it is of another
        kind."""
        row = self._row(connection, approval_id)
        if row.kind != kind:
            raise Problem("state_conflict", f"Approval {approval_id} is for something else; ask for one for this.")
        return msgspec.json.decode(row.subjects, type=list[str])

    def require(
        self, connection: Connection, approval_id: str, kind: ApprovalKind, subject_id: str, now_us: int
    ) -> Row[Any]:
        """The named approval, if this may be done by it now. 404: there is none of the id; 409 with the reason why
        not."""
        row = self._row(connection, approval_id)
        if (row.kind, row.subject) != (kind, subject_id):
            raise Problem("state_conflict", f"Approval {approval_id} is for something else; ask for one for this.")
        state = state_at(row, now_us)
        if state != "APPROVED":
            raise Problem("state_conflict", f"Approval {approval_id} {_WHY[state]}.")
        return row

    def use(
        self,
        tx: Transaction,
        approval_id: str,
        kind: ApprovalKind,
        subject_id: str,
        *,
        actor: str,
        request_id: str | None = None,
        forget: bool = False,
    ) -> str:
        """Uses the approval up inside the transaction of the act that it allows; gives the key that approved. Problems
        as of ``require``: of two acts exactly one gets it. ``forget``: erases what it was about."""
        row = self.require(tx.connection, approval_id, kind, subject_id, tx.now_us)
        forgotten = {"subjects": "[]", "reason": ERASED} if forget else {}
        self._change(tx, row, "USED", {"used_by": actor, "used_us": tx.now_us, **forgotten})
        self._leaf(tx, USE, row, actor, request_id, approved_by=row.approved_by)
        return str(row.approved_by)

    # --- what is kept of a person ---

    def held_records(self, connection: Connection, node_id: str) -> Held:
        """As of ``app.delivery.events.PersonRecords``: the reasons of approvals that are over."""
        return Held(connection.scalar(select(func.count()).where(*_over(node_id))) or 0)

    def forget(self, tx: Transaction, node_id: str) -> int:
        """Erases the reasons."""
        return tx.connection.execute(update(approval).where(*_over(node_id)).values(reason=ERASED)).rowcount

    def expire(self, tx: Transaction, limit: int = 200) -> int:
        """Records EXPIRED for at most ``limit`` approvals whose time is over; how many."""
        due = tx.connection.execute(
            select(approval)
            .where(approval.c.state.in_(OPEN), approval.c.expires_us <= tx.now_us)
            .order_by(approval.c.expires_us)
            .limit(limit)
        ).all()
        for row in due:
            self._expire(tx, row)
        return len(due)

    # --- rows ---

    def _expire(self, tx: Transaction, row: Row[Any]) -> None:
        self._change(tx, row, "EXPIRED", {})
        self._leaf(tx, EXPIRE, row, "service", None)
        self._alarms.clear(tx, ALARM, row.approval_id)

    @staticmethod
    def _change(tx: Transaction, row: Row[Any], to: ApprovalState, values: dict[str, object]) -> None:
        of_it = update(approval).where(approval.c.approval_id == row.approval_id)
        tx.connection.execute(of_it.values(state=to, **values))

    @staticmethod
    def _leaf(
        tx: Transaction,
        action: str,
        row: Row[Any],
        actor: str,
        request_id: str | None,
        *,
        outcome: ActOutcome = ACCEPTED,
        **detail: str,
    ) -> None:
        """Writes the audit leaf of one step of the approval in ``row``."""
        about = {"approval_id": row.approval_id, "kind": row.kind, "subject": row.subject}
        tx.audit(
            action,
            actor=actor,
            outcome=outcome,
            node_id=row.node_id,
            request_id=request_id,
            detail={**about, "requested_by": row.requested_by, **detail},
        )

    def _item(self, connection: Connection, row: Row[Any], now_us: int, actor: str) -> Approval:
        return _item(row, now_us, actor, self._lines(connection), names_of(connection, _actors(row)))

    @staticmethod
    def _open(connection: Connection, kind: ApprovalKind, subject_id: str) -> Row[Any] | None:
        of_it = (approval.c.kind == kind, approval.c.subject == subject_id, approval.c.state.in_(OPEN))
        return connection.execute(select(approval).where(*of_it)).one_or_none()

    @staticmethod
    def _row(connection: Connection, approval_id: str) -> Row[Any]:
        row = connection.execute(select(approval).where(approval.c.approval_id == approval_id)).one_or_none()
        if row is None:
            raise Problem("not_found", f"There is no approval {approval_id}; see GET /v1/citadel/uac/approvals.")
        return row


def _over(node_id: str) -> tuple[ColumnElement[bool], ...]:
    return approval.c.node_id == node_id, approval.c.state.not_in(OPEN), approval.c.reason != ERASED


def state_at(row: Row[Any], now_us: int) -> ApprovalState:
    """The state of the approval at ``now_us``."""
    if row.state in OPEN and now_us >= row.expires_us:
        return "EXPIRED"
    state: ApprovalState = next(known for known in get_args(ApprovalState) if known == row.state)
    return state


def _subjects(body: ApprovalBody, most: int) -> list[str]:
    if body.provision_id is not None and body.subjects not in ([], [body.provision_id]):
        raise Problem("parameter_conflict", "Name the provisioning in subjects or in provision_id, not in both.")
    subjects = list(dict.fromkeys(body.subjects or ([] if body.provision_id is None else [body.provision_id])))
    if not 1 <= len(subjects) <= most:
        sentence = "Name what it is about." if not subjects else f"This kind takes at most {most} of them."
        raise invalid_field("/subjects", sentence)
    return subjects


def _require_role(kind: ApprovalKind, roles: Roles | None) -> None:
    """Raises 403 for an operator whose roles are not for this kind; None: a key, which its clearance admitted."""
    if roles is not None and roles.isdisjoint(KIND_ROLES[kind]):
        raise Problem(
            "insufficient_clearance",
            f"This kind of approval is for the role {role_words(KIND_ROLES[kind])}: ask an operator who has it.",
        )


def _actors(row: Row[Any]) -> tuple[str | None, ...]:
    return row.requested_by, row.approved_by, row.rejected_by, row.used_by


def _item(row: Row[Any], now_us: int, actor: str, lines: Lines, names: Mapping[str, str]) -> Approval:
    """What the wire shows of the approval at ``now_us`` to the caller ``actor``; ``names``: of operators."""
    state = state_at(row, now_us)

    def stamp(at_us: int | None) -> str | None:
        return None if at_us is None else rfc3339(at_us)

    return Approval(
        approval_id=row.approval_id,
        kind=row.kind,
        subjects=msgspec.json.decode(row.subjects, type=list[str]) or [row.subject],
        provision_id=row.subject if row.kind in ABOUT_CARDS else None,
        node_id=row.node_id,
        card_guid=row.card_guid,
        reason=row.reason,
        state=state,
        requested_by=row.requested_by,
        requested_at=rfc3339(row.requested_us),
        expires_at=rfc3339(row.expires_us),
        approved_by=row.approved_by,
        approved_at=stamp(row.approved_us),
        rejected_by=row.rejected_by,
        rejected_at=stamp(row.rejected_us),
        used_by=row.used_by,
        used_at=stamp(row.used_us),
        requested_by_name=names.get(row.requested_by),
        approved_by_name=names.get(row.approved_by),
        rejected_by_name=names.get(row.rejected_by),
        used_by_name=names.get(row.used_by),
        yours=row.requested_by == actor,
        barred=lines.bar(row.requested_by, actor, row.requested_us) if state == "PENDING" else None,
    )
