"""The enrolment tab's parts: the person, what is kept, the picture with its two marks, the samples, the outcome."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.console.actions import ActionTable
from app.console.language import tr
from app.console.pages.verify.roi import SIDE
from app.console.pages.verify.samples import KNOW, NOT_STORED, STATES, STORED, SamplePlace
from app.console.pages.verify.valleys import ValleyMarker
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.empty import EmptyState
from app.console.widgets.facts import Facts
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.scroller import scroller
from app.console.widgets.side import Side
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel, height_of
from app.console.widgets.text import ElidedLabel, TitledPanel, label, separator
from app.console.widgets.verdict import VerdictLabel

FACTS = (
    ("standing", tr("Standing"), False),
    ("at", tr("Enrolled"), False),
    ("samples", tr("Samples"), False),
    ("registry", tr("Registry"), True),
    ("by", tr("By"), False),
)

PREVIEW = 160
"""Pixels of the shown square, at any text."""


def _as_high_as_samples(table: DataTable) -> None:
    """All five where there is room; on a low screen they scroll, and nothing lies over them."""
    table.setMinimumHeight(height_of(2))
    table.setMaximumHeight(height_of(5))


class EnrolmentView(QWidget):
    """Shows; the tab decides."""

    def __init__(self, table: ActionTable, mark: StateMark, *, training: bool) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 16, 0, 0)
        row.setSpacing(12)
        side = Side(320)
        side.column.addWidget(self._person(table, mark))
        side.column.addWidget(self._storage(), 1)
        row.addWidget(side)
        middle = QVBoxLayout()
        middle.setSpacing(12)
        middle.addWidget(self._capture(table, training), 1)
        lower = QHBoxLayout()
        lower.setSpacing(12)
        lower.addWidget(self._samples(table), 1)
        lower.addWidget(self._outcome(table), 1)
        middle.addLayout(lower)
        row.addLayout(middle, 1)

    # --- parts -------------------------------------------------------------------------------------------------------

    def _person(self, table: ActionTable, mark: StateMark) -> TitledPanel:
        """Who is enrolled, and what is known of them."""
        panel = TitledPanel(tr("Who is enrolled"), padding=12)
        panel.head.addWidget(mark)
        self.person = ChoiceField(tr("Name or id of the person"), name=tr("Person who is enrolled"), icon="user")
        panel.body.addWidget(self.person)
        self.state = StateMark()
        panel.body.addWidget(self.state)
        self.facts = Facts(FACTS)
        panel.body.addWidget(self.facts)
        self.note = label("", "small", wrap=True)
        panel.body.addWidget(self.note)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(ActionButton(table, "verify.erase", text=tr("Erase…")))
        row.addWidget(ActionButton(table, "verify.enrol_other", text=tr("See the other")))
        panel.body.addLayout(row)
        return panel

    def _storage(self) -> TitledPanel:
        """What is stored and what is not, in words."""
        panel = TitledPanel(tr("What is kept, and what is not"), padding=12)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(8)
        for title, words in (
            (tr("STORED"), STORED),
            (tr("NOT STORED"), NOT_STORED),
            (tr("GOOD TO KNOW"), KNOW),
        ):
            column.addWidget(label(title, "section"))
            column.addWidget(label(words, "small", wrap=True))
        column.addStretch(1)
        # On a low screen the words scroll; the person's part above never gives way.
        panel.body.addWidget(scroller(inside, tr("What is kept, and what is not")), 1)
        return panel

    def _capture(self, table: ActionTable, training: bool) -> TitledPanel:
        """The picture with its marks, and the square that would be sent."""
        panel = TitledPanel(tr("Palm"), padding=12)
        self.terminal = QComboBox()
        self.terminal.setAccessibleName(tr("Terminal that captures"))
        self.terminal.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        if training:
            panel.head.addWidget(label(tr("TRAINING"), "dim"))
            panel.head.addWidget(self.terminal)
            panel.head.addWidget(ActionButton(table, "verify.enrol_terminal", text=tr("Enrol by the terminal")))
        panel.head.addWidget(ActionButton(table, "verify.enrol_files", text=tr("Open pictures…"), role="quiet"))
        inside = QHBoxLayout()
        inside.setSpacing(12)
        self.marker = ValleyMarker()
        pictures = tr("At a terminal the person lays the hand five times. ") if training else ""
        self.no_picture = EmptyState(
            "fingerprint",
            tr("No picture is open."),
            tr(
                "{pictures}From pictures: choose the person, then five of the same hand. In each, mark the "
                "valley beside the index finger and the valley beside the little finger: 1 at the left, 2 at "
                "the right, while the fingers are up.",
                pictures=pictures,
            ),
            table=table,
            action="verify.enrol_files",
        )
        self.stack = Stack(200)
        self.stack.addWidget(self.marker)
        self.stack.addWidget(self.no_picture)
        inside.addWidget(self.stack, 1)
        column = QVBoxLayout()
        column.setSpacing(8)
        self.preview = QLabel()
        self.preview.setAccessibleName(tr("The square that is sent, 128 x 128 grey"))
        self.preview.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.wrong = label("", "small", wrap=True)
        column.addWidget(label(tr("The square that is sent"), "section"))
        column.addWidget(self.preview)
        self.name = ElidedLabel("", "mono")
        column.addWidget(self.name)
        column.addWidget(self.wrong)
        column.addStretch(1)
        column.addWidget(ActionButton(table, "verify.enrol_take", text=tr("Take the square"), role="primary"))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(ActionButton(table, "verify.enrol_swap", text=tr("Swap")))
        row.addWidget(ActionButton(table, "verify.enrol_skip", text=tr("Leave out")))
        column.addLayout(row)
        self.beside = Side(220)
        self.beside.column.addLayout(column, 1)
        inside.addWidget(self.beside)
        panel.body.addLayout(inside, 1)
        return panel

    def _samples(self, table: ActionTable) -> TitledPanel:
        """The places of the samples."""
        panel = TitledPanel(tr("Samples"), padding=8)
        panel.head.addWidget(ActionButton(table, "verify.enrol_drop", text=tr("Remove"), role="quiet"))
        columns: list[Column[SamplePlace]] = [
            Column(tr("NO."), lambda row: str(row.number), 44, right=True),
            Column(tr("STATE"), lambda row: STATES[row.state][1], 160, state=lambda row: STATES[row.state][0],
                   hint=lambda row: row.said or STATES[row.state][1]),
            Column(tr("FROM"), lambda row: row.name or "–", least=110, mono=True, dim=True, spare=1),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: str(row.number))
        self.table = DataTable(self.rows, name=tr("Samples of this enrolment"))
        keep_lengths(self.table, _as_high_as_samples)
        panel.body.addWidget(self.table)
        self.progress = label("", "dim", wrap=True)
        panel.body.addWidget(self.progress)
        return panel

    def _outcome(self, table: ActionTable) -> TitledPanel:
        panel = TitledPanel(tr("Outcome"), padding=12)
        self.verdict = VerdictLabel(22)
        panel.body.addWidget(self.verdict)
        self.said = label("", "", wrap=True)
        panel.body.addWidget(self.said)
        panel.body.addStretch(1)
        panel.body.addWidget(separator())
        panel.body.addWidget(ActionButton(table, "verify.enrol", text=tr("Enrol"), role="primary", with_key=True))
        return panel

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_terminals(self, names: Sequence[str]) -> None:
        """Terminals that can capture; the choice stays."""
        if names != [self.terminal.itemText(at) for at in range(self.terminal.count())]:
            kept = self.terminal.currentText()
            self.terminal.clear()
            self.terminal.addItems(list(names))
            self.terminal.setCurrentIndex(max(0, self.terminal.findText(kept)))

    def show_samples(self, rows: Sequence[SamplePlace], progress: str) -> None:
        """The places and how far one is."""
        self.rows.set_rows(rows)
        if self.table.currentIndex().row() < 0:
            self.table.selectRow(0)
        self.progress.setText(progress)

    def show_note(self, words: str) -> None:
        """What must be known of the person beside the facts; empty: nothing."""
        self.note.setText(words)
        self.note.setVisible(bool(words))

    def show_picture(self, image: QImage | None, name: str) -> None:
        """A picture to be marked; None: there is none."""
        self.marker.show_image(image)
        self.name.setText(name)
        self.stack.setCurrentWidget(self.no_picture if image is None else self.marker)
        self.beside.setVisible(image is not None)

    def show_square(self, roi: bytearray | None, wrong: str) -> None:
        """What would be sent of it, or what is wrong."""
        self.wrong.setText(wrong)
        side = PREVIEW
        if roi is None:
            self.preview.setPixmap(QPixmap())
            self.preview.setFixedSize(QSize(side, side))
            return
        # A copy: an image over bytes of Python's must not outlive them.
        grey = QImage(memoryview(roi), SIDE, SIDE, SIDE, QImage.Format.Format_Grayscale8).copy()
        self.preview.setFixedSize(QSize(side, side))
        self.preview.setPixmap(QPixmap.fromImage(grey).scaled(side, side))

    def show_outcome(self, state: Meaning, word: str, said: str) -> None:
        """What came of it, in a word and a sentence."""
        self.verdict.set(state, word)
        self.said.setText(said)

    @property
    def sample(self) -> SamplePlace | None:
        """The place under the cursor."""
        return self.rows.get(self.table.currentIndex().row())
