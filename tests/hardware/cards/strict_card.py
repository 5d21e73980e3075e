"""A PIV card of another make, written from SP 800-73-5 part 2 and ISO/IEC 7816-4 alone.

It shares no line with `hardware.cards`: what one reader of the standard took for granted the other must not. It answers
only what it must, checks every byte it is sent, and each `Make` bends it as published cards of that kind behave.
"""

import os
import secrets
import threading
from dataclasses import dataclass, field, replace
from typing import Final

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

FULL_AID: Final = bytes.fromhex("A000000308000010000100")
TRUNCATED_AID: Final = FULL_AID[:9]
_KEY_LENGTHS: Final = {0x03: 24, 0x08: 16, 0x0A: 24, 0x0C: 32}
_PATTERN: Final = bytes(range(1, 9))
_RSA_BITS: Final = {0x05: 3072, 0x07: 2048}
_CURVES: Final = {0x11: ec.SECP256R1(), 0x14: ec.SECP384R1()}
_SLOTS: Final = (0x9A, 0x9C, 0x9D, 0x9E)


@dataclass(frozen=True)
class Make:
    """How one kind of card behaves where the standard leaves it open; status words are 16 bits."""

    atr: str = "3B83800153545257"
    """A T=1 card of nobody: programs that choose by a known ATR would take it for another."""
    shortest_aid: int = 9
    """Fewest bytes of the name that select it: the standard promises 11 and 9."""
    template: str = "61114F0600001000010079074F05A000000308"
    extended: bool = True
    extended_refusal: int = 0x6700
    longest: int = 2500
    """Longest extended APDU."""
    block: int = 256
    """Most bytes of one answer to a short command."""
    announces: bool = False
    """Every answer waits behind 61xx, as at T=0."""
    exact_le: bool = False
    """A short Le that is not the answer's length is corrected by 6Cxx."""
    needs_le: bool = True
    """Commands that return data are refused without Le."""
    algorithms: tuple[int, ...] = (0x11, 0x14, 0x07)
    no_algorithm: int = 0x6A80
    generate_extra: bool = False
    """The new key's template comes with another element behind it, and its modulus with a leading zero."""
    cipher: int = 0x0C
    other_cipher: int = 0x6A86
    mutual: bool = True
    asks_response: bool = False
    """The empty 82 of the standard's own example must be there."""
    wrong_key: int = 0x6982
    management: tuple[int, ...] | None = (0x0C, 0x0A, 0x08, 0x03)
    """Ciphers that instruction FF sets; None: there is no such instruction."""
    no_instruction: int = 0x6D00
    tries: int = 3
    unverified: int | None = None
    """Answer to VERIFY without data; None: 63Cx."""
    wrong_pin: int | None = None
    """Answer to a wrong secret; None: 63Cx."""
    reset: bool = True
    """Whether RESET RETRY COUNTER is there."""
    no_reset: int = 0x6D00
    refused: tuple[tuple[str, int], ...] = ()
    """Objects (tag in hex) that cannot be written, and how that is said."""
    absent: int = 0x6A82
    largest: int = 4096
    """Longest object."""
    discovery: bool = True
    chuid: bytes | None = None
    guarded: tuple[str, ...] = ("5FC109",)
    """Objects that are read after the PIN only."""
    always: tuple[int, ...] = (0x9C,)
    """Keys that want a VERIFY right before each use."""
    forgets: bool = False
    """Each use of a key with PIN ends the verification, for the objects as well."""
    read_warning: int = 0x9000
    """Status word of a whole object that was read."""
    glitch: tuple[int, ...] = ()
    """Instructions that answer 6F00 the first time."""
    t0: bool = False
    """Protocol T=0: P3 is there always, and either Lc or Le."""
    contactless: bool = False
    """What SP 800-73-5 forbids without a contact interface is refused."""


class Refused(Exception):
    """The status word of an answer without data."""

    def __init__(self, sw: int) -> None:
        self.sw = sw


def tlv(tag: str, value: bytes = b"") -> bytes:
    """One element; `tag` in hex."""
    size = len(value)
    if size < 0x80:
        length = bytes([size])
    elif size < 0x100:
        length = bytes([0x81, size])
    else:
        length = bytes([0x82, size >> 8, size & 0xFF])
    return bytes.fromhex(tag) + length + value


