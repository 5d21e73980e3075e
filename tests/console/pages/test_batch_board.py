"""What a batch's board makes of events, readings and cards: pure states and words, without a window or a service."""

from __future__ import annotations

import msgspec
import pytest

from app.capabilities.provisioning.batches.messages import BatchRow, RowState
from app.capabilities.provisioning.messages import Card, ProvisionEvent, Stage
from app.console.devices.sounds import Tone
from app.console.pages.batch.board import BatchBoard, NextMove, matching, remaining, sound_of
from app.console.pages.batch.exports import report
from app.console.theme.tokens import Meaning
from tests.console.pages.batch_samples import AT, batch, card, row, told


def said(board: BatchBoard, reader: str = "Reader 1") -> tuple[Meaning, str, NextMove]:
    """What a reader's tile says, and what the hands do there."""
    station = next(one for one in board.stations() if one.reader == reader)
    return station.state, station.word, station.hands


def test_a_reading_that_an_event_overtook_takes_nothing_back() -> None:
    """The reply was made before the event; other lines of it are taken."""
    board = BatchBoard(batch(row(1, "RUNNING"), row(2)))
    before = board.heard
    done = batch(row(1, "COMPLETE"), row(2))
    assert board.take_event(told(done, done.rows[0])) is Tone.DONE
    assert board.take_batch(batch(row(1, "RUNNING"), row(2, "FAILED")), before) == [Tone.FAILED]
    assert {line.n: line.state for line in board.rows} == {1: "COMPLETE", 2: "FAILED"}
    assert board.summary.counts.complete == 1


def test_an_event_of_another_batch_changes_nothing() -> None:
    """Two batches may be open; the board is of one."""
    board = BatchBoard(batch(row(1, "RUNNING")))
    other = msgspec.structs.replace(batch(row(1, "COMPLETE")), batch_id="bat_2")
    assert board.take_event(told(other, other.rows[0])) is None
    assert board.rows[0].state == "RUNNING"


@pytest.mark.parametrize(
    ("before", "after", "sound"),
    [
        (row(1, "RUNNING"), row(1, "COMPLETE"), Tone.DONE),
        (row(1, "RUNNING"), row(1, "TORN"), Tone.NEEDS_YOU),
        (row(1, "RUNNING"), row(1, "FAILED"), Tone.FAILED),
        (row(1, "RUNNING"), row(1, attempts=1), Tone.FAILED),
        (row(1, "RUNNING"), row(1), None),
        (row(1), row(1, "RUNNING"), None),
        (row(1, "TORN"), row(1, "RUNNING"), None),
        (row(1), row(1, "CANCELLED"), None),
        (None, row(1, "COMPLETE"), None),
    ],
)
def test_a_result_is_heard_once(before: BatchRow | None, after: BatchRow, sound: Tone | None) -> None:
    """Each end of a line has its sound; what was there when the page was opened has none, and no end is told twice."""
    assert sound_of(before, after) is sound
    assert sound_of(after, after) is None


def test_a_reader_that_is_plugged_in_joins() -> None:
    """At once where the batch takes every reader; one that it does not name stays out; a named one that is away says
    so."""
    every, named = BatchBoard(batch(row(1))), BatchBoard(batch(row(1), readers=("Reader 1", "Reader 2")))
    for board in (every, named):
        board.take_cards([card(present=False)])
        board.take_card(card("Reader 3", present=False))
    assert [one.reader for one in every.stations()] == ["Reader 1", "Reader 3"]
    assert said(every, "Reader 3") == (Meaning.IDLE, "Empty", NextMove.INSERT)
    assert [one.word for one in named.stations()] == ["Empty", "Unplugged"]


