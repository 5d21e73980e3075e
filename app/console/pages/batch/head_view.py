"""The line that is read first of a batch: what it is, how far it is in four states, and when it will be over."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.capabilities.provisioning.batches.messages import BatchCounts, BatchState, BatchSummary
from app.console import theme
from app.console.actions import ActionTable
from app.console.language import number, tr
from app.console.moments import moment, parse_time
from app.console.pages.batch.board import remaining
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.marks import StateMark, StateShape
from app.console.widgets.text import ElidedLabel, TitledPanel, label
from app.console.widgets.wrap_row import WrapRow

BATCH_WORDS: dict[BatchState, tuple[Meaning, str]] = {
    "RUNNING": (Meaning.WORK, tr("Running")),
    "PAUSED": (Meaning.IDLE, tr("Paused")),
    "DONE": (Meaning.OK, tr("Done")),
    "CANCELLED": (Meaning.IDLE, tr("Cancelled")),
}
_HIGH, _BAR, _GAP = 72, 6, 2


def batch_mark(summary: BatchSummary) -> tuple[Meaning, str]:
    """State and word of a batch; one that left somebody without a card is not green."""
    state, word = BATCH_WORDS[summary.state]
    if summary.state == "DONE" and summary.counts.failed:
        return Meaning.BAD, tr("Done, {count} failed", count=summary.counts.failed)
    return state, word


class CountsBar(QWidget):
    """How a batch is divided: written, needs somebody, in work; what waits, or never will be, is empty."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._counts: BatchCounts | None = None
        self._stale = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Progress of the batch"))

    def show_counts(self, counts: BatchCounts, *, stale: bool) -> None:
        """Show other counts; ``stale``: as they were when they were last heard of."""
        if (counts, stale) != (self._counts, self._stale):
            self._counts, self._stale = counts, stale
            done = counts.complete + counts.failed + counts.cancelled
            self.setAccessibleName(
                tr("Progress of the batch: {count} of {total} lines are over", count=done, total=counts.total)
            )
            self.update()

    def parts(self) -> list[tuple[Meaning, float]]:
        """Each state with its share of the bar, from the left; what is missing to 1 is empty."""
        counts = self._counts
        if counts is None or not counts.total:
            return []
        found = (
            (Meaning.OK, counts.complete),
            (Meaning.BAD, counts.torn + counts.failed),
            (Meaning.WORK, counts.running),
        )
        return [(Meaning.IDLE if self._stale else state, count / counts.total) for state, count in found if count]

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), theme.px(_BAR))

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QPainterPath()
        ground.addRoundedRect(QRectF(self.rect()), 3, 3)
        painter.fillPath(ground, QColor(tokens.line))
        left = 0.0
        for state, share in self.parts():
            width = self.width() * share
            one = QPainterPath()
            gap = 0 if left + width > self.width() - 1 else _GAP
            one.addRect(QRectF(left, 0, max(width - gap, 1.0), self.height()))
            painter.fillPath(ground.intersected(one), QColor(tokens.state(state)))
            left += width


