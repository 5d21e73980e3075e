"""The training site's own readers: a badge is held to one, its line is pulled and put back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Literal

from sqlalchemy import select

from app.api.problems import Problem
from app.capabilities.credentials.doors import Doors
from app.capabilities.credentials.messages import PresentReply, ReaderPlugReply
from app.registry.profiles import ProfileRow
from app.registry.service import Registry
from app.registry.tables import reader
from app.store.engine import Store
from hardware.readers.decision import Credential
from hardware.readers.errors import (
    DoorReaderError,
    FleetStopped,
    NotSimulated,
    ReaderOffline,
    ReaderTimeout,
    UnknownDoorReader,
)


class SimulatedReaders:
    """What an operator does to a simulated reader by hand. On the event loop."""

    def __init__(self, store: Store, registry: Registry, doors: Doors) -> None:
        self._store = store
        self._registry = registry
        self._doors = doors

    async def present(self, reader_id: str, node_id: str) -> PresentReply:
        """Holds the node's badge to a simulated reader. 404: no such reader or node; 409: a real reader, or a node
        whose profiles name no credential; 503: the reader is offline."""
        with self._store.read() as connection:
            self._registry.require_node(connection, node_id)
            cluster_id = connection.scalar(select(reader.c.cluster_id).where(reader.c.reader_id == reader_id))
            profiles = self._registry.profiles.of_node(connection, node_id)
        if cluster_id is None:
            raise Problem("not_found", f"No reader {reader_id} is registered; check the identifier.")
        badge = _badge(profiles, cluster_id)
        if badge is None:
            raise Problem(
                "state_conflict", f"Node {node_id} has no badge; register a credential profile that names one first."
            )
        await self._doors.settle()
        called = time.perf_counter()
        try:
            decision = await asyncio.wrap_future(self._doors.fleet.present(reader_id, badge))
        except (NotSimulated, UnknownDoorReader, ReaderOffline, ReaderTimeout, FleetStopped) as error:
            raise _refusal(error, reader_id) from error
        return PresentReply(
            decision="GRANT" if decision.grant else "DENY",
            reason=decision.reason,
            latency_ms=(time.perf_counter() - called) * 1000,
            reader_id=reader_id,
            node_id=node_id,
        )

    async def plug(self, reader_id: str, action: Literal["unplug", "plug"]) -> ReaderPlugReply:
        """Pulls a simulated reader's line or puts it back; 404 for an unknown reader, 409 for a real one."""
        await self._doors.settle()
        try:
            if action == "unplug":
                self._doors.fleet.unplug(reader_id)
            else:
                self._doors.fleet.plug(reader_id)
        except (NotSimulated, UnknownDoorReader, FleetStopped) as error:
            raise _refusal(error, reader_id) from error
        return ReaderPlugReply(reader_id=reader_id, plugged=action == "plug")


def _badge(profiles: Sequence[ProfileRow], cluster_id: str) -> Credential | None:
    """The badge that this person would hold to a reader of the cluster: one that may open it if there is any."""
    ranked = sorted(profiles, key=lambda profile: cluster_id not in profile.clusters)
    return next((credential for profile in ranked for credential in profile.credentials), None)


def _refusal(error: DoorReaderError, reader_id: str) -> Problem:
    """Why nothing can be done at this reader now."""
    if isinstance(error, UnknownDoorReader):
        return Problem("not_found", f"No reader {reader_id} is driven here; check the identifier.")
    if isinstance(error, NotSimulated):
        return Problem("state_conflict", f"Reader {reader_id} is a real one; only a person can do this there.")
    return Problem(
        "dependency_unavailable",
        f"Reader {reader_id} is offline; plug it in and try again.",
        headers={"Retry-After": "5"},
    )