def test_a_tile_says_whose_card_it_is_and_what_the_hands_do() -> None:
    """From the blank card to the next one."""
    board = BatchBoard(batch(row(1), row(2)))
    board.take_cards([card(present=False)])
    assert said(board) == (Meaning.IDLE, "Empty", NextMove.INSERT)
    assert board.stations()[0].words == "Reader 1, Empty, Waits for a blank card, for Training Person 01"
    board.take_card(card())
    assert said(board) == (Meaning.WORK, "Looking", NextMove.WAIT)
    running = batch(row(1, "RUNNING"), row(2))
    board.take_event(told(running, running.rows[0]))
    stage = Stage(step="identify", state="done", apdus=4, ms=3.0)
    board.take_stage(
        ProvisionEvent(provision_id="p", node_id="ARC-T0001", reader="Reader 1", state="RUNNING", stage=stage)
    )
    (tile,) = board.stations()
    assert (tile.state, tile.word, tile.title) == (Meaning.WORK, "Writing", "Training Person 01")
    assert (tile.detail, tile.share) == ("Open, step 2 of 10", 0.1)
    assert board.stage_words(running.rows[0]) == tile.detail
    done = batch(row(1, "COMPLETE"), row(2))
    board.take_event(told(done, done.rows[0]))
    board.take_card(card(state="provisioned", node_id="ARC-T0001"))
    assert said(board) == (Meaning.OK, "Written", NextMove.TAKE_OUT)
    assert board.stations()[0].title == "Training Person 01"
    board.take_card(card(present=False))
    assert said(board) == (Meaning.IDLE, "Empty", NextMove.INSERT)
    board.take_card(card(state="provisioned", node_id="ARC-T0009"))
    assert said(board) == (Meaning.WARN, "Other card", NextMove.CLEAR)


def test_another_card_warns_only_where_somebody_must_act() -> None:
    """While another reader can be used nobody need take it out."""
    board = BatchBoard(batch(row(1)))
    board.take_cards([card(state="provisioned", node_id="ARC-T0009"), card("Reader 2", present=False)])
    assert said(board) == (Meaning.IDLE, "Other card", NextMove.NOTHING)
    board.take_card(card("Reader 2", state="provisioned", node_id="ARC-T0008"))
    assert said(board) == (Meaning.WARN, "Other card", NextMove.CLEAR)


@pytest.mark.parametrize(
    ("line", "there"),
    [
        (row(1), card(node_id="ARC-T0009")),
        (row(1), card(detail="the stock says lost; a batch takes what is in stock alone")),
        (row(1), card(state="torn")),
        (row(1, hardware_uid="70000002"), card()),
    ],
)
def test_a_card_that_gets_no_line_is_not_waited_for(line: BatchRow, there: Card) -> None:
    """It was somebody's, is not in stock, is half written for somebody else, or is not the one that the line names:
    the service never looks at it again."""
    board = BatchBoard(batch(line))
    board.take_cards([there])
    assert said(board) == (Meaning.WARN, "Other card", NextMove.CLEAR)


def test_the_card_that_a_line_names_is_waited_for() -> None:
    """By any of its names."""
    board = BatchBoard(batch(row(1, hardware_uid="70000001")))
    board.take_cards([card()])
    assert said(board) == (Meaning.WORK, "Looking", NextMove.WAIT)


def test_a_torn_card_calls_until_it_is_back() -> None:
    """Also after another card had its turn in that reader."""
    board = BatchBoard(batch(row(1, "TORN"), row(2), row(3)))
    board.take_cards([card(present=False)])
    calls = (Meaning.BAD, "Torn", NextMove.SAME_BACK)
    assert said(board) == calls
    other = batch(row(1, "TORN"), row(2, "RUNNING"), row(3))
    board.take_card(card())
    board.take_event(told(other, other.rows[1]))
    assert said(board) == (Meaning.WORK, "Writing", NextMove.WAIT)
    done = batch(row(1, "TORN"), row(2, "COMPLETE"), row(3))
    board.take_event(told(done, done.rows[1]))
    assert said(board) == (Meaning.OK, "Written", NextMove.TAKE_OUT)
    board.take_card(card(present=False))
    assert said(board) == calls


