"""What the page looks like: doors live, what is granted at them, the units."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QSizePolicy,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.capabilities.credentials.messages import SyncReader
from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import age, clock_time, date_time, parse_time, utc_time
from app.console.page import PageView
from app.console.pages.readers.doors import (
    SYNC_STATES,
    CardAtDoor,
    Door,
    cluster_state,
    reason_words,
)
from app.console.theme.tokens import Meaning, sentence_case
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.empty import EmptyState
from app.console.widgets.marks import StateMark
from app.console.widgets.side import Side
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import ElidedLabel, TitledPanel, label, separator
from app.console.widgets.verdict import VerdictLabel
from app.registry.messages.clusters import ReaderCluster
from app.registry.messages.profiles import CredentialProfile
from app.registry.messages.units import Unit

LIFETIMES = ((60, "1 minute"), (3600, "1 hour"), (28800, "8 hours"), (86400, "1 day"), (604800, "7 days"))
SIDE_PX = 264


class ReadersView(PageView):
    """Emits ``cluster_chosen`` (row), ``cluster_opened`` (row: Enter), ``door_chosen`` (row), ``filtered``,
    ``searched``, ``person_chosen`` (Choice), ``person_cleared``, ``profile_chosen`` (row), ``section_shown``."""

    cluster_chosen = Signal(int)
    cluster_opened = Signal(int)
    door_chosen = Signal(int)
    filtered = Signal(str)
    searched = Signal(str)
    person_chosen = Signal(object)
    person_cleared = Signal()
    profile_chosen = Signal(int)
    section_shown = Signal(int)

    def __init__(self, table: ActionTable, *, training: bool) -> None:
        super().__init__("Readers", scrolls=True)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setAccessibleName("Sections of the readers")
        self.tabs.addTab(self._doors_section(table, training), "Doors")
        self.tabs.addTab(self._grants_section(table), "Grants")
        self.tabs.addTab(self._units_section(table), "Units")
        self.tabs.currentChanged.connect(self.section_shown)
        self.body.addWidget(self.tabs, 1)

    # --- doors -------------------------------------------------------------------------------------------------------

    def _doors_section(self, table: ActionTable, training: bool) -> QWidget:
        inside = QWidget()
        columns = QHBoxLayout(inside)
        columns.setContentsMargins(0, 12, 0, 0)
        columns.setSpacing(12)
        left = Side(SIDE_PX)
        left.column.addWidget(self._clusters(table))
        columns.addWidget(left)
        middle = QVBoxLayout()
        middle.setSpacing(12)
        middle.addWidget(self._doors(), 3)
        middle.addWidget(self._accesses(), 2)
        columns.addLayout(middle, 1)
        if training:
            right = Side(SIDE_PX)
            right.column.addWidget(self._training(table))
            columns.addWidget(right)
        return inside

    def _clusters(self, table: ActionTable) -> TitledPanel:
        panel = TitledPanel("Clusters", padding=12)
        rows: list[Column[ReaderCluster]] = [
            Column("CLUSTER", lambda row: row.display_name, hint=lambda row: f"{row.display_name}\n{row.cluster_id}"),
            Column("SECURE", lambda row: cluster_state(row)[1], 100, state=self._cluster_state),
        ]
        self.clusters_stale = False
        self.clusters = RowsModel(rows, lambda row: row.cluster_id)
        self.cluster_table = DataTable(self.clusters, name="Reader clusters")
        self.cluster_table.selected.connect(self.cluster_chosen)
        self.cluster_table.opened.connect(self.cluster_opened)
        self.no_clusters = EmptyState(
            "door-closed",
            "No cluster is registered.",
            "A cluster is the doors that are granted as one. Register the first, then pair its readers.",
        )
        panel.body.addWidget(self.cluster_table, 1)
        panel.body.addWidget(self.no_clusters, 1)
        panel.body.addWidget(ActionButton(table, "readers.register", with_key=True))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(ActionButton(table, "readers.edit", text="Edit", with_key=True), 1)
        row.addWidget(ActionButton(table, "readers.delete_cluster", text="Delete"), 1)
        panel.body.addLayout(row)
        panel.body.addWidget(ActionButton(table, "readers.rotate_keys", with_key=True))
        self.enrol = ActionButton(table, "readers.enrol")
        self.enrol.hide()
        panel.body.addWidget(self.enrol)
        self.no_clusters.hide()
        return panel

    def _cluster_state(self, row: ReaderCluster) -> Meaning:
        return Meaning.IDLE if self.clusters_stale else cluster_state(row)[0]

    def _doors(self) -> TitledPanel:
        panel = self.doors_panel = TitledPanel("Doors", padding=12)
        self.freshness = StateMark()
        panel.head.addWidget(self.freshness)
        row = QHBoxLayout()
        row.setSpacing(12)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter doors   /")
        self.filter.setAccessibleName("Filter doors by id")
        self.filter.setClearButtonEnabled(True)
        self.filter.setMaximumWidth(theme.px(220))
        self.filter.textChanged.connect(self.filtered)
        self.summary = ElidedLabel("", "dim")
        row.addWidget(self.filter, 1)
        row.addWidget(self.summary, 2)
        panel.body.addLayout(row)
        columns: list[Column[Door]] = [
            Column("DOOR", lambda door: door.reader.reader_id, 132, mono=True),
            Column("STATE", lambda door: door.word, 150, state=lambda door: door.state),
            Column("SINCE", _since, 88, dim=True, spare=1,
                   hint=lambda door: utc_time(door.since) if door.since else "Never seen"),
            Column("FIRMWARE", lambda door: door.reader.firmware or "–", 84, spare=3),
            Column("EPOCH", lambda door: door.epoch, 72, right=True,
                   hint=lambda door: f"The newest change that it acknowledged: {door.reader.epoch}"
                   + ("; it keeps a list of its own" if door.reader.onboard_list else "")),
            Column("KEY", lambda door: door.key(time.time()), 84, dim=True, spare=2, hint=lambda door: door.key_hint),
            Column("CHANNEL", lambda door: f"{door.reader.channel} @{door.reader.address}", mono=True, least=116),
        ]  # fmt: skip
        self.doors = RowsModel(columns, lambda door: door.reader.reader_id)
        self.door_table = DataTable(self.doors, name="Doors of the cluster")
        self.door_table.selected.connect(self.door_chosen)
        self.door_table.setMinimumWidth(theme.px(620))
        self.door_table.setMinimumHeight(theme.px(160))
        panel.body.addWidget(self.door_table, 1)
        return panel

    def _accesses(self) -> TitledPanel:
        panel = TitledPanel("Cards at doors, live", padding=12)
        self.stream = StateMark()
        panel.head.addWidget(self.stream)
        columns: list[Column[CardAtDoor]] = [
            Column("TIME", lambda row: clock_time(parse_time(row.event.at)), 84, dim=True,
                   hint=lambda row: utc_time(parse_time(row.event.at))),
            Column("DECISION", lambda row: row.event.decision, 88, state=lambda row: row.state),
            Column("NODE", lambda row: row.event.node_id or "unknown card", 104, mono=True),
            Column("DOOR", lambda row: row.event.reader_id, 128, mono=True),
            Column("WHY", lambda row: reason_words(row.event.reason), least=144),
            Column("DECIDED IN", lambda row: f"{row.event.latency_ms:.2f} ms", 90, right=True, spare=1,
                   hint=lambda row: f"From the card to the decision, at epoch {row.event.epoch}"),
        ]  # fmt: skip
        self.accesses = RowsModel(columns, lambda row: row.key)
        self.access_table = DataTable(self.accesses, name="Cards at doors, newest first")
        self.no_accesses = EmptyState(
            "id-card", "No card was held to a door yet.", "Each card appears here with the door's decision and why."
        )
        panel.body.addWidget(self.access_table, 1)
        panel.body.addWidget(self.no_accesses, 1)
        self.access_table.hide()
        return panel

    def _training(self, table: ActionTable) -> TitledPanel:
        panel = TitledPanel("Training: at the door", padding=12)
        self.door_name = ElidedLabel("No door is chosen", "heading")
        self.door_mark = StateMark()
        panel.body.addWidget(self.door_name)
        panel.body.addWidget(self.door_mark)
        panel.body.addSpacing(4)
        caption = label("Whose badge", "dim")
        panel.body.addWidget(caption)
        self.person = ChoiceField("Name or id of the person", name="Person whose badge is held up", icon="user")
        caption.setBuddy(self.person)
        self.person.searched.connect(self.searched)
        self.person.chosen.connect(self.person_chosen)
        self.person.cleared.connect(self.person_cleared)
        panel.body.addWidget(self.person)
        panel.body.addWidget(ActionButton(table, "readers.present", text="Present", role="primary", with_key=True))
        panel.body.addSpacing(8)
        self.decision = VerdictLabel(28)
        self.decision.set(Meaning.IDLE, "–")
        self.decision_words = label("The door's decision appears here.", "dim", wrap=True)
        self.decision_words.setMinimumHeight(theme.px(56))
        self.decision_words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        panel.body.addWidget(self.decision)
        panel.body.addWidget(self.decision_words)
        panel.body.addWidget(separator())
        panel.body.addWidget(label("The door's line", "dim"))
        panel.body.addWidget(ActionButton(table, "readers.unplug", text="Unplug", with_key=True))
        panel.body.addWidget(ActionButton(table, "readers.plug", text="Plug in", with_key=True))
        panel.body.addStretch(1)
        return panel

    # --- grants ------------------------------------------------------------------------------------------------------

    def _grants_section(self, table: ActionTable) -> QWidget:
        inside = QWidget()
        columns = QHBoxLayout(inside)
        columns.setContentsMargins(0, 12, 0, 0)
        columns.setSpacing(12)
        left = TitledPanel("Credential profiles", padding=12)
        left.head.addWidget(ActionButton(table, "readers.more_profiles", role="quiet"))
        left.head.addWidget(ActionButton(table, "readers.delete_profile", text="Delete", role="quiet"))
        profiles: list[Column[CredentialProfile]] = [
            Column("PROFILE", lambda row: row.profile_id, 170, mono=True),
            Column("NODE", lambda row: row.node_id, 100, mono=True),
            Column("CREDENTIAL", credential_words, 140, mono=True),
            Column("CLUSTERS", lambda row: ", ".join(row.clusters)),
        ]
        self.profiles = RowsModel(profiles, lambda row: row.profile_id)
        self.profile_table = DataTable(self.profiles, name="Credential profiles")
        self.profile_table.selected.connect(self.profile_chosen)
        self.no_profiles = EmptyState(
            "key-round",
            "No credential profile yet.",
            "Write a card and grant access: its profile appears here, and can be given to other clusters.",
        )
        left.body.addWidget(self.profile_table, 1)
        left.body.addWidget(self.no_profiles, 1)
        self.no_profiles.hide()
        columns.addWidget(left, 5)
        right = TitledPanel("Sync to a cluster", padding=12)
        self.sync_mark = StateMark()
        self.sync_mark.hide()
        right.head.addWidget(self.sync_mark)
        form = QGridLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(6)
        self.sync_profile = ElidedLabel("Choose a profile", "mono")
        self.sync_profile.setFont(theme.mono())
        self.sync_cluster = QComboBox()
        self.sync_cluster.setAccessibleName("Cluster to sync to")
        self.sync_ttl = QComboBox()
        self.sync_ttl.setAccessibleName("How long the grant holds")
        for seconds, words in LIFETIMES:
            self.sync_ttl.addItem(words, seconds)
        self.sync_ttl.setCurrentIndex(2)
        for at, (title, field) in enumerate(
            (("Profile", self.sync_profile), ("Cluster", self.sync_cluster), ("Holds for", self.sync_ttl))
        ):
            caption = label(title, "dim")
            caption.setBuddy(field)
            form.addWidget(caption, at, 0)
            form.addWidget(field, at, 1)
        form.setColumnStretch(1, 1)
        right.body.addLayout(form)
        self.sync_error = label("", "error", wrap=True)
        self.sync_error.hide()
        right.body.addWidget(self.sync_error)
        right.body.addWidget(ActionButton(table, "readers.sync", role="primary", with_key=True))
        self.sync_words = label("", "small", wrap=True)
        right.body.addWidget(self.sync_words)
        results: list[Column[SyncReader]] = [
            Column("DOOR", lambda row: row.reader_id, mono=True),
            Column("STATE", lambda row: sentence_case(row.state), 140, state=lambda row: SYNC_STATES[row.state]),
            Column("CHANNEL", lambda row: "secure" if row.secure_channel else "none", 84, dim=True),
            Column("PROVEN IN", lambda row: "–" if row.latency_ms is None else f"{row.latency_ms:.0f} ms", 92,
                   right=True, hint=lambda row: row.detail or ""),
        ]  # fmt: skip
        self.results = RowsModel(results, lambda row: row.reader_id)
        self.result_table = DataTable(self.results, name="Doors of the sync")
        right.body.addWidget(self.result_table, 1)
        columns.addWidget(right, 4)
        return inside

    # --- units -------------------------------------------------------------------------------------------------------

    def _units_section(self, table: ActionTable) -> QWidget:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 12, 0, 0)
        panel = TitledPanel("Units: machines that sign with their own key", padding=12)
        panel.head.addWidget(ActionButton(table, "readers.delete_unit", role="quiet"))
        columns: list[Column[Unit]] = [
            Column("UNIT", lambda row: row.unit_id, 260, mono=True),
            Column("NAME", lambda row: row.display_name or "–"),
            Column("MAY", lambda row: ", ".join(row.actions) or "watch only", 200, dim=True),
            Column("KEY", lambda row: row.thumbprint, 240, mono=True,
                   hint=lambda row: f"RFC 7638 thumbprint {row.thumbprint}"),
            Column("CHANGED", lambda row: date_time(parse_time(row.changed_at)), 170, dim=True),
        ]  # fmt: skip
        self.units = RowsModel(columns, lambda row: row.unit_id)
        self.unit_table = DataTable(self.units, name="Units")
        self.no_units = EmptyState(
            "cpu", "No unit is registered.", "Machines that watch or act with their own key appear here."
        )
        panel.body.addWidget(self.unit_table, 1)
        panel.body.addWidget(self.no_units, 1)
        column.addWidget(panel)
        panel.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        return inside

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_clusters(self, rows: Sequence[ReaderCluster], *, stale: bool) -> None:
        """All clusters; the chosen one stays chosen."""
        here = self.cluster_id
        self.clusters_stale = stale
        self.clusters.set_rows(rows)
        self.cluster_table.setVisible(bool(rows))
        self.no_clusters.setVisible(not rows)
        at = self.clusters.row_of(here)
        if rows and self.cluster_table.currentIndex().row() != max(0, at):
            self.cluster_table.selectRow(max(0, at))

    @property
    def cluster_id(self) -> str:
        """The chosen cluster; empty when there is none."""
        at = self.cluster_table.currentIndex().row()
        return self.clusters.rows[at].cluster_id if 0 <= at < len(self.clusters.rows) else ""

    def choose_cluster(self, cluster_id: str) -> None:
        """Make a cluster the current one."""
        at = self.clusters.row_of(cluster_id)
        if at >= 0:
            self.cluster_table.selectRow(at)

    def show_doors(self, title: str, words: str, rows: Sequence[Door]) -> None:
        """The doors of the chosen cluster; the chosen door stays chosen."""
        here = self.reader_id
        self.doors_panel.title.setText(title.upper())
        self.summary.setText(words)
        self.doors.set_rows(rows)
        at = self.doors.row_of(here)
        if rows and self.door_table.currentIndex().row() != max(0, at):
            self.door_table.selectRow(max(0, at))

    @property
    def reader_id(self) -> str:
        """The chosen door; empty when there is none."""
        at = self.door_table.currentIndex().row()
        return self.doors.rows[at].reader.reader_id if 0 <= at < len(self.doors.rows) else ""

    @property
    def door(self) -> Door | None:
        """The chosen door."""
        at = self.door_table.currentIndex().row()
        return self.doors.rows[at] if 0 <= at < len(self.doors.rows) else None

    def show_door(self, door: Door | None, *, training: bool) -> None:
        """The chosen door in the training strip."""
        if not training:
            return
        self.door_name.setText(door.reader.reader_id if door else "No door is chosen")
        self.door_mark.setVisible(door is not None)
        if door is not None:
            self.door_mark.set(door.state, door.word)

    def show_decision(self, state: Meaning, word: str, words: str) -> None:
        """What the door did."""
        self.decision.set(state, word)
        self.decision_words.setText(words)

    def show_accesses(self, rows: Sequence[CardAtDoor]) -> None:
        """Newest first."""
        self.accesses.set_rows(rows)
        self.access_table.setVisible(bool(rows))
        self.no_accesses.setVisible(not rows)

    def show_profiles(self, rows: Sequence[CredentialProfile]) -> None:
        """The profiles; the chosen one stays chosen."""
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
        at = self.profile_table.currentIndex().row()
        return self.profiles.rows[at] if 0 <= at < len(self.profiles.rows) else None

    def show_profile(self, profile: CredentialProfile | None, names: dict[str, str]) -> None:
        """The chosen profile in the form; ``names``: display name of a cluster id."""
        self.sync_profile.setText(profile.profile_id if profile else "Choose a profile")
        before = self.sync_cluster.currentData()
        self.sync_cluster.clear()
        for cluster_id in profile.clusters if profile else ():
            self.sync_cluster.addItem(names.get(cluster_id, cluster_id), cluster_id)
        self.sync_cluster.setCurrentIndex(max(0, self.sync_cluster.findData(before)))

    def show_sync_error(self, sentence: str) -> None:
        """Why it was not synced."""
        self.sync_error.setText(sentence)
        self.sync_error.setVisible(bool(sentence))

    def show_sync(self, state: Meaning, words: str, detail: str, rows: Sequence[SyncReader]) -> None:
        """How far a sync is."""
        self.sync_mark.show()
        self.sync_mark.set(state, words)
        self.sync_words.setText(detail)
        self.results.set_rows(rows)

    def show_units(self, rows: Sequence[Unit]) -> None:
        """The units."""
        here = self.unit
        self.units.set_rows(rows)
        self.unit_table.setVisible(bool(rows))
        self.no_units.setVisible(not rows)
        at = self.units.row_of(here.unit_id) if here else -1
        if at >= 0 and self.unit_table.currentIndex().row() != at:
            self.unit_table.selectRow(at)

    @property
    def unit(self) -> Unit | None:
        """The chosen unit."""
        at = self.unit_table.currentIndex().row()
        return self.units.rows[at] if 0 <= at < len(self.units.rows) else None


def credential_words(row: CredentialProfile) -> str:
    """``card 49a93a03…`` of the first credential, and how many more."""
    first = row.credentials[0] if row.credentials else None
    if first is None:
        return "–"
    words = f"card {first.card_guid[:8]}" if first.card_guid else first.format
    more = len(row.credentials) - 1
    return f"{words} +{more}" if more else words


def _since(door: Door) -> str:
    return "never" if door.since is None else f"{age(max(0.0, time.time() - door.since))} ago"
