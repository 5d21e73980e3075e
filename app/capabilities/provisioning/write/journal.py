"""The write-ahead journal of one personalization: each changing step is durable before it is sent to the card.

It also decides how a torn card is opened: it says which of the card's secrets were set, and which may have been.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import takewhile
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, insert, select, update

from app.capabilities.provisioning.issuer import card_certificates as certificates
from app.capabilities.provisioning.issuer.card_certificates import IssuedCertificate
from app.capabilities.provisioning.tables import provision, provision_step
from app.store.engine import Store
from app.store.writer import Transaction
from hardware.cards.reference_data import TOO_SIMPLE
from hardware.cards.steps import BLOCKED, DRAWS, RESTORE_KEY, draw_names, draw_of

DONE = 0x9000
SecretStep = Literal["pin", "puk", "management_key"]
Guard = Callable[[Transaction], object]
"""Raises an exception if the next step must not be sent."""


class StepJournal:
    """Implements ``hardware.cards.steps.Journal``. Used on one card thread; ``before`` blocks for one fsync.

    ``before`` raises ``StoreUnavailable`` when the step could not be recorded, and every error that ``guard`` raises
    inside the step's own transaction; either stops the personalization before the step is sent.
    """

    def __init__(self, store: Store, provision_id: str, node_id: str, attempt: int, guard: Guard) -> None:
        self._store = store
        self._provision_id = provision_id
        self._node_id = node_id
        self._attempt = attempt
        self._guard = guard
        self._n = 0
        self._outcome: tuple[int, bytes | None] | None = None
        self._issued: list[IssuedCertificate] = []

    @property
    def announced(self) -> bool:
        """Whether any step was recorded: before that nothing was sent that changes the card."""
        return self._n > 0

    def add_certificate(self, issued: IssuedCertificate) -> None:
        """Adds a certificate to be recorded with the next step: none is ever on a card without its row here."""
        self._issued.append(issued)

    def before(self, step: str, digest: bytes | None) -> None:
        """Writes the outcome of the last step together with the announcement of this one: one fsync for each step."""
        n, outcome, issued = self._n + 1, self._outcome, tuple(self._issued)

        def job(tx: Transaction) -> None:
            self._guard(tx)
            self._settle(tx, outcome)
            certificates.record(tx, self._provision_id, self._node_id, issued)
            tx.connection.execute(
                insert(provision_step).values(
                    provision_id=self._provision_id,
                    attempt=self._attempt,
                    n=n,
                    step=step,
                    digest=digest,
                    at_us=tx.now_us,
                )
            )

        self._store.writer.submit(job).result()
        self._n, self._outcome = n, None
        self._issued.clear()

    def after(self, step: str, sw: int, digest: bytes | None) -> None:
        """Keeps the outcome for the next row; a crash before that leaves the step in doubt."""
        del step
        self._outcome = (sw, digest)

    def settle(self, tx: Transaction) -> None:
        """Writes the last step's outcome in the transaction that ends the personalization."""
        self._settle(tx, self._outcome)

    def _settle(self, tx: Transaction, outcome: tuple[int, bytes | None] | None) -> None:
        """Writes the outcome (status word, digest) into the row of the last step."""
        if outcome is None or self._n == 0:
            return
        sw, digest = outcome
        values: dict[str, object] = {"sw": sw}
        if digest is not None:
            values["digest"] = digest
        tx.connection.execute(
            update(provision_step)
            .where(
                provision_step.c.provision_id == self._provision_id,
                provision_step.c.attempt == self._attempt,
                provision_step.c.n == self._n,
            )
            .values(**values)
        )


class AcknowledgedSteps:
    """Implements ``hardware.cards.steps.Resume``: what earlier attempts did, for each step whose last answer is 9000. A
    step whose answer was lost counts as not done."""

    def __init__(self, connection: Connection, provision_id: str) -> None:
        rows = connection.execute(
            select(provision_step.c.step, provision_step.c.sw, provision_step.c.digest)
            .where(provision_step.c.provision_id == provision_id)
            .order_by(provision_step.c.attempt, provision_step.c.n)
        )
        self._last = {row.step: row.digest if row.sw == DONE else None for row in rows}

    def content(self, step: str) -> bytes | None:
        """SHA-256 of the written content, or of the generated public key."""
        return self._last.get(step)


