"""Secure Channel Protocol 03 (GlobalPlatform Card Specification Amendment D): keys, handshake, wrapping.

Security level 33: every command is encrypted and has a MAC, every answer as well. The key derivation is that of
SP 800-108 in counter mode with AES-CMAC. A channel is opened after SELECT; the next SELECT ends it. The primitives are
shared with the card end of `hardware.cards.software`; the formats of both ends are checked against other programs.
"""

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC

from hardware.cards.apdu import ApduChannel, CommandApdu, ResponseApdu
from hardware.cards.backend import CardLocked, ProtocolError, StatusWordError

INITIALIZE_UPDATE: Final = 0x50
EXTERNAL_AUTHENTICATE: Final = 0x82
LEVEL: Final = 0x33
"""C-MAC, C-DECRYPTION, R-MAC and R-ENCRYPTION: no lower level is ever requested."""
SECURED: Final = 0x04
"""Bit of CLA: the command is protected."""
MAC_LENGTH: Final = 8
CHALLENGE_LENGTH: Final = 8
KDD_LENGTH: Final = 10

ENC: Final = 0x04
MAC: Final = 0x06
RMAC: Final = 0x07
CARD_CRYPTOGRAM: Final = 0x00
HOST_CRYPTOGRAM: Final = 0x01
"""Derivation constants of Amendment D, table 4-1."""

_BLOCK: Final = 16
_KEY_LENGTHS: Final = (16, 24, 32)
_DEFAULT: Final = bytes(range(0x40, 0x50))
_WITH_COUNTER: Final = 0x10
"""Bit of the protocol's parameter i: pseudo-random challenges, whose sequence counter follows the cryptogram."""


def cmac(key: bytes, data: bytes) -> bytes:
    """AES-CMAC (SP 800-38B), 16 bytes."""
    mac = CMAC(AES(key))
    mac.update(data)
    return mac.finalize()


