"""What opens for a person at this moment: the doors' own decision, asked for each cluster without a card."""

from __future__ import annotations

from sqlalchemy import func, select

from app.api.wire import rfc3339
from app.capabilities.credentials.doors import Doors
from app.capabilities.credentials.messages import AccessReason, ClusterAccess, NodeAccess
from app.registry.service import Registry, now_us
from app.registry.tables import reader, reader_cluster
from app.store.engine import Store
from hardware.readers.decision import CardRead, Grant, GrantTable, Moment, decide

_NEAREST: tuple[AccessReason, ...] = ("granted", "burned", "contained", "outside_schedule", "expired", "no_grant")
"""Of several credentials the one that is first here says how the person stands at a cluster."""

_ROUNDED_S = 1e-3
"""Seconds by which two clocks may differ and still tell the same end: sums of doubles round at microseconds."""


class PersonAccess:
    """Answers from the grants and the deny set in memory, as a door does; names and counts come from the store."""

    def __init__(self, store: Store, registry: Registry, doors: Doors) -> None:
        self._store = store
        self._registry = registry
        self._doors = doors

    def look(self, node_id: str) -> NodeAccess:
        """Every cluster that a profile of the node names, by name. 404: no such node. Blocks on the disk."""
        at_us = now_us()
        with self._store.read() as connection:
            self._registry.require_node(connection, node_id)
            profiles = self._registry.profiles.of_node(connection, node_id)
            rows = connection.execute(
                select(reader_cluster.c.cluster_id, reader_cluster.c.display_name, func.count(reader.c.reader_id))
                .outerjoin(reader, reader.c.cluster_id == reader_cluster.c.cluster_id)
                .group_by(reader_cluster.c.cluster_id)
                .order_by(reader_cluster.c.display_name, reader_cluster.c.cluster_id)
            ).all()
        grants, now = self._doors.grants_of(node_id)
        table = GrantTable(grants)
        credentials = {one for profile in profiles for one in profile.credentials}
        named = {cluster_id: one.profile_id for one in reversed(profiles) for cluster_id in one.clusters}
        found = []
        for cluster_id, display_name, doors in rows:
            if cluster_id not in named:
                continue
            reasons: set[AccessReason] = {"no_grant"}
            for credential in credentials:
                decision = decide(CardRead("", cluster_id, credential), self._registry.deny, table, now)
                reasons.add(_reason(decision.reason))
            reason = next(one for one in _NEAREST if one in reasons)
            until = _until(grants, cluster_id, now) if reason == "granted" else None
            found.append(
                ClusterAccess(
                    cluster_id=cluster_id,
                    display_name=display_name,
                    profile_id=named[cluster_id],
                    doors=doors,
                    reason=reason,
                    until=None if until is None else rfc3339(round(until * 1e6)),
                )
            )
        return NodeAccess(
            node_id=node_id,
            at=rfc3339(at_us),
            clusters=found,
            open_doors=sum(one.doors for one in found if one.reason == "granted"),
            doors=sum(row[2] for row in rows),
            other_clusters=len(rows) - len(found),
        )


def _reason(reason: str) -> AccessReason:
    """A door's reason; a credential that nothing names here and a grant elsewhere are the same to a person."""
    return next((one for one in _NEAREST if one == reason), "no_grant")


def _until(grants: list[Grant], cluster_id: str, now: Moment) -> float:
    """When the last of the grants that open the cluster now ends, or its open hours do; Unix seconds."""
    ends = []
    for grant in grants:
        if cluster_id not in grant.clusters or grant.has_expired(now):
            continue
        # The earlier of its two clocks, as the door goes by both; equal clocks differ by what a double rounds away.
        by_monotonic = now.wall + grant.deadline - now.monotonic
        end = by_monotonic if by_monotonic < grant.not_after - _ROUNDED_S else grant.not_after
        if grant.schedule is None:
            ends.append(end)
        elif grant.schedule.allows(now.wall):
            ends.append(grant.schedule.open_until(now.wall, end))
    return max(ends, default=now.wall)
