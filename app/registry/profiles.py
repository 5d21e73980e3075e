"""Credential profiles: which credentials of a node open which clusters. The bits of a credential are sealed at rest.

Equal credentials are found by a keyed digest, so that one badge never names two people and a burned one is known again
even after its profile is gone; without the sealed key the digest of a 26 bit badge tells nothing.
"""

from __future__ import annotations

import hmac
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec
from sqlalchemy import Connection, Row, Table, delete, insert, select, update

from app.api.problems import Problem, invalid_field
from app.api.wire import SecretState, rfc3339
from app.registry import schedules
from app.registry.crud import RegistryKind
from app.registry.messages.profiles import CredentialBody, CredentialProfile, CredentialProfileBody, ProfileCredential
from app.registry.tables import (
    credential_profile,
    deny,
    deny_credential,
    node,
    profile_cluster,
    profile_credential,
    reader_cluster,
)
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.sealed import FieldSealer
from app.store.tables import json_text
from app.store.writer import Transaction
from hardware.readers.decision import Credential

CREDENTIAL_PURPOSE = "credential"
_WIEGAND_BITS = {"wiegand26": 26, "wiegand37": 37}


def credential_of(body: CredentialBody) -> Credential:
    """What a reader reads off this credential. ``ValueError`` says what the body lacks."""
    if body.format == "piv-guid":
        if body.card_guid is None or body.bits is not None:
            raise ValueError("a piv-guid credential has card_guid and no bits")
        return Credential("raw", 128, uuid.UUID(body.card_guid).bytes)
    if body.bits is None or body.card_guid is not None:
        raise ValueError(f"a {body.format} credential has bits and no card_guid")
    count = _WIEGAND_BITS.get(body.format, 4 * len(body.bits))
    if (len(body.bits) + 1) // 2 != (count + 7) // 8:
        raise ValueError(f"{count} bits are written with {(count + 3) // 4} hexadecimal digits, left aligned")
    value = bytes.fromhex(body.bits + "0" * (len(body.bits) % 2))
    return Credential("raw" if body.format == "raw" else "wiegand", count, value)


def _pack(credential: Credential) -> bytes:
    return f"{credential.format}|{credential.bits}|".encode() + credential.value


def _unpack(packed_credential: bytes) -> Credential:
    form, bits, value = packed_credential.split(b"|", 2)
    return Credential("raw" if form == b"raw" else "wiegand", int(bits), value)


class CredentialVault:
    """Seals credentials and recognizes them. ``key``: 32 secret bytes of the site."""

    def __init__(self, sealer: FieldSealer, key: bytes) -> None:
        self._sealer = sealer
        self._key = key

    def digest(self, credential: Credential) -> bytes:
        """HMAC-SHA256 of the credential, 32 bytes: equal for equal credentials, without telling their bits."""
        return hmac.digest(self._key, _pack(credential), "sha256")

    def seal(self, credential: Credential) -> tuple[bytes, bytes]:
        """The digest and the sealed bits, as rows hold them. The digest is the seal's context: a row's bits cannot be
        swapped for another's."""
        digest = self.digest(credential)
        return digest, self._sealer.seal(CREDENTIAL_PURPOSE, _pack(credential), digest)

    def open(self, digest: bytes, sealed: bytes) -> Credential:
        """The credential of a row; ``SealBroken`` if the row was altered."""
        return _unpack(self._sealer.open(CREDENTIAL_PURPOSE, sealed, digest))


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """A profile as the readers' grants are made from it. ``schedule`` is the column's text (``schedules.combine``)."""

    profile_id: str
    node_id: str
    credentials: tuple[Credential, ...]
    clusters: tuple[str, ...]
    schedule: str | None


