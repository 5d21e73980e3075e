"""What crosses the wire of ``/v1/registry/*``: bodies of PUT, and the rows that come back."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import LongText, NodeId, PageQuery, RegistryId, Reply, Request, SecretState, ShortText, Timestamp

Standing = Literal[
    "VERIFIED_DIGITAL_HUMAN",
    "UNVERIFIED",
    "PENDING_CONSENSUS",
    "EXPIRED",
    "WITHDRAWN",
    "SUSPENDED",
    "REVOKED",
    "SYNTHETIC_SUSPECTED",
]
"""Verification standing (specification part 3; the further values are ours)."""

UNIQUE = {"uniqueItems": True}
"""For the document: the same item twice is refused. The service checks it, msgspec does not."""

Tag = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}\Z")]
ActionName = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9._:-]{0,63}\Z")]
Tags = Annotated[list[Tag], msgspec.Meta(max_length=16)]
DRILL_TAG = "drill"
"""Marks a drill identity, and what a drill may reach."""

_PORT = (
    "(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}"
    "|0?[1-9][0-9]{3}|0{0,2}[1-9][0-9]{2}|0{0,3}[1-9][0-9]|0{0,4}[1-9])"
)
"""1 to 65535 in at most five digits."""

Channel = Annotated[
    str,
    msgspec.Meta(
        pattern=rf"^(serial:[A-Za-z0-9/._:-]{{1,120}}|tcp://[A-Za-z0-9._:\[\]-]{{1,120}}:{_PORT}|simulated:)\Z",
        examples=["simulated:"],
    ),
]
"""Where an OSDP reader is wired: ``serial:<device>``, ``tcp://host:port`` or ``simulated:`` (training only)."""

CredentialFormat = Literal["piv-guid", "wiegand26", "wiegand37", "raw"]
"""``piv-guid``: the 128-bit card GUID of a PIV card. The others: bits as the reader sends them."""


Coordinate = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]\Z")]
"""32 bytes in base64url without padding; the last character's two spare bits are zero, so that each has one writing."""

Signature = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{85}[AQgw]\Z")]
"""64 bytes in base64url without padding, likewise."""


class EcJwk(Request, kw_only=True, tag_field="kty", tag="EC"):
    """A P-256 public key (RFC 7518, section 6.2.1). That the point is on the curve is found out by reading it."""

    crv: Literal["P-256"]
    x: Coordinate
    y: Coordinate
    kid: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    use: Literal["sig"] | None = None
    alg: Literal["ES256"] | None = None


class OkpJwk(Request, kw_only=True, tag_field="kty", tag="OKP"):
    """An Ed25519 public key (RFC 8037). ``y`` may be there and null: a key of this type has none."""

    crv: Literal["Ed25519"]
    x: Coordinate
    y: None = None
    kid: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    use: Literal["sig"] | None = None
    alg: Literal["Ed25519", "EdDSA"] | None = None


Jwk = EcJwk | OkpJwk
"""Public JSON Web Key (RFC 7517), told apart by ``kty``. A private member is refused as unknown."""


class EncryptionJwk(Request, kw_only=True, tag_field="kty", tag="EC"):
    """A P-256 public key that others encrypt to by ECDH-ES (RFC 7518, sections 4.6 and 6.2.1)."""

    crv: Literal["P-256"]
    x: Coordinate
    y: Coordinate
    kid: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    use: Literal["enc"] | None = None
    alg: Literal["ECDH-ES", "ECDH-ES+A256KW"] | None = None


class ScheduleWindow(Request, kw_only=True):
    """A weekly window in the site's time zone: ``days`` 0 = Monday .. 6, ``start`` and ``end`` ``HH:MM``, half-open."""

    days: Annotated[list[Annotated[int, msgspec.Meta(ge=0, le=6)]], msgspec.Meta(min_length=1, max_length=7)]
    start: Annotated[str, msgspec.Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]\Z")]
    end: Annotated[str, msgspec.Meta(pattern=r"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)\Z")]


