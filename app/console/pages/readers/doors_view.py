"""The doors as they are now: clusters at the left, the doors of one and the cards at all doors beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import age, utc_time
from app.console.code_words import decision_word
from app.console.language import number, tr
from app.console.moments import moment, parse_time
from app.console.pages.readers.training_view import TrainingPanel
from app.console.pages.readers.words import (
    Door,
    card_hint,
    card_state,
    cluster_state,
    reason_words,
)
from app.console.telemetry.door_feed import CardAtDoor
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import fix_field
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.folding import Folding
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.person_columns import person_columns
from app.console.widgets.side import Side
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import ElidedLabel, TitledPanel
from app.registry.messages.clusters import ReaderCluster

SIDE_PX, SIDE_NARROW_PX = 264, 228


class DoorsView(Folding):
    """Emits ``cluster_chosen`` (row), ``cluster_opened`` (row: Enter), ``chosen`` (row of a door) and ``filtered``.
    ``training`` is the panel beside the doors on training sites, or above them as a row; None on others."""

    cluster_chosen = Signal(int)
    cluster_opened = Signal(int)
    chosen = Signal(int)
    filtered = Signal(str)

    def __init__(self, table: ActionTable, now: Callable[[], float], *, training: bool) -> None:
        """``now``: Unix time by the service's clock."""
        super().__init__()
        self._now = now
        self._places = QGridLayout(self)
        self._places.setContentsMargins(0, 12, 0, 0)
        self._places.setSpacing(12)
        self._places.setColumnStretch(1, 1)
        self._left = Side(SIDE_PX, SIDE_NARROW_PX)
        self._left.column.addWidget(self._clusters(table))
        self._middle = QWidget()
        middle = QVBoxLayout(self._middle)
        middle.setContentsMargins(0, 0, 0, 0)
        middle.setSpacing(12)
        middle.addWidget(self._doors(), 3)
        middle.addWidget(self._accesses(), 2)
        self.training: TrainingPanel | None = None
        self._right = Side(SIDE_PX, SIDE_NARROW_PX)
        if training:
            self.training = TrainingPanel(table)
            self._right.column.addWidget(self.training)
        self._right.setVisible(training)
        self.fit()

    def turn(self, narrow: bool) -> None:
        narrow = narrow and self.training is not None
        if self.training is not None:
            self.training.lie(narrow)
        self._right.spread(narrow)
        places, below = self._places, int(narrow)
        places.addWidget(self._left, below, 0)
        places.addWidget(self._middle, below, 1)
        places.addWidget(self._right, 0, 0 if narrow else 2, 1, 2 if narrow else 1)
        for row in range(2):
            places.setRowStretch(row, int(row == below))

    def _clusters(self, table: ActionTable) -> TitledPanel:
        """The clusters, and what changes the chosen one."""
        panel = TitledPanel(tr("Clusters"), padding=12)
        rows: list[Column[ReaderCluster]] = [
            Column(
                tr("CLUSTER"), lambda row: row.display_name, hint=lambda row: f"{row.display_name}\n{row.cluster_id}"
            ),
            Column(tr("SECURE"), lambda row: cluster_state(row)[1], 96, state=self._cluster_state),
        ]
        self.clusters_stale = False
        self.clusters = RowsModel(rows, lambda row: row.cluster_id)
        self.cluster_table = DataTable(self.clusters, name=tr("Reader clusters"), sorts=True)
        self.cluster_table.selected.connect(self.cluster_chosen)
        self.cluster_table.opened.connect(self.cluster_opened)
        self.no_clusters = EmptyState(
            "door-closed",
            tr("No cluster is registered."),
            tr("A cluster is the doors that are granted as one. Register the first, then pair its readers."),
        )
        panel.body.addWidget(self.cluster_table, 1)
        panel.body.addWidget(self.no_clusters, 1)
        panel.body.addWidget(ActionButton(table, "readers.register"))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(ActionButton(table, "readers.edit", text=tr("Edit")), 1)
        row.addWidget(ActionButton(table, "readers.delete_cluster", text=tr("Delete")), 1)
        panel.body.addLayout(row)
        panel.body.addWidget(ActionButton(table, "readers.rotate_keys"))
        self.enrol = ActionButton(table, "readers.enrol")
        self.enrol.hide()
        panel.body.addWidget(self.enrol)
        self.no_clusters.hide()
        return panel

    def _cluster_state(self, row: ReaderCluster) -> Meaning:
        return Meaning.IDLE if self.clusters_stale else cluster_state(row)[0]

    def _doors(self) -> TitledPanel:
        """The doors of the chosen cluster."""
        panel = self.doors_panel = TitledPanel(tr("Doors"), padding=12)
        self.freshness = StateMark()
        panel.head.addWidget(self.freshness)
        row = QHBoxLayout()
        row.setSpacing(12)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(tr("Filter doors   /"))
        self.filter.setAccessibleName(tr("Filter doors by id"))
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self.filtered)
        self.summary = ElidedLabel("", "dim")
        fix_field(self.filter, 176)
        row.addWidget(self.filter)
        row.addWidget(self.summary, 1)
        panel.body.addLayout(row)
        columns: list[Column[Door]] = [
            Column(tr("DOOR"), lambda door: door.reader.reader_id, 132, mono=True),
            Column(tr("STATE"), lambda door: door.word, 150, state=lambda door: door.state),
            Column(tr("SINCE"), lambda door: _since(door, self._now()), 88, dim=True, spare=2,
                   order=lambda door: door.since,
                   hint=lambda door: utc_time(door.since) if door.since else tr("Never seen")),
            Column(tr("FIRMWARE"), lambda door: door.reader.firmware or "–", 84, spare=4),
            Column(tr("EPOCH"), lambda door: door.epoch, 72, right=True, spare=1,
                   hint=lambda door: tr("The newest change that it acknowledged: {epoch}", epoch=door.reader.epoch)
                   + (tr("; it keeps a list of its own") if door.reader.onboard_list else "")),
            Column(tr("KEY"), lambda door: door.key(self._now()), 84, dim=True, spare=3,
                   hint=lambda door: door.key_hint,
                   order=_key_taken),
            Column(tr("CHANNEL"), lambda door: f"{door.reader.channel.rstrip(':')} @{door.reader.address}", mono=True,
                   least=116),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda door: door.reader.reader_id)
        self.table = DataTable(self.rows, name=tr("Doors of the cluster"), sorts=True)
        self.table.selected.connect(self.chosen)
        keep_lengths(self.table, lambda one: one.setMinimumSize(theme.px(404), theme.px(160)))
        panel.body.addWidget(self.table, 1)
        return panel

    def _accesses(self) -> TitledPanel:
        """The cards that were held to doors, and that are."""
        panel = TitledPanel(tr("Cards at doors"), padding=12)
        self.stream = StateMark()
        panel.head.addWidget(self.stream)
        columns: list[Column[CardAtDoor]] = [
            Column(tr("TIME"), lambda row: moment(row.at, self._now()), 80, dim=True, hint=card_hint),
            Column(tr("DECISION"), lambda row: decision_word(row.event.decision), 88, state=card_state, hint=card_hint),
            *person_columns(self, lambda row: row.event.node_id, 96, nobody=tr("unknown card")),
            Column(tr("DOOR"), lambda row: row.event.reader_id, 96, mono=True),
            Column(tr("WHY"), lambda row: reason_words(row.event.reason), least=90),
            Column(tr("DECIDED IN"), lambda row: f"{number(row.event.latency_ms, '.2f')} ms", 90,
                   right=True, spare=1,
                   hint=lambda row: tr("From the card to the decision, at epoch {epoch}", epoch=row.event.epoch)),
        ]  # fmt: skip
        self.accesses = RowsModel(columns, lambda row: row.key)
        self.access_table = DataTable(
            self.accesses,
            name=tr("Cards at doors, newest first"),
            proof=lambda row: row.event.ref or None,
            no_proof=tr("What a door decided is no entry of the audit log: nothing signs it."),
        )
        self.no_accesses = EmptyState(
            "id-card",
            tr("No card was held to a door yet."),
            tr("Each card appears here with the door's decision and why."),
        )
        panel.body.addWidget(self.access_table, 1)
        panel.body.addWidget(self.no_accesses, 1)
        self.access_table.hide()
        return panel

    def show_clusters(self, rows: Sequence[ReaderCluster], *, stale: bool) -> None:
        """Show all clusters; the chosen one stays chosen."""
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
        """Choose a cluster; nothing when it is not listed."""
        at = self.clusters.row_of(cluster_id)
        if at >= 0:
            self.cluster_table.selectRow(at)

    def show_doors(self, title: str, words: str, rows: Sequence[Door]) -> None:
        """Show the doors of the chosen cluster; the chosen door stays chosen."""
        here = self.reader_id
        self.doors_panel.title.setText(title)
        self.summary.setText(words)
        self.rows.set_rows(rows)
        at = self.rows.row_of(here)
        if rows and self.table.currentIndex().row() != max(0, at):
            self.table.selectRow(max(0, at))

    @property
    def reader_id(self) -> str:
        """The chosen door; empty when there is none."""
        at = self.table.currentIndex().row()
        return self.rows.rows[at].reader.reader_id if 0 <= at < len(self.rows.rows) else ""

    @property
    def door(self) -> Door | None:
        """The chosen door."""
        return self.rows.get(self.table.currentIndex().row())

    def show_accesses(self, rows: Sequence[CardAtDoor]) -> None:
        """Show the cards at doors, newest first."""
        self.accesses.set_rows(rows)
        self.access_table.setVisible(bool(rows))
        self.no_accesses.setVisible(not rows)


def _key_taken(door: Door) -> float | None:
    return parse_time(door.reader.key_changed_at) if door.reader.enrolled else None


def _since(door: Door, now: float) -> str:
    return tr("never") if door.since is None else tr("{age} ago", age=age(max(0.0, now - door.since)))
