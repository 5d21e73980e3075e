"""The open alarms as a list over any page: who owns which, and the keys to take, mute and close them."""

from __future__ import annotations

from PySide6 import QtCore
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.console import theme
from app.console.actions import key_words
from app.console.alarm_taking import taking
from app.console.clock import clock_time, date_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.mutes import fact_key
from app.console.operations import Operation
from app.console.session import WindowSession
from app.console.shell.alarm_watch import AlarmWatch
from app.console.theme.tokens import Meaning
from app.console.widgets.banner import Banner
from app.console.widgets.bulk_bar import BulkBar
from app.console.widgets.dialog import Dialog
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import label
from app.delivery.messages import HAPPENED, Alarm

NOTE_MAX = 1000


class AlarmDialog(Dialog):
    """Opened by ``open()``, never ``exec()``. Enter in the list goes to the note, Enter in the note takes the alarm."""

    def __init__(self, window: QWidget, session: WindowSession, watch: AlarmWatch) -> None:
        super().__init__(window)
        self._session, self._watch = session, watch
        self.setWindowTitle(tr("Alarms"))
        self.setModal(True)
        self.setAttribute(QtCore.Qt.WidgetAttribute.WA_DeleteOnClose)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(24, 20, 24, 16)
        outer.setSpacing(12)
        outer.addWidget(label(tr("Alarms"), "title"))
        self._head = label("", "dim")
        outer.addWidget(self._head)
        self.banner = Banner()
        outer.addWidget(self.banner)
        self.rows: RowsModel[Alarm] = RowsModel(
            [
                Column(tr("SINCE"), lambda one: clock_time(parse_time(one.since)), 90, mono=True,
                       hint=lambda one: date_time(parse_time(one.since))),
                Column(tr("ALARM"), self._text, state=lambda one: Meaning.WARN if one.taken_by else Meaning.CRIT,
                       hint=self._text),
                Column(tr("OWNER"), self._owner, 230, hint=lambda one: "\n".join(filter(None, (one.taken_by,
                       one.note)))),
            ],
            lambda one: one.alarm_id,
        )  # fmt: skip
        self.table = DataTable(self.rows, name=tr("Open alarms"), marks=True, proof=lambda one: one.alarm_id)
        self.table.selected.connect(lambda _row: self._tell())
        self.table.opened.connect(lambda _row: self.note.setFocus())
        outer.addWidget(self.table, 1)
        outer.addWidget(BulkBar(self.table, tr("alarm"), tr("alarms")))
        self._whole = label("", "", wrap=True, selectable=True)
        self._whole.setMinimumHeight(theme.px(64))
        outer.addWidget(self._whole)
        outer.addLayout(self._make_hands())
        watch.changed.connect(self._show)
        session.names.changed.connect(self._show)
        self._show()
        if self.rows.rows:
            self.table.selectRow(0)
        self.table.setFocus()
        self.resize(min(theme.px(1040), window.width() - 80), min(theme.px(600), window.height() - 80))

    def _make_hands(self) -> QHBoxLayout:
        """The note, and what can be done with the chosen alarm."""
        foot = QHBoxLayout()
        self.note = QLineEdit()
        self.note.setAccessibleName(tr("Note of the owner"))
        self.note.setPlaceholderText(tr("What you do about it (not required)"))
        self.note.setMaxLength(NOTE_MAX)
        self.note.returnPressed.connect(self._take)
        foot.addWidget(self.note, 1)
        self.take = self._button(tr("Take"), "Alt+T", tr("You own it from now on; every console says so."), self._take)
        self.take.setProperty("role", "primary")
        self.mute = self._button(
            tr("Mute 15 min"), "Alt+U", tr("No sound for it on this console; again: unmute."), self._mute
        )
        self.close_alarm = self._button(
            tr("Close"), "Alt+C", tr("For everybody. Alarms of what lasts close with their fact."), self._close_alarm
        )
        for button in (self.take, self.mute, self.close_alarm):
            foot.addWidget(button)
        leave = QPushButton(tr("Back"))
        leave.setToolTip("Esc")
        leave.setAutoDefault(False)
        leave.clicked.connect(self.accept)
        foot.addWidget(leave)
        return foot

    def _button(self, text: str, key: str, hint: str, run: QtCore.SignalInstance | object) -> QPushButton:
        """A button that is never the dialog's default: Enter belongs to list and note."""
        made = QPushButton(text)
        made.setAutoDefault(False)
        made.setToolTip(f"{hint}   {key_words(key)}")
        made.clicked.connect(run)
        QShortcut(QKeySequence(key), self).activated.connect(made.click)
        return made

    @property
    def chosen(self) -> Alarm | None:
        """The alarm under the cursor; None: there is none."""
        return self.rows.get(self.table.currentIndex().row())

    def _text(self, alarm: Alarm) -> str:
        return self._session.names.in_text(alarm.text)

    def _owner(self, alarm: Alarm) -> str:
        if alarm.taken_by is None:
            return tr("nobody yet")
        owner = self._session.names.of(alarm.taken_by, alarm.taken_by_name)
        return f"{owner}: {alarm.note}" if alarm.note else owner

    def _show(self) -> None:
        """The list as it is known now; the cursor stays on its alarm."""
        here = self.chosen
        state, words = self._watch.words
        rows = sorted(self._watch.alarms, key=lambda one: (one.taken_by is not None, one.since))
        self.rows.set_rows(rows)
        again = self.rows.row_of(here.alarm_id) if here is not None else -1
        if again >= 0 and self.table.currentIndex().row() != again:
            self.table.selectRow(again)
        known = tr("The service does not say what is open: this list may be of before.")
        taken = len(rows) - len(self._watch.waiting)
        counted = tr(
            "{waiting} wait for an owner, {taken} taken. Enter: note, then Enter: take.",
            waiting=len(self._watch.waiting),
            taken=taken,
        )
        self._head.setText(known if state is Meaning.IDLE else counted if rows else words)
        self._tell()

    def _tell(self) -> None:
        """The whole of the chosen alarm, and what may be done with it."""
        chosen = self.chosen
        if chosen is None:
            self._whole.setText(tr("Nothing is open."))
        else:
            said = tr(" Note: {note}", note=chosen.note) if chosen.note else ""
            owner = self._session.names.of(chosen.taken_by, chosen.taken_by_name)
            owned = (
                tr("Taken {time} by {owner}.", time=date_time(parse_time(chosen.taken_at)), owner=owner)
                if chosen.taken_at
                else ""
            )
            self._whole.setText(f"{self._text(chosen)}\n{owned}{said}".rstrip())
        hands = chosen is not None and self._session.clearance.lower() != "sovereign"
        permissions = self._session.permissions
        self.take.setEnabled(hands and permissions.may("gateway_take_alarm"))
        closes = hands and chosen is not None and chosen.kind in HAPPENED
        self.close_alarm.setEnabled(closes and permissions.may("gateway_acknowledge_alarm"))
        self.mute.setEnabled(chosen is not None)
        muted = chosen is not None and fact_key(chosen) in self._session.mutes.standing()
        self.mute.setText(tr("Unmute") if muted else tr("Mute 15 min"))

    def _take(self) -> None:
        """Make the operator, or this console's key, the owner of the chosen alarm."""
        chosen = self.chosen
        if chosen is None or not self.take.isEnabled():
            return

        def finish(_alarm: Alarm) -> None:
            self.banner.clear()
            self.note.clear()
            self._watch.read_now()
            self.table.setFocus()

        operation = taking(chosen.alarm_id, self.note.text().strip())
        operation.success(finish).failure(self.banner.show_failure).run(self._session, self)

    def _close_alarm(self) -> None:
        """Close the chosen alarm for everybody."""
        chosen = self.chosen
        if chosen is None:
            return

        def finish(_alarm: Alarm) -> None:
            self.banner.clear()
            self._watch.read_now()

        operation: Operation[Alarm] = Operation(
            lambda client, _key: client.gateway_acknowledge_alarm(chosen.alarm_id), title=tr("Close the alarm")
        )
        operation.success(finish).failure(self.banner.show_failure).run(self._session, self)

    def _mute(self) -> None:
        if (chosen := self.chosen) is not None:
            self._session.mutes.toggle(fact_key(chosen))
            self._tell()
