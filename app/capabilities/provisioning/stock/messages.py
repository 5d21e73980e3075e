"""Messages of ``/v1/hardware/elements``: the stock of secure elements."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import ListQuery, Reply, Request, SecretState, ShortText, Timestamp

ElementUid = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}\Z")]
"""``hardware_uid`` of a card as on its packaging, in any case of letters. A reader's name is not accepted."""
ElementState = Literal["in_stock", "quarantined", "issued", "retired"]
Level = Annotated[int, msgspec.Meta(ge=1, le=4)]
Certificate = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,6}\Z")]
_AES = r"([0-9A-Fa-f]{32}|[0-9A-Fa-f]{48}|[0-9A-Fa-f]{64})"
AesKey = Annotated[str, msgspec.Meta(pattern=rf"^{_AES}\Z")]
"""16, 24 or 32 bytes in hexadecimal."""
KeyVersion = Annotated[int, msgspec.Meta(ge=0, le=127)]
CardPin = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{6,8}\Z")]
CardPuk = Annotated[str, msgspec.Meta(pattern=r"^[!-~]{6,8}\Z")]
MAX_IMPORT = 500


class _Declared(Request, kw_only=True, tag_field="standard"):
    """The module's validation, as the stock officer declares it."""

    certificate: Certificate


class Declared1402(_Declared, kw_only=True, tag="FIPS 140-2"):
    """A FIPS 140-2 module: CMVP certificate, overall level, level of physical security."""

    level: Level
    physical: Level | None = None


class Declared1403(_Declared, kw_only=True, tag="FIPS 140-3"):
    """A FIPS 140-3 module: CMVP certificate, overall level, level of physical security."""

    level: Level
    physical: Level | None = None


class DeclaredListing(_Declared, kw_only=True, tag="GSA APL"):
    """An entry of the GSA's Approved Products List: its number."""


DeclaredValidation = Declared1402 | Declared1403 | DeclaredListing


class ChannelKeySet(Request, kw_only=True, tag_field="kind", tag="set"):
    """A card's SCP03 keys: ENC, MAC and DEK, concatenated. ``version`` 0: the card's first key set."""

    keys: Annotated[str, msgspec.Meta(pattern=r"^([0-9A-Fa-f]{96}|[0-9A-Fa-f]{144}|[0-9A-Fa-f]{192})\Z")]
    version: KeyVersion = 0


class ChannelMaster(Request, kw_only=True, tag_field="kind", tag="master"):
    """The master key from which each card's SCP03 keys are derived with its KDD."""

    key: AesKey
    version: KeyVersion = 0


ChannelKeys = ChannelKeySet | ChannelMaster


class Transport(Request, kw_only=True):
    """Transport keys that the maker set; they are tried before the published factory values. All left out: there are
    none."""

    management_key: AesKey | None = None
    pin: CardPin | None = None
    puk: CardPuk | None = None
    scp03: ChannelKeys | None = None


class ElementBody(Request, kw_only=True):
    """PUT ``/v1/hardware/elements/{hardware_uid}``. ``state`` and ``transport`` left out: they stay as they are; a new
    element is ``in_stock``. ``transport`` is write-only. ``detail`` is the reason of a quarantine and is kept as long
    as that lasts."""

    product: ShortText
    location: ShortText | None = None
    state: ElementState | None = None
    detail: ShortText | None = None
    validation: DeclaredValidation | None = None
    transport: Transport | None = None


class Validation(Reply, kw_only=True):
    """A declared validation as it is stored."""

    standard: Literal["FIPS 140-2", "FIPS 140-3", "GSA APL"]
    certificate: str
    level: int | None = None
    physical: int | None = None


class Element(Reply, kw_only=True):
    """A secure element of the stock. ``provision_id``: the provisioning that last wrote it, or that it refused, for the
    node ``node_id``; ``written_at``: when that ended, or began if it has not ended. ``detail``: the reason of a
    quarantine."""

    hardware_uid: str
    product: str
    location: str | None
    state: ElementState
    validation: Validation | None
    transport: SecretState
    provision_id: str | None
    node_id: str | None
    written_at: Timestamp | None
    detail: str | None
    created_at: Timestamp
    changed_at: Timestamp


class ElementListQuery(ListQuery, kw_only=True):
    """GET ``/v1/hardware/elements``."""

    state: ElementState | None = None


class ElementCounts(Reply, kw_only=True):
    """How many elements are in each state."""

    in_stock: int = 0
    quarantined: int = 0
    issued: int = 0
    retired: int = 0


class ElementPage(Reply, kw_only=True):
    """A page of the stock, by ascending hardware_uid. ``counts``, on the first page only, cover all elements that ``q``
    finds, in every state."""

    items: list[Element]
    next: str | None
    counts: ElementCounts | None = None


class ImportRow(ElementBody, kw_only=True):
    """One line of an import: the element's name and the body of its PUT. A list that is imported again without states
    therefore releases no element from quarantine and takes none back from its holder."""

    hardware_uid: ElementUid


class ImportBody(Request, kw_only=True):
    """POST ``/v1/hardware/elements``: all of it or nothing."""

    rows: Annotated[list[ImportRow], msgspec.Meta(min_length=1, max_length=MAX_IMPORT)]


class ImportReply(Reply, kw_only=True):
    """How many elements were made and how many changed."""

    made: int
    changed: int


MAKERS_BY_HAND = "file"
"""The id of the certificates that no shipped maker has."""
MAKERS_CA_MAX = 65_536
"""Characters of the certificates of one call."""


class PinMakerBody(Request, kw_only=True):
    """PUT ``/v1/registry/card-makers/{maker_id}``. ``ca``: PEM of the attestation authorities of makers that
    do not ship with the program, for the id ``file`` alone; each must be a root, or be issued by one that is sent or
    pinned."""

    ca: Annotated[str, msgspec.Meta(min_length=1, max_length=MAKERS_CA_MAX)] | None = None


class MakerCertificate(Reply, kw_only=True):
    """One attestation authority. ``sha256``: of its DER, lower-case hex."""

    subject: str
    sha256: str
    not_after: Timestamp


class CardMakerItem(Reply, kw_only=True):
    """A card maker whose attestation authorities ship with the program, or ``file``: certificates that stand in the
    site's ``makers.pem`` beside those. ``pinned``: all of its certificates are trusted to attest. ``source`` is where
    the maker publishes them, ``checked_on`` the day on which they were last compared with it."""

    maker_id: str
    maker: str
    products: str
    source: str | None
    checked_on: str | None
    pinned: bool
    certificates: list[MakerCertificate]


class CardMakerList(Reply, kw_only=True):
    """GET ``/v1/registry/card-makers``."""

    items: list[CardMakerItem]


ELEMENT_COLUMNS = (
    "hardware_uid",
    "product",
    "location",
    "state",
    "standard",
    "level",
    "physical",
    "certificate",
    "management_key",
    "pin",
    "puk",
)
"""Columns of a stock list as CSV, in any order; ``hardware_uid`` and ``product`` are needed, the others may be absent
or empty."""
