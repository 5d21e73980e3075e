"""Directories: systems elsewhere that a burn must reach, how each is reached, and what the last trial of it found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.console.clock import date_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.pages.settings.directory_form import KINDS
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.marks import StateMark
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label
from app.registry.messages.directories import Directory, DirectoryProbe

_WORDS = {kind: word for kind, word, _ in KINDS}


def trial_state(probe: DirectoryProbe | None) -> tuple[Meaning, str]:
    """State and word of a trial; None: not tried since this page is open."""
    if probe is None:
        return Meaning.IDLE, tr("Not tried")
    if not probe.ok:
        return Meaning.BAD, tr("Would fail")
    return Meaning.OK, tr("Ready") if probe.latency_ms is None else tr("Ready, {ms:.0f} ms", ms=probe.latency_ms)


class DirectoriesView(QWidget):
    """The list with its actions, or why there is none."""

    def __init__(self, session: WindowSession) -> None:
        super().__init__()
        table = session.actions
        self._probes: Mapping[str, DirectoryProbe] = {}
        columns: list[Column[Directory]] = [
            Column(tr("DIRECTORY"), lambda row: row.directory_id, 170, mono=True),
            Column(tr("NAME"), lambda row: row.display_name or "–", 170),
            Column(tr("KIND"), lambda row: _WORDS[row.kind], 150),
            Column(tr("ADDRESS"), lambda row: row.url, mono=True, least=180, hint=lambda row: row.url),
            Column(tr("SECRET"), lambda row: tr("Set", "state") if row.secret.set else tr("None", "secret"), 84,
                   hint=lambda row: tr("Never given.") if row.secret.changed_at is None
                   else tr("Given {time}.", time=date_time(parse_time(row.secret.changed_at)))),
            Column(tr("LAST TRIAL"), lambda row: trial_state(self._probe(row))[1], 150,
                   state=lambda row: trial_state(self._probe(row))[0], hint=self._trial_words),
            Column(tr("TAGS"), lambda row: ", ".join(row.tags) or "–", 100, dim=True, spare=1),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.directory_id)
        self.table = DataTable(self.rows, name=tr("Directories"), sorts=True)
        self.none = EmptyState(
            "server",
            tr("No directory is registered yet."),
            tr(
                "Accounts, sessions and tokens elsewhere end with a burn only where their directory stands "
                "here: LDAP, SCIM, shared signals, OAuth, a webhook, or another site."
            ),
            table=table,
            action="settings.directory_new",
        )
        self.closed = EmptyState(
            "lock",
            tr("Directories need Citadel clearance."),
            tr("This console is connected with a Sovereign key: it can neither see nor change directories."),
        )
        self.away = EmptyState(
            "unplug", tr("No service is connected."), tr("The directories are listed as soon as one does.")
        )
        panel = TitledPanel(tr("Directories"), padding=12)
        self.mark = StateMark()
        self.mark.hide()
        panel.head.addWidget(self.mark)
        for action, role in (
            ("settings.directory_delete", "quiet"),
            ("settings.directory_change", "quiet"),
            ("settings.directory_try", "quiet"),
            ("settings.directory_new", "primary"),
        ):
            panel.head.addWidget(ActionButton(table, action, role=role))
        self.stack = Stack(200)
        for part in (self.away, self.table, self.none, self.closed):
            self.stack.addWidget(part)
        panel.body.addWidget(self.stack, 1)
        self.note = label("", "small", wrap=True)
        panel.body.addWidget(self.note)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 16, 0, 0)
        column.addWidget(panel)
        self.table.selected.connect(lambda _row: self._tell())

    def _probe(self, row: Directory) -> DirectoryProbe | None:
        return self._probes.get(row.directory_id)

    def _trial_words(self, row: Directory) -> str:
        probe = self._probe(row)
        return "" if probe is None else f"{date_time(parse_time(probe.at))}: {probe.found}"

    @property
    def chosen(self) -> Directory | None:
        """The directory under the cursor."""
        return self.rows.get(self.table.currentIndex().row())

    def show_directories(self, rows: Sequence[Directory], probes: Mapping[str, DirectoryProbe], wanted: str) -> None:
        """Show the list; ``probes`` by id; ``wanted``: the one to put the cursor on."""
        self._probes = probes
        self.rows.set_rows(rows)
        self.stack.setCurrentWidget(self.table if rows else self.none)
        at = self.rows.row_of(wanted)
        if rows and (at >= 0 or not self.table.currentIndex().isValid()):
            self.table.selectRow(max(at, 0))
        self._tell()

    def _tell(self) -> None:
        row = self.chosen
        found = "" if row is None else self._trial_words(row)
        self.note.setText(found or tr("A trial reads and changes nothing: it says whether a burn could act there now."))
