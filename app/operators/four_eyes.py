"""Two kinds of approvals about who may act: a Citadel key that is given out, and an operator."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection

from app.api.keys import Gate
from app.api.operator_id import is_operator_id
from app.api.problems import Problem, invalid_field
from app.approvals.service import Approvals, ApprovalSubject
from app.operators.register import PASSPHRASE, UseApproval, had_two_admins
from app.store.writer import Transaction

_PARTS: Final = (
    re.compile(r"roles=[a-z]+(,[a-z]+)*"),
    re.compile(r"methods=([a-z]+(,[a-z]+)*)?"),
    re.compile(r"(node=[A-Za-z0-9][A-Za-z0-9._:-]{2,63})?"),
    re.compile(r"(subject=[0-9a-f]{64})?"),
)


def add_kinds(approvals: Approvals) -> None:
    """Lets both kinds be asked for. Before start only."""
    approvals.add_kind("citadel_key", _key_subject)
    approvals.add_kind("operator", operator_subject, most=5)


def citadel_gate(approvals: Approvals) -> Gate:
    """Who is asked before a Citadel key is given out: once the site has had two administrators, an approval."""

    def gate(
        tx: Transaction, subject: str, approval_id: str | None, *, actor: str, request_id: str | None
    ) -> str | None:
        if approval_id is not None:
            return approvals.use(tx, approval_id, "citadel_key", subject, actor=actor, request_id=request_id)
        if had_two_admins(tx.connection):
            raise Problem(
                "state_conflict",
                "This site has had two administrators: have another person approve the Citadel key (kind citadel_key), "
                "then name the approval_id.",
                extra={"approval_kind": "citadel_key", "approval_subjects": [subject]},
            )
        return None

    return gate


def approval_user(approvals: Approvals) -> UseApproval:
    """How the register of operators uses an approval up."""

    def use(tx: Transaction, approval_id: str, subject: str, actor: str, request_id: str | None) -> str:
        return approvals.use(tx, approval_id, "operator", subject, actor=actor, request_id=request_id)

    return use


def _key_subject(connection: Connection, subjects: Sequence[str]) -> ApprovalSubject:
    del connection
    return ApprovalSubject(subjects[0], None, None, f"A Citadel key is to be given out ({subjects[0]})")


def operator_subject(connection: Connection, subjects: Sequence[str]) -> ApprovalSubject:
    """What an approval of the kind ``operator`` is about (``register.subjects_of``). 422 for other subjects, or another
    order of them: an approval holds for one operator as it was shown to the second person."""
    del connection
    operator_id, *said = subjects
    if not is_operator_id(operator_id) or not said:
        raise invalid_field("/subjects", "Name the operator_id, then what the operator shall be, or passphrase.")
    if said == [PASSPHRASE]:
        return ApprovalSubject(f"{operator_id} {PASSPHRASE}", None, None, f"Operator {operator_id} gets a passphrase")
    left = list(said)
    for part in _PARTS:
        if left and part.fullmatch(left[0]):
            left.pop(0)
        elif part.fullmatch("") is None:
            raise invalid_field("/subjects", "Name roles=, then methods=, then node= and subject= where there is one.")
    if left:
        raise invalid_field("/subjects", "Name roles=, then methods=, then node= and subject= where there is one.")
    nodes = [one.removeprefix("node=") for one in said if one.startswith("node=")]
    what = ", ".join(one for one in said if not one.startswith("subject="))
    return ApprovalSubject(" ".join(subjects), nodes[0] if nodes else None, None, f"Operator {operator_id}: {what}")
