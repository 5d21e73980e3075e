"""What crosses the wire of ``/v1/citadel/defense/radar`` (specification 4.2; the fields beyond it are ours), its events
and its callbacks.

Places in an image are pixels as the file stores them: x to the right, y down, not turned by EXIF. Scores are 0 to 1 and
no probabilities: what a score is worth is told by its false-alarm rate, the share of authentic images that score as
high. Every text, list and number is bounded, for a report comes from a process that a hostile file may have taken over.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from app.api.wire import PageQuery, Reply, Request, Timestamp

GRID_PX: Final = 8
"""Side of a cell of every layer but the preview, px: that of JPEG's blocks."""
MOST_REGIONS: Final = 32
MOST_CORNERS: Final = 24
"""Corners of a region's polygon."""
MOST_FINDINGS: Final = 32
MOST_FACES: Final = 32
MOST_LAYERS: Final = 32
MOST_TIMELINE: Final = 500
MOST_SENTENCES: Final = 16
"""Of each list of a report."""

ScanId = Annotated[str, msgspec.Meta(pattern=r"^scan_[0-9a-f]{20}\Z")]
MediaUrl = Annotated[
    str,
    msgspec.Meta(min_length=1, max_length=2008, examples=["https://media.example/a.jpg"]),
]
"""http:// or https://. Any text is taken here: what is wrong with it is told in words, by
``app.delivery.guarded.judge_url`` and ``feeds.kinds``, which a pattern could not."""
MediaSha256 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
"""64 lower-case hexadecimal digits."""
ScanStatus = Literal["QUEUED", "RUNNING", "DEGRADED", "COMPLETED", "STOPPED", "FAILED"]
"""DEGRADED: a continuous feed whose source fails and is tried again; STOPPED: a scan that a caller ended, or a feed at
the end of its time."""
ScanVerdict = Literal["AUTHENTIC_CONSISTENT", "SUSPICIOUS", "MANIPULATED", "INCONCLUSIVE"]
"""AUTHENTIC_CONSISTENT: nothing was found, which proves nothing; INCONCLUSIVE: too little of it can be read."""
MediaKind = Literal["image", "video", "feed"]
FindingCategory = Literal[
    "artifact_variation",
    "fake_boundary",
    "pixel_noise",
    "duplication",
    "compression_history",
    "provenance",
    "temporal",
]
FindingStatus = Literal["FIRED", "QUIET", "NOT_APPLICABLE", "ERROR"]
"""QUIET: it was looked for and not found; NOT_APPLICABLE: it could not be looked for."""
RegionKind = Literal["anomaly", "foreign_grid", "copy_source", "copy_target"]
"""Which of two equal places is the original cannot be told: ``copy_target`` is the one that the other was mapped to."""
LayerName = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]{0,31}\Z")]
"""``fused``, ``reliability``, ``preview``, or a detector's layer."""
DetectorName = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]{0,31}\Z")]
RegionId = Annotated[str, msgspec.Meta(pattern=r"^r[0-9]{1,3}\Z")]
FaceId = Annotated[str, msgspec.Meta(pattern=r"^f[0-9]{1,3}\Z")]
RegionIds = Annotated[list[RegionId], msgspec.Meta(max_length=MOST_REGIONS)]
FailureCode = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z_]{0,39}\Z", examples=["fetch_refused", "undecodable"])]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Strength = Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]
Log10Nfa = Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]
"""log10 of how many such findings chance alone would give in an image of this size (number of false alarms)."""
Pixels = Annotated[int, msgspec.Meta(ge=0, le=20_000)]
Area = Annotated[int, msgspec.Meta(ge=0, le=400_000_000)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]
Corner = Annotated[list[Pixels], msgspec.Meta(min_length=2, max_length=2)]
"""x, y."""
Box = Annotated[list[Pixels], msgspec.Meta(min_length=4, max_length=4)]
"""x, y, width, height."""
ShortLine = Annotated[str, msgspec.Meta(max_length=200)]
Sentence = Annotated[str, msgspec.Meta(max_length=600)]
Milliseconds = Annotated[float, msgspec.Meta(ge=0, le=1e9)]


