"""One card of a person is lost: which one, why, and the hold that ends it without its person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.console import theme
from app.console.approvals import LONGEST_REASON
from app.console.failures import Failure
from app.console.language import tr
from app.console.revocation import LOST, SHORT, card_words
from app.console.widgets.banner import Banner
from app.console.widgets.buttons import plain_button
from app.console.widgets.dialog import Dialog
from app.console.widgets.hold_or_type import HoldOrType
from app.console.widgets.text import label
from app.registry.messages.nodes import NodeCredential

VERB = tr("Hold to revoke the card")


class CardLostDialog(Dialog):
    """Emits ``ordered`` with the card's GUID and the reason; stays open until accepted. ``uids``: the name of each
    card's chip by its GUID, as far as it is known."""

    ordered = Signal(str, str)

    def __init__(self, window: QWidget, name: str, cards: Sequence[NodeCredential], uids: Mapping[str, str]) -> None:
        super().__init__(window)
        title = tr("A card of {name} is lost", name=name)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(theme.px(520))
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(label(title, "title", wrap=True))
        what = tr(
            "Ends this card's certificates, PIN and doors for good. {name} is not burned and keeps all other access.",
            name=name,
        )
        column.addWidget(label(what, "dim", wrap=True))
        self.banner = Banner()
        column.addWidget(self.banner)
        self.cards = QComboBox()
        self.cards.setAccessibleName(tr("Which card is lost"))
        for one in cards:
            self.cards.addItem(card_words(one, uids.get(one.card_guid or "", "")), one.card_guid)
        self.cards.currentIndexChanged.connect(lambda _at: self._show_ready())
        column.addWidget(self.cards)
        self.reason = QLineEdit(LOST)
        self.reason.setMaxLength(LONGEST_REASON)
        self.reason.setAccessibleName(tr("Reason, kept in the audit log"))
        column.addWidget(self.reason)
        self.confirm = HoldOrType(VERB, tr("card"))
        self.confirm.ordered.connect(self._order)
        column.addWidget(self.confirm)
        self.said: QLabel = label("", "error", wrap=True)
        self.said.hide()
        self.confirm.mistyped.connect(lambda word: self._say(tr("That is not {word}. Nothing was revoked.", word=word)))
        column.addWidget(self.said)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(plain_button(tr("Cancel"), self.reject))
        column.addLayout(row)
        self._sent = False
        self._show_ready()
        self.cards.setFocus()

    @property
    def chosen(self) -> str:
        """The GUID of the card that is chosen."""
        return str(self.cards.currentData() or "")

    def show_failure(self, failure: Failure) -> None:
        """Say why it was not revoked; it can be ordered again."""
        self._sent = False
        self.banner.show_failure(failure)
        self._show_ready()

    def _show_ready(self) -> None:
        card = self.chosen[:SHORT]
        self._say("")
        self.confirm.clear()
        verb = tr("Hold to revoke the card {card}", card=card) if card else VERB
        self.confirm.show_ready(bool(card) and not self._sent, verb, card)

    def _say(self, sentence: str) -> None:
        self.said.setText(sentence)
        self.said.setVisible(bool(sentence))

    def _order(self) -> None:
        if self._sent or not self.chosen:
            return
        self._sent = True
        self._show_ready()
        self.ordered.emit(self.chosen, self.reason.text().strip())
