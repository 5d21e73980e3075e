"""The units: reads them, and deletes one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.api.wire import ListQuery
from app.console.actions import Action, Effect
from app.console.deletion import Deletion
from app.console.growing import read_all
from app.console.language import tr
from app.console.operations import Change
from app.console.pages.readers.units_view import UnitsView
from app.console.part import Host, Part

PAGE = 200


class UnitsPart(Part):
    """The units are read when the part comes to the front, and after a change."""

    kinds = frozenset({"profiles", "units", "burns"})

    def __init__(self, host: Host, view: UnitsView) -> None:
        super().__init__(host)
        self.view: UnitsView = view

    def actions(self) -> Sequence[Action]:
        return [
            Action(
                "readers.delete_unit", tr("Delete the unit"), self._delete, "trash-2", page="readers",
                when=lambda: self.view.unit is not None and self.host.shown(), effect=Effect.IRREVERSIBLE,
                calls=("registry_delete_unit",),
            ),
        ]  # fmt: skip

    async def run(self, arguments: Mapping[str, str]) -> None:
        """Nothing is read by itself."""

    def take_change(self, change: Change) -> None:
        if change.kinds & self.kinds and self.host.shown() and self.session.is_connected:
            self.load()

    def load(self) -> None:
        """Read the units."""
        self.host.spawn(self._load(), name="units")

    async def _load(self) -> None:
        client = self.session.client
        self.view.show_units(
            await read_all(lambda cursor: client.registry_list_units(query=ListQuery(limit=PAGE, cursor=cursor)))
        )
        self.session.actions.refresh()

    def _delete(self) -> None:
        """Ask before the chosen unit is deleted."""
        unit = self.view.unit
        if unit is None:
            return
        Deletion(
            unit.unit_id,
            lambda client: client.registry_delete_unit(unit.unit_id),
            ("units",),
            tr("What it signs is refused from then on. A console registers itself again when it connects."),
            tr("Delete the unit"),
        ).ask(self.session, self.view, self.host.show_failure)
