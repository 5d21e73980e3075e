"""Scans as a strike finds them: by their id, and by the file that they read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api.wire import rfc3339
from app.capabilities.media.evidence import ScanEvidence
from app.capabilities.media.messages import ScannedMedia, ScanReport, StatedFalseAlarmRate
from app.capabilities.media.tables import media_scan
from app.ledger.bundle import read_bundle
from app.store.tables import json_text
from tests.service.capabilities.media.scan_site import SCAN, ScanSite, scan_site

SHA256 = "ab" * 32
OTHER = "scan_" + "1" * 20


@pytest.fixture
def site(tmp_path: Path) -> Iterator[ScanSite]:
    """One with a scan that is queued."""
    with scan_site(tmp_path / "site") as made:
        made.make(url="https://video.example/v/88121")
        yield made


@pytest.fixture
def evidence(site: ScanSite) -> ScanEvidence:
    """What a strike asks."""
    return ScanEvidence(site.doors.store, site.records)


def finish(site: ScanSite, scan_id: str = SCAN, made_us: int = 1) -> None:
    """As if the scan were over, with a verdict and without pictures."""
    rate = StatedFalseAlarmRate(at_this_score=0.004, ci95=[0.001, 0.01], p_value=0.01, calibration_set="pooled", n=4321)
    report = ScanReport(verdict="MANIPULATED", score=0.987, false_alarm_rate=rate)
    values = {
        "state": "COMPLETED",
        "verdict": "MANIPULATED",
        "score": 0.987,
        "report": json_text(report),
        "media": json_text(ScannedMedia(url="https://video.example/v/88121", sha256=SHA256)),
        "made_us": made_us,
        "finished_us": 2,
    }
    row = media_scan.update().where(media_scan.c.scan_id == scan_id).values(values)
    site.doors.write(lambda tx: tx.connection.execute(row))


def test_a_scan_is_found_by_its_id(site: ScanSite, evidence: ScanEvidence) -> None:
    """With verdict, file, and how often authentic images score so; its signed report proves it."""
    finish(site)
    found = evidence.find(SCAN)
    assert found is not None
    assert (found.kind, found.ref, found.title) == ("scan", SCAN, f"Media scan {SCAN} of this site")
    assert found.facts == [
        f"Scanned at {rfc3339(1)}, state COMPLETED.",
        f"SHA-256 of the file: {SHA256}.",
        "Verdict MANIPULATED, score 0.987.",
        "Authentic images score as high in 0.40 % of 4321 (95 % interval 0.10 to 1.00 %).",
    ]
    assert read_bundle(found.files[f"{SCAN}.zip"]).manifest.kind == "media-scan"


def test_a_scan_without_a_result_has_no_report(evidence: ScanEvidence) -> None:
    """It is known all the same."""
    found = evidence.find(SCAN)
    assert found is not None
    assert (len(found.facts), found.files) == (1, {})


def test_media_are_found_by_their_digest_in_either_case(site: ScanSite, evidence: ScanEvidence) -> None:
    """The newest scan with a result."""
    assert evidence.find(SHA256) is None
    finish(site)
    site.make(OTHER, url="https://video.example/v/88121")
    finish(site, OTHER, made_us=5)
    for ref in (SHA256, SHA256.upper()):
        found = evidence.find(ref)
        assert found is not None
        assert (found.kind, found.ref, found.title) == ("media", ref, f"Media scan {OTHER} of this site")


@pytest.mark.parametrize("ref", ["", "scan_1", OTHER, "KNOT-0123456789ABCDEF", "0x" + "ab" * 32, "cd" * 32])
def test_other_references_are_none_of_ours(evidence: ScanEvidence, ref: str) -> None:
    """Unknown scans and files, and what is neither."""
    assert evidence.find(ref) is None
