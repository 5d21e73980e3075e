"""The registry kind ``operators``: who may sit at the desk, with which roles, and how each is recognized.

An operator is never deleted, since leaves name it: DELETE ends it. What changes the way an operator is recognized
(node, methods, subject, passphrase) or makes an administrator is written down with the hand that did it
(``operator_hand``), and needs a second person where it concerns an administrator of a site that has had two.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

import msgspec
from sqlalchemy import Connection, Row, Table, delete, func, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from app.api.lineage import Lines
from app.api.operator_id import is_operator_id
from app.api.problems import Problem, invalid_field
from app.api.roles import Role, Roles
from app.api.tables import operator, operator_hand, operator_passphrase
from app.api.wire import rfc3339
from app.delivery.events import Held
from app.operators.messages import Operator, OperatorBody, SignInMethod
from app.registry.crud import RegistryKind, fold
from app.registry.messages.shared import Deleted
from app.registry.nodes import Nodes
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.tables import json_text
from app.store.writer import Transaction

COMMAND_LINE: Final = "command-line"
TRAINING: Final = "training"
_NO_HANDS: Final = frozenset({COMMAND_LINE, TRAINING})
"""Actors of what the command line and the training site's first start do: no hand, and no call is ever theirs."""
PASSPHRASE_SET: Final = "operators.passphrase_set"  # noqa: S105 -- an action of the log
PASSPHRASE: Final = "passphrase"  # noqa: S105 -- a word of an approval's subjects
ERASED: Final = "(erased)"
_PURPOSE: Final = "operator"

UseApproval = Callable[[Transaction, str, str, str, str | None], str]
"""Uses up the approval with this id of the kind ``operator`` for this subject, for the actor and request; gives who
approved. ``Problem`` 404 or 409."""


