"""Bundles of terminals: the registry's projection, who is denied and, for a terminal that may decide alone, its
partition, signed by this site and sealed to the terminal (``hardware.terminals.bundle``).

What was handed out cannot be taken back: the row of a bundle is durable before its text exists, so the site never knows
of less than a terminal may have; only a terminal's signed acknowledgement makes it less. Nothing secret of a bundle is
kept: each one is made anew.
"""

from __future__ import annotations

import asyncio
import base64
import functools
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from sqlalchemy import Connection, Row, bindparam, func, select

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.biometrics.handed_bundles import Handed, deciding, handed_to, last_ends, record, sealed_to, take
from app.biometrics.matching import FLOORS, MAY_MATCH, Rules, entry_rules
from app.biometrics.messages import BundleTaken, BundleTakenBody
from app.biometrics.tables import template
from app.biometrics.template_registries import TemplateRegistries
from app.biometrics.templates import ERASE, Templates
from app.delivery.events import Held
from app.delivery.published_keys import TERMINAL_BUNDLES
from app.ledger.tables import audit_entry, log_word
from app.registry.denyset import first_number
from app.registry.jwk import public_key
from app.registry.messages.jwk import EncryptionJwk
from app.registry.messages.terminals import TerminalBundle
from app.registry.profiles import CredentialProfiles
from app.registry.tables import access_epoch, deny, node
from app.registry.terminals import TerminalRow, Terminals
from app.store.engine import Store
from app.store.errors import KeysUnavailable
from app.store.keys import Keys
from app.store.writer import DENIED, Transaction
from hardware.terminals.bundle import (
    MOST_NODES,
    MOST_ROWS,
    OPEN_WITHIN_S,
    EntryRules,
    PalmBundle,
    PalmBundleHead,
    PartitionHead,
    head_digest,
    seal,
)
from hardware.terminals.bundle_ack import AckForged, check_acknowledgement
from hardware.terminals.projection import DIMENSIONS
from hardware.terminals.projection import Templates as Rows

ISSUE: Final = "registry.terminal_bundle"
TAKEN: Final = "registry.terminal_bundle_taken"
MEDIA_TYPE: Final = "application/jose"
_S: Final = 1_000_000
_WORD: Final = select(log_word.c.id)
_ERASED: Final = select(func.max(audit_entry.c.ts)).where(
    audit_entry.c.node == _WORD.where(log_word.c.text == bindparam("of")).scalar_subquery(),
    audit_entry.c.action == _WORD.where(log_word.c.text == ERASE).scalar_subquery(),
)
"""When templates of a node were last erased, Unix microseconds."""


@dataclass(slots=True, eq=False)
class _Partition:
    """Who may be let in, with their templates, which the owner wipes. ``generation``: of the registry's templates,
    before they were copied."""

    nodes: list[tuple[str, int]]
    rows: Rows
    rules: Rules
    generation: bytes | None

    def keep(self, enrolled: Collection[str]) -> None:
        """Takes everybody else out."""
        kept = np.repeat([name in enrolled for name, _ in self.nodes], [count for _, count in self.nodes])
        rows = self.rows[kept]
        self.wipe()
        self.nodes, self.rows = [one for one in self.nodes if one[0] in enrolled], rows

    def entry_rules(self) -> EntryRules:
        """What a match asks for among so many."""
        return entry_rules(max(len(self.nodes), 1), self.rules)

    def wipe(self) -> None:
        """Overwrites the templates."""
        self.rows.fill(0)


