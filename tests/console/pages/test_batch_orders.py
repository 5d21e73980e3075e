"""What stands large on a batch: who is next, and an order that is true of the readers as they are."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from app.capabilities.provisioning.batches.messages import Batch
from app.capabilities.provisioning.messages import Card
from app.console.pages.batch.board import BatchBoard
from app.console.pages.batch.orders import Lead, lead_of
from app.console.theme.tokens import Meaning
from tests.console.pages.batch_samples import batch, card, row

EMPTY = card(present=False)
FOREIGN = card(state="provisioned", node_id="ARC-T0009")
WAITING = batch(row(1), row(2), row(3))


def lead(found: Batch, cards: Sequence[Card] = (EMPTY,), go_on: str = "", ahead: str = "") -> Lead:
    """What stands large of this batch while these cards lie in the readers."""
    board = BatchBoard(found)
    board.take_cards(cards)
    return lead_of(board, board.stations(), go_on=go_on, ahead=ahead)


def order(found: Batch, cards: Sequence[Card] = (EMPTY,), go_on: str = "", ahead: str = "") -> str:
    """The one sentence."""
    shown = lead(found, cards, go_on, ahead).order
    return "" if shown is None else shown.words


def test_the_next_person_stands_large() -> None:
    """With the line, and who comes after; being next is no state."""
    shown = lead(batch(row(1, "COMPLETE"), row(2), row(3), row(4), row(5), row(6)))
    assert (shown.caption, shown.name, shown.state) == ("Next, line 2 of 6", "Training Person 02", None)
    assert shown.after == ("Training Person 03", "Training Person 04", "Training Person 05")
    assert shown.words == "Next, line 2 of 6. Training Person 02. Put a blank card into Reader 1"


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ([EMPTY], "Put a blank card into Reader 1"),
        ([FOREIGN, card("Reader 2", present=False)], "Put a blank card into Reader 2"),
        ([FOREIGN], "Take the card out of Reader 1"),
        ([card()], "Wait: Reader 1 looks at its card"),
        ([card(), card("Reader 2")], "Wait: 2 readers are at work"),
        ([], "Plug in a reader: there is none"),
    ],
)
def test_the_order_is_true_of_the_readers(cards: list[Card], words: str) -> None:
    """Which are empty, which hold a card that is not for the batch, which are at work."""
    assert order(WAITING, cards) == words


def test_all_readers_write() -> None:
    """Nothing is put anywhere."""
    writing = batch(row(1, "RUNNING"), row(2, "RUNNING", reader="Reader 2"), row(3))
    assert order(writing, [card(), card("Reader 2")]) == "Wait: all readers write"
    assert order(batch(row(1, "RUNNING"), row(2)), [card()]) == "Wait: Reader 1 writes"


def test_a_named_reader_that_is_away_is_to_be_plugged_in() -> None:
    """The batch takes no other."""
    assert order(batch(row(1), readers=("Reader 7",)), [EMPTY]) == "Plug a reader in: none of this batch is"


def test_a_paused_batch_says_how_it_goes_on() -> None:
    """With the key, where the operator may; it asks no hands."""
    paused = batch(row(1), state="PAUSED")
    assert order(paused, go_on="Ctrl+Shift+Space") == "Paused: go on with Ctrl+Shift+Space"
    shown = lead(paused)
    assert shown.order is not None
    assert (shown.order.words, shown.order.acts) == ("Paused: no card gets a line", False)


def test_an_older_batch_takes_the_cards_first() -> None:
    """A blank card would go to somebody else."""
    assert order(WAITING, ahead="Night shift") == "Wait: “Night shift” takes the cards first"


def test_a_line_that_names_its_card_asks_for_it() -> None:
    """Any other card would not be taken."""
    assert order(batch(row(1, hardware_uid="70000002"))) == "Put card 70000002 into Reader 1"


def test_the_reader_that_a_line_names_decides_who_is_next() -> None:
    """The line that a card in the empty reader takes, not the first of the list."""
    shown = lead(batch(row(1), row(2, hardware_uid="reader:Reader 1")))
    assert (shown.name, order(batch(row(1), row(2, hardware_uid="reader:Reader 1")))) == (
        "Training Person 02",
        "Put a blank card into Reader 1",
    )


def test_the_last_torn_card_calls_for_its_person() -> None:
    """Nobody is next then but the one whose card is half written."""
    shown = lead(batch(row(1, "COMPLETE"), row(2, "TORN")))
    assert (shown.caption, shown.name, shown.state) == ("Torn, line 2 of 2", "Training Person 02", Meaning.BAD)
    assert shown.order is not None
    assert shown.order.words == "Put the SAME card back into Reader 1"


def test_a_torn_card_keeps_no_empty_reader_from_the_next_person() -> None:
    """The other reader takes the next line."""
    torn = batch(row(1, "TORN"), row(2))
    assert order(torn, [EMPTY, card("Reader 2", present=False)]) == "Put a blank card into Reader 2"
    assert order(torn, [EMPTY]) == "Put the SAME card back into Reader 1"


def test_while_the_last_are_written_nobody_is_next() -> None:
    """No portrait of anybody."""
    shown = lead(batch(row(1, "RUNNING"), row(2, "COMPLETE", reader="Reader 2")), [card()])
    assert (shown.name, shown.row, shown.state) == ("Nobody is next", None, Meaning.WORK)
    assert shown.order is not None
    assert shown.order.words == "Wait: Reader 1 writes"


def test_a_batch_that_is_done_says_what_became_of_it() -> None:
    """Green only when everybody has a card; else who has none."""
    shown = lead(batch(row(1, "COMPLETE"), row(2, "COMPLETE"), state="DONE"))
    assert (shown.name, shown.state, shown.row, shown.order) == ("Done: 2 written", Meaning.OK, None, None)
    bad = lead(batch(row(1, "COMPLETE"), row(2, "FAILED"), state="DONE"))
    assert (bad.name, bad.state) == ("Done: 1 written, 1 failed", Meaning.BAD)
    assert bad.known == "Without a card: Training Person 02"


def test_many_without_a_card_are_counted() -> None:
    """The line of names has an end."""
    shown = lead(batch(*(row(n, "FAILED") for n in range(1, 8)), state="DONE"))
    assert shown.known.endswith("Training Person 04 and 3 more")


def test_a_cancelled_batch_says_what_was_never_written() -> None:
    """No state of anybody's card is claimed."""
    shown = lead(batch(row(1, "COMPLETE"), row(2, "CANCELLED"), state="CANCELLED"))
    assert (shown.name, shown.state) == ("Cancelled: 1 written, 1 never written", Meaning.IDLE)


def test_the_last_written_card_is_taken_out_when_the_batch_is_done() -> None:
    """It lies there still; a card of somebody else in another reader is none of its business."""
    board = BatchBoard(batch(row(1, "RUNNING")))
    board.take_cards([FOREIGN, card("Reader 2", state="provisioned", node_id="ARC-T0009")])
    board.take_batch(batch(row(1, "COMPLETE"), state="DONE"), board.heard)
    shown = lead_of(board, board.stations())
    assert shown.order is not None
    assert shown.order.words == "Take the card out of Reader 1"
    board.take_card(EMPTY)
    assert lead_of(board, board.stations()).order is None
