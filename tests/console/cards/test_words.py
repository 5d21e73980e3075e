"""What the operator is told of a card: pure words and states."""

from __future__ import annotations

import msgspec
import pytest

from app.capabilities.provisioning.messages import Card, CardList
from app.console.cards.jobs import JobPhase
from app.console.cards.words import CardHolder, card_words, holder_words, service_words
from app.console.pages.write_card.next_step import next_step
from app.console.theme.tokens import Meaning
from tests.console.cards.samples import card, job, node


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
    holders = {"ARC-T0002": CardHolder("Training Person 02", standing)}
    words = card_words(card("provisioned"), holders)
    assert (words.state, words.writable) == (Meaning.CRIT, False)
    told = next_step(card("provisioned"), None, None, None, "", holders)
    assert (told.state, told.can_write, told.sentence) == (Meaning.CRIT, False, words.remedy)
    assert told.headline.endswith(": card of Training Person 02")


def test_a_holder_is_called_by_their_name() -> None:
    """By the id only while nobody has read the name."""
    holders = {"ARC-T0002": CardHolder("Training Person 02", "VERIFIED_DIGITAL_HUMAN")}
    written = card("provisioned")
    assert holder_words(written, holders) == "Holder Training Person 02"
    assert "Belongs to Training Person 02." in card_words(written, holders).remedy
    assert holder_words(written) == "Holder ARC-T0002"


def of_site(state: str, **values: object) -> Card:
    """A card that a record of the site knows."""
    return msgspec.structs.replace(card(state), **({"provision_id": "prv_1", "node_id": "ARC-T0002"} | values))


@pytest.mark.parametrize(
    ("told", "state", "word", "writable"),
    [
        (of_site("refused", detail="the card refused puk"), Meaning.BAD, "Refused", True),
        (of_site("revoked", detail="its certificates are revoked"), Meaning.CRIT, "Revoked", False),
        (of_site("revoked", node_id=None, detail="a re-issue took it"), Meaning.WARN, "Released", True),
        (of_site("torn"), Meaning.BAD, "Torn", True),
        (of_site("blank", detail="it was ARC-T0002's and was reset"), Meaning.WARN, "Reset", True),
        (card("blank", detail="the stock says issued"), Meaning.WARN, "Blank", True),
        (card("blank"), Meaning.OK, "Blank", True),
        (card("busy", detail="being written (prv_1)"), Meaning.WORK, "Being written", False),
        (card("busy", detail="held by scdaemon"), Meaning.WARN, "Busy", False),
        (card(None), Meaning.WORK, "Reading", False),
        (of_site("provisioned"), Meaning.OK, "Written", False),
        (msgspec.structs.replace(card("blank"), silent_s=72.0), Meaning.BAD, "Does not answer", False),
        (msgspec.structs.replace(card("blank"), silent_s=59.0), Meaning.OK, "Blank", True),
    ],
    ids=lambda value: value.state if isinstance(value, Card) else str(value),
)
def test_only_a_good_card_is_green(told: Card, state: Meaning, word: str, writable: bool) -> None:
    """Refused, revoked, torn, reset, silent: each by its own shape and word; no half card reads Written."""
    words = card_words(told)
    assert (words.state, words.word, words.writable) == (state, word, writable)
    assert words.remedy.endswith(".") or told.state == "blank"
    assert (told.detail or "").lower() in words.remedy.lower() or told.node_id or words.state is Meaning.WORK


def test_a_blocked_pin_of_a_card_of_ours_names_the_reset() -> None:
    """It is no card to throw away."""
    assert "PIN reset" in card_words(of_site("locked")).remedy
    assert "Take another card" in card_words(card("locked")).remedy


@pytest.mark.parametrize(
    ("told", "state", "headline", "may"),
    [
        (of_site("refused", detail="the card refused puk"), Meaning.BAD, "Refused", True),
        (of_site("revoked", detail="its certificates are revoked"), Meaning.CRIT, "Revoked: card of ARC-T0002", False),
        (of_site("blank"), Meaning.WARN, "Reset", True),
        (card("blank"), Meaning.OK, "Ready", True),
    ],
    ids=lambda value: value.state if isinstance(value, Card) else str(value),
)
def test_the_page_promises_no_more_than_the_card(told: Card, state: Meaning, headline: str, may: bool) -> None:
    """With a person chosen, the head of the page says what the card is worth."""
    step = next_step(told, None, node(), None, "")
    assert (step.state, step.headline, step.can_write) == (state, headline, may)


def test_a_revoked_card_with_an_approved_reissue_may_be_written() -> None:
    """The second key has agreed: the person is asked for, then Write takes it."""
    told = of_site("revoked", card_guid="g-1")
    assert next_step(told, None, None, None, "", reissues={"g-1"}).headline == "Re-issue approved"
    assert next_step(told, None, node(), None, "", reissues={"g-1"}).can_write
    assert not next_step(told, None, node("REVOKED"), None, "", reissues={"g-1"}).can_write


def test_a_silent_card_is_told_before_its_write() -> None:
    """A write under way does not hide that the card has answered nothing for more than a minute."""
    silent = msgspec.structs.replace(card("busy"), silent_s=72.0)
    step = next_step(silent, job(JobPhase.RUNNING), node(), None, "")
    assert (step.state, step.headline) == (Meaning.BAD, "Does not answer")
    assert "72 s" in step.sentence


def test_a_chosen_reader_that_is_away_is_waited_for() -> None:
    """No other reader takes its place, and nothing may be written."""
    step = next_step(None, None, node(), None, "", wanted="Reader 1")
    assert (step.headline, step.can_write) == ("The reader is gone", False)
    assert "Reader 1" in step.sentence
    assert next_step(None, None, node(), None, "").headline == "No card reader"
