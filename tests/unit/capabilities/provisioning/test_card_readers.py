"""The card readers: what is known of them, also while they are written, unplugged, or not looked at yet."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

import pytest

from app.capabilities.provisioning.readers.card_readers import CardReader, CardReaders, ReaderFamily
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


def readers_of(*backends: CardBackend, told: Callable[[CardReader], None] = lambda _: None) -> CardReaders:
    """Simulated readers first, then the service's."""
    entries = [
        ReaderFamily(backend, simulated=isinstance(backend, InProcessBackend), service=isinstance(backend, NoService))
        for backend in backends
    ]
    return CardReaders(entries, [], told)


def unplug(backend: InProcessBackend, readers: CardReaders) -> None:
    """Takes the reader away, and waits until that was noticed."""
    backend.remove_reader(READER)
    end, pause = time.monotonic() + 10, threading.Event()
    while readers.get(READER) is not None:
        assert time.monotonic() < end
        pause.wait(0.005)


def test_a_service_that_is_away_is_known_at_the_first_question() -> None:
    """Who asks right after the start hears of it: never `up` because nobody looked yet."""

    async def main() -> None:
        readers = readers_of(NoService())
        readers.start()
        try:
            assert await readers.settle() == []
            assert readers.service() == ("down", "no service")
        finally:
            readers.stop()

    asyncio.run(main())


def test_cards_are_identified_before_they_are_told() -> None:
    """`settle` waits for what was just put in."""

    async def main() -> None:
        backend = InProcessBackend([READER])
        backend.insert(READER, SoftwareCard(serial=7))
        readers = readers_of(backend)
        readers.start()
        try:
            (reader,) = await readers.settle()
            assert reader.identity is not None
            assert (reader.identity.hardware_uid, reader.identity.state) == ("7", CardState.BLANK)
        finally:
            readers.stop()

    asyncio.run(main())


def test_a_hold_outlives_the_reader() -> None:
    """Unplugged and plugged in again during a write, the reader is still held; a release frees it."""

    async def main() -> None:
        backend = InProcessBackend([READER])
        readers = readers_of(backend)
        readers.start()
        try:
            await readers.wait_for_card(READER, present=False)
            readers.hold(READER, "prv_1")
            unplug(backend, readers)
            backend.add_reader(READER)
            await readers.wait_for_card(READER, present=False)
            reader = readers.get(READER)
            assert reader is not None
            assert reader.writing == "prv_1"
            readers.release(READER)
            reader = readers.get(READER)
            assert reader is not None
            assert reader.writing is None
        finally:
            readers.stop()

    asyncio.run(main())


@pytest.mark.parametrize("use", [CardReaders.ask, CardReaders.write])
def test_an_exchanged_card_is_not_used(use: Callable[..., Future[object]]) -> None:
    """A card that came after the reader was judged is not touched by the job."""

    async def main() -> None:
        backend = InProcessBackend([READER])
        backend.insert(READER, SoftwareCard(serial=1))
        readers = readers_of(backend)
        readers.start()
        try:
            (reader,) = await readers.settle()
            backend.remove(READER)
            await readers.wait_for_card(READER, present=False)
            backend.insert(READER, SoftwareCard(serial=2))
            await readers.wait_for_card(READER, present=True)
            jobs: list[CardConnection] = []
            with pytest.raises(WrongCard):
                await asyncio.wrap_future(use(readers, reader, jobs.append))
            assert jobs == []
        finally:
            readers.stop()

    asyncio.run(main())


def test_the_same_card_put_back_is_used() -> None:
    """Moved, but the same by all its names: both jobs run."""

    async def main() -> None:
        backend = InProcessBackend([READER])
        card = SoftwareCard(serial=1)
        backend.insert(READER, card)
        readers = readers_of(backend)
        readers.start()
        try:
            (reader,) = await readers.settle()
            backend.remove(READER)
            await readers.wait_for_card(READER, present=False)
            backend.insert(READER, card)
            await readers.wait_for_card(READER, present=True)
            value, identity = await asyncio.wrap_future(readers.write(reader, lambda _: "done"))
            assert value == "done"
            assert identity == reader.identity
            assert await asyncio.wrap_future(readers.ask(reader, lambda _: "asked")) == "asked"
        finally:
            readers.stop()

    asyncio.run(main())


def test_a_write_to_a_reader_that_is_gone_is_told() -> None:
    """The future raises, it does not hang."""

    async def main() -> None:
        backend = InProcessBackend([READER])
        backend.insert(READER, SoftwareCard(serial=1))
        readers = readers_of(backend)
        readers.start()
        try:
            (reader,) = await readers.settle()
            unplug(backend, readers)
            with pytest.raises(NoSuchReader):
                await asyncio.wrap_future(readers.write(reader, lambda _: None))
        finally:
            readers.stop()

    asyncio.run(main())