def chuid_was_acknowledged(connection: Connection, provision_id: str) -> bool:
    """Whether the card of this provisioning acknowledged its CHUID: the GUID that it came with is no name of it any
    more."""
    return _any_step(connection, provision_id, provision_step.c.step == "chuid", provision_step.c.sw == DONE)


def was_acknowledged(connection: Connection, provision_id: str) -> bool:
    """Whether a card acknowledged any changing step of this provisioning, so that a card belongs to it."""
    return _any_step(connection, provision_id, provision_step.c.sw == DONE)


def puk_mark(holder: uuid.UUID | None, draw: int = 1) -> bytes:
    """The mark of a PUK try in the journal: whose PUK was tried, and which draw of it; ``None``: the published one."""
    later = b"" if draw == 1 else bytes((draw,))
    return sha256(b"" if holder is None else holder.bytes + later).digest()


PIN_MARK_BYTES = 16
"""Length of the mark of a PIN in the journal; marks of PUKs have another one."""


@dataclass(frozen=True)
class PukTries:
    """What the journal knows of a card's PUK. ``known``: a PUK opened it once. ``spent``: for the PUK of each mark, how
    many tries it may have lost at worst if it is the card's own; marks that lost none are left out. ``refused``:
    marks of PUKs that the card refused, and that were not set since. ``left``: the tries that the card told last,
    less those whose answer was lost; None where it told none since a PUK opened it."""

    known: bool
    spent: Mapping[bytes, int]
    refused: frozenset[bytes]
    left: int | None


def puk_tries(connection: Connection, provision_ids: Collection[str]) -> PukTries:
    """The PUK tries of the card that has these provisionings.

    A try whose answer was lost counts against every other PUK. A change that may have been executed resets the count.
    """
    rows = _secret_tries(connection, provision_ids, ("pin", "puk"))
    rows = [row for row in rows if row.digest is not None and len(row.digest) != PIN_MARK_BYTES]
    spent: dict[bytes, int] = {row.digest: 0 for row in rows}
    # PUKs that cannot be the card's; each draw of a record is among them until a change to it was sent.
    wrong = {puk_mark(uuid.UUID(row.card_guid), draw) for row in rows for draw in range(1, DRAWS + 1)}
    refused: set[bytes] = set()
    left: int | None = None
    for row in rows:
        draw = draw_of(row.step, "puk")
        new = None if draw is None else puk_mark(uuid.UUID(row.card_guid), draw)
        if row.sw == DONE:
            holds = row.digest if new is None else new
            spent, wrong, left = dict.fromkeys(spent, 0), spent.keys() - {holds}, None
            refused -= {holds}
            continue
        if row.sw == BLOCKED:
            left = 0
        if row.sw is not None and row.sw >> 8 != 0x63:
            continue
        for mark in spent.keys() - {row.digest} - wrong:
            spent[mark] += 1
        if row.sw is not None:
            wrong, left = wrong | {row.digest}, row.sw & 0xF if row.sw & 0xC0 else left
            refused.add(row.digest)
            continue
        left = None if left is None else max(0, left - 1)
        if new is not None:
            refused.discard(new)
        if new is not None and new in wrong:
            wrong = wrong - {new}
            spent[new] = 0
    known = any(row.sw == DONE for row in rows)
    costly = {mark: count for mark, count in spent.items() if count and mark not in wrong}
    return PukTries(known, costly, frozenset(refused), left)


def refused_pins(connection: Connection, provision_ids: Collection[str]) -> set[bytes]:
    """Marks of the PINs that the card of these provisionings refused since one opened it: only a card that has no RESET
    RETRY COUNTER is asked for its old PIN."""
    refused: set[bytes] = set()
    for row in _secret_tries(connection, provision_ids, ("pin",)):
        if row.sw == DONE:
            refused.clear()
        elif row.sw is not None and row.sw >> 8 == 0x63 and len(row.digest or b"") == PIN_MARK_BYTES:
            refused.add(row.digest)
    return refused


def _secret_tries(
    connection: Connection, provision_ids: Collection[str], steps: Sequence[SecretStep]
) -> Sequence[Row[Any, Any, Any, Any]]:
    """Every row of these steps in the order in which they were sent."""
    return connection.execute(
        select(provision_step.c.step, provision_step.c.sw, provision_step.c.digest, provision.c.card_guid)
        .join(provision, provision.c.provision_id == provision_step.c.provision_id)
        .where(
            provision_step.c.provision_id.in_(list(provision_ids)),
            provision_step.c.step.in_([name for step in steps for name in draw_names(step)]),
        )
        .order_by(provision_step.c.at_us, provision.c.started_us, provision_step.c.attempt, provision_step.c.n)
    ).all()


