"""The list before it begins: where it comes from, every line with what is wrong, and the order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.capabilities.provisioning.batches.messages import BATCH_COLUMNS
from app.console import theme
from app.console.actions import ActionTable
from app.console.cards.words import DEMANDS
from app.console.code_words import code_word
from app.console.language import tr
from app.console.pages.batch.lines import LineList, ListLine
from app.console.theme.tokens import Meaning, state_of
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.marks import StateMark
from app.console.widgets.side import Side
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.taking_away import take_away
from app.console.widgets.text import TitledPanel, label
from app.console.widgets.wrap_row import WrapRow

SIDE_PX, SIDE_NARROW_PX = 336, 264


class NewListView(QWidget):
    """Emits ``edited`` when the order (label, demand, readers) was changed."""

    edited = Signal()

    def __init__(self, table: ActionTable) -> None:
        super().__init__()
        columns = QHBoxLayout(self)
        columns.setContentsMargins(0, 12, 0, 0)
        columns.setSpacing(12)
        columns.addWidget(self._lines(table), 1)
        side = Side(SIDE_PX, SIDE_NARROW_PX)
        side.column.addWidget(self._order(table))
        side.column.addStretch(1)
        columns.addWidget(side)

    def _lines(self, table: ActionTable) -> TitledPanel:
        """The lines of the list, and where they come from."""
        panel = TitledPanel(tr("Lines"), padding=12)
        self.mark = StateMark()
        panel.head.addWidget(self.mark)
        row = WrapRow()
        for name in ("batch.choose", "batch.people", "batch.leave_out", "batch.clear"):
            row.addWidget(ActionButton(table, name))
        panel.body.addLayout(row)
        shown: list[Column[ListLine]] = [
            Column(tr("LINE"), lambda line: str(line.at), 56, right=True, dim=True, hint=file_words),
            Column(tr("FILE"), lambda line: str(line.file_line or "–"), 52, right=True, dim=True, hint=file_words,
                   spare=3),
            Column(tr("VERDICT"), verdict, 96, state=verdict_state),
            Column(tr("NODE"), lambda line: line.node_id or "–", 120, mono=True),
            Column(tr("PERSON"), lambda line: line.name or "–", 160),
            Column(tr("HAS A CARD"), lambda line: tr("Yes") if line.has_card else "–", 92, spare=4),
            Column(tr("STANDING"), standing, 160, state=lambda line: state_of(line.standing) if line.standing else None,
                   spare=6),
            Column("HARDWARE_UID", lambda line: line.hardware_uid or tr("next blank card"), 132, dim=True, spare=5),
            Column(tr("WHAT IS WRONG"), lambda line: line.problem, least=200),
        ]  # fmt: skip
        self.lines = RowsModel(shown, lambda line: str(line.at))
        self.table = DataTable(self.lines, name=tr("Lines of the list, bad ones first"))
        heading = ", ".join(BATCH_COLUMNS)
        self.empty = EmptyState(
            "inbox",
            tr("No list yet."),
            tr(
                "Drop a CSV here. Its first line names the columns: {heading} (the second may be left out). "
                "Every line is checked and shown before anything begins.",
                heading=heading,
            ),
            table=table,
            action="batch.choose",
        )
        self.refused = EmptyState("file-text", "", "")
        self.stack = Stack(200)
        for part in (self.empty, self.table, self.refused):
            self.stack.addWidget(part)
        panel.body.addWidget(self.stack, 1)
        return panel

    def _order(self, table: ActionTable) -> TitledPanel:
        """Label, demand and readers of the batch."""
        panel = TitledPanel(tr("Order"))
        grid = QGridLayout()
        grid.setVerticalSpacing(4)
        self.label = QLineEdit()
        self.label.setMaxLength(200)
        self.label.setPlaceholderText(tr("What this batch is called"))
        self.label.setAccessibleName(tr("Label of the batch"))
        self.label.textEdited.connect(lambda _text: self.edited.emit())
        self.demand = QComboBox()
        self.demand.setEditable(True)
        self.demand.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.demand.addItems(list(DEMANDS))
        self.demand.setAccessibleName(tr("FIPS demand of every card"))
        self.demand.editTextChanged.connect(lambda _text: self.edited.emit())
        self._errors = {}
        for at, (key, title, field) in enumerate(
            (("label", tr("Label"), self.label), ("fips_standard", tr("FIPS demand"), self.demand))
        ):
            name = label(title, "dim")
            name.setBuddy(field)
            wrong = self._errors[key] = label("", "error", wrap=True)
            wrong.hide()
            for below, part in enumerate((name, field, wrong)):
                grid.addWidget(part, 3 * at + below, 0)
        panel.body.addLayout(grid)
        panel.body.addSpacing(4)
        panel.body.addWidget(label(tr("Readers"), "dim"))
        self._boxes: dict[str, QCheckBox] = {}
        self._readers = QVBoxLayout()
        self._readers.setSpacing(4)
        panel.body.addLayout(self._readers)
        self.readers_said = label(
            tr("None is ticked: every reader takes part, also one that is plugged in later."), "small"
        )
        self.readers_said.setWordWrap(True)
        panel.body.addWidget(self.readers_said)
        panel.body.addSpacing(8)
        self.verdict = label("", "dim", wrap=True)
        panel.body.addWidget(self.verdict)
        panel.body.addWidget(ActionButton(table, "batch.start", role="primary", with_key=True))
        return panel

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_list(self, found: LineList, progress: str) -> None:
        """The lines, bad ones first; ``progress`` is said while the registry is asked."""
        bad, total = len(found.bad), len(found.lines)
        rows = sorted(found.lines, key=lambda line: (not line.problem, line.at))
        self.lines.set_rows(rows)
        if found.problem:
            self.refused.say(tr("This file is no list."), found.problem)
            self.stack.setCurrentWidget(self.refused)
            self.mark.set(Meaning.BAD, tr("Not taken"))
        elif not total:
            self.stack.setCurrentWidget(self.empty)
            self.mark.set(Meaning.IDLE, tr("Empty"))
        else:
            self.stack.setCurrentWidget(self.table)
            if progress:
                self.mark.set(Meaning.WORK, progress)
            elif bad:
                self.mark.set(Meaning.BAD, tr("{count} of {lines} bad", count=bad, lines=line_count(total)))
            else:
                self.mark.set(Meaning.OK, tr("{lines}, all good", lines=line_count(total)))

    def show_verdict(self, sentence: str) -> None:
        """Whether the batch may begin, and what is missing."""
        if self.verdict.text() != sentence:
            self.verdict.setText(sentence)

    def offer_readers(self, readers: Sequence[str]) -> None:
        """The readers that there are; ticks are kept, also of one that was pulled out."""
        wanted = [*readers, *(name for name, box in self._boxes.items() if box.isChecked() and name not in readers)]
        if wanted == list(self._boxes):
            return
        ticked = set(self.chosen_readers)
        take_away(self._readers, self._boxes.values())
        self._boxes = {}
        for name in wanted:
            box = QCheckBox(name.replace("&", "&&"))
            box.setAccessibleName(tr("Reader {name} takes part", name=name))
            box.setChecked(name in ticked)
            box.toggled.connect(lambda _on: self.edited.emit())
            self._readers.addWidget(box)
            self._boxes[name] = box

    @property
    def chosen_readers(self) -> list[str]:
        """Readers that are ticked."""
        return [name for name, box in self._boxes.items() if box.isChecked()]

    def tick(self, reader: str, on: bool = True) -> None:
        """Tick a reader from the program. Raises KeyError for one that is not there."""
        self._boxes[reader].setChecked(on)

    def show_errors(self, errors: Mapping[str, str]) -> None:
        """What the service refused of the order, by field."""
        for key, field in (("label", self.label), ("fips_standard", self.demand)):
            sentence = errors.get(key, "")
            self._errors[key].setText(sentence)
            self._errors[key].setVisible(bool(sentence))
            theme.mark_invalid(field, bool(sentence))


def line_count(lines: int) -> str:
    """``1 line``, ``1,000 lines``."""
    return tr("1 line") if lines == 1 else tr("{count:,} lines", count=lines)


def standing(line: ListLine) -> str:
    """How the person stands."""
    return code_word(line.standing) if line.standing else "–"


def file_words(line: ListLine) -> str:
    """Where the line is from."""
    return tr("Line {line} of the file", line=line.file_line) if line.file_line else tr("Ticked in the registry")


def verdict(line: ListLine) -> str:
    """One word of a line."""
    return tr("Bad") if line.problem else tr("Good") if line.checked else tr("Checking")


def verdict_state(line: ListLine) -> Meaning:
    """The same as a state."""
    return Meaning.BAD if line.problem else Meaning.OK if line.checked else Meaning.IDLE
