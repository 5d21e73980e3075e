"""The room: what is known of the readers, also while they are written, unplugged, or not looked at yet."""

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from app.capabilities.provisioning.readers.card_readers import CardRoom, CardSeat, RoomBackend
from hardware.cards.backend import CardBackend, CardConnection, NoReaderService, NoSuchReader, ReaderWatch, WrongCard
from hardware.cards.identify import CardState
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.software import SoftwareCard

READER = "R"


class NoService:
    """A PC/SC service that does not answer."""

    def readers(self) -> list[str]:
        raise NoReaderService("no service")

    def open(self, reader: str) -> CardConnection:
        raise NoReaderService("no service")

    def watch(self) -> ReaderWatch:
        raise NoReaderService("no service")


def room_of(*backends: CardBackend, told: Callable[[CardSeat], None] = lambda _: None) -> CardRoom:
    """Simulated readers first, then the service's."""
    entries = [
        RoomBackend(backend, simulated=isinstance(backend, InProcessBackend), service=isinstance(backend, NoService))
        for backend in backends
    ]
    return CardRoom(entries, [], told)


def unplug(backend: InProcessBackend, room: CardRoom) -> None:
    """Takes the reader away, and waits until the room has noticed."""
    backend.remove_reader(READER)
    end, pause = time.monotonic() + 10, threading.Event()
    while room.seat(READER) is not None:
        assert time.monotonic() < end
        pause.wait(0.005)


def test_a_service_that_is_away_is_known_at_the_first_question() -> None:
    """Who asks right after the start hears of it: never `up` because nobody looked yet."""

    async def main() -> None:
        room = room_of(NoService())
        room.start()
        try:
            assert await room.settled() == []
            assert room.service() == ("down", "no service")
        finally:
            room.stop()

    asyncio.run(main())


def test_cards_are_identified_before_they_are_told() -> None:
    """`settled` waits for what was just put in."""

    async def main() -> None:
        backend = InProcessBackend([READER])
        backend.insert(READER, SoftwareCard(serial=7))
        room = room_of(backend)
        room.start()
        try:
            (seat,) = await room.settled()
            assert seat.identity is not None
            assert (seat.identity.hardware_uid, seat.identity.state) == ("7", CardState.BLANK)
        finally:
            room.stop()

    asyncio.run(main())


def test_a_hold_outlives_the_reader() -> None:
    """Unplugged and plugged in again during a write, the reader is still held; a release frees it."""

    async def main() -> None:
        backend = InProcessBackend([READER])
        room = room_of(backend)
        room.start()
        try:
            await room.shows(READER, present=False)
            room.hold(READER, "prv_1")
            unplug(backend, room)
            backend.add_reader(READER)
            await room.shows(READER, present=False)
            seat = room.seat(READER)
            assert seat is not None
            assert seat.writing == "prv_1"
            room.release(READER)
            seat = room.seat(READER)
            assert seat is not None
            assert seat.writing is None
        finally:
            room.stop()

    asyncio.run(main())


def test_an_exchanged_card_is_not_written() -> None:
    """A card that came after the seat was judged is not touched by the job."""

    async def main() -> None:
        backend = InProcessBackend([READER])
        backend.insert(READER, SoftwareCard(serial=1))
        room = room_of(backend)
        room.start()
        try:
            (seat,) = await room.settled()
            backend.remove(READER)
            await room.shows(READER, present=False)
            backend.insert(READER, SoftwareCard(serial=2))
            await room.shows(READER, present=True)
            jobs: list[CardConnection] = []
            with pytest.raises(WrongCard):
                await asyncio.wrap_future(room.write(seat, jobs.append))
            assert jobs == []
        finally:
            room.stop()

    asyncio.run(main())


def test_the_same_card_put_back_is_written() -> None:
    """Moved, but the same by all its names: the job runs."""

    async def main() -> None:
        backend = InProcessBackend([READER])
        card = SoftwareCard(serial=1)
        backend.insert(READER, card)
        room = room_of(backend)
        room.start()
        try:
            (seat,) = await room.settled()
            backend.remove(READER)
            await room.shows(READER, present=False)
            backend.insert(READER, card)
            await room.shows(READER, present=True)
            value, identity = await asyncio.wrap_future(room.write(seat, lambda _: "done"))
            assert value == "done"
            assert identity == seat.identity
        finally:
            room.stop()

    asyncio.run(main())


def test_a_write_to_a_reader_that_is_gone_is_told() -> None:
    """The future raises, it does not hang."""

    async def main() -> None:
        backend = InProcessBackend([READER])
        backend.insert(READER, SoftwareCard(serial=1))
        room = room_of(backend)
        room.start()
        try:
            (seat,) = await room.settled()
            unplug(backend, room)
            with pytest.raises(NoSuchReader):
                await asyncio.wrap_future(room.write(seat, lambda _: None))
        finally:
            room.stop()

    asyncio.run(main())
