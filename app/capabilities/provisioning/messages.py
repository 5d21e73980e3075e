"""Messages of ``/v1/hardware/*``."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import ListQuery, LongText, NodeId, RegistryId, Reply, Request, Timestamp
from app.registry.messages.nodes import Standing

CardState = Literal[
    "blank", "torn", "refused", "provisioned", "revoked", "foreign", "locked", "busy", "not_piv"
]  # fmt: skip
ProvisionState = Literal["RUNNING", "TORN", "REFUSED", "COMPLETE"]
UidSource = Literal["serial", "cplc", "guid", "uid", "reader"]

_GAP = r"[ ,;:/_#.-]"
_140 = f"([Ff][Ii][Pp][Ss]{_GAP}*)?140{_GAP}+[23]"
_LEVEL = f"{_GAP}*[Ll]([Ee][Vv][Ee][Ll])?{_GAP}*[1-4]"
_PHYSICAL = f"{_GAP}+[Pp][Hh][Yy][Ss][Ii][Cc][Aa][Ll]{_GAP}*[1-4]"
_201 = f"([Ff][Ii][Pp][Ss]{_GAP}*)?201{_GAP}+[23]({_GAP}+[Pp][Ii][Vv])?"
_APL = f"[Gg][Ss][Aa]{_GAP}+[Aa][Pp][Ll]{_GAP}+([Nn][Oo]{_GAP}+)?[0-9]{{1,6}}"
FipsStandard = Annotated[
    str,
    msgspec.Meta(
        min_length=1,
        max_length=100,
        # For the document alone: the parser refuses the same with a sentence that a person understands.
        extra_json_schema={"pattern": rf"^{_GAP}*({_140}({_LEVEL})?({_PHYSICAL})?|{_201}|{_APL}){_GAP}*\Z"},
        examples=["FIPS 140-3 Level 2", "FIPS 201-3 / PIV", "GSA APL 1512"],
    ),
]
"""The texts that ``hardware.cards.fips`` parses, and no others."""

HardwareUid = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class Card(Reply, kw_only=True):
    """A card in a reader. ``hardware_uid`` is the name to provision it by; ``uid_source`` says where it was read.
    ``state`` joins the card with the site's records: a card whose write was torn or refused, or whose certificates are
    revoked, is never ``provisioned``. ``provision_id``: the record that the card belongs to; with ``blank``: the one
    that it belonged to (of ``node_id``) before it was reset.
    ``silent_s``: seconds for which the card has not answered its present command. ``last_error``: the last thing that
    went wrong at this reader since the service started, also with another card."""

    reader: str
    atr: str | None
    hardware_uid: str | None
    uid_source: UidSource | None
    aliases: list[str]
    card_guid: str | None
    node_id: str | None
    state: CardState | None
    present: bool
    provision_id: str | None = None
    pin_tries: int | None = None
    detail: str | None = None
    simulated: bool = False
    silent_s: float = 0.0
    last_error: str | None = None
    last_error_at: Timestamp | None = None


class CardListQuery(Request, kw_only=True):
    """GET ``/v1/hardware/cards``. ``again``: cards that could not be used at the last look are looked at once more,
    which changes nothing on them and costs no PIN try."""

    again: bool = False


class CardList(Reply, kw_only=True):
    """All readers, with the card in each. ``service``: whether PC/SC answers (up), does not (down), or is not used
    (off, ``--no-pcsc``); ``trouble``: why it does not answer, as far as the machine shows it; ``restarts``: how often
    it came back since the service started."""

    items: list[Card]
    service: Literal["up", "down", "off"]
    detail: str | None = None
    trouble: Literal["missing", "stopped", "no_access"] | None = None
    restarts: int = 0


class ProvisionBody(Request, kw_only=True):
    """POST ``/v1/hardware/se/provision`` (specification 4.10)."""

    node_id: NodeId
    hardware_uid: HardwareUid
    fips_standard: FipsStandard


class RevokeCardBody(Request, kw_only=True):
    """POST ``/v1/citadel/cards/{hardware_uid}/revoke``."""

    reason: LongText


class RevokedCard(Reply, kw_only=True):
    """One card that is revoked; its person is not. ``provisions``: the records of the card. ``certificates`` have not
    ended, and ``revocation_list`` is the number of the signed list that names them all: null while there is none
    (PARTIAL). Until ``older_list_until`` a list that does not name them may be believed; null: none may."""

    hardware_uid: str
    node_id: str
    card_guid: str
    provisions: list[str]
    state: Literal["COMPLETE", "PARTIAL"]
    certificates: int
    revocation_list: int | None
    older_list_until: Timestamp | None
    revoked_at: Timestamp | None


class SlotReply(Reply, kw_only=True):
    """One key that was made on the card. Digests are SHA-256 in hexadecimal, the public key's over its
    SubjectPublicKeyInfo."""

    slot: str
    algorithm: str
    certificate_sha256: str
    public_key_sha256: str
    not_after: Timestamp


class FipsVerdict(Reply, kw_only=True):
    """What was demanded of the element and what was proven. A training site never claims more than UNKNOWN."""

    required: str
    verdict: Literal["MET", "HISTORICAL", "NOT_MET", "UNKNOWN"]
    evidence: Literal["attested", "device_reported", "identified", "declared", "none"]
    module: str | None
    certificate: str | None
    detail: str | None = None


class Verification(Reply, kw_only=True):
    """What a fresh session proved after the write; false: the card has no such object or refused it."""

    read_back: bool
    proof_of_possession: bool
    chuid_signature: bool
    security_object: bool


class Stage(Reply, kw_only=True):
    """One step of a write or of a PIN reset. ``ms``: null until the step has ended."""

    step: str
    state: Literal["waiting", "running", "done", "refused", "failed"]
    apdus: int
    ms: float | None


class Printed(Reply, kw_only=True):
    """The fields of the card's printed information (container 5FC109) beside the name. ``affiliation`` may be empty;
    ``expires`` is the last day as ``YYYY-MM-DD`` (UTC), ``serial`` the agency card serial number."""

    affiliation: str
    expires: str
    serial: str
    issuer: str


class Provision(Reply, kw_only=True):
    """A provisioning and its state. ``hardware_uid``: as the caller named the card; ``hardware_uid_now``: the card's
    name after the write."""

    provision_id: str
    node_id: str
    hardware_uid: str
    hardware_uid_now: str | None
    state: ProvisionState
    card_guid: str | None
    slots: list[SlotReply]
    fips: FipsVerdict
    verification: Verification | None
    apdu_count: int
    duration_ms: float
    receipt_url: str | None
    standing: Standing
    timestamp: Timestamp
    stages: list[Stage] = []
    warnings: list[str] = []
    weak_management_key: bool = False
    mailer_printed: bool = False
    printed: Printed | None = None
    reader: str | None = None
    display_name: str | None = None
    detail: str | None = None
    operator: str | None = None
    """The API key or the operator that wrote it."""
    operator_name: str | None = None
    """The present name of that operator."""
    approver: str | None = None
    """The API key or the operator that approved taking the card from the node that had it before."""
    approver_name: str | None = None
    released_at: Timestamp | None = None
    """When an approved re-issue took the card from its node: nothing that was issued under this record is valid
    since."""
    training: bool = False


class PinResetBody(Request, kw_only=True):
    """POST ``/v1/hardware/se/provisions/{provision_id}/pin-reset``: an approval of the kind ``pin_reset`` for it."""

    approval_id: RegistryId


class PinReset(Reply, kw_only=True):
    """A PIN reset and its state. COMPLETE: the card has proven the new PIN, and its mailer may be printed once."""

    provision_id: str
    approval_id: str
    node_id: str
    card_guid: str
    reader: str
    state: ProvisionState
    stages: list[Stage]
    mailer_printed: bool
    timestamp: Timestamp
    detail: str | None = None
    training: bool = False


class ProvisionListQuery(ListQuery, kw_only=True):
    """GET ``/v1/hardware/se/provisions``. ``hardware_uid``: of the card that has this name, or had it."""

    node_id: NodeId | None = None
    hardware_uid: HardwareUid | None = None
    state: ProvisionState | None = None


class ProvisionPage(Reply, kw_only=True):
    """A page of provisionings, newest first."""

    items: list[Provision]
    next: str | None


_B64URL = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]+\Z")]


class Receipt(Reply, kw_only=True):
    """The signed receipt of a finished card: a flattened JWS (RFC 7515, 7.2.2). ``protected`` has ``alg`` EdDSA and
    ``x5c``, the receipt signer's certificate and the site's root; the payload is JSON."""

    payload: _B64URL
    protected: _B64URL
    signature: _B64URL


class ReceiptListQuery(Request, kw_only=True):
    """GET ``/v1/hardware/se/receipts.csv``: cards finished in the half-open interval from ``from`` to ``to``."""

    from_: Timestamp | None = msgspec.field(name="from", default=None)
    to: Timestamp | None = None
    node_id: NodeId | None = None
    batch_id: Annotated[str, msgspec.Meta(max_length=64)] | None = None


class TraceEntry(Reply, kw_only=True):
    """One APDU: header hexadecimal, lengths, status word, time; data hexadecimal, or null where it holds a secret."""

    index: int
    stage: str
    header: str
    lc: int
    le: int | None
    sw: str
    ms: float
    data: str | None
    response: str | None
    response_length: int


class Trace(Reply, kw_only=True):
    """All APDUs of a provisioning's last ``attempt``, in order. ``model``: the kind of card, as its PIV application
    names itself. ``golden_provision_id``: the last other card of this model that was finished in one attempt."""

    provision_id: str
    entries: list[TraceEntry]
    attempt: int = 1
    model: str | None = None
    golden_provision_id: str | None = None


class CardEvent(Reply, kw_only=True):
    """Body of the telemetry event ``card`` when a reader or its card has changed."""

    card: Card


class ProvisionEvent(Reply, kw_only=True):
    """Body of the telemetry event ``card`` while a card is written; ``stage`` null: the state changed."""

    provision_id: str
    node_id: str
    reader: str
    state: ProvisionState
    stage: Stage | None


class PinResetEvent(Reply, kw_only=True):
    """Body of the telemetry event ``card`` while a card gets a new PIN; ``stage`` null: the state changed."""

    approval_id: str
    provision_id: str
    node_id: str
    reader: str
    pin_reset: ProvisionState
    stage: Stage | None
