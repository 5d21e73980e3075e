"""Bundles of terminals: the registry's rotation, who is denied and, for one that may decide alone, its partition
(biometrics.md section 7), signed by this site and sealed to the terminal (``hardware.terminals.bundle``).

What was handed out cannot be taken back: the row of a bundle is durable before its text exists, so the site never knows
of less than a terminal may have. Nothing secret of a bundle is kept: each one is made anew.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from sqlalchemy import Connection, delete, func, insert, select

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.delivery.events import Held
from app.delivery.published_keys import TERMINAL_BUNDLES
from app.registry.denyset import first_number
from app.registry.jwk import public_key
from app.registry.matching import FLOORS, MAY_MATCH, Rules, entry_rules
from app.registry.profiles import CredentialProfiles
from app.registry.tables import access_epoch, deny, node, template, terminal_bundle
from app.registry.template_registries import TemplateRegistries
from app.registry.templates import Templates
from app.registry.terminals import TerminalRow, Terminals
from app.store.engine import Store
from app.store.errors import KeysUnavailable
from app.store.keys import Keys
from app.store.writer import Transaction
from hardware.terminals.bundle import (
    MOST_NODES,
    MOST_ROWS,
    TAKEN_WITHIN_S,
    Bundle,
    EntryRules,
    Head,
    PartitionHead,
    seal,
)
from hardware.terminals.rotation import DIMENSIONS
from hardware.terminals.rotation import Templates as Rows

ISSUE: Final = "registry.terminal_bundle"
MEDIA_TYPE: Final = "application/jose"
_S: Final = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class _Partition:
    """Who may be let in, with their templates, which the owner wipes."""

    nodes: list[tuple[str, int]]
    rows: Rows
    rules: EntryRules


@dataclass(frozen=True, slots=True)
class Handed:
    """The last bundle that was made for a terminal. ``not_after_us``: until then it may let people in by itself, by
    this bundle or one before; None: it never could."""

    terminal_id: str
    issue: int
    access_epoch: int
    nodes: int
    not_after_us: int | None


class Bundles:
    """Makes them. ``origin``: of a log of the site; its domain is the issuer. ``generation``: of its logs. ``ttl_s``:
    how long a terminal may let people in by what it was given. ``training``: copies of templates are flagged
    elsewhere and let in."""

    def __init__(
        self,
        store: Store,
        keys: Keys,
        terminals: Terminals,
        registries: TemplateRegistries,
        templates: Templates,
        profiles: CredentialProfiles,
        *,
        origin: str,
        generation: int,
        ttl_s: int,
        training: bool,
    ) -> None:
        self._store = store
        self._keys = keys
        self._terminals = terminals
        self._registries = registries
        self._templates = templates
        self._profiles = profiles
        self._issuer = origin.partition("/")[0]
        self._before = first_number(generation)
        self._ttl_s = ttl_s
        self._training = training

    async def issue(self, terminal_id: str, *, actor: str, request_id: str | None = None) -> bytes:
        """A new bundle for this terminal, a compact JWE. 404: there is none; 409: it takes none (a legacy terminal, a
        screen, one without an encryption key, one whose partition is too large); 503: the registry's key is away."""
        with self._store.read() as connection:
            terminal = self._terminals.require(connection, terminal_id)
        _check(terminal)
        # Before the row is written: one without its bundle would prove to a burn that the terminal was reached.
        seed, epoch = await asyncio.to_thread(self._seed, terminal)
        partition = None
        try:
            if terminal.offline:
                partition = await asyncio.to_thread(self._partition, terminal)
            head = await self._store.writer.run(
                lambda tx: self._hand(tx, terminal, epoch, partition, actor, request_id)
            )
            return await asyncio.to_thread(self._sealed, terminal, head, seed, partition)
        finally:
            seed[:] = bytes(len(seed))
            if partition is not None:
                partition.rows.fill(0)

    def site_keys(self) -> list[EllipticCurvePublicKey]:
        """What a terminal of this site is installed with; GET ``/v1/deliveries/keys`` publishes the same."""
        return [key.public_key() for key in self._keys.p256s(TERMINAL_BUNDLES)]

    def handed(self, connection: Connection, since_us: int) -> list[Handed]:
        """Bundles whose partition had not ended at ``since_us``, by terminal."""
        rows = connection.execute(
            select(terminal_bundle)
            .where(terminal_bundle.c.not_after_us > since_us)
            .order_by(terminal_bundle.c.terminal_id)
        )
        return [Handed(row.terminal_id, row.issue, row.access_epoch, row.nodes, row.not_after_us) for row in rows]

    def last(self, connection: Connection, terminal_id: str) -> Handed | None:
        """The last bundle of this terminal."""
        row = connection.execute(
            select(terminal_bundle).where(terminal_bundle.c.terminal_id == terminal_id)
        ).one_or_none()
        if row is None:
            return None
        return Handed(row.terminal_id, row.issue, row.access_epoch, row.nodes, row.not_after_us)

    # --- what an erasure of a person does not reach ---

    def held(self, connection: Connection, node_id: str) -> Held:
        """As ``PersonRecords``: no row here names a person, but a terminal may have his template."""
        if connection.scalar(select(template.c.node_id).where(template.c.node_id == node_id).limit(1)) is None:
            return Held(0)
        kept = [
            f"Terminal {one.terminal_id} may hold a template until {rfc3339(one.not_after_us)}, or until it fetches"
            " another bundle."
            for one in self.handed(connection, time.time_ns() // 1_000)
            if one.not_after_us is not None
        ]
        return Held(0, kept)

    def forget(self, tx: Transaction, node_id: str) -> int:
        """As ``PersonRecords``: nothing."""
        del tx, node_id
        return 0

    # --- what goes into it ---

    def _seed(self, terminal: TerminalRow) -> tuple[bytearray, int]:
        try:
            return self._registries.seed(terminal.registry_id)
        except KeysUnavailable as error:
            raise Problem("dependency_unavailable", str(error), headers={"Retry-After": "60"}) from error

    def _partition(self, terminal: TerminalRow) -> _Partition:
        with self._store.read() as connection:
            registry = self._registries.row(connection, terminal.registry_id)
            if registry is None:
                raise self._registries.missing(terminal.registry_id)
            enrolled = self._enrolled(connection, terminal)
        if len(enrolled) > MOST_NODES:
            raise _too_many(terminal, f"{len(enrolled)} persons, at most {MOST_NODES}")
        try:
            nodes, rows = self._templates.gallery(terminal.registry_id).copied(enrolled, MOST_ROWS)
        except ValueError as error:
            raise _too_many(terminal, f"{error}, at most {MOST_ROWS}") from None
        rules = Rules(floor=FLOORS[registry.alg], liveness_min=terminal.liveness_min, refuse_copies=not self._training)
        return _Partition(nodes, rows, entry_rules(max(len(nodes), 1), rules))

    def _enrolled(self, connection: Connection, terminal: TerminalRow) -> Collection[str]:
        """Who may be matched at this terminal. Who is denied meanwhile is named by the bundle itself, in whose
        transaction that is read."""
        denied = select(deny.c.node_id)
        found = set(
            connection.scalars(
                select(template.c.node_id)
                .join(node, node.c.node_id == template.c.node_id)
                .where(
                    template.c.registry_id == terminal.registry_id,
                    node.c.standing.in_(MAY_MATCH),
                    node.c.node_id.not_in(denied),
                )
                .distinct()
            )
        )
        if terminal.cluster_id is not None:
            found &= set(self._profiles.nodes_at(connection, terminal.cluster_id))
        return sorted(found)

    def _hand(
        self,
        tx: Transaction,
        terminal: TerminalRow,
        key_epoch: int,
        partition: _Partition | None,
        actor: str,
        request_id: str | None,
    ) -> Head:
        now = self._terminals.require(tx.connection, terminal.terminal_id)
        if now != terminal:
            raise Problem("state_conflict", f"Terminal {terminal.terminal_id} was changed meanwhile: fetch it again.")
        registry = self._registries.row(tx.connection, terminal.registry_id)
        if registry is None:
            raise self._registries.missing(terminal.registry_id)
        if registry.key_epoch != key_epoch:
            raise Problem("state_conflict", "The registry was renewed meanwhile: fetch the bundle again.")
        epoch = tx.connection.scalar(select(func.max(access_epoch.c.epoch))) or 0
        denied = sorted(set(tx.connection.scalars(select(deny.c.node_id))))
        made_s = tx.now_us // _S
        not_after_s = None if partition is None else made_s + self._ttl_s
        detail = {
            "terminal_id": terminal.terminal_id,
            "registry_id": terminal.registry_id,
            "key_epoch": registry.key_epoch,
            "access_epoch": epoch,
            "denied": len(denied),
            "nodes": 0 if partition is None else len(partition.nodes),
            "not_after": not_after_s,
        }
        issue = self._before + tx.audit(ISSUE, actor=actor, request_id=request_id, detail=detail)
        before = self.last(tx.connection, terminal.terminal_id)
        tx.connection.execute(delete(terminal_bundle).where(terminal_bundle.c.terminal_id == terminal.terminal_id))
        # Whether it opens this one nobody knows: until then it goes on with the one before, to the later end.
        ends = [one for one in (before and before.not_after_us, not_after_s and not_after_s * _S) if one]
        tx.connection.execute(
            insert(terminal_bundle).values(
                terminal_id=terminal.terminal_id,
                issue=issue,
                registry_id=terminal.registry_id,
                key_epoch=registry.key_epoch,
                access_epoch=epoch,
                nodes=0 if partition is None else len(partition.nodes),
                issued_us=tx.now_us,
                not_after_us=max(ends, default=None),
            )
        )
        return Head(
            iss=self._issuer,
            aud=terminal.terminal_id,
            issue=issue,
            iat=made_s,
            exp=made_s + TAKEN_WITHIN_S,
            registry_id=terminal.registry_id,
            alg=registry.alg,
            key_epoch=registry.key_epoch,
            access_epoch=epoch,
            denied=denied,
            partition=None
            if partition is None or not_after_s is None
            else PartitionHead(not_after_s, partition.nodes, partition.rules),
        )

    def _sealed(self, terminal: TerminalRow, head: Head, seed: bytearray, partition: _Partition | None) -> bytes:
        if terminal.encryption_key is None:
            raise TypeError("a terminal without an encryption key was let through")
        reader = public_key(terminal.encryption_key)
        if not isinstance(reader, EllipticCurvePublicKey):
            raise TypeError("bundles are sealed to P-256 keys")
        rows = np.zeros((0, DIMENSIONS), np.int8) if partition is None else partition.rows
        signer = self._keys.p256(TERMINAL_BUNDLES)
        return seal(Bundle(head, seed, rows), signer, reader, terminal.encryption_key.alg or "ECDH-ES")


def _check(terminal: TerminalRow) -> None:
    name = f"Terminal {terminal.terminal_id}"
    if terminal.kind != "palm":
        raise Problem("state_conflict", f"{name} is no palm terminal: it makes no templates and needs no bundle.")
    if terminal.legacy:
        raise Problem("state_conflict", f"{name} is registered as legacy: what cannot sign gets no secret.")
    if terminal.encryption_key is None:
        raise Problem("state_conflict", f"{name} has no encryption key: register the one that it opens bundles with.")


def _too_many(terminal: TerminalRow, what: str) -> Problem:
    return Problem(
        "state_conflict",
        f"Offline, {terminal.terminal_id} would hold {what}: give it a cluster with fewer, or take offline from it.",
    )
