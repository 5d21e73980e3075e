"""Turns a blank card into one node's card, and proves it in a fresh session (SP 800-73-5, FIPS 201-3 chapter 4).

Order of steps: what tells a torn card apart comes first (CHUID), what locks others out comes last (PIN, PUK, 9B), but
for modules that make no keys before their secrets are changed. Keys are made on the card and never leave it;
certificates come from a callback. Every changing step is announced to the journal before it is sent. What the card
offers (algorithms, objects, attestation, ciphers) is found by asking, never taken from a version.
"""

import datetime
import hmac
import secrets
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Final, Protocol, TypeVar
from uuid import UUID, uuid4

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from hardware.cards import attestation
from hardware.cards.apdu import ApduChannel, Trace
from hardware.cards.attestation import Attestation, Statement
from hardware.cards.backend import (
    CardError,
    CardLocked,
    CardRefused,
    CardTorn,
    CardUnproven,
    ProtocolError,
    StatusWordError,
    TransportError,
    WrongCard,
)
from hardware.cards.device import DeviceReport, read_device_report
from hardware.cards.identify import CardIdentity, chip_name, read_cplc
from hardware.cards.objects import (
    BROKEN,
    ContentSigner,
    KeyHistory,
    PrintedInformation,
    build_ccc,
    build_chuid,
    build_key_history,
    build_printed,
    build_security_object,
    issued_by,
    parse_chuid,
    verify_chuid,
    verify_security_object,
)
from hardware.cards.piv import (
    FACTORY_MANAGEMENT_KEY,
    FACTORY_PIN,
    FACTORY_PUK,
    Algorithm,
    ManagementAlgorithm,
    ManagementKey,
    PivObject,
    PivSession,
    PublicKey,
    Slot,
    certificate_object,
    parse_certificate,
)
from hardware.cards.scp03 import KeySource, open_channel

T = TypeVar("T")

STEPS: Final = (
    "identify",
    "authenticate",
    "chuid",
    "ccc",
    "printed",
    *(f"{slot.label}.{part}" for slot in Slot for part in ("generate", "certificate")),
    "security_object",
    "pin",
    "puk",
    "management_key",
    "verify",
)
"""The steps of a plain card in their order, as they appear in the journal, the trace and the errors; see `steps`."""

KEEP_ALIVE_S: Final = 2.0
"""Windows resets a card that was idle for five seconds inside a transaction: ask it for something well before."""

_SECRET_STEPS: Final = ("pin", "puk", "management_key")
# Answers of a card that makes no such key; anything else is a refusal of the step itself.
_OTHER_ALGORITHM: Final = frozenset({0x6A80, 0x6A81, 0x6A86, 0x6A88, 0x6D00})


def steps(*, approved_first: bool = False, key_history: bool = False) -> tuple[str, ...]:
    """All steps in their order for this kind of card: `STEPS`, the secrets early, the key history before the hashes."""
    names = [name for name in STEPS if not (approved_first and name in _SECRET_STEPS)]
    if approved_first:
        at = names.index("chuid") + 1
        names[at:at] = _SECRET_STEPS
    if key_history:
        names.insert(names.index("security_object"), "key_history")
    return tuple(names)


