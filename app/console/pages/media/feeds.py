"""The feeds tab: watches feeds, tells what they score and drop, stops them."""

from __future__ import annotations

import contextlib
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence

import msgspec
from PySide6.QtWidgets import QWidget

from app.capabilities.media.messages import RadarBody, RadarEvent, Scan, ScanListQuery, ScanSummary
from app.console.actions import Action, Effect
from app.console.failures import Failure
from app.console.language import number, tr
from app.console.moments import moment, parse_time
from app.console.operations import Operation
from app.console.pages.media.feeds_view import FeedRow, FeedsView
from app.console.pages.media.words import KIND, OVER, PAGE, name_of, row_words, with_advice
from app.console.part import Host, Part
from app.console.telemetry.live import Listener, LiveEvent
from app.console.widgets.rate_scale import percent_words

LISTED = 200
"""The newest scans, among which feeds are looked for."""
SCORES = 240
"""Of each feed that are kept for its line: of a quiet one, four hours."""


class FeedsTab(Part):
    """Reads the feeds, and hears of each what its events say."""

    every_s = 15.0
    kinds = frozenset({KIND})

    view: FeedsView

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.view = FeedsView(host.session.actions, self.mark)
        self._feeds: list[ScanSummary] = []
        self._heard: dict[str, RadarEvent] = {}
        self._scores: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=SCORES))
        self._asking = False
        self.view.selected.connect(host.session.actions.refresh)

    def actions(self) -> Sequence[Action]:
        view = self.view
        return [
            Action(
                "media.feed_start", tr("Watch the feed"), self._start, "play", ("Ctrl+Return", "Ctrl+Enter"), PAGE,
                when=lambda: self.host.shown() and self.host.may_write and not self._asking
                and bool(view.address.text().strip()),
                effect=Effect.CHANGE, hint=tr("Until it is stopped, or its time is over."),
                calls=("media_scan",),
            ),
            Action(
                "media.feed_stop", tr("Stop the feed"), self._stop, "square", ("Ctrl+.",), PAGE,
                when=lambda: self.host.shown() and view.chosen is not None and view.chosen.running,
                effect=Effect.CHANGE, hint=tr("What was found so far stays."),
                calls=("media_stop",),
            ),
            Action(
                "media.feed_open", tr("Open its scan"), self._open, "eye", (), PAGE,
                when=lambda: self.host.shown() and view.chosen is not None, hint=tr("Enter on its row does the same."),
            ),
        ]  # fmt: skip

    def first_control(self) -> QWidget:
        return self.view.address

    def listeners(self) -> Mapping[str, Listener]:
        return {"scan": self._take_events}

    def _take_events(self, events: Sequence[LiveEvent]) -> None:
        """Each feed's newest word; one that is new or over is read anew."""
        for event in events:
            with contextlib.suppress(msgspec.DecodeError):
                told = event.read(RadarEvent)
                if told.type.startswith("radar.feed."):
                    self._heard[told.data.scan_id] = told
                    if told.data.score is not None:
                        self._scores[told.data.scan_id].append(told.data.score)
                    if told.type != "radar.feed.heartbeat":
                        self.read_now()
        self._paint_rows()

    async def read(self) -> None:
        page = await self.session.client.media_list(query=ScanListQuery(limit=LISTED))
        self._feeds = [one for one in page.items if one.continuous_feed_scan]
        known = {one.scan_id for one in self._feeds}
        self._heard = {key: told for key, told in self._heard.items() if key in known}
        for gone in self._scores.keys() - known:
            del self._scores[gone]

    def paint_all(self) -> None:
        self._paint_rows()

    def _paint_rows(self) -> None:
        now = self.session.live.now()
        self.view.show_rows(
            [
                _row(one, self._heard.get(one.scan_id), tuple(self._scores.get(one.scan_id, ())), now)
                for one in self._feeds
            ]
        )

    def _start(self) -> None:
        """Ask for a feed."""
        address = self.view.address.text().strip()
        self._asking = True

        def take(_scan: Scan) -> None:
            self._asking = False
            self.view.address.clear()

        def refuse(failure: Failure) -> None:
            self._asking = False
            self.host.show_failure(with_advice(failure))
            self.session.actions.refresh()

        body = RadarBody(media_target_url=address, continuous_feed_scan=True)
        operation: Operation[Scan] = Operation(
            lambda client, key: client.media_scan(body, idempotency_key=key),
            title=tr("Watch {name}", name=name_of(address)),
            changes=(KIND,),
            asks=True,
        )
        operation.success(take).failure(refuse).run(self.session, self.view)

    def _stop(self) -> None:
        feed = self.view.chosen
        if feed is not None:
            operation = Operation(
                lambda client, _key: client.media_stop(feed.scan_id),
                title=tr("Stop {name}", name=feed.name),
                changes=(KIND,),
                asks=True,
            )
            operation.success(lambda _done: None).failure(self.host.show_failure).run(self.session, self.view)

    def _open(self) -> None:
        if (feed := self.view.chosen) is not None:
            self.view.opened.emit(feed.scan_id)


def _row(feed: ScanSummary, heard: RadarEvent | None, scores: tuple[float, ...], now: float) -> FeedRow:
    """A feed as its newest event tells it, else as it was read."""
    state, word = row_words(feed)
    data = heard.data if heard is not None else None
    score = feed.score if data is None or data.score is None else data.score
    far = feed.far if data is None or data.far is None else data.far
    worth = tr("no rate") if far is None else percent_words(far)
    return FeedRow(
        scan_id=feed.scan_id,
        name=name_of(feed.url),
        url=feed.url,
        state=state,
        word=word,
        score="–" if score is None else f"{number(score, '.2f')}, {worth}",
        scores=scores,
        frames="–" if data is None or data.frames is None else number(data.frames, ","),
        dropped="–" if data is None or data.dropped_frames is None else number(data.dropped_frames, ","),
        heard=moment(parse_time(feed.created_at if heard is None else heard.timestamp), now),
        reason=(data.reason or "") if data is not None else "",
        running=feed.status not in OVER,
    )
