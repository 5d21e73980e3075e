"""Which card is in the reader: its names, and what state it is in. Writes nothing, verifies no PIN, costs no try."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final
from uuid import UUID

from cryptography import x509

from hardware.cards import tlv
from hardware.cards.apdu import ApduChannel, CommandApdu, FormatMemory
from hardware.cards.backend import (
    CardBackend,
    CardBusy,
    CardConnection,
    ProtocolError,
    StatusWordError,
)
from hardware.cards.chain import BROKEN, issued_by
from hardware.cards.objects import Chuid, parse_chuid, verify_chuid
from hardware.cards.piv import PivObject, PivSession, Slot

NODE_URN: Final = "urn:arc-node:"
UUID_URN: Final = "urn:uuid:"

_ISSUER_DOMAIN: Final = bytes.fromhex("A000000151000000")
_CPLC_LENGTH: Final = 42


class CardState(StrEnum):
    """A card's state, as this site sees it."""

    BLANK = "blank"
    """A PIV card without certificates."""
    TORN = "torn"
    """Our signed CHUID is on it, but not all certificates that go with it."""
    PROVISIONED = "provisioned"
    """CHUID and certificates name the same card and a node. PIN and keys cannot be checked from outside."""
    FOREIGN = "foreign"
    """Another issuer's certificates are on it."""
    LOCKED = "locked"
    """The PIN is blocked."""
    BUSY = "busy"
    """Another program holds it."""
    NOT_PIV = "not_piv"
    """It has no PIV application."""


class UidSource(StrEnum):
    """The source of a card's name, best first."""

    SERIAL = "serial"
    CPLC = "cplc"
    GUID = "guid"
    UID = "uid"
    READER = "reader"


@dataclass(frozen=True, slots=True)
class CardIdentity:
    """A card as it names itself.

    `hardware_uid` is the best name and `uid_source` its kind: a serial number in decimal, CPLC bytes in hexadecimal (24
    digits), the CHUID's GUID as a lower-case UUID, a contactless UID in hexadecimal, or `reader:<name>`. `aliases` are
    all its other names. `node_id` is what its certificate claims, checked only against the authorities given.
    `pin_tries` is None where the card does not say; `detail` gives the reason of `state` for people. `serial` and
    `chip` (the name from the CPLC) are those names again, each on its own. `template` is the answer to SELECT PIV,
    `cplc` the chip's whole production data; both are empty where the card gives none.
    """

    reader: str
    atr: bytes
    state: CardState
    hardware_uid: str
    uid_source: UidSource
    aliases: tuple[str, ...] = ()
    card_guid: UUID | None = None
    node_id: str | None = None
    expires: date | None = None
    pin_tries: int | None = None
    detail: str | None = None
    serial: int | None = None
    chip: str | None = None
    template: bytes = b""
    cplc: bytes = b""

    def answers_to(self, uid: str) -> bool:
        """Whether `uid` is one of the card's names, in any case of letters (a reader's name in its own case only)."""
        names = (self.hardware_uid, *self.aliases)
        return uid in names or uid.lower() in (name for name in names if not name.startswith("reader:"))


@dataclass(frozen=True, slots=True)
class CertificateClaims:
    """What one of this site's certificates says in its subject alternative names."""

    node_id: str | None
    guid: UUID | None


def certificate_claims(certificate: x509.Certificate) -> CertificateClaims:
    """Node and card named by a certificate; None for each it does not name. Never raises for odd certificates."""
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        uris = names.get_values_for_type(x509.UniformResourceIdentifier)
    except (x509.ExtensionNotFound, x509.UnsupportedGeneralNameType, *BROKEN):
        return CertificateClaims(None, None)
    node = next((uri[len(NODE_URN) :] for uri in uris if uri.startswith(NODE_URN)), None)
    guid = next((uri[len(UUID_URN) :] for uri in uris if uri.startswith(UUID_URN)), None)
    try:
        return CertificateClaims(node or None, UUID(guid) if guid else None)
    except ValueError:
        return CertificateClaims(node or None, None)


def read_cplc(channel: ApduChannel) -> bytes:
    """The chip's production data (42 bytes) from the issuer security domain, which stays selected; empty if refused.

    Raises `TransportError` only.
    """
    try:
        if not channel.send(CommandApdu(0, 0xA4, 0x04, 0x00, _ISSUER_DOMAIN, 256)).ok:
            return b""
        reply = channel.send(CommandApdu(0x80, 0xCA, 0x9F, 0x7F, b"", 256))
        data = (tlv.find(reply.data, 0x9F7F) if reply.ok else None) or b""
    except (ProtocolError, tlv.TlvError):
        return b""
    return data if len(data) == _CPLC_LENGTH else b""


def chip_name(cplc: bytes) -> str | None:
    """Fabricator, type, fabrication date, serial and batch of the chip in hexadecimal; None without a serial number."""
    # Layout: GlobalPlatform Card Specification 2.3.1, H.6 (CPLC): serial 12..16, batch 16..18.
    if len(cplc) != _CPLC_LENGTH or not any(cplc[12:16]):
        return None
    return (cplc[0:4] + cplc[10:18]).hex()


def identify_reader(
    backend: CardBackend,
    reader: str,
    authorities: Sequence[x509.Certificate] = (),
    memory: FormatMemory | None = None,
) -> CardIdentity:
    """Open, identify, close. A card held by others is an identity too (`busy`).

    Raises `NoReaderService`, `NoSuchReader`, `NoCard`, `TransportError`.
    """
    try:
        connection = backend.open(reader)
    except CardBusy as busy:
        return CardIdentity(reader, b"", CardState.BUSY, f"reader:{reader}", UidSource.READER, detail=str(busy))
    with connection:
        return identify(connection, authorities, memory)


