"""The fan-out: replay, gaps, slow readers, ends."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
import pytest

from app.capabilities.gateway.telemetry import stream as streams
from app.capabilities.gateway.telemetry.stream import Hub, Stream
from app.delivery.events import Event, EventBus


class Number(msgspec.Struct):
    """A body."""

    n: int


def on_a_hub(work: Callable[[Hub, EventBus], Coroutine[Any, Any, None]], *, ring: int = 8) -> None:
    """Runs ``work`` with a started hub."""

    async def run() -> None:
        bus = EventBus()
        hub = Hub(bus, ring=ring)
        hub.start()
        try:
            await work(hub, bus)
        finally:
            await hub.stop()

    asyncio.run(run())


def publish(bus: EventBus, *numbers: int) -> None:
    """Publishes ``card`` events."""
    for number in numbers:
        bus.publish(Event("card", Number(number), 0))


def parse(data: bytes) -> list[tuple[str, str, Any]]:
    """(event, id, data) of each event as an EventSource reads it; comments are skipped."""
    found = []
    for block in data.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if "data" in fields:
            found.append((fields["event"], fields["id"], json.loads(fields["data"])))
    return found


async def read(stream: Stream, count: int) -> list[tuple[str, str, Any]]:
    """The next ``count`` events."""
    found: list[tuple[str, str, Any]] = []
    while len(found) < count:
        found += parse(await asyncio.wait_for(anext(stream), 10))
    return found


def numbers(events: list[tuple[str, str, Any]]) -> list[Any]:
    """Bodies in short: the number, or the gap's count."""
    return [data.get("n", ("gap", data.get("lost"))) for _kind, _id, data in events]


def test_reader_gets_what_comes() -> None:
    """A new reader starts with now and gets every event in order."""

    async def work(hub: Hub, bus: EventBus) -> None:
        publish(bus, 1)
        stream = hub.open("u", "k", None)
        publish(bus, 2, 3)
        assert numbers(await read(stream, 2)) == [2, 3]

    on_a_hub(work)


