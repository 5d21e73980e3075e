"""The window while nobody is signed in: what is wrong at the left, the ways to sign in at the right."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from PySide6 import QtCore
from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.console import theme
from app.console.clock import clock_time, zone_name
from app.console.desk_state import DeskState
from app.console.failures import SignInRefused, failure_of
from app.console.frames.site_counts import SiteCounts
from app.console.language import tr
from app.console.need_words import need_words
from app.console.session import WindowSession
from app.console.shell.alarm_watch import AlarmWatch
from app.console.shell.lock_words import alarm_detail, alarm_state, alarm_words, owner_words
from app.console.theme import icons
from app.console.theme.tokens import Meaning
from app.console.widgets.hero import StateHero
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.taking_away import take_away
from app.console.widgets.text import label, separator
from app.console.widgets.verdict import VerdictLabel
from app.delivery.messages import Alarm

if TYPE_CHECKING:
    from app.console.operators.cards import DeskReader
    from app.console.operators.desk import OperatorDesk

MOST_ALARMS = 6
WIDEST = 1240


def _head_words(alarms: Sequence[Alarm], words: tuple[Meaning, str]) -> tuple[str, str]:
    """The word of the head, and the sentence beside it."""
    waiting = sum(alarm.taken_by is None for alarm in alarms)
    if words[0] is Meaning.IDLE:
        return tr("Unknown"), tr("Nobody knows what is open: the service does not say.")
    if waiting:
        return need_words(waiting), tr("The sound goes on until somebody signs in and takes it.")
    return (
        (tr("All clear"), tr("No alarm is open."))
        if not alarms
        else (tr("{count} taken", count=len(alarms)), tr("Every open alarm has an owner."))
    )


class AlarmsOfNobody(QFrame):
    """The open alarms without a name, and how old the data are."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(16, 16, 16, 20)
        self._column.setSpacing(10)
        self.head = StateHero(name=tr("Alarms"))
        self._column.addWidget(self.head)
        self._column.addSpacing(6)
        self.rows = [_AlarmLine() for _ in range(MOST_ALARMS)]
        for row in self.rows:
            self._column.addWidget(row)
        self.more = label("", "dim")
        self._column.addWidget(self.more)
        self.figures = SiteFigures()
        self._column.addWidget(self.figures)
        self.data = label("", "dim")
        self.data.setContentsMargins(24, 0, 0, 0)
        self._column.addWidget(self.data)
        self._column.addStretch(1)

    def show_alarms(self, alarms: Sequence[Alarm], words: tuple[Meaning, str], now: float) -> None:
        """Show the open alarms, those that nobody has taken first."""
        self.head.set(words[0], *_head_words(alarms, words))
        ordered = sorted(alarms, key=lambda one: (one.taken_by is not None, one.since))
        for row, alarm in zip(self.rows, [*ordered[:MOST_ALARMS], *[None] * MOST_ALARMS], strict=False):
            row.show_alarm(alarm, now)
        left = len(ordered) - MOST_ALARMS
        self.more.setText(tr("{count} more", count=left) if left > 0 else "")
        self.more.setVisible(left > 0)


class _AlarmLine(QWidget):
    """What is wrong, read from a step away, and below it since when; who has taken it at the right."""

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        row = QHBoxLayout()
        column.addLayout(row)
        row.setContentsMargins(24, 0, 8, 0)
        words = QVBoxLayout()
        row.addLayout(words, 1)
        words.setSpacing(2)
        self.mark = VerdictLabel(15)
        self.detail = label("", "dim")
        # Under the words, not under their shape.
        keep_lengths(self.detail, lambda one: one.setIndent(theme.px(20)))
        words.addWidget(self.mark)
        words.addWidget(self.detail)
        self.owner = label("")
        row.addWidget(self.owner)
        column.addWidget(separator())
        self.hide()

    def show_alarm(self, alarm: Alarm | None, now: float) -> None:
        """Show one alarm; None: the line is not used."""
        self.setVisible(alarm is not None)
        if alarm is not None:
            self.mark.set(alarm_state(alarm), alarm_words(alarm))
            self.detail.setText(alarm_detail(alarm, now))
            self.owner.setText(owner_words(alarm))


