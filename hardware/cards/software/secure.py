"""The card's end of SCP03 (GlobalPlatform Amendment D): handshake and unwrapping of commands."""

import hmac
import secrets
from typing import Final

from hardware.cards import apdu, scp03
from hardware.cards.scp03 import MAC_LENGTH, SessionKeys, StaticKeys
from hardware.cards.software.command import ReceivedApdu, StatusWord, Sw
from hardware.cards.software.state import SoftwareCardState

_RANDOM: Final = 0x60
"""Parameter i: R-MAC and R-ENCRYPTION are supported, challenges are random (no sequence counter)."""
_BLOCK: Final = 16


class SecureEnd:
    """At most one session, with the selected application. `close` and every wrong MAC end it."""

    def __init__(self, state: SoftwareCardState) -> None:
        self._state = state
        self.close()

    def close(self) -> None:
        """Selection, reset and loss of power end the session."""
        self._keys: SessionKeys | None = None
        self._context = b""
        self._open = False
        self._chain = bytes(_BLOCK)
        self._counter = 0

    @property
    def is_open(self) -> bool:
        """Whether commands must be protected now."""
        return self._open

    def initialize(self, command: ReceivedApdu) -> bytes:
        """INITIALIZE UPDATE: diversification data, key information, challenge, cryptogram (7.1.1)."""
        self.close()
        if command.p2 or len(command.data) != scp03.CHALLENGE_LENGTH:
            raise StatusWord(Sw.WRONG_LENGTH if not command.p2 else Sw.WRONG_P1_P2)
        version = command.p1 or next(iter(self._state.channel_keys))
        found = self._state.channel_keys.get(version)
        if found is None:
            raise StatusWord(Sw.REFERENCE_NOT_FOUND)
        self._context = command.data + secrets.token_bytes(scp03.CHALLENGE_LENGTH)
        self._keys = SessionKeys.of(StaticKeys(found.enc, found.mac, found.dek), self._context)
        cryptogram = self._keys.cryptogram(scp03.CARD_CRYPTOGRAM, self._context)
        return self.kdd + bytes((version, 0x03, _RANDOM)) + self._context[8:] + cryptogram

    @property
    def kdd(self) -> bytes:
        """Key diversification data: the chip's serial number and batch, as many makers choose it."""
        return self._state.cplc[10:18].ljust(scp03.KDD_LENGTH, b"\0")

    def authenticate(self, command: ReceivedApdu) -> None:
        """EXTERNAL AUTHENTICATE (7.1.2); only level 33 is offered."""
        if self._keys is None or self._open:
            self.close()
            raise StatusWord(Sw.CONDITIONS_OF_USE)
        if command.p1 != scp03.LEVEL or command.p2:
            self.close()
            raise StatusWord(Sw.WRONG_P1_P2)
        keys = self._keys
        cryptogram = self._check_mac(command)
        if not hmac.compare_digest(cryptogram, keys.cryptogram(scp03.HOST_CRYPTOGRAM, self._context)):
            self.close()
            raise StatusWord(Sw.TRIES_LEFT & 0xFF00)
        self._open = True

    def _check_mac(self, command: ReceivedApdu) -> bytes:
        """The data without its MAC; a wrong one ends the session."""
        keys = self._keys
        body, mac = command.data[:-MAC_LENGTH], command.data[-MAC_LENGTH:]
        plain = apdu.CommandApdu(command.cla, command.ins, command.p1, command.p2, body)
        # As it came: extended, or in a chain that is so long that only an extended header can hold its length.
        extended = command.extended or len(command.data) > 255
        chain = b"" if keys is None else scp03.cmac(keys.mac, self._chain + scp03.mac_input(plain, extended=extended))
        if len(mac) != MAC_LENGTH or not hmac.compare_digest(mac, chain[:MAC_LENGTH]):
            self.close()
            raise StatusWord(Sw.SECURITY_STATUS)
        self._chain = chain
        return body

    def unwrap(self, command: ReceivedApdu) -> ReceivedApdu:
        """The plain command inside a protected one. An empty field may come as it is, or as a block of padding."""
        if not self._open or self._keys is None:
            raise StatusWord(Sw.SECURITY_STATUS)
        keys = self._keys
        body = self._check_mac(command)
        self._counter += 1
        if body:
            try:
                step = keys.cipher(self._counter, answer=False).decryptor()
                body = scp03.unpad(step.update(body) + step.finalize())
            except ValueError:
                self.close()
                raise StatusWord(Sw.WRONG_DATA) from None
        return ReceivedApdu(
            command.cla & ~scp03.SECURED, command.ins, command.p1, command.p2, body, command.expected, command.extended
        )

    def wrap(self, data: bytes, status: int) -> bytes:
        """The protected answer, without its status word. Errors are never protected: give 9000, 62xx and 63xx only."""
        if self._keys is None:
            return data
        if data:
            step = self._keys.cipher(self._counter, answer=True).encryptor()
            data = step.update(scp03.pad(data)) + step.finalize()
        mac = scp03.cmac(self._keys.rmac, self._chain + data + status.to_bytes(2, "big"))
        return data + mac[:MAC_LENGTH]
