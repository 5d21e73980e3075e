"""What a batch's board makes of events, readings and cards: pure states and words, without a window or a service."""

from __future__ import annotations

import msgspec
import pytest

from app.capabilities.provisioning.batches.messages import (
    Batch,
    BatchCounts,
    BatchEvent,
    BatchRow,
    BatchState,
    BatchSummary,
    RowState,
)
from app.capabilities.provisioning.messages import Card, ProvisionEvent, Stage
from app.console.devices.sounds import Tone
from app.console.pages.batch.board import BatchBoard, matching, remaining, sound_of
from app.console.pages.batch.exports import report
from app.console.theme.tokens import Meaning

AT, LATER = "2026-03-01T10:00:00.000000Z", "2026-03-01T10:00:02.500000Z"
NOW = 1772359202.5
"""``LATER`` in Unix seconds."""


def row(n: int, state: RowState = "WAITING", **values: object) -> BatchRow:
    """A line; one that is or was in work has a reader and a beginning."""
    begun = state in ("RUNNING", "TORN", "COMPLETE")
    made = BatchRow(
        n=n,
        node_id=f"ARC-T{n:04}",
        display_name=f"Training Person {n:02}",
        hardware_uid=None,
        state=state,
        reader="Reader 1" if begun else None,
        provision_id=None,
        attempts=0,
        code=None,
        detail=None,
        begun_at=AT if begun else None,
        ended_at=LATER if state == "COMPLETE" else None,
    )
    return msgspec.structs.replace(made, **values)


def batch(*rows: BatchRow, state: BatchState = "RUNNING", readers: tuple[str, ...] = ()) -> Batch:
    """A batch of these lines."""
    states = [row.state for row in rows]
    counts = BatchCounts(
        total=len(rows),
        waiting=states.count("WAITING"),
        running=states.count("RUNNING"),
        torn=states.count("TORN"),
        complete=states.count("COMPLETE"),
        failed=states.count("FAILED"),
        cancelled=states.count("CANCELLED"),
    )
    return Batch(
        batch_id="bat_1",
        label="List",
        fips_standard="FIPS 140-3 Level 2",
        state=state,
        readers=list(readers),
        counts=counts,
        eta_seconds=None,
        cards_per_minute=None,
        operator="key_1",
        created_at=AT,
        finished_at=None,
        receipts_url="/v1/hardware/se/receipts.csv?batch_id=bat_1",
        training=True,
        rows=list(rows),
    )


def told(found: Batch, line: BatchRow | None) -> BatchEvent:
    """The event of a line, with the batch as it is then."""
    names = BatchSummary.__struct_fields__
    return BatchEvent(batch=BatchSummary(**{name: getattr(found, name) for name in names}), row=line)


def card(reader: str = "Reader 1", *, present: bool = True, state: str | None = "blank", **values: object) -> Card:
    """What lies in a reader."""
    made = Card(
        reader=reader,
        atr="3B00",
        hardware_uid="70000001" if present else None,
        uid_source="serial" if present else None,
        aliases=[],
        card_guid=None,
        node_id=None,
        state=state if present else None,  # type: ignore[arg-type]
        present=present,
    )
    return msgspec.structs.replace(made, **values)


def said(board: BatchBoard, reader: str = "Reader 1") -> tuple[Meaning, str]:
    """What a reader's tile says."""
    station = next(one for one in board.stations(NOW) if one.reader == reader)
    return station.state, station.headline


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
    assert [one.reader for one in every.stations(NOW)] == ["Reader 1", "Reader 3"]
    assert said(every, "Reader 3") == (Meaning.IDLE, "Put in a blank card")
    assert [one.headline for one in named.stations(NOW)] == ["Put in a blank card", "Unplugged"]


def test_a_tile_says_what_the_hands_do_next() -> None:
    """From the blank card to the next one."""
    board = BatchBoard(batch(row(1), row(2)))
    board.take_cards([card(present=False)])
    assert said(board) == (Meaning.IDLE, "Put in a blank card")
    board.take_card(card())
    assert said(board) == (Meaning.WORK, "Looking at the card")
    running = batch(row(1, "RUNNING"), row(2))
    board.take_event(told(running, running.rows[0]))
    stage = Stage(step="identify", state="done", apdus=4, ms=3.0)
    board.take_stage(
        ProvisionEvent(provision_id="p", node_id="ARC-T0001", reader="Reader 1", state="RUNNING", stage=stage)
    )
    (tile,) = board.stations(NOW)
    assert (tile.state, tile.headline, tile.who, tile.time) == (
        Meaning.WORK,
        "Writing",
        "Training Person 01",
        "2500 ms",
    )
    assert tile.segments.count("done") == 1
    done = batch(row(1, "COMPLETE"), row(2))
    board.take_event(told(done, done.rows[0]))
    board.take_card(card(state="provisioned", node_id="ARC-T0001"))
    assert said(board) == (Meaning.OK, "Take it out, put in the next")
    board.take_card(card(present=False))
    assert said(board) == (Meaning.IDLE, "Put in a blank card")
    board.take_card(card(state="provisioned", node_id="ARC-T0009"))
    assert said(board) == (Meaning.WARN, "Take it out")


def test_a_torn_card_calls_until_it_is_back() -> None:
    """Also after another card had its turn in that reader."""
    board = BatchBoard(batch(row(1, "TORN"), row(2), row(3)))
    board.take_cards([card(present=False)])
    assert said(board) == (Meaning.BAD, "Put the SAME card back")
    other = batch(row(1, "TORN"), row(2, "RUNNING"), row(3))
    board.take_card(card())
    board.take_event(told(other, other.rows[1]))
    assert said(board) == (Meaning.WORK, "Writing")
    done = batch(row(1, "TORN"), row(2, "COMPLETE"), row(3))
    board.take_event(told(done, done.rows[1]))
    assert said(board) == (Meaning.OK, "Take it out, put in the next")
    board.take_card(card(present=False))
    assert said(board) == (Meaning.BAD, "Put the SAME card back")


def test_a_refused_card_is_to_be_taken_out() -> None:
    """Its line waits for the next card, or has failed; the reason is said."""
    board = BatchBoard(batch(row(1, "RUNNING"), row(2)))
    board.take_cards([card()])
    refused = batch(row(1, attempts=1, reader="Reader 1", begun_at=AT, detail="The card is locked."), row(2))
    assert board.take_event(told(refused, refused.rows[0])) is Tone.FAILED
    assert said(board) == (Meaning.BAD, "Card refused: take it out")
    failed = batch(row(1, "FAILED", attempts=3, reader="Reader 1", begun_at=AT, detail="It is locked."), row(2))
    assert board.take_event(told(failed, failed.rows[0])) is Tone.FAILED
    assert said(board) == (Meaning.BAD, "Failed: take this card out")


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
