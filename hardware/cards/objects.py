"""The PIV data objects that name a card and its holder, and the CMS signatures over them.

CHUID, CCC, printed information, security object: SP 800-73-5 part 1, sections 3.1 and appendix A. CMS: RFC 5652.
All contents are without the outer tag 53.
"""

import datetime
import secrets
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final
from uuid import UUID

from cryptography import x509

from hardware.cards import tlv
from hardware.cards.backend import ProtocolError
from hardware.cards.chain import BROKEN
from hardware.cards.cms import (
    DIGEST_ALGORITHM,
    SHA256,
    ContentSigner,
    DerReader,
    VerifiedCms,
    integer,
    octets,
    sequence,
    sign_cms,
    verify_cms,
)
from hardware.cards.piv import PivObject

FASC_N: Final = bytes.fromhex("D4E739DA739CED39CE739D836858210842108421C84210C3EB")
"""The non-federal FASC-N (agency 9999) of SP 800-73-5 part 1, 3.1.2: the GUID distinguishes non-federal cards."""

OID_CHUID: Final = "2.16.840.1.101.3.6.1"
OID_SECURITY_OBJECT: Final = "1.3.27.1.1.1"
OID_SECURITY_OBJECT_ICAO: Final = "2.23.136.1.1.1"

CONTAINERS: Final[Mapping[PivObject, int]] = {
    PivObject.CCC: 0xDB00,
    PivObject.CHUID: 0x3000,
    PivObject.PRINTED: 0x3001,
    PivObject.DISCOVERY: 0x6050,
    PivObject.KEY_HISTORY: 0x6060,
}
"""Container ids of the unsigned objects a security object covers (SP 800-73-5 part 1, table 2)."""

_MONTHS: Final = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")


@dataclass(frozen=True, slots=True)
class Chuid:
    """A card holder unique identifier as read.

    `signature` is empty if the card's is unsigned; `signed` is what it covers. `guid` and `expires` are None where the
    card has no usable value.
    """

    fasc_n: bytes
    guid: UUID | None
    expires: datetime.date | None
    signature: bytes
    signed: bytes


def build_chuid(guid: UUID, expires: datetime.date, signer: ContentSigner) -> bytes:
    """Contents of a signed CHUID: 30 FASC-N, 34 GUID, 35 YYYYMMDD, 3E detached CMS over all others, FE."""
    fields = (
        tlv.encode(0x30, FASC_N) + tlv.encode(0x34, guid.bytes) + tlv.encode(0x35, expires.strftime("%Y%m%d").encode())
    )
    end = tlv.encode(0xFE)
    signature = sign_cms(signer, OID_CHUID, fields + end, attach=False, certificate=True, name_signer=True)
    return fields + tlv.encode(0x3E, signature) + end


def parse_chuid(content: bytes) -> Chuid:
    """Read a CHUID, signed or not, ours or another maker's. Raises `ProtocolError` only for broken TLV."""
    items = _items(content)
    first = {item.tag: item.value for item in reversed(items)}
    guid = first.get(0x34, b"")
    return Chuid(
        fasc_n=first.get(0x30, b""),
        guid=UUID(bytes=guid) if len(guid) == 16 and any(guid) else None,
        expires=_date(first.get(0x35, b"")),
        signature=first.get(0x3E, b""),
        signed=b"".join(bytes(item) for item in items if item.tag != 0x3E),
    )


def _date(raw: bytes) -> datetime.date | None:
    if len(raw) != 8 or not raw.isdigit():
        return None
    try:
        return datetime.date(int(raw[:4]), int(raw[4:6]), int(raw[6:]))
    except ValueError:
        return None


def verify_chuid(chuid: Chuid) -> VerifiedCms:
    """Check a CHUID's signature. Raises `ProtocolError` if there is none or it is not good."""
    if not chuid.signature:
        raise ProtocolError("the CHUID is not signed")
    return verify_cms(chuid.signature, (OID_CHUID,), chuid.signed)


def build_ccc() -> bytes:
    """Contents of a card capability container: a random card identifier, data model 10, all else empty."""
    # GSC-RID, manufacturer 01, card type 02 (JavaCard-like), 14 random bytes: SP 800-73-5 part 1, 3.1.1 and GSC-IS 2.1.
    identifier = bytes.fromhex("A0000001160102") + secrets.token_bytes(14)
    content = tlv.encode(0xF0, identifier) + tlv.encode(0xF1, b"\x21") + tlv.encode(0xF2, b"\x21")
    content += tlv.encode(0xF3) + tlv.encode(0xF4, b"\x00") + tlv.encode(0xF5, b"\x10")
    return content + b"".join(tlv.encode(tag) for tag in (0xF6, 0xF7, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE))


@dataclass(frozen=True, slots=True)
class Ccc:
    """A card capability container as read: the card identifier and the data model (0x10 is PIV; None if not given)."""

    identifier: bytes
    data_model: int | None


def parse_ccc(content: bytes) -> Ccc:
    """Read a card capability container. Raises `ProtocolError` for broken TLV."""
    items = {item.tag: item.value for item in _items(content)}
    model = items.get(0xF5, b"")
    return Ccc(items.get(0xF0, b""), model[0] if len(model) == 1 else None)


@dataclass(frozen=True, slots=True)
class PrintedInformation:
    """What is printed on the card, ASCII: name (at most 125 characters), affiliation (20), serial (20), issuer (15)."""

    name: str
    affiliation: str
    expires: datetime.date | None
    serial: str
    issuer: str


