"""The bounds of what crosses the wire: the contract's, each written out once more."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, Final

import msgspec
import pytest

from app.capabilities.media import messages

KEYWORDS: Final = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "maxProperties")
BOUNDS: Final[dict[tuple[float, ...], str]] = {
    (8,): """
        CalibrationCurve.operating_points
    """,
    (16,): """
        ReliabilityLayer.legend Scan.confidence_reasons Scan.limits_hit ScanLayer.legend ScanRegion.evidence
        ScanReport.confidence_reasons ScanReport.limits_hit MediaCalibration.curves
    """,
    (27,): """
        RadarEvent.timestamp Scan.created_at Scan.started_at Scan.finished_at ScanSummary.created_at
        ScanSummary.finished_at ScannedMedia.fetched_at
    """,
    (32,): """
        C2paState.codes C2paState.actions RadarEventData.region_ids Scan.findings Scan.regions Scan.faces Scan.layers
        ScanFinding.region_ids ScanRegion.detectors ScanReport.findings ScanReport.regions ScanReport.faces
        ScanReport.layers TimelineEntry.region_ids
    """,
    (40,): """
        StatedFalseAlarmRate.calibration_set CalibrationCurve.calibration_set
    """,
    (64,): """
        Scan.timings_ms ScanReport.timings_ms
    """,
    (100,): """
        CalibrationCurve.points
    """,
    (127,): """
        ScannedMedia.mime
    """,
    (200,): """
        C2paState.codes[] C2paState.claim_generator C2paState.actions[] C2paState.digital_source_type
        ExifState.software ExifState.quant_table_origin LegendEntry.meaning RadarEventData.status_url
        ReliabilityLayer.png_url Scan.model_version Scan.status_url ScanLayer.png_url ScanReport.model_version
        MediaCalibration.model_version
    """,
    (500,): """
        Scan.timeline ScanReport.timeline
    """,
    (600,): """
        RadarEventData.reason Scan.confidence_reasons[] Scan.limits_hit[] ScanFailure.detail ScanFinding.reason
        ScanFinding.explanation ScanRegion.evidence[] ScanReport.confidence_reasons[] ScanReport.limits_hit[]
        TimelineEntry.explanation
    """,
    (1024,): """
        ScanListQuery.cursor
    """,
    (2008,): """
        ScanSummary.url ScannedMedia.url ScannedMedia.final_url
    """,
    (-1e9, 1e9): """
        FaceMeasures.noise FaceMeasures.sharpness FaceMeasures.ghost ScanFinding.strength ScanFinding.log10_nfa
        ScanRegion.log10_nfa
    """,
    (0, 1): """
        LegendEntry.value RadarEventData.score RadarEventData.far ReliabilityLayer.share Scan.score ScanCategory.score
        ScanCategory.far ScanFinding.p_value ScanRegion.score ScanReport.score ScanSummary.score ScanSummary.far
        StatedFalseAlarmRate.at_this_score StatedFalseAlarmRate.ci95[] StatedFalseAlarmRate.p_value
        TimelineEntry.score CalibrationPoint.ci95[] CalibrationPoint.rate CalibrationPoint.score OperatingPoint.above
        OperatingPoint.ci95[] OperatingPoint.rate OperatingPoint.stated
    """,
    (0, 3): """
        Scan.attempt
    """,
    (0, 255): """
        LegendEntry.index
    """,
    (0, 20_000): """
        ReliabilityLayer.width ReliabilityLayer.height ScanFace.bbox[] ScanLayer.width ScanLayer.height
        ScanRegion.bbox[] ScanRegion.polygon[][] ScannedMedia.width ScannedMedia.height
    """,
    (0, 400_000_000): """
        ScanRegion.area
    """,
    (0, 1e9): """
        RadarEventData.at_s Scan.timings_ms[] Scan.cpu_s ScanReport.timings_ms[] ScanReport.cpu_s
        ScannedMedia.duration_s TimelineEntry.t0 TimelineEntry.t1
    """,
    (0, 2**53): """
        RadarEventData.frames RadarEventData.dropped_frames Scan.dropped_frames ScanRegion.frame
        ScanReport.dropped_frames ScannedMedia.frames ScannedMedia.bytes StatedFalseAlarmRate.n TimelineEntry.frame0
        TimelineEntry.frame1 CalibrationCurve.n
    """,
    (1, 8): """
        ScannedMedia.orientation
    """,
    (1, 64): """
        ReliabilityLayer.grid_px ScanLayer.grid_px
    """,
    (1, 200): """
        UploadQuery.name
    """,
    (1, 500): """
        ScanListQuery.limit
    """,
    (1, 2008): """
        RadarBody.media_target_url RadarBody.webhook_callback_url UploadQuery.webhook_callback_url
    """,
    (2, 2): """
        ScanRegion.polygon[] StatedFalseAlarmRate.ci95 CalibrationPoint.ci95 OperatingPoint.ci95
    """,
    (3, 24): """
        ScanRegion.polygon
    """,
    (4, 4): """
        ScanFace.bbox ScanRegion.bbox
    """,
}
"""By least and most: fields, ``[]`` for what is in a list or a table."""


def _bounds(name: str, schema: dict[str, Any]) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Of a field and of what is in it, as its JSON schema tells."""
    if found := tuple(schema[keyword] for keyword in KEYWORDS if keyword in schema):
        yield name, found
    for within in (schema.get("items"), schema.get("additionalProperties")):
        if isinstance(within, dict):
            yield from _bounds(f"{name}[]", within)
    for one in schema.get("anyOf", ()):
        yield from _bounds(name, one)


def test_every_bound_is_that_of_the_contract() -> None:
    """No field has another, and none is without one that has one here."""
    structs = [one for _, one in inspect.getmembers(messages, inspect.isclass) if issubclass(one, msgspec.Struct)]
    schemas = msgspec.json.schema_components([one for one in structs if one.__module__ == messages.__name__])[1]
    told = [
        bound
        for struct, schema in schemas.items()
        for field, kind in schema.get("properties", {}).items()
        for bound in _bounds(f"{struct}.{field}", kind)
    ]
    wanted = [(field, bounds) for bounds, fields in BOUNDS.items() for field in fields.split()]
    assert sorted(told) == sorted(wanted)


@pytest.mark.parametrize(
    ("name", "value"),
    [("GRID_PX", 8), ("MOST_REGIONS", 32), ("MOST_CORNERS", 24), ("MOST_FINDINGS", 32), ("MOST_FACES", 32)],
)
def test_a_count_is_that_of_the_contract(name: str, value: int) -> None:
    """Others count on them."""
    assert getattr(messages, name) == value