Schedule = Annotated[list[ScheduleWindow], msgspec.Meta(max_length=32)]
"""Absent: always. Empty: never."""


# --- nodes -----------------------------------------------------------------------------------------------------------


class DirectoryAccount(Request, kw_only=True):
    """An account of the node in a registered directory."""

    directory_id: RegistryId
    account: ShortText


class NodeBody(Request, kw_only=True):
    """PUT ``/v1/registry/nodes/{id}``."""

    display_name: ShortText
    employee_id: Annotated[str, msgspec.Meta(min_length=1, max_length=100)] | None = None
    email: Annotated[str, msgspec.Meta(pattern=r"^[^@\x00-\x20\x7f]{1,64}@[^@\x00-\x20\x7f]{1,190}\Z")] | None = None
    notes: LongText | None = None
    directory_accounts: Annotated[list[DirectoryAccount], msgspec.Meta(max_length=64, extra_json_schema=UNIQUE)] = []
    tags: Tags = []


class LiveCheck(Reply, kw_only=True):
    """A check of the living person: ``kind`` voice, palm, stylized or card; ``ref`` names its record."""

    kind: Literal["voice", "palm", "stylized", "card"]
    at: Timestamp
    ref: str
    success: bool


class NodeCredential(Reply, kw_only=True):
    """A credential that was issued to the node, as profiles and cards tell it. No bits of it are shown."""

    profile: str | None
    format: str
    card_guid: str | None
    state: Literal["active", "granted", "expired", "revoked"]
    clusters: list[str] = []
    not_after: Timestamp | None = None


class NodeTemplates(Reply, kw_only=True):
    """What is enrolled of the node in one registry: how many templates, and since when."""

    registry_id: str
    templates: int
    enrolled_at: Timestamp


class Node(Reply, kw_only=True):
    """A protected identity. ``templates``: by registry; nobody is enrolled where none is named."""

    node_id: NodeId
    display_name: str
    employee_id: str | None
    email: str | None
    notes: str | None
    directory_accounts: list[DirectoryAccount]
    tags: list[str]
    standing: Standing
    verified_at: Timestamp | None
    credentials: list[NodeCredential]
    live_checks: list[LiveCheck]
    templates: list[NodeTemplates]
    created_at: Timestamp
    changed_at: Timestamp


class NodePage(Reply, kw_only=True):
    """A page of nodes."""

    items: list[Node]
    next: str | None


# --- reader clusters -------------------------------------------------------------------------------------------------


class ReaderBody(Request, kw_only=True):
    """One reader of a cluster: OSDP address 0..126 on its channel."""

    reader_id: RegistryId
    channel: Channel
    address: Annotated[int, msgspec.Meta(ge=0, le=126)]
    baud: Literal[9600, 19200, 38400, 57600, 115200, 230400] = 115200
    onboard_list: bool = False


class ReaderClusterBody(Request, kw_only=True):
    """PUT ``/v1/registry/reader-clusters/{id}``."""

    display_name: ShortText
    readers: Annotated[list[ReaderBody], msgspec.Meta(max_length=2000)]
    schedule: Schedule | None = None
    tags: Tags = []


class Reader(Reply, kw_only=True):
    """A reader as registered, and as it is now. ``key_changed_at``: of the key that it holds; ``key_pending``: since
    when it is to take a new one. ``epoch``: the newest that it acknowledged."""

    reader_id: str
    channel: str
    address: int
    baud: int
    onboard_list: bool
    online: bool
    secure_channel: bool
    firmware: str | None
    epoch: int
    since: Timestamp | None
    enrolled: bool
    key_changed_at: Timestamp
    key_pending: Timestamp | None = None


class ReaderCluster(Reply, kw_only=True):
    """A cluster of readers that is granted as one."""

    cluster_id: RegistryId
    display_name: str
    readers: list[Reader]
    schedule: list[ScheduleWindow] | None
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp


class ReaderClusterPage(Reply, kw_only=True):
    """A page of clusters."""

    items: list[ReaderCluster]
    next: str | None