class RadarBody(Request, kw_only=True):
    """POST ``/v1/citadel/defense/radar``: the three fields of specification 4.2.

    Without ``continuous_feed_scan`` one file, or the first 30 seconds of a stream, is scanned. The callback gets
    ``RadarEvent`` bodies, signed with the webhook secret of the caller's key.
    """

    media_target_url: MediaUrl
    continuous_feed_scan: bool = False
    webhook_callback_url: MediaUrl | None = None


class ScanFailure(Reply, kw_only=True):
    """Why a scan has no result. ``detail``: one sentence; of a refused fetch always the same, so that it tells nothing
    of a network."""

    code: FailureCode
    detail: Sentence


class ScannedMedia(Reply, kw_only=True):
    """What was scanned. ``url``: as asked, its query replaced by ``?...``; ``final_url``: after redirects, likewise;
    ``orientation``: EXIF 0x0112 (CIPA DC-008), 1 to 8, for display alone; ``frames``: that were read; ``duration_s``:
    of a video; ``bytes``: of the file. Null is what is not known, or not yet."""

    url: Annotated[str, msgspec.Meta(max_length=2008)]
    final_url: Annotated[str, msgspec.Meta(max_length=2008)] | None = None
    sha256: MediaSha256 | None = None
    kind: MediaKind | None = None
    mime: Annotated[str, msgspec.Meta(max_length=127)] | None = None
    width: Pixels | None = None
    height: Pixels | None = None
    orientation: Annotated[int, msgspec.Meta(ge=1, le=8)] | None = None
    frames: Count | None = None
    duration_s: Seconds | None = None
    bytes: Count | None = None
    fetched_at: Timestamp | None = None


class StatedFalseAlarmRate(Reply, kw_only=True):
    """How often authentic images score as high. ``at_this_score``: share of the calibration set, or where an image was
    too large to be judged in one part, how likely one of as many parts scores as high; ``ci95``: its exact 95 %
    interval (Clopper and Pearson 1934); ``p_value``: conformal, never 0; ``calibration_set``: what happened last to the
    images of the set, ``hardest`` (of the photographs that score highest), ``others`` (of other photographs and cameras
    than all the rest) or ``pooled``; ``n``: its images."""

    at_this_score: Share
    ci95: Annotated[list[Share], msgspec.Meta(min_length=2, max_length=2)]
    p_value: Share
    calibration_set: Annotated[str, msgspec.Meta(max_length=40)]
    n: Count


class ScanCategory(Reply, kw_only=True):
    """One of the specification's three questions. ``far``: share of authentic images that score as high, null where
    no calibration tells it."""

    score: Share
    far: Share | None


class ScanCategories(Reply, kw_only=True):
    """Specification 4.2. ``artifact_variations``: traces of compression that differ from place to place;
    ``fake_boundaries``: how much traces jump at the borders of the regions, or sharpness does; ``pixel_noise``: noise
    that differs. Null where nothing that answers it could be measured."""

    artifact_variations: ScanCategory | None
    fake_boundaries: ScanCategory | None
    pixel_noise: ScanCategory | None


class ScanFinding(Reply, kw_only=True):
    """What one detector looked for and what came of it.

    ``reason``: why it is NOT_APPLICABLE or in ERROR. ``strength``: in the detector's own unit, which ``explanation``
    names; ``log10_nfa``: see ``Log10Nfa``; ``p_value``: of its hypothesis that nothing is there.
    """

    detector: DetectorName
    category: FindingCategory
    status: FindingStatus
    reason: Sentence | None = None
    strength: Strength | None = None
    log10_nfa: Log10Nfa | None = None
    p_value: Share | None = None
    region_ids: RegionIds = []
    explanation: Sentence


