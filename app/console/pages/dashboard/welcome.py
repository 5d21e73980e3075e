"""The first steps of a new site: they stand where the desk is until they are done, or until somebody skips them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtWidgets import QWidget

from app.console.actions import Action
from app.console.failures import NothingRead
from app.console.language import tr
from app.console.pages.dashboard.first_steps import SITE_STEPS, TRAINING_STEPS, first_to_burn, read_results, steps_of
from app.console.pages.dashboard.frames import FramesPart
from app.console.pages.dashboard.opening import open_page
from app.console.pages.dashboard.view import DashboardView
from app.console.part import Host, Part


class Welcome(Part):
    """Reads what is done while the steps are shown, and until it is known that they need not be. ``frames`` tells how
    many frames there are. The choice of the operator is the preference ``first_steps``."""

    every_s = 5.0
    kinds = frozenset({"burns", "cards", "directories", "operators", "clusters", "readers"})

    def __init__(self, host: Host, view: DashboardView, frames: FramesPart) -> None:
        super().__init__(host)
        self._page = view
        self._frames = frames
        self._results: Mapping[str, str] = {}
        self.view: QWidget = view.welcome

    def actions(self) -> Sequence[Action]:
        here = "dashboard"
        return [
            Action(
                "dashboard.desk", tr("Show the desk"), self._skip, "layout-dashboard", ("Alt+0",), here,
                when=lambda: self._page.welcomes,
                hint=tr("The first steps are in the palette when you want them again."),
            ),
            Action(
                "dashboard.steps", tr("Show the first steps"), self._show_again, "life-buoy", (), here,
                when=lambda: not self._page.welcomes,
                hint=tr("What a new site is tried with; each step is ticked by what the service knows."),
            ),
            self._step(
                "burn", tr("Burn a training person"), "flame", self._open_burn,
                tr(
                    "Opens the page with a person who has a card: nobody is burned before you hold the "
                    "button."),
            ),
            self._step("card", tr("Write a card"), "id-card", lambda: self._open("write_card")),
            self._step("directory", tr("Add a directory"), "server", lambda: self._open("settings", "directories")),
            self._step("operator", tr("Add an operator"), "user-check", lambda: self._open("settings", "operators")),
            self._step("reader", tr("Pair a reader"), "door-open", lambda: self._open("readers")),
        ]  # fmt: skip

    def _step(self, name: str, title: str, icon: str, run: Callable[[], object], hint: str = "") -> Action:
        """The action of a step: it opens the page where the step is done, if the operator may do it there."""
        action = f"dashboard.first_{name}"
        call = next(one.call for one in (*TRAINING_STEPS, *SITE_STEPS) if one.action == action)
        return Action(
            action,
            title,
            run,
            icon,
            (),
            "dashboard",
            when=lambda: self._page.welcomes and self.session.permissions.may(call),
            hint=hint,
        )

    def _open(self, page: str, section: str = "") -> None:
        """Open another page."""
        open_page(self.session, page, {"section": section})

    def first_control(self) -> QWidget | None:
        return self._page.welcome.next_button if self._page.welcomes else None

    @property
    def _asked(self) -> str:
        return self.session.preferences.value.first_steps

    async def read(self) -> None:
        done = self._results.keys() >= {one.key for one in steps_of(self.session.training)}
        # What was done once is not looked for again on the page that is in front all day.
        if self._asked == "skipped" or (done and not self._asked):
            raise NothingRead
        self._results = await read_results(self.session.client, self.session.training)

    def paint_all(self) -> None:
        steps, permissions = steps_of(self.session.training), self.session.permissions
        open_ = [one for one in steps if one.key not in self._results]
        self._show(self._asked == "shown" or (not self._asked and bool(open_)))
        self._page.welcome.show_results(self._results, {one.key: permissions.refusal((one.call,)) for one in steps})
        frames = len(self._frames.board.frames)
        self._page.welcome.sentence.setText(
            tr("Each is tried on the spot, and ticked by what the service knows of it.")
            if not self.session.training
            else tr(
                "{count} frames, doors, persons and cards are simulated here. Nothing real is touched.", count=frames
            )
            if frames
            else tr("Server frames, doors, persons and cards are simulated here. Nothing real is touched.")
        )

    # --- hands -------------------------------------------------------------------------------------------------------

    def _skip(self) -> None:
        """Show the desk from now on."""
        self._choose("skipped")

    def _show_again(self) -> None:
        """Show the steps, done or not, until the desk is asked for."""
        self._choose("shown")

    def _choose(self, first_steps: str) -> None:
        """Keep the choice, and show what was chosen."""
        self.session.preferences.remember_first_steps(first_steps)
        self._show(first_steps == "shown")
        self.read_now()

    def _show(self, welcomes: bool) -> None:
        """Show the steps or the desk; hands that were on what goes are put on what comes."""
        if welcomes == self._page.welcomes:
            return
        had_keys = self._page.show_welcome(welcomes)
        # Buttons follow their actions: one that is off would not take the focus.
        self.session.actions.refresh()
        if had_keys:
            (self._page.welcome.next_button if welcomes else self._page.attention.table).setFocus()

    def _open_burn(self) -> None:
        """Open the Burn page with somebody who can lose something."""

        async def find() -> None:
            open_page(self.session, "burn", {"node_id": await first_to_burn(self.session.client)})

        self.host.spawn(find(), name="somebody to burn")
