"""What the operator of Write card is told: pure words and states, without a window or a service."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.provisioning.messages import Card
from app.console.cards.jobs import JobPhase
from app.console.cards.words import CardHolder
from app.console.failures import Failure
from app.console.pages.write_card.apdu_words import instruction_words, status_words
from app.console.pages.write_card.next_step import next_step
from app.console.theme.tokens import Meaning
from tests.console.cards.samples import card, job, node


def test_after_a_burn_the_written_card_has_no_next_step() -> None:
    """ "Next: grant access" for a burned holder would be a lie."""
    holders = {"ARC-T0020": CardHolder("Training Person 20", "REVOKED")}
    told = next_step(card("provisioned"), job(JobPhase.COMPLETE), node(), None, "", holders)
    assert told.state is Meaning.CRIT
    assert "destroy it" in told.sentence


def test_write_waits_for_the_person() -> None:
    """A blank card alone is no order."""
    told = next_step(card(), None, None, None, "")
    assert not told.can_write
    assert told.headline == "Who holds this card?"


def test_a_blank_card_and_a_person_are_ready() -> None:
    """The order is complete."""
    assert next_step(card(), None, node(), None, "").can_write


@pytest.mark.parametrize("standing", ["REVOKED", "SUSPENDED"])
def test_nobody_burned_or_contained_gets_a_card(standing: str) -> None:
    """The service refuses it too; here it is said before."""
    told = next_step(card(), None, node(standing), None, "")
    assert (told.can_write, told.state) == (False, Meaning.CRIT)


@pytest.mark.parametrize(
    ("lies", "at"),
    [
        (card("provisioned", uid="70000009"), None),
        (card(None, present=False), None),
        (card("torn"), JobPhase.TORN),
        (card(None, present=False), JobPhase.TORN),
        (card("blank", detail="Odd ATR."), None),
    ],
)
def test_above_somebody_burned_nothing_is_offered(lies: Card, at: JobPhase | None) -> None:
    """Whatever lies in the reader, and whatever the list of holders knows: the person's standing comes first."""
    told = next_step(lies, None if at is None else job(at), node("REVOKED"), None, "")
    assert (told.state, told.headline, told.can_write) == (Meaning.CRIT, "Training Person 20 is burned", False)


@pytest.mark.parametrize(("standing", "word"), [("REVOKED", "Revoked"), ("SUSPENDED", "Contained")])
def test_the_card_of_somebody_burned_opens_nothing(standing: str, word: str) -> None:
    """Written before: by the person's own standing alone, for the list of holders may be older."""
    own = msgspec.structs.replace(card("provisioned"), node_id="ARC-T0020")
    told = next_step(own, None, node(standing), None, "")
    assert (told.state, told.headline) == (Meaning.CRIT, f"{word}: this card opens nothing")
    assert not told.can_write


def test_a_card_written_just_now_opens_nothing_after_a_burn() -> None:
    """Written and proven a moment ago: the hero is not green above somebody who is burned since."""
    told = next_step(card("provisioned"), job(JobPhase.COMPLETE), node("REVOKED"), None, "")
    assert (told.state, told.headline) == (Meaning.CRIT, "Revoked: this card opens nothing")


def test_the_torn_card_of_somebody_burned_is_not_asked_for() -> None:
    """The torn card of somebody who is burned is not to be put back: nobody finishes it."""
    holders = {"ARC-T0020": CardHolder("Training Person 20", "REVOKED")}
    told = next_step(card(None, present=False), job(JobPhase.TORN), None, None, "", holders)
    assert (told.state, told.sentence) == (
        Meaning.CRIT, "Card 70000001 is not finished. Set it aside and destroy it.",
    )  # fmt: skip


def test_a_write_that_runs_is_told_before_the_standing() -> None:
    """The card must stay in the reader, whoever was burned meanwhile."""
    told = next_step(card("busy"), job(JobPhase.RUNNING), node("REVOKED"), None, "")
    assert told.state is Meaning.WORK


def test_a_refusal_stays_readable_above_somebody_burned() -> None:
    """Why the card was refused is told all the same."""
    refused = job(JobPhase.REFUSED)
    refused.failure = Failure("fips_not_met", "The card is too old.", "", "req_1")
    told = next_step(card("refused"), refused, node("REVOKED"), None, "")
    assert (told.state, told.sentence) == (Meaning.CRIT, "The card is too old.")


def test_a_card_pulled_out_is_a_state_that_asks_for_the_same_card() -> None:
    """Red, with the card's name, and no error box."""
    told = next_step(card(None, present=False), job(JobPhase.TORN), node(), None, "")
    assert told.state is Meaning.BAD
    assert "SAME" in told.headline
    assert "70000001" in told.sentence


def test_another_card_is_refused_with_both_names() -> None:
    """The operator sees which card lies there and which is awaited."""
    told = next_step(card(uid="70000002"), job(JobPhase.TORN), node(), None, "")
    assert not told.can_write
    assert "70000002" in told.sentence
    assert "70000001" in told.sentence


def test_the_same_card_may_be_finished() -> None:
    """The same call resumes."""
    assert next_step(card("torn"), job(JobPhase.TORN), node(), None, "").can_write


def test_a_lost_answer_is_unknown_and_asked_again() -> None:
    """Neither success nor failure is claimed."""
    assert next_step(card("busy"), job(JobPhase.ASKING), node(), None, "").headline == "Unknown, asking"


def test_a_write_under_way_warns_of_nothing() -> None:
    """Neither while it runs nor while a torn card is identified; a lost answer does."""
    assert next_step(card("busy"), job(JobPhase.RUNNING), node(), None, "").state is Meaning.WORK
    unknown = msgspec.structs.replace(card("torn"), hardware_uid=None)
    torn = job(JobPhase.TORN)
    torn.provision = None
    told = next_step(unknown, torn, node(), None, "")
    assert (told.state, told.headline) == (Meaning.WORK, "Reading the card")
    assert next_step(card("busy"), job(JobPhase.ASKING), node(), None, "").state is Meaning.WARN


def test_stale_readers_leave_no_green() -> None:
    """A silent service: the idle ring and since when."""
    told = next_step(card(), None, node(), None, "STALE since 10:00:00")
    assert (told.state, told.can_write) == (Meaning.IDLE, False)


def test_a_refusal_is_told_in_the_service_s_words() -> None:
    """The sentence of the problem document."""
    refused = job(JobPhase.REFUSED)
    refused.failure = Failure("card_locked", "The PUK of this card is blocked; use another card.")
    assert next_step(card("locked"), refused, node(), None, "").sentence == refused.failure.sentence


@pytest.mark.parametrize(
    ("word", "words"),
    [("9000", "9000 done"), ("63C2", "63C2 2 tries left"), ("6110", "6110 16 bytes follow"), ("", "no answer")],
)
def test_status_words_are_told_in_words(word: str, words: str) -> None:
    """ISO/IEC 7816-4."""
    assert status_words(word) == words


@given(st.text(max_size=12))
def test_no_trace_breaks_the_words(text: str) -> None:
    """Whatever a trace holds is shown, never raised."""
    assert isinstance(status_words(text), str)
    assert isinstance(instruction_words(text), str)