class ScanRegion(Reply, kw_only=True):
    """A place that differs. ``polygon``: corners of its outline, 3 to 24, without holes; ``area``: px of the blocks in
    it; ``score``: mean of the heatmap inside, of a foreign grid and of a copy 1; ``detectors``: those whose layer
    differs inside from outside, strongest first; ``partner_id``: of a copy, the other place; ``face_id``: a face that
    it covers; ``frame``: of a video, counted from 0; ``evidence``: sentences for a reader."""

    id: RegionId
    kind: RegionKind
    bbox: Box
    polygon: Annotated[list[Corner], msgspec.Meta(min_length=3, max_length=MOST_CORNERS)]
    area: Area
    score: Share
    detectors: Annotated[list[DetectorName], msgspec.Meta(max_length=MOST_FINDINGS)]
    log10_nfa: Log10Nfa | None = None
    partner_id: RegionId | None = None
    face_id: FaceId | None = None
    frame: Count | None = None
    evidence: Annotated[list[Sentence], msgspec.Meta(max_length=16)] = []


class FaceMeasures(Reply, kw_only=True):
    """Median of a detector's layer inside a face's ellipse less that of the ring around it, in the layer's robust
    deviations, -8 to 8. Null: the detector does not apply, or too few blocks can be read."""

    noise: Strength | None
    sharpness: Strength | None
    ghost: Strength | None


class ScanFace(Reply, kw_only=True):
    """A face that was found, upright and seen from the front."""

    id: FaceId
    bbox: Box
    inside_vs_ring: FaceMeasures


class LegendEntry(Reply, kw_only=True):
    """What a pixel of a layer means: ``index``: of the PNG's palette; ``color``: ``#rrggbb``; ``value``: 0 to 1, null
    where it has none. Between two entries with values, value and index are proportional."""

    index: Annotated[int, msgspec.Meta(ge=0, le=255)]
    color: Annotated[str, msgspec.Meta(pattern=r"^#[0-9a-f]{6}\Z")]
    value: Share | None
    meaning: ShortLine


class ScanLayer(Reply, kw_only=True):
    """A picture beside the image. ``png_url``: a path of this site; ``grid_px``: side of the square of the image that
    one pixel stands for, null of the preview; ``width``, ``height``: of the PNG, px. An 8-bit palette PNG with
    ``legend``, except the preview, which is RGB."""

    name: LayerName
    png_url: ShortLine
    grid_px: Annotated[int, msgspec.Meta(ge=1, le=64)] | None
    width: Pixels
    height: Pixels
    legend: Annotated[list[LegendEntry], msgspec.Meta(max_length=16)] = []


class ReliabilityLayer(ScanLayer, kw_only=True):
    """Where the heatmap may be read. ``share``: of the blocks that are reliable."""

    share: Share


class TimelineEntry(Reply, kw_only=True):
    """A stretch of a video or feed. ``t0``, ``t1``: seconds from its start; ``frame0``, ``frame1``: counted from 0,
    both inclusive; ``gap``: nothing was read; ``dropped``: frames came faster than they are scanned."""

    t0: Seconds
    t1: Seconds
    frame0: Count | None = None
    frame1: Count | None = None
    kind: Literal["finding", "gap", "dropped"]
    score: Share | None = None
    region_ids: RegionIds = []
    detector: DetectorName | None = None
    explanation: Sentence | None = None


class C2paState(Reply, kw_only=True):
    """Content credentials (C2PA 2.1). ``state``: ``valid_untrusted`` is a manifest that holds, signed by nobody this
    site trusts; ``codes``: the validator's status codes; ``digital_source_type``: IPTC's term, as declared."""

    state: Literal["none", "valid_untrusted", "trusted", "invalid"]
    codes: Annotated[list[ShortLine], msgspec.Meta(max_length=32)] = []
    claim_generator: ShortLine | None = None
    actions: Annotated[list[ShortLine], msgspec.Meta(max_length=32)] = []
    digital_source_type: ShortLine | None = None


