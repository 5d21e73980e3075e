"""Brings the enforcement page to life: the draft, the chosen strike, and the board, each a part of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QWidget

from app.capabilities.enforcement.messages import Strike
from app.console.actions import Action
from app.console.language import tr
from app.console.pages.enforcement.board import BoardPart
from app.console.pages.enforcement.draft import DraftPart
from app.console.pages.enforcement.strike import StrikePart
from app.console.pages.enforcement.view import EnforcementView
from app.console.pages.enforcement.words import PAGE
from app.console.part import Host, PartsPresenter
from app.console.session import WindowSession


class EnforcementPresenter(PartsPresenter):
    """Its parts read, show, and change by ``Operation`` alone; a Sovereign key may see none of it."""

    view: EnforcementView
    evidence_action = "enforcement.bundle"

    def __init__(self, session: WindowSession, view: EnforcementView) -> None:
        super().__init__(session, view)
        self.draft = DraftPart(self._host("draft"), view.draft, view.law, issued=self._show_issued)
        self.strike = StrikePart(
            self._host("strike"),
            view.strike,
            supply=self.draft.supply,
            point=self._point_at,
            warnings_of=self.draft.warnings_of,
        )
        self.board = BoardPart(
            self.host(),
            view.board,
            choose=self.strike.choose,
            open_strike=self.strike.open,
            supply=self.draft.supply,
            renew=self.draft.renew,
        )
        self.parts = (self.draft, self.board, self.strike)

    def _host(self, section: str) -> Host:
        view = self.view
        return self.host(shown=lambda: view.section == section, show=lambda: self._show(section))

    def _point_at(self, token: str) -> None:
        self.board.point_at(token)

    def _show(self, section: str) -> None:
        self.view.show_section(section)
        self.session.actions.refresh()

    def _show_issued(self, strike: Strike) -> None:
        self.strike.show(strike)
        self.view.board.table.setFocus()

    def actions(self) -> Sequence[Action]:
        view = self.view
        return [
            Action("enforcement.draft", tr("Go to the draft"), lambda: self._go_to("draft", view.draft.law), "pencil",
                   ("Alt+1",), PAGE),
            Action("enforcement.elements", tr("Go to what the law asks for"),
                   lambda: self._go_to("draft", view.law.elements), "list", ("Alt+2",), PAGE),
            Action("enforcement.board", tr("Go to the notices"), view.board.table.setFocus, "table-2", ("Alt+3",),
                PAGE),
            Action("enforcement.strike", tr("Go to the chosen strike"),
                   lambda: self._go_to("strike", view.strike.notices_table), "scale", ("Alt+4",), PAGE),
            Action("enforcement.attest", tr("Go to the attestation"),
                   lambda: self._go_to("draft", view.draft.typed), "user-check", ("Alt+5",), PAGE),
            *super().actions(),
        ]  # fmt: skip

    def _go_to(self, section: str, focus: QWidget) -> None:
        self._show(section)
        focus.setFocus()

    async def run(self, arguments: Mapping[str, str]) -> None:
        if self.board.host.may_write:
            await super().run(arguments)
            return
        for part in self.parts:
            part.resume()
        self.view.show_closed()

    async def close(self) -> None:
        self.draft.forget_papers()
        await super().close()
