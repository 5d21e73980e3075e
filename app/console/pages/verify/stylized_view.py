"""The stylized tab's parts: a template that is compared, and the samples of an enrolment."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QWidget

from app.biometrics.messages import EnrolledTemplates
from app.capabilities.stylized.messages import StylizedMatch
from app.console.actions import ActionTable
from app.console.language import number, tr
from app.console.pages.verify.fields import named_fields
from app.console.pages.verify.template_file import KINDS, Template
from app.console.standing import standing_word
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.empty import EmptyState
from app.console.widgets.facts import Facts
from app.console.widgets.marks import StateMark
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label, separator
from app.console.widgets.verdict import PassingVerdict

FACTS = (
    ("confidence", tr("Confidence"), False),
    ("standing", tr("Standing"), False),
    ("knot", tr("Knot"), True),
    ("compared", tr("Compared with"), False),
    ("file", tr("Template"), True),
)
ENROLLED = (
    ("node", tr("Person"), True),
    ("samples", tr("Samples"), False),
    ("quality", tr("Quality"), False),
    ("registry", tr("Registry"), True),
)
WAITS = tr("Choose a file with a template. Each one is compared once: the same values again are a copy, and an alarm.")
MATCH = tr(
    "The template stands out of all others. It is no live check: nothing in it tells when it was made, "
    "so it lifts no standing and opens no door by itself."
)
NO_MATCH = tr("Whom it is of is not said, nor how near it came. Why, only the audit log says.")
KEPT = tr(
    "Kept: up to 25 templates and their sum, sealed, made under the registry's key. Not kept: features, "
    "and whatever they were made of. A person has one set of templates, palm or stylized, whichever was "
    "enrolled last; erasing one erases both."
)


@dataclass(frozen=True)
class SampleRow:
    """One sample of the list. ``number`` counts from 1."""

    number: int
    template: Template
    state: Meaning
    word: str


class StylizedView(QWidget):
    """``picked`` when another sample is under the cursor."""

    picked = Signal()

    def __init__(self, table: ActionTable, mark: StateMark) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 16, 0, 0)
        row.setSpacing(12)
        row.addWidget(self._compare(table, mark), 1)
        row.addWidget(self._enrolment(table), 1)
        self.show_template(None)
        self.show_samples((), -1)

    # --- parts -------------------------------------------------------------------------------------------------------

    def _compare(self, table: ActionTable, mark: StateMark) -> TitledPanel:
        """What is compared with whom, and the result."""
        panel = TitledPanel(tr("Compare a template"), padding=12)
        panel.head.addWidget(mark)
        self.registry = QComboBox()
        self.claimed = ChoiceField(tr("Empty: everybody in the registry"), name=tr("Person that is claimed"))
        panel.body.addLayout(named_fields(((tr("Registry"), self.registry), (tr("Person"), self.claimed))))
        self.file = label("", "dim", wrap=True)
        panel.body.addWidget(self.file)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(ActionButton(table, "verify.stylized_file", text=tr("Choose a file")))
        buttons.addWidget(
            ActionButton(table, "verify.stylized_compare", text=tr("Compare"), role="primary", with_key=True)
        )
        buttons.addStretch(1)
        panel.body.addLayout(buttons)
        panel.body.addWidget(separator())
        self.verdict = PassingVerdict(22)
        panel.body.addWidget(self.verdict)
        self.said = label("", "", wrap=True)
        panel.body.addWidget(self.said)
        self.facts = Facts(FACTS)
        panel.body.addWidget(self.facts)
        after = QHBoxLayout()
        after.setSpacing(8)
        after.addWidget(ActionButton(table, "verify.stylized_log", text=tr("In the audit log")))
        after.addWidget(ActionButton(table, "verify.stylized_seal", text=tr("Open the seal")))
        after.addStretch(1)
        panel.body.addLayout(after)
        panel.body.addStretch(1)
        self.verdict.set(Meaning.IDLE, tr("None yet"))
        self.said.setText(tr("What the service decides appears here: match, confidence, standing, knot."))
        return panel

    def _enrolment(self, table: ActionTable) -> TitledPanel:
        """Whose samples are enrolled, and what became of them."""
        panel = TitledPanel(tr("Enrolment"), padding=12)
        self.count = label("", "dim")
        panel.head.addWidget(self.count)
        self.person = ChoiceField(tr("Name or id of the person"), name=tr("Person who is enrolled"), icon="user")
        panel.body.addLayout(named_fields(((tr("Person"), self.person),)))
        columns: list[Column[SampleRow]] = [
            Column(tr("SAMPLE"), lambda row: str(row.number), 76, right=True),
            Column(tr("FILE"), lambda row: row.template.name, least=120, mono=True),
            Column(tr("VALUES"), lambda row: KINDS[row.template.kind], 160, dim=True, spare=1),
            Column(tr("STATE"), lambda row: row.word, 120, state=lambda row: row.state),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: str(row.number))
        self.table = DataTable(self.rows, name=tr("Samples of the enrolment"))
        self.table.selected.connect(lambda _at: self.picked.emit())
        self.empty = EmptyState(
            "fingerprint",
            tr("No sample is chosen."),
            tr(
                "Choose the person, then 1 to 25 files: each 512 signed bytes under the registry's key, or "
                "512 float32 features."
            ),
            table=table,
            action="verify.stylized_samples",
        )
        self.stack = Stack(150)
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self.table)
        panel.body.addWidget(self.stack, 1)
        buttons = QGridLayout()
        buttons.setSpacing(8)
        for at, (action, text, role) in enumerate(
            (
                ("verify.stylized_samples", tr("Add files"), ""),
                ("verify.stylized_drop", tr("Remove"), ""),
                ("verify.stylized_enrol", tr("Enrol"), "primary"),
                ("verify.stylized_erase", tr("Erase"), ""),
            )
        ):
            buttons.addWidget(ActionButton(table, action, text=text, role=role), 0, at)
        panel.body.addLayout(buttons)
        panel.body.addWidget(separator())
        self.enrolled = Facts(ENROLLED)
        panel.body.addWidget(self.enrolled)
        panel.body.addWidget(label(KEPT, "small", wrap=True))
        return panel

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_registries(self, found: Sequence[tuple[str, int]]) -> None:
        """``(registry_id, key_epoch)``; the choice stays."""
        field = self.registry
        titles = [(name, tr("{registry}   epoch {epoch}", registry=name, epoch=epoch)) for name, epoch in found]
        if titles != [(field.itemData(at), field.itemText(at)) for at in range(field.count())]:
            kept = field.currentData()
            field.clear()
            for name, title in titles:
                field.addItem(title, name)
            field.setCurrentIndex(max(0, field.findData(kept)))

    def show_template(self, template: Template | None) -> None:
        """The file that would be compared."""
        self.file.setText(WAITS if template is None else f"{template.name}, {KINDS[template.kind]}")

    def show_match(self, found: StylizedMatch, compared: str, name: str) -> None:
        """What was decided of a template."""
        self.verdict.decide(*((Meaning.OK, tr("Match")) if found.match else (Meaning.BAD, tr("No match"))), time.time())
        self.said.setText(MATCH if found.match else NO_MATCH)
        values = {
            "confidence": number(found.confidence, ".4f"),
            "standing": standing_word(found.standing),
            "knot": found.knot_id,
            "compared": compared,
            "file": name,
        }
        for key, value in values.items():
            self.facts.set(key, value)

    def show_samples(self, rows: Sequence[SampleRow], wanted: int) -> None:
        """The samples, with the cursor on ``wanted`` (a row)."""
        self.rows.set_rows(rows)
        self.stack.setCurrentWidget(self.table if rows else self.empty)
        self.count.setText(tr("{count} of 25", count=len(rows)) if rows else "")
        if rows and self.table.currentIndex().row() != wanted:
            self.table.selectRow(min(max(wanted, 0), len(rows) - 1))
        self.picked.emit()

    def show_enrolled(self, found: EnrolledTemplates) -> None:
        """What is stored now."""
        samples = (
            tr("{count}, {discarded} left out", count=found.samples, discarded=len(found.discarded))
            if found.discarded
            else str(found.samples)
        )
        for key, value in (
            ("node", found.node_id),
            ("samples", samples),
            ("quality", tr("{quality} of 100, the least likeness of a sample", quality=found.quality)),
            (
                "registry",
                tr("{registry}, epoch {epoch}", registry=found.registry_id, epoch=found.key_epoch),
            ),
        ):
            self.enrolled.set(key, value)

    def show_erased(self, node_id: str, rows: int) -> None:
        """What is no longer stored."""
        self.enrolled.clear()
        self.enrolled.set("node", node_id)
        self.enrolled.set(
            "samples",
            tr("None: 1 row was erased") if rows == 1 else tr("None: {count} rows were erased", count=rows),
        )