class ExifState(Reply, kw_only=True):
    """What EXIF says (CIPA DC-008). ``thumbnail_mismatch``: the embedded thumbnail shows something else; null without
    one. ``quant_table_origin``: whose quantizers these are, as far as they are known."""

    software: ShortLine | None = None
    thumbnail_mismatch: bool | None = None
    quant_table_origin: ShortLine | None = None


class MediaProvenance(Reply, kw_only=True):
    """What the file says of its own past; all of it may be forged except a valid signature."""

    c2pa: C2paState
    exif: ExifState


class ScanReport(Reply, kw_only=True):
    """What a scan found. All is null or empty until there is a result; of a feed it is what was found so far.

    ``verdict``: by the first rule that holds: MANIPULATED on evidence that chance does not explain (log10 NFA below -2,
    a copy with more than 30 matches, a broken C2PA hash, duplicated frames); INCONCLUSIVE where too little can be read;
    MANIPULATED at a false-alarm rate of at most 1 %, SUSPICIOUS at most 10 %; else AUTHENTIC_CONSISTENT.
    ``confidence_reasons``: what decided it and what lowers its worth; ``limits_hit``: what was left out and why;
    ``timings_ms``: by step; ``cpu_s``: of the process that read the file.
    """

    verdict: ScanVerdict | None = None
    score: Share | None = None
    false_alarm_rate: StatedFalseAlarmRate | None = None
    categories: ScanCategories | None = None
    findings: Annotated[list[ScanFinding], msgspec.Meta(max_length=MOST_FINDINGS)] = []
    regions: Annotated[list[ScanRegion], msgspec.Meta(max_length=MOST_REGIONS)] = []
    faces: Annotated[list[ScanFace], msgspec.Meta(max_length=MOST_FACES)] = []
    heatmap: ScanLayer | None = None
    reliability_map: ReliabilityLayer | None = None
    layers: Annotated[list[ScanLayer], msgspec.Meta(max_length=MOST_LAYERS)] = []
    timeline: Annotated[list[TimelineEntry], msgspec.Meta(max_length=MOST_TIMELINE)] = []
    provenance: MediaProvenance | None = None
    confidence_reasons: Annotated[list[Sentence], msgspec.Meta(max_length=MOST_SENTENCES)] = []
    limits_hit: Annotated[list[Sentence], msgspec.Meta(max_length=MOST_SENTENCES)] = []
    dropped_frames: Count = 0
    timings_ms: Annotated[dict[ShortLine, Milliseconds], msgspec.Meta(max_length=64)] = {}
    cpu_s: Seconds | None = None
    model_version: ShortLine | None = None


class Scan(ScanReport, kw_only=True):
    """GET ``/v1/citadel/defense/radar/{scan_id}``: a scan and what came of it. ``attempt``: 1 to 3, more where the
    service ended while it ran; ``failure``: of a FAILED one."""

    scan_id: ScanId
    status: ScanStatus
    status_url: ShortLine
    continuous_feed_scan: bool
    media: ScannedMedia
    created_at: Timestamp
    started_at: Timestamp | None = None
    finished_at: Timestamp | None = None
    attempt: Annotated[int, msgspec.Meta(ge=0, le=3)] = 1
    failure: ScanFailure | None = None
    training: bool = False


class ScanSummary(Reply, kw_only=True):
    """A row of the list. ``far``: ``false_alarm_rate.at_this_score``."""

    scan_id: ScanId
    status: ScanStatus
    url: Annotated[str, msgspec.Meta(max_length=2008)]
    kind: MediaKind | None
    continuous_feed_scan: bool
    verdict: ScanVerdict | None
    score: Share | None
    far: Share | None
    created_at: Timestamp
    finished_at: Timestamp | None


class ScanListQuery(PageQuery, kw_only=True):
    """GET ``/v1/citadel/defense/radar``, newest first."""

    status: ScanStatus | None = None
    verdict: ScanVerdict | None = None


class ScanPage(Reply, kw_only=True):
    """A page of scans."""

    items: list[ScanSummary]
    next: str | None


