"""The grants in force, as memory holds them: what the doors decide by, and the end of each by either clock."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Collection, Sequence

from sqlalchemy import Connection, select, update

from app.capabilities.credentials.tables import reader_grant
from app.registry import schedules
from app.registry.service import Registry
from app.registry.tables import reader_cluster
from app.store.engine import Store
from app.store.writer import Transaction
from hardware.readers.decision import Credential, Grant, GrantTable, Moment

log = logging.getLogger(__name__)

EXPIRED = "expired"
RunOut = tuple[str, str, int]
"""Profile, cluster and end (us) of a grant that ran out."""


class GrantBook:
    """Grants by profile and cluster. Any thread; what blocks on the disk has a connection or a transaction."""

    def __init__(self, store: Store, registry: Registry, zone: str) -> None:
        self._store = store
        self._registry = registry
        self._zone = zone
        self._lock = threading.Lock()
        self._grants: dict[str, dict[str, Grant]] = {}

    def load(self, connection: Connection) -> None:
        """Takes in every grant that is not ended."""
        ids = connection.scalars(
            select(reader_grant.c.profile_id).where(reader_grant.c.ended_us.is_(None)).distinct()
        ).all()
        grants = {profile_id: self.read(connection, profile_id) for profile_id in ids}
        with self._lock:
            self._grants = {profile_id: live for profile_id, live in grants.items() if live}

    def read(self, connection: Connection, profile_id: str) -> dict[str, Grant]:
        """The live grants of a profile by cluster, with its credentials and schedules of now."""
        profile = self._registry.profiles.profile(connection, profile_id)
        if profile is None:
            return {}
        rows = connection.execute(
            select(reader_grant.c.cluster_id, reader_grant.c.not_after_us, reader_cluster.c.schedule)
            .join(reader_cluster, reader_cluster.c.cluster_id == reader_grant.c.cluster_id)
            .where(reader_grant.c.profile_id == profile_id, reader_grant.c.ended_us.is_(None))
        ).all()
        wall, monotonic = self.wall(), time.monotonic()
        with self._lock:
            known = self._grants.get(profile_id, {})
        # A grant that is only read again keeps its deadline: the wall clock may have been turned back meanwhile.
        deadlines = {(cluster_id, grant.not_after): grant.deadline for cluster_id, grant in known.items()}
        return {
            row.cluster_id: Grant(
                node_id=profile.node_id,
                credentials=profile.credentials,
                clusters=frozenset((row.cluster_id,)),
                schedule=schedules.combine(profile.schedule, row.schedule, self._zone),
                not_after=row.not_after_us / 1e6,
                deadline=min(
                    monotonic + row.not_after_us / 1e6 - wall,
                    deadlines.get((row.cluster_id, row.not_after_us / 1e6), math.inf),
                ),
            )
            for row in rows
            if row.not_after_us / 1e6 > wall
        }

    def replace(self, profile_id: str, live: dict[str, Grant]) -> set[str]:
        """The profile's grants are these now, durably; the clusters that either has."""
        with self._lock:
            clusters = live.keys() | self._grants.get(profile_id, {}).keys()
            if live:
                self._grants[profile_id] = live
            else:
                self._grants.pop(profile_id, None)
        return clusters

    def all(self) -> list[Grant]:
        """Every grant."""
        with self._lock:
            return [grant for live in self._grants.values() for grant in live.values()]

    def table(self) -> GrantTable:
        """What the readers' threads decide by."""
        grants = self.all()
        try:
            return GrantTable(grants)
        except ValueError:
            # The registry refuses a credential of two nodes; should one be there all the same, it opens nothing.
            log.exception("a credential names two nodes: it is denied until its profiles are put right")
            return GrantTable(_unambiguous(grants))

    # --- their end ---

    def wall(self) -> float:
        """Unix seconds. A clock that was turned back, while this ran or while it was down, prolongs no grant."""
        return max(time.time(), self._store.writer.floor_us / 1e6)

    def run_out(self) -> list[RunOut]:
        """Grants that ran out, by either clock."""
        now = Moment(self.wall(), time.monotonic())
        with self._lock:
            return [
                (profile_id, cluster_id, round(grant.not_after * 1e6))
                for profile_id, live in self._grants.items()
                for cluster_id, grant in live.items()
                if grant.has_expired(now)
            ]


def end_run_out(tx: Transaction, over: Sequence[RunOut]) -> None:
    """Ends these grants for good, unless a sync has prolonged one meanwhile."""
    for profile_id, cluster_id, not_after_us in over:
        tx.connection.execute(
            update(reader_grant)
            .where(
                reader_grant.c.profile_id == profile_id,
                reader_grant.c.cluster_id == cluster_id,
                reader_grant.c.not_after_us <= not_after_us,
                reader_grant.c.ended_us.is_(None),
            )
            .values(ended_us=tx.now_us, ended_why=EXPIRED)
        )


def end_missed(tx: Transaction) -> None:
    """Ends what ran out while nothing ran: from now on it is over, even if the clock is turned back."""
    tx.connection.execute(
        update(reader_grant)
        .where(reader_grant.c.not_after_us <= tx.now_us, reader_grant.c.ended_us.is_(None))
        .values(ended_us=tx.now_us, ended_why=EXPIRED)
    )


def _unambiguous(grants: Collection[Grant]) -> list[Grant]:
    """Without those whose credential names two nodes."""
    owners: dict[Credential, set[str]] = {}
    for grant in grants:
        for credential in grant.credentials:
            owners.setdefault(credential, set()).add(grant.node_id)
    return [grant for grant in grants if all(len(owners[credential]) == 1 for credential in grant.credentials)]
