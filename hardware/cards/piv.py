"""A thin session with the PIV application (SP 800-73-5 part 2), and the names it uses (SP 800-78-5)."""

import gzip
import hmac
import secrets
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Final

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from hardware.cards import tlv
from hardware.cards.apdu import ANY, ApduChannel, CommandApdu
from hardware.cards.backend import CardLocked, ProtocolError, StatusWordError

AID: Final = bytes.fromhex("A00000030800001000")
"""Name of the PIV application without its version: what every card must take (SP 800-73-5 part 1, 2.2)."""

RID: Final = AID[:5]
"""NIST's part of it, with which every name of the application begins."""

_NAMES: Final = (AID, AID + b"\x01\x00", RID)
# The standard promises the first two; some cards keep the application under another suffix of NIST's name.

MAX_CERTIFICATE: Final = 64 * 1024
"""Most bytes a certificate may have, unpacked: a few hundred bytes on a card could otherwise fill the memory."""

GZIP_ABOVE: Final = 1856
"""Certificates longer than this are written compressed (the container of SP 800-73-5 part 1 table 40 holds 1856)."""

PublicKey = ec.EllipticCurvePublicKey | rsa.RSAPublicKey


def tag_bytes(object_id: int) -> bytes:
    """The bytes of a data object's BER tag."""
    return bytes.fromhex(f"{object_id:X}")


class PivObject(IntEnum):
    """Data objects by their BER tag (SP 800-73-5 part 1, table 3)."""

    CARD_AUTHENTICATION = 0x5FC101
    CHUID = 0x5FC102
    AUTHENTICATION = 0x5FC105
    SECURITY = 0x5FC106
    CCC = 0x5FC107
    PRINTED = 0x5FC109
    SIGNATURE = 0x5FC10A
    KEY_MANAGEMENT = 0x5FC10B
    KEY_HISTORY = 0x5FC10C
    DISCOVERY = 0x7E

    @property
    def tag(self) -> bytes:
        """The tag's bytes."""
        return tag_bytes(self)


class Slot(IntEnum):
    """Key references of the four keys that are made on the card."""

    AUTHENTICATION = 0x9A
    SIGNATURE = 0x9C
    KEY_MANAGEMENT = 0x9D
    CARD_AUTHENTICATION = 0x9E

    @property
    def label(self) -> str:
        """As people write it: 9A, 9C, 9D, 9E."""
        return f"{self:02X}"

    @property
    def object(self) -> PivObject:
        """The data object that holds the slot's certificate."""
        return PivObject[self.name]


class Algorithm(IntEnum):
    """Asymmetric algorithms (SP 800-78-5 table 9)."""

    RSA_3072 = 0x05
    RSA_2048 = 0x07
    P256 = 0x11
    P384 = 0x14

    @property
    def label(self) -> str:
        """As people write it: RSA-2048, RSA-3072, P-256, P-384."""
        return self.name.replace("_", "-") if self.is_rsa else self.name.replace("P", "P-")

    @property
    def is_rsa(self) -> bool:
        """RSA, else an elliptic curve."""
        return self in (Algorithm.RSA_2048, Algorithm.RSA_3072)

    @property
    def bits(self) -> int:
        """Modulus or field size."""
        return {0x05: 3072, 0x07: 2048, 0x11: 256, 0x14: 384}[self]


class ManagementAlgorithm(IntEnum):
    """Ciphers of the management key 9B (SP 800-78-5 table 9)."""

    TDES = 0x03
    AES_128 = 0x08
    AES_192 = 0x0A
    AES_256 = 0x0C

    @property
    def key_length(self) -> int:
        """Key length in bytes."""
        return {0x03: 24, 0x08: 16, 0x0A: 24, 0x0C: 32}[self]

    @property
    def block(self) -> int:
        """Block length in bytes."""
        return 8 if self is ManagementAlgorithm.TDES else 16


class ManagementCommand(StrEnum):
    """How a card takes a new management key: the standard has no command for it (SP 800-73-5 part 2)."""

    SET_MANAGEMENT_KEY = "set_management_key"
    """Yubico's instruction FF, by the old key (docs.yubico.com, PIV APDU "Set management key"; PivApplet too)."""
    CHANGE_REFERENCE_DATA = "change_reference_data"
    """CHANGE REFERENCE DATA of key reference 9B over the issuer's secure channel, in the cipher that the key has: P1 is
    the cipher, the data 30 { 80 { key } } (OpenFIPS201, doc/asn1/OpenFIPS201-CHANGE-REFERENCE-DATA.asn)."""


