"""What a management application says of its device is read bounded, and nonsense is no report."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yubikit.core import Version
from yubikit.management import DeviceInfo

from hardware.cards.apdu import ApduChannel
from hardware.cards.device import DeviceReport, read_device_report
from tests.hardware.cards.card_site import ScriptedConnection


def report_of(*answers: str) -> DeviceReport | None:
    return read_device_report(ApduChannel(ScriptedConnection.of(*answers)))


def with_length(body: str) -> str:
    return f"{len(body) // 2:02x}{body}9000"


BODY = "0102023f0302023f" + "0204000047110401810503050704140102150102"


def test_report_is_read_as_yubikit_reads_it() -> None:
    """Firmware, serial, form factor and the FIPS bits of PIV: the same as the independent reader finds."""
    ours = report_of("9000", with_length(BODY))
    assert ours == DeviceReport((5, 7, 4), 0x4711, 0x81, capable=True, approved=True)
    peer = DeviceInfo.parse(bytes.fromhex(f"{len(BODY) // 2:02x}{BODY}"), Version(5, 7, 4))
    assert (peer.serial, tuple(peer.version), bool(peer.fips_capable & 0x10), bool(peer.fips_approved & 0x10)) == (
        ours.serial,
        ours.firmware,
        ours.capable,
        ours.approved,
    )


def test_bits_of_other_applications_do_not_count() -> None:
    """FIDO and OATH in approved mode say nothing of PIV."""
    ours = report_of("9000", with_length("05030507041401ff15010d"))
    assert ours is not None
    assert (ours.capable, ours.approved) == (True, False)


@pytest.mark.parametrize(
    "answers",
    [
        ("6A82",),
        ("6D00",),
        ("9000", "6D00"),
        ("9000", "9000"),
        ("9000", "039000"),
        ("9000", "0305FF009000"),
        ("9000", with_length("0502" + "0507")),
        ("9000", with_length("020400004711")),
    ],
)
def test_nonsense_is_no_report(answers: tuple[str, ...]) -> None:
    """No application, an applet that answers for it, cut or missing fields: none."""
    assert report_of(*answers) is None


@given(st.binary(max_size=80), st.binary(max_size=80))
def test_no_bytes_surprise(first: bytes, second: bytes) -> None:
    """Whatever a card answers there is a report or none."""
    found = report_of((first + b"\x90\x00").hex(), (second + b"\x90\x00").hex())
    assert found is None or len(found.firmware) == 3
