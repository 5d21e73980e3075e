"""A page for tests of the shell: it records what happens to it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QLineEdit, QWidget

from app.console.actions import Action, Effect
from app.console.operations import Change
from app.console.page import PageView, Presenter
from app.console.session import WindowSession
from app.console.widgets.buttons import ActionButton


class SampleView(PageView):
    """A field and a button."""

    def __init__(self, session: WindowSession) -> None:
        super().__init__("Sample")
        self.field = QLineEdit()
        self.field.setAccessibleName("Filter")
        self.body.addWidget(self.field)
        self.body.addWidget(ActionButton(session.actions, "sample.do", role="primary"))


class SamplePresenter(Presenter):
    """Writes down its life."""

    view: SampleView
    evidence_action = "sample.prove"

    def __init__(self, session: WindowSession, view: SampleView) -> None:
        super().__init__(session, view)
        self.life: list[str] = []
        self.done: list[str] = []
        self.changes: list[Change] = []
        self.provable = False

    def actions(self) -> Sequence[Action]:
        return [
            Action("sample.do", "Do the thing", self.do, "play", ("Ctrl+Return",), page="sample"),
            Action("sample.burn", "Burn it all", self.burn, page="sample", effect=Effect.IRREVERSIBLE),
            Action("sample.prove", "Prove what is shown", self.prove, page="sample", when=lambda: self.provable),
        ]

    def do(self) -> None:
        """The primary action."""
        self.done.append("do")

    def burn(self) -> None:
        """The irreversible one."""
        self.done.append("burn")

    def prove(self) -> None:
        """The evidence of what the page shows."""
        self.done.append("prove")

    def filter_field(self) -> QWidget | None:
        return self.view.field

    def take_change(self, change: Change) -> None:
        self.changes.append(change)

    async def run(self, arguments: Mapping[str, str]) -> None:
        self.life.append(f"enter {dict(arguments)}")
        try:
            await asyncio.Event().wait()
        finally:
            self.life.append("leave")


def make(session: WindowSession) -> SamplePresenter:
    """The page."""
    return SamplePresenter(session, SampleView(session))
