"""What a feed has seen so far: small, frozen, and enough to go on after a restart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from app.capabilities.media.feeds.kinds import FeedKind
from app.capabilities.media.messages import RegionId, ScanVerdict

FeedStatus = Literal["RUNNING", "DEGRADED", "COMPLETED", "STOPPED", "FAILED"]
FeedEnd = Literal["asked", "ended", "expired", "cpu_budget", "failed"]
EntryKind = Literal["finding", "gap", "dropped"]

TIMELINE_MAX: Final = 200
REGIONS_MAX: Final = 32
REGIONS_PER_ENTRY: Final = 8
REASON_MAX: Final = 300
JOINED_S: Final = 10.0
"""Entries of one kind and one content that are no further apart are one."""
_NAMES: Final = 1000
"""Numbers of regions; then they begin anew."""
SAME_REGION: Final = 0.3
"""Regions are one region of the feed if they share so much of their union's area."""

Count = Annotated[int, Meta(ge=0)]
Score = Annotated[float, Meta(ge=0.0, le=1.0)]
Box = tuple[int, int, int, int]
"""Left, top, width, height in pixels of the picture as it is stored."""


class FeedTimelineEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something between two moments. ``t0``, ``t1``: seconds since the feed began; ``frame0``, ``frame1``: numbers of
    pieces, from 0 on; ``count``: pieces that were dropped or missed; ``score``: the highest of a finding."""

    kind: EntryKind
    t0: Annotated[float, Meta(ge=0.0)]
    t1: Annotated[float, Meta(ge=0.0)]
    frame0: Count
    frame1: Count
    score: Score | None = None
    verdict: ScanVerdict | None = None
    region_ids: Annotated[tuple[RegionId, ...], Meta(max_length=REGIONS_PER_ENTRY)] = ()
    count: Count = 0


class FeedRegion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A region of the picture that was found again and again. ``box``: where it was last."""

    id: RegionId
    box: Box
    score: Score


class FeedFailure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a feed is FAILED or DEGRADED: a code that never changes, and a sentence."""

    code: Annotated[str, Meta(max_length=40)]
    detail: Annotated[str, Meta(max_length=REASON_MAX)]


class FeedState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a feed has seen. Every text and list is bounded: as JSON it has less than 100 kB.

    ``started_us``, ``heard_us``, ``expires_us``: microseconds since 1970; ``heard_us``: when the source last answered
    with something. ``pieces``: pictures or segments that came; of them ``scanned`` were looked at, ``skipped`` left out
    by the measured cost, ``equal`` to the one before, ``dropped`` because newer ones came, ``unreadable`` for the
    decoder; ``missed`` were never fetched. ``cpu_s``: of all looks together. ``score``, ``verdict``: of the newest
    look, ``worst_score``: of the highest ever. ``regions``: newest last. ``timeline_lost``: entries that no longer fit.
    ``end`` and ``failure``: why it ended; ``failure`` alone: what it tries to get over. ``starts``: one, and one for
    each restart.
    """

    kind: FeedKind
    started_us: Count
    expires_us: Count
    heard_us: Count
    status: FeedStatus = "RUNNING"
    starts: Count = 1
    pieces: Count = 0
    scanned: Count = 0
    skipped: Count = 0
    equal: Count = 0
    dropped: Count = 0
    missed: Count = 0
    unreadable: Count = 0
    failures: Count = 0
    """In a row."""
    cpu_s: Annotated[float, Meta(ge=0.0)] = 0.0
    score: Score | None = None
    worst_score: Score | None = None
    verdict: ScanVerdict | None = None
    regions_seen: Count = 0
    regions: Annotated[tuple[FeedRegion, ...], Meta(max_length=REGIONS_MAX)] = ()
    timeline: Annotated[tuple[FeedTimelineEntry, ...], Meta(max_length=TIMELINE_MAX)] = ()
    timeline_lost: Count = 0
    end: FeedEnd | None = None
    failure: FeedFailure | None = None


class FeedStateBroken(ValueError):
    """Bytes that are no state of a feed."""


_STATE: Final = msgspec.json.Decoder(FeedState)


def write_state(state: FeedState) -> bytes:
    """As a row keeps it: JSON."""
    return msgspec.json.encode(state)


def read_state(raw: bytes) -> FeedState:
    """What ``write_state`` wrote. Raises ``FeedStateBroken``."""
    try:
        return _STATE.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FeedStateBroken("no state of a feed") from error


def with_entry(state: FeedState, entry: FeedTimelineEntry) -> FeedState:
    """The state with one entry more: it is joined to the newest of its kind if both say the same and are close to each
    other. Beyond ``TIMELINE_MAX`` the oldest goes."""
    timeline = list(state.timeline)
    place = next((at for at in reversed(range(len(timeline))) if timeline[at].kind == entry.kind), None)
    if place is not None and _joins(timeline[place], entry):
        before = timeline[place]
        timeline[place] = msgspec.structs.replace(
            before,
            t1=max(before.t1, entry.t1),
            frame1=max(before.frame1, entry.frame1),
            score=_highest(before.score, entry.score),
            count=before.count + entry.count,
        )
    else:
        timeline.append(entry)
    lost = max(0, len(timeline) - TIMELINE_MAX)
    return msgspec.structs.replace(state, timeline=tuple(timeline[lost:]), timeline_lost=state.timeline_lost + lost)


def with_regions(
    state: FeedState, boxes: Sequence[tuple[Box, float]]
) -> tuple[FeedState, tuple[str, ...], tuple[str, ...]]:
    """The state after a look that found these regions (box, score 0..1), their ids, and those of them that are new. A
    region that covers much of a known one is that one; beyond ``REGIONS_MAX`` the one that was not seen longest is
    forgotten."""
    known = {region.id: region for region in state.regions}
    found: list[str] = []
    new: list[str] = []
    seen = state.regions_seen
    for box, score in boxes[:REGIONS_PER_ENTRY]:
        alike = max(
            (region for region in known.values() if region.id not in found),
            key=lambda region: overlap(region.box, box),
            default=None,
        )
        if alike is None or overlap(alike.box, box) < SAME_REGION:
            while f"r{seen % _NAMES}" in known:
                seen += 1
            name = f"r{seen % _NAMES}"
            seen += 1
            new.append(name)
        else:
            name = alike.id
            del known[name]
        found.append(name)
        known[name] = FeedRegion(name, box, score)
    kept = tuple(known.values())[-REGIONS_MAX:]
    return msgspec.structs.replace(state, regions=kept, regions_seen=seen), tuple(found), tuple(new)


def overlap(one: Box, other: Box) -> float:
    """The area that two boxes share, as part of the area that they cover together: 0..1; 0 if one of them is empty."""
    across = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    down = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    if min(across, down, one[2], one[3], other[2], other[3]) <= 0:
        return 0.0
    shared = across * down
    return shared / (one[2] * one[3] + other[2] * other[3] - shared)


def _joins(before: FeedTimelineEntry, entry: FeedTimelineEntry) -> bool:
    """A gap stands for itself."""
    alike = before.verdict == entry.verdict and set(before.region_ids) == set(entry.region_ids)
    return entry.kind != "gap" and alike and entry.t0 - before.t1 <= JOINED_S


def _highest(one: float | None, other: float | None) -> float | None:
    scores = [score for score in (one, other) if score is not None]
    return max(scores, default=None)
