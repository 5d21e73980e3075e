"""The PC/SC backend and monitor over a real pcscd with a virtual reader, through restarts and pulled cards."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from smartcard import scard

from hardware.cards import pcsc
from hardware.cards.apdu import ApduChannel
from hardware.cards.backend import (
    CardBusy,
    CardTorn,
    NoCard,
    NoReaderService,
    NoSuchReader,
    TransportError,
)
from hardware.cards.identify import CardState, identify_reader
from hardware.cards.monitor import CardMonitor, CardReaderState
from hardware.cards.pcsc import PcscBackend
from hardware.cards.personalize import Personalizer
from hardware.cards.software import ATR, SoftwareCard, Tear, TearPoint
from tests.hardware.cards.card_site import TestSite, new_secrets

if TYPE_CHECKING:
    from tests.conftest import PcscService

READER = "Virtual PCD 00 00"
SELECT = bytes.fromhex("00A4040005A00000030800")
SITE = TestSite()


class Log:
    """Collects what a monitor tells, and waits for it."""

    def __init__(self) -> None:
        self.told: list[list[CardReaderState]] = []
        self._changed = threading.Condition()

    def __call__(self, states: list[CardReaderState]) -> None:
        with self._changed:
            self.told.append(states)
            self._changed.notify_all()

    def wait(self, condition: Callable[[dict[str, CardReaderState]], bool]) -> dict[str, CardReaderState]:
        def met() -> bool:
            return bool(self.told) and condition({state.reader: state for state in self.told[-1]})

        with self._changed:
            assert self._changed.wait_for(met, 20), self.told
            return {state.reader: state for state in self.told[-1]}


@pytest.fixture
def log() -> Iterator[Log]:
    told = Log()
    monitor = CardMonitor([PcscBackend()], told)
    monitor.start()
    yield told
    monitor.stop()


def test_readers_are_listed(pcscd: "PcscService") -> None:
    """Both virtual readers are there."""
    assert PcscBackend().readers() == [READER, "Virtual PCD 00 01"]


def test_card_answers_over_pcsc(pcscd: "PcscService") -> None:
    """An inserted card gives its ATR and answers."""
    with pcscd.inserted(SoftwareCard()), PcscBackend().open(READER) as card:
        assert card.atr == ATR
        assert card.transmit(SELECT)[-2:] == b"\x90\x00"


def test_unknown_reader_is_told(pcscd: "PcscService") -> None:
    """A reader that is not connected is no empty reader."""
    with pytest.raises(NoSuchReader):
        PcscBackend().open("Reader of another machine")


def test_empty_reader_is_told(pcscd: "PcscService") -> None:
    """A reader without a card cannot be opened."""
    with pytest.raises(NoCard):
        PcscBackend().open(READER)


def test_held_card_is_busy(pcscd: "PcscService", monkeypatch: pytest.MonkeyPatch) -> None:
    """An exclusive hold keeps others out."""
    monkeypatch.setattr(pcsc, "BUSY_PATIENCE", 0.05)
    with pcscd.inserted(SoftwareCard()), PcscBackend().open(READER), pytest.raises(CardBusy):
        PcscBackend().open(READER)


def test_holder_in_another_process_is_named(pcscd: "PcscService", monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the programs that could hold the card, with their process numbers."""
    monkeypatch.setattr(pcsc, "BUSY_PATIENCE", 0.05)
    hold = (
        "import sys; from smartcard import scard as s; sys.stdin.readline(); c = s.SCardEstablishContext(0)[1]; "
        f"code, card, _ = s.SCardConnect(c, {READER!r}, s.SCARD_SHARE_EXCLUSIVE, 3); print(code, flush=True); "
        "sys.stdin.read(); s.SCardDisconnect(card, s.SCARD_LEAVE_CARD)"
    )
    holder = subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with pcscd.inserted(SoftwareCard()), holder as other:
        assert other.stdin is not None
        assert other.stdout is not None
        other.stdin.write(b"\n")
        other.stdin.flush()
        assert other.stdout.readline() == b"0\n"
        with pytest.raises(CardBusy) as caught:
            PcscBackend().open(READER)
        other.communicate()
    assert f"process {other.pid})" in (caught.value.holder or "")


