"""The report of a maker's own management application: Yubico's READ CONFIG. It proves no more than the wire does."""

from dataclasses import dataclass
from typing import Final

from hardware.cards import tlv
from hardware.cards.apdu import ApduChannel, CommandApdu
from hardware.cards.backend import ProtocolError

MANAGEMENT_AID: Final = bytes.fromhex("A000000527471117")
READ_CONFIG: Final = 0x1D

_PIV_BIT: Final = 0x02
_SERIAL, _FORM, _FIRMWARE, _CAPABLE, _APPROVED = 0x02, 0x04, 0x05, 0x14, 0x15


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """A device's own words. `capable`: its PIV application can be in FIPS approved mode; `approved`: it is now."""

    firmware: tuple[int, int, int]
    serial: int | None
    form_factor: int | None
    capable: bool
    approved: bool


def read_device_report(channel: ApduChannel) -> DeviceReport | None:
    """Ask the management application, which stays selected; None if there is none or its answer is malformed.

    Raises `TransportError` only.
    """
    try:
        # Without such an application some cards answer for the one that stays selected: only 9000 counts.
        if not channel.select(MANAGEMENT_AID).ok:
            return None
        reply = channel.send(CommandApdu(0, READ_CONFIG, 0, 0, b"", 256))
        if not reply.ok or len(reply.data) != reply.data[0] + 1:
            return None
        items = {item.tag: item.value for item in tlv.parse(reply.data[1:])}
    except (ProtocolError, tlv.TlvError, IndexError):
        return None
    firmware = items.get(_FIRMWARE, b"")
    if len(firmware) != 3:
        return None
    form = items.get(_FORM, b"")
    return DeviceReport(
        firmware=(firmware[0], firmware[1], firmware[2]),
        serial=int.from_bytes(items[_SERIAL], "big") if items.get(_SERIAL) else None,
        form_factor=form[0] if len(form) == 1 else None,
        capable=bool(int.from_bytes(items.get(_CAPABLE, b""), "big") & _PIV_BIT),
        approved=bool(int.from_bytes(items.get(_APPROVED, b""), "big") & _PIV_BIT),
    )