def factory_management_keys() -> tuple[ManagementKey, ...]:
    """The published factory key 0102..08, for every cipher a card may come with."""
    pattern = FACTORY_MANAGEMENT_KEY.value[:8]
    return tuple(ManagementKey(cipher, pattern * (cipher.key_length // 8)) for cipher in ManagementAlgorithm)


@dataclass(frozen=True, slots=True)
class Profile:
    """What is written. `expires` (aware) is the card's last moment, its date goes into CHUID and printed information.

    `issuer`: at most 15 characters are printed, `affiliation` and `serial`: 20. `guid` is the card's new name.
    `algorithms`: for each slot one algorithm, or several, best first, of which the first that the card offers is made.
    `key_history` is written where the card holds retired keys. `approved_first`: a module that makes no keys before its
    secrets were changed (`hardware.cards.fips.Module`).
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
    """The card's new secrets and the old ones that may open it. `repr` shows none.

    `pin`, `puk`: 6 to 8 ASCII characters. `management`: the new management key in each cipher that may be used, best
    first; the first that the card takes is set. `known_cipher`: the cipher of the card's present key, if known.
    `channel`: the keys of the secure channel that everything is to go through; None for no such channel.
    """

    pin: str
    puk: str
    management: Sequence[ManagementKey]
    old_management: Sequence[ManagementKey] = field(default_factory=factory_management_keys)
    old_puks: Sequence[str] = (FACTORY_PUK,)
    old_pins: Sequence[str] = (FACTORY_PIN,)
    known_cipher: ManagementAlgorithm | None = None
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


class Journal(Protocol):
    """Durable memory of one personalization. What it raises stops the personalization before the step is sent."""

    def before(self, step: str, digest: bytes | None) -> None:
        """`step` is about to change the card; `digest` is the SHA-256 of what will be written, None if not known."""

    def after(self, step: str, sw: int, digest: bytes | None) -> None:
        """The card answered `step`. For a generation `digest` is the SHA-256 of the new SubjectPublicKeyInfo.

        Not called when the answer was lost.
        """


class NoJournal:
    """Remembers nothing: for cards that nobody will miss (tests, benchmarks)."""

    def before(self, step: str, digest: bytes | None) -> None:
        """Does nothing."""

    def after(self, step: str, sw: int, digest: bytes | None) -> None:
        """Does nothing."""


class Resume(Protocol):
    """What an earlier attempt on this card acknowledged. Give none after `CardUnproven`."""

    def content(self, step: str) -> bytes | None:
        """SHA-256 that `Journal.after` last heard for `step` with 9000: of what was written, of a generated key its
        SubjectPublicKeyInfo; None if the step was never acknowledged.
        """


@dataclass(frozen=True, slots=True)
class KeyProof:
    """What is known of a key right after it was made, before its certificate. `attestation` is None where the card
    attests nothing; `report` is the management application's, read anew where the module's mode may have changed.
    """

    slot: Slot
    public_key: PublicKey
    attestation: Attestation | None
    report: DeviceReport | None


Gate = Callable[[KeyProof], None]
"""Hears of each new key, 9A first; whatever it raises stops the personalization before any certificate and, but for
`approved_first` modules, before any secret."""


@dataclass(frozen=True, slots=True)
class SlotResult:
    """One key of the card. Digests are SHA-256 in lower-case hex, the public key's over its SubjectPublicKeyInfo.
    `statement` is what the card sent as its maker's attestation, `attestation` what that proves; None without any.
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
class Verification:
    """What the fresh session proved. Only `security_object` can be false in a result: some cards refuse the object."""

    read_back: bool
    proof_of_possession: bool
    chuid_signature: bool
    security_object: bool


@dataclass(frozen=True, slots=True)
class PersonalizationResult:
    """A proven card. `warnings` are sentences for people; `trace` holds no secret. `kdd` are the card's diversification
    data where a secure channel was used; `kept` names the steps that an earlier attempt had done.
    """

    guid: UUID
    slots: tuple[SlotResult, ...]
    management_algorithm: ManagementAlgorithm
    apdu_count: int
    duration_ms: float
    verification: Verification
    warnings: tuple[str, ...]
    trace: Trace
    kdd: bytes | None = None
    kept: tuple[str, ...] = ()

    @property
    def weak_management_key(self) -> bool:
        """Whether the card takes 3DES only."""
        return self.management_algorithm is ManagementAlgorithm.TDES


class Personalizer:
    """Writes cards for one authority. Holds no state between cards; may be used by many threads at once.

    `on_step` hears the name of each of `steps` as it begins, on the thread of `run`. `makers` are the pinned maker
    certificates for attestations; None: nothing is asked to be attested. `gate` hears of each key. `keep_alive_s`:
    while journal or authority take longer than this, the card is asked for something harmless (`KEEP_ALIVE_S` on
    Windows); they are then called on a thread of their own. None: never.
    """

    def __init__(
        self,
        issuer: CertificateIssuer,
        on_step: Callable[[str], None] | None = None,
        *,
        makers: Sequence[x509.Certificate] | None = None,
        gate: Gate | None = None,
        keep_alive_s: float | None = KEEP_ALIVE_S if sys.platform == "win32" else None,
    ) -> None:
        self._tools = _Tools(issuer, on_step, makers, gate, keep_alive_s)

    def run(
        self,
        channel: ApduChannel,
        profile: Profile,
        new: Secrets,
        journal: Journal | None = None,
        expected: CardIdentity | None = None,
        resume: Resume | None = None,
    ) -> PersonalizationResult:
        """Write the card behind `channel` (exclusively held) and prove it.

        `channel` is the caller's, so that its trace is there whatever happens. `expected` is the identity the caller
        chose the card by: GUID, serial number and chip must be the same. With `resume` what an earlier attempt did, and
        the card still holds to the byte, is not done again; its keys prove themselves at the end as all others do.
        Raises, after which the card is in a state that the journal describes:

        * `WrongCard`, and `TransportError` while nothing was written yet;
        * `CardLocked`: PIN or 9B blocked, or no known secret opens it;
        * `CardRefused`: a step the card cannot do without was refused;
        * `CardTorn`: the path broke after the first write;
        * `CardUnproven`: all was written, but the fresh session proves something else;
        * `ProtocolError`: the card's answers make no sense;
        * `ValueError`: the profile does not fit the authority (nothing was written);
        * whatever journal, authority or gate raise.
        """
        signer = self._tools.issuer.content_signer.certificate
        if signer.not_valid_after_utc < profile.expires:
            raise ValueError("the content signer's certificate ends before the card does")
        return _Run(self._tools, channel, profile, new, journal or NoJournal(), resume).run(expected)


@dataclass(frozen=True, slots=True)
class _Tools:
    issuer: CertificateIssuer
    on_step: Callable[[str], None] | None
    makers: Sequence[x509.Certificate] | None
    gate: Gate | None
    keep_alive_s: float | None


class _Run:
    """One card's personalization."""

    def __init__(
        self,
        tools: _Tools,
        channel: ApduChannel,
        profile: Profile,
        new: Secrets,
        journal: Journal,
        resume: Resume | None,
    ) -> None:
        self._tools = tools
        self._issuer = tools.issuer
        self._channel = channel
        self._piv = PivSession(channel)
        self._profile = profile
        self._new = new
        self._journal = journal
        self._resume = resume
        self._step = STEPS[0]
        self._touched = False
        self._warnings: list[str] = []
        self._chuid: bytes | None = None
        self._serial: int | None = None
        self._report: DeviceReport | None = None
        self._signer: bytes | None = None
        self._attests = tools.makers is not None
        self._kdd: bytes | None = None
        self._kept: list[str] = []
        self._unproven: list[Slot] = []
        self._written: dict[PivObject, bytes] = {}
        self._algorithms: dict[Slot, Algorithm] = {}
        self._keys: dict[Slot, PublicKey] = {}
        self._certificates: dict[Slot, x509.Certificate] = {}
        self._attestations: dict[Slot, tuple[Statement, Attestation]] = {}

    def run(self, expected: CardIdentity | None) -> PersonalizationResult:
        started, apdus = time.perf_counter(), self._channel.trace.apdus
        try:
            self._identify(expected)
            self._authenticate()
            self._write_chuid()
            management = self._approve_first() if self._profile.approved_first else None
            self._write_objects()
            for slot in Slot:
                self._write_slot(slot)
            self._write_key_history()
            self._write_security_object()
            management = management or self._set_secrets()
            verification = self._prove_all(management)
        except TransportError as error:
            if self._touched:
                raise CardTorn(self._step) from error
            raise
        except StatusWordError as error:
            raise CardRefused(self._step, error.sw) from error
        return PersonalizationResult(
            guid=self._profile.guid,
            slots=tuple(self._slot_result(slot) for slot in Slot),
            management_algorithm=management.algorithm,
            apdu_count=self._channel.trace.apdus - apdus,
            duration_ms=(time.perf_counter() - started) * 1000,
            verification=verification,
            warnings=tuple(self._warnings),
            trace=self._channel.trace,
            kdd=self._kdd,
            kept=tuple(self._kept),
        )

    def _begin(self, step: str) -> None:
        self._step = self._channel.stage = step
        if self._tools.on_step is not None:
            self._tools.on_step(step)

    def _while_host_works(self, work: Callable[[], T]) -> T:
        """Run `work`; while it takes its time the card is asked for something harmless, lest it be reset."""
        period = self._tools.keep_alive_s
        if period is None:
            return work()
        with ThreadPoolExecutor(1, "card host work") as pool:
            future = pool.submit(work)
            while True:
                try:
                    return future.result(period)
                except TimeoutError:
                    if future.done():  # in this very moment, or the timeout is the work's own
                        return future.result()
                    self._keep_alive()

    def _keep_alive(self) -> None:
        stage, self._channel.stage = self._channel.stage, "keep_alive"
        try:
            # Without data VERIFY only tells the tries: no security state changes, on no card.
            self._piv.pin_tries()
        finally:
            self._channel.stage = stage

    def _change(self, digest: bytes | None, send: Callable[[], T]) -> T:
        """Send one changing command between its two journal rows; a refusal is a row too."""
        self._while_host_works(lambda: self._journal.before(self._step, digest))
        self._touched = True
        try:
            value = send()
        except StatusWordError as error:
            self._journal.after(self._step, error.sw, None)
            raise
        public = (
            sha256(_spki(value)).digest() if isinstance(value, ec.EllipticCurvePublicKey | rsa.RSAPublicKey) else None
        )
        self._journal.after(self._step, 0x9000, public or digest)
        return value

    def _select(self) -> None:
        """The PIV application, and the secure channel with it: any SELECT ends the one before."""
        self._piv.select()
        if self._new.channel is not None:
            self._kdd = open_channel(self._channel, self._new.channel).kdd

    def _identify(self, expected: CardIdentity | None) -> None:
        self._begin("identify")
        if expected is not None and expected.atr != self._channel.connection.atr:
            raise WrongCard("another kind of card is in the reader")
        chip = expected.chip if expected is not None and expected.serial is None else None
        if chip is not None and chip_name(read_cplc(self._channel)) != chip:
            raise WrongCard("the card in the reader has another chip")
        if self._profile.approved_first or self._tools.gate is not None:
            self._report = read_device_report(self._channel)
        self._select()
        try:
            self._chuid = self._piv.get_object(PivObject.CHUID)
            guid = parse_chuid(self._chuid).guid if self._chuid else None
        except ProtocolError:
            guid = None  # torn inside its CHUID a card has no name, as `identify` sees it too
        if expected is not None and guid != expected.card_guid:
            raise WrongCard("the card in the reader has another GUID")
        if self._attests or (expected is not None and expected.serial is not None):
            self._serial = self._piv.serial()
        if expected is not None and expected.serial is not None and self._serial != expected.serial:
            raise WrongCard("the card in the reader has another serial number")
        if self._piv.pin_tries() == 0:
            raise CardLocked("PIN", "blocked, no tries left")

    def _authenticate(self) -> None:
        self._begin("authenticate")
        self._piv.authenticate_management(self._new.old_management, self._new.known_cipher)

    def _put(self, step: str, item: PivObject, content: bytes, *, optional: bool = False) -> None:
        self._begin(step)
        try:
            self._change(sha256(content).digest(), lambda: self._piv.put_object(item, content))
        except StatusWordError as error:
            if not optional:
                raise
            self._warnings.append(f"the card refused {step}: {error}")
            return
        self._written[item] = content

    def _done_before(self, step: str, content: bytes | None) -> bool:
        """Whether an earlier attempt wrote `content`, and the card acknowledged it."""
        if self._resume is None or not content:
            return False
        return self._resume.content(step) == sha256(content).digest()

    def _write_chuid(self) -> None:
        profile = self._profile
        expires = profile.expires.astimezone(datetime.UTC).date()
        if self._done_before("chuid", self._chuid) and self._chuid is not None:
            known = parse_chuid(self._chuid)
            if (known.guid, known.expires) == (profile.guid, expires):
                self._begin("chuid")
                self._kept.append("chuid")
                self._written[PivObject.CHUID] = self._chuid
                return
        self._put("chuid", PivObject.CHUID, build_chuid(profile.guid, expires, self._issuer.content_signer))

    def _write_objects(self) -> None:
        profile = self._profile
        expires = profile.expires.astimezone(datetime.UTC).date()
        self._put("ccc", PivObject.CCC, build_ccc(), optional=True)
        printed = PrintedInformation(profile.display_name, profile.affiliation, expires, profile.serial, profile.issuer)
        self._put("printed", PivObject.PRINTED, build_printed(printed), optional=True)

    def _write_slot(self, slot: Slot) -> None:
        self._begin(f"{slot.label}.generate")
        if self._keeps(slot):
            self._show_to_gate(slot)
            self._begin(f"{slot.label}.certificate")
            return
        key = self._keys[slot] = self._generate(slot)
        self._attest(slot, key)
        self._show_to_gate(slot)
        der = self._while_host_works(lambda: self._issuer.issue(slot, key, self._profile.guid, self._profile))
        certificate = self._certificates[slot] = x509.load_der_x509_certificate(der)
        if _spki(certificate.public_key()) != _spki(key):
            raise ValueError("the authority certified another key")
        self._put(f"{slot.label}.certificate", slot.object, certificate_object(der))

    def _generate(self, slot: Slot) -> PublicKey:
        """Make the slot's key by the first of its algorithms that the card offers."""
        choices = self._profile.choices(slot)
        for algorithm in choices:
            try:
                key = self._change(None, partial(self._piv.generate, slot, algorithm))
            except StatusWordError as error:
                if algorithm is choices[-1] or error.sw not in _OTHER_ALGORITHM:
                    raise
                self._warnings.append(f"the card makes no {algorithm.label} key in {slot.label}")
                continue
            self._algorithms[slot] = algorithm
            return key
        raise ValueError("every slot needs an algorithm")

    def _keeps(self, slot: Slot) -> bool:
        """Whether the card still holds, to the byte, what an earlier attempt made for the slot."""
        if self._resume is None:
            return False
        made = self._resume.content(f"{slot.label}.generate")
        if made is None or self._resume.content(f"{slot.label}.certificate") is None:
            return False
        try:
            content = self._piv.get_object(slot.object)
            if content is None or not self._done_before(f"{slot.label}.certificate", content):
                return False
            certificate = x509.load_der_x509_certificate(parse_certificate(content) or b"")
            key = certificate.public_key()
        except (ProtocolError, StatusWordError, *BROKEN):
            return False
        algorithm = _algorithm_of(key)
        if not isinstance(key, ec.EllipticCurvePublicKey | rsa.RSAPublicKey) or sha256(_spki(key)).digest() != made:
            return False
        if algorithm is None or algorithm not in self._profile.choices(slot):
            return False
        self._algorithms[slot], self._keys[slot], self._certificates[slot] = algorithm, key, certificate
        self._written[slot.object] = content
        self._kept += [f"{slot.label}.generate", f"{slot.label}.certificate"]
        self._attest(slot, key)
        return True

    def _attest(self, slot: Slot, key: PublicKey) -> None:
        """Ask for the maker's attestation; a card that refuses once is not asked again."""
        makers = self._tools.makers
        if not self._attests or makers is None:
            return
        leaf = attestation.attest(self._piv, slot)
        if leaf is None:
            self._attests = False
            return
        if self._signer is None:
            self._signer = attestation.attesting_certificate(self._piv) or b""
        statement = Statement(leaf, self._signer)
        self._attestations[slot] = statement, attestation.verify(statement, key, makers, self._serial)

    def _show_to_gate(self, slot: Slot) -> None:
        if self._tools.gate is not None:
            _, proof = self._attestations.get(slot, (None, None))
            self._tools.gate(KeyProof(slot, self._keys[slot], proof, self._report))

    def _write_key_history(self) -> None:
        if self._profile.key_history is not None:
            content = build_key_history(self._profile.key_history)
            self._put("key_history", PivObject.KEY_HISTORY, content, optional=True)

    def _covered(self) -> dict[PivObject, bytes]:
        """The unsigned objects that were really written: those the security object can vouch for."""
        items = (PivObject.CCC, PivObject.CHUID, PivObject.PRINTED, PivObject.KEY_HISTORY)
        return {item: self._written[item] for item in items if item in self._written}

    def _write_security_object(self) -> None:
        content = build_security_object(self._covered(), self._issuer.content_signer)
        self._put("security_object", PivObject.SECURITY, content, optional=True)

    def _set_secrets(self) -> ManagementKey:
        self._set_pin_and_puk()
        return self._set_management_key()

    def _approve_first(self) -> ManagementKey:
        """The secrets now: only then the module makes keys. What it says of its mode afterwards is what counts."""
        management = self._set_secrets()
        if self._report is not None:
            self._report = read_device_report(self._channel)
        self._select()
        self._piv.authenticate_management([management], management.algorithm)
        return management

    def _set_pin_and_puk(self) -> None:
        new = self._new
        self._begin("pin")
        puk = self._reset_pin()
        self._begin("puk")
        for old in [puk] if puk is not None else list(new.old_puks):
            if self._opens("PUK", partial(self._piv.change_puk, old, new.puk)):
                return
        raise CardLocked("PUK", "none of the known PUKs fits")

    def _reset_pin(self) -> str | None:
        """Set the PIN; the PUK that opened it, None where the card knows no reset and the old PIN did."""
        new = self._new
        try:
            for puk in new.old_puks:
                if self._opens("PUK", partial(self._piv.reset_pin, puk, new.pin)):
                    return puk
            raise CardLocked("PUK", "none of the known PUKs fits")
        except StatusWordError as error:
            if not error.absent and error.sw != 0x6985:
                raise
        for pin in new.old_pins:
            if self._opens("PIN", partial(self._piv.change_pin, pin, new.pin)):
                return None
        raise CardLocked("PIN", "none of the known PINs fits")

    def _opens(self, what: str, send: Callable[[], None]) -> bool:
        """Try one old secret; False if it is wrong and another may be tried without risking the last try."""
        try:
            self._change(None, send)
        except StatusWordError as error:
            if error.tries is None:
                raise
            if error.tries < 2:
                raise CardLocked(what, f"wrong, {error.tries} try left; none is risked") from error
            return False
        return True

    def _set_management_key(self) -> ManagementKey:
        self._begin("management_key")
        refusal: StatusWordError | None = None
        for key in self._new.management:
            try:
                self._change(None, partial(self._piv.set_management_key, key))
            except StatusWordError as error:
                refusal = error
                continue
            if key.algorithm is ManagementAlgorithm.TDES:
                self._warnings.append("the card takes a 3DES management key only: weak_management_key")
            return key
        raise CardRefused("management_key", refusal.sw if refusal is not None else 0x6A81)

    def _prove_all(self, management: ManagementKey) -> Verification:
        """The proof; a key that was kept from an earlier attempt and does not prove itself is made anew, once."""
        try:
            return self._verify(management)
        except CardUnproven:
            kept = [slot for slot in self._unproven if f"{slot.label}.generate" in self._kept]
            if not kept or kept != self._unproven:
                raise
        self._resume = None
        self._piv.authenticate_management([management], management.algorithm)
        for slot in kept:
            self._kept = [step for step in self._kept if not step.startswith(slot.label)]
            self._write_slot(slot)
        return self._verify(management)

    def _verify(self, management: ManagementKey) -> Verification:
        """The proof: power off and on, then everything anew. One VERIFY, and 9C right after it."""
        self._begin("verify")
        self._channel.reconnect_fresh()
        reasons: list[str] = []
        try:
            self._select()
            self._piv.verify(self._new.pin)
            order = (Slot.SIGNATURE, Slot.AUTHENTICATION, Slot.CARD_AUTHENTICATION, Slot.KEY_MANAGEMENT)
            self._unproven = [slot for slot in order if not self._proves(slot)]
            reasons += [f"{slot.label} does not prove its key" for slot in self._unproven]
            read = {item: self._piv.get_object(item) for item in self._written}
            reasons += [
                f"{item.name} reads back differently"
                for item, content in self._written.items()
                if read[item] != content
            ]
            reasons += self._signatures(read)
            self._piv.authenticate_management([management], management.algorithm)
        except TransportError:
            raise
        except CardError as error:
            raise CardUnproven((*reasons, str(error))) from error
        if reasons:
            raise CardUnproven(tuple(reasons))
        return Verification(
            read_back=True,
            proof_of_possession=True,
            chuid_signature=True,
            security_object=PivObject.SECURITY in self._written,
        )

    def _signatures(self, read: Mapping[PivObject, bytes | None]) -> list[str]:
        """What is wrong with the signatures on the objects as read, and with the certificates' issuer."""
        reasons = [
            f"{slot.label}'s certificate does not lead to the authority"
            for slot, certificate in self._certificates.items()
            if not issued_by(certificate, self._issuer.authorities)
        ]
        signer = self._issuer.content_signer.certificate
        try:
            verified = verify_chuid(parse_chuid(read[PivObject.CHUID] or b""))
            if verified.certificate != signer or not issued_by(signer, self._issuer.authorities):
                reasons.append("the CHUID's signer does not lead to the authority")
            security = read.get(PivObject.SECURITY)
            if security is not None:
                covered = {item: read[item] or b"" for item in self._covered()}
                verify_security_object(security, covered, signer)
        except ProtocolError as error:
            reasons.append(str(error))
        return reasons

    def _proves(self, slot: Slot) -> bool:
        try:
            return self._prove(slot)
        except StatusWordError as error:
            if error.sw != 0x6982:
                raise
        # Some cards end the verification with every use of 9C. The PIN is known to be right: no try is at risk.
        self._piv.verify(self._new.pin)
        return self._prove(slot)

    def _prove(self, slot: Slot) -> bool:
        """Let the card use the slot's private key on something it cannot know before."""
        algorithm, key = self._algorithms[slot], self._keys[slot]
        if isinstance(key, rsa.RSAPublicKey):
            if slot is Slot.KEY_MANAGEMENT:
                return self._proves_decryption(slot, algorithm, key)
            digest = secrets.token_bytes(32)
            signature = self._piv.sign(slot, algorithm, _pkcs1_block(digest, key.key_size // 8))
            return _accepts(lambda: key.verify(signature, digest, padding.PKCS1v15(), Prehashed(hashes.SHA256())))
        if slot is Slot.KEY_MANAGEMENT:
            ephemeral = ec.generate_private_key(key.curve)
            shared = self._piv.agree(slot, algorithm, ephemeral.public_key())
            return hmac.compare_digest(shared, ephemeral.exchange(ec.ECDH(), key))
        hashed = hashes.SHA256() if algorithm is Algorithm.P256 else hashes.SHA384()
        digest = secrets.token_bytes(hashed.digest_size)
        signature = self._piv.sign(slot, algorithm, digest)
        curve_key = key
        return _accepts(lambda: curve_key.verify(signature, digest, ec.ECDSA(Prehashed(hashed))))

    def _proves_decryption(self, slot: Slot, algorithm: Algorithm, key: rsa.RSAPublicKey) -> bool:
        size = key.key_size // 8
        filler = bytes(byte or 1 for byte in secrets.token_bytes(size - 35))
        block = b"\x00\x02" + filler + b"\x00" + secrets.token_bytes(32)
        numbers = key.public_numbers()
        cipher = pow(int.from_bytes(block, "big"), numbers.e, numbers.n).to_bytes(size, "big")
        return hmac.compare_digest(self._piv.sign(slot, algorithm, cipher), block)

    def _slot_result(self, slot: Slot) -> SlotResult:
        certificate = self._certificates[slot]
        der = certificate.public_bytes(Encoding.DER)
        statement, proof = self._attestations.get(slot, (None, None))
        return SlotResult(
            slot=slot,
            algorithm=self._algorithms[slot],
            certificate=der,
            certificate_sha256=sha256(der).hexdigest(),
            public_key_sha256=sha256(_spki(self._keys[slot])).hexdigest(),
            not_after=certificate.not_valid_after_utc,
            attestation=proof,
            statement=statement,
        )


def _spki(key: object) -> bytes:
    """DER SubjectPublicKeyInfo of an EC or RSA key."""
    if not isinstance(key, ec.EllipticCurvePublicKey | rsa.RSAPublicKey):
        raise ValueError("not a key that a card makes")
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _algorithm_of(key: object) -> Algorithm | None:
    """The card's name for the kind of a key; None for what no slot holds."""
    if isinstance(key, ec.EllipticCurvePublicKey):
        return {"secp256r1": Algorithm.P256, "secp384r1": Algorithm.P384}.get(key.curve.name)
    if isinstance(key, rsa.RSAPublicKey):
        return {2048: Algorithm.RSA_2048, 3072: Algorithm.RSA_3072}.get(key.key_size)
    return None


def _pkcs1_block(digest: bytes, size: int) -> bytes:
    """EMSA-PKCS1-v1_5 over a SHA-256 digest (RFC 8017, 9.2): cards do the raw operation only."""
    info = bytes.fromhex("3031300d060960864801650304020105000420") + digest
    return b"\x00\x01" + b"\xff" * (size - len(info) - 3) + b"\x00" + info


def _accepts(verify: Callable[[], None]) -> bool:
    try:
        verify()
    except InvalidSignature:
        return False
    return True