class EnrolBody(Request, kw_only=True):
    """POST ``/v1/registry/reader-clusters/{id}/enrol``: opens the key window. Default: the readers with no key yet."""

    reader_ids: Annotated[list[RegistryId], msgspec.Meta(max_length=2000)] | None = None
    seconds: Annotated[int, msgspec.Meta(ge=5, le=600)] = 60


class EnrolReply(Reply, kw_only=True):
    """Which readers are open for their first key, and until when."""

    cluster_id: str
    reader_ids: list[str]
    until: Timestamp


class RotateKeysBody(Request, kw_only=True):
    """POST ``/v1/registry/reader-clusters/{id}/rotate-keys``. Default: every reader of the cluster that holds a key."""

    reader_ids: Annotated[list[RegistryId], msgspec.Meta(max_length=2000)] | None = None


class ReaderKeyed(Reply, kw_only=True):
    """One reader of a key rotation. ``pending_offline``: it takes the new key when its channel comes up."""

    reader_id: str
    state: Literal["rotated", "pending_offline", "failed"]
    key_changed_at: Timestamp
    detail: str | None = None


class RotateKeysReply(Reply, kw_only=True):
    """Which readers hold their new Secure Channel key."""

    cluster_id: str
    readers: list[ReaderKeyed]


# --- credential profiles ---------------------------------------------------------------------------------------------


class CredentialBody(Request, kw_only=True):
    """One credential of a profile: a card GUID (lower-case UUID) or raw bits (hexadecimal, left-aligned)."""

    format: CredentialFormat
    bits: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-fA-F]{2,64}\Z")] | None = None
    card_guid: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")] | None = None


class CredentialProfileBody(Request, kw_only=True):
    """PUT ``/v1/registry/credential-profiles/{id}``; the id is the ``credential_profile_token``."""

    node_id: NodeId
    credentials: Annotated[list[CredentialBody], msgspec.Meta(min_length=1, max_length=16)]
    clusters: Annotated[list[RegistryId], msgspec.Meta(min_length=1, max_length=200, extra_json_schema=UNIQUE)]
    schedule: Schedule | None = None
    tags: Tags = []


class ProfileCredential(Reply, kw_only=True):
    """A credential of a profile. Raw bits are write-only."""

    format: str
    card_guid: str | None
    bits: SecretState | None


class CredentialProfile(Reply, kw_only=True):
    """What of a node is granted where."""

    profile_id: RegistryId
    node_id: str
    credentials: list[ProfileCredential]
    clusters: list[str]
    schedule: list[ScheduleWindow] | None
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp


class CredentialProfilePage(Reply, kw_only=True):
    """A page of profiles."""

    items: list[CredentialProfile]
    next: str | None


# --- units -----------------------------------------------------------------------------------------------------------


class UnitBody(Request, kw_only=True):
    """PUT ``/v1/registry/units/{id}``: a machine that signs with its own key."""

    public_key: Jwk
    actions: Annotated[list[ActionName], msgspec.Meta(max_length=64)]
    display_name: ShortText | None = None
    tags: Tags = []


class Unit(Reply, kw_only=True):
    """A registered unit; ``thumbprint`` is the RFC 7638 thumbprint of its key."""

    unit_id: RegistryId
    public_key: Jwk
    thumbprint: str
    actions: list[str]
    display_name: str | None
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp


class UnitPage(Reply, kw_only=True):
    """A page of units."""

    items: list[Unit]
    next: str | None


# --- terminals -------------------------------------------------------------------------------------------------------


