"""Reads the figures of the five tiles from what is known of the frames: now, or at a moment of the past."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from app.capabilities.infrastructure.messages import Percentiles
from app.console.frames.board import MINUTE, FrameBoard
from app.console.frames.measurements import FloatArray
from app.console.frames.standing import certificate_days
from app.console.language import tr
from app.console.pages.infrastructure.courses import Courses
from app.console.pages.infrastructure.tile_words import (
    Measure,
    TileFace,
    answered_face,
    certificates_face,
    missed_face,
    operational_face,
    p50_face,
    p99_face,
    past_certificates_face,
)
from app.console.telemetry.past_frames import HOUR_S
from app.console.theme.tokens import Meaning

_NOTHING = np.zeros(0)
MAINTENANCE = "MAINTENANCE"


def probed_frames(board: FrameBoard) -> list[str]:
    """The frames whose missed probes count: one under maintenance is probed, and is expected to miss."""
    return [peer_id for peer_id, frame in board.frames.items() if frame.record.status != MAINTENANCE]


@dataclass(frozen=True)
class Minutes:
    """p50 and p99 of all handshakes in each minute of the last hour that this window measured."""

    p50: FloatArray
    p99: FloatArray

    @classmethod
    def of(cls, board: FrameBoard) -> Minutes:
        """Of the hour to what the board shows."""
        return cls(*(board.course(HOUR_S, MINUTE, share)[1] for share in (0.5, 0.99)))


def live_faces(
    board: FrameBoard, known: Courses | None, minutes: Minutes, goal: float | None, now: float
) -> dict[Measure, TileFace]:
    """The tiles now. ``known``: the span that was read last."""
    half, high, count = board.minute()
    below = tr("{count:,} in the last minute", count=count) if count else tr("no handshake in a minute")
    counted = probed_frames(board)
    missed, probes = missed_of(board.frames[one].span for one in counted)
    return {
        Measure.OPERATIONAL: operational_face(board.counts(), _NOTHING if known is None else known.count_answers()),
        Measure.P50: p50_face(half, below, minutes.p50),
        Measure.P99: p99_face(high, below, goal, minutes.p99, minutes.p99),
        Measure.MISSED: missed_face(missed, probes, _NOTHING if known is None else known.count_missed(counted)),
        Measure.CERTIFICATES: certificates_face([certificate_days(one, now) for one in board.frames.values()]),
    }


def past_faces(board: FrameBoard, then: Courses | None) -> dict[Measure, TileFace]:
    """The tiles at the moment that the board shows. ``then``: the span that ends there, or lies around it; None before
    it was read."""
    state, why = board.asked.lacks if board.is_older else (Meaning.OK, "")
    if why:
        unread = TileFace("–", "", state, board.asked.word, trend=_NOTHING)
        return dict.fromkeys(Measure, unread) | {Measure.CERTIFICATES: past_certificates_face()}
    states = [one.state for one in board.past_nodes()]
    counted = probed_frames(board)
    spans: Mapping[str, Percentiles] = (
        {} if then is None else {one: frame.span for one, frame in then.past.frames.items()}
    )
    missed, probes = missed_of(spans[one] for one in counted if one in spans)
    if board.older is not None:
        half, high = board.past_percentiles()
        step = board.older.step_words
        middle, highest = tr("middle frame, {step}", step=step), tr("slowest frame, {step}", step=step)
        halves = _NOTHING if then is None else then.middle()
        highs = _NOTHING if then is None else then.slowest()
    else:
        half, high, count = board.minute()
        known = bool(np.isfinite(board.values(MINUTE)).any())
        nothing = tr("medians alone") if known else tr("no sample then")
        middle = highest = tr("{count:,} in the minute to it", count=count) if count else nothing
        minutes = Minutes.of(board)
        halves, highs = minutes.p50, minutes.p99
    return {
        Measure.OPERATIONAL: answered_face(states, _NOTHING if then is None else then.count_answers()),
        Measure.P50: p50_face(half, middle, halves),
        # How many minutes missed the goal is of the hour to now.
        Measure.P99: p99_face(high, highest, None, _NOTHING, highs),
        Measure.MISSED: missed_face(missed, probes, _NOTHING if then is None else then.count_missed(counted)),
        Measure.CERTIFICATES: past_certificates_face(),
    }


def missed_of(spans: Iterable[Percentiles]) -> tuple[int, int]:
    """Missed probes and all probes of some frames."""
    found = list(spans)
    missed = sum(one.missed for one in found)
    return missed, missed + sum(one.count for one in found)