class CalibrationPoint(Reply, kw_only=True):
    """``rate``: share of the set's images that score at least ``score``; ``ci95``: its exact 95 % interval (Clopper and
    Pearson 1934)."""

    score: Share
    rate: Share
    ci95: Annotated[list[Share], msgspec.Meta(min_length=2, max_length=2)]


class OperatingPoint(Reply, kw_only=True):
    """Above which score the score alone decides. ``stated``: the greatest conformal p-value of the verdict; ``above``:
    the score, null where the set is too small for any to reach it; ``rate``: share of the set's images above it."""

    verdict: Literal["MANIPULATED", "SUSPICIOUS"]
    stated: Share
    above: Share | None
    rate: Share
    ci95: Annotated[list[Share], msgspec.Meta(min_length=2, max_length=2)]


class CalibrationCurve(Reply, kw_only=True):
    """What the authentic images of one set score. ``calibration_set``: what happened last to them, or ``pooled``;
    ``n``: how many; ``points``: from the highest score down."""

    calibration_set: Annotated[str, msgspec.Meta(max_length=40)]
    n: Count
    points: Annotated[list[CalibrationPoint], msgspec.Meta(max_length=100)]
    operating_points: Annotated[list[OperatingPoint], msgspec.Meta(max_length=8)]


class MediaCalibration(Reply, kw_only=True):
    """GET ``/v1/citadel/defense/radar/calibration``: what the scores of the shipped model are worth. An after-life with
    fewer than 200 images has no curve of its own: its scores are compared with all (``pooled``)."""

    model_version: ShortLine
    curves: Annotated[list[CalibrationCurve], msgspec.Meta(max_length=16)]


class HeatmapQuery(Request, kw_only=True):
    """GET ``.../{scan_id}/heatmap.png``. ``layer``: ``fused``, ``reliability``, ``preview``, or a name of the report's
    ``layers``."""

    layer: LayerName = "fused"


# --- events and callbacks --------------------------------------------------------------------------------------------

RadarEventType = Literal[
    "radar.scan.completed",
    "radar.scan.failed",
    "radar.feed.started",
    "radar.feed.finding",
    "radar.feed.heartbeat",
    "radar.feed.degraded",
    "radar.feed.stopped",
]


class RadarEventData(Reply, kw_only=True):
    """Where a scan stands; no media. ``far``: ``false_alarm_rate.at_this_score``. Of a feed also ``frames`` scanned,
    ``dropped_frames``, the ``region_ids`` that are new and ``at_s``, seconds from its start; ``reason``: why it failed,
    is degraded or ended."""

    scan_id: ScanId
    status: ScanStatus
    verdict: ScanVerdict | None = None
    score: Share | None = None
    far: Share | None = None
    status_url: ShortLine
    frames: Count | None = None
    dropped_frames: Count | None = None
    region_ids: RegionIds = []
    at_s: Seconds | None = None
    reason: Sentence | None = None


class RadarEvent(Reply, kw_only=True):
    """Body of a callback (Standard Webhooks) and of the telemetry event ``scan``, byte for byte the same."""

    type: RadarEventType
    timestamp: Timestamp
    data: RadarEventData


# --- calls beside those of the specification ----------------------------------------------------------------------


class UploadQuery(Request, kw_only=True):
    """POST ``/v1/citadel/defense/radar/uploads``, whose body is the file. ``name``: what it is listed as."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    webhook_callback_url: MediaUrl | None = None


class StopQuery(Request, kw_only=True):
    """DELETE ``/v1/citadel/defense/radar/{scan_id}``. ``erase``: the scan is taken off the list as well, with what was
    found and its pictures; the audit log keeps that it was made and by whom."""

    erase: bool = False


class ScanDeleted(Reply, kw_only=True):
    """``status``: that the scan has, or had when it was erased: one that was over keeps it, any other is STOPPED."""

    scan_id: ScanId
    status: ScanStatus
    erased: bool
