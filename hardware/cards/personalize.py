"""Turns a blank card into one node's card, and proves it in a fresh session (SP 800-73-5, FIPS 201-3 chapter 4).

Order of steps: the CHUID comes first, because it identifies a torn card. PIN and PUK are set before the first
certificate, so that no half card works with the factory's; the management key 9B comes last, because it opens a torn
card. Only where the card may not take the kind of 9B that the site asks for is that tried before the CHUID: a refusal
then leaves the card as it came. Modules that make no keys before their secrets are changed get all three first. Keys
are made on the card and never leave it; certificates come from a callback. Every changing step is announced to the
journal before it is sent. The card is asked what it offers (algorithms, objects, attestation, ciphers); a version never
decides it.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from hashlib import sha256
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding

from hardware.cards import attestation
from hardware.cards.apdu import ApduChannel
from hardware.cards.attestation import Attestation, Statement
from hardware.cards.backend import (
    CardLocked,
    CardRefused,
    CardTorn,
    CardUnproven,
    ProtocolError,
    StatusWordError,
    TransportError,
    WrongCard,
)
from hardware.cards.chain import BROKEN
from hardware.cards.device import DeviceReport, read_device_report
from hardware.cards.identify import CardIdentity, chip_name, read_cplc
from hardware.cards.objects import (
    PrintedInformation,
    build_ccc,
    build_chuid,
    build_key_history,
    build_printed,
    build_security_object,
    parse_chuid,
)
from hardware.cards.piv import (
    BY_REFERENCE_DATA,
    MANAGEMENT_REFERENCE,
    ManagementAlgorithm,
    ManagementCommand,
    ManagementKey,
    PivObject,
    PivSession,
    PublicKey,
    Slot,
    algorithm_of,
    application_label,
    certificate_object,
    parse_certificate,
    spki,
)
from hardware.cards.profile import (
    CertificateIssuer,
    Gate,
    KeyProof,
    PersonalizationResult,
    Profile,
    ProfileVerification,
    Secrets,
    SlotResult,
    factory_management_keys,
)
from hardware.cards.proof import CardContent, PossessionProof, signs
from hardware.cards.reference_data import ReferenceData
from hardware.cards.scp03 import open_channel
from hardware.cards.steps import DEFAULT_KEEP_ALIVE_S, Journal, NoJournal, Resume, Steps

# Answers of a card that makes no such key; anything else is a refusal of the step itself.
_OTHER_ALGORITHM: Final = frozenset({0x6A80, 0x6A81, 0x6A86, 0x6A88, 0x6D00, 0x6985})


_SAFE_TRIES: Final = 2
"""A PIN is not sent as a proof to a card that a wrong one could block."""


class Personalizer:
    """Writes cards for one authority. Holds no state between cards; may be used by many threads at once.

    `on_step` is called with the name of each step as it begins, on the thread of `run`. `makers` are the pinned maker
    certificates for attestations; None: the card is not asked to attest. `gate` judges each key. `keep_alive_s`: while
    journal or authority take longer than this, the card gets a harmless command (`KEEP_ALIVE_S` on Windows); they are
    then called on a thread of their own. None: never.
    """

    def __init__(
        self,
        issuer: CertificateIssuer,
        on_step: Callable[[str], None] | None = None,
        *,
        makers: Sequence[x509.Certificate] | None = None,
        gate: Gate | None = None,
        keep_alive_s: float | None = DEFAULT_KEEP_ALIVE_S,
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

        `channel` is the caller's, so that its trace is there also after an error. `expected` is the identity by which
        the caller chose the card: GUID, serial number and chip must be the same. With `resume`, steps of an earlier
        attempt whose result the card still holds to the byte are not repeated; their keys are proven at the end like
        all others. Raises, with the card in a state that the journal describes:

        * `WrongCard`, and `TransportError` while nothing was written yet;
        * `CardLocked`: PIN or 9B blocked, or no known secret opens it;
        * `CardRefused`: a step the card cannot do without was refused;
        * `CardTorn`: the path broke after the first write;
        * `CardUnproven`: all was written, but the fresh session proves something else;
        * `ProtocolError`: the card's answers make no sense;
        * `ValueError`: the profile does not fit the authority (nothing was written);
        * the errors that journal, authority or gate raise.
        """
        signer = self._tools.issuer.content_signer.certificate
        if signer.not_valid_after_utc < profile.expires:
            raise ValueError("the content signer's certificate ends before the card does")
        return _Personalization(self._tools, channel, profile, new, journal or NoJournal(), resume).run(expected)