class OperatorRegister(RegistryKind[OperatorBody, Operator]):
    """The kind ``operators``."""

    word: ClassVar[str] = "operator"
    capability: ClassVar[str] = "operators"
    table: ClassVar[Table] = operator

    def __init__(self, store: Store, cursors: Cursors, nodes: Nodes, use_approval: UseApproval) -> None:
        super().__init__(store, cursors)
        self._nodes = nodes
        self._use_approval = use_approval

    # --- what a kind says ---

    def name_of(self, body: OperatorBody) -> str:
        return body.display_name

    def check(self, item_id: str, body: OperatorBody) -> None:
        if not is_operator_id(item_id):
            raise invalid_field("", "The identifier in the path is op_ and 16 hexadecimal digits, drawn by chance.")
        for pointer, words in (("/roles", body.roles), ("/methods", body.methods)):
            if len(set(words)) != len(words):
                raise invalid_field(pointer, "Name each of them once.")
        if "card" in body.methods and body.node_id is None:
            raise invalid_field("/node_id", "An operator who signs in by card is a registered person: name the node.")
        if ("oidc" in body.methods) != (body.subject is not None):
            raise invalid_field("/subject", "An operator has a subject exactly where it signs in by the method oidc.")

    def values(self, body: OperatorBody) -> dict[str, Any]:
        return {
            "display_name": body.display_name,
            "node_id": body.node_id,
            "roles": json_text(_in_order(body.roles)),
            "methods": json_text(sorted(body.methods)),
            "subject": body.subject,
            "state": body.state,
            "tags": json_text(body.tags),
        }

    def decisions(self, body: OperatorBody) -> dict[str, object]:
        return {
            "node_id": body.node_id,
            "roles": [role.value for role in _in_order(body.roles)],
            "methods": sorted(body.methods),
            "state": body.state,
        }

    def check_in(self, tx: Transaction, item_id: str, body: OperatorBody) -> None:
        if body.node_id is not None and not self.is_person(tx, body.node_id):
            raise invalid_field("/node_id", f"No node {body.node_id} is registered.")
        if body.subject is not None:
            other = tx.connection.scalar(
                select(operator.c.operator_id).where(
                    operator.c.subject == body.subject, operator.c.operator_id != item_id
                )
            )
            if other is not None:
                raise Problem("state_conflict", f"{other} has this subject; each operator has its own.")

    def put_in(
        self, tx: Transaction, item_id: str, body: OperatorBody, actor: str, request_id: str | None = None
    ) -> tuple[Operator, bool]:
        before = self.row(tx.connection, item_id)
        alone = self._answer_for(tx, item_id, body, before, actor, request_id)
        item, made = super().put_in(tx, item_id, body, actor, request_id)
        if alone:
            _add_hand(tx, item_id, actor)
        if Role.ADMIN in body.roles:
            first = update(operator).where(operator.c.operator_id == item_id, operator.c.admin_us.is_(None))
            tx.connection.execute(first.values(admin_us=tx.now_us))
        return msgspec.structs.replace(item, line=_line(Lines(tx.connection), item_id)), made

    def delete_in(self, tx: Transaction, item_id: str, actor: str, request_id: str | None = None) -> Deleted:
        """Ends the operator. The row stays: leaves name it, and lines go through it."""
        existing = self.row(tx.connection, item_id)
        if existing is None:
            raise self.missing(item_id)
        if existing.state != "ended":
            tx.connection.execute(
                update(operator).where(operator.c.operator_id == item_id).values(state="ended", changed_us=tx.now_us)
            )
            self._leaf(tx, "delete", item_id, actor, request_id, {}, existing)
        return Deleted(id=item_id, deleted_at=rfc3339(tx.now_us))

    def items(self, connection: Connection, rows: Sequence[Row[Any]], now_us: int) -> list[Operator]:
        del now_us
        lines = Lines(connection)
        ids = [row.operator_id for row in rows]
        since = select(operator_passphrase.c.operator_id, operator_passphrase.c.set_us)
        passphrases = {
            row.operator_id: row.set_us
            for row in connection.execute(since.where(operator_passphrase.c.operator_id.in_(ids)))
        }
        return [
            Operator(
                operator_id=row.operator_id,
                display_name=row.display_name,
                node_id=row.node_id,
                roles=msgspec.json.decode(row.roles, type=list[Role]),
                methods=msgspec.json.decode(row.methods, type=list[SignInMethod]),
                subject=row.subject,
                state=row.state,
                passphrase_set_at=rfc3339(passphrases[row.operator_id]) if row.operator_id in passphrases else None,
                line=_line(lines, row.operator_id),
                tags=msgspec.json.decode(row.tags, type=list[str]),
                created_at=rfc3339(row.created_us),
                changed_at=rfc3339(row.changed_us),
            )
            for row in rows
        ]

    # --- four eyes ---

    def _answer_for(
        self,
        tx: Transaction,
        item_id: str,
        body: OperatorBody,
        before: Row[Any] | None,
        actor: str,
        request_id: str | None,
    ) -> bool:
        """Whether ``actor`` alone answers for a change of who can act as this operator, or as an administrator. False
        as well for a change that is none of these."""
        values = self.values(body)
        recognized = before is None or any(
            before._mapping[name] != values[name] for name in ("node_id", "methods", "subject")
        )
        revived = before is not None and before.state == "ended" and body.state == "active"
        raised = Role.ADMIN in body.roles and (before is None or Role.ADMIN not in roles_of(before))
        if not (recognized or revived or raised):
            return False
        is_admin = Role.ADMIN in body.roles or (before is not None and before.admin_us is not None)
        subject = " ".join(subjects_of(item_id, body))
        # Who one is, nobody says alone of oneself; how one signs in, everybody does.
        own = actor == item_id and before is not None and before.node_id == values["node_id"]
        return not own and self._answer(tx, subject, body.approval_id, actor, request_id, is_admin=is_admin)

    def _answer(
        self,
        tx: Transaction,
        subject: str,
        approval_id: str | None,
        actor: str,
        request_id: str | None,
        *,
        is_admin: bool,
    ) -> bool:
        """As ``_answer_for``: uses the approval of a second person up where there is one, and refuses where there must
        be one."""
        if approval_id is not None:
            self._use_approval(tx, approval_id, subject, actor, request_id)
            return False
        if actor in _NO_HANDS:
            return False
        if is_admin and had_two_admins(tx.connection):
            raise Problem(
                "state_conflict",
                "This site has had two administrators: have another person approve this (kind operator), then name the "
                "approval_id.",
                extra={"approval_kind": "operator", "approval_subjects": subject.split(" ")},
            )
        return True

    # --- passphrases ---

    def set_passphrase(
        self,
        tx: Transaction,
        operator_id: str,
        verifier: bytes,
        *,
        actor: str,
        approval_id: str | None = None,
        request_id: str | None = None,
    ) -> str:
        """Keeps ``verifier`` (``passphrases.py``) for the operator; since when, as RFC 3339. 404: no such operator;
        409: a second person must approve it."""
        row = self.row(tx.connection, operator_id)
        if row is None:
            raise self.missing(operator_id)
        subject = f"{operator_id} {PASSPHRASE}"
        is_admin = row.admin_us is not None
        own = actor == operator_id
        if not own and self._answer(tx, subject, approval_id, actor, request_id, is_admin=is_admin):
            _add_hand(tx, operator_id, actor)
        sealed = self.store.sealer.seal(_PURPOSE, verifier, _context(operator_id))
        add = upsert(operator_passphrase).values(operator_id=operator_id, sealed=sealed, set_us=tx.now_us)
        tx.connection.execute(
            add.on_conflict_do_update(
                index_elements=[operator_passphrase.c.operator_id],
                set_={"sealed": add.excluded.sealed, "set_us": add.excluded.set_us},
            )
        )
        tx.audit(PASSPHRASE_SET, actor=actor, request_id=request_id, detail={"id": operator_id})
        return rfc3339(tx.now_us)

    def verifier(self, connection: Connection, operator_id: str) -> bytes | None:
        """What the operator's passphrase is compared with; None: there is none."""
        sealed = connection.scalar(
            select(operator_passphrase.c.sealed).where(operator_passphrase.c.operator_id == operator_id)
        )
        if sealed is None:
            return None
        return self.store.sealer.open(_PURPOSE, bytes(sealed), _context(operator_id))

    # --- what others ask ---

    def is_person(self, tx: Transaction, node_id: str) -> bool:
        """Whether an operator can be tied to this node."""
        return self._nodes.find(tx.connection, node_id, tx.now_us) is not None

    def by_subject(self, connection: Connection, subject: str) -> Row[Any] | None:
        """The operator with this subject of the OpenID provider, or None."""
        return connection.execute(select(operator).where(operator.c.subject == subject)).one_or_none()

    def by_node(self, connection: Connection, node_id: str) -> Sequence[Row[Any]]:
        """The active operators who are this person, by rising id."""
        mine = select(operator).where(operator.c.node_id == node_id, operator.c.state == "active")
        return connection.execute(mine.order_by(operator.c.operator_id)).all()


