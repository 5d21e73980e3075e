"""The voice tab's parts: who speaks, what was heard, the verdict with its reasons, the tolerance, and an enrolment."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QRadioButton,
    QSizePolicy,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from app.capabilities.voice.matrix import HOP, MAX_FRAMES, N_FFT, SAMPLE_RATE
from app.capabilities.voice.messages import MATCH_SPEECH_S
from app.console import theme
from app.console.actions import ActionTable
from app.console.devices.microphone import Microphone
from app.console.language import number, tr
from app.console.pages.verify.voice.takes import STATES, VoiceTakeRow
from app.console.pages.verify.voice.words import (
    HONEST,
    NOBODY,
    WANTED_S,
    MeasureRow,
    VoiceFinding,
    speech_words,
)
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.drop_area import DropGround
from app.console.widgets.empty import EmptyState
from app.console.widgets.error_curve import ErrorCurve
from app.console.widgets.level_meter import LevelMeter
from app.console.widgets.marks import StateMark
from app.console.widgets.score_strip import ScoreStrip
from app.console.widgets.scroller import scroller
from app.console.widgets.share_bar import ShareBar
from app.console.widgets.side import Side
from app.console.widgets.spectrogram import Spectrogram
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label, separator
from app.console.widgets.verdict import PassingVerdict, VerdictLabel
from app.console.widgets.wrap_row import WrapRow

KEPT = tr(
    "Stored: one vocal signature of 16 KiB, numbers from which no speech can be made, sealed, and turned "
    "by a key of its own. A burn or an erasure removes it. Not stored: the takes. They are overwritten "
    "in this console's memory when they were sent, when you leave, and when another person is chosen; "
    "copies made to send and to show them are freed, not overwritten."
)
NOTHING_HEARD = tr("Nothing was heard yet.")
HOW_HEARD = tr(
    "Press Space and let the person speak; Space ends it. A recording (WAV or FLAC, 1 to 30 s) may also "
    "be opened or dropped here. What is heard is drawn here while it comes."
)
HOW_READ = tr("A recording (WAV or FLAC, 1 to 30 s) may be opened or dropped here. What it holds is drawn here.")
FOUND_ROWS = 4


class FindingLine(QWidget):
    """A question, its answer as shape and word, and what stands behind it."""

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        head = QHBoxLayout()
        self._title = label("")
        self.mark = StateMark()
        head.addWidget(self._title)
        head.addStretch(1)
        head.addWidget(self.mark)
        column.addLayout(head)
        self._detail = label("", "small", wrap=True)
        column.addWidget(self._detail)

    def show_finding(self, finding: VoiceFinding) -> None:
        """Show this answer."""
        self._title.setText(finding.title)
        self.mark.set(finding.state, finding.word)
        self._detail.setText(finding.detail)
        self.setAccessibleName(f"{finding.title}: {finding.word}. {finding.detail}")


class VoiceView(DropGround):
    """Shows; the tab decides. ``toggled``: Space was pressed where nothing else takes it; ``moved``: the tolerance;
    ``enrolling``: the mode was changed; ``confirmed``: whether the digits were said."""

    toggled = Signal()
    moved = Signal(float)
    enrolling = Signal(bool)
    confirmed = Signal(bool)

    def __init__(self, table: ActionTable, mark: StateMark) -> None:
        super().__init__()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 16, 0, 0)
        column.setSpacing(12)
        top = QHBoxLayout()
        top.setSpacing(12)
        left = Side(300, 236)
        left.column.addWidget(self._speaker(table, mark), 1)
        top.addWidget(left)
        top.addWidget(self._sound_panel(), 1)
        right = Side(320, 264)
        self._sides = Stack(theme.px(470))
        self._sides.addWidget(self._verdict())
        self._sides.addWidget(self._enrolment(table))
        right.column.addWidget(self._sides, 1)
        top.addWidget(right)
        column.addLayout(top, 3)
        self._lower = Stack(theme.px(232))
        self._lower.addWidget(self._judgement_panels(table))
        self._lower.addWidget(self._takes(table))
        column.addWidget(self._lower, 2)
        outer.addWidget(scroller(inside, sideways=True))
        self.show_mode(enrol=False)
        self.show_recording(running=False)
        self.show_verdict((Meaning.IDLE, tr("None yet")), NOBODY, "", (), "")

    # --- parts -------------------------------------------------------------------------------------------------------

    def _speaker(self, table: ActionTable, mark: StateMark) -> TitledPanel:
        """Who speaks, and by which microphone."""
        panel = TitledPanel(tr("Speaker"), padding=12)
        panel.head.addWidget(mark)
        self.checks, self.enrols = QRadioButton(tr("Check")), QRadioButton(tr("Enrol"))
        group = QButtonGroup(self)
        modes = QHBoxLayout()
        for one, name in ((self.checks, tr("Check a voice")), (self.enrols, tr("Enrol a voice"))):
            one.setAccessibleName(name)
            group.addButton(one)
            modes.addWidget(one, 1)
        self.checks.setChecked(True)
        self.enrols.toggled.connect(self.enrolling)
        panel.body.addLayout(modes)
        self.person = ChoiceField(tr("Name or id of the person"), name=tr("Person who speaks"), icon="user")
        panel.body.addWidget(self.person)
        self.state = StateMark()
        panel.body.addWidget(self.state)
        row = WrapRow()
        self.speak = ActionButton(table, "verify.voice_speak", text=tr("Speak"), role="primary")
        self.stop = ActionButton(table, "verify.voice_speak", text=tr("Stop"), role="primary")
        row.addWidget(self.speak)
        row.addWidget(self.stop)
        row.addWidget(ActionButton(table, "verify.voice_replay", text=tr("Replay")))
        row.addWidget(ActionButton(table, "verify.voice_check", text=tr("Check it")))
        row.addWidget(ActionButton(table, "verify.voice_file", text=tr("Open…"), role="quiet"))
        panel.body.addLayout(row)
        self.progress = label("", "heading")
        self.enough = label("", "small", wrap=True)
        self.bar = ShareBar(MATCH_SPEECH_S, WANTED_S, name=tr("Speech heard"))
        for part in (self.progress, self.bar, self.enough):
            panel.body.addWidget(part)
        self.microphone = QComboBox()
        self.microphone.setAccessibleName(tr("Microphone"))
        # Names of devices are long: the list is as wide as they are, the field as wide as its place.
        self.microphone.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.microphone.currentTextChanged.connect(self.microphone.setToolTip)
        panel.body.addWidget(self.microphone)
        self.meter = LevelMeter(name=tr("Level"))
        self.level = label("", "small", wrap=True)
        panel.body.addWidget(self.meter)
        panel.body.addWidget(self.level)
        panel.body.addWidget(self._challenge())
        panel.body.addStretch(1)
        return panel

    def _challenge(self) -> QWidget:
        """The digits that the person says."""
        self._asked = QWidget()
        column = QVBoxLayout(self._asked)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        self._ask = label("", "small", wrap=True)
        self.digits = label("", "kpi")
        self.said = QCheckBox(tr("Exactly these were said"))
        self.said.toggled.connect(self.confirmed)
        for part in (self._ask, self.digits, self.said):
            column.addWidget(part)
        return self._asked

    def _sound_panel(self) -> TitledPanel:
        """The sound as a picture, and the scores of its pieces."""
        panel = TitledPanel(tr("What was heard"), padding=12)
        self.legend = label(tr("in memory only · plain line: pitch, blue: resonances"), "small")
        self.legend.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        panel.body.addWidget(self.legend)
        drawn = QWidget()
        column = QVBoxLayout(drawn)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        self.picture = Spectrogram(HOP / SAMPLE_RATE, SAMPLE_RATE / N_FFT, MAX_FRAMES, name=tr("Spectrogram"))
        side = Spectrogram.AXIS_PX
        self.alike = ScoreStrip(tr("Same voice"), side, name=tr("Same voice by piece"))
        self.synthetic = ScoreStrip(tr("Syn-\nthetic"), side, name=tr("Synthetic as a whole"))
        column.addWidget(self.picture, 1)
        column.addWidget(self.alike)
        column.addWidget(self.synthetic)
        self.nothing = EmptyState("mic", NOTHING_HEARD, HOW_HEARD)
        self._pictures = Stack(theme.px(220))
        self._pictures.addWidget(drawn)
        self._pictures.addWidget(self.nothing)
        panel.body.addWidget(self._pictures, 1)
        return panel

    def _verdict(self) -> TitledPanel:
        """The verdict, its questions apart, and the next step."""
        panel = TitledPanel(tr("Verdict"), padding=12)
        self.verdict = PassingVerdict(22)
        self.sentence = label("", "heading", wrap=True)
        panel.body.addWidget(self.verdict)
        panel.body.addWidget(self.sentence)
        panel.body.addWidget(separator())
        self.findings = [FindingLine() for _ in range(FOUND_ROWS)]
        for line in self.findings:
            panel.body.addWidget(line)
        self._cut = separator()
        panel.body.addWidget(self._cut)
        self.next = label("", "", wrap=True)
        panel.body.addWidget(self.next)
        panel.body.addStretch(1)
        panel.body.addWidget(label(HONEST, "small", wrap=True))
        return panel

    def _enrolment(self, table: ActionTable) -> TitledPanel:
        """The consent, and what came of the takes."""
        panel = TitledPanel(tr("Enrolment"), padding=12)
        self.outcome = VerdictLabel(22)
        self.outcome_words = label("", "", wrap=True)
        panel.body.addWidget(self.outcome)
        panel.body.addWidget(self.outcome_words)
        panel.body.addWidget(separator())
        self.consent = QCheckBox(tr("The person has agreed"))
        self.consent.setAccessibleName(tr("The person has agreed that their voice is enrolled"))
        panel.body.addWidget(self.consent)
        panel.body.addWidget(
            label(
                tr("Asked by you, before the first take: what it is for, what is kept, how it ends."),
                "small",
                wrap=True,
            )
        )
        row = WrapRow()
        row.addWidget(ActionButton(table, "verify.voice_enrol", text=tr("Enrol"), role="primary", with_key=True))
        row.addWidget(ActionButton(table, "verify.voice_erase", text=tr("Erase…")))
        panel.body.addLayout(row)
        panel.body.addStretch(1)
        panel.body.addWidget(label(KEPT, "small", wrap=True))
        return panel

    def _judgement_panels(self, table: ActionTable) -> QWidget:
        """The tolerance with its price, and the reasons."""
        made = QWidget()
        row = QHBoxLayout(made)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        tolerance = TitledPanel(tr("Tolerance"), padding=12)
        self.trials = label("", "small")
        tolerance.head.insertWidget(1, self.trials)
        tolerance.head.addWidget(ActionButton(table, "verify.voice_reset", text=tr("Reset", "button"), role="quiet"))
        self.curve = ErrorCurve(
            tr("strangers let in"), tr("the person sent away"), name=tr("Error rates at the tolerance")
        )
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(tr("Tolerance"))
        self.slider.setRange(0, 100)
        self.slider.setPageStep(5)
        self.slider.valueChanged.connect(lambda at: self.moved.emit(at / 100))
        self.price = label("", "small", wrap=True)
        tolerance.body.addWidget(self.curve, 1)
        # Its handle moves under the curve: the axis has labels at the left.
        self._under = QHBoxLayout()
        self._under.setContentsMargins(theme.px(39), 0, theme.px(3), 0)
        self._under.addWidget(self.slider, 100)
        self._under.addStretch(0)
        tolerance.body.addLayout(self._under)
        tolerance.body.addWidget(self.price)
        row.addWidget(tolerance, 1)
        row.addWidget(self._reasons(), 1)
        return made

    def _reasons(self) -> TitledPanel:
        """Why it was decided so, and what was measured of the voice."""
        panel = TitledPanel(tr("Reasons"), padding=12)
        self.reasons = label("", "", wrap=True)
        panel.body.addWidget(self.reasons)
        columns: list[Column[MeasureRow]] = [
            Column(tr("MEASURED"), lambda row: row.title, 180),
            Column(tr("VALUE"), lambda row: row.measured, 130),
            Column(tr("FOR A LIVING VOICE"), lambda row: row.usual[1], least=110, state=lambda row: row.usual[0]),
        ]
        self.measures = RowsModel(columns, lambda row: row.title)
        self.measure_table = DataTable(self.measures, name=tr("What the living voice was judged by"))
        panel.body.addWidget(self.measure_table, 1)
        return panel

    def _takes(self, table: ActionTable) -> TitledPanel:
        """The takes of an enrolment, each with what is wrong with it."""
        panel = TitledPanel(tr("Takes"), padding=12)
        panel.head.addWidget(ActionButton(table, "verify.voice_drop", text=tr("Remove"), role="quiet"))
        columns: list[Column[VoiceTakeRow]] = [
            Column(tr("NO."), lambda row: str(row.number), 44, right=True),
            Column(tr("STATE"), lambda row: STATES[row.state][1], 110, state=lambda row: STATES[row.state][0]),
            Column(tr("SPEECH"), lambda row: f"{number(row.speech_s, '.1f')} s", 80, right=True),
            Column(tr("OVER THE ROOM"), lambda row: row.over_room, 120, right=True, spare=1),
            Column(tr("FROM"), lambda row: row.origin, 150, dim=True, spare=2),
            Column(tr("WHAT IS WRONG WITH IT"), lambda row: row.said or tr("Nothing is seen"), least=160,
                   hint=lambda row: row.said),
        ]  # fmt: skip
        self.takes = RowsModel(columns, lambda row: str(row.number))
        self.take_table = DataTable(self.takes, name=tr("Takes of this enrolment"))
        panel.body.addWidget(self.take_table, 1)
        self.takes_progress = label("", "dim", wrap=True)
        panel.body.addWidget(self.takes_progress)
        return panel

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_mode(self, *, enrol: bool) -> None:
        """What is done with a recording: it is checked, or it is a take of an enrolment."""
        self.enrols.setChecked(enrol)
        self._sides.setCurrentIndex(int(enrol))
        self._lower.setCurrentIndex(int(enrol))
        self._asked.setVisible(not enrol)

    def show_recording(self, *, running: bool) -> None:
        """Whether the microphone hears now; the hands stay on the button that ends or begins it."""
        had = self.speak.hasFocus() or self.stop.hasFocus()
        self.speak.setVisible(not running)
        self.stop.setVisible(running)
        if had:
            (self.stop if running else self.speak).setFocus(Qt.FocusReason.OtherFocusReason)
        for one in (self.microphone, self.checks, self.enrols, self.person):
            one.setEnabled(not running)

    def show_microphones(self, found: Sequence[Microphone], trouble: str) -> None:
        """The devices; the choice stays. ``trouble``: why this machine has none of its own."""
        kept = self.microphone.currentData()
        self.microphone.clear()
        for one in found:
            self.microphone.addItem(f"{one.name}, {_kilohertz(one.rate)}", one.id)
        self.microphone.setVisible(bool(found))
        self.nothing.say(NOTHING_HEARD, HOW_HEARD if found else HOW_READ)
        self.microphone.setCurrentIndex(max(0, self.microphone.findData(kept)))
        self.show_level(None, trouble)

    def show_level(self, level: float | None, words: str) -> None:
        """How loud it is, dB of full scale, and what is to be said of it."""
        self.meter.set(level)
        self.meter.setVisible(self.microphone.count() > 0)
        self.level.setText(words)
        self.level.setVisible(bool(words))

    def show_speech(self, seconds: float, words: str) -> None:
        """Net seconds of speech so far."""
        said = speech_words(seconds)
        self.progress.setText(said)
        self.bar.set(seconds, said)
        self.enough.setText(words)

    def show_cap(self, cap: float) -> None:
        """The tolerance that the site allows, 0..1: the slider ends under that place of the curve."""
        most = round(cap * 100)
        self.slider.setMaximum(most)
        self._under.setStretch(0, most)
        self._under.setStretch(1, 100 - most)

    def show_heard(self, *, something: bool) -> None:
        """Whether there is a picture to look at."""
        self._pictures.setCurrentIndex(0 if something else 1)
        self.legend.setVisible(something)

    def show_digits(self, digits: str, asked: str, *, ask: bool) -> None:
        """The digits, what is to be done with them, and whether the operator is asked."""
        self._ask.setText(asked)
        self.digits.setText(" ".join(digits))
        self.digits.setAccessibleName(
            tr("Digits to say: {digits}", digits=" ".join(digits)) if digits else tr("No digits yet")
        )
        self.digits.setVisible(bool(digits))
        self.said.setVisible(ask)
        if not ask:
            self.said.setChecked(False)

    def ask_digits(self, asked: str) -> None:
        """Ask the operator whether the digits that are shown were said."""
        self._ask.setText(asked)
        self.said.setVisible(True)

    def show_verdict(
        self,
        waiting: tuple[Meaning, str] | None,
        sentence: str,
        step: str,
        findings: Sequence[VoiceFinding],
        reasons: str,
    ) -> None:
        """What was found. ``waiting``: state and word while there is no verdict; the verdict itself is set apart, as it
        passes."""
        if waiting is not None:
            self.verdict.set(*waiting)
        self.sentence.setText(sentence)
        self.next.setText(step)
        for line, finding in zip(self.findings, findings, strict=False):
            line.show_finding(finding)
        for at, line in enumerate(self.findings):
            line.setVisible(at < len(findings))
        self._cut.setVisible(bool(step) and bool(findings))
        self.next.setVisible(bool(step))
        self.reasons.setText(reasons or tr("Why it was decided so appears here."))

    def show_takes(self, rows: Sequence[VoiceTakeRow], progress: str) -> None:
        """The takes and how far one is."""
        self.takes.set_rows(rows)
        if rows and self.take_table.currentIndex().row() < 0:
            self.take_table.selectRow(len(rows) - 1)
        self.takes_progress.setText(progress)

    def show_outcome(self, state: Meaning, word: str, said: str) -> None:
        """What came of an enrolment."""
        self.outcome.set(state, word)
        self.outcome_words.setText(said)

    @property
    def take(self) -> VoiceTakeRow | None:
        """The take under the cursor."""
        return self.takes.get(self.take_table.currentIndex().row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Fields, lists and buttons take Space for themselves: it comes here only from what has no use for it.
        if event.key() == Qt.Key.Key_Space and not event.modifiers():
            if not event.isAutoRepeat():
                self.toggled.emit()
            event.accept()
            return
        super().keyPressEvent(event)


def _kilohertz(rate: int) -> str:
    """A sample rate with the decimals that it has: ``48 kHz``, ``44.1 kHz``."""
    decimals = len(f"{rate / 1000:g}".partition(".")[2])
    return f"{number(rate / 1000, f'.{decimals}f')} kHz"
