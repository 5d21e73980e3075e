"""Every tunable of a site, as data with bounds and defaults. Nothing else reads configuration."""

from __future__ import annotations

import ipaddress
from typing import Annotated, Literal

import msgspec


def is_loopback(host: str) -> bool:
    """Whether a host is this machine: ``localhost``, or an address of loopback."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400 * 366)]
PUBLIC_ADDRESS = r"^https?://[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){0,10}(:[1-9][0-9]{0,4})?\Z"
Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]


class RateSettings(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Token buckets of one API key (webhooks: of one sender), by class: calls a minute, and how many at once."""

    read_per_minute: Count = 6_000
    read_burst: Count = 400
    write_per_minute: Count = 1_800
    write_burst: Count = 200
    burn_per_minute: Count = 600
    burn_burst: Count = 100
    card_per_minute: Count = 120
    card_burst: Count = 20
    enrol_per_minute: Count = 1
    enrol_burst: Count = 60
    """Enrolments of templates: 60 an hour."""
    stream_per_minute: Count = 120
    stream_burst: Count = 20
    health_per_minute: Count = 6_000
    health_burst: Count = 200
    webhook_per_minute: Count = 12_000
    webhook_burst: Count = 1_000


class TimeStampAuthority(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """An outside authority (RFC 3161) that stamps the logs' checkpoints. ``roots``: the PEM certificates that its own
    must end at; ``policy``: the only one that it may stamp under, dotted; ``tls_roots``: those of its TLS, without them
    the machine's. One that is given up stays with ``ask`` false: its tokens are judged by its roots for ever."""

    url: Annotated[str, msgspec.Meta(pattern=r"^https?://[!-~]{1,500}\Z")]
    roots: Annotated[str, msgspec.Meta(min_length=1, max_length=65_536)]
    policy: Annotated[str, msgspec.Meta(pattern=r"^[0-2](\.(0|[1-9][0-9]{0,38})){1,30}\Z")] | None = None
    tls_roots: Annotated[str, msgspec.Meta(min_length=1, max_length=65_536)] | None = None
    ask: bool = True


class CardLogon(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What certificates of new cards say for a logon to computers (Windows, sssd). Without a value here they say
    nothing of it; 9E, which anybody nearby can read, never does."""

    smart_card: bool = False
    """9A is also for smart card logon (1.3.6.1.4.1.311.20.2.2)."""
    upn_suffix: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63}){0,10}\Z")] | None = None
    """9A names the user principal name ``<account>@<upn_suffix>``."""
    account_directory: Annotated[str, msgspec.Meta(min_length=1, max_length=64)] | None = None
    """The directory whose account of the node is that account. null: the node's e-mail is the principal name, where its
    domain is the suffix."""
    email: bool = False
    """9A, 9C and 9D name the node's e-mail (rfc822Name)."""
    security_identifiers: Annotated[
        dict[
            Annotated[str, msgspec.Meta(max_length=64)],
            Annotated[str, msgspec.Meta(pattern=r"^S-1-(0|[1-9][0-9]{0,14})(-(0|[1-9][0-9]{0,9})){1,15}\Z")],
        ],
        msgspec.Meta(max_length=10_000),
    ] = {}
    """By node id the Windows SID that 9A names (1.3.6.1.4.1.311.25.2, KB5014754). Domain controllers believe it before
    any name, so it stands here and not in the register, where every clerk could write another's."""
    policies: Annotated[
        tuple[
            Annotated[
                str,
                msgspec.Meta(
                    # The United States federal arc is not ours to assert.
                    pattern=r"^(?!2\.16\.840\.1\.101\.3\.2\.1\.)(?:[01]\.[1-3]?[0-9]|2\.(?:0|[1-9][0-9]{0,8}))"
                    r"(?:\.(?:0|[1-9][0-9]{0,29})){1,30}\Z",
                    max_length=64,
                ),
            ],
            ...,
        ],
        msgspec.Meta(max_length=8),
    ] = ()
    """Certificate policies that 9A, 9C and 9D assert, dotted."""


MailHost = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9.:-]{1,253}\Z")]
MailDomain = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){1,10}\Z", max_length=253)]