class TerminalBody(Request, kw_only=True):
    """PUT ``/v1/registry/terminals/{id}``: a palm scanner, or a screen that shows the rotating code.

    ``public_key`` checks what it signs, ``encryption_key`` seals what only it may read. ``registry_id``: the template
    registry that it searches; ``cluster``: only those who are granted there, else everybody. ``liveness_min`` 0..100.
    ``offline``: it may decide alone for a time. ``slow_link``: its codes may be one step older. ``legacy``: it cannot
    sign frames and sends bare templates.
    """

    kind: Literal["palm", "keystone"]
    display_name: ShortText | None = None
    public_key: Jwk | None = None
    encryption_key: EncryptionJwk | None = None
    registry_id: RegistryId = "default"
    cluster: RegistryId | None = None
    liveness_min: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0
    offline: bool = False
    slow_link: bool = False
    legacy: bool = False
    tags: Tags = []


class BundleTakenBody(Request, kw_only=True):
    """POST ``/v1/registry/terminals/{id}/bundle/taken``: the terminal opened, checked and kept the bundle ``issue``.
    ``signature``: by its registered key, over what ``hardware/terminals/bundle_ack.py`` lays out byte for byte."""

    issue: Annotated[int, msgspec.Meta(ge=1, le=2**53)]
    signature: Signature


class BundleTaken(Reply, kw_only=True):
    """Taken, as recorded. ``access_epoch``: of who may pass, in that bundle; ``not_after``: it decides by this one
    until then (null: never)."""

    terminal_id: RegistryId
    issue: int
    access_epoch: int
    not_after: Timestamp | None
    taken_at: Timestamp


class TerminalBundle(Reply, kw_only=True):
    """What a terminal was given. ``issue``, ``fetched_at``: the bundle that was fetched last (``fetched_at`` null: the
    site went on without the entries that would tell); ``taken_issue``, ``taken_at``: the one that it acknowledged last.
    Until ``decides_until`` it may let people in by itself, by any bundle that it may have (null: it may not)."""

    issue: int
    fetched_at: Timestamp | None
    taken_issue: int | None
    taken_at: Timestamp | None
    decides_until: Timestamp | None


class Terminal(Reply, kw_only=True):
    """A registered terminal; ``thumbprint`` is the RFC 7638 thumbprint of its ``public_key``, ``bundle`` null if it was
    never given one."""

    terminal_id: RegistryId
    kind: Literal["palm", "keystone"]
    display_name: str | None
    public_key: Jwk | None
    thumbprint: str | None
    encryption_key: EncryptionJwk | None
    registry_id: str
    cluster: str | None
    liveness_min: int
    offline: bool
    slow_link: bool
    legacy: bool
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp
    bundle: TerminalBundle | None


class TerminalPage(Reply, kw_only=True):
    """A page of terminals."""

    items: list[Terminal]
    next: str | None


# --- peers (server frames) -------------------------------------------------------------------------------------------


class PeerBody(Request, kw_only=True):
    """PUT ``/v1/registry/peers/{id}``: a server frame that is probed by TLS handshakes.

    ``ca``: PEM certificates that its chain must end at; ``certificate``: PEM of the exact pinned certificate.
    """

    node_id: NodeId
    url: Annotated[str, msgspec.Meta(pattern=rf"^(\[[0-9a-fA-F:]{{2,45}}\]|[A-Za-z0-9._-]{{1,253}}):{_PORT}\Z")]
    ca: Annotated[str, msgspec.Meta(max_length=20000)] | None = None
    certificate: Annotated[str, msgspec.Meta(max_length=20000)] | None = None
    level: Literal["sovereign", "citadel"] = "sovereign"
    maintenance: bool = False
    tags: Tags = []


class Peer(Reply, kw_only=True):
    """A server frame as registered. Certificates are shown by their SHA-256 only."""

    peer_id: RegistryId
    node_id: str
    url: str
    ca_sha256: list[str]
    certificate_sha256: str | None
    level: str
    maintenance: bool
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp


class PeerPage(Reply, kw_only=True):
    """A page of peers."""

    items: list[Peer]
    next: str | None


# --- directories -----------------------------------------------------------------------------------------------------

DirectoryKind = Literal["ldap", "scim", "ssf", "oauth", "webhook", "peer"]
DirectoryUrl = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^(https?|ldaps?|ldapi)://[!-~]{1,500}\Z", max_length=510, examples=["https://idp.example/scim/v2"]
    ),
]


