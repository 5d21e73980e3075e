"""The wire to the virtual reader, and the command that serves a card on it, against the real pcscd."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from smartcard import scard

from hardware.cards.software import SoftwareCard, Tear, TearPoint
from hardware.cards.software.vpcd import Messages, VpcdLink, WireError, frame

if TYPE_CHECKING:
    from tests.conftest import PcscService

READER = "Virtual PCD 00 00"
ROOT = Path(__file__).parents[4]


@contextmanager
def connected() -> Iterator[int]:
    """A card handle of PC/SC on the first reader."""
    code, context = scard.SCardEstablishContext(scard.SCARD_SCOPE_SYSTEM)
    assert code == scard.SCARD_S_SUCCESS
    try:
        code, handle, _ = scard.SCardConnect(context, READER, scard.SCARD_SHARE_SHARED, scard.SCARD_PROTOCOL_T1)
        assert code == scard.SCARD_S_SUCCESS, scard.SCardGetErrorMessage(code)
        yield handle
    finally:
        scard.SCardReleaseContext(context)


def transmit(handle: int, apdu: str) -> str:
    """One APDU through PC/SC, hex to hex; an error of PC/SC as its number."""
    code, answer = scard.SCardTransmit(handle, scard.SCARD_PCI_T1, list(bytes.fromhex(apdu)))
    return bytes(answer).hex().upper() if code == scard.SCARD_S_SUCCESS else f"{code & 0xFFFFFFFF:08X}"


SELECT = "00A4040009A0000003080000100000"


@given(st.lists(st.binary(min_size=1, max_size=400), max_size=6), st.lists(st.integers(1, 50), min_size=1, max_size=8))
def test_messages_survive_any_segments(messages: list[bytes], cuts: list[int]) -> None:
    """However the stream is cut, the same messages come out."""
    stream = b"".join(frame(message) for message in messages)
    reader = Messages()
    found: list[bytes] = []
    turn = 0
    while stream:
        size = cuts[turn % len(cuts)]
        found += reader.feed(stream[:size])
        stream, turn = stream[size:], turn + 1
    assert found == messages


@given(st.lists(st.binary(max_size=50), max_size=6))
def test_arbitrary_bytes_are_messages_or_an_error(segments: list[bytes]) -> None:
    """No bytes bring anything but messages of at least one byte, or a WireError."""
    reader = Messages()
    try:
        found = [message for segment in segments for message in reader.feed(segment)]
    except WireError:
        return
    assert all(found)
    assert sum(len(message) + 2 for message in found) <= sum(len(segment) for segment in segments)


def test_message_without_a_byte_is_an_error() -> None:
    """Length zero is no message."""
    with pytest.raises(WireError):
        Messages().feed(b"\0\0")


def test_card_in_the_reader_answers(pcscd: "PcscService") -> None:
    """PIV is selected through PC/SC."""
    with pcscd.inserted(SoftwareCard()), connected() as handle:
        assert transmit(handle, SELECT).endswith("9000")


def test_reader_shows_the_cards_atr(pcscd: "PcscService") -> None:
    """pcscd reads the ATR of the design, and T=1 from it."""
    with pcscd.inserted(SoftwareCard()), connected() as handle:
        _, _, _, protocol, atr = scard.SCardStatus(handle)
        assert (bytes(atr).hex().upper(), protocol) == ("3BF71100008131FE654152432D53494DE7", scard.SCARD_PROTOCOL_T1)


def test_reconnect_with_unpower_ends_the_session(pcscd: "PcscService") -> None:
    """Power off and on again loses the verified PIN."""
    with pcscd.inserted(SoftwareCard()), connected() as handle:
        transmit(handle, SELECT)
        before = transmit(handle, "0020008008313233343536FFFF")
        scard.SCardReconnect(handle, scard.SCARD_SHARE_SHARED, scard.SCARD_PROTOCOL_T1, scard.SCARD_UNPOWER_CARD)
        transmit(handle, SELECT)
        assert (before, transmit(handle, "00200080")) == ("9000", "63C3")


def test_extended_commands_pass_the_reader(pcscd: "PcscService") -> None:
    """A command of 2000 bytes arrives whole: refused for the missing 9B key, not for its length."""
    with pcscd.inserted(SoftwareCard()), connected() as handle:
        transmit(handle, SELECT)
        assert transmit(handle, f"00DB3FFF00{2000:04X}" + "00" * 2000) == "6982"


def test_card_dials_in_again_after_a_restart(pcscd: "PcscService") -> None:
    """The card finds its way back into the reader when pcscd was restarted."""
    with pcscd.inserted(SoftwareCard()):
        pcscd.restart()
        pcscd.wait_for_card(True)
        with connected() as handle:
            assert transmit(handle, SELECT).endswith("9000")


def test_torn_card_leaves_the_reader(pcscd: "PcscService") -> None:
    """A tear empties the reader; vpcd calls the lost answer a success, but it holds no status word."""
    card = SoftwareCard()
    with pcscd.inserted(card), connected() as handle:
        card.arm(Tear(1, TearPoint.BEFORE))
        answer = transmit(handle, SELECT)
        pcscd.wait_for_card(False)
    assert answer == ""


def test_command_serves_a_card_from_its_file(pcscd: "PcscService", tmp_path: Path) -> None:
    """The command makes a blank card with a serial number and keeps it."""
    serials = []
    for _ in range(2):
        with pcscd.command(tmp_path / "card"), connected() as handle:
            transmit(handle, SELECT)
            serials.append(transmit(handle, "00F8000000"))
    assert serials[0] == serials[1]
    assert serials[0].endswith("9000")


def test_command_ends_cleanly_on_sigterm(pcscd: "PcscService", tmp_path: Path) -> None:
    """SIGTERM takes the card out and the process ends with 0."""
    with pcscd.command(tmp_path / "card") as process:
        process.terminate()
        process.wait(10)
    assert process.returncode == 0


def test_command_refuses_a_file_that_is_no_card(tmp_path: Path) -> None:
    """Another file is left alone: exit 2 and one line why."""
    path = tmp_path / "notes"
    path.write_text("not a card")
    arguments = ["--vpcd", "1", "--state", str(path)]
    done = subprocess.run(
        [sys.executable, "-m", "hardware.cards.software", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, "notes is not a software card: DecodeError\n")


def test_link_without_a_reader_can_be_stopped() -> None:
    """stop() ends a link that waits for its reader."""
    link = VpcdLink(SoftwareCard(), 1)
    thread = threading.Thread(target=link.run)
    thread.start()
    link.stop()
    thread.join(10)
    assert not thread.is_alive()


@pytest.mark.parametrize("port", [0, 65536, -1])
def test_impossible_ports_are_refused(port: int) -> None:
    """A port is 1 to 65535."""
    with pytest.raises(ValueError, match="port"):
        VpcdLink(SoftwareCard(), port)
