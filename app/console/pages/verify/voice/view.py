"""The voice tab's parts: who speaks, what was heard, the verdict with its reasons, the tolerance, and an enrolment."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QGridLayout,
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
from app.console.widgets.breadth import NOTHING_BESIDE_BELOW, PANEL
from app.console.widgets.buttons import ActionButton
from app.console.widgets.chart import LegendLine
from app.console.widgets.chart_plot import Series
from app.console.widgets.choice import ChoiceField
from app.console.widgets.drop_area import DropGround
from app.console.widgets.empty import EmptyState
from app.console.widgets.error_curve import ErrorCurve
from app.console.widgets.level_meter import LevelMeter
from app.console.widgets.marks import StateMark
from app.console.widgets.portrait import Portrait
from app.console.widgets.score_strip import ScoreStrip
from app.console.widgets.scroller import scroller
from app.console.widgets.share_bar import ShareBar
from app.console.widgets.side import Side
from app.console.widgets.spectrogram import Spectrogram
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import ElidedLabel, TitledPanel, label, separator
from app.console.widgets.usual_cells import UsualDelegate
from app.console.widgets.verdict import VerdictLabel
from app.console.widgets.verdict_panel import VerdictPanel
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
_PORTRAIT = (44, 52)
_UPPER, _LOWER = 450, 252
"""Least heights of the two rows of panels, px at 100 % text."""
_TOLD_FROM = 560
"""Px at 100 % text from which on the head of the picture has room for where the sound is kept."""


class FindingLine(QWidget):
    """A question, its answer as shape and word, and what stands behind it."""

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(separator())
        column.addSpacing(4)
        head = QHBoxLayout()
        column.addLayout(head)
        self._title = label("", "paneltitle")
        self.mark = StateMark()
        head.addWidget(self._title)
        head.addStretch(1)
        head.addWidget(self.mark)
        self._detail = label("", "small", wrap=True)
        column.addWidget(self._detail)

    def show_finding(self, finding: VoiceFinding) -> None:
        """Show this answer."""
        self._title.setText(finding.title)
        self.mark.set(finding.state, finding.word)
        self._detail.setText(finding.detail)
        self.setAccessibleName(f"{finding.title}: {finding.word}. {finding.detail}")


def spectrogram() -> Spectrogram:
    """Where a voice is drawn. It takes as long to make as all else of the tab, and is made in a turn of its own."""
    return Spectrogram(HOP / SAMPLE_RATE, SAMPLE_RATE / N_FFT, MAX_FRAMES, name=tr("Spectrogram"))


class VoiceView(DropGround):
    """Shows; the tab decides. ``toggled``: Space was pressed where nothing else takes it; ``moved``: the tolerance;
    ``enrolling``: the mode was changed; ``confirmed``: whether the digits were said."""

    toggled = Signal()
    moved = Signal(float)
    enrolling = Signal(bool)
    confirmed = Signal(bool)

    def __init__(self, table: ActionTable, mark: StateMark, sound: Spectrogram) -> None:
        super().__init__()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 12, 0, 0)
        column.setSpacing(12)
        self._top = QGridLayout()
        column.addLayout(self._top, 3)
        self._top.setSpacing(16)
        self._top.setColumnStretch(1, 1)
        left = Side(304, 236)
        speaker = self._speaker(table, mark)
        left.column.addWidget(speaker, 1)
        self._top.addWidget(left, 0, 0)
        self.picture = sound
        self._top.addWidget(self._sound_panel(table), 0, 1)
        self._right = Side(304, 272)
        self._is_below: bool | None = None
        self._sides = Stack(_UPPER)
        sides = self._verdict(table), self._enrolment(table)
        for side in sides:
            self._sides.addWidget(side)
        self._right.column.addWidget(self._sides, 1)
        self._place_right()
        self._lower = Stack(_LOWER)
        lower = self._judgement_panels(table), self._takes(table)
        for part in lower:
            self._lower.addWidget(part)
        column.addWidget(self._lower, 2)
        area = scroller(inside, sideways=True)
        outer.addWidget(area)
        bars = area.verticalScrollBar(), area.horizontalScrollBar()
        self._grounds = (*bars, speaker, self._sound, *sides, *lower)
        self.show_mode(enrol=False)
        self.show_recording(running=False)
        self.show_verdict((Meaning.IDLE, tr("None yet")), NOBODY, "", (), "")

    def grounds(self) -> Sequence[QWidget]:
        """What wears the look by itself: each panel."""
        return self._grounds

    def _place_right(self) -> None:
        """Have the verdict at the right, or below the sound where it has no room there."""
        below = self.width() < theme.px(NOTHING_BESIDE_BELOW)
        self._right.spread(below)
        # Only where it changes: Qt deletes the item of a widget that is put into its layout again.
        if below == self._is_below:
            return
        self._is_below = below
        self._top.addWidget(self._right, int(below), 0 if below else 2, 1, 2 if below else 1)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_right"):
            self._place_right()
        super().changeEvent(event)

    # --- parts -------------------------------------------------------------------------------------------------------

    def _speaker(self, table: ActionTable, mark: StateMark) -> TitledPanel:
        """Who speaks, what they say, and by which microphone."""
        panel = TitledPanel(tr("Speaker"), padding=12)
        panel.head.addWidget(mark)
        panel.body.setSpacing(6)
        self.checks, self.enrols = QRadioButton(tr("Check")), QRadioButton(tr("Enrol"))
        group = QButtonGroup(self)
        modes = QHBoxLayout()
        panel.body.addLayout(modes)
        for one, name in ((self.checks, tr("Check a voice")), (self.enrols, tr("Enrol a voice"))):
            one.setAccessibleName(name)
            group.addButton(one)
            modes.addWidget(one, 1)
        self.checks.setChecked(True)
        self.enrols.toggled.connect(self.enrolling)
        who = QHBoxLayout()
        panel.body.addLayout(who)
        who.setSpacing(12)
        who.addWidget(Portrait(*_PORTRAIT), 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        who.addLayout(words, 1)
        words.setSpacing(2)
        self.person = ChoiceField(tr("Name or id"), name=tr("Person who speaks"), icon="user")
        self.node_id = ElidedLabel("", "mono")
        self.state = StateMark()
        words.addWidget(self.person)
        words.addWidget(self.node_id)
        panel.body.addWidget(self.state)
        panel.body.addWidget(self._challenge())
        self._fill_microphone(panel)
        spoken = QHBoxLayout()
        panel.body.addLayout(spoken)
        self.progress = label("", "title")
        self.enough = label("", "small", wrap=True)
        self.enough.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        spoken.addWidget(self.progress)
        spoken.addWidget(self.enough, 1)
        self.bar = ShareBar(MATCH_SPEECH_S, WANTED_S, name=tr("Speech heard"))
        panel.body.addWidget(self.bar)
        row = QHBoxLayout()
        panel.body.addLayout(row)
        row.setSpacing(8)
        self.speak = ActionButton(table, "verify.voice_speak", text=tr("Speak"), role="primary")
        self.stop = ActionButton(table, "verify.voice_speak", text=tr("Stop"), role="primary")
        row.addWidget(self.speak, 1)
        row.addWidget(self.stop, 1)
        row.addWidget(ActionButton(table, "verify.voice_replay", text=tr("Replay")))
        panel.body.addStretch(1)
        return panel

    def _fill_microphone(self, panel: TitledPanel) -> None:
        """The choice of a microphone, its level, and what the sound is like."""
        self.microphone = QComboBox()
        self.microphone.setAccessibleName(tr("Microphone"))
        # Names of devices are long: the list is as wide as they are, the field as wide as its place.
        self.microphone.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.microphone.currentTextChanged.connect(self.microphone.setToolTip)
        self.meter = LevelMeter(name=tr("Level"))
        self.level = label("", "small")
        self.quality = label("", "small", wrap=True)
        self.quality.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        self.trouble = label("", "small", wrap=True)
        panel.body.addWidget(self.microphone)
        panel.body.addWidget(self.meter)
        told = QHBoxLayout()
        panel.body.addLayout(told)
        told.addWidget(self.level, 0, Qt.AlignmentFlag.AlignTop)
        told.addWidget(self.quality, 1)
        panel.body.addWidget(self.trouble)

    def _challenge(self) -> QWidget:
        """The digits that the person says."""
        self._asked = QWidget()
        column = QVBoxLayout(self._asked)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        self._ask = label("", "small", wrap=True)
        self.digits = label("", "kpi")
        self.digits.setFont(theme.mono())
        self.said = QCheckBox(tr("Exactly these were said"))
        self.said.toggled.connect(self.confirmed)
        for part in (self._ask, self.digits, self.said):
            column.addWidget(part)
        return self._asked

    def _sound_panel(self, table: ActionTable) -> TitledPanel:
        """The sound as a picture, and the scores of its pieces."""
        panel = self._sound = TitledPanel(tr("What was heard"), padding=12)
        self.memory = ElidedLabel(tr("only in memory, gone when you leave"), "small")
        panel.head.insertWidget(1, self.memory, 100)
        self.legend = QWidget()
        panel.head.addWidget(self.legend)
        row = QHBoxLayout(self.legend)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for series in (Series(tr("pitch"), "text"), Series(tr("resonances"))):
            row.addWidget(LegendLine(series))
            row.addWidget(label(series.name, "small"))
        panel.head.addWidget(ActionButton(table, "verify.voice_file", role="quiet", bare=True))
        drawn = QWidget()
        column = QVBoxLayout(drawn)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        side = Spectrogram.AXIS_PX
        self.alike = ScoreStrip(tr("Same voice"), side, name=tr("Same voice by piece"))
        self.synthetic = ScoreStrip(tr("Syn-\nthetic"), side, name=tr("Synthetic as a whole"))
        column.addWidget(self.picture, 1)
        column.addWidget(self.alike)
        column.addWidget(self.synthetic)
        self.nothing = EmptyState("mic", NOTHING_HEARD, HOW_HEARD)
        self._pictures = Stack(220)
        self._pictures.addWidget(drawn)
        self._pictures.addWidget(self.nothing)
        panel.body.addWidget(self._pictures, 1)
        return panel

    def _verdict(self, table: ActionTable) -> VerdictPanel:
        """The verdict, its questions apart, and the next step."""
        panel = VerdictPanel(tr("Verdict"), 28, padding=12)
        self.verdict, self.when = panel.verdict, panel.when
        self.sentence = label("", "heading", wrap=True)
        panel.body.addWidget(self.sentence)
        panel.body.addSpacing(4)
        self.findings = [FindingLine() for _ in range(FOUND_ROWS)]
        for line in self.findings:
            panel.body.addWidget(line)
        self._cut = separator()
        panel.body.addWidget(self._cut)
        self.next = label("", "", wrap=True)
        panel.body.addWidget(self.next)
        self.check = ActionButton(table, "verify.voice_check", text=tr("Check it"))
        panel.body.addWidget(self.check, 0, Qt.AlignmentFlag.AlignLeft)
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
        row.setSpacing(16)
        tolerance = self._tolerance = TitledPanel(tr("Tolerance"), padding=12)
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
        row.addStretch(0)
        return made

    def _reasons(self) -> TitledPanel:
        """Why it was decided so, and what was measured of the voice."""
        panel = self._why = TitledPanel(tr("Reasons"), padding=12)
        panel.head.insertWidget(1, ElidedLabel(tr("bar: middle 95 % of living voices"), "small"), 100)
        columns: list[Column[MeasureRow]] = [
            Column(tr("REASON"), lambda row: row.title, 150),
            Column(tr("MEASURED"), lambda row: row.measured, 100),
            # The bar has no words of its own: a screen reader and a copied row get those of the next column.
            Column(tr("USUAL FOR THE LIVING"), lambda _row: "", least=140, spare=1, hint=lambda row: row.usual[1]),
            Column(tr("WHAT IT MEANS"), lambda row: row.word, 96, state=lambda row: row.usual[0],
                   hint=lambda row: row.usual[1], copied=lambda row: row.usual[1]),
        ]  # fmt: skip
        self.measures = RowsModel(columns, lambda row: row.title)
        self.measure_table = DataTable(self.measures, name=tr("What the living voice was judged by"))
        self.measure_table.setItemDelegateForColumn(
            2, UsualDelegate(lambda at: None if (row := self.measures.get(at)) is None else row.z, self.measure_table)
        )
        panel.body.addWidget(self.measure_table, 1)
        self.reasons = label("", "dim", wrap=True)
        panel.body.addWidget(self.reasons)
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

    # --- room --------------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_right()
        self._fit_head()
        self._fit_side()

    def _fit_head(self) -> None:
        """Leave out where the sound is kept, rather than to cut it."""
        self._fit_row()
        heard = self._pictures.currentIndex() == 0
        self.memory.setVisible(heard and self._sound.width() >= theme.px(_TOLD_FROM))

    def _fit_side(self) -> None:
        """Give the verdict the height that its words need: they wrap by the width that there is."""
        panel = self._sides.currentWidget()
        inside = None if panel is None else panel.layout()
        wanted = 0 if inside is None else inside.totalHeightForWidth(self._sides.width())
        self._sides.set_least(max(theme.px(_UPPER), wanted))

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_mode(self, *, enrol: bool) -> None:
        """What is done with a recording: it is checked, or it is a take of an enrolment."""
        # The one that is meant is checked: the other one of a group cannot be unchecked.
        (self.enrols if enrol else self.checks).setChecked(True)
        for strip in (self.alike, self.synthetic):
            strip.setVisible(not enrol)
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
        self.show_level(None, "")
        self.show_trouble(trouble)

    def show_level(self, level: float | None, words: str) -> None:
        """How loud it is, dB of full scale, and what is to be said of it."""
        self.meter.set(level)
        self.meter.setVisible(self.microphone.count() > 0)
        self.level.setText(words)
        self.level.setVisible(bool(words))

    def show_trouble(self, trouble: str) -> None:
        """Why nothing is heard."""
        self.trouble.setText(trouble)
        self.trouble.setVisible(bool(trouble))

    def show_quality(self, words: str) -> None:
        """What the sound is like so far."""
        self.quality.setText(words)
        self.quality.setVisible(bool(words))

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
        self._fit_head()

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
        self.reasons.setText(reasons)
        self._fit_side()

    def show_measures(self, rows: Sequence[MeasureRow]) -> None:
        """What was measured. Before that the tolerance has the whole row: a panel of nothing teaches nothing."""
        self.measures.set_rows(rows)
        self._fit_row()

    def _fit_row(self) -> None:
        """Where the tolerance alone would be stretched, what will be measured has its place already."""
        self._why.setVisible(bool(self.measures.rows) or self.width() > theme.px(PANEL))

    def show_unsent(self, *, waits: bool) -> None:
        """Whether a recording waits to be checked."""
        self.check.setVisible(waits)

    def show_person(self, node_id: str, state: Meaning, word: str) -> None:
        """Whose voice it is said to be, and whether it is enrolled."""
        self.node_id.setText(node_id)
        self.node_id.setVisible(bool(node_id))
        self.state.set(state, word)

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
