"""Batches as operators see them: their lines, how many are in which state, the pace and the time that is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, func, select

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.provisioning.batches.messages import BatchCounts, BatchRow, BatchSummary
from app.capabilities.provisioning.tables import batch, batch_row
from app.registry.tables import node

RECENT = 40
"""Newest finished lines that pace and remaining time are computed from."""
SWAP_MAX_US = 120_000_000
"""A longer pause between two cards counts as a break, not as the time to swap them."""


def batch_of(connection: Connection, batch_id: str) -> Row[Any]:
    """The row of this batch; 404 for an unknown one."""
    row = connection.execute(select(batch).where(batch.c.batch_id == batch_id)).one_or_none()
    if row is None:
        raise Problem("not_found", "No batch has this identifier; list them to find it.")
    return row


def summaries(connection: Connection, rows: Sequence[Row[Any]], *, training: bool) -> list[BatchSummary]:
    """The summaries of these batches, in their order."""
    ids = [row.batch_id for row in rows]
    counted: dict[str, dict[str, int]] = {}
    for batch_id, state, count in connection.execute(
        select(batch_row.c.batch_id, batch_row.c.state, func.count())
        .where(batch_row.c.batch_id.in_(ids))
        .group_by(batch_row.c.batch_id, batch_row.c.state)
    ):
        counted.setdefault(batch_id, {})[state] = count
    return [_summary(connection, row, counted.get(row.batch_id, {}), training) for row in rows]


def _summary(connection: Connection, row: Row[Any], states: Mapping[str, int], training: bool) -> BatchSummary:
    """One batch without its lines; ``states`` counts its lines by state."""
    counts = BatchCounts(
        total=sum(states.values()),
        waiting=states.get("WAITING", 0),
        running=states.get("RUNNING", 0),
        torn=states.get("TORN", 0),
        complete=states.get("COMPLETE", 0),
        failed=states.get("FAILED", 0),
        cancelled=states.get("CANCELLED", 0),
    )
    left = counts.waiting + counts.running + counts.torn
    cards_a_second = _pace(connection, row.batch_id) if row.state in ("RUNNING", "PAUSED") else None
    return BatchSummary(
        batch_id=row.batch_id,
        label=row.label,
        fips_standard=row.fips_standard,
        state=row.state,
        readers=msgspec.json.decode(row.readers, type=list[str]),
        counts=counts,
        eta_seconds=None if not left or not cards_a_second else round(left / cards_a_second),
        cards_per_minute=None if cards_a_second is None else round(60 * cards_a_second, 1),
        operator=row.operator,
        created_at=rfc3339(row.made_us),
        finished_at=None if row.finished_us is None else rfc3339(row.finished_us),
        receipts_url=f"/v1/hardware/se/receipts.csv?batch_id={row.batch_id}",
        training=training,
    )


def lines(connection: Connection, batch_id: str, n: int | None = None) -> list[BatchRow]:
    """The lines of a batch, or one of them."""
    found = (
        select(batch_row, node.c.display_name)
        .outerjoin(node, node.c.node_id == batch_row.c.node_id)
        .where(batch_row.c.batch_id == batch_id)
        .order_by(batch_row.c.n)
    )
    if n is not None:
        found = found.where(batch_row.c.n == n)
    return [_line(row) for row in connection.execute(found)]


def _line(row: Row[Any]) -> BatchRow:
    """One line as callers see it."""
    return BatchRow(
        n=row.n,
        node_id=row.node_id,
        display_name=row.display_name,
        hardware_uid=row.hardware_uid,
        state=row.state,
        reader=row.reader,
        provision_id=row.provision_id,
        attempts=row.attempts,
        code=row.code,
        detail=row.detail,
        begun_at=None if row.begun_us is None else rfc3339(row.begun_us),
        ended_at=None if row.ended_us is None else rfc3339(row.ended_us),
    )


def _pace(connection: Connection, batch_id: str) -> float | None:
    """Cards per second of all readers together, by the newest ``RECENT`` finished lines: the sum of each reader's rate,
    which counts from the end of one card to the end of the next and leaves out breaks. None before the first line."""
    lines = connection.execute(
        select(batch_row.c.reader, batch_row.c.begun_us, batch_row.c.ended_us)
        .where(
            batch_row.c.batch_id == batch_id,
            batch_row.c.begun_us.is_not(None),
            batch_row.c.ended_us.is_not(None),
        )
        .order_by(batch_row.c.ended_us.desc())
        .limit(RECENT)
    ).all()
    spent: dict[str, list[int]] = {}
    last: dict[str, int] = {}
    for line in reversed(lines):
        swap = line.begun_us - last.get(line.reader, line.begun_us)
        took = line.ended_us - line.begun_us + (swap if 0 <= swap <= SWAP_MAX_US else 0)
        spent.setdefault(line.reader, []).append(max(took, 1))
        last[line.reader] = line.ended_us
    return sum(len(took) * 1e6 / sum(took) for took in spent.values()) or None
