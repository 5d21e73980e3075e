"""What terminals may have: rows of the bundles that were handed to them, until a terminal says which one it took.

A fetched bundle proves nothing (``hardware.terminals.bundle_ack``). So the row of a bundle stays until the device that
it was sealed to acknowledges a later one; that device then has none of the earlier ones any more. A device that took
the place of another under the same name, with a key of its own, says nothing for the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, bindparam, delete, func, insert, select, update

from app.biometrics.tables import terminal_bundle
from app.registry.denyset import first_number
from app.registry.jwk import public_key
from app.registry.messages.jwk import EncryptionJwk
from app.registry.tables import access_epoch, terminal
from app.store.writer import Transaction
from hardware.terminals.bundle import thumbprint

UNACKNOWLEDGED: Final = 16
"""How many of a device's last bundles can be acknowledged; of earlier ones only the ends are kept."""
_DECIDING: Final = (
    # Made once: each burn asks.
    select(terminal_bundle)
    .where(terminal_bundle.c.not_after_us > bindparam("at"))
    .order_by(terminal_bundle.c.terminal_id, terminal_bundle.c.issue)
)


@dataclass(frozen=True, slots=True)
class Handed:
    """A bundle that a terminal may have, or had last. ``sealed_to``: thumbprint of the key that opens it; ``""``: not
    recorded. ``head_sha256``: what an acknowledgement names; None: it cannot be acknowledged. ``key_epoch`` 0: it was
    handed out by entries of the logs that are lost. ``not_after_us``: the terminal decides by it until then; None:
    never. ``taken_us``: when it was acknowledged."""

    terminal_id: str
    issue: int
    sealed_to: str
    head_sha256: bytes | None
    registry_id: str
    key_epoch: int
    access_epoch: int
    nodes: int
    issued_us: int
    not_after_us: int | None
    taken_us: int | None = None

    def decides(self, at_us: int) -> bool:
        """Whether the terminal may let somebody in by this bundle at that time."""
        return self.not_after_us is not None and self.not_after_us > at_us


def handed_to(connection: Connection, terminal_ids: Iterable[str]) -> dict[str, list[Handed]]:
    """The bundles that each of these terminals may have, oldest first."""
    found: dict[str, list[Handed]] = defaultdict(list)
    rows = select(terminal_bundle).where(terminal_bundle.c.terminal_id.in_(list(terminal_ids)))
    for row in connection.execute(rows.order_by(terminal_bundle.c.issue)):
        found[row.terminal_id].append(_from_row(row))
    return found


def deciding(connection: Connection, at_us: int) -> list[Handed]:
    """Every bundle by which somebody may be let in at that time, by terminal, oldest first."""
    return [_from_row(row) for row in connection.execute(_DECIDING, {"at": at_us})]


def last_ends(handed: Iterable[Handed]) -> dict[str, int]:
    """By terminal, until when (Unix microseconds) it may decide by these bundles."""
    found: dict[str, int] = {}
    for one in handed:
        if one.not_after_us is not None:
            found[one.terminal_id] = max(one.not_after_us, found.get(one.terminal_id, 0))
    return found


def record(tx: Transaction, handed: Handed) -> None:
    """Records the bundle as handed out, in a transaction before its text exists."""
    tx.connection.execute(insert(terminal_bundle).values(**asdict(handed)))
    device = (terminal_bundle.c.terminal_id == handed.terminal_id, terminal_bundle.c.sealed_to == handed.sealed_to)
    rows = select(terminal_bundle).where(*device, terminal_bundle.c.taken_us.is_(None))
    open_ = [_from_row(row) for row in tx.connection.execute(rows.order_by(terminal_bundle.c.issue))]
    for one, following in pairwise(open_[: 1 - UNACKNOWLEDGED]):
        # A row that says no more than the next is dropped: a burn must never know of less than its terminal may have.
        same = one.access_epoch == following.access_epoch
        if not one.decides(tx.now_us) or (same and (following.not_after_us or 0) >= (one.not_after_us or 0)):
            tx.connection.execute(delete(terminal_bundle).where(*_key(one)))


def take(tx: Transaction, handed: Handed) -> Handed:
    """Records that the device acknowledged the bundle: it has none of the earlier ones any more."""
    tx.connection.execute(update(terminal_bundle).where(*_key(handed)).values(taken_us=tx.now_us))
    tx.connection.execute(
        delete(terminal_bundle).where(
            terminal_bundle.c.terminal_id == handed.terminal_id,
            terminal_bundle.c.sealed_to == handed.sealed_to,
            terminal_bundle.c.issue < handed.issue,
        )
    )
    return replace(handed, taken_us=tx.now_us)


def begin_generation(tx: Transaction, generation: int, ttl_s: int) -> int:
    """Nobody knows what lost entries gave to the terminals that may decide offline: each of them counts as given a
    bundle at the last moment. Gives how many there are. Call it before the epoch of the new generation is counted."""
    epoch = tx.connection.scalar(select(func.max(access_epoch.c.epoch))) or 0
    rows = select(terminal.c.terminal_id, terminal.c.registry_id, terminal.c.encryption_key)
    found = tx.connection.execute(rows.where(terminal.c.offline == 1, terminal.c.encryption_key.is_not(None))).all()
    for row in found:
        handed = Handed(
            terminal_id=row.terminal_id,
            # Beyond every earlier number, and never the number of a leaf: the log is not empty here.
            issue=first_number(generation),
            sealed_to=sealed_to(msgspec.json.decode(row.encryption_key, type=EncryptionJwk)),
            head_sha256=None,
            registry_id=row.registry_id,
            key_epoch=0,
            access_epoch=epoch,
            nodes=0,
            issued_us=tx.now_us,
            not_after_us=tx.now_us + ttl_s * 1_000_000,
        )
        record(tx, handed)
    return len(found)


def sealed_to(jwk: EncryptionJwk) -> str:
    """The thumbprint (RFC 7638) of the key that bundles are sealed to."""
    return thumbprint(public_key(jwk))


def _from_row(row: Row[Any]) -> Handed:
    return Handed(**row._mapping)


def _key(handed: Handed) -> tuple[ColumnElement[bool], ...]:
    return terminal_bundle.c.terminal_id == handed.terminal_id, terminal_bundle.c.issue == handed.issue
