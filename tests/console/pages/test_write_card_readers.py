"""Which reader is chosen while readers and their service come and go: never another person's card by itself."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from app.capabilities.provisioning.messages import Card, CardList, Provision, Verification
from app.console.cards.jobs import JobPhase
from app.console.failures import Failure
from app.console.pages import write_card as write_card_page
from app.console.pages.write_card import WriteCardPresenter
from app.console.session import WindowSession
from tests.console.built import built
from tests.console.cards.samples import card, job, provision
from tests.console.pages.conftest import on_screen

PROVEN = msgspec.structs.replace(
    provision("COMPLETE"),
    verification=Verification(read_back=True, proof_of_possession=True, chuid_signature=True, security_object=True),
)


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> WriteCardPresenter:
    """The page without a service; a test hears what is told, and plays nothing."""
    session.preferences.set(sounds=False)
    presenter = built(write_card_page, session)
    on_screen(presenter, "write_card", session, qtbot)
    return presenter


def in_reader(reader: str, uid: str, state: str | None = "blank", *, present: bool = True) -> Card:
    """A card in this reader."""
    return msgspec.structs.replace(card(state, uid=uid, present=present), reader=reader, aliases=[f"reader:{reader}"])


def read(page: WriteCardPresenter, *cards: Card) -> None:
    """One reading of all readers."""
    page.state.cards = CardList(items=list(cards), service="up")
    page.live_cards.show_answer()
    page.live_cards._first = False


def test_the_choice_survives_a_restart_of_the_card_service(page: WriteCardPresenter) -> None:
    """Both readers go; the other one's blank card is back first; the chosen one is chosen again when it is back."""
    mine, other = in_reader("Reader A", "1"), in_reader("Reader B", "2")
    read(page, mine, other)
    page.view.readers.choose("Reader A")
    for gone in (mine, other):
        page.live_cards._take_card(msgspec.structs.replace(gone, present=False, hardware_uid=None, state=None))
    read(page)
    assert page.view.readers.reader == ""
    assert page.state.next_step is not None
    assert page.state.next_step.headline == "The reader is gone"
    read(page, other)
    page.live_cards._take_card(other)
    assert page.state.card is None
    read(page, msgspec.structs.replace(mine, state=None), other)
    page.live_cards._take_card(msgspec.structs.replace(other, state=None))
    page.live_cards._take_card(other)
    assert page.view.readers.reader == "Reader A"


def test_a_card_that_was_just_put_in_is_chosen(page: WriteCardPresenter) -> None:
    """What comes into an empty reader is what the person looks at, while the chosen reader waits for nobody."""
    empty = in_reader("Reader A", "1", None, present=False)
    read(page, empty, in_reader("Reader B", "2", None, present=False))
    page.view.readers.choose("Reader A")
    page.live_cards._take_card(in_reader("Reader B", "3"))
    assert page.view.readers.reader == "Reader B"


def test_the_first_writable_card_is_chosen_by_itself(page: WriteCardPresenter) -> None:
    """Nobody has chosen yet."""
    read(page, in_reader("Reader A", "1", "foreign"), in_reader("Reader B", "2"))
    assert page.view.readers.reader == "Reader B"
    assert page.view.readers.wanted == "Reader B"


def test_a_silent_reader_is_red_in_the_list(page: WriteCardPresenter) -> None:
    """The page shows it, not the doctor alone."""
    read(page, msgspec.structs.replace(in_reader("Reader A", "1", "provisioned"), silent_s=72.0))
    row = page.view.readers.rows.rows[0]
    assert row.word == "Does not answer"
    assert "72 s" in row.line


def test_a_reading_that_succeeds_takes_back_what_a_reading_told(page: WriteCardPresenter) -> None:
    """No red head of the page under a service that answers; a refusal of a write stays."""
    banner = page.view.banner
    page.show_failure(Failure("connection_lost", "The service does not answer."))
    read(page, in_reader("Reader A", "1"))
    assert banner.text == ""
    refused = Failure("card_locked", "Refused.")
    page.show_failure(refused)
    page.live_cards.recover()
    read(page, in_reader("Reader A", "1"))
    assert banner.text == "Refused."
    page.live_cards.show_error(RuntimeError("broken"))
    assert "broken" in banner.text
    page.live_cards.recover()
    assert banner.text == ""


@pytest.mark.parametrize(
    ("written", "granted"),
    [
        (provision("TORN"), False),
        (provision("COMPLETE"), False),
        (PROVEN, True),
        (msgspec.structs.replace(PROVEN, standing="REVOKED"), False),
        (msgspec.structs.replace(PROVEN, card_guid=None), False),
    ],
    ids=["torn", "without a proof", "proven", "burned meanwhile", "without a name"],
)
def test_doors_open_only_when_the_card_is_proven(
    page: WriteCardPresenter, monkeypatch: pytest.MonkeyPatch, written: Provision, granted: bool
) -> None:
    """What was ticked while it was written is granted by itself, once, and for nothing less than a proof."""
    begun: list[tuple[object, ...]] = []
    monkeypatch.setattr(page.access, "_begin", lambda *order: begun.append(order))
    ordered = job(JobPhase.COMPLETE)
    ordered.doors, ordered.doors_s = ("garage",), 3600
    assert page.access.grant_chosen(ordered, written) is granted
    assert begun == ([(written, ("garage",), 3600)] if granted else [])
    assert not page.access.grant_chosen(ordered, written)
