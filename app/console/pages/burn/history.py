"""The list of the burns: reads it, grows it, opens one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from app.capabilities.burn.messages import Burn, BurnListQuery, BurnPage
from app.console.actions import Action
from app.console.growing import Growing
from app.console.language import tr
from app.console.pages.burn.history_view import BurnHistoryView
from app.console.part import Host, Part
from app.console.telemetry.burn_events import tell_whole_burn
from app.console.telemetry.live import Listener, LiveEvent

HISTORY_PAGE = 50
LARGEST = 500


class BurnHistory(Part):
    """``open_burn`` is called with the burn of the row that is opened."""

    every_s = 3600.0
    """An event or a change has the list read again; time alone changes none of it."""
    kinds = frozenset({"burns", "nodes", "readers", "cards", "grants"})

    def __init__(self, host: Host, view: BurnHistoryView, open_burn: Callable[[str], None]) -> None:
        super().__init__(host)
        self.view: BurnHistoryView = view
        self._open_burn = open_burn
        self._burns: Growing[Burn] = Growing(self._ask, lambda burn: burn.burn_id, page=HISTORY_PAGE, largest=LARGEST)
        view.table.opened.connect(self._open_row)

    def actions(self) -> Sequence[Action]:
        return [
            Action(
                "burn.older", tr("Show older burns"), self._grow, "history", page="burn",
                when=lambda: not self._burns.complete,
            ),
        ]  # fmt: skip

    def listeners(self) -> Mapping[str, Listener]:
        return {"burn": self._take_events}

    def _take_events(self, events: Sequence[LiveEvent]) -> None:
        if tell_whole_burn(events):
            self.read_now()

    async def read(self) -> None:
        await self._burns.read()

    async def _ask(self, cursor: str | None, limit: int) -> BurnPage:
        return await self.session.client.burn_list(query=BurnListQuery(limit=limit, cursor=cursor))

    def paint_all(self) -> None:
        self.view.show_burns(list(self._burns.rows.values()), more=not self._burns.complete)

    def _grow(self) -> None:
        if self._burns.can_grow:
            self.host.spawn(self._read_more(), name="older burns")

    async def _read_more(self) -> None:
        if await self._burns.grow():
            self.show_answer()

    def _open_row(self, at: int) -> None:
        rows = self.view.rows.rows
        if 0 <= at < len(rows):
            self._open_burn(rows[at].burn_id)
