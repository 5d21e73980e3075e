"""What the reader doctor is told by the service: silent cards, the last error, why the card service is away."""

import asyncio
import threading
from pathlib import Path

from app.capabilities.provisioning.readers.card_readers import CardReaders, ReaderFamily
from hardware.cards import pcscd
from hardware.cards.backend import CardConnection
from hardware.cards.identify import CardState
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.software import SoftwareCard

READER = "R"


class StuckCard:
    """A card that answers nothing until it is let go."""

    def __init__(self) -> None:
        self.card = SoftwareCard(serial=7)
        self.asked = threading.Event()
        self.open = threading.Event()

    @property
    def atr(self) -> bytes:
        return self.card.atr

    def transmit(self, apdu: bytes) -> bytes:
        self.asked.set()
        assert self.open.wait(20)
        return self.card.transmit(apdu)

    def power(self, on: bool) -> None:
        self.card.power(on)


def test_a_card_that_does_not_answer_is_timed() -> None:
    """The clock of its reader runs while it is asked, and stands when it has answered."""

    async def main() -> None:
        backend, card = InProcessBackend([READER]), StuckCard()
        readers = CardReaders([ReaderFamily(backend, simulated=True, service=False)], [], lambda _: None)
        readers.start()
        try:
            backend.insert(READER, card)
            assert await asyncio.to_thread(card.asked.wait, 20)
            assert readers.silent_s(READER) > 0.0
            card.open.set()
            await readers.wait_for_card(READER, present=True)
            (reader,) = await readers.settle()
            assert reader.identity is not None
            assert readers.silent_s(READER) == 0.0
        finally:
            card.open.set()
            readers.stop()

    asyncio.run(main())


def test_the_holder_of_a_card_stays_known_as_the_last_error() -> None:
    """Another program held it when it was looked at; looked at again, the card is good and the error has its time."""

    async def main() -> None:
        backend = InProcessBackend([READER])
        backend.insert(READER, SoftwareCard(serial=7))
        held: CardConnection = backend.open(READER)
        readers = CardReaders([ReaderFamily(backend, simulated=True, service=False)], [], lambda _: None)
        readers.start()
        try:
            (reader,) = await readers.settle()
            assert reader.identity is not None
            assert reader.identity.state is CardState.BUSY
            held.close()
            (reader,) = await readers.settle(again=True)
            assert reader.identity is not None
            assert reader.identity.state is CardState.BLANK
            error = readers.last_error(READER)
            assert error is not None
            assert error.words == "the card is held by this program"
            assert error.at_us > 0
        finally:
            held.close()
            readers.stop()

    asyncio.run(main())


def test_why_the_card_service_is_away(tmp_path: Path) -> None:
    """Not installed, not running, or not for us: three different people are to be called."""
    nowhere, socket = tmp_path / "none", tmp_path / "pcscd.comm"
    assert pcscd.trouble("PC/SC service: error 8010001D", nowhere, str(tmp_path)) == "missing"
    (tmp_path / "pcscd").touch(mode=0o755)
    assert pcscd.trouble("PC/SC service: error 8010001D", nowhere, str(tmp_path)) == "stopped"
    assert pcscd.trouble("PC/SC service: error 8010006A", nowhere, str(tmp_path)) == "no_access"
    socket.touch()
    assert pcscd.trouble("PC/SC service: error 8010001E", socket, str(tmp_path)) == "stopped"
