"""Server frames as pages show them: state with its age, percentiles of the last minute, lines for charts.

Of a moment of the last hour the rings tell; of an older one what the service answers of the hour around it.

What is live comes from ``Live`` (status records, rings of handshakes, freshness); what is read now and then (phases,
certificates, the whole list) from GET ``/v1/infrastructure/nodes``. Nothing is interpolated: where no handshake was
measured, there is no value.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import numpy.typing as npt

from app.capabilities.infrastructure.messages import Frame, FrameList, HandshakeEvent, NodesQuery, StatusRecord
from app.console.clock import Freshness, clock_time
from app.console.code_words import code_word
from app.console.frames.groups import caption, group_of
from app.console.frames.measurements import FloatArray, broken_line, nearest_rank, percentile_columns
from app.console.frames.standing import FrameStanding
from app.console.language import tr
from app.console.moments import api_time, parse_time
from app.console.shown_time import utc_clock
from app.console.theme.tokens import Meaning, state_of
from app.console.widgets.chart_plot import ChartEvent
from app.console.widgets.node_grid import GridNode, short_names

if TYPE_CHECKING:
    from app.console.session import WindowSession
    from app.console.telemetry.live import LiveEvent
    from app.console.telemetry.past_frames import PastFrames

READ_EVERY_S = 5.0
"""Seconds between two readings of the list while a page shows it."""
GRID_SECONDS = 600
MINUTE = 60
BROKEN_AFTER_INTERVALS = 2.5
"""A line is broken where nothing was measured for longer than this: two probes may fall into one second and leave the
next one empty without any probe missing."""


class FrameBoard:
    """The registered frames of one page, in the order of their ids. The page's task calls ``read``, its repaint
    everything else."""

    def __init__(self, session: WindowSession) -> None:
        self._session = session
        self.asked = session.older_frames
        """What the service answers of the hour around an older moment."""
        self._missed: dict[str, deque[float]] = {}
        self.frames: dict[str, Frame] = {}
        """As last read, by ``peer_id``."""
        self.age = Freshness(READ_EVERY_S)
        self.unknown = False
        """A probe was reported for a frame that the list does not name: the list must be read again."""
        self.moment: float | None = None
        """Unix time up to which measurements are given; None: now. Standings and counts are always of now: what a frame
        was is not kept, but how it answered is."""
        session.live.subscribe("handshake", self._handshakes)

    async def read(self, span_s: int = MINUTE, step: int = MINUTE) -> FrameList:
        """Read the list with the history of the last ``span_s`` seconds. Raises what the client raises."""
        live = self._session.live
        query = NodesQuery(from_=api_time(live.now() - span_s), step=step)
        found = await self._session.client.infrastructure_nodes(query=query)
        live.take_frames(found)
        self.frames = {frame.peer_id: frame for frame in found.items}
        self.age.touch()
        self.unknown = False
        for gone in self._missed.keys() - self.frames.keys():
            del self._missed[gone]
        return found

    def _handshakes(self, events: Sequence[LiveEvent]) -> None:
        for event in events:
            try:
                samples = event.read(HandshakeEvent).items
            except msgspec.DecodeError:
                continue  # counted as lost by Live
            for sample in samples:
                if sample.latency_ms is None:
                    self._missed.setdefault(sample.peer_id, deque(maxlen=3600)).append(parse_time(sample.at))
                if sample.peer_id not in self.frames:
                    self.unknown = True

    # --- states ------------------------------------------------------------------------------------------------------

    def stale_since(self) -> str:
        """``STALE since 14:32:07`` when no frame at all reports any more; empty while one does, or when there is
        none."""
        live = self._session.live
        moments = [live.fresh(peer_id) for peer_id in self.frames]
        if not moments or any(not fresh.stale for fresh in moments):
            return ""
        known = [fresh.since for fresh in moments if fresh.since is not None]
        return tr("STALE since {time}", time=clock_time(max(known))) if known else tr("no data yet")

    def standing(self, peer_id: str) -> FrameStanding:
        """State of a frame now. A frame without a report for two intervals is stale, in any state; one under
        maintenance stays so (its row says it, not a probe)."""
        live = self._session.live
        record = live.frames.get(peer_id)
        if record is None:
            return FrameStanding(Meaning.IDLE, tr("Unknown"), tr("Nothing is known of it yet."))
        fresh = live.fresh(peer_id)
        if fresh.stale:
            return FrameStanding(Meaning.IDLE, tr("Stale"), fresh.words())
        return FrameStanding(state_of(record.status), code_word(record.status), record.reason or "")

    def grid_nodes(self) -> list[GridNode]:
        """Cells of the grid, in the order of ``frames``."""
        made = []
        for peer_id, frame in self.frames.items():
            now = self.standing(peer_id)
            detail = "\n".join(part for part in (frame.record.node_id, now.hint) if part)
            made.append(GridNode(peer_id, caption(group_of(peer_id)), now.state, now.word, detail))
        return made

    def past_standing(self, peer_id: str) -> FrameStanding:
        """What is known of a frame at ``moment``: whether it answered a handshake, and how fast. Its status of then is
        not kept."""
        if self.is_older:
            return self._older_standing(peer_id)
        found = self._near_moment(peer_id)
        if found is None:
            return FrameStanding(Meaning.IDLE, tr("No sample"), tr("No handshake is known of that moment."))
        ms, measured = found
        said = tr("{ms:.2f} ms", ms=ms) if measured else tr("{ms:.2f} ms, a median of the time around it", ms=ms)
        return FrameStanding(Meaning.OK, tr("Answered"), said)

    @property
    def is_older(self) -> bool:
        """Whether ``moment`` is older than what this window measured, so that the service is asked."""
        return self.moment is not None and self._session.shown_time.hour is not None

    @property
    def older(self) -> PastFrames | None:
        """What the service answered of the hour around an older ``moment``; None: there is no answer yet."""
        return self.asked.answer if self.is_older else None

    def _older_standing(self, peer_id: str) -> FrameStanding:
        """``past_standing`` by the service's history, for the step that holds ``moment``."""
        older, moment = self.older, self.moment
        if older is None or moment is None:
            state, why = self.asked.lacks
            return FrameStanding(state, self.asked.word, why)
        found = older.point(peer_id, moment)
        begin, step = utc_clock(older.step_of(moment), self._session.live.now()), older.step_words
        if found is None or not found.count + found.missed:
            said = tr("The service has no probe of it in {step} from {begin}.", step=step, begin=begin)
            return FrameStanding(Meaning.IDLE, tr("No sample"), said)
        if found.p50 is None:
            said = tr(
                "{missed:,} probes in {step} from {begin}, all missed.", missed=found.missed, step=step, begin=begin
            )
            return FrameStanding(Meaning.BAD, tr("No answer"), said)
        said = tr("{ms:.2f} ms, the median of {step} from {begin}", ms=found.p50, step=step, begin=begin)
        if not found.missed:
            return FrameStanding(Meaning.OK, tr("Answered"), said)
        missed = tr(
            "{said}; {missed:,} of {probes:,} missed", said=said, missed=found.missed, probes=found.missed + found.count
        )
        return FrameStanding(Meaning.WARN, tr("Answered in part"), missed)

    def past_latency(self, peer_id: str) -> float | None:
        """The newest handshake of a frame at ``moment``, ms; None where none is known, or only a median around it. Of
        an older moment the median of its step, which is the finest that is kept."""
        if self.moment is not None and self.is_older:
            point = self.older.point(peer_id, self.moment) if self.older is not None else None
            return None if point is None else point.p50
        found = self._near_moment(peer_id)
        return found[0] if found is not None and found[1] else None

    def _near_moment(self, peer_id: str) -> tuple[float, bool] | None:
        """The newest handshake within two intervals before ``moment``, ms, and whether it is of its second."""
        if self.moment is None:
            return None
        live = self._session.live
        seconds = max(MINUTE // 12, round(2 * live.probe_interval_s) + 1)
        return live.handshakes.newest_until(peer_id, self.moment, seconds)

    def past_nodes(self) -> list[GridNode]:
        """Cells of the grid at ``moment``: the frames that are registered now, each as it answered then."""
        made = []
        for peer_id in self.frames:
            then = self.past_standing(peer_id)
            made.append(GridNode(peer_id, caption(group_of(peer_id)), then.state, then.word, then.hint))
        return made

    def _rings(self, seconds: int) -> npt.NDArray[np.float32]:
        """The measurements of all nodes in the last seconds, or in those up to ``moment``."""
        rings = self._session.live.handshakes
        return rings.last(seconds) if self.moment is None else rings.until(self.moment, seconds)

    def short(self, peer_id: str) -> str:
        """Shortest unambiguous name, as the grid shows it."""
        ids = list(self.frames)
        return short_names(ids)[ids.index(peer_id)] if peer_id in self.frames else peer_id

    def counts(self) -> dict[str, int]:
        """Frames by the word of their state."""
        counted: dict[str, int] = {}
        for peer_id in self.frames:
            word = self.standing(peer_id).word
            counted[word] = counted.get(word, 0) + 1
        return counted

    @property
    def behind(self) -> bool:
        """True when a handshake came in for a frame whose phases and certificate were read before its first one: the
        list should be read again early."""
        measured = self._session.live.latency
        return any(frame.phases is None and peer_id in measured for peer_id, frame in self.frames.items())

    @staticmethod
    def shown_record(frame: Frame, record: StatusRecord) -> StatusRecord:
        """The record to show beside the frame's phases and certificate: the live ``record``, unless it already reports
        a first handshake that those do not include yet."""
        return frame.record if frame.phases is None and frame.record.measured_at is None else record

    # --- measurements ------------------------------------------------------------------------------------------------

    def values(self, seconds: int = GRID_SECONDS) -> npt.NDArray[np.float32]:
        """Handshakes of the last seconds, ms: shape (frames, seconds), rows in the order of ``frames``. Around an older
        moment the medians of its hour's steps: shape (frames, steps), none before they were answered."""
        if self.is_older:
            ids = list(self.frames)
            return np.full((len(ids), 2), np.nan, np.float32) if self.older is None else self.older.values(ids, "p50")
        rings = self._session.live.handshakes
        at = [rings.row(peer_id) for peer_id in self.frames]
        return self._rings(seconds)[at]

    def past_percentiles(self) -> tuple[float | None, float | None]:
        """Of the frames in the step of an older moment: the median of their medians, and the highest p99, ms."""
        if self.older is None or self.moment is None:
            return None, None
        points = [self.older.point(peer_id, self.moment) for peer_id in self.frames]
        half, high = (
            np.array([getattr(one, share) for one in points if one is not None and one.count], dtype=np.float32)
            for share in ("p50", "p99")
        )
        return nearest_rank(half, 0.5), nearest_rank(high, 1.0)

    def moment_mark(self) -> list[ChartEvent]:
        """The older moment as charts mark it: it stands inside of its hour."""
        if self.moment is None or not self.is_older:
            return []
        words = utc_clock(self.moment, self._session.live.now())
        return [ChartEvent(self.moment, Meaning.WARN, tr("Shown"), words)]

    def without_medians(self, values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """The ``values``, of the past those alone that this window measured: a stretch of medians has no p99."""
        if self.moment is None:
            return values
        rings = self._session.live.handshakes
        at = [rings.row(peer_id) for peer_id in self.frames]
        return np.where(rings.measured_until(self.moment, values.shape[1])[at], values, np.float32(np.nan))

    def minute(self) -> tuple[float | None, float | None, int]:
        """p50 and p99 of all handshakes of the last minute, ms, and how many seconds of frames they are of."""
        values = self.without_medians(self.values(MINUTE))
        return nearest_rank(values, 0.5), nearest_rank(values, 0.99), int(np.isfinite(values).sum())

    def high(self, seconds: int, step: int) -> FloatArray:
        """p99 of all handshakes of each ``step`` seconds in the last ``seconds``, ms, oldest first; NaN where nothing
        was measured. Whole steps of the clock, the one that goes on included. Around an older moment the highest p99 of
        a frame in each step of its hour."""
        if self.is_older:
            if self.older is None:
                return np.zeros(0)
            return percentile_columns(self.older.values(list(self.frames), "p99"), 1.0).astype(np.float64)
        parts = self._steps(self.without_medians(self.values(seconds)), step)
        made: FloatArray = np.array([nearest_rank(part, 0.99) or np.nan for part in parts], dtype=np.float64)
        return made

    def course(self, seconds: int, step: int, share: float) -> tuple[FloatArray, FloatArray]:
        """The percentile ``share`` (0..1) of all handshakes that this window measured in each ``step`` seconds of the
        last ``seconds``: Unix times at which the steps begin, and ms; NaN where nothing was measured. Whole steps of
        the clock, the one that goes on included."""
        rings = self._session.live.handshakes
        at = [rings.row(peer_id) for peer_id in self.frames]
        measured = rings.measured_until(self.newest() - rings.step_s / 2, seconds)[at]
        values = np.where(measured, self.values(seconds), np.float32(np.nan))
        parts = self._steps(values, step)
        made: FloatArray = np.array([nearest_rank(part, share) or np.nan for part in parts], dtype=np.float64)
        end = self.newest()
        last = int(end) % step or step
        starts: FloatArray = end - last - np.arange(len(parts) - 1, -1, -1, dtype=np.float64) * step
        return starts, made

    def count_answers(self, seconds: int, step: int) -> FloatArray:
        """How many frames were measured in each ``step`` seconds of the last ``seconds``, oldest first; NaN where none
        was: then it is the measuring that was missing. Around an older moment in each step of its hour."""
        if self.is_older:
            answered = np.isfinite(self.values()).sum(axis=0).astype(np.float64)
            return np.where(answered > 0, answered, np.nan)
        counts = (int(np.isfinite(part).any(axis=1).sum()) for part in self._steps(self.values(seconds), step))
        made: FloatArray = np.array([count or np.nan for count in counts], dtype=np.float64)
        return made

    def _steps(self, values: npt.NDArray[np.float32], step: int) -> list[npt.NDArray[np.float32]]:
        """The handshakes of the last seconds, cut at whole steps of the clock; the first part is left out if it is not
        whole."""
        last = int(self.newest()) % step or step
        cuts = range(values.shape[1] - last, 0, -step)
        return np.split(values, sorted(cuts), axis=1)[1:]

    def newest(self) -> float:
        """Time at which the measurements end, seconds of the service's clock; now before the first one."""
        if self.moment is not None:
            return math.floor(self.moment) + 1.0
        return self._session.live.handshakes.end or self._session.live.now()

    def line(self, peer_id: str, seconds: int) -> tuple[FloatArray, FloatArray]:
        """Handshakes of one frame over Unix time; NaN where a probe was missed or none was made. Around an older moment
        the medians of its hour's steps."""
        if self.is_older:
            if self.older is None:
                return np.zeros(0), np.zeros(0)
            return self.older.starts, self.older.values([peer_id], "p50")[0].astype(np.float64)
        rings = self._session.live.handshakes
        at = rings.row(peer_id)
        row = self._rings(seconds)[at].astype(np.float64)
        x = self.newest() - len(row) + np.arange(len(row)) + rings.step_s / 2
        good = np.isfinite(row)
        gap = BROKEN_AFTER_INTERVALS * self._session.live.probe_interval_s
        return broken_line(x[good], row[good], max(gap, 2.5), tuple(self._missed.get(peer_id, ())))

    def seconds_of(self, peer_id: str, start: float, end: float) -> tuple[FloatArray, FloatArray]:
        """Handshakes of one frame that this window measured between two Unix times: the seconds, and ms; no coarse
        history is among them."""
        rings = self._session.live.handshakes
        count = max(0, int(end) - int(start))
        row, last = rings.row(peer_id), int(end) - 0.5
        values = rings.until(last, count)[row].astype(np.float64)
        known = np.isfinite(values) & rings.measured_until(last, count)[row]
        x: FloatArray = int(start) + np.arange(count, dtype=np.float64)
        return x[known], values[known]

    def all_lines(self, seconds: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Time, p50 and p99 over all frames, second by second. The newest second is left out: it is not full yet.
        Around an older moment, step by step of its hour, the median of the frames' medians and the highest p99."""
        if self.is_older:
            if self.older is None:
                return np.zeros(0), np.zeros(0), np.zeros(0)
            middle = percentile_columns(self.values(), 0.5).astype(np.float64)
            return self.older.starts, middle, self.high(seconds, MINUTE)
        values = self.values(seconds)
        measured = self.without_medians(values)[:, :-1]
        x: FloatArray = np.arange(seconds - 1, dtype=np.float64) + (self.newest() - seconds + 0.5)
        half: FloatArray = percentile_columns(values[:, :-1], 0.5).astype(np.float64)
        high: FloatArray = percentile_columns(measured, 0.99).astype(np.float64)
        return x, half, high