@dataclass(frozen=True, slots=True)
class _Tools:
    issuer: CertificateIssuer
    on_step: Callable[[str], None] | None
    makers: Sequence[x509.Certificate] | None
    gate: Gate | None
    keep_alive_s: float | None


class _Personalization:
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
        self._steps = Steps(channel, journal, tools.on_step, tools.keep_alive_s)
        self._content = CardContent()
        self._reference = ReferenceData(self._piv, self._steps, new)
        self._proof = PossessionProof(self._piv, self._content, tools.issuer, self._reference.pin, self._select)
        self._profile = profile
        self._new = new
        self._resume = resume
        self._warnings: list[str] = []
        self._chuid: bytes | None = None
        self._serial: int | None = None
        self._report: DeviceReport | None = None
        self._signer: bytes | None = None
        self._attests = tools.makers is not None
        self._kdd: bytes | None = None
        self._template = b""
        self._kept: list[str] = []
        self._has_own_pin = False
        self._tries: int | None = None
        self._tells_nothing = False
        self._management: ManagementKey | None = None
        self._old_key: ManagementKey | None = None
        self._attestations: dict[Slot, tuple[Statement, Attestation]] = {}

    def run(self, expected: CardIdentity | None) -> PersonalizationResult:
        started, apdus = time.perf_counter(), self._channel.trace.apdus
        try:
            self._identify(expected)
            self._require_same_key()
            self._management = self._try_management_key(self._authenticate(expected))
            self._write_chuid()
            if self._profile.approved_first:
                self._management = self._approve_first()
            self._write_objects()
            for slot in Slot:
                self._write_slot(slot)
            self._write_key_history()
            self._write_security_object()
            management = self._management or self._reference.set_management_key()
            verification = self._prove_all(management)
        except TransportError as error:
            if self._steps.touched:
                raise CardTorn(self._steps.step) from error
            raise
        except StatusWordError as error:
            refusal = CardRefused(self._steps.step, error.sw)
            self._restore_old_key()
            raise refusal from error
        except (CardLocked, ProtocolError):
            self._restore_old_key()
            raise
        return PersonalizationResult(
            guid=self._profile.guid,
            slots=tuple(self._slot_result(slot) for slot in Slot),
            management_algorithm=management.algorithm,
            apdu_count=self._channel.trace.apdus - apdus,
            duration_ms=(time.perf_counter() - started) * 1000,
            verification=verification,
            warnings=(*self._warnings, *self._reference.warnings),
            trace=self._channel.trace,
            kdd=self._kdd,
            kept=tuple(self._kept),
            pin_draw=self._reference.pin.draw,
        )

    def _select(self) -> None:
        """Selects the PIV application and opens its secure channel, because any SELECT ends the channel."""
        self._template = self._piv.select()
        if self._new.channel is not None:
            self._kdd = open_channel(self._channel, self._new.channel).kdd

    def _identify(self, expected: CardIdentity | None) -> None:
        """Makes sure that this is the expected card, and that its PIN is not blocked."""
        self._steps.begin("identify")
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
        except (ProtocolError, StatusWordError):
            guid = None  # a card that was torn inside its CHUID has no name; `identify` sees it so, too
        if expected is not None and guid != expected.card_guid:
            raise WrongCard("the card in the reader has another GUID")
        if self._attests or (expected is not None and expected.serial is not None):
            self._serial = self._piv.serial()
        if expected is not None and expected.serial is not None and self._serial != expected.serial:
            raise WrongCard("the card in the reader has another serial number")
        self._tries = self._piv.pin_tries()
        if self._tries == 0:
            raise CardLocked("PIN", "blocked, no tries left")

    def _authenticate(self, expected: CardIdentity | None) -> ManagementKey:
        """Opens 9B; returns the key that fits. Raises `CardRefused` where the card has no way to change it, and
        `CardLocked` where its way is the secure channel and its keys are not known: nothing was written then."""
        self._steps.begin("authenticate")
        keys, cipher = self._opening_keys()
        if not self._tells_nothing:
            self._reference.take_metadata()
        present = self._piv.authenticate_management(keys, cipher)
        self._reference.command = self._management_command(expected)
        return present

    def _management_command(self, expected: CardIdentity | None) -> ManagementCommand:
        """How the card takes a new 9B: as its module's row says, else by its application's label, else Yubico's
        command, for which the card is asked unless it knows other instructions of Yubico."""
        command = self._profile.management_command
        if command is None and application_label(self._template) in BY_REFERENCE_DATA:
            command = ManagementCommand.CHANGE_REFERENCE_DATA
        if command is ManagementCommand.CHANGE_REFERENCE_DATA:
            if self._new.channel is None:
                why = "this card takes it over its secure channel only; its stock row needs the channel's keys (scp03)"
                raise CardLocked("9B", why, tried=False)
            return command
        asks = self._tells_nothing or (expected is not None and expected.serial is None)
        if asks and not self._piv.sets_management_key():
            # Nothing was written yet: the card is unchanged, but its key can never become this site's.
            raise CardRefused("management_key", 0x6D00)
        return ManagementCommand.SET_MANAGEMENT_KEY

    def _try_management_key(self, present: ManagementKey) -> ManagementKey | None:
        """Sets 9B before anything else is written, where only this write can tell whether the card takes it: its
        `present` key has a cipher that the site does not accept. Returns the new key; None: it is set last, as a card
        takes another key of the cipher that it has.
        """
        if any(key.algorithm is present.algorithm for key in self._new.management):
            return None
        management = self._reference.set_management_key()
        self._old_key = present
        self._piv.authenticate_management([management], management.algorithm)
        return management

    def _restore_old_key(self) -> None:
        """Puts the old 9B back on a card that is refused after the new one was tried, before any other secret was
        set."""
        if self._old_key is not None:
            old, self._old_key = self._old_key, None
            self._reference.restore_management_key(old)

    def _opening_keys(self) -> tuple[Sequence[ManagementKey], ManagementAlgorithm | None]:
        """The keys that may open 9B, and its cipher where it is known. A card that says whether its secrets are the
        factory's is not tried with what cannot be right. Raises `CardLocked` before any try where nothing is left."""
        keys, cipher = self._new.old_management, self._new.known_cipher
        factory = [key for key in keys if key in factory_management_keys()]
        told = self._piv.metadata(MANAGEMENT_REFERENCE) if factory else None
        if told is None:
            self._tells_nothing = bool(factory)
            return keys, cipher
        if told.factory or not self._new.key_restored:
            keys = factory if told.factory else [key for key in keys if key not in factory]
        if not keys:
            raise CardLocked("9B", "not the factory's, as the card says; no key was tried", tried=False)
        return keys, told.cipher or cipher

    def _require_same_key(self) -> None:
        """Makes sure, before anything is written to a card that is resumed, that it holds a key that an earlier attempt
        made on it. A GUID can be copied to another card, and makers give one GUID to many; a key cannot be copied.

        9E signs without PIN; the others need the PIN, which is sent once, and only if an earlier attempt set it and
        the card has more than one try. Where neither can be asked, nothing was certified yet that another card's write
        could make worthless, or the PIN comes from elsewhere.
        """
        resume = self._resume
        if resume is None:
            return
        order = (Slot.CARD_AUTHENTICATION, Slot.AUTHENTICATION, Slot.SIGNATURE)
        made = [slot for slot in order if resume.content(f"{slot.label}.certificate") is not None]
        if not self._new.pin_is_set or (self._tries is not None and self._tries < _SAFE_TRIES):
            made = [slot for slot in made if slot is Slot.CARD_AUTHENTICATION]
        if made and not any(self._uses_key(slot, resume.content(f"{slot.label}.generate")) for slot in made):
            raise WrongCard("the card in the reader does not hold the keys that were made on the card of this record")

    def _uses_key(self, slot: Slot, made: bytes | None) -> bool:
        """Whether the card signs with the slot's key whose SubjectPublicKeyInfo has the SHA-256 `made`."""
        try:
            key = x509.load_der_x509_certificate(self._piv.read_certificate(slot) or b"").public_key()
            algorithm = algorithm_of(key)
            if algorithm is None or sha256(spki(key)).digest() != made:
                return False
            if slot is not Slot.CARD_AUTHENTICATION:
                self._verify_own_pin()
            return signs(self._piv, slot, algorithm, key)
        except (ProtocolError, StatusWordError, *BROKEN):
            return False

    def _verify_own_pin(self) -> None:
        """Sends the PIN that an earlier attempt set. A card that refuses it is another one, and is asked no more."""
        try:
            self._piv.verify(self._new.pin)
        except (CardLocked, StatusWordError) as error:
            raise WrongCard("the card in the reader does not take the PIN of this record's card") from error

    def _put(self, step: str, item: PivObject, content: bytes, *, optional: bool = False) -> None:
        self._steps.begin(step)
        try:
            self._steps.change(sha256(content).digest(), lambda: self._piv.put_object(item, content))
        except StatusWordError as error:
            if not optional:
                raise
            self._warnings.append(f"the card refused {step}: {error}")
            return
        self._content.objects[item] = content

    def _done_before(self, step: str, content: bytes | None) -> bool:
        """Whether an earlier attempt wrote `content`, and the card acknowledged it."""
        if self._resume is None or not content:
            return False
        return self._resume.content(step) == sha256(content).digest()

    def _write_chuid(self) -> None:
        profile = self._profile
        expires = profile.expires.astimezone(UTC).date()
        if self._done_before("chuid", self._chuid) and self._chuid is not None:
            known = parse_chuid(self._chuid)
            if (known.guid, known.expires) == (profile.guid, expires):
                self._steps.begin("chuid")
                self._kept.append("chuid")
                self._content.objects[PivObject.CHUID] = self._chuid
                return
        self._put("chuid", PivObject.CHUID, build_chuid(profile.guid, expires, self._issuer.content_signer))

    def _write_objects(self) -> None:
        profile = self._profile
        expires = profile.expires.astimezone(UTC).date()
        self._put("ccc", PivObject.CCC, build_ccc(), optional=True)
        printed = PrintedInformation(profile.display_name, profile.affiliation, expires, profile.serial, profile.issuer)
        self._put("printed", PivObject.PRINTED, build_printed(printed), optional=True)

    def _write_slot(self, slot: Slot) -> None:
        """Makes the slot's key, has it attested, judged and certified, and writes the certificate."""
        self._steps.begin(f"{slot.label}.generate")
        if self._keeps(slot):
            self._show_to_gate(slot)
            self._set_pin_and_puk()
            self._steps.begin(f"{slot.label}.certificate")
            return
        key = self._content.keys[slot] = self._generate(slot)
        self._attest(slot, key)
        self._show_to_gate(slot)
        self._set_pin_and_puk()
        der = self._steps.while_host_works(lambda: self._issuer.issue(slot, key, self._profile.guid, self._profile))
        certificate = self._content.certificates[slot] = x509.load_der_x509_certificate(der)
        if certificate.public_key() != key:
            raise ValueError("the authority certified another key")
        self._put(f"{slot.label}.certificate", slot.object, certificate_object(der))

    def _set_pin_and_puk(self) -> None:
        """Sets PIN and PUK, once, when the gate has accepted the first key."""
        if not self._has_own_pin:
            self._old_key = None
            self._reference.set_pin_and_puk()
            self._has_own_pin = True

    def _generate(self, slot: Slot) -> PublicKey:
        """Make the slot's key by the first of its algorithms that the card offers."""
        choices = self._profile.choices(slot)
        for algorithm in choices:
            try:
                key = self._steps.change(None, partial(self._piv.generate, slot, algorithm))
            except StatusWordError as error:
                if algorithm is choices[-1] or error.sw not in _OTHER_ALGORITHM:
                    raise
                self._warnings.append(f"the card makes no {algorithm.label} key in {slot.label}")
                continue
            self._content.algorithms[slot] = algorithm
            return key
        raise ValueError("every slot needs an algorithm")

    def _keeps(self, slot: Slot) -> bool:
        """Whether the card still holds, to the byte, the key and certificate that an earlier attempt made for the
        slot."""
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
        algorithm = algorithm_of(key)
        if not isinstance(key, ec.EllipticCurvePublicKey | rsa.RSAPublicKey) or sha256(spki(key)).digest() != made:
            return False
        if algorithm is None or algorithm not in self._profile.choices(slot):
            return False
        self._content.algorithms[slot], self._content.keys[slot], self._content.certificates[slot] = (
            algorithm,
            key,
            certificate,
        )
        self._content.objects[slot.object] = content
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
            try:
                self._tools.gate(KeyProof(slot, self._content.keys[slot], proof, self._report))
            except Exception:
                self._restore_old_key()
                raise

    def _write_key_history(self) -> None:
        if self._profile.key_history is not None:
            content = build_key_history(self._profile.key_history)
            self._put("key_history", PivObject.KEY_HISTORY, content, optional=True)

    def _write_security_object(self) -> None:
        content = build_security_object(self._content.unsigned_objects(), self._issuer.content_signer)
        self._put("security_object", PivObject.SECURITY, content, optional=True)

    def _approve_first(self) -> ManagementKey:
        """Sets the secrets now, because the module makes no keys before; reads its report again, which alone counts
        then."""
        self._set_pin_and_puk()
        management = self._management or self._reference.set_management_key()
        if self._report is not None:
            self._report = read_device_report(self._channel)
        self._select()
        self._piv.authenticate_management([management], management.algorithm)
        return management

    def _prove_all(self, management: ManagementKey) -> ProfileVerification:
        """Proves the card; a key that was kept from an earlier attempt and fails its proof is made anew, once."""
        self._steps.begin("verify")
        try:
            return self._proof.prove(management)
        except CardUnproven:
            kept = [slot for slot in self._proof.unproven if f"{slot.label}.generate" in self._kept]
            if not kept or kept != self._proof.unproven:
                raise
        self._resume = None
        self._piv.authenticate_management([management], management.algorithm)
        for slot in kept:
            self._kept = [step for step in self._kept if not step.startswith(slot.label)]
            self._write_slot(slot)
        self._steps.begin("verify")
        return self._proof.prove(management)

    def _slot_result(self, slot: Slot) -> SlotResult:
        """The slot's key and certificate, with digests and attestation."""
        certificate = self._content.certificates[slot]
        der = certificate.public_bytes(Encoding.DER)
        statement, proof = self._attestations.get(slot, (None, None))
        return SlotResult(
            slot=slot,
            algorithm=self._content.algorithms[slot],
            certificate=der,
            certificate_sha256=sha256(der).hexdigest(),
            public_key_sha256=sha256(spki(self._content.keys[slot])).hexdigest(),
            not_after=certificate.not_valid_after_utc,
            attestation=proof,
            statement=statement,
        )