class SiteFigures(QWidget):
    """Frames, doors, open burns, and how old they are."""

    NAMES = (tr("Frames"), tr("Doors"), tr("Open burns"), tr("Data"))

    def __init__(self) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 4, 0, 0)
        row.setSpacing(32)
        self.values: dict[str, QLabel] = {}
        for name in self.NAMES:
            one = QWidget()
            column = QVBoxLayout(one)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(2)
            column.addWidget(label(name, "small"))
            self.values[name] = label("–", "heading")
            column.addWidget(self.values[name])
            row.addWidget(one)
        row.addStretch(1)

    def show_counts(self, counts: SiteCounts) -> None:
        """Show the figures as they are known now."""
        said = (counts.frames, counts.doors, counts.open_burns, counts.data_age)
        for name, value in zip(self.NAMES, said, strict=True):
            self.values[name].setText(value)
        self.setAccessibleName(", ".join(f"{name} {value}" for name, value in zip(self.NAMES, said, strict=True)))


class SignInPanel(QFrame):
    """Card, passphrase, browser, and on a training site its operators. ``spawn`` starts a sign-in."""

    def __init__(self, desk: OperatorDesk, spawn: Callable[[Coroutine[Any, Any, None]], object]) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self._desk, self._spawn = desk, spawn
        self._busy = False
        column = QVBoxLayout(self)
        column.setContentsMargins(32, 24, 32, 24)
        column.setSpacing(10)
        head = QHBoxLayout()
        head.setSpacing(12)
        self._lock = label()
        self.word = label("", "kpi")
        head.addWidget(self._lock)
        head.addWidget(self.word)
        head.addStretch(1)
        column.addLayout(head)
        self.why = label("", "dim", wrap=True)
        column.addWidget(self.why)
        column.addSpacing(6)

        self.card = label("", "heading", wrap=True)
        self.pin = self._secret(tr("PIN of the card"), tr("waits for a card"))
        self.pin.setMaxLength(8)
        self.pin.returnPressed.connect(self._by_card)
        column.addWidget(self.card)
        column.addWidget(self.pin)

        self.name = QLineEdit()
        self.name.setPlaceholderText(tr("Name, or op_…"))
        self.name.setAccessibleName(tr("Name of the operator"))
        self.passphrase = self._secret(tr("Passphrase"), tr("Passphrase"))
        self.name.returnPressed.connect(self.passphrase.setFocus)
        self.passphrase.returnPressed.connect(self._by_passphrase)
        self.enter = QPushButton(tr("Sign in"))
        self.enter.setProperty("role", "primary")
        self.enter.clicked.connect(self._by_passphrase)
        for part in (self.name, self.passphrase, self.enter):
            column.addWidget(part)
        self.browser = QPushButton(tr("Sign in in the browser"))
        self.browser.clicked.connect(lambda: self._try(desk.sign_in_by_browser()))
        column.addWidget(self.browser)

        self._training = QGridLayout()
        self._training.setSpacing(8)
        column.addLayout(self._training)
        self.people: list[QPushButton] = []
        self._hint = label(tr("Training operators need no card on a training site."), "small", wrap=True, centred=True)
        column.addWidget(self._hint)
        self.wrong = label("", "error", wrap=True)
        column.addWidget(self.wrong)
        column.addStretch(1)
        self._dress()

    def _secret(self, name: str, words: str) -> QLineEdit:
        made = QLineEdit()
        made.setEchoMode(QLineEdit.EchoMode.Password)
        made.setPlaceholderText(words)
        made.setAccessibleName(name)
        return made

    # --- showing -----------------------------------------------------------------------------------------------------

    def show_desk(self) -> None:
        """Show the ways that this site's operators sign in, and why nobody is."""
        desk = self._desk
        locked = desk.state is DeskState.LOCKED
        self.word.setText(tr("Locked") if locked else tr("Sign in"))
        at = tr("At {time}. ", time=clock_time(desk.since)) if locked else ""
        self.why.setText(f"{at}{desk.why}" + (tr(" The page stays as it was.") if locked else ""))
        card, typed = desk.offers("card"), desk.offers("passphrase")
        training = bool(desk.training_operators)
        self.card.setVisible(card)
        self.pin.setVisible(card)
        for part in (self.name, self.passphrase, self.enter):
            part.setVisible(typed and not training)
        self.browser.setVisible(desk.offers("oidc"))
        self._hint.setVisible(training)
        self._show_people()
        self._show_card()

    def _show_people(self) -> None:
        """A button for each training operator; they are nobody's names."""
        wanted = [(one.operator_id, one.display_name) for one in self._desk.training_operators]
        if [(one.property("operator"), one.text()) for one in self.people] == wanted:
            return
        take_away(self._training, self.people)
        self.people = []
        for at, (operator_id, name) in enumerate(wanted):
            button = QPushButton(name)
            button.setProperty("operator", operator_id)
            button.setAccessibleName(tr("Sign in as {name}", name=name))
            button.clicked.connect(lambda _on=False, who=operator_id: self._try(self._desk.sign_in_training(who)))
            self._training.addWidget(button, at // 2, at % 2)
            self.people.append(button)

    def _show_card(self) -> None:
        """Say whether a card is there; the PIN field takes keys only then."""
        reader = self._card_in()
        count = len(self._desk.cards.readers)
        self.pin.setEnabled(reader is not None and not self._busy)
        if reader is not None:
            self.card.setText(tr("Card in {name}", name=reader.name))
            self.pin.setPlaceholderText(tr("PIN, then Enter"))
        else:
            self.pin.clear()
            self.pin.setPlaceholderText(tr("waits for a card"))
            without = tr("No card reader can be reached") if self._desk.cards.trouble else tr("No card reader is here")
            self.card.setText(tr("Put your card into a reader ({count} here)", count=count) if count else without)
        self.card.setToolTip(self._desk.cards.trouble)

    def _card_in(self) -> DeskReader | None:
        """The card to ask; of several the one that came last."""
        held = [one for one in self._desk.cards.readers if one.card]
        return max(held, key=lambda one: one.changes, default=None)

    def first(self) -> QWidget:
        """Where the hands go."""
        ways = [self.pin, *self.people, self.name, self.browser]
        return next((one for one in ways if one.isVisibleTo(self) and one.isEnabled()), self.pin)

    def forget(self) -> None:
        """Nothing that was typed stays."""
        for field in (self.pin, self.passphrase):
            field.clear()
        self.wrong.setText("")

    # --- signing in --------------------------------------------------------------------------------------------------

    def _by_card(self) -> None:
        reader, pin = self._card_in(), self.pin.text()
        self.pin.clear()
        if reader is not None and pin:
            self._try(self._desk.sign_in_by_card(reader, pin))

    def _by_passphrase(self) -> None:
        name, passphrase = self.name.text().strip(), self.passphrase.text()
        self.passphrase.clear()
        if not name or not passphrase:
            self.wrong.setText(tr("Type name and passphrase."))
            (self.name if not name else self.passphrase).setFocus()
            return
        self._try(self._desk.sign_in_by_passphrase(name, passphrase))

    def _try(self, work: Coroutine[Any, Any, None]) -> None:
        """One attempt at a time."""
        if self._busy:
            work.close()
            return
        self._set_busy(True)
        self._spawn(self._attempt(work))

    async def _attempt(self, work: Coroutine[Any, Any, None]) -> None:
        """Tell why it failed, in a sentence that does not say whether the name exists."""
        self.wrong.setText("")
        try:
            await work
        except SignInRefused as refused:
            left = "" if refused.tries is None else tr(" {count} tries are left.", count=refused.tries)
            self.wrong.setText(f"{refused}{left}")
        except Exception as error:  # every reason is shown
            failure = failure_of(error)
            wait = (
                ""
                if failure.retry_after_s is None
                else tr(" Try again in {seconds:.0f} s.", seconds=failure.retry_after_s)
            )
            self.wrong.setText(f"{failure.sentence}{wait}")
        finally:
            self._set_busy(False)

    def _set_busy(self, busy: bool) -> None:
        self._busy = busy
        for part in (self.enter, self.browser, *self.people):
            part.setEnabled(not busy)
        self._show_card()
        if not busy and self.isVisible():
            # A name that was typed stays, and the hands go to what is to be typed again.
            (self.passphrase if self.name.text() and self.passphrase.isVisible() else self.first()).setFocus()

    def _dress(self) -> None:
        self._lock.setPixmap(icons.pixmap("lock", theme.current().text, theme.px(24), self.devicePixelRatioF()))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "wrong"):
            self._dress()
        super().changeEvent(event)