def roles_of(row: Row[Any]) -> Roles:
    """The roles in a row of ``operator``."""
    return frozenset(msgspec.json.decode(row.roles, type=list[Role]))


def methods_of(row: Row[Any]) -> list[SignInMethod]:
    """How the operator of a row may sign in."""
    return msgspec.json.decode(row.methods, type=list[SignInMethod])


def had_two_admins(connection: Connection) -> bool:
    """Whether two operators have been administrators: what was two persons' to do stays so, also when one has left."""
    ever = select(func.count()).select_from(operator).where(operator.c.admin_us.is_not(None))
    return (connection.scalar(ever) or 0) >= 2


def subjects_of(operator_id: str, body: OperatorBody) -> list[str]:
    """What an approval of the kind ``operator`` names, so that it is for exactly this operator."""
    found = [
        operator_id,
        "roles=" + ",".join(role.value for role in _in_order(body.roles)),
        "methods=" + ",".join(sorted(body.methods)),
    ]
    if body.node_id is not None:
        found.append(f"node={body.node_id}")
    if body.subject is not None:
        # A subject may be longer than an approval's, and hold blanks.
        found.append(f"subject={hashlib.sha256(body.subject.encode()).hexdigest()}")
    return found


def _in_order(roles: Sequence[Role]) -> list[Role]:
    return [role for role in Role if role in roles]


def _line(lines: Lines, operator_id: str) -> list[str]:
    return sorted(lines.of(operator_id) - {operator_id})


def _add_hand(tx: Transaction, operator_id: str, actor: str) -> None:
    add = upsert(operator_hand).values(operator_id=operator_id, hand=actor, since_us=tx.now_us)
    tx.connection.execute(add.on_conflict_do_nothing())


def _context(operator_id: str) -> bytes:
    return b"operator_passphrase.sealed|" + operator_id.encode("ascii")


class OperatorRecords:
    """What is kept of a person who is an operator: the name, and how it was recognized. Implements
    ``app.delivery.events.PersonRecords``."""

    def held_records(self, connection: Connection, node_id: str) -> Held:
        """What an erasure of this node would do."""
        mine = (operator.c.node_id == node_id, operator.c.display_name != ERASED)
        count = connection.scalar(select(func.count()).select_from(operator).where(*mine)) or 0
        return Held(count, ["that an operator of this site was this node, with which roles"] if count else ())

    def forget(self, tx: Transaction, node_id: str) -> int:
        """Takes name, subject and passphrase of every operator who was this person, and ends the operator."""
        mine = (operator.c.node_id == node_id, operator.c.display_name != ERASED)
        ids = tx.connection.scalars(select(operator.c.operator_id).where(*mine)).all()
        tx.connection.execute(delete(operator_passphrase).where(operator_passphrase.c.operator_id.in_(ids)))
        for operator_id in ids:
            tx.connection.execute(
                update(operator)
                .where(operator.c.operator_id == operator_id)
                .values(display_name=ERASED, subject=None, state="ended", search=fold(f"{operator_id}\n{ERASED}"))
            )
        return len(ids)
