"""Our panel against an independent reader: libosdp's own reader class in another process, on TCP and serial lines."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hardware.readers.binding import osdp_sys
from hardware.readers.delta import VENDOR_CODE, Delta, DeltaOperation
from hardware.readers.keys import generate_scbk
from hardware.readers.reader import DoorReaderConfig, LedColor, Setup
from tests.hardware.readers.reader_site import BADGE, IndependentReader, Site, table

DIGEST = bytes(range(32))
Make = Callable[..., IndependentReader]


@pytest.fixture(params=["tcp", "pty"])
def peer(request: pytest.FixtureRequest, site: Site, independent_reader: Make) -> IndependentReader:
    """An independent reader, secure with our panel as reader `door`."""
    key = generate_scbk()
    reader = independent_reader(line=request.param, key=key)
    uri = reader.where if request.param == "tcp" else f"serial:{reader.where}"
    site.fleet.configure([DoorReaderConfig("door", "north", uri, 5, key, baud=115200)])
    site.fleet.replace_grants(table(BADGE))
    site.fleet.start()
    site.await_secure()
    return reader


def test_card_at_an_independent_reader_opens(site: Site, peer: IndependentReader) -> None:
    """A card read there comes back as an output pulse, green and one beep."""
    peer.tell(card=[1, BADGE.bits, BADGE.value.hex()])
    got = [peer.expect("command")["command"]["command"] for _ in range(3)]
    assert got == [osdp_sys.CMD_OUTPUT, osdp_sys.CMD_LED, osdp_sys.CMD_BUZZER]
    assert [event.reason for event in site.events] == ["granted"]


def test_delta_arrives_byte_for_byte(site: Site, peer: IndependentReader) -> None:
    """The MFG command carries our delta and is acknowledged."""
    ack = site.fleet.announce(3, DIGEST)["door"].result(10)
    assert ack.delta_acked is True
    command = peer.expect("command")["command"]
    assert command["vendor_code"] == VENDOR_CODE
    assert Delta.decode(bytes.fromhex(command["data"])) == Delta(DeltaOperation.DENY, 3, DIGEST)


def test_an_independent_reader_takes_a_new_key(site: Site, peer: IndependentReader) -> None:
    """KEYSET; the channel is built anew with the new key, and the lamp obeys over it."""
    key = generate_scbk()
    site.fleet.change_setup("door", Setup(5, 115200, key)).result(10)
    assert bytes.fromhex(peer.expect("command")["command"]["data"]) == key
    site.fleet.light("door", LedColor.AMBER).result(10)
    assert peer.expect("command")["command"]["on_color"] == LedColor.AMBER


def test_wrong_key_never_comes_online(site: Site, independent_reader: Make) -> None:
    """Without the reader's key there is no channel, not even in plain text."""
    reader = independent_reader(line="tcp", key=generate_scbk())
    site.fleet.configure([DoorReaderConfig("door", "north", reader.where, 5, generate_scbk())])
    site.fleet.start()
    site.await_attempts("door", 2)
    assert not site.fleet.states()["door"].online


def test_tcp_line_that_is_hung_up_comes_back(site: Site, independent_reader: Make) -> None:
    """The panel reconnects by itself."""
    key = generate_scbk()
    reader = independent_reader(line="tcp", key=key)
    site.fleet.configure([DoorReaderConfig("door", "north", reader.where, 5, key)])
    site.fleet.start()
    site.await_secure()
    reader.tell(hang_up=True)
    site.await_states(lambda states: not states["door"].online)
    site.await_secure()
    site.fleet.light("door", LedColor.BLUE).result(10)


def test_enrolment_of_an_independent_reader(site: Site, independent_reader: Make) -> None:
    """A reader in install mode is given its own key and is served only over it."""
    key = generate_scbk()
    reader = independent_reader(line="tcp", key=bytes(16), flags="install")
    site.fleet.configure([DoorReaderConfig("door", "north", reader.where, 5, key, install=True)])
    site.fleet.start()
    site.await_secure()
    assert bytes.fromhex(reader.expect("command")["command"]["data"]) == key
