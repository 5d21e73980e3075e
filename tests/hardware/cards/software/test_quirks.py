"""Each quirk met on independent cards can be switched on."""

import os
from typing import TYPE_CHECKING

import pytest
from cryptography import x509

from hardware.cards.software import (
    SELF_ATTESTING_CARD,
    SIMPLE_CARD,
    AttestationQuirk,
    PinAlways,
    Quirks,
    SoftwareCard,
)
from hardware.cards.tlv import encode, find

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.hardware.cards.software.conftest import Host

    HostOf = Callable[[SoftwareCard], Host]

AES_KEY = bytes(range(1, 9)) * 4
READ = "00CB3FFF055C035FC105"


def _with_object(host_of: "HostOf", quirks: Quirks, size: int) -> "Host":
    host = host_of(SoftwareCard(quirks=quirks))
    host.authenticate()
    assert host.put(0x5FC105, bytes(size)) == 0x9000
    return host


def test_starving_card_never_sends_a_byte(host_of: "HostOf") -> None:
    """GET DATA without Le: 61xx with no bytes, however often GET RESPONSE asks."""
    host = _with_object(host_of, Quirks(starves_without_le=True), 298)
    assert [host.raw(READ), *(host.raw("00C0000000") for _ in range(50))] == ["61FF"] * 51


def test_starving_card_feeds_a_command_with_le(host_of: "HostOf") -> None:
    """The same read with Le brings its data."""
    host = _with_object(host_of, Quirks(starves_without_le=True), 20)
    host.raw(READ)
    assert host.get(0x5FC105) == (encode(0x53, bytes(20)), 0x9000)


def test_long_answers_can_come_whole(host_of: "HostOf") -> None:
    """302 bytes come in one piece though the short Le allows 256."""
    host = _with_object(host_of, Quirks(whole_responses=True), 298)
    assert len(host.raw(READ + "00")) // 2 == 304


def test_remaining_length_can_count_the_status(host_of: "HostOf") -> None:
    """302 bytes come as 256 and 6130, though 46 are left."""
    host = _with_object(host_of, Quirks(remaining_counts_status=True), 298)
    assert host.raw(READ + "00")[-4:] == "6130"


def test_exact_le_is_demanded(host_of: "HostOf") -> None:
    """6Cxx names the length; asked once again with it the data come."""
    host = _with_object(host_of, Quirks(exact_le=True), 20)
    assert (host.raw(READ + "00"), host.raw(READ + "16")[-4:]) == ("6C16", "9000")


def test_long_commands_are_refused(host_of: "HostOf") -> None:
    """Above its longest command the card answers 6700."""
    host = host_of(SoftwareCard(quirks=Quirks(longest_command=1336)))
    host.authenticate()
    longest = 1336 - 4 - 3 - 2
    data = [bytes.fromhex("5C035FC105") + encode(0x53, bytes(longest - 9 + more)) for more in (0, 1)]
    assert [host.send("00DB3FFF", one, extended=True)[1] for one in data] == [0x9000, 0x6700]


@pytest.mark.parametrize("status", [0x6700, 0x6D00, 0x6E00])
def test_extended_length_can_be_unknown(host_of: "HostOf", status: int) -> None:
    """A card of short commands refuses even a short command in extended form, by the status of its kind."""
    host = host_of(SoftwareCard(quirks=Quirks(longest_command=261, too_long_status=status)))
    assert host.send("00CB3FFF", bytes.fromhex("5C017E"), extended=True)[1] == status


@pytest.mark.parametrize(
    ("ins", "status"), [(0xF7, 0x6A86), (0xF9, 0x6D00), (0xFD, 0x6D00), (0xFF, 0x6D00), (0x2C, 0x6D00)]
)
def test_instructions_can_be_refused(host_of: "HostOf", ins: int, status: int) -> None:
    """Any PIV instruction can be switched off, with the status of choice."""
    host = host_of(SoftwareCard(quirks=Quirks(refusals={ins: status})))
    assert host.status(f"00{ins:02X}0080", bytes(16)) == status


def test_missing_object_is_refused_at_the_first_block(host_of: "HostOf") -> None:
    """PUT DATA of the security object is 6A82 before the chain's second block is sent."""
    host = host_of(SoftwareCard(quirks=SIMPLE_CARD))
    host.authenticate()
    block = bytes.fromhex("10DB3FFFFF") + bytes.fromhex("5C035FC106538201F4") + bytes(246)
    assert host.card.transmit(block) == b"\x6a\x82"


def test_simple_card_refuses_aes_keys(host_of: "HostOf") -> None:
    """Only 3DES: setting AES-256 is 6700."""
    host = host_of(SoftwareCard(quirks=SIMPLE_CARD))
    host.authenticate()
    assert host.status("00FFFFFF", b"\x0c\x9b\x20" + os.urandom(32)) == 0x6700


