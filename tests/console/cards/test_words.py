"""What the operator is told of a card: pure words and states."""

from __future__ import annotations

import msgspec
import pytest

from app.capabilities.provisioning.messages import CardList
from app.console.cards.words import card_words, service_words
from app.console.pages.write_card.next_step import next_step
from app.console.theme.tokens import Meaning
from tests.console.cards.samples import card


@pytest.mark.parametrize("state", ["provisioned", "foreign", "locked", "busy", "not_piv"])
def test_a_card_that_is_not_written_says_why_and_what_to_do(state: str) -> None:
    """A refusal without a remedy leaves the operator alone."""
    words = card_words(card(state))
    assert not words.writable
    assert words.remedy.endswith(".")


def test_a_reader_service_that_is_away_names_the_remedy() -> None:
    """PC/SC down: the command that starts it."""
    state, word, remedy = service_words(CardList(items=[], service="down", detail="no service"), training=False)
    assert (state, word) == (Meaning.BAD, "PC/SC down")
    assert "pcscd" in remedy


def test_simulated_readers_need_no_reader_service() -> None:
    """A training site without pcscd: nothing is wrong, and the note says what there is."""
    simulated = msgspec.structs.replace(card(), simulated=True)
    state, word, note = service_words(CardList(items=[simulated], service="down", detail="away"), training=True)
    assert (state, word) == (Meaning.IDLE, "Simulated readers")
    assert note == "No PC/SC service: simulated readers only."


@pytest.mark.parametrize("standing", ["REVOKED", "SUSPENDED"])
def test_a_written_card_is_worth_no_more_than_its_holder(standing: str) -> None:
    """No green and nothing to write for a card whose holder is burned or contained; what to do with it is said."""
    standings = {"ARC-T0002": standing}
    words = card_words(card("provisioned"), standings)
    assert (words.state, words.writable) == (Meaning.CRIT, False)
    told = next_step(card("provisioned"), None, None, None, "", standings)
    assert (told.state, told.can_write, told.sentence) == (Meaning.CRIT, False, words.remedy)