class LockView(QWidget):
    """Shown in place of rail, top bar and page."""

    def __init__(self, session: WindowSession, desk: OperatorDesk, alarms: AlarmWatch) -> None:
        super().__init__()
        self.setProperty("role", "ground")
        self.setAccessibleName(tr("Locked desk"))
        self._session, self._desk, self._alarms = session, desk, alarms
        outer = QHBoxLayout(self)
        outer.setContentsMargins(24, 24, 24, 24)
        middle = QWidget()
        keep_lengths(middle, lambda one: one.setMaximumWidth(theme.px(WIDEST)))
        outer.addStretch(1)
        outer.addWidget(middle, 100)
        outer.addStretch(1)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(16)
        column.addStretch(1)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(label("ARC Console", "title"))
        self._site = label("", "dim")
        head.addWidget(self._site)
        head.addStretch(1)
        self._clock = label("", "kpi")
        # Of one width, so that the seconds stand still.
        self._clock.setFont(theme.mono(28))
        self._zone = label("", "dim")
        head.addWidget(self._clock)
        head.addWidget(self._zone)
        column.addLayout(head)
        both = QHBoxLayout()
        both.setSpacing(24)
        self.alarms = AlarmsOfNobody()
        self.panel = SignInPanel(desk, lambda work: session.tasks.spawn(work, name="sign in"))
        both.addWidget(self.alarms, 7)
        both.addWidget(self.panel, 5)
        column.addLayout(both, 4)
        foot = QHBoxLayout()
        foot.addWidget(
            label(tr("A locked desk shows what is wrong, never who. It takes no action."), "dim", wrap=True), 7
        )
        foot.addWidget(label(tr("The next operator keeps the page; the audit names the change."), "dim", wrap=True), 5)
        column.addLayout(foot)
        column.addStretch(1)
        desk.changed.connect(self._show_desk)
        alarms.changed.connect(self._beat)
        self.counts = SiteCounts(session, self)
        self.counts.changed.connect(self._beat)
        self._second = QTimer(self)
        self._second.setInterval(1000)
        self._second.timeout.connect(self._beat)
        self._show_desk()
        self.hide()

    def _show_desk(self) -> None:
        self._site.setText(tr("Training site") if self._session.training else "")
        self.panel.show_desk()

    def _beat(self) -> None:
        """Clock, age of the alarms, and whether data arrive; once a second while it is shown."""
        if not self.isVisible():
            return
        now = time.time()
        self._clock.setText(clock_time(now))
        self._zone.setText(zone_name(now))
        self.alarms.show_alarms(self._alarms.alarms, self._alarms.words, self._session.live.now())
        self.alarms.figures.show_counts(self.counts)
        live = self._session.live
        arrive = self._session.is_connected and not live.stale
        self.alarms.data.setText("" if arrive else tr("No data arrive: what is shown is old."))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._second.start()
        self.counts.look(True)
        self._beat()
        self.panel.first().setFocus(QtCore.Qt.FocusReason.OtherFocusReason)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._second.stop()
        self.counts.look(False)
        self.panel.forget()
