"""The provisioning that is shown, section by section, and the history that opens others."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt

from app.capabilities.provisioning.messages import Provision, ProvisionListQuery, ProvisionPage
from app.console.actions import Action
from app.console.cards.jobs import usual_ms
from app.console.cards.words import CardHolder
from app.console.failures import Superseded
from app.console.growing import Growing
from app.console.language import tr
from app.console.pages.write_card.access import CardAccess
from app.console.pages.write_card.mailer import Mailer
from app.console.pages.write_card.paper import Papers
from app.console.pages.write_card.recorder import Recorder
from app.console.pages.write_card.state import WriteCardState
from app.console.pages.write_card.view import DOCTOR, FOUR_EYES, HISTORY, PAPER, PROOF, TRACE

HISTORY_PAGE = 100


class Results:
    """Shows one provisioning in all its sections."""

    def __init__(
        self, state: WriteCardState, mailer: Mailer, access: CardAccess, recorder: Recorder, papers: Papers
    ) -> None:
        self._state = state
        self._recorder = recorder
        self._papers = papers
        self._mailer = mailer
        self._access = access
        self._listed = False
        self._written: Growing[Provision] = Growing(self._ask, lambda one: one.provision_id, page=HISTORY_PAGE)
        state.view.section_shown.connect(lambda _at: self._load())
        state.view.third.moved.connect(lambda _beside: self._load_list())
        state.view.provision_opened.connect(lambda found: state.spawn(self.open(found), name="provisioning"))

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table."""
        page = "write_card"
        return [
            Action("write_card.history", tr("Show the cards written"), lambda: self.tab(HISTORY), "history",
                ("Alt+1",), page),
            Action("write_card.result", tr("Show keys and proof"), lambda: self.tab(PROOF), "file-check", ("Alt+2",),
                page),
            Action("write_card.trace", tr("Show the APDU trace"), lambda: self.tab(TRACE), "cpu", ("Alt+3",), page),
            Action("write_card.doctor", tr("Show reader doctor"), lambda: self.tab(DOCTOR), "life-buoy", ("Alt+4",),
                page),
            Action(
                "write_card.paper", tr("Show receipt and badge"), lambda: self.tab(PAPER), "file-text", ("Alt+6",), page
            ),
            Action(
                "write_card.older", tr("Older provisionings"), self._older, "chevron-down", page=page,
                when=lambda: not self._written.complete,
            ),
        ]  # fmt: skip

    def tab(self, at: int) -> None:
        """Show a section, with the hands in it. The cards written need no tab where they stand beside them."""
        view = self._state.view
        if at != HISTORY or not view.history_shown:
            view.tabs.setCurrentIndex(at)
        target = {
            TRACE: view.trace.table,
            HISTORY: view.history_table,
            DOCTOR: view.doctor.table,
            FOUR_EYES: view.four_eyes.table,
        }.get(at)
        if target is not None:
            target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    async def open(self, provision_id: str) -> None:
        """Show the provisioning that a person asked for."""
        found = await self._state.session.client.provisioning_get_provision(provision_id)
        self.show(found, opened=True)
        self.tab(PROOF)
        # At once: what the steps tell of the next act must not be painted over by this.
        self._state.show()
        self._state.session.actions.refresh()

    def show(self, found: Provision, *, opened: bool = False) -> None:
        """Show this one."""
        self._state.shown = found
        self._state.opened = opened
        self._state.view.outcome.show_provision(found)
        self._state.view.then.show_grant_error("")
        self._access.show()
        self._mailer.show()
        self._state.spawn(self._papers.load(), name="receipt")
        self._load()

    async def refresh(self, provision_id: str) -> None:
        """The provisioning with its holder's standing and the grants of its card, as they are now."""
        state = self._state
        before = self._access.lines_of(provision_id)
        found = await state.session.client.provisioning_get_provision(provision_id)
        node = await state.session.client.registry_get_node(found.node_id)
        state.holders[node.node_id] = CardHolder(node.display_name, node.standing)
        for job in state.jobs.values():
            if job.provision_id == provision_id:
                job.provision = found
        self._access.end_lines(found, node, before)
        if state.shows(provision_id):
            state.shown = found
            state.view.outcome.show_provision(found)
            self._access.show()
            self._mailer.show()
        self.read_list()
        state.show()

    def forget_list(self) -> None:
        """A write has ended: what is listed is read again."""
        self._listed = False
        self._load()

    def read_list(self) -> None:
        """What is listed may be another: read it again, once it is in sight."""
        self._listed = False
        self._load_list()

    def _load(self) -> None:
        if not self._state.session.is_connected:
            return
        if self._state.view.tabs.currentIndex() == TRACE:
            self._state.spawn(self._recorder.load(), name="trace")
        self._load_list()

    def _load_list(self) -> None:
        if self._state.session.is_connected and self._state.view.history_shown and not self._listed:
            self._listed = True
            self._state.spawn(self._read_list(), name="history")

    async def _ask(self, cursor: str | None, limit: int) -> ProvisionPage:
        query = ProvisionListQuery(limit=limit, cursor=cursor)
        return await self._state.session.client.provisioning_list_provisions(query=query)

    async def _read_list(self) -> None:
        try:
            await self._written.read()
        except Superseded:
            return
        except Exception:
            self._listed = False
            raise
        self._show_list()

    def _show_list(self) -> None:
        self._state.usual = usual_ms(self._written.rows.values())
        self._state.view.show_history(list(self._written.rows.values()), more=not self._written.complete)
        self._state.session.actions.refresh()

    def _older(self) -> None:
        self._state.spawn(self._read_older(), name="history")

    async def _read_older(self) -> None:
        if await self._written.grow():
            self._show_list()