class DirectoryBody(Request, kw_only=True):
    """PUT ``/v1/registry/directories/{id}``: a system elsewhere that a global burn reaches.

    ``secret`` is write-only: the bind password (ldap), bearer token (scim, ssf, oauth), signing secret (webhook) or
    Citadel key (peer). Left out, the stored one stays; null takes it away. It goes to its own address only: with
    another ``url`` it must be given again. ``ca``: PEM certificates that TLS must end at, else the system's.
    ``audience``: whom signed events are for (ssf) or the tenant (oauth). ``timeout_ms``: one attempt, else the site's.
    """

    kind: DirectoryKind
    url: DirectoryUrl
    display_name: ShortText | None = None
    secret: Annotated[str, msgspec.Meta(min_length=1, max_length=4000)] | msgspec.UnsetType | None = msgspec.UNSET
    bind_dn: Annotated[str, msgspec.Meta(min_length=1, max_length=500)] | None = None
    base_dn: Annotated[str, msgspec.Meta(min_length=1, max_length=500)] | None = None
    dialect: Literal["openldap", "ad", "389ds"] | None = None
    audience: Annotated[str, msgspec.Meta(min_length=1, max_length=500)] | None = None
    ca: Annotated[str, msgspec.Meta(max_length=20000)] | None = None
    timeout_ms: Annotated[int, msgspec.Meta(ge=100, le=30_000)] | None = None
    tags: Tags = []


class DirectoryProbe(Reply, kw_only=True):
    """What a trial of the directory found: ``ok``: a burn could act there now; ``found``: what answered, in words."""

    ok: bool
    found: str
    latency_ms: float | None
    at: Timestamp


class Directory(Reply, kw_only=True):
    """A directory as registered. ``probe`` only in the reply of a PUT that asked for one."""

    directory_id: RegistryId
    kind: DirectoryKind
    display_name: str | None
    url: str
    secret: SecretState
    bind_dn: str | None
    base_dn: str | None
    dialect: str | None
    audience: str | None
    ca_sha256: list[str]
    timeout_ms: int | None
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp
    probe: DirectoryProbe | None = None


class DirectoryPage(Reply, kw_only=True):
    """A page of directories."""

    items: list[Directory]
    next: str | None


class ProbeQuery(Request, kw_only=True):
    """``probe=true``: the directory is tried after the PUT; it is stored whatever the trial finds."""

    probe: bool = False


# --- HR sources ------------------------------------------------------------------------------------------------------

HrScheme = Literal["standard-webhooks", "bamboohr", "header", "basic"]
"""How a source signs its calls: Standard Webhooks; BambooHR's hex HMAC over body and timestamp; a secret as the value
of ``Authorization`` (alone, or after ``Bearer``); HTTP Basic (``user:password``). The last two prove nothing about the
body: ask such a sender for client certificates too."""

HrSecret = Annotated[str, msgspec.Meta(min_length=16, max_length=500, pattern=r"^[!-~]([ -~]*[!-~])?\Z")]


class HrSourceBody(Request, kw_only=True):
    """PUT ``/v1/registry/hr-sources/{id}``: an HR system whose calls are believed.

    Both secrets are write-only and accepted alike; left out, the stored one stays. A rotation gives ``next_secret``,
    then the same as ``secret`` with ``next_secret`` null. Above ``max_discharges_per_minute`` nodes are contained and
    not burned; above five times as many they only wait for an operator.
    """

    scheme: HrScheme
    display_name: ShortText | None = None
    secret: HrSecret | msgspec.UnsetType = msgspec.UNSET
    next_secret: HrSecret | msgspec.UnsetType | None = msgspec.UNSET
    max_discharges_per_minute: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 10
    tags: Tags = []


class HrSource(Reply, kw_only=True):
    """An HR source as registered."""

    hr_source_id: RegistryId
    scheme: HrScheme
    display_name: str | None
    secret: SecretState
    next_secret: SecretState
    max_discharges_per_minute: int
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp


