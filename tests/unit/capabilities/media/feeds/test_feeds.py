"""All feeds of a site."""

from __future__ import annotations

import asyncio

import pytest

from app.capabilities.media.feeds.collection import Feeds, TooManyFeeds
from app.capabilities.media.feeds.runner import FeedOrder
from tests.door_site import until
from tests.unit.capabilities.media.feeds.feed_site import (
    MJPEG_HEAD,
    PATIENT,
    MotionCamera,
    WatchedFeeds,
    part,
    picture,
    watched,
)


def feeds(site: WatchedFeeds, maximum: int = 2) -> Feeds:
    """Of one source, with none yet."""
    return Feeds(site.reach, site.scan, site.tell, limits=PATIENT, maximum=maximum, clock=site.clock)


def order(site: WatchedFeeds, number: int, path: str = "feed") -> FeedOrder:
    """One feed."""
    return FeedOrder(f"scan_{number:020}", site.source.url(path), "mjpeg")


def test_there_are_as_many_feeds_as_there_may_be() -> None:
    """One that ended makes room; one scan has one feed."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = MotionCamera()
            site.source.routes["short"] = MJPEG_HEAD + part(picture()) + b"--cut--"
            all_feeds = feeds(site)
            all_feeds.begin(order(site, 1))
            with pytest.raises(ValueError, match="has a feed"):
                all_feeds.begin(order(site, 1))
            all_feeds.begin(order(site, 2, "short"))
            assert all_feeds.full
            with pytest.raises(TooManyFeeds, match="2 feeds"):
                all_feeds.begin(order(site, 3))
            await until(lambda: not all_feeds.full)
            all_feeds.begin(order(site, 3))
            await all_feeds.stop()

    asyncio.run(run())


def test_a_feed_is_ended_by_its_scan() -> None:
    """It is told as stopped, and runs no more."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = MotionCamera()
            all_feeds = feeds(site)
            begun = all_feeds.begin(order(site, 1))
            assert all_feeds.states() == {order(site, 1).scan_id: begun}
            state = await all_feeds.end(order(site, 1).scan_id)
            assert state is not None
            assert (state.status, site.types()[-1]) == ("STOPPED", "stopped")
            await until(lambda: not all_feeds.states())
            assert await all_feeds.end(order(site, 1).scan_id) is None

    asyncio.run(run())


def test_feeds_that_ran_when_the_service_ended_go_on() -> None:
    """None was told as stopped; each has a gap."""

    async def run() -> None:
        async with watched() as site:
            site.source.routes["feed"] = MotionCamera()
            before = feeds(site)
            for number in (1, 2):
                before.begin(order(site, number))
            await until(lambda: len(site.source.asked) == 2)
            await before.stop()
            assert site.types() == ["started", "started", "heartbeat", "heartbeat"]
            assert before.states() == {}
            await site.clock.advance(30)
            after = feeds(site)
            for event in site.events[2:]:
                after.resume(FeedOrder(event.scan_id, site.source.url("feed"), event.state.kind), event.state)
            for state in after.states().values():
                assert [(one.kind, one.t1 - one.t0) for one in state.timeline] == [("gap", 30.0)]
            await until(lambda: len(site.source.asked) == 4)
            await after.stop()

    asyncio.run(run())
