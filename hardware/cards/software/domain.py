"""The security domain of a software card: identity and CPLC (GlobalPlatform Card Specification 2.3.1)."""

from typing import Final

from hardware.cards.software.command import GET_DATA_EVEN, ReceivedApdu, StatusWord, Sw
from hardware.cards.software.quirks import Quirks
from hardware.cards.software.state import SoftwareCardState
from hardware.cards.tlv import encode

DOMAIN_AID: Final = bytes.fromhex("A000000151000000")
CPLC_SIZE: Final = 42
"""Bytes of card production life cycle data, without tag 9F7F and length."""


def make_cplc(serial: bytes) -> bytes:
    """CPLC of a software card: zero but for the IC serial number (4 bytes at offset 12) and the batch (2 behind it).

    Zero makers and dates say that no real chip is meant.
    """
    return (bytes(12) + serial).ljust(CPLC_SIZE, b"\0")


class SecurityDomain:
    """The application that is selected when a card is powered on."""

    aid = DOMAIN_AID

    def __init__(self, state: SoftwareCardState) -> None:
        self._state = state

    @property
    def _quirks(self) -> Quirks:
        return self._state.quirks

    def select(self) -> bytes:
        """File control information (11.9.3.1): the application's name and the longest command data field."""
        return encode(0x6F, encode(0x84, DOMAIN_AID) + encode(0xA5, encode(0x9F65, b"\xff")))

    def process(self, command: ReceivedApdu) -> bytes:
        """Answer one whole command; raises `StatusWord`."""
        if command.cla not in (0x00, 0x80):
            raise StatusWord(Sw.UNKNOWN_CLASS)
        if command.ins != GET_DATA_EVEN:
            raise StatusWord(Sw.UNKNOWN_INSTRUCTION)
        if (command.p1, command.p2) != (0x9F, 0x7F):
            raise StatusWord(Sw.REFERENCE_NOT_FOUND)
        if self._quirks.cplc_status != Sw.OK:
            raise StatusWord(self._quirks.cplc_status)
        return encode(0x9F7F, self._state.cplc)

    def deselect(self) -> None:
        """Does nothing: the domain has no session of its own; the secure channel is the card's."""