def ascii_text(text: str, length: int) -> str:
    """`text` as the ASCII that the object allows, cut to `length`: accents are dropped, letters without a base become
    `?`."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return "".join(c if " " <= c <= "~" else "?" for c in plain)[:length]


def build_printed(printed: PrintedInformation) -> bytes:
    """Contents of the printed information; texts go through `ascii_text`. `expires` must be given (ValueError)."""
    if printed.expires is None:
        raise ValueError("printed information has an expiry date")
    expires = f"{printed.expires.year:04d}{_MONTHS[printed.expires.month - 1]}{printed.expires.day:02d}"
    fields = (
        (0x01, ascii_text(printed.name, 125)),
        (0x02, ascii_text(printed.affiliation, 20)),
        (0x04, expires),
        (0x05, ascii_text(printed.serial, 20)),
        (0x06, ascii_text(printed.issuer, 15)),
        (0xFE, ""),
    )
    return b"".join(tlv.encode(tag, text.encode("ascii")) for tag, text in fields)


def parse_printed(content: bytes) -> PrintedInformation:
    """Read printed information; texts that are not ASCII show `?`. Raises `ProtocolError` for broken TLV."""
    items = {item.tag: item.value for item in _items(content)}

    def text(tag: int) -> str:
        return "".join(chr(byte) if 0x20 <= byte <= 0x7E else "?" for byte in items.get(tag, b""))

    expires = text(0x04).upper()
    number = f"{_MONTHS.index(expires[4:7]) + 1:02d}" if len(expires) == 9 and expires[4:7] in _MONTHS else ""
    date = _date((expires[:4] + number + expires[7:]).encode("ascii"))
    return PrintedInformation(text(0x01), text(0x02), date, text(0x05), text(0x06))


@dataclass(frozen=True, slots=True)
class KeyHistory:
    """How many retired key management keys a card has: certificates on the card, elsewhere, and the URL (at most 118
    ASCII characters) of the latter, which is given exactly if there are any.
    """

    on_card: int
    off_card: int = 0
    url: str = ""

    def __post_init__(self) -> None:
        if self.on_card < 0 or self.off_card < 0 or not 0 < self.on_card + self.off_card <= 20:
            raise ValueError("a key history tells of 1 to 20 retired keys")
        if bool(self.url) != bool(self.off_card) or not self.url.isascii() or len(self.url) > 118:
            raise ValueError("a key history has a URL exactly if certificates are elsewhere")


def build_key_history(history: KeyHistory) -> bytes:
    """Contents of a key history object (part 1, 3.3.3): C1 on card, C2 off card, F3 URL, FE."""
    counts = tlv.encode(0xC1, bytes((history.on_card,))) + tlv.encode(0xC2, bytes((history.off_card,)))
    return counts + tlv.encode(0xF3, history.url.encode("ascii")) + tlv.encode(0xFE)


def build_security_object(contents: Mapping[PivObject, bytes], signer: ContentSigner) -> bytes:
    """Contents of a security object over the given objects (of `CONTAINERS`): BA map, BB signed hashes, FE."""
    covered = [item for item in CONTAINERS if item in contents]
    numbers = dict(zip(covered, range(1, len(covered) + 1), strict=True))
    mapping = b"".join(bytes((number,)) + CONTAINERS[item].to_bytes(2, "big") for item, number in numbers.items())
    hashes = (sequence(integer(numbers[item]), octets(sha256(contents[item]).digest())) for item in covered)
    lds = sequence(integer(0), DIGEST_ALGORITHM, sequence(*hashes))
    signature = sign_cms(signer, OID_SECURITY_OBJECT, lds, attach=True, certificate=False, name_signer=False)
    return tlv.encode(0xBA, mapping) + tlv.encode(0xBB, signature) + tlv.encode(0xFE)


def verify_security_object(content: bytes, contents: Mapping[PivObject, bytes], signer: x509.Certificate) -> None:
    """Check a security object's signature, and that it covers exactly `contents` with equal hashes.

    Raises `ProtocolError` that says what differs.
    """
    items = {item.tag: item.value for item in _items(content)}
    mapping = items.get(0xBA, b"")
    if len(mapping) % 3:
        raise ProtocolError("the security object's map is cut off")
    types = (OID_SECURITY_OBJECT, OID_SECURITY_OBJECT_ICAO)
    verified = verify_cms(items.get(0xBB, b""), types, signer=signer)
    try:
        signed = _hashes(verified.content)
    except BROKEN as error:
        raise ProtocolError("malformed LDS security object") from error
    containers = {mapping[at]: int.from_bytes(mapping[at + 1 : at + 3], "big") for at in range(0, len(mapping), 3)}
    covered = {containers.get(number): digest for number, digest in signed.items()}
    wanted = {CONTAINERS[item]: sha256(data).digest() for item, data in contents.items()}
    if covered != wanted:
        raise ProtocolError("the security object's hashes do not fit the objects on the card")


def _hashes(lds: bytes) -> dict[int, bytes]:
    """Data group number -> SHA-256 of an LDSSecurityObject version 0 (ICAO Doc 9303 part 10). Raises `BROKEN`."""
    content = DerReader(tlv.unwrap(0x30, lds))
    content.take(0x02)
    if DerReader(content.take(0x30)).take(0x06) != SHA256:
        raise ProtocolError("the security object's digest is not SHA-256")
    found: dict[int, bytes] = {}
    for item in tlv.parse(content.take(0x30)):
        entry = DerReader(item.value)
        number = int.from_bytes(entry.take(0x02), "big")
        if number in found:
            raise ValueError("a data group is there twice")
        found[number] = entry.take(0x04)
    return found


def _items(content: bytes) -> list[tlv.Tlv]:
    try:
        return tlv.parse(content)
    except tlv.TlvError as error:
        raise ProtocolError(f"malformed object: {error}") from error
