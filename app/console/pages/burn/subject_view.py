"""Whom the burn page is about: the field that finds a person, and what is known of the one chosen."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.capabilities.burn.messages import Preview
from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import clock_time, parse_time, utc_time
from app.console.pages.burn.drill import DrillBand
from app.console.theme.tokens import Meaning, sentence_case, state_of
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.marks import StateMark
from app.console.widgets.text import ElidedLabel, TitledPanel, label


class SubjectPanel(TitledPanel):
    """The field of the subject, and what is known of it."""

    def __init__(self, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__("Subject", parent=parent)
        self.head.addWidget(ActionButton(table, "burn.new", role="quiet"))
        self.field = ChoiceField("Name or node id", name="Whom to burn")
        self.body.addWidget(self.field)
        self.drill = DrillBand()
        self.body.addWidget(self.drill)
        row = QHBoxLayout()
        row.setSpacing(8)
        self._id = ElidedLabel("", "mono")
        self._id.setFont(theme.mono())
        self._standing = StateMark()
        row.addWidget(self._id, 1)
        row.addWidget(self._standing)
        self._seen = label("", "small", wrap=True)
        self.body.addLayout(row)
        self.body.addWidget(self._seen)
        self.show_nobody()

    def show_nobody(self) -> None:
        """Show that no subject is chosen yet."""
        self.drill.show_drill(False)
        self._id.setText("")
        self._standing.hide()
        self._seen.setText("Type a name or an id. An id that is not registered can be burned too.")

    def show_preview(self, preview: Preview) -> None:
        """Show what the API knows of the subject."""
        self.drill.show_drill(preview.drill)
        self._id.setText(preview.node_id)
        self._standing.show()
        if not preview.known:
            self._standing.set(Meaning.WARN, "Not registered")
            self._seen.setText("No such node is registered here. The id itself will be denied at every door.")
            return
        standing = preview.standing or "UNKNOWN"
        self._standing.set(state_of(standing), sentence_case(standing))
        if preview.last_access is None:
            self._seen.setText("Not seen at a door since the service was started.")
        else:
            at = parse_time(preview.last_access)
            self._seen.setText(f"Last let in at {clock_time(at)}, {preview.last_access_reader}.")
            self._seen.setToolTip(utc_time(at))

    @property
    def said(self) -> str:
        """The line below the subject."""
        return self._seen.text()

    @property
    def standing(self) -> str:
        """The word of the subject's standing; empty without a subject."""
        return "" if self._standing.isHidden() else self._standing.word