class HrSourcePage(Reply, kw_only=True):
    """A page of HR sources."""

    items: list[HrSource]
    next: str | None


# --- approvals -------------------------------------------------------------------------------------------------------

ApprovalKind = Literal["mass_burn", "lift", "reissue", "pin_reset", "erase"]
"""What a second person must agree to: to burn a list of nodes, to take a burn back, to take a card from its node, to
give a card a new PIN, to erase what the logs say."""
ApprovalState = Literal["PENDING", "APPROVED", "USED", "REJECTED", "EXPIRED"]


class ApprovalBody(Request, kw_only=True):
    """POST ``/v1/citadel/uac/approvals``. ``subjects``: what it is about. ``mass_burn``: 1 to 500 node ids; ``lift``:
    one burn_id; ``reissue`` and ``pin_reset``: one provision_id, which may stand in ``provision_id`` instead;
    ``erase``: a node id, ``audit#<seq>`` and ``seal#<seq>``, all that one erasure names."""

    kind: ApprovalKind
    subjects: Annotated[
        list[Annotated[str, msgspec.Meta(min_length=1, max_length=80)]], msgspec.Meta(max_length=20_001)
    ] = []
    provision_id: RegistryId | None = None
    reason: LongText


class Approval(Reply, kw_only=True):
    """Four eyes: one key asks, another one agrees, and the act itself uses it up, once. ``subjects`` and the fields
    from ``provision_id`` to ``card_guid`` name what it is about. ``used_by``: the key that did the act."""

    approval_id: str
    kind: ApprovalKind
    subjects: list[str] = []
    provision_id: str | None
    node_id: str | None
    card_guid: str | None
    reason: str
    state: ApprovalState
    requested_by: str
    requested_at: Timestamp
    expires_at: Timestamp
    approved_by: str | None = None
    approved_at: Timestamp | None = None
    rejected_by: str | None = None
    rejected_at: Timestamp | None = None
    used_by: str | None = None
    used_at: Timestamp | None = None


class ApprovalListQuery(PageQuery, kw_only=True):
    """GET ``/v1/citadel/uac/approvals``; ``state`` as it is at this moment."""

    state: ApprovalState | None = None
    provision_id: RegistryId | None = None


class ApprovalPage(Reply, kw_only=True):
    """Approvals, newest first."""

    items: list[Approval]
    next: str | None


class Deleted(Reply, kw_only=True):
    """The row is gone (what its leaf in the audit log says stays)."""

    id: str
    deleted_at: Timestamp


class AccessEvent(Reply, kw_only=True):
    """Body of the telemetry event ``access``: a card at a reader. Never the card's bits; ``node_id`` null: nobody's.

    ``reason``: granted, burned, contained, unknown_credential, wrong_cluster, outside_schedule, expired. ``ref``: the
    burn or containment behind a denial. ``latency_ms``: from the card event to the decision; ``epoch``: the newest
    change that the deciding thread had taken in.
    """

    reader_id: str
    cluster_id: str
    node_id: str | None
    decision: Literal["GRANT", "DENY"]
    reason: str
    ref: str | None
    latency_ms: float
    epoch: int
    at: Timestamp


# --- template registries ---------------------------------------------------------------------------------------------


class TemplateRegistryBody(Request, kw_only=True):
    """PUT ``/v1/registry/template-registries/{id}``. ``alg``: how features become templates; 1 is the crease map."""

    alg: Literal[1]
    tags: Tags = []


class TemplateRegistry(Reply, kw_only=True):
    """A set of biometric templates under one secret key. ``key_epoch``: counts its keys; templates of an earlier one
    match nobody. ``nodes`` have ``templates`` in it."""

    registry_id: RegistryId
    alg: int
    key_epoch: int
    nodes: int
    templates: int
    renewed_at: Timestamp | None
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp


class TemplateRegistryPage(Reply, kw_only=True):
    """A page of template registries."""

    items: list[TemplateRegistry]
    next: str | None
