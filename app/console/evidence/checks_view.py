"""The checks of a seal or an entry, one in each row: shape, title and sentence."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.console.evidence.judgement import SealCheck, SealJudgement
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import StateMark
from app.console.widgets.taking_away import take_away
from app.console.widgets.text import label
from app.console.widgets.verdict import VerdictLabel

# Not "verified": a consent whose standing is UNVERIFIED has a proof that holds all the same.
VERDICTS: dict[bool | None, tuple[Meaning, str]] = {
    True: (Meaning.OK, tr("Proof holds")),
    None: (Meaning.WARN, tr("Not proven yet")),
    False: (Meaning.CRIT, tr("PROOF FAILS")),
}
MARKS: dict[bool | None, tuple[Meaning, str]] = {
    True: (Meaning.OK, tr("Good")),
    None: (Meaning.IDLE, tr("Open", "state")),
    False: (Meaning.CRIT, tr("Bad")),
}
MOST_GOOD = 4
"""More good checks than these are one row until it is opened: what is not good must not be sought among them."""


class CheckList(QWidget):
    """Shows ``teaching`` until ``show_judgement``. What is not good stands first; many good checks are one row, which a
    button opens."""

    def __init__(self, teaching: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self.verdict = VerdictLabel(15)
        self.note = label(teaching, "dim", wrap=True)
        self._teaching = teaching
        column.addWidget(self.verdict)
        column.addWidget(self.note)
        self._inside = QWidget()
        self._grid = QGridLayout(self._inside)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        column.addWidget(self._inside)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self._made: list[QWidget] = []
        self.checks: tuple[SealCheck, ...] = ()
        self._open = False
        self.unfold = QPushButton()
        self.unfold.setProperty("role", "cell")
        self.unfold.clicked.connect(self._turn)
        column.addWidget(self.unfold, 0, Qt.AlignmentFlag.AlignLeft)
        self.forget()

    def forget(self) -> None:
        """Show the teaching text: nothing is checked of what is shown now."""
        self._fill(())
        self.verdict.hide()
        self.note.setText(self._teaching)

    def show_judgement(self, judgement: SealJudgement, note: str) -> None:
        """Show the verdict, ``note`` (who judged it) and each check."""
        self.verdict.set(*VERDICTS[judgement.good])
        self.verdict.show()
        self.note.setText(note)
        self._open = False
        self._fill(judgement.checks)

    @property
    def rows(self) -> list[tuple[str, str]]:
        """Word and title of each row shown."""
        return [(mark.word, mark.toolTip()) for mark in self._made if isinstance(mark, StateMark)]

    def _turn(self) -> None:
        """Show each good check, or one row for all."""
        self._open = not self._open
        self._fill(self.checks)

    def _fill(self, checks: Sequence[SealCheck]) -> None:
        """Replace the rows: what is not good first, then the good ones, as one row while they are many."""
        good = [one for one in checks if one.good]
        many = len(good) > MOST_GOOD
        self.unfold.setVisible(many)
        self.unfold.setText(
            tr("Fold the good checks") if self._open else tr("Show each of the {count} good checks", count=len(good))
        )
        self.unfold.setAccessibleName(self.unfold.text())
        shown = [one for one in checks if not one.good]
        if many and not self._open:
            titles = ", ".join(dict.fromkeys(one.title for one in good))
            shown.append(SealCheck(tr("{count} checks hold", count=len(good)), True, f"{titles}."))
        else:
            shown += good
        self._show_rows(shown)
        self.checks = tuple(checks)

    def _show_rows(self, checks: Sequence[SealCheck]) -> None:
        """Put one row for each of these into the grid, in place of those before."""
        take_away(self._grid, self._made)
        self._made = []
        for row, check in enumerate(checks):
            mark = StateMark(*MARKS[check.good])
            mark.setToolTip(check.title)
            words = QWidget()
            lines = QVBoxLayout(words)
            lines.setContentsMargins(0, 0, 0, 4)
            lines.setSpacing(0)
            lines.addWidget(label(check.title))
            lines.addWidget(label(check.sentence, "small", wrap=True, selectable=True))
            words.setAccessibleName(f"{check.title}: {MARKS[check.good][1]}. {check.sentence}")
            self._grid.addWidget(mark, row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(words, row, 1)
            self._made += [mark, words]
        self._inside.setVisible(bool(checks))
