"""Batches, their lines, and cards in readers as the service tells them, in any state: for the tests of what the page
makes of them."""

from __future__ import annotations

from typing import Any

import msgspec

from app.capabilities.provisioning.batches.messages import (
    Batch,
    BatchCounts,
    BatchEvent,
    BatchRow,
    BatchState,
    BatchSummary,
    RowState,
)
from app.capabilities.provisioning.messages import Card
from app.console.pages.batch.board import BatchBoard
from app.console.pages.batch.presenter import BatchPresenter
from app.console.pages.batch.run_view import RunView
from app.console.pages.batch.view import RUN

AT, LATER = "2026-03-01T10:00:00.000000Z", "2026-03-01T10:00:02.500000Z"


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


def show_running(presenter: BatchPresenter, readers: int, lines: int) -> RunView:
    """Bring a batch at work to the front: one torn, two written, one of these given, one in work, the others wait."""
    presenter.view.tabs.setCurrentIndex(RUN)
    states: tuple[RowState, ...] = ("TORN", "COMPLETE", "COMPLETE", "RUNNING")
    rows = [row(n, state, reader=f"Training Reader {n}") for n, state in enumerate(states, 1)]
    found = batch(*rows, *(row(n) for n in range(5, lines + 1)))
    changes: dict[str, Any] = {
        "label": "People without a card, 2026-11-22",
        "eta_seconds": 780,
        "cards_per_minute": 2.0,
    }
    board = BatchBoard(msgspec.structs.replace(found, **changes))
    board.take_cards([card(f"Training Reader {n}", present=n == 4) for n in range(1, readers + 1)])
    part = presenter.running
    part.board = board
    part.fresh.touch()
    part.hand_out.give(board.batch_id, 2)
    part.paint()
    return presenter.view.run
