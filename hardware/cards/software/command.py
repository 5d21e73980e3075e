"""Command APDUs as a card reads them (ISO/IEC 7816-4, 5.1 and 5.2) and the status words it answers."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

SHORT_MAX: Final = 256
EXTENDED_MAX: Final = 65536
CHAINING: Final = 0x10
"""Bit of CLA: more blocks of this command follow."""
GET_RESPONSE: Final = 0xC0
SELECT: Final = 0xA4
GET_DATA: Final = 0xCB
GET_DATA_EVEN: Final = 0xCA


class Sw(IntEnum):
    """Status words (SP 800-73-5 part 2, table 6; ISO/IEC 7816-4, table 6)."""

    OK = 0x9000
    MORE = 0x6100
    TRIES_LEFT = 0x63C0
    MEMORY_FAILURE = 0x6581
    WRONG_LENGTH = 0x6700
    SECURE_MESSAGING_NOT_SUPPORTED = 0x6882
    SECURITY_STATUS = 0x6982
    BLOCKED = 0x6983
    CONDITIONS_OF_USE = 0x6985
    WRONG_DATA = 0x6A80
    NOT_SUPPORTED = 0x6A81
    NOT_FOUND = 0x6A82
    NO_SPACE = 0x6A84
    WRONG_P1_P2 = 0x6A86
    REFERENCE_NOT_FOUND = 0x6A88
    EXACT_LENGTH = 0x6C00
    UNKNOWN_INSTRUCTION = 0x6D00
    UNKNOWN_CLASS = 0x6E00


class StatusWord(Exception):
    """The card answers with this status word and no data."""

    def __init__(self, status: int) -> None:
        super().__init__(f"{status:04X}")
        self.status = status


@dataclass(frozen=True, slots=True)
class ReceivedApdu:
    """One command APDU.

    `expected` is Ne in bytes (1 to 65536), None where the command has no Le; `extended` tells the form of its lengths.
    """

    cla: int
    ins: int
    p1: int
    p2: int
    data: bytes = b""
    expected: int | None = None
    extended: bool = False

    @property
    def header(self) -> tuple[int, int, int, int]:
        """CLA without the chaining bit, INS, P1, P2: what all blocks of a chain have in common."""
        return self.cla & ~CHAINING, self.ins, self.p1, self.p2


def parse_command(apdu: bytes) -> ReceivedApdu:
    """Read one command APDU of any of the seven cases; raises `StatusWord` 6700 for anything else."""
    if len(apdu) < 4:
        raise StatusWord(Sw.WRONG_LENGTH)
    cla, ins, p1, p2 = apdu[:4]
    body = apdu[4:]
    if not body:
        return ReceivedApdu(cla, ins, p1, p2)
    if len(body) == 1:
        return ReceivedApdu(cla, ins, p1, p2, expected=body[0] or SHORT_MAX)
    if body[0]:
        size, rest, wide, most = body[0], body[1:], 1, SHORT_MAX
    elif len(body) == 3:
        return ReceivedApdu(cla, ins, p1, p2, expected=int.from_bytes(body[1:], "big") or EXTENDED_MAX, extended=True)
    else:
        size, rest, wide, most = int.from_bytes(body[1:3], "big"), body[3:], 2, EXTENDED_MAX
    data, le = rest[:size], rest[size:]
    if not size or len(data) != size or len(le) not in (0, wide):
        raise StatusWord(Sw.WRONG_LENGTH)
    expected = (int.from_bytes(le, "big") or most) if le else None
    return ReceivedApdu(cla, ins, p1, p2, data, expected, extended=wide == 2)
