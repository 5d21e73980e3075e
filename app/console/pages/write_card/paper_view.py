"""What goes with a finished card: its receipt in words, and the buttons for receipt, badge and label."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.console.actions import ActionTable
from app.console.language import tr
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.facts import Facts
from app.console.widgets.text import TitledPanel, label

RECEIPT = (
    (tr("Proven"), False),
    (tr("Issued"), False),
    (tr("Signed"), False),
    (tr("Audit leaf"), False),
    (tr("Journal"), True),
    (tr("Certificates"), True),
)
"""What is told of a receipt, in this order, and whether in the font of digits."""


class PaperView(QWidget):
    """``show_receipt`` fills it."""

    def __init__(self, table: ActionTable) -> None:
        super().__init__()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 12, 0, 0)
        panel = TitledPanel(tr("Receipt, badge and label"), padding=12)
        outer.addWidget(panel)
        self.words = label("", "small", wrap=True)
        panel.body.addWidget(self.words)
        self.facts = Facts(tuple((title, title, mono) for title, mono in RECEIPT))
        panel.body.addWidget(self.facts)
        self._rows = QWidget()
        rows = QVBoxLayout(self._rows)
        rows.setContentsMargins(0, 8, 0, 0)
        rows.setSpacing(8)
        for names in (
            ("receipt", "photo"),
            ("badge", "print_badge"),
            ("label", "print_label"),
        ):
            row = QHBoxLayout()
            row.setSpacing(8)
            for name in names:
                row.addWidget(ActionButton(table, f"write_card.{name}", with_key=True))
            row.addStretch(1)
            rows.addLayout(row)
        panel.body.addWidget(self._rows)
        self.empty = EmptyState(
            "file-check",
            tr("No receipt to show."),
            tr(
                "A finished card has one: signed by the site, verifiable by anybody. Badge and label are made here too."
            ),
        )
        panel.body.addWidget(self.empty, 1)
        panel.body.addStretch(1)
        self.show_receipt("", ())

    def show_receipt(self, whose: str, words: Sequence[tuple[str, str]]) -> None:
        """What the receipt says, and of whose card; nothing while there is none."""
        self.words.setText(whose)
        for widget in (self.words, self.facts, self._rows):
            widget.setVisible(bool(words))
        self.empty.setVisible(not words)
        for title, said in words:
            self.facts.set(title, said)
