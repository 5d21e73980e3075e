"""What the page looks like: readers at the left; the order, its stages and what came of it at the right.
In a wide page the cards that were written stand beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QTabWidget, QVBoxLayout, QWidget

from app.capabilities.provisioning.messages import Card, Provision
from app.console.actions import ActionTable
from app.console.cards.jobs import STAGES, CardJob, group_stages, milliseconds
from app.console.cards.words import DEMANDS, CardWords
from app.console.clock import date_time, moment, parse_time, utc_time
from app.console.code_words import code_word
from app.console.language import tr
from app.console.names import OperatorNames
from app.console.page import PageView
from app.console.pages.write_card.doctor_view import DoctorView
from app.console.pages.write_card.four_eyes_view import FourEyesView
from app.console.pages.write_card.next_step import NextStep
from app.console.pages.write_card.outcome_view import PROVISION_STATES, OutcomeView
from app.console.pages.write_card.paper_view import PaperView
from app.console.pages.write_card.reader_list import CardReaderList
from app.console.pages.write_card.trace_view import TraceView
from app.console.theme.tokens import Meaning, state_of
from app.console.widgets.breadth import WIDEST
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.empty import EmptyState
from app.console.widgets.facts import Facts
from app.console.widgets.marks import StateMark
from app.console.widgets.side import Side
from app.console.widgets.stepper import Stepper
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label, separator
from app.console.widgets.third_column import ThirdColumn
from app.console.widgets.verdict import VerdictLabel
from app.registry.messages.nodes import Node

LEFT_PX, LEFT_NARROW_PX = 336, 236
RESULT, TRACE, HISTORY, DOCTOR, FOUR_EYES, PAPER = range(6)
"""Tabs below the order."""
_ALL_PROVISIONINGS = tr("Provisionings, newest first; Enter opens one")
_SOURCES = {
    "serial": tr("vendor serial"),
    "cplc": "CPLC",
    "guid": "GUID",
    "uid": tr("contactless UID"),
    "reader": tr("named by its reader"),
}


class WriteCardView(PageView):
    """Emits ``reader_chosen`` (reader), ``searched``, ``person_chosen`` (Choice), ``person_cleared``, ``demanded``,
    ``section_shown`` (tab), ``provision_opened`` (its id), ``older_wanted``."""

    reader_chosen = Signal(str)
    searched = Signal(str)
    person_chosen = Signal(object)
    person_cleared = Signal()
    demanded = Signal()
    section_shown = Signal(int)
    provision_opened = Signal(str)

    def __init__(
        self,
        table: ActionTable,
        names: OperatorNames,
        now: Callable[[], float],
        *,
        training: bool,
        can_present: bool,
        can_burn: bool,
    ) -> None:
        super().__init__(tr("Write card"), scrolls=True, widest=WIDEST)
        self._now = now
        self._more = False
        main = QWidget()
        columns = QHBoxLayout(main)
        columns.setContentsMargins(0, 0, 0, 0)
        columns.setSpacing(12)
        left = Side(LEFT_PX, LEFT_NARROW_PX)
        left.column.addWidget(self._readers(), 1)
        left.column.addWidget(self._card())
        if training:
            left.column.addWidget(self._drawer(table))
        columns.addWidget(left)
        right = QVBoxLayout()
        right.setSpacing(12)
        right.addWidget(self._order(table))
        right.addWidget(self._sections(table, names, can_present=can_present, can_burn=can_burn), 1)
        columns.addLayout(right, 1)
        self.third = ThirdColumn(
            main, self._history_panel, self._home, open_home=lambda: self.tabs.setCurrentIndex(HISTORY)
        )
        self.third.moved.connect(self._stand_beside)
        self.tabs.currentChanged.connect(lambda at: self.third.keep_home(at == HISTORY))
        self.body.addWidget(self.third, 1)

    # --- left --------------------------------------------------------------------------------------------------------

    def _readers(self) -> TitledPanel:
        panel = TitledPanel(tr("Readers"), padding=12)
        self.service = StateMark()
        panel.head.addWidget(self.service)
        self.remedy = label("", "small", wrap=True)
        self.remedy.hide()
        panel.body.addWidget(self.remedy)
        self.readers = CardReaderList()
        self.readers.chosen.connect(self.reader_chosen)
        self.readers.setMinimumHeight(140)
        panel.body.addWidget(self.readers, 1)
        return panel

    def _card(self) -> TitledPanel:
        """The card in the chosen reader."""
        self.card_panel = TitledPanel(tr("Card"), padding=12)
        self.card_mark = StateMark()
        self.card_panel.head.addWidget(self.card_mark)
        self.facts = Facts(
            (
                ("uid", tr("Chip number"), True),
                ("holder", tr("Holder"), False),
                ("tries", tr("PIN tries"), False),
                ("guid", "GUID", True),
                ("source", tr("Read from"), False),
                ("atr", "ATR", True),
            )
        )
        self.card_panel.body.addWidget(self.facts)
        self.card_remedy = label("", "small", wrap=True)
        self.card_panel.body.addWidget(self.card_remedy)
        self.card_panel.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        return self.card_panel

    def _drawer(self, table: ActionTable) -> TitledPanel:
        """The drawer of training cards."""
        panel = TitledPanel(tr("Training: the drawer of cards"), padding=12)
        panel.setProperty("training", "true")
        self.drawer = QComboBox()
        self.drawer.setAccessibleName(tr("Training card to put in"))
        self.drawer.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.drawer.addItem(tr("The next blank card"), None)
        panel.body.addWidget(self.drawer)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(ActionButton(table, "write_card.insert", text=tr("Insert")), 1)
        row.addWidget(ActionButton(table, "write_card.pull", text=tr("Pull out")), 1)
        panel.body.addLayout(row)
        return panel

    # --- right -------------------------------------------------------------------------------------------------------

    def _order(self, table: ActionTable) -> TitledPanel:
        """The person, the demand, Write, and how far the write is."""
        panel = TitledPanel(tr("Order"), padding=12)
        self.job_figures = label("", "dim")
        panel.head.addWidget(self.job_figures)
        form = QGridLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(2)
        self.person = ChoiceField(tr("Name or id of the person"), name=tr("Person who holds the card"), icon="user")
        self.person.searched.connect(self.searched)
        self.person.chosen.connect(self.person_chosen)
        self.person.cleared.connect(self.person_cleared)
        self.demand = QComboBox()
        self.demand.setEditable(True)
        self.demand.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.demand.addItems(list(DEMANDS))
        self.demand.setAccessibleName(tr("FIPS demand"))
        self.demand.setToolTip(
            tr("FIPS 140-2 or 140-3 [Level 1..4] [physical 1..4]; FIPS 201-2 or 201-3 [/ PIV]; GSA APL and a number.")
        )
        self.demand.editTextChanged.connect(lambda _text: self.demanded.emit())
        for at, (title, field) in enumerate(((tr("Person"), self.person), (tr("FIPS demand"), self.demand))):
            name = label(title, "dim")
            name.setBuddy(field)
            form.addWidget(name, 0, at)
            form.addWidget(field, 1, at)
        write = ActionButton(table, "write_card.write", role="primary", with_key=True)
        form.addWidget(write, 1, 2)
        form.setColumnStretch(0, 3)
        form.setColumnStretch(1, 2)
        self.person_mark = StateMark(Meaning.IDLE, tr("Nobody is chosen"))
        self.person_error = label("", "error", wrap=True)
        self.demand_error = label("", "error", wrap=True)
        under = QVBoxLayout()
        under.setSpacing(2)
        under.addWidget(self.person_mark)
        under.addWidget(self.person_error)
        form.addLayout(under, 2, 0)
        form.addWidget(self.demand_error, 2, 1, 1, 2)
        self.person_error.hide()
        self.demand_error.hide()
        panel.body.addLayout(form)
        panel.body.addWidget(separator())
        row = QHBoxLayout()
        row.setSpacing(12)
        self.headline = VerdictLabel(15)
        row.addWidget(self.headline)
        self.sentence: QLabel = label("", "dim", wrap=True)
        row.addWidget(self.sentence, 1)
        self.aside = ActionButton(table, "write_card.aside", role="quiet")
        row.addWidget(self.aside)
        panel.body.addLayout(row)
        self.stepper = Stepper([name for name, _ in STAGES])
        self.stepper.setAccessibleDescription(tr("Under each stage: its APDUs and its time"))
        panel.body.addWidget(self.stepper)
        panel.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        return panel

    def _sections(self, table: ActionTable, names: OperatorNames, *, can_present: bool, can_burn: bool) -> QTabWidget:
        """What came of it, in tabs."""
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setAccessibleName(tr("What came of it"))
        self.outcome = OutcomeView(table, can_present=can_present, can_burn=can_burn)
        self.tabs.addTab(self.outcome, tr("Result"))
        self.trace = TraceView(table)
        self.tabs.addTab(self.trace, tr("APDU trace"))
        self.tabs.addTab(self._history(table), tr("History"))
        self.doctor = DoctorView(table)
        self.tabs.addTab(self.doctor, tr("Reader doctor"))
        self.four_eyes = FourEyesView(table, names)
        self.tabs.addTab(self.four_eyes, tr("Four eyes"))
        self.paper = PaperView(table)
        self.tabs.addTab(self.paper, tr("Receipt and badge"))
        self.tabs.currentChanged.connect(self.section_shown)
        return self.tabs

    def _history(self, table: ActionTable) -> QWidget:
        """All provisionings, newest first; gives the place in the tabs that they stand in, unless beside them."""
        when: Column[Provision] = Column(
            tr("WHEN"), lambda row: date_time(parse_time(row.timestamp)), 176, dim=True,
            hint=lambda row: utc_time(parse_time(row.timestamp)),
        )  # fmt: skip
        state: Column[Provision] = Column(tr("STATE"), lambda row: code_word(row.state), 110, state=provision_state)
        person: Column[Provision] = Column(tr("PERSON"), lambda row: row.display_name or row.node_id, least=150)
        rest: list[Column[Provision]] = [
            Column(tr("NODE"), lambda row: row.node_id, 104, mono=True, spare=2),
            Column("HARDWARE_UID", lambda row: row.hardware_uid_now or row.hardware_uid, 130, mono=True, spare=1),
            Column(tr("APDUS"), lambda row: str(row.apdu_count), 68, right=True, spare=4),
            Column(tr("TIME"), lambda row: milliseconds(row.duration_ms) if row.duration_ms else "–", 80, right=True,
                   spare=3),
        ]  # fmt: skip
        pin: Column[Provision] = Column(
            tr("PIN"), lambda row: tr("given out") if row.mailer_printed else tr("not yet"), 88, dim=True
        )
        self._columns = [when, state, person, *rest, pin]
        self._beside = [
            replace(when, text=lambda row: moment(parse_time(row.timestamp), self._now()), width=84),
            state,
            person,
            *(replace(column, spare=column.spare + 1) for column in rest),
            replace(pin, spare=1),
        ]
        self.history = RowsModel(self._columns, lambda row: row.provision_id)
        self.history_table = DataTable(
            self.history, name=tr("Provisionings, newest first"), proof=lambda one: one.provision_id
        )
        self.history_table.opened.connect(lambda row: self.provision_opened.emit(self.history.rows[row].provision_id))
        self.history_empty = EmptyState(
            "id-card",
            tr("No card was written yet."),
            tr("Every write stays here, with its person, its result and its time."),
        )
        self.history_empty.hide()
        panel = TitledPanel(_ALL_PROVISIONINGS, padding=12)
        self._older = ActionButton(table, "write_card.older", role="quiet")
        panel.head.addWidget(self._older)
        panel.body.addWidget(self.history_table, 1)
        panel.body.addWidget(self.history_empty, 1)
        self._history_panel = panel
        place = QWidget()
        self._home = QVBoxLayout(place)
        self._home.setContentsMargins(0, 12, 0, 0)
        return place

    def _stand_beside(self, on: bool) -> None:
        """Show of each write in a column what is read there: when, how it ended, for whom."""
        name = self.history_table.name
        self.history_table.show_columns(self._beside if on else self._columns, "Provisionings beside" if on else name)
        title = tr("Cards written") if on else _ALL_PROVISIONINGS
        self._older.setVisible(self._more or not on)
        self._history_panel.title.setText(title)
        self._history_panel.setAccessibleName(title)

    @property
    def history_shown(self) -> bool:
        """Whether the list of provisionings is in sight: beside the rest, or in its tab."""
        return self.third.beside or self.tabs.currentIndex() == HISTORY

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_card(self, card: Card | None, words: CardWords | None, holder: str) -> None:
        """The card in the chosen reader, whose it is, and what is to be said of it."""
        if card is None or words is None or not card.present:
            self.facts.clear()
            self.card_mark.set(Meaning.IDLE, tr("No card"))
            self.card_remedy.setText(
                tr("{reader} is empty.", reader=card.reader) if card is not None else tr("No reader is chosen.")
            )
            return
        self.card_mark.set(words.state, words.word)
        self.facts.set("atr", card.atr or "")
        self.facts.set("uid", card.hardware_uid or "")
        self.facts.set("source", _SOURCES.get(card.uid_source or "", ""))
        self.facts.set("guid", card.card_guid or "")
        self.facts.set("holder", holder)
        self.facts.set("tries", "" if card.pin_tries is None else str(card.pin_tries))
        self.card_remedy.setText(words.remedy or tr("May be written."))

    def show_person(self, node: Node | None) -> None:
        """The standing of the chosen person."""
        if node is None:
            self.person_mark.set(Meaning.IDLE, tr("Nobody is chosen"))
        else:
            self.person_mark.set(state_of(node.standing), f"{node.node_id} · {code_word(node.standing)}")

    def show_next_step(self, step: NextStep) -> None:
        """The headline, and what to do next."""
        self.headline.set(step.state, step.headline)
        if self.sentence.text() != step.sentence:
            self.sentence.setText(step.sentence)

    def show_job(self, job: CardJob | None) -> None:
        """The stages of a job; none: they all wait."""
        if job is None:
            self.stepper.reset()
            self.job_figures.setText("")
            return
        for at, (stage, detail) in enumerate(group_stages(job.stages)):
            self.stepper.set_stage(at, stage, detail)
        spent = sum(stage.ms or 0.0 for stage in job.stages.values())
        self.job_figures.setText(
            tr("{count} APDUs · {span}", count=job.apdus, span=milliseconds(spent)) if job.apdus else ""
        )

    def show_history(self, rows: Sequence[Provision], *, more: bool) -> None:
        """Show these provisionings, newest first; ``more``: there are older ones."""
        self._more = more
        self._older.setVisible(more or not self.third.beside)
        self.history_table.take_rows(rows)
        self.history_table.setVisible(bool(rows))
        self.history_empty.setVisible(not rows)

    def show_errors(self, person: str, demand: str) -> None:
        """Mark the fields that the service refused."""
        for field_error, sentence in ((self.person_error, person), (self.demand_error, demand)):
            field_error.setText(sentence)
            field_error.setVisible(bool(sentence))
        self.person.mark_invalid(bool(person))
        self.demand.setProperty("invalid", "true" if demand else "false")
        self.demand.style().unpolish(self.demand)
        self.demand.style().polish(self.demand)

    def offer_drawer(self, names: Sequence[str]) -> None:
        """Training cards that are in no reader."""
        chosen = self.drawer.currentData()
        self.drawer.clear()
        self.drawer.addItem(tr("The next blank card"), None)
        for name in names:
            self.drawer.addItem(name, name)
        self.drawer.setCurrentIndex(max(0, self.drawer.findData(chosen)))


def provision_state(row: Provision) -> Meaning:
    """How a provisioning ended, as a state."""
    return PROVISION_STATES[row.state]
