"""Scans as the service tells them, of every outcome, for the tests of the media page."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from PIL import Image

from app.capabilities.media.bundles import scan_bundle
from app.capabilities.media.messages import (
    C2paState,
    ExifState,
    MediaProvenance,
    ReliabilityLayer,
    Scan,
    ScanFinding,
    ScannedMedia,
    ScanRegion,
    StatedFalseAlarmRate,
)
from app.capabilities.media.verdict.layers import palette_png, preview_layer, value_layer

SIDES = (144, 96)
"""Width and height of the picture, px."""
SHA = "7f3a" * 16


def preview() -> bytes:
    """A picture of a wall with a sign."""
    values = np.full((SIDES[1], SIDES[0], 3), 170, np.uint8)
    values[48:64, 80:112] = (40, 80, 160)
    file = io.BytesIO()
    Image.fromarray(values).save(file, "PNG")
    return file.getvalue()


def layers() -> dict[str, bytes]:
    """The pictures of ``manipulated()`` by layer: the sign is hot, the upper edge was not judged."""
    values = np.zeros((12, 18), np.float32)
    values[6:8, 10:14] = 0.9
    worth = np.zeros((12, 18), np.uint8)
    worth[:2] = 1
    _, fused = value_layer("fused", values, worth == 0)
    return {
        "preview": preview(),
        "fused": fused,
        "reliability": palette_png(worth, [(38, 110, 80), (128, 128, 128)]),
    }


def manipulated(**changes: Any) -> Scan:
    """A picture into which a piece was put: one place by its JPEG grid, one by its noise."""
    fused, _ = value_layer("fused", np.zeros((12, 18), np.float32), np.ones((12, 18), bool))
    values: dict[str, Any] = {
        "scan_id": "scan_" + "0" * 20,
        "status": "COMPLETED",
        "status_url": "/v1/citadel/defense/radar/scan_" + "0" * 20,
        "continuous_feed_scan": False,
        "media": ScannedMedia(
            url="https://media.example/harbour-house.jpg?...", sha256=SHA, kind="image", mime="image/jpeg",
            width=SIDES[0], height=SIDES[1], bytes=31_300,
        ),
        "created_at": "2026-03-01T10:00:00.000000Z",
        "finished_at": "2026-03-01T10:00:03.000000Z",
        "verdict": "MANIPULATED",
        "score": 0.71,
        "false_alarm_rate": StatedFalseAlarmRate(
            at_this_score=0.04, ci95=[0.03, 0.06], p_value=0.041, calibration_set="jpeg_high", n=1200
        ),
        "findings": [
            ScanFinding(detector="noise", category="pixel_noise", status="QUIET", explanation="Noise is even."),
            ScanFinding(
                detector="jpeg_grid", category="compression_history", status="FIRED", log10_nfa=-6.0,
                explanation="A region has a grid of its own.", region_ids=["r1"],
            ),
            ScanFinding(
                detector="double_quantization", category="compression_history", status="NOT_APPLICABLE",
                reason="The picture is no JPEG.", explanation="It looks for a JPEG saved twice.",
            ),
            ScanFinding(
                detector="faces", category="fake_boundary", status="ERROR", reason="It ran out of memory.",
                explanation="It compares faces with what is around them.",
            ),
        ],
        "regions": [
            ScanRegion(
                id="r1", kind="foreign_grid", bbox=[80, 48, 32, 16], polygon=[[80, 48], [112, 48], [112, 64], [80, 64]],
                area=512, score=1.0, detectors=["jpeg_grid"], log10_nfa=-6.0,
                evidence=["JPEG grid offset (3,5) here, (0,0) elsewhere."],
            ),
            ScanRegion(
                id="r2", kind="anomaly", bbox=[8, 80, 16, 16], polygon=[[8, 80], [24, 80], [24, 96]], area=128,
                score=0.8, detectors=["noise"],
            ),
        ],
        "heatmap": fused,
        "reliability_map": ReliabilityLayer(
            name="reliability", png_url="/x", grid_px=8, width=18, height=12, share=0.83
        ),
        "layers": [preview_layer(preview())],
        "provenance": MediaProvenance(
            c2pa=C2paState(state="invalid", codes=["assertion.dataHash.mismatch"], claim_generator="editor 1.0"),
            exif=ExifState(software="editor", thumbnail_mismatch=True, quant_table_origin="table of an editor"),
        ),
        "confidence_reasons": ["Place 1 was put in after an earlier save."],
        "model_version": "m1-abc",
        "training": True,
    }  # fmt: skip
    return Scan(**(values | changes))


def without_result(**changes: Any) -> Scan:
    """A scan that has found nothing yet."""
    nothing: dict[str, Any] = {
        "verdict": None, "score": None, "false_alarm_rate": None, "findings": [], "regions": [], "heatmap": None,
        "reliability_map": None, "layers": [], "provenance": None, "confidence_reasons": [], "model_version": None,
        "finished_at": None, "status": "RUNNING",
    }  # fmt: skip
    return manipulated(**(nothing | changes))


def bundle() -> bytes:
    """The evidence bundle of ``manipulated()``, signed by nobody."""
    return scan_bundle(manipulated(), layers(), lambda _manifest: b"{}")
