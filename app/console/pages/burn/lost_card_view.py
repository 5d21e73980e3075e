"""One lost card of the subject: which one, and the hold that ends it without its person."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QWidget

from app.console.language import tr
from app.console.revocation import SHORT
from app.console.widgets.hold_or_type import HoldOrType
from app.console.widgets.text import TitledPanel, label


class LostCardPanel(TitledPanel):
    """The subject's cards that are valid, and the hold. Emits ``changed`` and ``ordered``, and ``turned`` when it comes
    or goes."""

    changed = Signal()
    ordered = Signal()
    turned = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(padding=12, parent=parent)
        self.setAccessibleName(tr("Only a card is lost?"))
        self.body.setSpacing(5)
        self.words = label("", "small", wrap=True)
        self.body.addWidget(self.words)
        self.cards = QComboBox()
        self.cards.setAccessibleName(tr("Which card is lost"))
        self.cards.currentIndexChanged.connect(lambda _at: self.changed.emit())
        self.body.addWidget(self.cards)
        self.confirm = HoldOrType(tr("Hold to revoke the card"), tr("card"))
        self.confirm.ordered.connect(self.ordered)
        self.confirm.mistyped.connect(
            lambda word: self.words.setText(tr("That is not {word}. Nothing was revoked.", word=word))
        )
        self.body.addWidget(self.confirm)
        self.hide()

    @property
    def chosen(self) -> str | None:
        """The GUID of the card that is chosen."""
        found = self.cards.currentData()
        return found if isinstance(found, str) else None

    def show_cards(self, cards: Sequence[tuple[str, str]]) -> None:
        """Offer these cards, each a GUID with its words; the one that was chosen stays so."""
        known = [(self.cards.itemData(at), self.cards.itemText(at)) for at in range(self.cards.count())]
        if known == list(cards):
            return
        before = self.chosen
        self.cards.blockSignals(True)
        self.cards.clear()
        for guid, words in cards:
            self.cards.addItem(words, guid)
        self.cards.setCurrentIndex(max(0, self.cards.findData(before)))
        self.cards.blockSignals(False)
        self.changed.emit()

    def show_ready(self, ready: bool, sentence: str) -> None:
        """Let the hold answer (``ready``) or not; ``sentence`` says what happens."""
        card = (self.chosen or "")[:SHORT]
        verb = tr("Hold to revoke the card {card}", card=card) if card else tr("Hold to revoke the card")
        self.confirm.show_ready(ready, verb, card)
        self.words.setText(sentence)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.turned.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.turned.emit()
