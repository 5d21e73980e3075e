"""A burn begins on the Dashboard: who, what it would touch, why. It is held on the page Burn, which this opens filled
in: there is one place where somebody is burned."""

from __future__ import annotations

from collections.abc import Sequence

from app.capabilities.burn.messages import Preview, PreviewBody
from app.console.actions import Action
from app.console.language import tr
from app.console.pages.dashboard.burn_dock_view import BurnDock
from app.console.pages.dashboard.opening import has_page, open_page
from app.console.part import Host, Part
from app.console.widgets.choice import Choice

REASONS = ("burn.reason_leak", "burn.reason_lost", "burn.reason_discharge")
"""Actions of the page Burn that fill in a reason, which is their title."""


class BurnDockPart(Part):
    """Foresees what a burn of the chosen person would touch: when it is chosen, and again every few seconds."""

    every_s = 5.0
    kinds = frozenset({"burns", "nodes", "readers", "cards", "grants"})

    def __init__(self, host: Host, view: BurnDock) -> None:
        super().__init__(host)
        self.view: BurnDock = view
        self._subject: Choice | None = None
        self._preview: Preview | None = None
        view.field.searched.connect(lambda text: host.suggest(view.field, text))
        view.field.chosen.connect(self._choose)
        view.field.cleared.connect(self._drop)

    def actions(self) -> Sequence[Action]:
        return [
            Action(
                "dashboard.burn_subject", tr("Choose whom to burn"), self.view.field.setFocus, "user-x", ("Alt+4",),
                "dashboard", calls=("burn_preview",), ends_past=True,
            ),
            Action(
                "dashboard.burn", tr("Go on to the hold"), self._go_on, "flame", (), "dashboard",
                when=lambda: self._subject is not None and has_page(self.session, "burn"), calls=("burn_preview",),
                hint=tr("Opens Burn with this person and this reason filled in. It burns nobody by itself."),
                ends_past=True,
            ),
        ]  # fmt: skip

    @property
    def allowed(self) -> bool:
        """Whether the operator at the desk may burn."""
        permissions = self.session.permissions
        return permissions.may("burn_preview") and permissions.may("burn_execute")

    async def read(self) -> None:
        subject = self._subject
        if subject is None or not self.allowed:
            self._preview = None
            return
        preview = await self.session.client.burn_preview(PreviewBody(node_id=subject.id))
        if self._subject is subject:
            self._preview = preview

    def paint_all(self) -> None:
        self._show()

    def paint(self) -> None:
        super().paint()
        if not self.view.has_reasons:
            self.view.show_reasons([action.title for action in self.session.actions.all() if action.id in REASONS])

    def _choose(self, choice: Choice) -> None:
        self._subject, self._preview = choice, None
        self._show()
        self.read_now()
        self.session.actions.refresh()

    def _drop(self) -> None:
        self._subject = self._preview = None
        self._show()
        self.session.actions.refresh()

    def _show(self) -> None:
        subject, preview = self._subject, self._preview
        if subject is None:
            self.view.show_nobody()
        elif preview is None or preview.node_id != subject.id:
            self.view.show_person(subject.title)
        else:
            self.view.show_preview(subject.title, preview)

    def _go_on(self) -> None:
        if self._subject is not None:
            arguments = {"node_id": self._subject.id, "reason": self.view.reason}
            open_page(self.session, "burn", arguments)