class BatchHead(TitledPanel):
    """What can be done with the batch stands at the right; what ends it for good is set apart."""

    def __init__(self, table: ActionTable, *, training: bool) -> None:
        super().__init__(padding=0)
        self._narrow: bool | None = None
        self._places = QGridLayout()
        self.body.addLayout(self._places)
        self._places.setContentsMargins(16, 8, 16, 8)
        self._places.setHorizontalSpacing(16)
        self._places.setVerticalSpacing(8)
        self._shape = StateShape(20)
        self.word = ""
        """The state of the batch in a word."""
        words = QVBoxLayout()
        self._places.addWidget(self._shape, 0, 0)
        self._places.addLayout(words, 0, 1)
        words.setSpacing(2)
        self.title = ElidedLabel("", "heading")
        self.begun = ElidedLabel("", "small")
        self._between(words, self.title, self.begun)
        self._course = QWidget()
        course = QVBoxLayout(self._course)
        course.setContentsMargins(0, 0, 0, 0)
        course.setSpacing(8)
        self.bar = CountsBar()
        course.addStretch(1)
        course.addWidget(self.bar)
        self.marks = WrapRow()
        course.addLayout(self.marks)
        course.addStretch(1)
        self.written, self.needs, self.working, self.left = (StateMark() for _ in range(4))
        self.stale = StateMark()
        self.stale.hide()
        self.muted = StateMark(Meaning.IDLE, tr("Muted"))
        for mark in (self.written, self.needs, self.working, self.left, self.muted, self.stale):
            self.marks.addWidget(mark)
        self._rate = QWidget()
        rate = QVBoxLayout(self._rate)
        rate.setContentsMargins(0, 0, 0, 0)
        rate.setSpacing(2)
        self.rest = label("", "heading")
        self.pace = label("", "small")
        for one in (self.rest, self.pace):
            one.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._between(rate, self.rest, self.pace)
        hands = QHBoxLayout()
        self._places.addLayout(hands, 0, 4)
        hands.setSpacing(8)
        self.swap: ActionButton | None = None
        if training:
            self.swap = ActionButton(table, "batch.swap", bare=True)
            hands.addWidget(self.swap)
        self.pause = ActionButton(table, "batch.pause")
        self.resume = ActionButton(table, "batch.resume", role="primary")
        for button in (ActionButton(table, "batch.mute", bare=True), self.pause, self.resume):
            hands.addWidget(button)
        hands.addSpacing(12)
        self.cancel = ActionButton(table, "batch.cancel", role="danger", bare=True)
        hands.addWidget(self.cancel)
        self._places.setColumnStretch(1, 6)
        self.become_narrow(False)

    def become_narrow(self, narrow: bool) -> None:
        """Have bar and marks in a line of their own, because there is no room for them beside the title."""
        if narrow != self._narrow:
            self._narrow = narrow
            if narrow:
                self._places.addWidget(self._course, 1, 0, 1, 3)
                self._places.addWidget(self._rate, 1, 3, 1, 2)
            else:
                self._places.addWidget(self._course, 0, 2)
                self._places.addWidget(self._rate, 0, 3)
            self._places.setColumnStretch(2, 0 if narrow else 7)
            self.setMinimumHeight(theme.px(_HIGH))

    @staticmethod
    def _between(column: QVBoxLayout, *parts: QWidget) -> None:
        column.addStretch(1)
        for part in parts:
            column.addWidget(part)
        column.addStretch(1)

    def show_summary(self, summary: BatchSummary, operator: str, others: int, now: float, *, stale: bool) -> None:
        """``operator``: who started it. ``others``: further batches that are open; the oldest takes cards first."""
        state, self.word = batch_mark(summary)
        self._shape.set(Meaning.IDLE if stale else state, self.word)
        self.title.setText(summary.label)
        self.pause.setVisible(summary.state == "RUNNING")
        self.resume.setVisible(summary.state == "PAUSED")
        for button in (self.cancel, self.swap):
            if button is not None:
                button.setVisible(summary.finished_at is None)
        counts = summary.counts
        self.bar.show_counts(counts, stale=stale)
        needs = counts.torn + counts.failed
        over = counts.cancelled and not counts.waiting
        for mark, meaning, count, words in (
            (self.written, Meaning.OK, counts.complete, tr("{count} written", count=counts.complete)),
            (self.needs, Meaning.BAD, needs, tr("1 needs you") if needs == 1 else tr("{count} need you", count=needs)),
            (self.working, Meaning.WORK, counts.running, tr("{count} writing", count=counts.running)),
            (self.left, Meaning.IDLE, counts.waiting or counts.cancelled,
             tr("{count} cancelled", count=counts.cancelled) if over
             else tr("1 waits") if counts.waiting == 1
             else tr("{count} wait", count=counts.waiting)),
        ):  # fmt: skip
            mark.set(meaning if count and not stale else Meaning.IDLE, words)
            mark.setVisible(bool(count) or summary.finished_at is None or mark is self.written)
        self.begun.setText(" · ".join(self._begun_words(summary, operator, others, now)))
        self._show_rate(summary, now, stale=stale)

    def _begun_words(self, summary: BatchSummary, operator: str, others: int, now: float) -> list[str]:
        """When it began and by whom, and what else is to be known of it as a whole."""
        begun = moment(parse_time(summary.created_at), now)
        parts = [
            self.word,
            tr("started {time} by {operator}", time=begun, operator=operator)
            if operator
            else tr("started {time}", time=begun),
        ]
        if others:
            parts.append(tr("{count} more open: the oldest batch takes cards first", count=others))
        return parts

    def _show_rate(self, summary: BatchSummary, now: float, *, stale: bool) -> None:
        """What is left and the pace; of a batch that is over, how long it took."""
        rest = pace = ""
        if summary.finished_at is not None:
            ended = parse_time(summary.finished_at)
            rest = tr("took {span}", span=remaining(round(ended - parse_time(summary.created_at))))
            pace = tr("ended {time}", time=moment(ended, now))
        else:
            if summary.state == "RUNNING" and summary.eta_seconds is not None and not stale:
                rest = tr("about {span} left", span=remaining(max(1, summary.eta_seconds)))
            if summary.cards_per_minute is not None and not stale:
                pace = tr("{rate} cards a minute", rate=number(summary.cards_per_minute, ".1f"))
        for one, text in ((self.rest, rest), (self.pace, pace)):
            one.setText(text)
            one.setVisible(bool(text))
