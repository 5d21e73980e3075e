"""Scans as evidence of others: what a strike that names one prints, and the signed report that it carries."""

from __future__ import annotations

import re
from typing import Final

from sqlalchemy import func, select

from app.api.problems import Problem
from app.capabilities.media.messages import Scan
from app.capabilities.media.records import ScanRecords
from app.capabilities.media.tables import media_scan
from app.delivery.events import FoundEvidence
from app.store.engine import Store

_SCAN: Final = re.compile(r"scan_[0-9a-f]{20}")
_MEDIA: Final = re.compile(r"[0-9a-f]{64}")


class ScanEvidence:
    """An ``app.delivery.events.EvidenceSource``: scans by their id, and by the SHA-256 of the file that they read."""

    def __init__(self, store: Store, records: ScanRecords) -> None:
        self._store = store
        self._records = records

    def find(self, ref: str) -> FoundEvidence | None:
        """The scan ``ref``, or the newest one of the file with this SHA-256 (hexadecimal, in either case) that has a
        result."""
        if _SCAN.fullmatch(ref):
            scan_id: str | None = ref
        elif _MEDIA.fullmatch(ref.lower()):
            scan_id = self._newest_of(ref.lower())
        else:
            return None
        if scan_id is None:
            return None
        try:
            scan = self._records.get(scan_id)
        except Problem:
            return None
        return FoundEvidence(
            "scan" if scan_id == ref else "media",
            ref,
            f"Media scan {scan_id} of this site",
            _facts(scan),
            self._files(scan),
        )

    def _newest_of(self, sha256: str) -> str | None:
        with self._store.read() as connection:
            found: str | None = connection.scalar(
                select(media_scan.c.scan_id)
                .where(func.json_extract(media_scan.c.media, "$.sha256") == sha256, media_scan.c.verdict.is_not(None))
                .order_by(media_scan.c.made_us.desc())
                .limit(1)
            )
        return found

    def _files(self, scan: Scan) -> dict[str, bytes]:
        """The signed report; nothing while there is none, or where its pictures are no longer kept."""
        try:
            return {f"{scan.scan_id}.zip": self._records.bundle(scan.scan_id)}
        except Problem:
            return {}


def _facts(scan: Scan) -> list[str]:
    """What the report says, in sentences."""
    facts = [f"Scanned at {scan.created_at}, state {scan.status}."]
    if scan.media.sha256 is not None:
        facts.append(f"SHA-256 of the file: {scan.media.sha256}.")
    if scan.verdict is not None:
        score = "" if scan.score is None else f", score {scan.score:.3f}"
        facts.append(f"Verdict {scan.verdict}{score}.")
    if scan.false_alarm_rate is not None:
        rate = scan.false_alarm_rate
        facts.append(
            f"Authentic images score as high in {100 * rate.at_this_score:.2f} % of {rate.n} (95 % interval "
            f"{100 * rate.ci95[0]:.2f} to {100 * rate.ci95[1]:.2f} %)."
        )
    return facts
