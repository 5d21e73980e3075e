"""Reader grants of nodes: what takes them away, and what previews and replies show of them (a ``GrantHolder``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sqlalchemy import BindParameter, Connection, Row, bindparam, func, or_, select, update

from app.api.wire import rfc3339
from app.capabilities.credentials.doors import Doors
from app.capabilities.credentials.grant_book import EXPIRED
from app.capabilities.credentials.tables import reader_grant, sync, sync_reader
from app.delivery.events import Holding, RevocationEvidence
from app.registry.messages.nodes import NodeCredential, Standing
from app.registry.service import Registry, now_us
from app.registry.standing import causes_of
from app.registry.tables import credential_profile, profile_credential
from app.store.engine import Store
from app.store.writer import Transaction

ENDED = "credentials.grants_ended"
_MINE: BindParameter[str] = bindparam("of")
_ANY = select(
    or_(
        select(reader_grant.c.node_id).where(reader_grant.c.node_id == _MINE).exists(),
        select(sync.c.node_id).where(sync.c.node_id == _MINE).exists(),
    )
)
"""Whether anything was ever granted to a node."""
_ENDED = select(func.count()).where(reader_grant.c.node_id == _MINE, reader_grant.c.ended_us.is_not(None))


class ReaderGrants:
    """Ends grants when a node falls or is burned, and when its profile does not carry them any more."""

    def __init__(self, store: Store, registry: Registry, doors: Doors) -> None:
        self._store = store
        self._registry = registry
        self._doors = doors
        registry.standing.on_fall(self._end_fallen)
        registry.profiles.on_change(self._profile_changed)
        registry.nodes.add_source(self.credentials_of)

    def _end(self, tx: Transaction, node_id: str, why: str, *, by_delta: bool) -> int:
        """Ends every live grant of the node; how many there were. ``by_delta``: see ``Doors.grant_changed``."""
        live = tx.connection.execute(
            select(reader_grant.c.profile_id, reader_grant.c.cluster_id).where(
                reader_grant.c.node_id == node_id,
                reader_grant.c.ended_us.is_(None),
                reader_grant.c.not_after_us > tx.now_us,
            )
        ).all()
        tx.connection.execute(
            update(reader_grant)
            .where(reader_grant.c.node_id == node_id, reader_grant.c.ended_us.is_(None))
            .values(ended_us=tx.now_us, ended_why=why)
        )
        mine = select(sync.c.sync_id).where(sync.c.node_id == node_id)
        tx.connection.execute(
            update(sync_reader)
            .where(sync_reader.c.sync_id.in_(mine), sync_reader.c.state == "pending_offline")
            .values(state="failed", detail=f"the grant was ended before the reader came back ({why})")
        )
        for profile_id in {row.profile_id for row in live}:
            self._doors.grant_changed(tx, profile_id, by_delta=by_delta)
        return len(live)

    def _end_fallen(self, tx: Transaction, node_id: str, to: Standing) -> None:
        if not tx.connection.scalar(_ANY, {"of": node_id}):
            return
        # A burn reaches the readers' lists by its own delta; a contained or expired node leaves them by a new list.
        ended = self._end(tx, node_id, to, by_delta=to == "REVOKED")
        if ended:
            tx.audit(ENDED, actor="service", node_id=node_id, detail={"grants": ended, "why": to})

    def _profile_changed(self, tx: Transaction, profile_id: str, before: Row[Any] | None) -> None:
        """Ends the grants that the profile as it is now does not carry any more."""
        if before is None:
            return
        now = self._registry.profiles.profile(tx.connection, profile_id)
        live = tx.connection.execute(
            select(reader_grant).where(reader_grant.c.profile_id == profile_id, reader_grant.c.ended_us.is_(None))
        ).all()
        for row in live:
            kept = now is not None and now.node_id == row.node_id and row.cluster_id in now.clusters and now.credentials
            if not kept:
                tx.connection.execute(
                    update(reader_grant)
                    .where(reader_grant.c.profile_id == profile_id, reader_grant.c.cluster_id == row.cluster_id)
                    .values(ended_us=tx.now_us, ended_why="profile")
                )
        self._doors.grant_changed(tx, profile_id)

    def holdings(self, node_id: str) -> Sequence[Holding]:
        """The node's live reader grants."""
        with self._store.read() as connection:
            live, until = connection.execute(
                select(func.count(), func.max(reader_grant.c.not_after_us)).where(
                    reader_grant.c.node_id == node_id,
                    reader_grant.c.ended_us.is_(None),
                    reader_grant.c.not_after_us > now_us(),
                )
            ).one()
        if not live:
            return []
        return [
            Holding(
                id="reader-grants",
                kind="grant",
                display_name="Reader grants",
                count=live,
                reversible=True,
                detail=f"live until {rfc3339(until)} at the latest",
            )
        ]

    def revoke(self, tx: Transaction, node_id: str, burn_id: str) -> Sequence[RevocationEvidence]:
        """Ends the node's grants inside the burn's transaction."""
        if not tx.connection.scalar(_ANY, {"of": node_id}):
            return []
        ended = self._end(tx, node_id, burn_id, by_delta=True)
        before = tx.connection.scalar(_ENDED, {"of": node_id})
        if not ended and not before:
            return []
        detail = f"{ended} live grant{'' if ended == 1 else 's'} ended" if ended else "no live grant was left"
        return [
            RevocationEvidence(
                id="reader-grants",
                kind="grant",
                display_name="Reader grants",
                count=ended,
                already=not ended,
                detail=detail,
            )
        ]

    def credentials_of(self, connection: Connection, node_ids: Sequence[str]) -> Mapping[str, Sequence[NodeCredential]]:
        """The credentials of these nodes' profiles with what is granted of them."""
        at = now_us()
        burned = {node_id for node_id, causes in causes_of(connection, node_ids).items() if "burn" in causes}
        grants: dict[str, list[Row[Any]]] = {}
        for row in connection.execute(
            select(reader_grant).where(
                reader_grant.c.node_id.in_(node_ids),
                or_(reader_grant.c.ended_us.is_(None), reader_grant.c.ended_why == EXPIRED),
            )
        ):
            grants.setdefault(row.profile_id, []).append(row)
        credentials: dict[str, list[NodeCredential]] = {}
        for row in connection.execute(
            select(
                credential_profile.c.node_id,
                credential_profile.c.profile_id,
                profile_credential.c.format,
                profile_credential.c.card_guid,
            )
            .join(profile_credential, profile_credential.c.profile_id == credential_profile.c.profile_id)
            .where(credential_profile.c.node_id.in_(node_ids))
            .order_by(credential_profile.c.profile_id, profile_credential.c.position)
        ):
            credential = _credential(row, grants.get(row.profile_id, []), burned=row.node_id in burned, at_us=at)
            credentials.setdefault(row.node_id, []).append(credential)
        return credentials


def _credential(row: Row[Any], grants: Sequence[Row[Any]], *, burned: bool, at_us: int) -> NodeCredential:
    """A credential of a profile with what the profile's ``grants`` make of it."""
    live = [grant for grant in grants if grant.ended_us is None and grant.not_after_us > at_us]
    state: Literal["active", "granted", "expired", "revoked"] = "expired" if grants else "active"
    if burned:
        state, live = "revoked", []
    elif live:
        state = "granted"
    return NodeCredential(
        profile=row.profile_id,
        format=row.format,
        card_guid=row.card_guid,
        state=state,
        clusters=sorted(grant.cluster_id for grant in live),
        # The first to end: until then all that is shown holds.
        not_after=rfc3339(min(grant.not_after_us for grant in live)) if live else None,
    )
