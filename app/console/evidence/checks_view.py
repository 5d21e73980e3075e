"""The checks of a seal or an entry, one in each row: shape, title and sentence."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from app.console.evidence.judgement import SealCheck, SealJudgement
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import StateMark
from app.console.widgets.text import label
from app.console.widgets.verdict import VerdictLabel

# Not "verified": a consent whose standing is UNVERIFIED has a proof that holds all the same.
VERDICTS: dict[bool | None, tuple[Meaning, str]] = {
    True: (Meaning.OK, "Proof holds"),
    None: (Meaning.WARN, "Not proven yet"),
    False: (Meaning.CRIT, "PROOF FAILS"),
}
MARKS: dict[bool | None, tuple[Meaning, str]] = {
    True: (Meaning.OK, "Good"),
    None: (Meaning.IDLE, "Open"),
    False: (Meaning.CRIT, "Bad"),
}


class CheckList(QWidget):
    """Shows ``teaching`` until ``show_judgement``."""

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
        self.checks: tuple[SealCheck, ...] = ()
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
        self._fill(judgement.checks)

    def _fill(self, checks: Sequence[SealCheck]) -> None:
        """Replace the rows by one for each check."""
        while self._grid.count():
            item = self._grid.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for row, check in enumerate(checks):
            mark = StateMark(*MARKS[check.good])
            words = QWidget()
            lines = QVBoxLayout(words)
            lines.setContentsMargins(0, 0, 0, 4)
            lines.setSpacing(0)
            lines.addWidget(label(check.title))
            lines.addWidget(label(check.sentence, "small", wrap=True, selectable=True))
            words.setAccessibleName(f"{check.title}: {MARKS[check.good][1]}. {check.sentence}")
            self._grid.addWidget(mark, row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(words, row, 1)
        self._inside.setVisible(bool(checks))
        self.checks = tuple(checks)