def identify(
    connection: CardConnection,
    authorities: Sequence[x509.Certificate] = (),
    memory: FormatMemory | None = None,
) -> CardIdentity:
    """Read a card's names and state; leaves the PIV application selected if there is one.

    With `authorities`, certificates and CHUIDs of other sites are `foreign`; without, every card that names a node
    counts as this site's. Raises `TransportError` only: a card with malformed answers is identified by the remaining
    ones.
    """
    return _Identification(connection, authorities, memory).run()


class _Identification:
    def __init__(
        self, connection: CardConnection, authorities: Sequence[x509.Certificate], memory: FormatMemory | None
    ) -> None:
        self._reader = connection.reader
        self._atr = connection.atr
        self._authorities = authorities
        self._channel = ApduChannel(connection, memory)
        self._channel.stage = "identify"
        self._piv = PivSession(self._channel)
        self._template = b""

    def run(self) -> CardIdentity:
        piv = self._select_piv()
        chuid = self._chuid() if piv else None
        tries = self._piv.pin_tries() if piv else None
        state, detail, node_id = self._judge(chuid) if piv else (CardState.NOT_PIV, "no PIV application", None)
        if tries == 0:
            state, detail = CardState.LOCKED, "the PIN is blocked"
        serial = self._serial() if piv else None
        cplc = read_cplc(self._channel)
        if piv:
            self._select_piv()
        chip = chip_name(cplc)
        guid = chuid.guid if chuid else None
        names: list[tuple[str, UidSource]] = []
        if serial is not None:
            names.append((str(serial), UidSource.SERIAL))
        if chip is not None:
            names.append((chip, UidSource.CPLC))
        if guid is not None:
            names.append((str(guid), UidSource.GUID))
        if not names and (uid := self._contactless_uid()) is not None:
            names.append((uid, UidSource.UID))
        names.append((f"reader:{self._reader}", UidSource.READER))
        return CardIdentity(
            reader=self._reader,
            atr=self._atr,
            state=state,
            hardware_uid=names[0][0],
            uid_source=names[0][1],
            aliases=tuple(name for name, _ in names[1:]),
            card_guid=guid,
            node_id=node_id,
            expires=chuid.expires if chuid else None,
            pin_tries=tries,
            detail=detail,
            serial=serial,
            chip=chip,
            template=self._template,
            cplc=cplc,
        )

    def _select_piv(self) -> bool:
        try:
            self._template = self._piv.select()
        except (StatusWordError, ProtocolError):
            return False
        return True

    def _chuid(self) -> Chuid | None:
        try:
            content = self._piv.get_object(PivObject.CHUID)
            return parse_chuid(content) if content else None
        except (StatusWordError, ProtocolError):
            return None

    def _certificate(self, slot: Slot) -> x509.Certificate | None:
        try:
            der = self._piv.read_certificate(slot)
            return x509.load_der_x509_certificate(der) if der else None
        except (StatusWordError, ProtocolError, *BROKEN):
            return None

    def _judge(self, chuid: Chuid | None) -> tuple[CardState, str | None, str | None]:
        """State, reason, and the node named. 9E is the last certificate written: where it is, all four are."""
        last = self._certificate(Slot.CARD_AUTHENTICATION)
        certificate = last or self._certificate(Slot.AUTHENTICATION)
        ours = self._signed_by_us(chuid)
        if certificate is None:
            if ours:
                return CardState.TORN, "signed CHUID without certificates", None
            return CardState.BLANK, None, None
        claims = certificate_claims(certificate)
        node_id = claims.node_id if claims.node_id is not None or last is None else self._holder(claims.guid)
        if not self._is_trusted(certificate) or (node_id is None and not self._authorities):
            if ours:
                return CardState.TORN, "our CHUID beside another issuer's certificates", None
            return CardState.FOREIGN, "certificates of another issuer", None
        if node_id is None or last is None or not ours or chuid is None or claims.guid != chuid.guid:
            return CardState.TORN, "CHUID and certificates do not belong together", node_id
        return CardState.PROVISIONED, None, node_id

    def _holder(self, guid: UUID | None) -> str | None:
        """The node that the certificate of 9A names: 9E names it on cards of before alone. Only where both are of one
        card and of an authority that we know."""
        certificate = self._certificate(Slot.AUTHENTICATION)
        if certificate is None or not self._is_trusted(certificate):
            return None
        claims = certificate_claims(certificate)
        return claims.node_id if claims.guid == guid else None

    def _is_trusted(self, certificate: x509.Certificate) -> bool:
        return not self._authorities or issued_by(certificate, self._authorities)

    def _signed_by_us(self, chuid: Chuid | None) -> bool:
        if chuid is None or chuid.guid is None:
            return False
        try:
            return self._is_trusted(verify_chuid(chuid).certificate)
        except ProtocolError:
            return False

    def _serial(self) -> int | None:
        try:
            return self._piv.serial()
        except ProtocolError:
            return None

    def _contactless_uid(self) -> str | None:
        """The UID of a contactless card, which the reader answers (PC/SC part 3, 3.2.2.1.3)."""
        try:
            reply = self._channel.send(CommandApdu(0xFF, 0xCA, 0x00, 0x00, b"", 256))
        except ProtocolError:
            return None
        return reply.data.hex() if reply.ok and any(reply.data) and 4 <= len(reply.data) <= 10 else None
