"""How the site stands in figures that name nobody: what a locked window shows of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from app.capabilities.burn.messages import Burn, BurnListQuery
from app.console.door_clusters import read_clusters
from app.console.frames.board import FrameBoard
from app.console.frames.standing import certificate_days
from app.console.language import tr
from app.console.moments import parse_time
from app.console.part import Poll
from app.console.session import WindowSession
from app.registry.messages.clusters import Reader, ReaderCluster

READ_S = 5.0
_MOST_BURNS = 500
_NEWEST_BURNS = 4


@dataclass(frozen=True)
class BurnTimes:
    """When a burn began and when its last target was proven, Unix time; ``ended`` None: one is still open.
    ``unproven``: targets that are not open any more and of which nothing is proven: only delivered, without an account,
    or closed by somebody."""

    began: float
    ended: float | None
    drill: bool = False
    unproven: int = 0


class ClusterDoors(NamedTuple):
    """How many doors of a cluster are online, and of how many."""

    name: str
    online: int
    total: int


class SiteCounts(QObject):
    """Reads frames, doors and open burns while ``look`` says that somebody looks. The figures stay as they were read,
    so that ``data_age`` must be shown beside them."""

    changed = Signal()
    """The service has answered."""

    def __init__(self, session: WindowSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.board = FrameBoard(session)
        """The frames as they were read last, with what the stream says of each."""
        self._clusters: Sequence[ReaderCluster] | None = None
        self._open_burns: int | None = None
        self._newest_burns: Sequence[Burn] | None = None
        self._looking: asyncio.Task[None] | None = None
        # A reading that fails leaves the age to tell.
        self._poll = Poll(
            self._read, READ_S, show=self.changed.emit, on_error=lambda _error: None, on_recovery=lambda: None
        )

    def look(self, on: bool) -> None:
        """Somebody looks, or nobody does."""
        looking, self._looking = self._looking, None
        if looking is not None:
            looking.cancel()
        if on:
            self._poll.fresh.resume()
            self._looking = self._session.tasks.spawn(self._poll.run(), name="figures of the site")

    async def _read(self) -> None:
        client = self._session.client
        await self.board.read()
        self._clusters = await read_clusters(client)
        self._open_burns = len((await client.burn_list(query=BurnListQuery(state="PARTIAL", limit=_MOST_BURNS))).items)
        self._newest_burns = (await client.burn_list(query=BurnListQuery(limit=_NEWEST_BURNS))).items

    @property
    def frames(self) -> str:
        """``50 of 52``: those that work, by what the stream says of each now; a dash until they were read."""
        if self.board.age.since is None:
            return "–"
        works = self.board.counts().get(tr("Operational"), 0)
        return tr("{count} of {total}", count=works, total=len(self.board.frames))

    @property
    def doors(self) -> str:
        """``104 of 104``: readers that are online; a dash until they were read."""
        counted = self.readers
        return "–" if counted is None else tr("{count} of {total}", count=counted[0], total=counted[2])

    @property
    def open_burns(self) -> str:
        """Burns with a target that is not proven; a dash until they were read."""
        if self._open_burns is None:
            return "–"
        return f"{self._open_burns}{'+' * (self._open_burns == _MOST_BURNS)}"

    @property
    def readers(self) -> tuple[int, int, int] | None:
        """How many readers are online, how many of these on a secure channel, and of how many; None until read."""
        if self._clusters is None:
            return None
        readers: list[Reader] = [reader for cluster in self._clusters for reader in cluster.readers]
        online = [one for one in readers if one.online]
        return len(online), sum(one.secure_channel for one in online), len(readers)

    @property
    def clusters(self) -> list[ClusterDoors]:
        """The clusters that have doors, those with a door that does not answer first; none until they were read."""
        counted = [
            ClusterDoors(one.display_name, sum(reader.online for reader in one.readers), len(one.readers))
            for one in self._clusters or ()
            if one.readers
        ]
        return sorted(counted, key=lambda one: one.online - one.total)

    @property
    def open_burn_count(self) -> int | None:
        """Burns with a target that is not proven, as a number; None until they were read."""
        return self._open_burns

    @property
    def newest_burns(self) -> list[BurnTimes] | None:
        """The times of the newest burns, without a name, the newest first; None until they were read."""
        if self._newest_burns is None:
            return None
        return [
            BurnTimes(
                parse_time(burn.timestamp),
                None if burn.completed_at is None else parse_time(burn.completed_at),
                drill=burn.drill,
                unproven=burn.delivered + burn.unlinked + burn.counts.get("closed", 0),
            )
            for burn in self._newest_burns
        ]

    def first_certificate_days(self, now: float) -> float | None:
        """Days until the first certificate of a frame ends; None while none was seen."""
        known = [certificate_days(frame, now) for frame in self.board.frames.values()]
        return min((days for days in known if days is not None), default=None)

    @property
    def stale(self) -> bool:
        """Whether the figures are too old to be called true, or were never read."""
        return self._poll.fresh.stale

    @property
    def data_age(self) -> str:
        """How old the figures are, or since when nothing came."""
        fresh = self._poll.fresh
        seconds = fresh.age_s()
        return fresh.words() or tr("{seconds:.0f} s old", seconds=max(0.0, seconds or 0.0))
