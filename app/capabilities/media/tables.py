"""Tables of media scans: one row for each scan, and the pictures that it left."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index

from app.store.tables import blob, integer, real, table, text

media_scan = table(
    "media_scan",
    text("scan_id", primary_key=True),
    text("source"),
    text("state"),
    text("operator"),
    text("request_id"),
    text("url"),
    blob("url_sealed", nullable=True),
    blob("callback_sealed", nullable=True),
    integer("continuous"),
    integer("attempt"),
    integer("kills"),
    integer("made_us"),
    integer("started_us", nullable=True),
    integer("finished_us", nullable=True),
    text("code", nullable=True),
    text("detail", nullable=True),
    text("kind", nullable=True),
    text("verdict", nullable=True),
    real("score", nullable=True),
    real("far", nullable=True),
    text("media", nullable=True),
    text("report", nullable=True),
    text("pictures", nullable=True),
    text("feed", nullable=True),
    Index("media_scan_by_start", "made_us", "scan_id"),
    Index("media_scan_by_state", "state", "made_us"),
)
"""``source``: ``url`` or ``upload``. ``url`` is without its query, of an upload ``upload:`` and its name; the whole one
and the callback's are sealed, and NULL once the scan is over. ``kills``: workers that ended over its file. ``far``: the
report's ``at_this_score``. ``media``, ``report``: JSON of the messages; ``pictures``: JSON, SHA-256 (hexadecimal) of
the PNG by layer. ``feed``: JSON of ``FeedState``, of a continuous scan that was watched."""

media_picture = table(
    "media_picture",
    text("scan_id", ForeignKey("media_scan.scan_id"), primary_key=True),
    text("layer", primary_key=True),
    integer("size"),
    blob("png"),
)
"""Pictures of completed scans, kept for a time. ``size``: bytes of ``png``."""
