"""What the page looks like: readers at the left, the person with the write in the middle, what comes next at the right.
In a wide page the cards that were written stand beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QBoxLayout, QComboBox, QHBoxLayout, QSizePolicy, QTabWidget, QVBoxLayout, QWidget

from app.capabilities.provisioning.messages import Provision
from app.console import theme
from app.console.actions import ActionTable
from app.console.cards.jobs import STAGES, CardJob, group_stages
from app.console.clock import utc_time
from app.console.code_words import code_word
from app.console.language import tr
from app.console.moments import moment, parse_time
from app.console.names import OperatorNames
from app.console.page import PageView
from app.console.pages.write_card.doctor_view import DoctorView
from app.console.pages.write_card.four_eyes_view import FourEyesView
from app.console.pages.write_card.hero_view import PersonHero
from app.console.pages.write_card.outcome_view import PROVISION_STATES, OutcomeView
from app.console.pages.write_card.paper_view import PaperView
from app.console.pages.write_card.reader_list import CardReaderList
from app.console.pages.write_card.then_view import ThenView
from app.console.pages.write_card.trace_view import TraceView
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import WIDEST, lay
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.room_tabs import RoomTabs
from app.console.widgets.scroller import scroller
from app.console.widgets.side import Side
from app.console.widgets.stepper import StageState
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label, separator
from app.console.widgets.third_column import ThirdColumn

LEFT_PX, LEFT_NARROW_PX, RIGHT_PX = 252, 236, 272
THEN_BESIDE_FROM = 1220
"""Width of the page, px at 100 % text, from which the steps after the write stand at the right."""
READERS_BESIDE_FROM = 900
"""The same from which the readers stand at the left."""
_TABS_LEAST = 420, 320
"""Px at 100 % text."""
HISTORY, PROOF, TRACE, DOCTOR, FOUR_EYES, PAPER = range(6)
"""Tabs below the person."""
_ALL_PROVISIONINGS = tr("Provisionings, newest first; Enter opens one")


class OutcomeTabs:
    """What the tabs behind the list of cards show. It is made in a turn of its own, before the page that takes it
    in."""

    def __init__(self, table: ActionTable, names: OperatorNames) -> None:
        self.outcome = OutcomeView()
        self.trace = TraceView(table)
        self.doctor = DoctorView(table)
        self.four_eyes = FourEyesView(table, names)
        self.paper = PaperView(table)


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
        behind: OutcomeTabs,
        now: Callable[[], float],
        *,
        training: bool,
        can_present: bool,
        can_burn: bool,
    ) -> None:
        super().__init__(tr("Write card"), scrolls=True, widest=WIDEST)
        self._now = now
        self._more = False
        self._access: Mapping[str, str] = {}
        main = QWidget()
        self._across = columns = QHBoxLayout(main)
        columns.setContentsMargins(0, 0, 0, 0)
        columns.setSpacing(12)
        self._left = Side(LEFT_PX, LEFT_NARROW_PX)
        columns.addWidget(self._left)
        self._left.column.addWidget(self._readers(table, training=training), 1)
        self._left.column.addStretch(0)
        self._middle = middle = QVBoxLayout()
        columns.addLayout(middle, 1)
        middle.setSpacing(12)
        self.hero = PersonHero(table)
        self.hero.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.person = self.hero.person
        self.person.searched.connect(self.searched)
        self.person.chosen.connect(self.person_chosen)
        self.person.cleared.connect(self.person_cleared)
        middle.addWidget(self.hero)
        self._below = QVBoxLayout()
        middle.addLayout(self._below)
        middle.addWidget(self._sections(table, behind), 1)
        self._right = Side(RIGHT_PX)
        columns.addWidget(self._right)
        self.then = ThenView(table, can_present=can_present, can_burn=can_burn)
        self._right.column.addWidget(self.then)
        self.third = ThirdColumn(
            main, self._history_panel, self._home, open_home=lambda: self.tabs.setCurrentIndex(HISTORY)
        )
        self.third.moved.connect(self._stand_beside)
        self.body.addWidget(self.third, 1)
        self._one_column = False

    def grounds(self) -> Sequence[QWidget]:
        # Not the tab of the history: the panel in it stands beside the rest in a wide page.
        pages = (self.tabs.widget(at) for at in range(self.tabs.count()) if at != HISTORY)
        parts = (self._reader_panel, self.hero, self.then, self.tabs.tabBar(), self._history_panel)
        return (*self.frame_grounds, *parts, *(page for page in pages if page is not None))

    def arrange(self) -> None:
        self._place_then()
        self._place_readers()

    def _place_readers(self) -> None:
        """Have the readers at the left, or where there is no room for that in a row below the person."""
        one = self.width() < theme.px(READERS_BESIDE_FROM)
        if one == self._one_column:
            return
        self._one_column = one
        self._left.spread(one)
        lay(self._reader_parts, across=one)
        self._reader_parts.setSpacing(24 if one else 8)
        self._line.setHidden(one)
        for at in range(2):
            self._reader_parts.setStretch(at, 1 if one or not at else 0)
        if one:
            self._middle.insertWidget(1, self._left)
        else:
            self._across.insertWidget(0, self._left)

    def _place_then(self) -> None:
        """Have the steps after the write at the right, or in a narrow page in a row between the person and the tabs."""
        flat = self.width() < theme.px(THEN_BESIDE_FROM)
        if flat == self._right.isHidden():
            return
        self._right.setVisible(not flat)
        (self._below if flat else self._right.column).addWidget(self.then)
        self.then.lie(flat)
        # The page is then longer than the window: what follows the readers must not be at its end.
        more = QSizePolicy.Policy.Maximum if flat else QSizePolicy.Policy.Preferred
        self._reader_panel.setSizePolicy(QSizePolicy.Policy.Preferred, more)
        for at in range(2):
            self._left.column.setStretch(at, int((at == 1) == flat))

    # --- left --------------------------------------------------------------------------------------------------------

    def _readers(self, table: ActionTable, *, training: bool) -> TitledPanel:
        """The readers; at their foot the drawer of training cards."""
        panel = self._reader_panel = TitledPanel(tr("Readers"), padding=12)
        self.service = StateMark()
        panel.head.addWidget(self.service)
        self.remedy = label("", "small", wrap=True)
        self.remedy.hide()
        panel.body.addWidget(self.remedy)
        self.readers = CardReaderList()
        self.readers.chosen.connect(self.reader_chosen)
        keep_lengths(self.readers, lambda one: one.setMinimumHeight(theme.px(120)))
        self._reader_parts = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        panel.body.addLayout(self._reader_parts, 1)
        self._reader_parts.setSpacing(8)
        self._reader_parts.addWidget(self.readers, 1)
        self._line = separator()
        if training:
            self._fill_drawer(table)
        return panel

    def _fill_drawer(self, table: ActionTable) -> None:
        """The drawer of training cards."""
        drawer = QVBoxLayout()
        self._reader_parts.addLayout(drawer)
        drawer.setSpacing(8)
        drawer.addWidget(self._line)
        drawer.addWidget(label(tr("Training drawer"), "paneltitle"))
        drawer.addWidget(label(tr("Plays the hand that puts a card into the reader."), "small", wrap=True))
        self.drawer = QComboBox()
        self.drawer.setAccessibleName(tr("Training card to put in"))
        self.drawer.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.drawer.addItem(tr("The next blank card"), None)
        drawer.addWidget(self.drawer)
        row = QHBoxLayout()
        drawer.addLayout(row)
        row.setSpacing(8)
        row.addWidget(ActionButton(table, "write_card.insert", text=tr("Put in")), 1)
        row.addWidget(ActionButton(table, "write_card.pull", text=tr("Pull out")), 1)
        drawer.addStretch(0)

    # --- the middle --------------------------------------------------------------------------------------------------

    def _sections(self, table: ActionTable, behind: OutcomeTabs) -> QTabWidget:
        """What came of it, in tabs."""
        self.tabs = RoomTabs(QSize(*_TABS_LEAST), scrolls=True)
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setAccessibleName(tr("What came of it"))
        self.tabs.addTab(self._history(table), tr("Cards written"))
        self.outcome, self.trace, self.doctor = behind.outcome, behind.trace, behind.doctor
        self.four_eyes, self.paper = behind.four_eyes, behind.paper
        self.demand = self.outcome.demand
        self.demand.editTextChanged.connect(lambda _text: self.demanded.emit())
        self.tabs.addTab(scroller(self.outcome), tr("Keys and proof"))
        self.tabs.addTab(scroller(self.trace), tr("APDU trace"))
        self.tabs.addTab(scroller(self.doctor), tr("Reader doctor"))
        self.tabs.addTab(scroller(self.four_eyes), tr("Four eyes"))
        self.tabs.addTab(scroller(self.paper), tr("Receipt and badge"))
        self.tabs.currentChanged.connect(self.section_shown)
        return self.tabs

    def _history(self, table: ActionTable) -> QWidget:
        """All provisionings, newest first; gives the place in the tabs that they stand in, unless beside them."""
        when: Column[Provision] = Column(
            tr("AT"), lambda row: moment(parse_time(row.timestamp), self._now()), 84, dim=True,
            hint=lambda row: utc_time(parse_time(row.timestamp)),
        )  # fmt: skip
        person: Column[Provision] = Column(
            tr("PERSON"), lambda row: row.display_name or row.node_id, least=132, weight=1.4,
            hint=lambda row: row.node_id,
        )  # fmt: skip
        card: Column[Provision] = Column(
            tr("CARD"), lambda row: row.hardware_uid_now or row.hardware_uid, mono=True, least=84, weight=0.8, spare=2
        )
        result: Column[Provision] = Column(tr("RESULT"), result_words, 132, state=provision_state)
        pin: Column[Provision] = Column(tr("PIN MAILER"), _pin_words, 100, state=_pin_state, spare=1)
        access: Column[Provision] = Column(
            tr("ACCESS"), lambda row: self._access.get(row.provision_id, ""), least=96, dim=True, spare=3
        )
        self._columns = [when, person, card, result, pin, access]
        self._beside = [when, person, replace(card, spare=3), result, replace(pin, spare=2), replace(access, spare=4)]
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
        self.tabs.setTabVisible(HISTORY, not on)

    @property
    def history_shown(self) -> bool:
        """Whether the list of provisionings is in sight: beside the rest, or in its tab."""
        return self.third.beside or self.tabs.currentIndex() == HISTORY

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_stages(self, job: CardJob | None) -> None:
        """The stages of a job; none: they all wait."""
        stepper = self.hero.stepper
        if job is None:
            stepper.reset()
            return
        for at, (stage, detail) in enumerate(group_stages(job.stages)):
            stepper.set_stage(at, stage, detail)

    def show_access(self, access: Mapping[str, str]) -> None:
        """The clusters that cards were granted at here, by provisioning."""
        if dict(self._access) != dict(access):
            self._access = access
            self.history_table.viewport().update()

    def show_history(self, rows: Sequence[Provision], *, more: bool) -> None:
        """Show these provisionings, newest first; ``more``: there are older ones."""
        self._more = more
        self._older.setVisible(more or not self.third.beside)
        self.history_table.take_rows(rows)
        self.history_table.setVisible(bool(rows))
        self.history_empty.setVisible(not rows)

    def show_errors(self, person: str, demand: str) -> None:
        """Mark the fields that the service refused."""
        self.hero.person_error.setText(person)
        self.hero.person_error.setVisible(bool(person))
        self.person.mark_invalid(bool(person))
        self.outcome.show_demand_error(demand)

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


def result_words(row: Provision) -> str:
    """How a provisioning ended, and where it was torn."""
    if row.state == "COMPLETE" and row.verification is not None:
        return tr("Written, proven")
    broken = [name for (name, _), (mark, _) in zip(STAGES, group_stages({one.step: one for one in row.stages}),
              strict=True) if mark is StageState.FAILED]  # fmt: skip
    if row.state == "TORN" and broken:
        return tr("Torn at {stage}", stage=broken[0])
    return code_word(row.state)


def _pin_words(row: Provision) -> str:
    if row.mailer_printed:
        return tr("Given out")
    return tr("Not yet") if row.state == "COMPLETE" else "–"


def _pin_state(row: Provision) -> Meaning | None:
    if row.mailer_printed:
        return Meaning.OK
    return Meaning.IDLE if row.state == "COMPLETE" else None
