"""The roster of the HR page: where HR's list of employees and the nodes differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.capabilities.lifecycle.messages import Roster
from app.client import ApiError
from app.console.actions import Action
from app.console.language import tr
from app.console.pages.hr.roster_view import RosterView
from app.console.pages.hr.words import KIND
from app.console.part import Host, Part
from app.console.telemetry.live import Listener, LiveEvent


class RosterPart(Part):
    """Shows the newest roster. Nobody is ever burned by it."""

    every_s = 15.0
    kinds = frozenset({KIND, "burns", "containments", "nodes"})

    def __init__(self, host: Host, view: RosterView) -> None:
        super().__init__(host)
        self.view: RosterView = view
        self._roster: Roster | None = None
        view.table.selected.connect(lambda _row: self.session.actions.refresh())

    def actions(self) -> Sequence[Action]:
        here = "hr"
        return [
            Action(
                "hr.difference_person", tr("Find the person who differs"), self._find_person, "users",
                ("Ctrl+Shift+D",), here, when=self._can_find,
            ),
            Action(
                "hr.difference_burn", tr("Burn who is not employed"), self._burn, "flame", ("F9",), here,
                when=self._can_burn, hint=tr("Opens Burn filled in: nothing is burned before you hold."),
            ),
        ]  # fmt: skip

    def _can_find(self) -> bool:
        return self.host.may_write and self.host.shown() and self.view.difference is not None

    def _can_burn(self) -> bool:
        one = self.view.difference
        return self._can_find() and one is not None and one.kind == "not_employed"

    def listeners(self) -> Mapping[str, Listener]:
        return dict.fromkeys(("hr", "containment", "burn"), self._read_soon)

    def _read_soon(self, _events: Sequence[LiveEvent]) -> None:
        self.read_now()

    async def read(self) -> None:
        try:
            self._roster = await self.session.client.rosters_get()
        except ApiError as error:
            if error.code != "not_found":
                raise
            self._roster = None

    def paint_all(self) -> None:
        poster = "" if self._roster is None else self.session.names.of(self._roster.actor)
        self.view.show_roster(self._roster, self.session.live.now(), poster)

    def _find_person(self) -> None:
        if (one := self.view.difference) is not None:
            self.session.navigate("people", node_id=one.node_id)

    def _burn(self) -> None:
        if (one := self.view.difference) is not None:
            self.session.navigate("burn", node_id=one.node_id)
