"""What is granted at doors: the credential profiles, and the sync of one to a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QBoxLayout, QComboBox, QGridLayout

from app.capabilities.credentials.messages import SyncReader
from app.console import theme
from app.console.actions import ActionTable
from app.console.language import tr
from app.console.pages.readers.words import SYNC_STATES, credential_words, sync_word
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import NOTHING_BESIDE_BELOW, lay
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.folding import Folding
from app.console.widgets.marks import StateMark
from app.console.widgets.person_columns import person_columns
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import ElidedLabel, TitledPanel, label
from app.registry.messages.profiles import CredentialProfile

LIFETIMES = (
    (60, tr("1 minute")),
    (3600, tr("1 hour")),
    (28800, tr("8 hours")),
    (86400, tr("1 day")),
    (604800, tr("7 days")),
)


class GrantsView(Folding):
    """Emits ``chosen`` with the row of a profile. The sync stands beside the profiles, or below them."""

    chosen = Signal(int)

    def __init__(self, table: ActionTable) -> None:
        super().__init__(NOTHING_BESIDE_BELOW)
        self._parts = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._parts.setContentsMargins(0, 12, 0, 0)
        self._parts.setSpacing(12)
        self._parts.addWidget(self._profiles(table), 5)
        self._parts.addWidget(self._sync(table), 4)
        self.fit()

    def turn(self, narrow: bool) -> None:
        lay(self._parts, across=not narrow)

    def _profiles(self, table: ActionTable) -> TitledPanel:
        """The profiles, and what stands in their place when there is none."""
        panel = TitledPanel(tr("Credential profiles"), padding=12)
        panel.head.addWidget(ActionButton(table, "readers.more_profiles", role="quiet"))
        panel.head.addWidget(ActionButton(table, "readers.delete_profile", text=tr("Delete"), role="quiet"))
        profiles: list[Column[CredentialProfile]] = [
            Column(tr("PROFILE"), lambda row: row.profile_id, 170, mono=True),
            *person_columns(self, lambda row: row.node_id, 100),
            Column(tr("CREDENTIAL"), credential_words, 140, mono=True, spare=1),
            Column(tr("CLUSTERS"), lambda row: ", ".join(row.clusters)),
        ]
        self.profiles = RowsModel(profiles, lambda row: row.profile_id)
        self.profile_table = DataTable(
            self.profiles, name=tr("Credential profiles"), sorts=True, proof=lambda one: one.profile_id
        )
        self.profile_table.selected.connect(self.chosen)
        self.no_profiles = EmptyState(
            "key-round",
            tr("No credential profile yet."),
            tr("Write a card and grant access: its profile appears here, and can be given to other clusters."),
        )
        panel.body.addWidget(self.profile_table, 1)
        panel.body.addWidget(self.no_profiles, 1)
        self.no_profiles.hide()
        return panel

    def _sync(self, table: ActionTable) -> TitledPanel:
        """The form of a sync, and the doors of the last one."""
        panel = TitledPanel(tr("Sync to a cluster"), padding=12)
        self.sync_mark = StateMark()
        self.sync_mark.hide()
        panel.head.addWidget(self.sync_mark)
        panel.body.addLayout(self._form())
        self.sync_error = label("", "error", wrap=True)
        self.sync_error.hide()
        panel.body.addWidget(self.sync_error)
        panel.body.addWidget(ActionButton(table, "readers.sync", role="primary", with_key=True))
        self.sync_words = label("", "small", wrap=True)
        panel.body.addWidget(self.sync_words)
        results: list[Column[SyncReader]] = [
            Column(tr("DOOR"), lambda row: row.reader_id, mono=True),
            Column(tr("STATE"), lambda row: sync_word(row.state), 140, state=lambda row: SYNC_STATES[row.state]),
            Column(tr("CHANNEL"), lambda row: tr("secure") if row.secure_channel else tr("none", "channel"), 84,
                   dim=True, spare=1),
            Column(tr("PROVEN IN"), lambda row: "–" if row.latency_ms is None else f"{row.latency_ms:.0f} ms", 92,
                   right=True, hint=lambda row: row.detail or ""),
        ]  # fmt: skip
        self.results = RowsModel(results, lambda row: row.reader_id)
        self.result_table = DataTable(self.results, name=tr("Doors of the sync"), sorts=True)
        panel.body.addWidget(self.result_table, 1)
        return panel

    def _form(self) -> QGridLayout:
        """Which profile, at which cluster, for how long."""
        form = QGridLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(6)
        self.sync_profile = ElidedLabel(tr("Choose a profile"), "mono")
        self.sync_profile.setFont(theme.mono())
        self.sync_cluster = QComboBox()
        self.sync_cluster.setAccessibleName(tr("Cluster to sync to"))
        self.sync_ttl = QComboBox()
        self.sync_ttl.setAccessibleName(tr("How long the grant holds"))
        for seconds, words in LIFETIMES:
            self.sync_ttl.addItem(words, seconds)
        self.sync_ttl.setCurrentIndex(2)
        for at, (title, field) in enumerate(
            ((tr("Profile"), self.sync_profile), (tr("Cluster"), self.sync_cluster), (tr("Holds for"), self.sync_ttl))
        ):
            caption = label(title, "dim")
            caption.setBuddy(field)
            form.addWidget(caption, at, 0)
            form.addWidget(field, at, 1)
        form.setColumnStretch(1, 1)
        return form

    def show_profiles(self, rows: Sequence[CredentialProfile]) -> None:
        """Show the profiles; the chosen one stays chosen."""
        chosen = self.profile
        self.profiles.set_rows(rows)
        self.profile_table.setVisible(bool(rows))
        self.no_profiles.setVisible(not rows)
        at = self.profiles.row_of(chosen.profile_id) if chosen else 0
        if rows and self.profile_table.currentIndex().row() != max(0, at):
            self.profile_table.selectRow(max(0, at))

    @property
    def profile(self) -> CredentialProfile | None:
        """The chosen profile."""
        return self.profiles.get(self.profile_table.currentIndex().row())

    def show_profile(self, profile: CredentialProfile | None, names: Mapping[str, str]) -> None:
        """Show the chosen profile in the form. ``names``: display names of clusters by their ids."""
        self.sync_profile.setText(profile.profile_id if profile else tr("Choose a profile"))
        before = self.sync_cluster.currentData()
        self.sync_cluster.clear()
        for cluster_id in profile.clusters if profile else ():
            self.sync_cluster.addItem(names.get(cluster_id, cluster_id), cluster_id)
        self.sync_cluster.setCurrentIndex(max(0, self.sync_cluster.findData(before)))

    def show_sync_error(self, sentence: str) -> None:
        """Say why it was not synced; the empty text says nothing."""
        self.sync_error.setText(sentence)
        self.sync_error.setVisible(bool(sentence))

    def show_sync(self, state: Meaning, words: str, detail: str, rows: Sequence[SyncReader]) -> None:
        """Show how far a sync is."""
        self.sync_mark.show()
        self.sync_mark.set(state, words)
        self.sync_words.setText(detail)
        self.results.set_rows(rows)
