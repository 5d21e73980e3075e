"""Brings the seals page to life: the consents, the chosen one, and the witnesses, each a part of its own."""

from __future__ import annotations

from collections.abc import Sequence

from app.console.actions import Action
from app.console.evidence.pinning import Pin
from app.console.language import tr
from app.console.pages.seals.consents import Consents
from app.console.pages.seals.knot import ChosenKnot
from app.console.pages.seals.view import SealsView
from app.console.pages.seals.witnesses import Witnesses
from app.console.part import PartsPresenter
from app.console.session import WindowSession


class SealsPresenter(PartsPresenter):
    """Its parts read, show, verify by themselves, and change by ``Operation`` alone."""

    view: SealsView
    evidence_action = "seals.save_bundle"

    def __init__(self, session: WindowSession, view: SealsView) -> None:
        super().__init__(session, view)
        self.knot = ChosenKnot(self.host(), view.knot, self._pin)
        self.consents = Consents(self.host(), view, self.knot)
        self.witnesses = Witnesses(self.host(), view, trusted=self.knot.show_leaf)
        self.parts = (self.consents, self.knot, self.witnesses)

    def _pin(self) -> Pin | None:
        return self.witnesses.pin

    def actions(self) -> Sequence[Action]:
        here, view = "seals", self.view
        return [
            *super().actions(),
            Action("seals.table", tr("Go to the consents"), view.consents.table.setFocus, "table-2", ("Alt+1",), here),
            Action("seals.leaves", tr("Go to the statements"), view.knot.leaves.setFocus, "history", ("Alt+2",), here),
            Action(
                "seals.witnesses", tr("Go to the witnesses"), view.witnesses.table.setFocus, "users", ("Alt+3",), here
            ),
            Action("seals.find", tr("Find a consensus seal"), view.seal.setFocus, "hash", ("Alt+4",), here),
        ]
