"""How the site stands in figures that name nobody: what a locked window shows of it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from app.api.wire import ListQuery
from app.capabilities.burn.messages import BurnListQuery
from app.console.clock import Freshness
from app.console.frames.board import FrameBoard
from app.console.growing import read_all
from app.console.session import WindowSession
from app.registry.messages.clusters import Reader

READ_MS = 5000
_MOST_BURNS = 500


class SiteCounts(QObject):
    """Reads frames, doors and open burns while ``look`` says that somebody looks. ``age`` tells how old the last answer
    is; the figures stay as they were read, so that it must be shown beside them."""

    changed = Signal()
    """The service has answered."""

    def __init__(self, session: WindowSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._board = FrameBoard(session)
        self._readers: Sequence[Reader] | None = None
        self._open_burns: int | None = None
        self._reading = False
        self.age = Freshness(READ_MS / 1000)
        self._poll = QTimer(self)
        self._poll.setInterval(READ_MS)
        self._poll.timeout.connect(self.read_now)

    def look(self, on: bool) -> None:
        """Somebody looks, or nobody does."""
        if on:
            self.age.resume()
            self._poll.start()
            self.read_now()
        else:
            self._poll.stop()

    def read_now(self) -> None:
        """Read, unless that is under way."""
        if self._session.is_connected and not self._reading:
            self._reading = True
            self._session.tasks.spawn(self._read(), name="figures of the site")

    async def _read(self) -> None:
        """One reading. One that fails leaves the age to tell."""
        client = self._session.client
        try:
            await self._board.read()
            clusters = await read_all(
                lambda cursor: client.registry_list_reader_clusters(query=ListQuery(limit=500, cursor=cursor))
            )
            burns = await client.burn_list(query=BurnListQuery(state="PARTIAL", limit=_MOST_BURNS))
        except Exception:  # the next turn tries again
            return
        finally:
            self._reading = False
        self._readers = [reader for cluster in clusters for reader in cluster.readers]
        self._open_burns = len(burns.items)
        self.age.touch()
        self.changed.emit()

    @property
    def frames(self) -> str:
        """``50 of 52``: those that work, by what the stream says of each now; a dash until they were read."""
        if self._board.age.since is None:
            return "–"
        return f"{self._board.counts().get('Operational', 0)} of {len(self._board.frames)}"

    @property
    def doors(self) -> str:
        """``104 of 104``: readers that are online; a dash until they were read."""
        if self._readers is None:
            return "–"
        return f"{sum(one.online for one in self._readers)} of {len(self._readers)}"

    @property
    def open_burns(self) -> str:
        """Burns with a target that is not proven; a dash until they were read."""
        if self._open_burns is None:
            return "–"
        return f"{self._open_burns}{'+' * (self._open_burns == _MOST_BURNS)}"

    @property
    def data_age(self) -> str:
        """How old the figures are, or since when nothing came."""
        seconds = self.age.age_s()
        return self.age.words() or f"{max(0.0, seconds or 0.0):.0f} s old"