def test_simple_card_refuses_other_puks(host_of: "HostOf") -> None:
    """A PUK that is not eight digits is 6A80."""
    host = host_of(SoftwareCard(quirks=SIMPLE_CARD))
    assert host.status("00240081", b"12345678" + b"abcdefgh") == 0x6A80


def test_factory_guids_are_random(host_of: "HostOf") -> None:
    """Two cards of one make leave the factory with CHUIDs of different GUIDs."""
    bodies = [host_of(SoftwareCard(quirks=SIMPLE_CARD)).get(0x5FC102)[0] for _ in range(2)]
    guids = {find(body, 0x53, 0x34) for body in bodies}
    assert len(guids - {None}) == 2


@pytest.mark.parametrize(("quirks", "status"), [(SIMPLE_CARD, "6E00"), (SELF_ATTESTING_CARD, "6986")])
def test_cplc_can_be_refused(quirks: Quirks, status: str) -> None:
    """The security domain keeps its CPLC to itself."""
    assert SoftwareCard(quirks=quirks).transmit(bytes.fromhex("80CA9F7F00")).hex().upper() == status


def test_contactless_uid_can_be_empty() -> None:
    """FFCA answers 9000 without a byte."""
    assert SoftwareCard(quirks=SIMPLE_CARD).transmit(bytes.fromhex("FFCA000000")) == b"\x90\x00"


def test_unknown_select_can_be_6d00(host_of: "HostOf") -> None:
    """The applet that stays selected answers the unknown SELECT itself."""
    host = host_of(SoftwareCard(quirks=SELF_ATTESTING_CARD))
    assert host.status("00A40400", bytes.fromhex("A0000005272001")) == 0x6D00


def test_factory_key_can_be_aes(host_of: "HostOf") -> None:
    """A factory management key of AES-256."""
    assert host_of(SoftwareCard(quirks=SELF_ATTESTING_CARD)).authenticate(AES_KEY, 0x0C) == 0x9000


def test_tries_can_be_five(host_of: "HostOf") -> None:
    """Five PIN tries."""
    assert host_of(SoftwareCard(quirks=SELF_ATTESTING_CARD)).status("00200080") == 0x63C5


def test_signature_key_can_be_lax(host_of: "HostOf") -> None:
    """9C signs again without a new VERIFY."""
    host = host_of(SoftwareCard(quirks=Quirks(pin_always=PinAlways.OFF)))
    host.authenticate()
    host.generate(0x9C)
    host.verify()
    assert [host.sign(0x9C, bytes(32))[1] for _ in range(2)] == [0x9000, 0x9000]


def test_signature_key_can_be_strict(host_of: "HostOf") -> None:
    """9C refuses after any command between VERIFY and the signature."""
    host = host_of(SoftwareCard(quirks=Quirks(pin_always=PinAlways.IMMEDIATE)))
    host.authenticate()
    host.generate(0x9C)
    host.verify()
    host.get(0x5FC102)
    refused = host.sign(0x9C, bytes(32))[1]
    host.verify()
    assert (refused, host.sign(0x9C, bytes(32))[1]) == (0x6982, 0x9000)


def test_printed_information_can_be_open(host_of: "HostOf") -> None:
    """5FC109 is read without the PIN."""
    host = host_of(SoftwareCard(quirks=Quirks(printed_needs_pin=False)))
    host.authenticate()
    host.put(0x5FC109, b"abc")
    assert host.get(0x5FC109)[1] == 0x9000


def test_self_signed_attestation_is_no_ca(host_of: "HostOf") -> None:
    """The F9 certificate issues itself and lacks basic constraints."""
    host = host_of(SoftwareCard(quirks=SELF_ATTESTING_CARD))
    signer = x509.load_der_x509_certificate(find(host.get(0x5FFF01)[0], 0x53, 0x70) or b"")
    assert signer.issuer == signer.subject
    assert len(signer.extensions) == 0


def test_attestation_can_be_cut(host_of: "HostOf") -> None:
    """The leaf is a byte short and no certificate."""
    host = host_of(SoftwareCard(quirks=Quirks(attestation=AttestationQuirk.CUT)))
    host.authenticate()
    host.generate(0x9A)
    leaf, status = host.send("00F99A00")
    assert status == 0x9000
    with pytest.raises(ValueError, match="ShortData"):
        x509.load_der_x509_certificate(leaf)


@pytest.mark.parametrize("fields", [{"pin_tries": 0}, {"pin_tries": 16}, {"factory_management": 0x07}])
def test_impossible_quirks_are_refused(fields: dict[str, int]) -> None:
    """Values no card could have are errors at once."""
    with pytest.raises(ValueError, match=r"pin_tries|algorithm"):
        Quirks(**fields)