BY_REFERENCE_DATA: Final = frozenset({b"OpenFIPS201"})
"""Application labels (tag 50 of the property template) of the cards that take 9B by CHANGE REFERENCE DATA."""

PROBE_ORDER: Final = (
    ManagementAlgorithm.TDES,
    ManagementAlgorithm.AES_192,
    ManagementAlgorithm.AES_256,
    ManagementAlgorithm.AES_128,
)


@dataclass(frozen=True, slots=True)
class ManagementKey:
    """A management key and its cipher; `value` is never shown. Raises ValueError for a wrong length."""

    algorithm: ManagementAlgorithm
    value: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.value) != self.algorithm.key_length:
            raise ValueError(f"a {self.algorithm.name} key has {self.algorithm.key_length} bytes")

    def encrypt(self, block: bytes) -> bytes:
        """One block or more, each by itself: the protocol of SP 800-73-5 part 2 appendix A knows no mode."""
        step = self._cipher().encryptor()
        return step.update(block) + step.finalize()

    def decrypt(self, block: bytes) -> bytes:
        """The reverse of `encrypt`."""
        step = self._cipher().decryptor()
        return step.update(block) + step.finalize()

    def _cipher(self) -> Cipher[modes.ECB]:
        tdes = self.algorithm is ManagementAlgorithm.TDES
        return Cipher(TripleDES(self.value) if tdes else AES(self.value), modes.ECB())


FACTORY_MANAGEMENT_KEY: Final = ManagementKey(
    ManagementAlgorithm.TDES, bytes.fromhex("010203040506070801020304050607080102030405060708")
)
FACTORY_PIN: Final = "123456"
FACTORY_PUK: Final = "12345678"

_PIN: Final = 0x80
PUK_REFERENCE: Final = 0x81
MANAGEMENT_REFERENCE: Final = 0x9B
_WITNESS, _CHALLENGE, _RESPONSE = 0x80, 0x81, 0x82
_OTHER_CIPHER: Final = frozenset({0x6A80, 0x6A81, 0x6A86, 0x6A88, 0x6D00, 0x6985})
_MALFORMED: Final = frozenset({0x6700, 0x6A80, 0x6A86})
_END_OF_DATA: Final = 0x6282  # less than Le, as always here: the object is whole
_NO_DIAGNOSIS: Final = 0x6F00


def pin_block(secret: str) -> bytes:
    """PIN or PUK as sent: 6 to 8 ASCII characters, padded with FF to 8 bytes. Raises ValueError."""
    raw = secret.encode("ascii")
    if not 6 <= len(raw) <= 8:
        raise ValueError("PIN and PUK have 6 to 8 characters")
    return raw.ljust(8, b"\xff")


def certificate_object(der: bytes) -> bytes:
    """Contents of a certificate container (SP 800-73-5 part 1 table 40): 70 certificate, 71 CertInfo, FE."""
    packed = len(der) > GZIP_ABOVE
    body = gzip.compress(der, mtime=0) if packed else der
    return tlv.encode(0x70, body) + tlv.encode(0x71, bytes((packed,))) + tlv.encode(0xFE)


def parse_certificate(content: bytes) -> bytes | None:
    """The certificate's DER out of a container's contents, unpacked; None if the container has none.

    Raises `ProtocolError` if the container or its compression is broken or unpacks to more than `MAX_CERTIFICATE`. The
    DER itself is not looked at.
    """
    items = {item.tag: item.value for item in _parse(content)}
    body = items.get(0x70, b"")
    if not body:
        return None
    if items.get(0x71, b"\0")[:1] != b"\x01":
        return body
    unpack = zlib.decompressobj(wbits=31)
    try:
        der = unpack.decompress(body, MAX_CERTIFICATE + 1)
    except zlib.error as error:
        raise ProtocolError("the compressed certificate is broken") from error
    if len(der) > MAX_CERTIFICATE or not unpack.eof:
        raise ProtocolError("the compressed certificate is cut off or too long")
    return der


def algorithm_of(key: object) -> Algorithm | None:
    """The card's name for the kind of a public key; None for a kind that no slot holds."""
    if isinstance(key, ec.EllipticCurvePublicKey):
        return {"secp256r1": Algorithm.P256, "secp384r1": Algorithm.P384}.get(key.curve.name)
    if isinstance(key, rsa.RSAPublicKey):
        return {2048: Algorithm.RSA_2048, 3072: Algorithm.RSA_3072}.get(key.key_size)
    return None