class MailRelay(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """The mail server that takes the site's mail, and as whom the site writes. ``tls``: ``implicit`` from the first
    byte (port 465), ``starttls`` (587), or ``none``, to this machine alone. ``user``: for AUTH; its password is given
    by ``arc-console mail password``. ``ca``: PEM certificates that TLS must end at, else the system's.
    ``from_address``: author of every mail; ``domain``: of its DKIM signature and of bounce addresses.
    ``dkim_selector``: what selectors begin with (``arc-console mail dns`` has the record)."""

    host: MailHost
    port: Annotated[int, msgspec.Meta(ge=1, le=65_535)]
    from_address: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9.-]{1,253}\Z")]
    domain: MailDomain
    tls: Literal["implicit", "starttls", "none"] = "starttls"
    user: Annotated[str, msgspec.Meta(min_length=1, max_length=256)] | None = None
    ca: Annotated[str, msgspec.Meta(min_length=1, max_length=65_536)] | None = None
    dkim_selector: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?\Z")] = "arc"

    def __post_init__(self) -> None:
        if self.tls == "none" and not is_loopback(self.host):
            raise ValueError("mail.tls is none: without TLS mail goes to this machine alone")
        author = self.from_address.rpartition("@")[2].lower()
        if author != self.domain and not author.endswith(f".{self.domain}"):
            # DMARC (RFC 7489, 3.1) wants the author's domain signed.
            raise ValueError("mail.from_address is not of mail.domain, which signs it")


class BounceMailbox(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """The mailbox that takes ``bounce+...@domain``, read over IMAP with TLS. Its password is given by ``arc-console
    mail password --mailbox``. Reports are marked as seen and stay there."""

    host: MailHost
    user: Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
    port: Annotated[int, msgspec.Meta(ge=1, le=65_535)] = 993
    folder: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._/ -]{1,200}\Z")] = "INBOX"
    ca: Annotated[str, msgspec.Meta(min_length=1, max_length=65_536)] | None = None
    interval_s: Seconds = 300.0
    """Between two looks into it."""


