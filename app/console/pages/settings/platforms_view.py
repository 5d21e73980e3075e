"""Platforms: systems elsewhere that declarations and notices go to, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.console.clock import date_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.session import WindowSession
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.marks import StateMark
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel
from app.registry.messages.platforms import NoticePlatform, PlatformChannel

_WORDS: Final[Mapping[PlatformChannel, str]] = {"mail": tr("Mail"), "https": tr("Call"), "form": tr("Form")}


class PlatformsView(QWidget):
    """The list with its actions, or why there is none."""

    def __init__(self, session: WindowSession) -> None:
        super().__init__()
        table = session.actions
        columns: list[Column[NoticePlatform]] = [
            Column(tr("PLATFORM"), lambda row: row.platform_id, 190, mono=True),
            Column(tr("NAME"), lambda row: row.display_name, 200),
            Column(tr("CHANNEL"), lambda row: _WORDS[row.channel], 90),
            Column(tr("ADDRESS"), lambda row: row.address, mono=True, least=180, hint=lambda row: row.address),
            Column(tr("LAWS"), lambda row: ", ".join(sorted(row.framework_contacts)) or "–", 110,
                   hint=lambda row: "\n".join(
                       f"{code}: {one.address}" for code, one in sorted(row.framework_contacts.items()))),
            Column(tr("DEFAULT"), lambda row: tr("Yes") if row.default else "–", 84,
                   hint=lambda row: tr("A strike that names no platform means this one, too.") if row.default else ""),
            Column(tr("TOKEN"), lambda row: tr("Set", "state") if row.secret.set else tr("None", "token"), 84, spare=2,
                   hint=lambda row: tr("Never given.") if row.secret.changed_at is None
                   else tr("Given {time}.", time=date_time(parse_time(row.secret.changed_at)))),
            Column(tr("TAGS"), lambda row: ", ".join(row.tags) or "–", 90, dim=True, spare=1),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.platform_id)
        self.table = DataTable(self.rows, name=tr("Platforms"), sorts=True)
        self.none = EmptyState(
            "at-sign",
            tr("No platform is registered yet."),
            tr(
                "Declarations and notices of a strike go to platforms that stand here: by mail, by a call, "
                "or by a form that a person fills in."
            ),
            table=table,
            action="settings.platform_new",
        )
        self.away = EmptyState(
            "unplug", tr("No service is connected."), tr("The platforms are listed as soon as one does.")
        )
        panel = TitledPanel(tr("Platforms"), padding=12)
        self.mark = StateMark()
        self.mark.hide()
        panel.head.addWidget(self.mark)
        for action, role in (
            ("settings.platform_delete", "quiet"),
            ("settings.platform_change", "quiet"),
            ("settings.platform_new", "primary"),
        ):
            panel.head.addWidget(ActionButton(table, action, role=role))
        self.stack = Stack(200)
        for part in (self.away, self.table, self.none):
            self.stack.addWidget(part)
        panel.body.addWidget(self.stack, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 16, 0, 0)
        column.addWidget(panel)

    @property
    def chosen(self) -> NoticePlatform | None:
        """The platform under the cursor."""
        return self.rows.get(self.table.currentIndex().row())

    def show_platforms(self, rows: Sequence[NoticePlatform], wanted: str) -> None:
        """Show the list; ``wanted``: the one to put the cursor on."""
        self.rows.set_rows(rows)
        self.stack.setCurrentWidget(self.table if rows else self.none)
        at = self.rows.row_of(wanted)
        if rows and (at >= 0 or not self.table.currentIndex().isValid()):
            self.table.selectRow(max(at, 0))