def pkcs1_block(digest: bytes, size: int) -> bytes:
    """EMSA-PKCS1-v1_5 over a SHA-256 digest (RFC 8017, 9.2): cards do the raw operation only."""
    info = bytes.fromhex("3031300d060960864801650304020105000420") + digest
    return b"\x00\x01" + b"\xff" * (size - len(info) - 3) + b"\x00" + info


def encode_point(key: ec.EllipticCurvePublicKey) -> bytes:
    """An elliptic-curve point as cards write it: 04, X, Y."""
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def application_label(template: bytes) -> bytes | None:
    """The application label in the property template that SELECT answered; None where there is none."""
    try:
        return tlv.find(template, 0x61, 0x50)
    except tlv.TlvError:
        return None


def spki(key: object) -> bytes:
    """DER SubjectPublicKeyInfo of an EC or RSA key; ValueError for any other."""
    if not isinstance(key, PublicKey):
        raise ValueError("not a key that a card makes")
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def parse_public_key(algorithm: Algorithm, template: bytes) -> PublicKey:
    """The key in the 7F49 template of a generation's answer; other elements are ignored. Raises `ProtocolError`."""
    found = next((item.value for item in _parse(template) if item.tag == 0x7F49), b"")
    items = {item.tag: item.value for item in _parse(found)}
    try:
        if algorithm.is_rsa:
            modulus, exponent = (int.from_bytes(items[tag], "big") for tag in (0x81, 0x82))
            if modulus.bit_length() != algorithm.bits:
                raise ProtocolError("the card made a key of another size")
            return rsa.RSAPublicNumbers(exponent, modulus).public_key()
        curve = ec.SECP256R1() if algorithm is Algorithm.P256 else ec.SECP384R1()
        return ec.EllipticCurvePublicKey.from_encoded_point(curve, items[0x86])
    except (KeyError, ValueError) as error:
        raise ProtocolError("the card's answer holds no usable public key") from error


def _parse(data: bytes) -> list[tlv.Tlv]:
    try:
        return tlv.parse(data)
    except tlv.TlvError as error:
        raise ProtocolError(f"malformed template: {error}") from error


def _unwrap(tag: int, data: bytes) -> bytes:
    try:
        return tlv.unwrap(tag, data)
    except tlv.TlvError as error:
        raise ProtocolError(f"malformed template: {error}") from error


@dataclass(frozen=True, slots=True)
class ReferenceMetadata:
    """What a card says of its PIN, PUK or management key: whether it is the factory's, the tries left (None: not told),
    and the cipher of a management key."""

    factory: bool
    tries: int | None
    cipher: ManagementAlgorithm | None


