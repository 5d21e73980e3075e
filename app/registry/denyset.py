"""THE deny set: asked first at every local decision (doors, permits, QR, palm).

In memory it is two dicts. A denial changes them in place under a lock, and every deciding thread reads them without
one: a thread sees each entry whole or not at all. On disk it is rows, written by the same transaction as their cause.
The memory runs ahead of the disk on purpose: a burn denies first and becomes durable second. An entry carries its cause
and leaves only with it.

Invariant: an entry is published by ONE assignment of a finished tuple. Never change a tuple's holder in two steps, or a
deciding thread could see a burned node without its entry.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from sqlalchemy import Connection, bindparam, delete, func, select
from sqlalchemy.dialects.sqlite import insert

from app.registry.profiles import CredentialVault
from app.registry.tables import access_epoch, credential_profile, deny, deny_credential, profile_credential
from app.store.writer import Transaction
from hardware.readers.decision import Credential, DenyEntry
from hardware.terminals.bundle import PER_GENERATION

Cause = Literal["burn", "containment", "brake"]

# Made once: each denial asks and writes these.
_DENY = insert(deny).on_conflict_do_nothing()
_HELD = (
    select(profile_credential.c.digest, profile_credential.c.sealed)
    .join(credential_profile, credential_profile.c.profile_id == profile_credential.c.profile_id)
    .where(credential_profile.c.node_id == bindparam("node"))
)
_DENY_CREDENTIAL = insert(deny_credential).on_conflict_do_nothing()
_LEAST = bindparam("least", type_=access_epoch.c.epoch.type)
_COUNT = (
    insert(access_epoch)
    .values(access_epoch_id=1, epoch=_LEAST + 1)
    .on_conflict_do_update(
        index_elements=[access_epoch.c.access_epoch_id],
        set_={"epoch": func.max(access_epoch.c.epoch, _LEAST) + 1},
    )
    .returning(access_epoch.c.epoch)
)
Held = TypeVar("Held", str, Credential)


@dataclass(frozen=True, slots=True)
class Denial(DenyEntry):
    """An entry that also names the node: a burned badge is known by its owner even when no grant names the owner."""

    node_id: str


_WEIGHT: dict[str, int] = {"burn": 0, "containment": 1, "brake": 2}


class DenySet:
    """Implements ``hardware.readers.decision.DenyView``."""

    def __init__(self, vault: CredentialVault) -> None:
        self._vault = vault
        self._lock = threading.Lock()
        # Entries by weight of their cause: the first is the one that rules.
        self._nodes: dict[str, tuple[Denial, ...]] = {}
        self._credentials: dict[Credential, tuple[Denial, ...]] = {}
        self._held: dict[str, tuple[Credential, ...]] = {}
        # Credentials that each reference denies: an entry leaves without a walk over all of them under the lock.
        self._by_reference: dict[str, list[Credential]] = {}
        self._epoch = 0

    # --- the deciding threads ---

    def denies_node(self, node_id: str) -> Denial | None:
        """The entry that denies this node, or None. Any thread, no lock, O(1)."""
        entries = self._nodes.get(node_id)
        return entries[0] if entries else None

    def causes(self, node_id: str) -> set[str]:
        """Every cause that denies this node now. Any thread, no lock, O(1). It runs ahead of the deny rows, so what is
        told of a node takes these causes beside theirs; what a transaction writes goes by the rows."""
        return {entry.cause for entry in self._nodes.get(node_id, ())}

    def denies_credential(self, key: Credential) -> Denial | None:
        """The entry that denies this credential, or None. Any thread, no lock, O(1)."""
        entries = self._credentials.get(key)
        return entries[0] if entries else None

    def credentials_of(self, node_id: str) -> tuple[Credential, ...]:
        """What the node's profiles name now. Any thread, no lock, O(1)."""
        return self._held.get(node_id, ())

    @property
    def epoch(self) -> int:
        """The newest durable epoch of who may pass."""
        return self._epoch

    def __len__(self) -> int:
        """Number of denied nodes."""
        return len(self._nodes)

    # --- denying ---

    def deny(self, node_id: str, cause: Cause, reference: str) -> Denial:
        """Denies the node and every credential that its profiles name, now and in memory alone; ``store`` makes it
        durable. Any thread; a repeat changes nothing."""
        # The epoch that the entry will have once it is durable; exact unless another change overtakes it.
        entry = Denial(cause, reference, self._epoch + 1, node_id)
        with self._lock:
            known = self._nodes.get(node_id)
            # Most nodes are denied for the first time, and a burn's caller waits for exactly this.
            if known is None:
                self._nodes[node_id] = (entry,)
            elif not _among(known, entry):
                self._nodes[node_id] = _by_weight((*known, entry))
            for credential in self._held.get(node_id, ()):
                self._deny_credential(credential, entry)
        return entry

    def _deny_credential(self, credential: Credential, entry: Denial) -> None:
        known = self._credentials.get(credential)
        if known is None:
            self._credentials[credential] = (entry,)
        elif _among(known, entry):
            return
        else:
            self._credentials[credential] = _by_weight((*known, entry))
        self._by_reference.setdefault(entry.reference, []).append(credential)

    def forget(self, node_id: str, cause: Cause, reference: str, *, credentials: bool = True) -> None:
        """Takes one entry out of memory; every other cause goes on denying. Any thread. ``credentials`` False: what the
        node held stays denied."""
        with self._lock:
            _drop(self._nodes, node_id, cause, reference)
            if credentials:
                for credential in self._by_reference.pop(reference, ()):
                    _drop(self._credentials, credential, cause, reference)

    def hold(self, node_id: str, credentials: Iterable[Credential]) -> None:
        """Says which credentials the node's profiles name now, so that ``deny`` finds them without the disk. What is
        denied stays denied."""
        held = tuple(dict.fromkeys(credentials))
        with self._lock:
            if held:
                self._held[node_id] = held
            else:
                self._held.pop(node_id, None)
            for entry in self._nodes.get(node_id, ()):
                for credential in held:
                    self._deny_credential(credential, entry)

    # --- the disk ---

    def store(self, tx: Transaction, node_id: str, cause: Cause, reference: str) -> tuple[int, int]:
        """Writes the rows of a denial and counts the epoch; gives the new epoch and how many credentials are denied
        with the node. Idempotent but for the epoch. The memory was changed before, by ``deny``."""
        connection = tx.connection
        row = {"node_id": node_id, "cause": cause, "ref": reference, "since_us": tx.now_us}
        connection.execute(_DENY, row)
        credentials = {part.digest: part.sealed for part in connection.execute(_HELD, {"node": node_id})}
        if credentials:
            connection.execute(
                _DENY_CREDENTIAL,
                [{**row, "digest": digest, "sealed": sealed} for digest, sealed in credentials.items()],
            )
        return self.advance(tx), len(credentials)

    def remove(self, tx: Transaction, node_id: str, cause: Cause, reference: str, *, credentials: bool = True) -> int:
        """Deletes the rows of one denial, and its entry as soon as that is durable; gives the new epoch.
        ``credentials`` False: what the node held stays denied for ever."""
        mine = (deny.c.node_id == node_id, deny.c.cause == cause, deny.c.ref == reference)
        tx.connection.execute(delete(deny).where(*mine))
        if credentials:
            tx.connection.execute(delete(deny_credential).where(deny_credential.c.ref == reference))
        epoch = self.advance(tx)
        tx.after_commit(functools.partial(self.forget, node_id, cause, reference, credentials=credentials))
        return epoch

    def advance(self, tx: Transaction) -> int:
        """Counts one change of who may pass; the new epoch, which readers acknowledge."""
        epoch = next_epoch(tx)

        def durable() -> None:
            self._epoch = epoch

        tx.after_commit(durable)
        return epoch

    def load(self, connection: Connection) -> None:
        """Reads every row into memory. Call it before any reader is driven: a failure here must keep the doors shut.
        ``SealBroken`` if a denied credential does not open."""
        self._epoch = connection.execute(select(func.max(access_epoch.c.epoch))).scalar_one() or 0
        nodes: dict[str, list[Denial]] = {}
        for row in connection.execute(select(deny)):
            nodes.setdefault(row.node_id, []).append(Denial(row.cause, row.ref, self._epoch, row.node_id))
        credentials = [
            (self._vault.open(row.digest, row.sealed), Denial(row.cause, row.ref, self._epoch, row.node_id))
            for row in connection.execute(select(deny_credential))
        ]
        held: dict[str, list[Credential]] = {}
        for row in connection.execute(
            select(credential_profile.c.node_id, profile_credential.c.digest, profile_credential.c.sealed).join(
                profile_credential, profile_credential.c.profile_id == credential_profile.c.profile_id
            )
        ):
            held.setdefault(row.node_id, []).append(self._vault.open(row.digest, row.sealed))
        with self._lock:
            for node_id, entries in nodes.items():
                self._nodes[node_id] = _by_weight(entries)
            for credential, entry in credentials:
                self._deny_credential(credential, entry)
        for node_id, known in held.items():
            self.hold(node_id, known)


def first_number(generation: int) -> int:
    """The number from which a generation of the site's logs counts those numbers that readers and terminals accept only
    while they rise."""
    return (generation - 1) * PER_GENERATION


def next_epoch(tx: Transaction, least: int = 0) -> int:
    """Counts on the epoch of who may pass, beyond ``least``; gives the new one."""
    epoch: int = tx.connection.execute(_COUNT, {"least": least}).scalar_one()
    return epoch


def _drop(held: dict[Held, tuple[Denial, ...]], key: Held, cause: Cause, reference: str) -> None:
    left = tuple(entry for entry in held.get(key, ()) if (entry.cause, entry.reference) != (cause, reference))
    if left:
        held[key] = left
    else:
        held.pop(key, None)


def _among(known: Iterable[Denial], entry: Denial) -> bool:
    return any(old.cause == entry.cause and old.reference == entry.reference for old in known)


def _by_weight(entries: Sequence[Denial]) -> tuple[Denial, ...]:
    return tuple(sorted(entries, key=lambda entry: _WEIGHT[entry.cause]))