def derive(key: bytes, constant: int, context: bytes, length: int) -> bytes:
    """`length` bytes out of `key` (Amendment D, 4.1.5): 11 zero bytes, constant, 00, L in bits, counter, context."""
    found = b""
    for counter in range(1, -(-length // _BLOCK) + 1):
        label = bytes(11) + bytes((constant, 0)) + (length * 8).to_bytes(2, "big") + bytes((counter,))
        found += cmac(key, label + context)
    return found[:length]


def pad(data: bytes) -> bytes:
    """80 and zeros up to the next block, always at least one byte."""
    return data + b"\x80" + bytes(-(len(data) + 1) % _BLOCK)


def unpad(data: bytes) -> bytes:
    """The reverse of `pad`. Raises ValueError for padding that `pad` does not make."""
    body = data.rstrip(b"\0")
    if not body or body[-1] != 0x80 or len(data) - len(body) >= _BLOCK or len(data) % _BLOCK:
        raise ValueError("wrong padding")
    return body[:-1]


@dataclass(frozen=True, slots=True)
class StaticKeys:
    """A card's key set: three AES keys of 16, 24 or 32 bytes, all of one length, never shown.

    `version` is the key version number asked for, 0 for the card's first one.
    """

    enc: bytes = field(repr=False)
    mac: bytes = field(repr=False)
    dek: bytes = field(repr=False)
    version: int = 0

    def __post_init__(self) -> None:
        if len({len(self.enc), len(self.mac), len(self.dek)}) != 1 or len(self.enc) not in _KEY_LENGTHS:
            raise ValueError("SCP03 keys are three AES keys of one length")
        if not 0 <= self.version <= 0xFF:
            raise ValueError("a key version is 0 to 255")

    @classmethod
    def default(cls) -> "StaticKeys":
        """The published default set 404142..4F, as cards leave many factories."""
        return cls(_DEFAULT, _DEFAULT, _DEFAULT)

    def for_card(self, _kdd: bytes) -> "StaticKeys":
        """The same for every card."""
        return self


@dataclass(frozen=True, slots=True)
class DiversifiedKeys:
    """A batch's master key, from which each card's set is derived with its key diversification data (KDF3)."""

    master: bytes = field(repr=False)
    version: int = 0

    def __post_init__(self) -> None:
        if len(self.master) not in _KEY_LENGTHS:
            raise ValueError("an SCP03 master key is an AES key")
        if not 0 <= self.version <= 0xFF:
            raise ValueError("a key version is 0 to 255")

    def for_card(self, kdd: bytes) -> StaticKeys:
        """The set of the card with these 10 bytes: SP 800-108 counter mode, a counter byte, label 00 00 00 n."""
        size = len(self.master)

        def one(number: int) -> bytes:
            blocks = (bytes((block, 0, 0, 0, number, 0)) + kdd for block in (1, 2))
            return b"".join(cmac(self.master, block) for block in blocks)[:size]

        return StaticKeys(one(1), one(2), one(3), self.version)


class KeySource(Protocol):
    """The source of a card's keys: `StaticKeys`, `DiversifiedKeys`, or that of a key store."""

    @property
    def version(self) -> int:
        """Key version number to ask for, 0 for the card's first one."""

    def for_card(self, kdd: bytes, /) -> StaticKeys:
        """The key set of the card with these 10 bytes of key diversification data."""


@dataclass(frozen=True, slots=True)
class SessionKeys:
    """The keys of one channel; both ends derive them from both challenges."""

    enc: bytes = field(repr=False)
    mac: bytes = field(repr=False)
    rmac: bytes = field(repr=False)

    @classmethod
    def of(cls, keys: StaticKeys, context: bytes) -> "SessionKeys":
        """`context`: host challenge, then card challenge."""
        size = len(keys.enc)
        return cls(
            derive(keys.enc, ENC, context, size),
            derive(keys.mac, MAC, context, size),
            derive(keys.mac, RMAC, context, size),
        )

    def cryptogram(self, constant: int, context: bytes) -> bytes:
        """The 8 bytes by which one end proves that it has the keys."""
        return derive(self.mac, constant, context, 8)

    def cipher(self, counter: int, *, answer: bool) -> Cipher[modes.CBC]:
        """The cipher of command number `counter`, counted from 1, or of its answer (Amendment D, 6.2.6 and 6.2.7)."""
        number = bytes((0x80 if answer else 0,)) + counter.to_bytes(15, "big")
        step = Cipher(AES(self.enc), modes.ECB()).encryptor()
        return Cipher(AES(self.enc), modes.CBC(step.update(number)))


def mac_input(command: CommandApdu, *, extended: bool) -> bytes:
    """What the C-MAC of `command` (data without the MAC) covers: header, Lc with the MAC counted in, data."""
    length = len(command.data) + MAC_LENGTH
    lc = b"\0" + length.to_bytes(2, "big") if extended else bytes((length,))
    return bytes((command.cla, command.ins, command.p1, command.p2)) + lc + command.data


class SecureChannel:
    """The host's end of an open channel. Implements `hardware.cards.apdu.SecureMessaging`.

    `kdd` is the card's key diversification data, `version` its key version. After an answer that is not the card's own
    nothing is sent any more.
    """

    def __init__(self, keys: SessionKeys, *, kdd: bytes, version: int, empty_as_block: bool = False) -> None:
        self.kdd = kdd
        self.version = version
        self._keys = keys
        self._chain = bytes(_BLOCK)
        self._counter = 0
        self._empty_as_block = empty_as_block
        self._broken = False

    def authenticate(self, cryptogram: bytes) -> CommandApdu:
        """EXTERNAL AUTHENTICATE: the first command with a MAC, the only one that is not encrypted."""
        return self._with_mac(CommandApdu(0x80 | SECURED, EXTERNAL_AUTHENTICATE, LEVEL, 0x00, cryptogram))

    def wrap(self, command: CommandApdu) -> CommandApdu:
        """`command` as it goes over the wire: encrypted, with MAC and Le (its answer always brings a MAC)."""
        if self._broken:
            raise ProtocolError("the secure channel is broken")
        # The counter moves with every command, also with those that have nothing to encrypt (6.2.6).
        self._counter += 1
        data = command.data
        if data or self._empty_as_block:
            step = self._keys.cipher(self._counter, answer=False).encryptor()
            data = step.update(pad(data)) + step.finalize()
        return self._with_mac(CommandApdu(command.cla | SECURED, command.ins, command.p1, command.p2, data, 256))

    def _with_mac(self, command: CommandApdu) -> CommandApdu:
        # The MAC covers the header of the form: a command that does not fit the short form is covered as an extended
        # one, also when it is chained in the end.
        covered = mac_input(command, extended=len(command.data) + MAC_LENGTH > 255)
        self._chain = cmac(self._keys.mac, self._chain + covered)
        data = command.data + self._chain[:MAC_LENGTH]
        return CommandApdu(command.cla, command.ins, command.p1, command.p2, data, command.le)

    def unwrap(self, reply: ResponseApdu) -> ResponseApdu:
        """The answer to the last wrapped command. Raises `ProtocolError` if it is not the card's.

        A refusal may come unprotected: the card protects no errors (6.2.5), and an attacker who forges one could as
        well cut the wire. An answer with 9000 is never accepted without its MAC.
        """
        if self._broken:
            raise ProtocolError("the secure channel is broken")
        if not reply.data and not reply.ok:
            return reply
        try:
            return ResponseApdu(self._open(reply), reply.sw)
        except ValueError as error:
            self._broken = True
            raise ProtocolError(f"the answer is not the card's: {error}") from error

    def _open(self, reply: ResponseApdu) -> bytes:
        body, mac = reply.data[:-MAC_LENGTH], reply.data[-MAC_LENGTH:]
        expected = cmac(self._keys.rmac, self._chain + body + reply.sw.to_bytes(2, "big"))[:MAC_LENGTH]
        if not hmac.compare_digest(mac, expected):
            raise ValueError("wrong MAC")
        if not body:
            return b""
        step = self._keys.cipher(self._counter, answer=True).decryptor()
        return unpad(step.update(body) + step.finalize())


def open_channel(
    channel: ApduChannel,
    source: KeySource,
    *,
    challenge: Callable[[], bytes] = lambda: secrets.token_bytes(CHALLENGE_LENGTH),
    empty_as_block: bool = False,
) -> SecureChannel:
    """Open a channel with the selected application; all commands go through it until the next SELECT.

    `empty_as_block`: encrypt an empty data field as one block of padding, as some makers' programs do; Amendment D
    sends none. Raises `CardLocked` if the card does not know the keys (nothing is tried twice), `StatusWordError` if it
    knows no such channel or key version, `ProtocolError`, `TransportError`.
    """
    channel.secure = None
    host = challenge()
    data = channel.check(CommandApdu(0x80, INITIALIZE_UPDATE, source.version, 0x00, host, 256))
    if len(data) not in (29, 32) or data[11] != 0x03:
        raise ProtocolError("the card offers no secure channel of protocol 03")
    if (len(data) == 32) != bool(data[12] & _WITH_COUNTER):
        raise ProtocolError("the card's answer does not fit its secure channel parameter")
    kdd, version, card, cryptogram = data[:10], data[10], data[13:21], data[21:29]
    context = host + card
    keys = SessionKeys.of(source.for_card(kdd), context)
    if not hmac.compare_digest(cryptogram, keys.cryptogram(CARD_CRYPTOGRAM, context)):
        raise CardLocked("SCP03", "the card does not know the secure channel keys")
    opened = SecureChannel(keys, kdd=kdd, version=version, empty_as_block=empty_as_block)
    reply = channel.send(opened.authenticate(keys.cryptogram(HOST_CRYPTOGRAM, context)))
    if reply.sw in (0x6300, 0x6982, 0x6983):
        raise CardLocked("SCP03", "the card refuses the secure channel keys")
    if not reply.ok:
        raise StatusWordError(reply.sw, EXTERNAL_AUTHENTICATE)
    channel.secure = opened
    return opened