class PivSession:
    """The PIV application on one card. Every method raises only `CardError`, and ValueError for mistakes of the caller.

    Refusals are `StatusWordError`. No method keeps a secret.
    """

    def __init__(self, channel: ApduChannel) -> None:
        self.channel = channel
        self._names: tuple[bytes, ...] = _NAMES

    def select(self) -> bytes:
        """Select the application; its property template (tag 61).

        PIN and key states stay as they are if it was selected already (part 2, 3.1.1): only power ends them.
        """
        refusals = []
        for name in self._names:
            reply = self.channel.select(name)
            if reply.ok:
                self._names = (name,)
                return reply.data
            refusals.append(reply.sw)
        raise StatusWordError(refusals[0], 0xA4)

    def get_object(self, object_id: int) -> bytes | None:
        """Contents of a data object, without its outer tag; None if the card has none or an empty one."""
        reply = self.channel.send(CommandApdu(0, 0xCB, 0x3F, 0xFF, tlv.encode(0x5C, tag_bytes(object_id)), ANY))
        if reply.sw in (0x6A82, 0x6A88):
            return None
        if not reply.ok and reply.sw != _END_OF_DATA:
            raise StatusWordError(reply.sw, 0xCB)
        # The discovery object carries its own tag; all others come in a 53 (SP 800-73-5 part 2, 3.1.2).
        return _unwrap(object_id if object_id == PivObject.DISCOVERY else 0x53, reply.data) or None

    def put_object(self, object_id: int, content: bytes) -> None:
        """Write a data object's whole contents; needs the management key."""
        data = tlv.encode(0x5C, tag_bytes(object_id)) + tlv.encode(0x53, content)
        self.channel.check(CommandApdu(0, 0xDB, 0x3F, 0xFF, data))

    def pin_tries(self) -> int | None:
        """PIN tries left; costs none. None if the card does not say (or the PIN is verified already)."""
        reply = self.channel.send(CommandApdu(0, 0x20, 0x00, _PIN))
        return StatusWordError(reply.sw, 0x20).tries

    def verify(self, pin: str) -> None:
        """Verify the PIN: a wrong one costs a try (`StatusWordError.tries`); `CardLocked` if it is blocked."""
        self._secret(CommandApdu(0, 0x20, 0x00, _PIN, pin_block(pin)), "PIN")

    def change_pin(self, old: str, new: str) -> None:
        """Change the PIN; a wrong old one costs a try."""
        self._secret(CommandApdu(0, 0x24, 0x00, _PIN, pin_block(old) + pin_block(new)), "PIN")

    def change_puk(self, old: str, new: str) -> None:
        """Change the PUK; a wrong old one costs a try."""
        self._secret(CommandApdu(0, 0x24, 0x00, PUK_REFERENCE, pin_block(old) + pin_block(new)), "PUK")

    def reset_pin(self, puk: str, new_pin: str) -> None:
        """Set the PIN and its tries by the PUK (RESET RETRY COUNTER); a wrong PUK costs a PUK try, never a PIN try."""
        self._secret(CommandApdu(0, 0x2C, 0x00, _PIN, pin_block(puk) + pin_block(new_pin)), "PUK")

    def _secret(self, command: CommandApdu, what: str) -> None:
        reply = self.channel.send(command)
        if reply.sw == 0x6983 or reply.sw == 0x63C0:
            raise CardLocked(what, "blocked, no tries left")
        if not reply.ok:
            raise StatusWordError(reply.sw, command.ins)

    def authenticate_management(
        self, keys: Sequence[ManagementKey], known: ManagementAlgorithm | None = None
    ) -> ManagementKey:
        """Mutual authentication with the first of `keys` that fits; returns it.

        The card is asked for its cipher, `known` first, then 3DES and the AES sizes, only those that `keys` has. Where
        the card does no mutual authentication, its challenge is answered (part 2, appendix A.1). At most two keys are
        tried, because some cards count wrong ones; after that, or if no key has the card's cipher, `CardLocked`.
        """
        ciphers = [known] if known is not None else []
        ciphers += [cipher for cipher in PROBE_ORDER if cipher is not known]
        refusal = 0x6A86
        for asked, opens in ((_WITNESS, self._answers_witness), (_CHALLENGE, self._answers_challenge)):
            for cipher in ciphers:
                fitting = [key for key in keys if key.algorithm is cipher][:2]
                if not fitting:
                    continue
                nonce = self._nonce(cipher, asked)
                if isinstance(nonce, int):
                    refusal = nonce
                    continue
                for key in fitting:
                    if isinstance(nonce, bytes) and opens(key, nonce):
                        return key
                    if key is not fitting[-1]:
                        nonce = self._nonce(cipher, asked)
                raise CardLocked("9B", "none of the known management keys fits")
        if refusal not in _OTHER_CIPHER:
            raise StatusWordError(refusal, 0x87)
        raise CardLocked("9B", "the management key has a cipher for which no key is known")

    def _nonce(self, cipher: ManagementAlgorithm, asked: int) -> bytes | int:
        """The card's encrypted witness or its challenge; the status word if its key has another cipher."""
        command = CommandApdu(0, 0x87, cipher, MANAGEMENT_REFERENCE, tlv.encode(0x7C, tlv.encode(asked)), 256)
        reply = self.channel.send(command)
        if reply.sw == _NO_DIAGNOSIS:
            reply = self.channel.send(command)
        if reply.sw == 0x6983:
            raise CardLocked("9B", "blocked")
        if not reply.ok:
            return reply.sw
        nonce = self._dynamic(reply.data, asked)
        return nonce if len(nonce) == cipher.block else 0x6A86

    def _answers_witness(self, key: ManagementKey, witness: bytes) -> bool:
        """Prove our key and let the card prove its own; False if either proof fails."""
        # The standard's own example requests the answer by an empty 82 (appendix A.2); many cards refuse that.
        for empty in (b"", tlv.encode(_RESPONSE)):
            challenge = secrets.token_bytes(key.algorithm.block)
            body = tlv.encode(_WITNESS, key.decrypt(witness)) + tlv.encode(_CHALLENGE, challenge) + empty
            reply = self.channel.send(
                CommandApdu(0, 0x87, key.algorithm, MANAGEMENT_REFERENCE, tlv.encode(0x7C, body), 256)
            )
            if reply.sw == 0x6983:
                raise CardLocked("9B", "blocked")
            if reply.ok:
                return hmac.compare_digest(self._dynamic(reply.data, _RESPONSE), key.encrypt(challenge))
            if empty or reply.sw not in _MALFORMED:
                return False
            again = self._nonce(key.algorithm, _WITNESS)
            if isinstance(again, int):
                return False
            witness = again
        return False

    def _answers_challenge(self, key: ManagementKey, challenge: bytes) -> bool:
        """Prove our key; the card proves nothing."""
        body = tlv.encode(_RESPONSE, key.encrypt(challenge))
        reply = self.channel.send(CommandApdu(0, 0x87, key.algorithm, MANAGEMENT_REFERENCE, tlv.encode(0x7C, body)))
        if reply.sw == 0x6983:
            raise CardLocked("9B", "blocked")
        return reply.ok

    def sets_management_key(self) -> bool:
        """Whether the card knows Yubico's SET MANAGEMENT KEY; the probe has no data and sets nothing."""
        reply = self.channel.send(CommandApdu(0, 0xFF, 0xFF, 0xFF))
        return reply.sw not in (0x6881, 0x6882, 0x6D00, 0x6E00)

    def set_management_key(
        self, key: ManagementKey, command: ManagementCommand = ManagementCommand.SET_MANAGEMENT_KEY
    ) -> None:
        """Replace the management key by the card's command for it, without a touch policy."""
        if command is ManagementCommand.CHANGE_REFERENCE_DATA:
            data = tlv.encode(0x30, tlv.encode(0x80, key.value))
            self.channel.check(CommandApdu(0, 0x24, key.algorithm, MANAGEMENT_REFERENCE, data))
            return
        data = bytes((key.algorithm,)) + tlv.encode(MANAGEMENT_REFERENCE, key.value)
        self.channel.check(CommandApdu(0, 0xFF, 0xFF, 0xFF, data))

    def generate(self, slot: Slot, algorithm: Algorithm) -> PublicKey:
        """Make a new key pair on the card, in place of the slot's old one; needs the management key."""
        data = tlv.encode(0xAC, tlv.encode(0x80, bytes((algorithm,))))
        return parse_public_key(algorithm, self.channel.check(CommandApdu(0, 0x47, 0x00, slot, data, ANY)))

    def sign(self, slot: Slot, algorithm: Algorithm, payload: bytes) -> bytes:
        """Raw private-key operation: `payload` is the digest for EC, the padded block (modulus length) for RSA."""
        return self._authenticate(slot, algorithm, tlv.encode(0x82) + tlv.encode(0x81, payload))

    def agree(self, slot: Slot, algorithm: Algorithm, peer: ec.EllipticCurvePublicKey) -> bytes:
        """ECDH with `peer` (same curve): the shared X coordinate."""
        return self._authenticate(slot, algorithm, tlv.encode(0x82) + tlv.encode(0x85, encode_point(peer)))

    def _authenticate(self, slot: Slot, algorithm: Algorithm, body: bytes) -> bytes:
        command = CommandApdu(0, 0x87, algorithm, slot, tlv.encode(0x7C, body), ANY if algorithm.is_rsa else 256)
        return self._dynamic(self.channel.check(command), 0x82)

    @staticmethod
    def _dynamic(data: bytes, tag: int) -> bytes:
        """One element of a dynamic authentication template (7C)."""
        for item in _parse(_unwrap(0x7C, data)):
            if item.tag == tag:
                return item.value
        raise ProtocolError(f"the card's answer lacks element {tag:02X}")

    def read_certificate(self, slot: Slot) -> bytes | None:
        """DER of the slot's certificate, unpacked; None if there is none."""
        content = self.get_object(slot.object)
        return parse_certificate(content) if content else None

    def metadata(self, reference: int) -> ReferenceMetadata | None:
        """Yubico's GET METADATA of PIN (80), PUK (81) or management key (9B): costs no try and changes nothing. None
        where the card has no such command, or does not say whether the value is the factory's."""
        reply = self.channel.send(CommandApdu(0, 0xF7, 0, reference, b"", 256))
        if not reply.ok:
            return None
        try:
            items = {item.tag: item.value for item in tlv.parse(reply.data)}
        except tlv.TlvError:
            return None
        default, algorithm, tries = items.get(0x05, b""), items.get(0x01, b""), items.get(0x06, b"")
        if default not in (b"\x00", b"\x01"):
            return None
        cipher = next((one for one in ManagementAlgorithm if algorithm == bytes((one,))), None)
        return ReferenceMetadata(default == b"\x01", tries[1] if len(tries) == 2 else None, cipher)

    def serial(self) -> int | None:
        """Yubico's GET SERIAL; None where refused, empty or zero."""
        reply = self.channel.send(CommandApdu(0, 0xF8, 0, 0, b"", 256))
        if not reply.ok or not 1 <= len(reply.data) <= 16:
            return None
        return int.from_bytes(reply.data, "big") or None