def next_draw(connection: Connection, provision_id: str, step: SecretStep) -> tuple[int, bool]:
    """The draw of a PIN or PUK that the card of this provisioning is sent next, and whether it acknowledged that one:
    the draw that was sent last; the one behind it where the card refused that as too simple."""
    sent = connection.execute(
        select(provision_step.c.step, provision_step.c.sw)
        .where(provision_step.c.provision_id == provision_id, provision_step.c.step.in_(draw_names(step)))
        .order_by(provision_step.c.attempt.desc(), provision_step.c.n.desc())
        .limit(1)
    ).one_or_none()
    draw = 1 if sent is None else draw_of(sent.step, step)
    if sent is None or draw is None:
        return 1, False
    return (draw % DRAWS + 1, False) if sent.sw in TOO_SIMPLE else (draw, sent.sw == DONE)


def secret_holders(connection: Connection, guid: uuid.UUID | None, step: SecretStep) -> Sequence[uuid.UUID | None]:
    """The GUIDs of ``secret_draws``, each once."""
    draws = secret_draws(connection, guid, step)
    return list(dict.fromkeys(None if one is None else one[0] for one in draws))


def secret_draws(
    connection: Connection, guid: uuid.UUID | None, step: SecretStep
) -> Sequence[tuple[uuid.UUID, int] | None]:
    """Whose secret may be on the card that is being written as ``guid``, and of which draw, likeliest first: the GUIDs
    from which secrets are derived, and last ``None`` for the factory's (the card may have been reset elsewhere).

    A card that is written again keeps its former secrets until their step, so the chain of ``former_guid`` is followed
    to the first secret that is certain.
    """
    found: dict[tuple[uuid.UUID, int], None] = {}
    seen: set[uuid.UUID] = set()
    while guid is not None and guid not in seen:
        seen.add(guid)
        rows = connection.execute(select(provision).where(provision.c.card_guid == str(guid))).all()
        if not rows:
            break
        sent = _since_restored(connection, rows, step)
        steps = [(draw, one.sw) for one in sent if (draw := draw_of(one.step, step)) is not None]
        done = next((at for at, (_, sw) in enumerate(steps) if sw == DONE), None)
        # What was sent before the last acknowledged one is not on the card any more.
        for draw, sw in steps if done is None else steps[: done + 1]:
            if sw in (DONE, None):
                found[guid, draw] = None
        # A restoration whose answer was lost leaves open which of the two keys is on the card.
        if done is not None and not any(one.step == RESTORE_KEY and one.sw is None for one in sent):
            break
        former = next((row.former_guid for row in rows if row.former_guid is not None), None)
        guid = None if former is None else uuid.UUID(former)
    return [*found, None]


def _since_restored(connection: Connection, rows: Sequence[Row[Any]], step: SecretStep) -> Sequence[Row[Any, Any]]:
    """The changes of this secret, newest first, in these records of one GUID, without those that were undone: only a
    management key is ever put back."""
    wanted = (step, RESTORE_KEY) if step == "management_key" else draw_names(step)
    sent = connection.execute(
        select(provision_step.c.step, provision_step.c.sw)
        .where(provision_step.c.provision_id.in_([row.provision_id for row in rows]), provision_step.c.step.in_(wanted))
        .order_by(provision_step.c.attempt.desc(), provision_step.c.n.desc())
    ).all()
    return list(takewhile(lambda one: (one.step, one.sw) != (RESTORE_KEY, DONE), sent))


def management_key_was_sent(connection: Connection, provision_id: str) -> bool:
    """Whether the card of this provisioning may hold the management key that is derived from its GUID."""
    return _any_step(connection, provision_id, provision_step.c.step == "management_key")


def key_was_restored(connection: Connection, provision_ids: Collection[str]) -> bool:
    """Whether a card of these provisionings may have its old management key back."""
    return any(_any_step(connection, one, provision_step.c.step == RESTORE_KEY) for one in provision_ids)


def _any_step(connection: Connection, provision_id: str, *where: ColumnElement[bool]) -> bool:
    found = select(provision_step.c.n).where(provision_step.c.provision_id == provision_id, *where).limit(1)
    return connection.execute(found).one_or_none() is not None