def test_open_waits_for_the_holder(pcscd: "PcscService") -> None:
    """Who opens a card that is held for a moment gets it."""
    with pcscd.inserted(SoftwareCard()):
        first = PcscBackend().open(READER)
        timer = threading.Timer(0.2, first.close)
        timer.start()
        with PcscBackend().open(READER) as second:
            assert second.transmit(SELECT)[-2:] == b"\x90\x00"
        timer.join()


def test_power_cycle_keeps_the_hold_and_forgets_the_session(
    pcscd: "PcscService", monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fresh session has nothing selected, and no other program came in between."""
    monkeypatch.setattr(pcsc, "BUSY_PATIENCE", 0.05)
    with pcscd.inserted(SoftwareCard()), PcscBackend().open(READER) as card:
        card.transmit(SELECT)
        assert card.transmit(bytes.fromhex("00200080")) == b"\x63\xc3"
        card.reconnect_fresh()
        assert card.transmit(bytes.fromhex("00200080")) != b"\x63\xc3"
        with pytest.raises(CardBusy):
            PcscBackend().open(READER)


def test_closed_connection_leaves_nothing_verified(pcscd: "PcscService") -> None:
    """The next program finds no verified PIN."""
    with pcscd.inserted(SoftwareCard()):
        with PcscBackend().open(READER) as card:
            card.transmit(SELECT)
            assert card.transmit(bytes.fromhex("0020008008") + b"123456\xff\xff") == b"\x90\x00"
        with PcscBackend().open(READER) as card:
            card.transmit(SELECT)
            assert card.transmit(bytes.fromhex("00200080")) == b"\x63\xc3"


def test_pulled_card_is_told(pcscd: "PcscService") -> None:
    """A card pulled out in the middle of a command is a broken path, and closing is quiet."""
    card = SoftwareCard()
    with pcscd.inserted(card), PcscBackend().open(READER) as connection:
        card.arm(Tear(1, TearPoint.BEFORE))
        with pytest.raises(TransportError):
            connection.transmit(SELECT)
        with pytest.raises(TransportError):
            connection.transmit(SELECT)


@pytest.mark.parametrize("use", ["transmit", "reconnect_fresh", "close"])
def test_reader_is_usable_after_a_card_pulled_unnoticed(pcscd: "PcscService", use: str) -> None:
    """Pulled between two commands, before pcscd looks: whatever we do next, the reader takes the next card."""

    class Card(SoftwareCard):
        off = threading.Event()

        def power(self, on: bool) -> None:
            super().power(on)
            if not on:
                self.off.set()

    card = Card()
    with pcscd.inserted(card) as link, PcscBackend().open(READER) as connection:
        card.off.clear()
        link.stop()
        assert card.off.wait(20)  # the link cuts the power when its wire is down
        if use == "transmit":
            with pytest.raises(TransportError):
                connection.transmit(SELECT)
        if use == "reconnect_fresh":
            with pytest.raises(TransportError):
                connection.reconnect_fresh()
    with pcscd.inserted(SoftwareCard()), PcscBackend().open(READER) as again:
        assert again.transmit(SELECT)[-2:] == b"\x90\x00"


def test_service_that_dies_in_use_is_a_broken_path(pcscd: "PcscService") -> None:
    """After the end of pcscd a connection raises and closes quietly, opening names the cause; then all works again."""
    with pcscd.inserted(SoftwareCard()):
        connection = PcscBackend().open(READER)
        pcscd.stop()
        try:
            with pytest.raises(TransportError):
                connection.transmit(SELECT)
            connection.close()
            with pytest.raises(NoReaderService):
                PcscBackend().open(READER)
            with pytest.raises(NoReaderService):
                PcscBackend().readers()
        finally:
            pcscd.start()
        pcscd.wait_for_card(True)
        with PcscBackend().open(READER) as again:
            assert again.transmit(SELECT)[-2:] == b"\x90\x00"


def test_dead_handles_are_transport_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """pyscard's SystemError for a dead handle is turned into an error of ours."""

    def dead(*_: Any) -> None:
        raise SystemError("returned a result with an exception set")

    with pytest.raises(TransportError):
        pcsc._call(dead)


def test_monitor_sees_cards_come_and_go(pcscd: "PcscService", log: Log) -> None:
    """Insertion and removal are told, with ATR and a growing count."""
    before = log.wait(lambda states: READER in states)[READER]
    with pcscd.inserted(SoftwareCard()):
        there = log.wait(lambda states: states[READER].present)[READER]
        assert there.atr == ATR
        assert there.changes > before.changes
    log.wait(lambda states: not states[READER].present and states[READER].changes > there.changes)


def test_monitor_does_not_take_our_own_work_for_another_card(pcscd: "PcscService", log: Log) -> None:
    """Opening, power cycles and closing leave the count alone: nothing learnt about the card is lost by using it."""
    with pcscd.inserted(SoftwareCard()):
        there = log.wait(lambda states: READER in states and states[READER].present)[READER]
        for _ in range(3):
            with PcscBackend().open(READER) as card:
                card.transmit(SELECT)
                card.reconnect_fresh()
        told = len(log.told)
        pcscd.wait_for_card(True)
        assert log.told[-1][0] == there
        assert len(log.told) == told


def test_monitor_survives_a_restart_of_the_service(pcscd: "PcscService", log: Log) -> None:
    """Readers vanish with pcscd and come back with it; the card in them counts as another one."""
    with pcscd.inserted(SoftwareCard()):
        before = log.wait(lambda states: READER in states and states[READER].present)[READER]
        pcscd.stop()
        log.wait(lambda states: not states)
        pcscd.start()
        pcscd.wait_for_card(True)
        log.wait(lambda states: READER in states and states[READER].present)
        assert log.wait(lambda states: states[READER].present)[READER].changes > before.changes


def test_idle_monitor_does_not_spin(pcscd: "PcscService", monkeypatch: pytest.MonkeyPatch) -> None:
    """Without changes each look waits for its whole time: pcscd is asked about once a second."""
    looks: list[float] = []
    real = scard.SCardGetStatusChange

    def counted(context: int, wait_ms: int, states: list[tuple[str, int]]) -> Any:
        looks.append(wait_ms)
        return real(context, wait_ms, states)

    monkeypatch.setattr(scard, "SCardGetStatusChange", counted)
    watch = PcscBackend().watch()
    watch.wait(1.0)
    watch.wait(0.3)
    watch.wait(0.3)
    watch.close()
    assert looks == [0, 300, 300]


def test_cancelled_watch_returns(pcscd: "PcscService") -> None:
    """A long wait ends when another thread cancels it."""
    watch = PcscBackend().watch()
    watch.wait(1.0)
    done = threading.Event()

    def wait() -> None:
        watch.wait(60.0)
        done.set()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    while not done.wait(0.05):
        watch.cancel()
    thread.join()
    watch.close()


def test_card_is_personalized_over_pcsc(pcscd: "PcscService") -> None:
    """The whole order over a real reader service takes the same 38 APDUs and proves the card."""
    profile = SITE.profile()
    with pcscd.inserted(SoftwareCard()):
        with PcscBackend().open(READER) as connection:
            result = Personalizer(SITE).run(ApduChannel(connection), profile, new_secrets())
        identity = identify_reader(PcscBackend(), READER, SITE.authorities)
    assert result.apdu_count == 38
    assert result.verification.read_back
    assert (identity.state, identity.card_guid) == (CardState.PROVISIONED, profile.guid)


@pytest.mark.parametrize("apdu", [9, 30])
def test_card_pulled_over_pcsc_is_torn(pcscd: "PcscService", apdu: int) -> None:
    """A card pulled out of a real reader in the middle of the order is torn, and known as such when it is back."""
    card = SoftwareCard()
    with pcscd.inserted(card), PcscBackend().open(READER) as connection:
        card.arm(Tear(apdu, TearPoint.AFTER))
        with pytest.raises(CardTorn):
            Personalizer(SITE).run(ApduChannel(connection), SITE.profile(), new_secrets())
    with pcscd.inserted(card):
        identity = identify_reader(PcscBackend(), READER, SITE.authorities)
    assert identity.state is (CardState.TORN if apdu < 16 else CardState.PROVISIONED)


@pytest.mark.parametrize(
    ("apdu", "tpdu"),
    [
        ("00200080", "0020008000"),
        ("00C0000010", "00C0000010"),
        ("00A4040002A00000", "00A4040002A000"),
        ("0024008002AABB", "0024008002AABB"),
        ("00CB3FFF0000055C035FC1020000", None),
    ],
    ids=["neither", "le", "both", "lc", "extended"],
)
def test_t0_carries_lc_or_le(apdu: str, tpdu: str | None) -> None:
    """ISO/IEC 7816-3, 12.2: P3 always, never Lc and Le together, and nothing extended."""
    assert pcsc._tpdu(bytes.fromhex(apdu)) == (None if tpdu is None else bytes.fromhex(tpdu))
