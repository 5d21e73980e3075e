"""Why a second key, or a second person, should agree: the form that asks for it, on every page that asks for one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from app.console.approvals import LONGEST_REASON
from app.console.language import tr
from app.console.widgets.form import FormDialog

SAY_WHY = tr("Say why: the person who agrees reads this.")


class ReasonForm(FormDialog):
    """``asked`` gets the reason, without what is too long; ``example`` stands in the empty field."""

    def __init__(
        self,
        window: QWidget,
        title: str,
        sentence: str,
        asked: Callable[[str], None],
        *,
        example: str,
        verb: str = tr("Ask"),
    ) -> None:
        super().__init__(window, title, sentence, verb)
        self._asked = asked
        self.reason = self.text("reason", tr("Reason"), example)
        self.reason.setFocus()

    def ask(self) -> bool:
        reason = self.reason.toPlainText().strip()
        if not reason:
            self.mark("reason", SAY_WHY)
            return False
        self._asked(reason[:LONGEST_REASON])
        return True