class OpenIdProvider(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """The provider (OpenID Connect) by which operators sign in, and the site as its public client. ``issuer``: exactly
    as the provider names itself; https, or this machine by number. ``roles``: which role each word of ``roles_claim``
    stands for; an operator gets those of them that the register gives it as well. ``tls_roots``: the PEM certificates
    that the provider's TLS must end at; null: the machine's."""

    issuer: Annotated[
        str,
        msgspec.Meta(
            pattern=r"^(https://[^\s?#]+|http://(127\.0\.0\.1|\[::1\]):[0-9]{1,5}(/[^\s?#]*)?)\Z", max_length=500
        ),
    ]
    client_id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    roles_claim: Annotated[str, msgspec.Meta(min_length=1, max_length=100)] = "roles"
    roles: dict[str, Literal["desk", "badge", "manager", "auditor", "admin"]]
    scopes: Annotated[
        tuple[Annotated[str, msgspec.Meta(pattern=r"^[!-~]{1,100}\Z")], ...], msgspec.Meta(max_length=8)
    ] = ()
    tls_roots: Annotated[str, msgspec.Meta(max_length=100_000)] | None = None


class Settings(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Every tunable of a site with its default. Durations are in the unit the name carries."""

    burn_deadline_s: Seconds = 2.0
    """How long a burn waits for its targets before it answers 202."""
    burn_attempt_s: Seconds = 1.0
    """One attempt at one target."""
    lock_watch_s: Seconds = 60.0
    """Between two looks at accounts that a burn has locked in directories."""
    probe_interval_s: Seconds = 1.0
    """Between two handshakes with one server frame."""
    live_check_window_days: Count = 365
    """A node is EXPIRED this long after its last live check."""
    live_check_fresh_s: Seconds = 900.0
    """A seal is VERIFIED_DIGITAL_HUMAN only with a live check this recent."""
    card_validity_days: Count = 3 * 365
    card_algorithms: Annotated[
        tuple[Literal["P-256", "P-384", "RSA-2048", "RSA-3072"], ...], msgspec.Meta(min_length=1, max_length=4)
    ] = ("P-256", "P-384", "RSA-2048")
    """Keys of a card, best first: each slot gets the first of these that the card makes when asked for it."""
    card_logon: CardLogon = CardLogon()
    public_address: Annotated[str, msgspec.Meta(pattern=PUBLIC_ADDRESS)] | None = None
    """Where relying parties reach this site, scheme and host alone: card certificates then say where its revocation
    list and OCSP are. null: they say nothing of it. Plain http is usual, since what is fetched there is signed."""
    crl_lifetime_h: Annotated[int, msgspec.Meta(ge=2, le=744)] = 24
    """How long a revocation list may be believed; a new one is signed each hour and at every revocation."""
    minimum_evidence: Literal["attested", "device_reported", "identified", "declared"] = "identified"
    """The least that proves a FIPS claim of a secure element (``hardware/cards/README.md``, section 3). A training site
    claims nothing."""
    accept_historical: bool = False
    """Whether modules on the historical list may be issued."""
    accept_weak_management_key: bool = False
    """Whether a production site issues cards that take a 3DES management key only; a training site always does."""
    credential_ttl_s: Annotated[int, msgspec.Meta(ge=30, le=604_800)] = 28_800
    """Life of a reader grant unless the call says otherwise."""
    reader_key_days: Count = 365
    """A credential sync gives a reader a new Secure Channel key when its key is older."""
    onboard_list_h: Annotated[int, msgspec.Meta(ge=1, le=168)] = 24
    """How long a reader that is cut off goes on deciding by its own list."""
    door_history_days: Annotated[int, msgspec.Meta(ge=1, le=366)] = 30
    """How long is kept who was let in or denied at which door."""
    media_history_days: Annotated[int, msgspec.Meta(ge=1, le=366)] = 30
    """How long scans of media are kept, with their reports and pictures."""
    voice_tolerance_cap: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1.0
    """The voice check uses no more tolerance than this, even where a call asks for more; at 0.5 a voice is accepted at
    even odds."""
    voice_phase_required: bool = False
    """Whether a voice without phase (a matrix of magnitudes) is INCONCLUSIVE at best. It is never a match."""
    voice_checks_per_hour: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 240
    """Voice checks of one node by one API key: against climbing from score to score."""
    voice_models_path: Annotated[str, msgspec.Meta(min_length=1, max_length=500)] | None = None
    """The folder of the site's own models for the voice check (``model.json`` and the files that it lists); null: those
    of the program. Vocal signatures of other models than those in use are refused: enrol them again."""
    time_zone: Annotated[str, msgspec.Meta(max_length=64)] = "UTC"
    """IANA name of the clock that schedules of doors follow."""
    min_free_disk_bytes: Count = 256 << 20
    """Below this ``/readyz`` is red, while writing still works."""
    openid: OpenIdProvider | None = None
    """Where operators with the method ``oidc`` sign in; null: nobody does."""
    session_s: Annotated[float, msgspec.Meta(gt=0, le=43_200)] = 43_200.0
    """The longest session of an operator."""
    session_idle_s: Annotated[float, msgspec.Meta(gt=0, le=43_200)] = 900.0
    """An operator's session ends after so long without a sign that the person is there."""
    key_overlap_s: Seconds = 86_400.0
    """How long a rotated API key still opens."""
    log_key_overlap_s: Seconds = 7 * 86_400.0
    """How long the earlier keys of a log sign beside the new ones (``app/ledger/README.md``, section 9)."""
    approval_ttl_s: Seconds = 86_400.0
    """How long an approval may be given and used, from its request on (four eyes)."""
    burn_approval_ttl_s: Seconds = 900.0
    """The same for burning a list of nodes and for taking a burn back."""
    idempotency_s: Seconds = 86_400.0
    telemetry_ring: Count = 4_096
    check_hour: Annotated[int, msgspec.Meta(ge=0, le=23)] | None = 3
    """Hour of ``time_zone`` at which a seventh of the logs is checked each night; null: never."""
    time_stamp_authorities: Annotated[tuple[TimeStampAuthority, ...], msgspec.Meta(max_length=8)] = ()
    """Outside ones, which stamp the newest cosigned checkpoint of each log (``app/ledger/README.md``, section 8)."""
    time_stamp_interval_s: Seconds = 60.0
    """Between two stamps of one authority."""
    time_stamp_away_s: Seconds = 3_600.0
    """How long a checkpoint waits for an authority before that is an alarm."""
    mail: MailRelay | None = None
    """Without one a production site sends no mail; a training site has a relay of its own, on loopback."""
    bounce_mailbox: BounceMailbox | None = None
    rates: RateSettings = RateSettings()
    passphrase_file: str | None = None
    """Production without a keyring: the file (0600) whose passphrase opens the keys."""
    pkcs11_module: Annotated[str, msgspec.Meta(min_length=1, max_length=500)] | None = None
    """Production with a token that holds the key over all keys: its PKCS#11 library. Its PIN lies where a passphrase
    would. Chosen before the first start."""
    pkcs11_token: Annotated[str, msgspec.Meta(min_length=1, max_length=32)] | None = None
    """The token's label."""
    registry_keys_path: Annotated[str, msgspec.Meta(min_length=1, max_length=500)] | None = None
    """The file of the keys of template registries, which no backup holds; null: beside the data directory."""