def test_events_from_any_thread() -> None:
    """Events of several threads all arrive, those of one thread in its order."""

    async def work(hub: Hub, bus: EventBus) -> None:
        stream = hub.open("u", "k", None)
        threads = [threading.Thread(target=publish, args=(bus, *range(n * 100, n * 100 + 50))) for n in range(4)]
        for thread in threads:
            thread.start()
        got = numbers(await read(stream, 200))
        for thread in threads:
            thread.join()
        assert sorted(got) == [n * 100 + i for n in range(4) for i in range(50)]
        assert all([x for x in got if x // 100 == n] == sorted(x for x in got if x // 100 == n) for n in range(4))

    on_a_hub(work, ring=4096)


def test_event_is_encoded_once() -> None:
    """Two readers who are up to date get the same bytes object, not two encodings."""

    async def work(hub: Hub, bus: EventBus) -> None:
        one, two = hub.open("u", "k", None), hub.open("u", "k", None)
        await anext(one)
        await anext(two)
        publish(bus, 1)
        assert await anext(one) is await anext(two)

    on_a_hub(work)


def test_replay_after_the_last_event() -> None:
    """``Last-Event-ID`` goes on with the event after it, without a gap."""

    async def work(hub: Hub, bus: EventBus) -> None:
        stream = hub.open("u", "k", None)
        publish(bus, 1, 2, 3)
        second = (await read(stream, 3))[1][1]
        again = hub.open("u", "k", second)
        publish(bus, 4)
        assert numbers(await read(again, 2)) == [3, 4]

    on_a_hub(work)


def test_replay_of_nothing_new() -> None:
    """The newest id replays nothing."""

    async def work(hub: Hub, bus: EventBus) -> None:
        stream = hub.open("u", "k", None)
        publish(bus, 1)
        last = (await read(stream, 1))[0][1]
        again = hub.open("u", "k", last)
        publish(bus, 2)
        assert numbers(await read(again, 1)) == [2]

    on_a_hub(work)


def test_lost_events_are_counted() -> None:
    """What the ring no longer holds is a gap with its number, then the rest follows."""

    async def work(hub: Hub, bus: EventBus) -> None:
        stream = hub.open("u", "k", None)
        publish(bus, 1)
        first = (await read(stream, 1))[0][1]
        publish(bus, *range(2, 14))
        again = hub.open("u", "k", first)
        assert numbers(await read(again, 9)) == [("gap", 4), *range(6, 14)]

    on_a_hub(work)


def test_gap_can_be_resumed_from() -> None:
    """The gap's own id leads to the event after it."""

    async def work(hub: Hub, bus: EventBus) -> None:
        stream = hub.open("u", "k", None)
        publish(bus, *range(1, 14))
        (kind, event_id, _data), *_rest = await read(stream, 9)
        assert kind == "gap"
        assert numbers(await read(hub.open("u", "k", event_id), 8)) == list(range(6, 14))

    on_a_hub(work)


def test_slow_reader_costs_nothing_but_a_gap() -> None:
    """A reader that does not read holds no events; when it does, it learns how many it lost."""

    async def work(hub: Hub, bus: EventBus) -> None:
        slow, quick = hub.open("u", "k", None), hub.open("u", "k", None)
        for number in range(100):
            publish(bus, number)
            assert numbers(await read(quick, 1)) == [number]
        assert numbers(await read(slow, 9)) == [("gap", 92), *range(92, 100)]

    on_a_hub(work)


@pytest.mark.parametrize("event_id", ["00000000.5", "nonsense", "", "-1", "9" * 400, "\x00"])
def test_unknown_id_is_a_gap_of_unknown_size(event_id: str) -> None:
    """An id of another run, or none of ours: what was lost cannot be counted, what is there follows."""

    async def work(hub: Hub, bus: EventBus) -> None:
        publish(bus, 1, 2)
        assert numbers(await read(hub.open("u", "k", event_id), 3)) == [("gap", None), 1, 2]

    on_a_hub(work)


def test_id_of_the_future_is_unknown() -> None:
    """An id that was never given."""

    async def work(hub: Hub, bus: EventBus) -> None:
        stream = hub.open("u", "k", None)
        publish(bus, 1)
        epoch = (await read(stream, 1))[0][1].partition(".")[0]
        assert numbers(await read(hub.open("u", "k", f"{epoch}.77"), 2)) == [("gap", None), 1]

    on_a_hub(work)


def test_heartbeat_is_a_comment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without events a reader hears a comment again and again."""
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.02)

    async def work(hub: Hub, _bus: EventBus) -> None:
        stream = hub.open("u", "k", None)
        assert (await anext(stream)).startswith(b"retry: ")
        for _ in range(3):
            assert await asyncio.wait_for(anext(stream), 5) == b": beat\n\n"

    on_a_hub(work)


def test_closed_unit_ends_its_streams_alone() -> None:
    """A unit whose key is gone reads the end; others go on."""

    async def work(hub: Hub, bus: EventBus) -> None:
        gone, stays = hub.open("gone", "k", None), hub.open("stays", "k", None)
        await anext(gone)
        await asyncio.to_thread(hub.close_unit, "gone")
        with pytest.raises(StopAsyncIteration):
            await asyncio.wait_for(anext(gone), 5)
        publish(bus, 1)
        assert numbers(await read(stays, 1)) == [1]
        assert hub.readers == 1

    on_a_hub(work)


def test_closed_key_ends_its_streams() -> None:
    """So does a revoked API key."""

    async def work(hub: Hub, _bus: EventBus) -> None:
        stream = hub.open("u", "gone", None)
        await anext(stream)
        hub.close_key("gone")
        with pytest.raises(StopAsyncIteration):
            await asyncio.wait_for(anext(stream), 5)

    on_a_hub(work)


def test_stop_ends_every_stream() -> None:
    """A graceful stop does not wait for readers."""

    async def run() -> None:
        hub = Hub(EventBus())
        hub.start()
        stream = hub.open("u", "k", None)
        await anext(stream)
        waiting = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        await hub.stop()
        with pytest.raises(StopAsyncIteration):
            await asyncio.wait_for(waiting, 5)

    asyncio.run(run())


def test_stream_that_nobody_reads_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream whose caller vanished before its first chunk does not stay."""
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.01)
    monkeypatch.setattr(streams, "UNREAD_S", 0.0)

    async def work(hub: Hub, _bus: EventBus) -> None:
        forgotten, heard = hub.open("u", "k", None), hub.open("u", "k", None)
        await anext(heard)
        assert await asyncio.wait_for(anext(heard), 5) == b": beat\n\n"
        assert await asyncio.wait_for(anext(heard), 5) == b": beat\n\n"
        with pytest.raises(StopAsyncIteration):
            await anext(forgotten)

    on_a_hub(work)