def test_a_refused_card_is_to_be_taken_out() -> None:
    """Its line waits for the next card, or has failed; the reason is said."""
    board = BatchBoard(batch(row(1, "RUNNING"), row(2)))
    board.take_cards([card()])
    refused = batch(row(1, attempts=1, reader="Reader 1", begun_at=AT, detail="The card is locked."), row(2))
    assert board.take_event(told(refused, refused.rows[0])) is Tone.FAILED
    assert said(board) == (Meaning.BAD, "Card refused", NextMove.TAKE_OUT)
    assert board.stations()[0].words == "Reader 1, Card refused, Training Person 01, Take it out. The card is locked."
    failed = batch(row(1, "FAILED", attempts=3, reader="Reader 1", begun_at=AT, detail="It is locked."), row(2))
    assert board.take_event(told(failed, failed.rows[0])) is Tone.FAILED
    assert said(board) == (Meaning.BAD, "Failed", NextMove.TAKE_OUT)


def test_a_line_that_names_a_card_or_a_reader_is_taken_by_that_one_alone() -> None:
    """A blank card takes the first line that names none; in a reader that a line names it takes that line."""
    named, here, free = row(1, hardware_uid="70000002"), row(2, hardware_uid="reader:Reader 2"), row(3)
    board = BatchBoard(batch(named, here, free))
    assert board.line_for("Reader 1") == free
    assert board.line_for("Reader 2") == here
    alone = BatchBoard(batch(named))
    alone.take_cards([card(present=False)])
    assert alone.line_for("Reader 1") == named
    assert alone.stations()[0].title == "Waits for card 70000002"


def test_an_old_batch_says_nothing_of_the_cards_of_today() -> None:
    """What lies in the readers now is not its own."""
    board = BatchBoard(batch(row(1, "COMPLETE"), state="DONE"))
    board.take_cards([card(state="provisioned", node_id="ARC-T0009")])
    assert not board.at_work


def test_lines_that_need_somebody_stand_first() -> None:
    """Torn, failed, in work, waiting, written, cancelled; each by its number. Words find lines."""
    states: tuple[RowState, ...] = ("CANCELLED", "COMPLETE", "WAITING", "RUNNING", "FAILED", "TORN", "TORN")
    board = BatchBoard(batch(*(row(n, state) for n, state in enumerate(states, 1))))
    assert [line.n for line in board.rows] == [6, 7, 5, 4, 3, 2, 1]
    assert [line.n for line in matching(board.rows, "torn person 07")] == [7]
    assert matching(board.rows, "") == board.rows


def test_the_report_is_in_the_order_of_the_list_and_runs_no_formula() -> None:
    """Whatever needs somebody first on the screen; a reader may be called anything."""
    lines = report([row(2, detail="=1+1"), row(1, "COMPLETE")]).decode().splitlines()
    assert lines[0].startswith("n,node_id,state,")
    assert [line.split(",")[0] for line in lines[1:]] == ["1", "2"]
    assert "'=1+1" in lines[2]


@pytest.mark.parametrize(("seconds", "words"), [(0, "0 s"), (89, "89 s"), (600, "10 min"), (3900, "1 h 05 min")])
def test_what_is_left_is_said_short(seconds: int, words: str) -> None:
    """Seconds, minutes, hours."""
    assert remaining(seconds) == words


def test_the_stage_of_a_write_is_told_at_its_own_line_alone() -> None:
    """Neither at a line that no reader has, nor at one that the reader had before."""
    board = BatchBoard(batch(row(1, "RUNNING"), row(2, "FAILED", reader="Reader 1"), row(3)))
    now = batch(row(1, "RUNNING"), row(2, "FAILED", reader="Reader 1"), row(3))
    board.take_event(told(now, now.rows[0]))
    said = {one.n: board.stage_words(one) for one in board.rows}
    assert said.pop(1).endswith("step 1 of 10")
    assert said == {2: "", 3: ""}
