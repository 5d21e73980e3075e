"""What proves an entry, in plain words: a verdict, the path as a drawing, and four checks of two lines each."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.console.clock import clock_time
from app.console.evidence.checks_view import VERDICTS
from app.console.evidence.entries import CONTENT, HEAD, LEAF, PATH, WITNESSES, EntryJudgement
from app.console.evidence.judgement import SealCheck
from app.console.language import number, tr
from app.console.pages.audit.path_picture import PathPicture
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import lay
from app.console.widgets.hero import paint_bar
from app.console.widgets.marks import StateMark
from app.console.widgets.text import label, separator
from app.console.widgets.verdict import VerdictLabel

STATES: dict[bool | None, Meaning] = {True: Meaning.OK, None: Meaning.IDLE, False: Meaning.CRIT}
SAYS, IN_LOG, SIGNED = tr("It says what is shown"), tr("It is in the log"), tr("The head is signed")
COSIGNED = tr("Witnesses cosigned it")
TEACHING = tr(
    "Verify now checks on this machine that the leaf says what is shown, and that the log signed a tree which holds it."
)


class _Verdict(QFrame):
    """The bar of its state at the left edge, the word, when it was found, and by whom."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "raised")
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 12, 10)
        column.setSpacing(4)
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        column.addLayout(self._line)
        self.word = VerdictLabel(18)
        self.at = label("", "small")
        self._line.addWidget(self.word)
        self._line.addStretch(1)
        self._line.addWidget(self.at)
        self.note = label("", "dim", wrap=True)
        column.addWidget(self.note)

    def set(self, state: Meaning, word: str, at: str, note: str) -> None:
        """Show another verdict."""
        self.word.set(state, word)
        self.at.setText(at)
        self.note.setText(note)
        self._fit()
        self.setAccessibleName(f"{word}. {at} {note}".replace("  ", " "))
        self.update()

    def _fit(self) -> None:
        """The time stands below the word where both have no room."""
        beside = self.word.sizeHint().width() + self.at.sizeHint().width() + 40 <= self.width()
        lay(self._line, across=beside)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.word.sizeHint().width() + 32, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_bar(painter, QRectF(self.rect()), self.word.state)


class _CheckRow(QWidget):
    """One check: its shape, what was checked, and what was found."""

    def __init__(self) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        self.mark = StateMark()
        row.addWidget(self.mark, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        row.addLayout(words, 1)
        words.setSpacing(0)
        self.title = label("", wrap=True)
        self.found = label("", "small", wrap=True)
        words.addWidget(self.title)
        words.addWidget(self.found)

    def set(self, state: Meaning, title: str, found: str) -> None:
        """Show what was found."""
        self.mark.set(state, "")
        self.title.setText(title)
        self.found.setText(found)
        word = {Meaning.OK: tr("Good"), Meaning.CRIT: tr("Bad")}.get(state, tr("Open", "state"))
        self.mark.setAccessibleName(word)
        self.setAccessibleName(f"{title}: {word}. {found}")


class ProofView(QWidget):
    """Says that nothing was checked, until ``show_judgement``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self._verdict = _Verdict()
        self.path = PathPicture()
        checks = QWidget()
        rows = QVBoxLayout(checks)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(8)
        self._rows = [_CheckRow() for _ in range(4)]
        for row in self._rows:
            rows.addWidget(separator())
            rows.addWidget(row)
        for part in (self._verdict, self.path, checks):
            column.addWidget(part)
        self.judgement: EntryJudgement | None = None
        self.forget()

    @property
    def verdict(self) -> tuple[Meaning, str]:
        """State and word that are shown."""
        return self._verdict.word.state, self._verdict.word.word

    @property
    def note(self) -> str:
        """Who judged, by which policy."""
        return self._verdict.note.text()

    @property
    def rows(self) -> list[tuple[Meaning, str, str]]:
        """State, title and finding of each check that is shown."""
        return [(row.mark.state, row.title.text(), row.found.text()) for row in self._rows]

    def forget(self) -> None:
        """Nothing is checked of what is shown now."""
        self.judgement = None
        self._verdict.set(Meaning.IDLE, tr("Not checked yet"), "", TEACHING)
        self.path.hide()
        for row, title in zip(self._rows, (SAYS, IN_LOG, SIGNED, COSIGNED), strict=True):
            row.set(Meaning.IDLE, title, tr("not checked yet"))

    def show_judgement(self, judgement: EntryJudgement, note: str, at: float, independent: int | None) -> None:
        """Show what was found at ``at`` (Unix seconds). ``independent``: how many witnesses somebody else runs, as the
        service says; None: it did not say."""
        self.judgement = judgement
        state, word = VERDICTS[judgement.good]
        self._verdict.set(state, word, tr("checked {time}", time=clock_time(at)), note)
        for row, said in zip(self._rows, _plain(judgement, independent), strict=True):
            row.set(*said)
        if judgement.steps is not None:
            path = judgement.of(PATH)
            held = STATES[path.good if path else None]
            self.path.show_path(judgement.index, judgement.size, judgement.steps, held)
        self.path.setVisible(judgement.steps is not None)


def _plain(judgement: EntryJudgement, independent: int | None) -> list[tuple[Meaning, str, str]]:
    """The four checks in plain words. One that fails, or was not made, is told by the verifier's own sentence."""
    leaf, content, path, head, quorum = (judgement.of(title) for title in (LEAF, CONTENT, PATH, HEAD, WITNESSES))
    # No proof at all, or a policy that is none, is told where the first check would stand.
    broken = next((one for one in judgement.checks if one.good is False), None)
    says = leaf if leaf is None or leaf.good is not True else content
    return [
        _row(says or broken, SAYS, tr("the leaf commits to these very words")),
        _row(
            path,
            IN_LOG,
            tr(
                "entry {index} of {size}, path of {steps} steps",
                index=number(judgement.index, ","), size=number(judgement.size, ","), steps=judgement.steps or 0,
            ),
        ),
        _row(head, SIGNED, tr("by the log {origin}", origin=judgement.origin)),
        _witnesses(quorum, judgement, independent),
    ]  # fmt: skip


def _row(check: SealCheck | None, title: str, found: str) -> tuple[Meaning, str, str]:
    if check is None:
        return Meaning.IDLE, title, tr("not checked: what it needs is missing")
    return STATES[check.good], title, found if check.good else check.sentence


def _witnesses(check: SealCheck | None, judgement: EntryJudgement, independent: int | None) -> tuple[Meaning, str, str]:
    """Witnesses that the site runs itself prove the order alone: that is no green."""
    if check is None or not check.good or judgement.cosigned_at is None:
        return _row(check, COSIGNED, "")
    count, at = judgement.witnesses, clock_time(judgement.cosigned_at)
    title = (
        tr("1 witness cosigned it at {time}", time=at)
        if count == 1
        else tr("{count} witnesses cosigned it at {time}", count=count, time=at)
    )
    if independent is None:
        return Meaning.IDLE, title, tr("whether somebody else runs them is not known")
    if not independent:
        return Meaning.IDLE, title, tr("the site runs them: they prove the order, not independence")
    return Meaning.OK, title, tr("{count} of them run elsewhere, as the service says", count=independent)
