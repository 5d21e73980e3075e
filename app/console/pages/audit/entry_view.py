"""One entry of the audit log: what it says, what proves it, and behind a fold its codes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console import theme
from app.console.actions import ActionTable
from app.console.audit_lines import LogLine
from app.console.evidence.entries import EntryJudgement
from app.console.language import number, tr
from app.console.names import OperatorNames
from app.console.pages.audit.codes_view import CodesView
from app.console.pages.audit.model import utc
from app.console.pages.audit.proof_view import ProofView
from app.console.pages.audit.words import burn_of
from app.console.widgets.breadth import lay
from app.console.widgets.buttons import ActionButton
from app.console.widgets.disclosure import Disclosure
from app.console.widgets.scroller import scroller
from app.console.widgets.text import TitledPanel, label, separator

TWO_FROM = 1200
"""Width of the panel, px at 100 % text, from which the codes stand beside what proves them, unfolded: a leaf hash has
one line there."""


class _Inside(QWidget):
    """What scrolls. Its layout would ask for the height of the narrowest form; what wraps gets its height by the width
    that it has."""

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), 0)


class EntryPanel(TitledPanel):
    """``line`` tells an entry as a sentence, ``by`` who did it."""

    def __init__(
        self,
        table: ActionTable,
        names: OperatorNames,
        line: Callable[[AuditEntry], LogLine],
        by: Callable[[AuditEntry], str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(tr("Entry"), padding=16, parent=parent)
        self._line, self._by = line, by
        self._seq = -1
        self._wide = False
        self.links = [ActionButton(table, f"audit.{what}", role="cell") for what in ("burn", "person")]
        for link in self.links:
            link.setProperty("link", "true")
            self.head.addWidget(link)
        self.nothing = label(
            tr(
                "Choose an entry: what it says and what proves it appear here. A leaf is the hash of the entry; the "
                "checkpoint signs all leaves together, so that nobody can change one afterwards unseen."
            ),
            "dim",
            wrap=True,
        )
        self.body.addWidget(self.nothing)
        self._all = QWidget()
        self._halves = QBoxLayout(QBoxLayout.Direction.TopToBottom, self._all)
        self._halves.setContentsMargins(0, 0, 0, 0)
        self._halves.setSpacing(8)
        self.body.addWidget(self._all, 1)
        self._rest = QWidget()
        self.body.addWidget(self._rest, 1)
        self._said = QWidget()
        self._halves.addWidget(self._said, 1)
        self._make_said(table)
        self._behind = QWidget()
        self._halves.addWidget(self._behind)
        behind = QVBoxLayout(self._behind)
        behind.setContentsMargins(0, 0, 0, 0)
        behind.setSpacing(8)
        self._between = separator()
        self.fold = Disclosure(tr("Codes and hashes"))
        self.codes = CodesView(table, names)
        self.codes_area = scroller(self.codes, tr("Codes and hashes of the entry"))
        behind.addWidget(self._between)
        behind.addWidget(self.fold)
        behind.addWidget(self.codes_area, 1)
        self.fold.toggled.connect(lambda _on: self._fit())
        self._fit()
        self.show_entry(None, "")

    def _make_said(self, table: ActionTable) -> None:
        """The sentence, the proof, and below them what can be done with it."""
        column = QVBoxLayout(self._said)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        inside = _Inside()
        told = QVBoxLayout(inside)
        told.setContentsMargins(0, 0, 4, 0)
        told.setSpacing(8)
        self.sentence = label("", "title", wrap=True)
        self.when = label("", "dim", wrap=True)
        self.proof = ProofView()
        for part in (self.sentence, self.when, self.proof):
            told.addWidget(part)
        told.addStretch(1)
        self._area = scroller(inside, tr("Entry of the audit log"))
        column.addWidget(self._area, 1)
        self._verify = ActionButton(table, "audit.verify", role="primary")
        self._save = ActionButton(table, "audit.save_proof", role="primary")
        self._save_anyway = ActionButton(table, "audit.save_proof")
        row = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(8)
        row.addWidget(self._verify, 1)
        row.addWidget(self._save, 1)
        row.addWidget(self._save_anyway)
        row.addWidget(ActionButton(table, "audit.to_bundle"))

    def _fit(self) -> None:
        """Where there is room, the codes stand beside the proof, and need no fold."""
        wide = self.width() >= theme.px(TWO_FROM)
        lay(self._halves, across=wide)
        self._halves.setSpacing(24 if wide else 8)
        self._between.setHidden(wide)
        self.fold.setHidden(wide)
        shown = wide or self.fold.isChecked()
        self.codes_area.setVisible(shown)
        self._halves.setStretch(1, 1 if shown else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def show_entry(self, entry: AuditEntry | None, checkpoint: str) -> None:
        """Show an entry, or how to choose one."""
        self.nothing.setVisible(entry is None)
        self._rest.setVisible(entry is None)
        self._all.setVisible(entry is not None)
        there = (entry is not None and bool(burn_of(entry)), entry is not None and bool(entry.node_id))
        for link, on in zip(self.links, there, strict=True):
            link.setVisible(on)
        if entry is None:
            self._seq = -1
            self.title.setText(tr("Entry"))
            return
        self.codes.show_checkpoint(checkpoint)
        # Also of the same entry: a name may be known by now.
        self.sentence.setText(self._line(entry).text)
        self.when.setText(tr("{time} UTC, written by {who}", time=utc(entry), who=self._by(entry)))
        if entry.seq == self._seq:
            return
        self._seq = entry.seq
        self.title.setText(tr("Entry {seq}", seq=number(entry.seq, ",")))
        self.fold.set_note(entry.action)
        self.proof.forget()
        self._dress_buttons()
        self.codes.show_entry(entry)
        for area in (self._area, self.codes_area):
            area.verticalScrollBar().setValue(0)

    def show_judgement(self, judgement: EntryJudgement, note: str, at: float, independent: int | None) -> None:
        """Show what Verify now found out about the entry, and by which policy."""
        self.proof.show_judgement(judgement, note, at, independent)
        self._dress_buttons()

    def _dress_buttons(self) -> None:
        """The primary button is the next step: to verify, and once the proof holds, to keep it."""
        judgement = self.proof.judgement
        holds = judgement is not None and judgement.good is True
        self._verify.setVisible(not holds)
        self._save.setVisible(holds)
        self._save_anyway.setVisible(judgement is not None and judgement.good is None)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            if self._seq >= 0:
                self._seq = -2  # fonts are taken when a line is made
            if hasattr(self, "codes_area"):
                self._fit()
        super().changeEvent(event)