class Bundles:
    """Makes the bundles. ``origin``: of a log of the site; its domain is the issuer. ``generation``: of the site's
    logs. ``ttl_s``: how long a terminal may let people in by what it was given. ``training``: a terminal lets copies of
    templates in, which are flagged elsewhere."""

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
        self._listeners: list[Callable[[str], None]] = []

    def on_taken(self, listener: Callable[[str], None]) -> None:
        """Calls ``listener`` with the terminal's id, on the writer's thread, as soon as it is durable that it took a
        bundle. Before start only."""
        self._listeners.append(listener)

    async def issue(self, terminal_id: str, *, actor: str, request_id: str | None = None) -> bytes:
        """A new bundle for this terminal, a compact JWE. 404: there is none; 409: it takes none (a legacy terminal, a
        screen, one without an encryption key, one whose partition is too large); 503: the registry's key is away."""
        with self._store.read() as connection:
            terminal = self._terminals.require(connection, terminal_id)
        opens = _opens(terminal)
        # Before the row is written: burns would wait for a bundle that nobody has.
        seed, epoch = await asyncio.to_thread(self._seed, terminal)
        partition = None
        try:
            if terminal.offline:
                partition = await asyncio.to_thread(self._partition, terminal)
            head = await self._store.writer.run(
                lambda tx: self._hand(tx, terminal, opens, epoch, partition, actor, request_id)
            )
            return await asyncio.to_thread(self._seal, opens, head, seed, partition)
        finally:
            seed[:] = bytes(len(seed))
            if partition is not None:
                partition.wipe()

    async def acknowledge(
        self, terminal_id: str, body: BundleTakenBody, *, actor: str, request_id: str | None = None
    ) -> BundleTaken:
        """Records the terminal's signed word that it took a bundle (``hardware.terminals.bundle_ack``); a repeat
        changes nothing. 404: no such terminal; 403: it did not sign this; 409: it was not given this bundle, or has
        acknowledged a later one."""
        proof = base64.urlsafe_b64decode(body.signature + "==")
        found = await self._store.writer.run(
            lambda tx: self._take(tx, terminal_id, body.issue, proof, actor, request_id)
        )
        if isinstance(found, Problem):
            raise found
        return found

    def _take(
        self, tx: Transaction, terminal_id: str, issue: int, proof: bytes, actor: str, request_id: str | None
    ) -> BundleTaken | Problem:
        """A refusal is returned, not raised, so that its leaf stays."""
        terminal = self._terminals.require(tx.connection, terminal_id)
        given = handed_to(tx.connection, [terminal_id]).get(terminal_id, [])
        handed = next((one for one in given if one.issue == issue), None)
        if handed is None or handed.head_sha256 is None:
            later = any(one.taken_us is not None and one.issue > issue for one in given)
            why = "acknowledged a later bundle" if later else "was not given this bundle here"
            raise Problem("state_conflict", f"Terminal {terminal_id} {why}: fetch another and acknowledge that.")
        detail: dict[str, object] = {
            "terminal_id": terminal_id,
            "issue": issue,
            "access_epoch": handed.access_epoch,
            "not_after": handed.not_after_us and handed.not_after_us // _S,
        }
        fault = _unproven(terminal, handed, proof)
        if fault is not None:
            tx.audit(TAKEN, actor=actor, outcome=DENIED, request_id=request_id, detail=detail)
            return Problem("proof_invalid", fault)
        if handed.taken_us is None:
            tx.audit(TAKEN, actor=actor, request_id=request_id, detail=detail)
            handed = take(tx, handed)
            for listener in self._listeners:
                tx.after_commit(functools.partial(listener, terminal_id))
        return BundleTaken(
            terminal_id=terminal_id,
            issue=issue,
            access_epoch=handed.access_epoch,
            not_after=None if handed.not_after_us is None else rfc3339(handed.not_after_us),
            taken_at=rfc3339(handed.taken_us or tx.now_us),
        )

    def site_keys(self) -> list[EllipticCurvePublicKey]:
        """The public keys that a terminal of this site is installed with; GET ``/v1/deliveries/keys`` publishes the
        same."""
        return [key.public_key() for key in self._keys.p256s(TERMINAL_BUNDLES)]

    def overview(
        self, connection: Connection, terminal_ids: Sequence[str], now_us: int
    ) -> Mapping[str, TerminalBundle]:
        """Which bundles these terminals may hold at this time; nothing of one that was never given any."""
        given = handed_to(connection, terminal_ids)
        return {terminal_id: _overview(bundles, now_us) for terminal_id, bundles in given.items() if bundles}

    # --- what an erasure of a person does not reach ---

    def held_records(self, connection: Connection, node_id: str) -> Held:
        """As ``PersonRecords``: no row here names a person, but a terminal may hold the person's template, even one
        that was erased after the terminal was given it."""
        handed = deciding(connection, time.time_ns() // 1_000)
        if connection.scalar(select(template.c.node_id).where(template.c.node_id == node_id).limit(1)) is None:
            erased_us = connection.scalar(_ERASED, {"of": node_id}) or 0
            handed = [one for one in handed if one.issued_us <= erased_us]
        kept = [
            f"Terminal {terminal_id} may hold a template until {rfc3339(until_us)}, or until it has taken another"
            " bundle and said so."
            for terminal_id, until_us in last_ends(handed).items()
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
        """Copies the templates of everybody who may be let in at this terminal. 409 if they are too many."""
        with self._store.read() as connection:
            registry = self._registries.row(connection, terminal.registry_id)
            if registry is None:
                raise self._registries.missing(terminal.registry_id)
            enrolled = self._may_search(connection, terminal)
        if len(enrolled) > MOST_NODES:
            raise _too_many(terminal, f"{len(enrolled)} persons, at most {MOST_NODES}")
        try:
            nodes, rows = self._templates.gallery(terminal.registry_id).copy_of(enrolled, MOST_ROWS)
        except ValueError as error:
            raise _too_many(terminal, f"{error}, at most {MOST_ROWS}") from None
        rules = Rules(
            floor=FLOORS[registry.alg],
            liveness_min=terminal.liveness_min,
            refuse_copies=not self._training,
            few_by_score=self._training,
        )
        return _Partition(nodes, rows, rules, registry.generation)

    def _may_search(self, connection: Connection, terminal: TerminalRow) -> Collection[str]:
        """Who may be matched at this terminal. Nodes that are denied after this is read are named by the bundle itself,
        whose transaction reads them."""
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
        opens: EncryptionJwk,
        key_epoch: int,
        partition: _Partition | None,
        actor: str,
        request_id: str | None,
    ) -> PalmBundleHead:
        """Records, in one transaction, the bundle that is about to exist, and gives its head."""
        registry = self._check_unchanged(tx, terminal, key_epoch)
        if partition is not None and partition.generation != registry.generation:
            # Templates that were erased since they were copied must not leave the service.
            partition.keep(set(self._may_search(tx.connection, terminal)))
        made_s = tx.now_us // _S
        alone = None
        if partition is not None:
            alone = PartitionHead(made_s + self._ttl_s, partition.nodes, partition.entry_rules())
        epoch = tx.connection.scalar(select(func.max(access_epoch.c.epoch))) or 0
        denied = sorted(set(tx.connection.scalars(select(deny.c.node_id))))
        detail = {
            "terminal_id": terminal.terminal_id,
            "registry_id": terminal.registry_id,
            "key_epoch": registry.key_epoch,
            "access_epoch": epoch,
            "denied": len(denied),
            "nodes": 0 if alone is None else len(alone.nodes),
            "not_after": None if alone is None else alone.not_after,
        }
        head = PalmBundleHead(
            iss=self._issuer,
            aud=terminal.terminal_id,
            issue=self._before + tx.audit(ISSUE, actor=actor, request_id=request_id, detail=detail),
            iat=made_s,
            exp=made_s + OPEN_WITHIN_S,
            registry_id=terminal.registry_id,
            alg=registry.alg,
            key_epoch=registry.key_epoch,
            access_epoch=epoch,
            denied=denied,
            partition=alone,
        )
        record(
            tx,
            Handed(
                terminal_id=head.aud,
                issue=head.issue,
                sealed_to=sealed_to(opens),
                head_sha256=head_digest(head),
                registry_id=head.registry_id,
                key_epoch=head.key_epoch,
                access_epoch=head.access_epoch,
                nodes=0 if alone is None else len(alone.nodes),
                issued_us=tx.now_us,
                not_after_us=None if alone is None else alone.not_after * _S,
            ),
        )
        return head

    def _check_unchanged(self, tx: Transaction, terminal: TerminalRow, key_epoch: int) -> Row[Any]:
        """The row of the terminal's registry. 409 if the terminal or the key changed since the seed was read."""
        now = self._terminals.require(tx.connection, terminal.terminal_id)
        if now != terminal:
            raise Problem("state_conflict", f"Terminal {terminal.terminal_id} was changed meanwhile: fetch it again.")
        registry = self._registries.row(tx.connection, terminal.registry_id)
        if registry is None:
            raise self._registries.missing(terminal.registry_id)
        if registry.key_epoch != key_epoch:
            raise Problem("state_conflict", "The registry was renewed meanwhile: fetch the bundle again.")
        return registry

    def _seal(self, opens: EncryptionJwk, head: PalmBundleHead, seed: bytearray, partition: _Partition | None) -> bytes:
        rows = np.zeros((0, DIMENSIONS), np.int8) if partition is None else partition.rows
        signer = self._keys.p256(TERMINAL_BUNDLES)
        return seal(PalmBundle(head, seed, rows), signer, public_key(opens), opens.alg or "ECDH-ES")


def _opens(terminal: TerminalRow) -> EncryptionJwk:
    """What its bundles are sealed to."""
    name = f"Terminal {terminal.terminal_id}"
    if terminal.kind != "palm":
        raise Problem("state_conflict", f"{name} is no palm terminal: it makes no templates and needs no bundle.")
    if terminal.legacy:
        raise Problem("state_conflict", f"{name} is registered as legacy: what cannot sign gets no secret.")
    if terminal.encryption_key is None:
        raise Problem("state_conflict", f"{name} has no encryption key: register the one that it opens bundles with.")
    return terminal.encryption_key


def _unproven(terminal: TerminalRow, handed: Handed, proof: bytes) -> str | None:
    """Why ``proof`` does not show that this terminal took the bundle; None: it does."""
    if terminal.public_key is None:
        return f"Terminal {terminal.terminal_id} has no key: register the one that it signs with."
    key = public_key(terminal.public_key)
    try:
        check_acknowledgement(proof, terminal.terminal_id, handed.issue, handed.head_sha256 or b"", key)
    except AckForged:
        return f"This is not signed by terminal {terminal.terminal_id} over the head of bundle {handed.issue}."
    return None


def _too_many(terminal: TerminalRow, what: str) -> Problem:
    return Problem(
        "state_conflict",
        f"Offline, {terminal.terminal_id} would hold {what}: give it a cluster with fewer, or take offline from it.",
    )


def _overview(given: Sequence[Handed], now_us: int) -> TerminalBundle:
    """The last of a terminal's bundles, the last that it acknowledged, and until when one of them lets people in."""
    last = given[-1]
    taken = next((one for one in reversed(given) if one.taken_us is not None), None)
    until_us = last_ends(one for one in given if one.decides(now_us)).get(last.terminal_id)
    return TerminalBundle(
        issue=last.issue,
        fetched_at=rfc3339(last.issued_us) if last.key_epoch else None,
        taken_issue=None if taken is None else taken.issue,
        taken_at=None if taken is None or taken.taken_us is None else rfc3339(taken.taken_us),
        decides_until=None if until_us is None else rfc3339(until_us),
    )
