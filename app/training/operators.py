"""Who sits at the training site's desk: an operator for each role, each a training person with a card.

Their passphrase is known to everybody who reads this: it opens a training site alone. Each has a line of its own, so
that four eyes can be tried; one of them is an administrator, as on a site that has just begun.
"""

from __future__ import annotations

import hashlib
from typing import Final

from sqlalchemy import func, select

from app.api.operator_id import OPERATOR_PREFIX
from app.api.roles import Role
from app.api.tables import operator
from app.operators.messages import OperatorBody
from app.operators.passphrases import make_verifier
from app.operators.register import TRAINING, OperatorRegister
from app.store.engine import Store
from app.store.writer import Transaction
from app.training.messages import PASSPHRASE, TRAINING_TAG

OPERATORS: Final = (
    ("Training desk", Role.DESK, "ARC-T0009"),
    ("Training badge office", Role.BADGE, "ARC-T0010"),
    ("Training manager", Role.MANAGER, "ARC-T0011"),
    ("Training auditor", Role.AUDITOR, "ARC-T0012"),
    ("Training administrator", Role.ADMIN, "ARC-T0013"),
)
"""Name, role and person of each."""


def training_operator_id(name: str) -> str:
    """The id of a training operator: the same on every training site."""
    return f"{OPERATOR_PREFIX}{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def add_operators(store: Store, register: OperatorRegister) -> None:
    """Registers them in one transaction, if the site has no operator. After its persons are registered."""

    def is_empty(tx: Transaction) -> bool:
        return not tx.connection.scalar(select(func.count()).select_from(operator))

    # Scrypt takes a tenth of a second: not inside a job, and once for all of them.
    if not store.writer.submit(is_empty).result():
        return
    verifier = make_verifier(memoryview(PASSPHRASE.encode()))

    def job(tx: Transaction) -> None:
        if not is_empty(tx):
            return
        for name, role, node_id in OPERATORS:
            person = node_id if register.is_person(tx, node_id) else None
            body = OperatorBody(
                display_name=name,
                node_id=person,
                roles=[role],
                methods=["passphrase"] if person is None else ["card", "passphrase"],
                tags=[TRAINING_TAG],
            )
            operator_id = training_operator_id(name)
            register.put_in(tx, operator_id, body, TRAINING)
            register.set_passphrase(tx, operator_id, verifier, actor=TRAINING)

    store.writer.submit(job).result()
