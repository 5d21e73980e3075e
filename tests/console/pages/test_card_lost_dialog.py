"""The dialog in which one card of a person is revoked, by itself; ``test_people_page`` has it against a service."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.capabilities.provisioning.messages import RevokeCardBody
from app.console.failures import Failure
from app.console.pages.people.card_lost_dialog import VERB, CardLostDialog
from app.registry.messages.nodes import NodeCredential

FIRST, SECOND = "0f8fad5b-d9cb-469f-a165-70867728950e", "7c9e6679-7425-40de-944b-e07fc1f90ae7"


@pytest.fixture
def window(qtbot: QtBot, application: QApplication) -> QWidget:
    """What the dialog belongs to."""
    made = QWidget()
    qtbot.addWidget(made)
    return made


class Lost:
    """The dialog of somebody with cards, and what it ordered."""

    def __init__(self, window: QWidget, *guids: str) -> None:
        cards = [NodeCredential(profile="p", format="piv-guid", card_guid=guid, state="active") for guid in guids]
        self.dialog = CardLostDialog(window, "Ada", cards, {FIRST: "70000031"})
        self.dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        self.ordered: list[tuple[str, str]] = []
        self.dialog.ordered.connect(lambda guid, reason: self.ordered.append((guid, reason)))
        self.dialog.open()

    def type(self, word: str, qtbot: QtBot) -> None:
        """Type a word and press Enter."""
        typed = self.dialog.confirm.typed
        typed.clear()
        qtbot.keyClicks(typed, word)
        qtbot.keyClick(typed, Qt.Key.Key_Return)


def test_the_card_that_is_chosen_is_named_and_revoked(window: QWidget, qtbot: QtBot) -> None:
    """On the button, and as the word to type; the word of another card revokes nothing."""
    lost = Lost(window, FIRST, SECOND)
    dialog = lost.dialog
    assert [dialog.cards.itemText(at) for at in range(2)] == ["70000031, card 0f8fad5b", "Card 7c9e6679"]
    dialog.cards.setCurrentIndex(1)
    assert dialog.confirm.hold.text() == "Hold to revoke the card 7c9e6679"
    lost.type("0f8fad5b", qtbot)
    assert (dialog.said.text(), dialog.said.isVisible()) == ("That is not 7c9e6679. Nothing was revoked.", True)
    dialog.reason.setText("  stolen in Lyon ")
    lost.type("7c9e6679", qtbot)
    assert lost.ordered == [(SECOND, "stolen in Lyon")]


def test_another_card_forgets_what_was_typed(window: QWidget, qtbot: QtBot) -> None:
    """It was meant for the one before, and so was what was said of it."""
    lost = Lost(window, FIRST, SECOND)
    lost.type("another", qtbot)
    lost.dialog.cards.setCurrentIndex(1)
    assert (lost.dialog.confirm.typed.text(), lost.dialog.said.isVisible()) == ("", False)


def test_one_order_is_sent_until_it_failed(window: QWidget, qtbot: QtBot) -> None:
    """A second hand on it changes nothing; after a failure, which is shown, it can be ordered again."""
    lost = Lost(window, FIRST)
    lost.type("0f8fad5b", qtbot)
    assert not lost.dialog.confirm.hold.isEnabled()
    lost.dialog.confirm.ordered.emit()
    assert lost.ordered == [(FIRST, "Lost card")]
    lost.dialog.show_failure(Failure("dependency_unavailable", "The service does not answer."))
    assert lost.dialog.banner.text
    lost.type("0f8fad5b", qtbot)
    assert len(lost.ordered) == 2


def test_without_a_card_nothing_is_ordered(window: QWidget) -> None:
    """The button says no card, and does not answer."""
    lost = Lost(window)
    assert (lost.dialog.confirm.hold.text(), lost.dialog.confirm.hold.isEnabled()) == (VERB, False)
    lost.dialog.confirm.ordered.emit()
    assert lost.ordered == []


def test_it_begins_at_the_choice_of_the_card(window: QWidget, qtbot: QtBot) -> None:
    """Nobody revokes the first one by a key that was meant for another place."""
    lost = Lost(window, FIRST, SECOND)
    assert lost.dialog.focusWidget() is lost.dialog.cards


def test_a_reason_is_as_long_as_the_service_takes(window: QWidget, qtbot: QtBot) -> None:
    """It would refuse a longer one with the whole order."""
    lost = Lost(window, FIRST)
    lost.dialog.reason.setText("x" * 5000)
    lost.type("0f8fad5b", qtbot)
    ((_guid, reason),) = lost.ordered
    assert msgspec.convert({"reason": reason}, RevokeCardBody).reason == reason
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"reason": reason + "x"}, RevokeCardBody)
