"""Scans as callers see them: one, pages of them, their pictures and signed reports. Reads alone; all of it blocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec
from sqlalchemy import Row, select

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.media.analysis.model import read_facts
from app.capabilities.media.bundles import place_layers, scan_bundle
from app.capabilities.media.curves import calibration_curves
from app.capabilities.media.journal import OPEN, status_url, stored_report, unknown_scan
from app.capabilities.media.messages import (
    MediaCalibration,
    Scan,
    ScanFailure,
    ScanListQuery,
    ScannedMedia,
    ScanPage,
    ScanReport,
    ScanSummary,
)
from app.capabilities.media.tables import media_picture, media_scan
from app.capabilities.media.worker.workers import MODEL
from app.pki.document_signer import DocumentSigner
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import Store

_SHOWN: Final = tuple(
    media_scan.c[name]
    for name in (
        "scan_id", "state", "url", "kind", "continuous", "verdict", "score", "far", "made_us", "finished_us"
    )
)  # fmt: skip


class ScanRecords:
    """Reads the rows of scans. Safe on any thread."""

    def __init__(
        self, site: Site, store: Store, cursors: Cursors, documents: DocumentSigner, *, model: Path = MODEL
    ) -> None:
        """``model``: directory of the model that judges."""
        self._site = site
        self._store = store
        self._cursors = cursors
        self._documents = documents
        self._model = model
        self._calibration: MediaCalibration | None = None

    def calibration(self) -> MediaCalibration:
        """What the scores of the model are worth; 503 where it is missing or damaged."""
        if self._calibration is None:
            try:
                self._calibration = calibration_curves(read_facts(self._model))
            except (OSError, ValueError) as error:
                raise Problem(
                    "dependency_unavailable",
                    "The model that judges images is missing or damaged: install the program again.",
                    headers={"Retry-After": "60"},
                ) from error
        return self._calibration

    def get(self, scan_id: str) -> Scan:
        """The scan as committed; 404 for an unknown one."""
        return self._scan(self._row(scan_id))

    def page(self, query: ScanListQuery) -> ScanPage:
        """Scans, newest first."""
        wanted = select(*_SHOWN)
        if query.status is not None:
            wanted = wanted.where(media_scan.c.state == query.status)
        if query.verdict is not None:
            wanted = wanted.where(media_scan.c.verdict == query.verdict)
        binding = f"{query.status}|{query.verdict}".encode()
        key = (media_scan.c.made_us, media_scan.c.scan_id)
        with self._store.read() as connection:
            rows, following = self._cursors.page(
                connection, wanted, "media_scans", key, limit=query.limit, cursor=query.cursor, query=binding
            )
        items = [
            ScanSummary(
                scan_id=row.scan_id,
                status=row.state,
                url=row.url,
                kind=row.kind,
                continuous_feed_scan=bool(row.continuous),
                verdict=row.verdict,
                score=row.score,
                far=row.far,
                created_at=rfc3339(row.made_us),
                finished_at=None if row.finished_us is None else rfc3339(row.finished_us),
            )
            for row in rows
        ]
        return ScanPage(items=items, next=following)

    def picture(self, scan_id: str, layer: str) -> bytes:
        """The PNG of a layer. 404 for an unknown scan or layer, 409 while there is no result, 410 for one that is no
        longer kept."""
        row = self._row(scan_id)
        if row.pictures is None:
            raise Problem("state_conflict", f"This scan is {row.state}: pictures are there once it is COMPLETED.")
        with self._store.read() as connection:
            png: bytes | None = connection.scalar(
                select(media_picture.c.png).where(media_picture.c.scan_id == scan_id, media_picture.c.layer == layer)
            )
        if png is not None:
            return png
        if layer in msgspec.json.decode(row.pictures):
            raise _no_pictures()
        raise Problem("not_found", "This scan has no such layer; its layers are named in the report.")

    def bundle(self, scan_id: str) -> bytes:
        """The scan with its pictures under the site's signature, the same bytes each time. 404 for an unknown one, 409
        while there is no result, 410 once its pictures are no longer kept."""
        row = self._row(scan_id)
        if row.state in OPEN or row.verdict is None:
            raise Problem("state_conflict", f"This scan is {row.state} and has no result that could be signed.")
        with self._store.read() as connection:
            parts = connection.execute(
                select(media_picture.c.layer, media_picture.c.png).where(media_picture.c.scan_id == scan_id)
            )
            pictures = {part.layer: part.png for part in parts}
        # A feed leaves none.
        left = {} if row.pictures is None else msgspec.json.decode(row.pictures)
        if pictures.keys() != left.keys():
            raise _no_pictures()
        return scan_bundle(self._scan(row), pictures, self._documents.sign_bundle)

    def _row(self, scan_id: str) -> Row[Any]:
        with self._store.read() as connection:
            row = connection.execute(select(media_scan).where(media_scan.c.scan_id == scan_id)).one_or_none()
        if row is None:
            raise unknown_scan()
        return row

    def _scan(self, row: Row[Any]) -> Scan:
        """The row as the wire's message."""
        report = stored_report(row.report)
        where = status_url(row.scan_id)
        place_layers(report, where)
        media = ScannedMedia(url=row.url) if row.media is None else msgspec.json.decode(row.media, type=ScannedMedia)
        return Scan(
            **{name: getattr(report, name) for name in ScanReport.__struct_fields__},
            scan_id=row.scan_id,
            status=row.state,
            status_url=where,
            continuous_feed_scan=bool(row.continuous),
            media=media,
            created_at=rfc3339(row.made_us),
            started_at=None if row.started_us is None else rfc3339(row.started_us),
            finished_at=None if row.finished_us is None else rfc3339(row.finished_us),
            attempt=row.attempt,
            failure=None if row.code is None else ScanFailure(code=row.code, detail=row.detail),
            training=self._site.training,
        )


def _no_pictures() -> Problem:
    return Problem("gone", "The pictures of this scan are no longer kept; scan the file again.")
