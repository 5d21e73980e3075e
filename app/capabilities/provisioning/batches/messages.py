"""Messages of ``/v1/hardware/se/batches``: lists of cards to be written."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import NodeId, PageQuery, Reply, Request, ShortText, Timestamp
from app.capabilities.provisioning.messages import FipsStandard, HardwareUid
from app.registry.messages.shared import UNIQUE

BatchState = Literal["RUNNING", "PAUSED", "DONE", "CANCELLED"]
RowState = Literal["WAITING", "RUNNING", "TORN", "COMPLETE", "FAILED", "CANCELLED"]
ReaderName = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
MAX_ROWS = 1000

BATCH_COLUMNS = ("node_id", "hardware_uid")
"""Columns of a batch list as CSV; ``hardware_uid`` may be absent or empty (the next blank card)."""
REPORT_COLUMNS = ("n", "node_id", "state", "hardware_uid", "provision_id", "reader", "code", "detail", "ended_at")
"""Columns of a batch's report as CSV."""


class BatchLine(Request, kw_only=True):
    """One card to be written: for which node, and on which element (left out: the next blank card)."""

    node_id: NodeId
    hardware_uid: HardwareUid | None = None


class BatchBody(Request, kw_only=True):
    """POST ``/v1/hardware/se/batches``. ``readers`` left out or empty: every reader. A node or element stands in one
    line only."""

    label: ShortText
    fips_standard: FipsStandard
    rows: Annotated[list[BatchLine], msgspec.Meta(min_length=1, max_length=MAX_ROWS)]
    readers: Annotated[list[ReaderName], msgspec.Meta(max_length=32, extra_json_schema=UNIQUE)] = msgspec.field(
        default_factory=list
    )


class BatchRow(Reply, kw_only=True):
    """One line and its outcome. TORN: put the same card back. ``code`` and ``detail``: the last problem."""

    n: int
    node_id: str
    display_name: str | None
    hardware_uid: str | None
    state: RowState
    reader: str | None
    provision_id: str | None
    attempts: int
    code: str | None
    detail: str | None
    begun_at: Timestamp | None
    ended_at: Timestamp | None


class BatchCounts(Reply, kw_only=True):
    """How many lines are in which state."""

    total: int
    waiting: int
    running: int
    torn: int
    complete: int
    failed: int
    cancelled: int


class BatchSummary(Reply, kw_only=True):
    """A batch without its lines. ``eta_seconds``: estimated from the time that its cards took so far; null before the
    first card and when nothing is left. ``cards_per_minute``: of the newest lines."""

    batch_id: str
    label: str
    fips_standard: str
    state: BatchState
    readers: list[str]
    counts: BatchCounts
    eta_seconds: int | None
    cards_per_minute: float | None
    operator: str
    created_at: Timestamp
    finished_at: Timestamp | None
    receipts_url: str
    training: bool


class Batch(BatchSummary, kw_only=True):
    """A batch with its lines."""

    rows: list[BatchRow]


class BatchListQuery(PageQuery, kw_only=True):
    """GET ``/v1/hardware/se/batches``."""

    state: BatchState | None = None


class BatchPage(Reply, kw_only=True):
    """A page of batches, newest first."""

    items: list[BatchSummary]
    next: str | None


class BatchEvent(Reply, kw_only=True):
    """Body of the telemetry event ``card`` when a line of a batch changed; ``row`` null: the batch itself did."""

    batch: BatchSummary
    row: BatchRow | None