def elements(data: bytes) -> list[tuple[str, bytes]]:
    """The elements of `data`: tag in hex, value. Raises `Refused` for what is no BER-TLV."""
    found = []
    while data:
        size = 1
        if data[0] & 0x1F == 0x1F:
            size = 2
            while len(data) >= size and data[size - 1] & 0x80:
                size += 1
        tag, data = data[:size].hex().upper(), data[size:]
        if not data:
            raise Refused(0x6A80)
        length, data = data[0], data[1:]
        if length > 0x80:
            count = length & 0x7F
            length, data = int.from_bytes(data[:count], "big"), data[count:]
        if length > len(data):
            raise Refused(0x6A80)
        found.append((tag, data[:length]))
        data = data[length:]
    return found


@dataclass
class _Command:
    cla: int
    ins: int
    p1: int
    p2: int
    data: bytes
    le: int | None
    wide: bool


@dataclass
class _Session:
    """What ends with the power."""

    selected: bool = False
    verified: bool = False
    fresh: bool = False
    administrator: bool = False
    nonce: bytes = b""
    pending: bytes = b""
    pending_sw: int = 0x9000
    chain: bytes = b""
    chain_of: tuple[int, int, int] | None = None


@dataclass
class StrictCard:
    """One card of a make. Its secrets and counters are fields, so that a test can look without asking."""

    make: Make = field(default_factory=Make)
    pin: bytes = b"123456\xff\xff"
    puk: bytes = b"12345678"
    management_cipher: int = 0
    management_key: bytes = b""
    pin_left: int = 0
    puk_left: int = 0
    objects: dict[str, bytes] = field(default_factory=dict)
    keys: dict[int, tuple[int, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey]] = field(default_factory=dict)
    apdus: int = 0
    fewest_pin: int = 99
    """The fewest PIN tries that were ever left."""

    def __post_init__(self) -> None:
        self.management_cipher = self.make.cipher
        self.management_key = factory_key(self.make.cipher)
        self.pin_left = self.puk_left = self.make.tries
        if self.make.chuid is not None:
            self.objects["5FC102"] = self.make.chuid
        self._glitches = set(self.make.glitch)
        self._session = _Session()
        self._held: tuple[_Command, bytes, int] | None = None
        self._lock = threading.Lock()

    # --- what a reader does ---

    @property
    def atr(self) -> bytes:
        return bytes.fromhex(self.make.atr)

    def power(self, on: bool) -> None:
        del on
        self._session = _Session()

    def reset(self) -> None:
        self._session = _Session()

    def transmit(self, apdu: bytes) -> bytes:
        with self._lock:
            self.apdus += 1
            try:
                command = self._command(apdu)
                if command.ins == 0xC0:
                    return self._more(command)
                self._session.pending = b""
                if command.cla & 0x10:
                    return self._link(command)
                whole = self._whole(command)
                asked, held = replace(whole, le=None), self._held
                self._held = None
                if held is not None and held[0] == asked:
                    return self._answer(command, *held[1:])
                data, sw = self._run(whole)
                try:
                    return self._answer(command, data, sw)
                except Refused as refused:
                    if refused.sw >> 8 == 0x6C:  # what was done is not done again for the right Le
                        self._held = asked, data, sw
                    raise
            except Refused as refused:
                return refused.sw.to_bytes(2, "big")

    # --- ISO/IEC 7816-4 ---

    def _command(self, apdu: bytes) -> _Command:
        if len(apdu) < 4:
            raise Refused(0x6700)
        head, body = apdu[:4], apdu[4:]
        if self.make.t0 and (not body or (len(body) > 1 and len(body) != 1 + body[0])):
            raise Refused(0x6700)
        if not body:
            return _Command(*head, b"", None, False)
        if len(body) == 1:
            return _Command(*head, b"", body[0] or 256, False)
        if body[0]:
            size, rest = body[0], body[1:]
            if len(rest) == size:
                return _Command(*head, rest, None, False)
            if len(rest) == size + 1:
                return _Command(*head, rest[:size], rest[size] or 256, False)
            raise Refused(0x6700)
        if not self.make.extended:
            raise Refused(self.make.extended_refusal)
        if len(apdu) > self.make.longest:
            raise Refused(0x6700)
        if len(body) == 3:
            return _Command(*head, b"", int.from_bytes(body[1:], "big") or 65536, True)
        size, rest = int.from_bytes(body[1:3], "big"), body[3:]
        if len(rest) == size:
            return _Command(*head, rest, None, True)
        if len(rest) == size + 2:
            return _Command(*head, rest[:size], int.from_bytes(rest[size:], "big") or 65536, True)
        raise Refused(0x6700)

    def _link(self, command: _Command) -> bytes:
        session, what = self._session, (command.ins, command.p1, command.p2)
        if command.ins not in (0x87, 0xDB):  # part 2: the commands that may be chained
            raise Refused(0x6884)
        if command.cla != 0x10 or not command.data or command.le is not None:
            raise Refused(0x6700)
        if session.chain_of not in (None, what):
            session.chain, session.chain_of = b"", None
            raise Refused(0x6883)
        session.chain, session.chain_of = session.chain + command.data, what
        return b"\x90\x00"

    def _whole(self, command: _Command) -> _Command:
        session = self._session
        head, of = session.chain, session.chain_of
        session.chain, session.chain_of = b"", None
        if of is None:
            return command
        if of != (command.ins, command.p1, command.p2):
            raise Refused(0x6883)
        return replace(command, data=head + command.data)

    def _answer(self, command: _Command, data: bytes, sw: int) -> bytes:
        if not data:
            return sw.to_bytes(2, "big")
        if command.le is None and self.make.needs_le and not self.make.t0:
            raise Refused(0x6700)
        if command.wide and not self.make.announces:
            return data + sw.to_bytes(2, "big")
        if self.make.announces:
            self._session.pending, self._session.pending_sw = data, sw
            return bytes([0x61, min(len(data), 256) & 0xFF])
        if self.make.exact_le and len(data) < 256 and command.le not in (len(data), None):
            raise Refused(0x6C00 | len(data))
        return self._part(data, sw, min(command.le or 256, self.make.block))

    def _part(self, data: bytes, sw: int, most: int) -> bytes:
        part, rest = data[:most], data[most:]
        self._session.pending, self._session.pending_sw = rest, sw
        if rest:
            return part + bytes([0x61, min(len(rest), 256) & 0xFF])
        return part + sw.to_bytes(2, "big")

    def _more(self, command: _Command) -> bytes:
        session = self._session
        if command.cla or command.p1 or command.p2 or command.data or command.le is None:
            raise Refused(0x6A86)
        if not session.pending:
            raise Refused(0x6985)
        if self.make.exact_le and len(session.pending) < 256 and command.le != len(session.pending):
            raise Refused(0x6C00 | len(session.pending))
        return self._part(session.pending, session.pending_sw, min(command.le, self.make.block))

    # --- SP 800-73-5 part 2 ---

    def _run(self, command: _Command) -> tuple[bytes, int]:
        if command.ins == 0xA4:
            return self._select(command), 0x9000
        if command.cla:
            raise Refused(0x6E00)
        if not self._session.selected:
            raise Refused(self.make.no_instruction)
        if command.ins in self._glitches:
            self._glitches.discard(command.ins)
            raise Refused(0x6F00)
        if command.ins != 0x87:
            self._session.fresh = False
        match command.ins:
            case 0xCB:
                return self._get_data(command), self.make.read_warning
            case 0x20:
                return self._verify(command), 0x9000
            case 0x24:
                return self._change(command), 0x9000
            case 0x2C if self.make.reset:
                return self._reset(command), 0x9000
            case 0x2C:
                raise Refused(self.make.no_reset)
            case 0x87:
                return self._general_authenticate(command), 0x9000
            case 0xDB:
                return self._put_data(command), 0x9000
            case 0x47:
                return self._generate(command), 0x9000
            case 0xFF if self.make.management is not None:
                return self._set_management_key(command), 0x9000
        raise Refused(self.make.no_instruction)

    def _select(self, command: _Command) -> bytes:
        if command.cla or (command.p1, command.p2) != (0x04, 0x00):
            raise Refused(0x6A86)
        name = command.data
        if not (self.make.shortest_aid <= len(name) and FULL_AID.startswith(name)):
            raise Refused(0x6A82)
        # 3.1.1: selecting the application that is selected already leaves its security status as it is.
        self._session.selected = True
        return bytes.fromhex(self.make.template)

    def _get_data(self, command: _Command) -> bytes:
        if (command.p1, command.p2) != (0x3F, 0xFF):
            raise Refused(0x6A86)
        asked = elements(command.data)
        if len(asked) != 1 or asked[0][0] != "5C":
            raise Refused(0x6A80)
        tag = asked[0][1].hex().upper()
        if tag == "7E":
            if not self.make.discovery:
                raise Refused(self.make.absent)
            return tlv("7E", tlv("4F", FULL_AID) + tlv("5F2F", b"\x40\x00"))
        if tag in self.make.guarded and not self._session.verified:
            raise Refused(0x6982)
        if self.make.contactless and tag not in ("5FC101", "5FC102"):
            raise Refused(0x6982)
        if tag not in self.objects:
            raise Refused(self.make.absent)
        return tlv("53", self.objects[tag])

    def _put_data(self, command: _Command) -> bytes:
        if (command.p1, command.p2) != (0x3F, 0xFF):
            raise Refused(0x6A86)
        if self.make.contactless or not self._session.administrator:
            raise Refused(0x6982)
        given = elements(command.data)
        if [tag for tag, _ in given] != ["5C", "53"]:
            raise Refused(0x6A80)
        tag, content = given[0][1].hex().upper(), given[1][1]
        for name, sw in self.make.refused:
            if name == tag:
                raise Refused(sw)
        if len(content) > self.make.largest:
            raise Refused(0x6A84)
        self.objects[tag] = content
        return b""

    def _secret(self, ours: bytes, given: bytes, left: str) -> None:
        tries = getattr(self, left)
        if not tries:
            raise Refused(0x6983)
        if given != ours:
            setattr(self, left, tries - 1)
            if left == "pin_left":
                self.fewest_pin = min(self.fewest_pin, tries - 1)
                self._session.verified = self._session.fresh = False
            if tries == 1:
                raise Refused(0x6983)
            raise Refused(self.make.wrong_pin if self.make.wrong_pin is not None else 0x63C0 | (tries - 1))
        setattr(self, left, self.make.tries)

    def _verify(self, command: _Command) -> bytes:
        if command.p2 != 0x80:
            raise Refused(0x6A88)
        if command.p1 or (command.le is not None and not self.make.t0):
            raise Refused(0x6A86)
        if not command.data:
            if self._session.verified:
                return b""
            if not self.pin_left:
                raise Refused(0x6983)
            raise Refused(self.make.unverified if self.make.unverified is not None else 0x63C0 | self.pin_left)
        if len(command.data) != 8:
            raise Refused(0x6A80)
        self._secret(self.pin, command.data, "pin_left")
        self._session.verified = self._session.fresh = True
        return b""

    def _change(self, command: _Command) -> bytes:
        if command.p1 or len(command.data) != 16 or self.make.contactless:
            raise Refused(0x6A80)
        old, new = command.data[:8], command.data[8:]
        if command.p2 == 0x80:
            self._check_pin(new)
            self._secret(self.pin, old, "pin_left")
            self.pin = new
            self._session.verified = True
        elif command.p2 == 0x81:
            if b"\xff" in new:  # 2.4.3: the PUK has eight bytes, none of them padding
                raise Refused(0x6A80)
            self._secret(self.puk, old, "puk_left")
            self.puk = new
        else:
            raise Refused(0x6A88)
        return b""

    def _reset(self, command: _Command) -> bytes:
        if command.p1 or command.p2 != 0x80 or len(command.data) != 16:
            raise Refused(0x6A80)
        puk, new = command.data[:8], command.data[8:]
        self._check_pin(new)
        self._secret(self.puk, puk, "puk_left")
        self.pin, self.pin_left = new, self.make.tries
        self._session.verified = False
        return b""

    @staticmethod
    def _check_pin(pin: bytes) -> None:
        digits = pin.rstrip(b"\xff")
        if not (6 <= len(digits) <= 8 and digits.isdigit()):
            raise Refused(0x6A80)

    # --- keys ---

    def _general_authenticate(self, command: _Command) -> bytes:
        outer = elements(command.data)
        if len(outer) != 1 or outer[0][0] != "7C":
            raise Refused(0x6A80)
        items = elements(outer[0][1])
        if command.p2 == 0x9B:
            return self._administrator(command, dict(items))
        if command.p2 not in _SLOTS or command.p2 not in self.keys:
            raise Refused(0x6A88)
        algorithm, key = self.keys[command.p2]
        if algorithm != command.p1:
            raise Refused(0x6A86)
        fresh, self._session.fresh = self._session.fresh, False
        if command.p2 != 0x9E:
            if not self._session.verified or (command.p2 in self.make.always and not fresh):
                raise Refused(0x6982)
            if self.make.forgets:
                self._session.verified = False
        return tlv("7C", tlv("82", self._use(key, dict(items))))

    def _use(self, key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey, items: dict[str, bytes]) -> bytes:
        if items.get("82") != b"":
            raise Refused(0x6A80)
        if isinstance(key, rsa.RSAPrivateKey):
            block = items.get("81", b"")
            size = key.key_size // 8
            if len(block) != size:
                raise Refused(0x6A80)
            numbers = key.private_numbers()
            return pow(int.from_bytes(block, "big"), numbers.d, numbers.public_numbers.n).to_bytes(size, "big")
        if "85" in items:
            try:
                peer = ec.EllipticCurvePublicKey.from_encoded_point(key.curve, items["85"])
            except ValueError:
                raise Refused(0x6A80) from None
            return key.exchange(ec.ECDH(), peer)
        digest = items.get("81", b"")
        hashed = {32: hashes.SHA256(), 48: hashes.SHA384()}.get(len(digest))
        if hashed is None or len(digest) * 8 != key.curve.key_size:
            raise Refused(0x6A80)
        return key.sign(digest, ec.ECDSA(Prehashed(hashed)))

    def _cipher(self) -> Cipher[modes.ECB]:
        key = self.management_key
        return Cipher(TripleDES(key) if self.management_cipher == 0x03 else algorithms.AES(key), modes.ECB())

    def _administrator(self, command: _Command, items: dict[str, bytes]) -> bytes:
        session = self._session
        if command.p1 != self.management_cipher:
            raise Refused(self.make.other_cipher)
        size = 8 if self.management_cipher == 0x03 else 16
        nonce, session.nonce = session.nonce, b""
        if items in ({"80": b""}, {"81": b""}):
            if ("80" in items) != self.make.mutual:
                raise Refused(0x6A80)
            session.nonce = os.urandom(size)
            if not self.make.mutual:
                return tlv("7C", tlv("81", session.nonce))
            step = self._cipher().encryptor()
            return tlv("7C", tlv("80", step.update(session.nonce)))
        if self.make.mutual:
            if self.make.asks_response and items.pop("82", None) != b"":
                raise Refused(0x6A80)
            if set(items) - {"82"} != {"80", "81"} or len(items["81"]) != size:
                raise Refused(0x6A80)
            if not nonce or items["80"] != nonce:
                raise Refused(self.make.wrong_key)
            session.administrator = True
            step = self._cipher().encryptor()
            return tlv("7C", tlv("82", step.update(items["81"])))
        step = self._cipher().encryptor()
        if set(items) != {"82"}:
            raise Refused(0x6A80)
        if not nonce or items["82"] != step.update(nonce):
            raise Refused(self.make.wrong_key)
        session.administrator = True
        return b""

    def _set_management_key(self, command: _Command) -> bytes:
        if not self._session.administrator:
            raise Refused(0x6982)
        if (command.p1, command.p2) != (0xFF, 0xFF) or len(command.data) < 3:
            raise Refused(0x6A86)
        cipher, reference, size = command.data[:3]
        if reference != 0x9B or size != len(command.data) - 3 or self.make.management is None:
            raise Refused(0x6A80)
        if cipher not in self.make.management or _KEY_LENGTHS[cipher] != size:
            raise Refused(0x6A80)
        self.management_cipher, self.management_key = cipher, command.data[3:]
        return b""

    def _generate(self, command: _Command) -> bytes:
        if not self._session.administrator or self.make.contactless:
            raise Refused(0x6982)
        if command.p1 or command.p2 not in _SLOTS:
            raise Refused(0x6A86)
        outer = elements(command.data)
        if len(outer) != 1 or outer[0][0] != "AC":
            raise Refused(0x6A80)
        inner = elements(outer[0][1])
        if len(inner) != 1 or inner[0][0] != "80" or len(inner[0][1]) != 1:
            raise Refused(0x6A80)
        algorithm = inner[0][1][0]
        if algorithm not in self.make.algorithms:
            raise Refused(self.make.no_algorithm)
        key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
        if algorithm in _RSA_BITS:
            key = rsa.generate_private_key(65537, _RSA_BITS[algorithm])
            numbers = key.public_key().public_numbers()
            zero = b"\0" if self.make.generate_extra else b""
            modulus = zero + numbers.n.to_bytes(_RSA_BITS[algorithm] // 8, "big")
            public = tlv("81", modulus) + tlv("82", numbers.e.to_bytes(3, "big"))
        else:
            key = ec.generate_private_key(_CURVES[algorithm])
            point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
            public = tlv("86", point)
        self.keys[command.p2] = algorithm, key
        extra = tlv("C0", b"\x01") if self.make.generate_extra else b""
        return tlv("7F49", public) + extra


def factory_key(cipher: int) -> bytes:
    """The published key 0102..08, as long as the cipher needs it."""
    return _PATTERN * (_KEY_LENGTHS[cipher] // 8)


def factory_chuid(guid: bytes | None = None) -> bytes:
    """An unsigned CHUID as makers put it on: FASC-N, GUID (random unless given), expiry, empty signature, LRC."""
    fascn = bytes.fromhex("D4E739DA739CED39CE739DA1685A1082108CE73984108A3FC0")
    fields = tlv("30", fascn) + tlv("34", guid if guid is not None else secrets.token_bytes(16))
    return fields + tlv("35", b"20301231") + tlv("3E") + tlv("FE")