class CredentialProfiles(RegistryKind[CredentialProfileBody, CredentialProfile]):
    """The kind ``credential-profiles``."""

    word: ClassVar[str] = "profile"
    table: ClassVar[Table] = credential_profile

    def __init__(self, store: Store, cursors: Cursors, vault: CredentialVault) -> None:
        super().__init__(store, cursors)
        self._vault = vault

    def profile(self, connection: Connection, profile_id: str) -> ProfileRow | None:
        """The profile with its credentials opened, or None."""
        found = self.profiles(connection, [profile_id])
        return found[0] if found else None

    def profiles(self, connection: Connection, profile_ids: Sequence[str]) -> list[ProfileRow]:
        """These profiles with their credentials opened; unknown ids are left out."""
        rows = connection.execute(
            select(credential_profile).where(credential_profile.c.profile_id.in_(profile_ids))
        ).all()
        ids = [row.profile_id for row in rows]
        credentials: dict[str, list[Credential]] = {profile_id: [] for profile_id in ids}
        for part in connection.execute(
            select(profile_credential)
            .where(profile_credential.c.profile_id.in_(ids))
            .order_by(profile_credential.c.profile_id, profile_credential.c.position)
        ):
            credentials[part.profile_id].append(self._vault.open(part.digest, part.sealed))
        clusters: dict[str, list[str]] = {profile_id: [] for profile_id in ids}
        for part in connection.execute(
            select(profile_cluster)
            .where(profile_cluster.c.profile_id.in_(ids))
            .order_by(profile_cluster.c.profile_id, profile_cluster.c.position)
        ):
            clusters[part.profile_id].append(part.cluster_id)
        return [
            ProfileRow(
                profile_id=row.profile_id,
                node_id=row.node_id,
                credentials=tuple(credentials[row.profile_id]),
                clusters=tuple(clusters[row.profile_id]),
                schedule=row.schedule,
            )
            for row in rows
        ]

    def of_node(self, connection: Connection, node_id: str) -> list[ProfileRow]:
        """Every profile of the node, by rising id."""
        ids = connection.scalars(
            select(credential_profile.c.profile_id)
            .where(credential_profile.c.node_id == node_id)
            .order_by(credential_profile.c.profile_id)
        ).all()
        return sorted(self.profiles(connection, ids), key=lambda row: row.profile_id)

    def nodes_at(self, connection: Connection, cluster_id: str) -> list[str]:
        """Nodes that some profile grants to the cluster: those that a terminal there may search."""
        granted = (
            select(credential_profile.c.node_id)
            .join(profile_cluster, profile_cluster.c.profile_id == credential_profile.c.profile_id)
            .where(profile_cluster.c.cluster_id == cluster_id)
            .distinct()
        )
        return list(connection.scalars(granted))

    def name_of(self, body: CredentialProfileBody) -> str:
        return body.node_id

    def check(self, item_id: str, body: CredentialProfileBody) -> None:
        del item_id
        if len(set(body.clusters)) != len(body.clusters):
            raise invalid_field("/clusters", "Name each cluster once.")
        seen: set[Credential] = set()
        for index, part in enumerate(body.credentials):
            try:
                credential = credential_of(part)
            except ValueError as error:
                raise invalid_field(
                    f"/credentials/{index}", f"This credential cannot be read at a door: {error}."
                ) from error
            if credential in seen:
                raise invalid_field(f"/credentials/{index}", "Name each credential once.")
            seen.add(credential)

    def values(self, body: CredentialProfileBody) -> dict[str, Any]:
        return {
            "node_id": body.node_id,
            "schedule": schedules.to_column(body.schedule),
            "tags": json_text(body.tags),
        }

    def check_in(self, tx: Transaction, item_id: str, body: CredentialProfileBody) -> None:
        connection = tx.connection
        if connection.scalar(select(node.c.node_id).where(node.c.node_id == body.node_id)) is None:
            raise Problem("not_found", f"No node {body.node_id} is registered; register it first.")
        burned = connection.scalar(select(deny.c.ref).where(deny.c.node_id == body.node_id, deny.c.cause == "burn"))
        if burned is not None:
            raise Problem("state_conflict", f"Node {body.node_id} was burned ({burned}); nothing is issued to it.")
        known = set(
            connection.scalars(
                select(reader_cluster.c.cluster_id).where(reader_cluster.c.cluster_id.in_(body.clusters))
            )
        )
        for name in body.clusters:
            if name not in known:
                raise Problem("not_found", f"No reader cluster {name} is registered; register it first.")
        for index, part in enumerate(body.credentials):
            digest = self._vault.digest(credential_of(part))
            other = connection.execute(
                select(credential_profile.c.profile_id, credential_profile.c.node_id)
                .join(profile_credential, profile_credential.c.profile_id == credential_profile.c.profile_id)
                .where(
                    profile_credential.c.digest == digest,
                    credential_profile.c.node_id != body.node_id,
                    credential_profile.c.profile_id != item_id,
                )
                .limit(1)
            ).one_or_none()
            if other is not None:
                raise Problem(
                    "state_conflict",
                    f"Credential {index + 1} belongs to node {other.node_id} by profile {other.profile_id}; "
                    "one badge names one person.",
                )
            burned = connection.scalar(
                select(deny_credential.c.ref)
                .where(deny_credential.c.digest == digest, deny_credential.c.cause == "burn")
                .limit(1)
            )
            if burned is not None:
                raise Problem(
                    "state_conflict", f"Credential {index + 1} was burned ({burned}); issue a new one, it stays denied."
                )

    def write_parts(self, tx: Transaction, item_id: str, body: CredentialProfileBody, made: bool) -> list[str]:
        connection = tx.connection
        changed = []
        sealed = [self._vault.seal(credential_of(part)) for part in body.credentials]
        digests = [] if made else [row.digest for row in self._credentials(connection, item_id)]
        if made or digests != [digest for digest, _ in sealed]:
            connection.execute(delete(profile_credential).where(profile_credential.c.profile_id == item_id))
            for position, (part, (digest, bits)) in enumerate(zip(body.credentials, sealed, strict=True)):
                connection.execute(
                    insert(profile_credential).values(
                        profile_id=item_id,
                        position=position,
                        format=part.format,
                        card_guid=part.card_guid,
                        sealed=bits,
                        digest=digest,
                        changed_us=tx.now_us,
                    )
                )
            changed.append("credentials")
        query = (
            select(profile_cluster.c.cluster_id)
            .where(profile_cluster.c.profile_id == item_id)
            .order_by(profile_cluster.c.position)
        )
        if made or connection.scalars(query).all() != body.clusters:
            connection.execute(delete(profile_cluster).where(profile_cluster.c.profile_id == item_id))
            for position, cluster_id in enumerate(body.clusters):
                connection.execute(
                    insert(profile_cluster).values(profile_id=item_id, cluster_id=cluster_id, position=position)
                )
            changed.append("clusters")
        return changed

    def delete_parts(self, tx: Transaction, item_id: str) -> None:
        tx.connection.execute(delete(profile_credential).where(profile_credential.c.profile_id == item_id))
        tx.connection.execute(delete(profile_cluster).where(profile_cluster.c.profile_id == item_id))

    def withdraw_card(self, tx: Transaction, card_guid: str, *, actor: str, request_id: str | None = None) -> int:
        """Removes a card that is no longer its holder's from every profile that names it, inside the caller's
        transaction; gives how many profiles there were. A profile may be left without any credential: it then opens
        nothing."""
        of_card = profile_credential.c.card_guid == card_guid
        named = tx.connection.scalars(select(profile_credential.c.profile_id).where(of_card)).all()
        tx.connection.execute(delete(profile_credential).where(of_card))
        for profile_id in named:
            before = self.row(tx.connection, profile_id)
            of_it = update(credential_profile).where(credential_profile.c.profile_id == profile_id)
            tx.connection.execute(of_it.values(changed_us=tx.now_us))
            self._leaf(tx, "put", profile_id, actor, request_id, {"made": False, "changed": ["credentials"]}, before)
        return len(named)

    def _credentials(self, connection: Connection, profile_id: str) -> Sequence[Row[Any]]:
        return connection.execute(
            select(profile_credential)
            .where(profile_credential.c.profile_id == profile_id)
            .order_by(profile_credential.c.position)
        ).all()

    def items(self, connection: Connection, rows: Sequence[Row[Any]], now_us: int) -> list[CredentialProfile]:
        del now_us
        ids = [row.profile_id for row in rows]
        credentials: dict[str, list[ProfileCredential]] = {profile_id: [] for profile_id in ids}
        for part in connection.execute(
            select(profile_credential)
            .where(profile_credential.c.profile_id.in_(ids))
            .order_by(profile_credential.c.profile_id, profile_credential.c.position)
        ):
            shown = ProfileCredential(
                format=part.format,
                card_guid=part.card_guid,
                bits=SecretState(set=True, changed_at=rfc3339(part.changed_us)) if part.card_guid is None else None,
            )
            credentials[part.profile_id].append(shown)
        clusters: dict[str, list[str]] = {profile_id: [] for profile_id in ids}
        for part in connection.execute(
            select(profile_cluster)
            .where(profile_cluster.c.profile_id.in_(ids))
            .order_by(profile_cluster.c.profile_id, profile_cluster.c.position)
        ):
            clusters[part.profile_id].append(part.cluster_id)
        return [
            CredentialProfile(
                profile_id=row.profile_id,
                node_id=row.node_id,
                credentials=credentials[row.profile_id],
                clusters=clusters[row.profile_id],
                schedule=schedules.from_column(row.schedule),
                tags=msgspec.json.decode(row.tags, type=list[str]),
                created_at=rfc3339(row.created_us),
                changed_at=rfc3339(row.changed_us),
            )
            for row in rows
        ]
