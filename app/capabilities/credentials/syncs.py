"""Rows of syncs: what was granted by each, and what each reader of the cluster has proven since."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, delete, insert, select, update

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.credentials.messages import BiologicalStatus, SyncReader, SyncReply
from app.capabilities.credentials.tables import reader_grant, sync, sync_reader
from app.registry.nodes import NodeRow
from app.registry.tables import reader
from app.store.writer import Transaction

KEPT_US = 30 * 86_400 * 1_000_000
"""How long a sync can be asked for: longer than the longest grant, or one row a reader and sync would pile up."""
_PRUNED = 20
"""Old syncs that a new one takes away."""


def write_grant(
    tx: Transaction, sync_id: str, node: NodeRow, profile_id: str, cluster_id: str, epoch: int, not_after_us: int
) -> None:
    """The grant of the profile at the cluster, in the place of the one before."""
    grant = {
        "node_id": node.node_id,
        "not_after_us": not_after_us,
        "epoch": epoch,
        "sync_id": sync_id,
        "ended_us": None,
        "ended_why": None,
    }
    where = (reader_grant.c.profile_id == profile_id, reader_grant.c.cluster_id == cluster_id)
    if tx.connection.execute(update(reader_grant).where(*where).values(**grant)).rowcount == 0:
        tx.connection.execute(insert(reader_grant).values(profile_id=profile_id, cluster_id=cluster_id, **grant))


def write_sync(
    tx: Transaction, sync_id: str, node: NodeRow, profile_id: str, cluster_id: str, epoch: int, not_after_us: int
) -> int:
    """The sync and a row for each reader of the cluster, none of which has proven anything; how many readers."""
    tx.connection.execute(
        insert(sync).values(
            sync_id=sync_id,
            profile_id=profile_id,
            cluster_id=cluster_id,
            node_id=node.node_id,
            epoch=epoch,
            not_after_us=not_after_us,
            standing=node.standing,
            verified_us=node.verified_us,
            created_us=tx.now_us,
        )
    )
    readers = tx.connection.scalars(
        select(reader.c.reader_id).where(reader.c.cluster_id == cluster_id).order_by(reader.c.position)
    ).all()
    if readers:
        tx.connection.execute(
            insert(sync_reader),
            [
                {
                    "sync_id": sync_id,
                    "reader_id": reader_id,
                    "position": position,
                    "state": "pending_offline",
                    "secure_channel": 0,
                }
                for position, reader_id in enumerate(readers)
            ],
        )
    return len(readers)


def prune_syncs(tx: Transaction) -> None:
    """Takes some syncs away that are older than ``KEPT_US``."""
    old = tx.connection.scalars(
        select(sync.c.sync_id).where(sync.c.created_us < tx.now_us - KEPT_US).order_by(sync.c.created_us).limit(_PRUNED)
    ).all()
    if old:
        tx.connection.execute(delete(sync_reader).where(sync_reader.c.sync_id.in_(old)))
        tx.connection.execute(delete(sync).where(sync.c.sync_id.in_(old)))


def record_readers(tx: Transaction, sync_id: str, readers: Sequence[SyncReader]) -> None:
    """What the readers proved while the call waited."""
    for part in readers:
        tx.connection.execute(
            update(sync_reader)
            .where(
                sync_reader.c.sync_id == sync_id,
                sync_reader.c.reader_id == part.reader_id,
                # A burn may have ended the grant meanwhile: its word stands.
                sync_reader.c.state == "pending_offline",
            )
            .values(
                state=part.state,
                secure_channel=int(part.secure_channel),
                firmware=part.firmware,
                latency_ms=part.latency_ms,
                detail=part.detail,
            )
        )


def record_caught_up(tx: Transaction, reader_id: str, firmware: str, state: str, detail: str) -> None:
    """What a reader that came back proved, for every sync that waited for it."""
    waiting = tx.connection.execute(
        select(sync_reader.c.sync_id, sync.c.created_us)
        .join(sync, sync.c.sync_id == sync_reader.c.sync_id)
        .where(sync_reader.c.reader_id == reader_id, sync_reader.c.state == "pending_offline")
    ).all()
    for row in waiting:
        tx.connection.execute(
            update(sync_reader)
            .where(sync_reader.c.sync_id == row.sync_id, sync_reader.c.reader_id == reader_id)
            .values(
                state=state,
                secure_channel=1,
                firmware=firmware,
                latency_ms=(tx.now_us - row.created_us) / 1000,
                detail=detail,
            )
        )


def sync_reply(connection: Connection, sync_id: str) -> SyncReply:
    """A sync, read from its rows; 404 if there is none of this id."""
    row = connection.execute(select(sync).where(sync.c.sync_id == sync_id)).one_or_none()
    if row is None:
        raise Problem("not_found", f"No sync {sync_id} was made here; check the identifier.")
    parts = connection.execute(
        select(sync_reader).where(sync_reader.c.sync_id == sync_id).order_by(sync_reader.c.position)
    )
    return SyncReply(
        sync_id=row.sync_id,
        cluster=row.cluster_id,
        node_id=row.node_id,
        epoch=row.epoch,
        not_after=rfc3339(row.not_after_us),
        biological_status=BiologicalStatus(
            standing=row.standing,
            verified_at=None if row.verified_us is None else rfc3339(row.verified_us),
        ),
        readers=[
            SyncReader(
                reader_id=part.reader_id,
                state=part.state,
                secure_channel=bool(part.secure_channel),
                firmware=part.firmware,
                latency_ms=part.latency_ms,
                detail=part.detail,
            )
            for part in parts
        ],
    )
