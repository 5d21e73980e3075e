"""The inputs of a personalization (profile, secrets, authority, gate) and its result: a proven card."""

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID, uuid4

from cryptography import x509

from hardware.cards.apdu import ApduTrace
from hardware.cards.attestation import Attestation, Statement
from hardware.cards.cms import ContentSigner
from hardware.cards.device import DeviceReport
from hardware.cards.objects import KeyHistory
from hardware.cards.piv import (
    FACTORY_MANAGEMENT_KEY,
    FACTORY_PIN,
    FACTORY_PUK,
    Algorithm,
    ManagementAlgorithm,
    ManagementCommand,
    ManagementKey,
    PublicKey,
    Slot,
)
from hardware.cards.scp03 import KeySource


def factory_management_keys() -> tuple[ManagementKey, ...]:
    """The published factory key 0102..08, for every cipher a card may come with."""
    pattern = FACTORY_MANAGEMENT_KEY.value[:8]
    return tuple(ManagementKey(cipher, pattern * (cipher.key_length // 8)) for cipher in ManagementAlgorithm)


@dataclass(frozen=True, slots=True)
class Profile:
    """What is written. `expires` (aware) is the card's last moment, its date goes into CHUID and printed information.

    `issuer`: at most 15 characters are printed, `affiliation` and `serial`: 20. `guid` is the card's new name.
    `algorithms`: for each slot one algorithm, or several, best first, of which the first that the card offers is used.
    `key_history` is written where the card holds retired keys. `approved_first`: the module makes no keys before its
    secrets were changed (`hardware.cards.fips.Module`); `management_command`: how it takes 9B, None: the card is asked.
    """

    node_id: str
    display_name: str
    issuer: str
    expires: datetime.datetime
    affiliation: str = ""
    serial: str = ""
    guid: UUID = field(default_factory=uuid4)
    algorithms: Mapping[Slot, Algorithm | Sequence[Algorithm]] = field(
        default_factory=lambda: dict.fromkeys(Slot, Algorithm.P256)
    )
    key_history: KeyHistory | None = None
    approved_first: bool = False
    management_command: ManagementCommand | None = None

    def __post_init__(self) -> None:
        if self.expires.tzinfo is None:
            raise ValueError("expires needs a time zone")
        if set(self.algorithms) != set(Slot) or not all(self.choices(slot) for slot in Slot):
            raise ValueError("every slot needs an algorithm")

    def choices(self, slot: Slot) -> tuple[Algorithm, ...]:
        """The slot's algorithms, best first."""
        wanted = self.algorithms[slot]
        return (wanted,) if isinstance(wanted, Algorithm) else tuple(wanted)


@dataclass(frozen=True, repr=False)
class Secrets:
    """The card's new secrets, and the old ones that may open it. `repr` shows none.

    `pin`, `puk`: 6 to 8 ASCII characters. `later_pins`, `later_puks`: sent in their order where the card refuses the
    one before as too simple; `pin_draw`, `puk_draw`: the draw of `pin` and `puk`, 1 to `hardware.cards.steps.DRAWS`.
    `management`: the new management key in each cipher that may be used, best first; the first that the card takes is
    set. `known_cipher`: the cipher of the card's present key, if known.
    `channel`: the keys of the secure channel for all commands; None for no such channel. `old_puks` are tried in their
    order; `puk_marks`, one for each, go into the journal with each try and reveal nothing of it; so do `pin_marks` for
    `old_pins`. `key_restored`: the card's old management key was put back on it, so the card may call a published value
    changed. `puk_known`: the card has accepted one of them before, so once all others have failed the last one
    cannot cost the last try. `pin_is_set`: the card acknowledged `pin` in an earlier attempt.
    """

    pin: str
    puk: str
    management: Sequence[ManagementKey]
    old_management: Sequence[ManagementKey] = field(default_factory=factory_management_keys)
    old_puks: Sequence[str] = (FACTORY_PUK,)
    old_pins: Sequence[str] = (FACTORY_PIN,)
    puk_marks: Sequence[bytes] = ()
    puk_known: bool = False
    pin_marks: Sequence[bytes] = ()
    pin_is_set: bool = False
    later_pins: Sequence[str] = ()
    later_puks: Sequence[str] = ()
    pin_draw: int = 1
    puk_draw: int = 1
    known_cipher: ManagementAlgorithm | None = None
    key_restored: bool = False
    channel: KeySource | None = None

    def __repr__(self) -> str:
        return "Secrets(...)"


class CertificateIssuer(Protocol):
    """The site's authority."""

    @property
    def authorities(self) -> Sequence[x509.Certificate]:
        """Root and intermediates that the issued certificates and the content signer lead to."""

    @property
    def content_signer(self) -> ContentSigner:
        """Signs CHUID and security object; must lead to `authorities` and outlive the card."""

    def issue(self, slot: Slot, public_key: PublicKey, guid: UUID, profile: Profile) -> bytes:
        """DER certificate for a key made on the card."""


@dataclass(frozen=True, slots=True)
class KeyProof:
    """The evidence about a key right after it was made, before its certificate. `attestation` is None where the card
    attests nothing; `report` is the management application's, read again where the module's mode may have changed.
    """

    slot: Slot
    public_key: PublicKey
    attestation: Attestation | None
    report: DeviceReport | None


Gate = Callable[[KeyProof], None]
"""Called with each new key, 9A first. An exception stops the personalization before any certificate and, except for
`approved_first` modules, before any secret."""


@dataclass(frozen=True, slots=True)
class SlotResult:
    """One key of the card. Digests are SHA-256 in lower-case hex, the public key's over its SubjectPublicKeyInfo.
    `statement` is the attestation that the card sent, `attestation` its judgement; None without any.
    """

    slot: Slot
    algorithm: Algorithm
    certificate: bytes
    certificate_sha256: str
    public_key_sha256: str
    not_after: datetime.datetime
    attestation: Attestation | None = None
    statement: Statement | None = None


@dataclass(frozen=True, slots=True)
class ProfileVerification:
    """What the fresh session proved. Only `security_object` can be false in a result, as some cards refuse that
    object."""

    read_back: bool
    proof_of_possession: bool
    chuid_signature: bool
    security_object: bool


@dataclass(frozen=True, slots=True)
class PersonalizationResult:
    """A proven card. `warnings` are sentences for people; `trace` holds no secret. `kdd` is the card's diversification
    data where a secure channel was used; `kept` names the steps that were taken over from an earlier attempt;
    `pin_draw` is the draw of the PIN that was set.
    """

    guid: UUID
    slots: tuple[SlotResult, ...]
    management_algorithm: ManagementAlgorithm
    apdu_count: int
    duration_ms: float
    verification: ProfileVerification
    warnings: tuple[str, ...]
    trace: ApduTrace
    kdd: bytes | None = None
    kept: tuple[str, ...] = ()
    pin_draw: int = 1

    @property
    def weak_management_key(self) -> bool:
        """Whether the card takes 3DES only."""
        return self.management_algorithm is ManagementAlgorithm.TDES
