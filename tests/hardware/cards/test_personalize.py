"""The whole personalization against the software card, in process: order, proof, refusals, tears."""

import datetime
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from hardware.cards import tlv
from hardware.cards.apdu import ApduChannel
from hardware.cards.backend import (
    CardError,
    CardLocked,
    CardRefused,
    CardTorn,
    CardUnproven,
    StatusWordError,
    TransportError,
    WrongCard,
)
from hardware.cards.cms import ContentSigner
from hardware.cards.identify import identify
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.objects import PrintedInformation, build_ccc, build_printed
from hardware.cards.personalize import Personalizer
from hardware.cards.piv import (
    FACTORY_MANAGEMENT_KEY,
    Algorithm,
    ManagementAlgorithm,
    PivObject,
    PivSession,
    PublicKey,
    Slot,
    certificate_object,
)
from hardware.cards.profile import KeyProof, PersonalizationResult, Profile, Secrets, factory_management_keys
from hardware.cards.software import (
    SELF_ATTESTING_CARD,
    SIMPLE_CARD,
    PinAlways,
    Quirks,
    SoftwareCard,
    Tear,
    TearPoint,
)
from hardware.cards.steps import RESTORE_KEY, STEPS
from tests.hardware.cards.card_site import AES_256, PIN, PUK, TDES, ScriptedConnection, TestSite, new_secrets

SITE = TestSite()
FULL_ORDER = 38


@dataclass
class Rows:
    """A journal in memory."""

    rows: list[tuple[str, str, object]] = field(default_factory=list)

    def before(self, step: str, digest: bytes | None) -> None:
        self.rows.append(("before", step, digest))

    def after(self, step: str, sw: int, digest: bytes | None) -> None:
        self.rows.append(("after", step, sw))
        self.digest = digest


def backend_of(card: SoftwareCard | None = None) -> InProcessBackend:
    backend = InProcessBackend(["R"])
    backend.insert("R", card or SoftwareCard())
    return backend


def write(
    backend: InProcessBackend,
    profile: Profile | None = None,
    new: Secrets | None = None,
    journal: Rows | None = None,
    site: TestSite = SITE,
    on_step: Callable[[str], None] | None = None,
) -> PersonalizationResult:
    with backend.open("R") as connection:
        return Personalizer(site, on_step).run(
            ApduChannel(connection), profile or SITE.profile(), new or new_secrets(), journal
        )


def test_plain_card_is_written_and_proven() -> None:
    """Everything that the fresh session can prove is proven, and nothing is to be warned of."""
    result = write(backend_of())
    proof = result.verification
    assert (proof.read_back, proof.proof_of_possession, proof.chuid_signature, proof.security_object) == (True,) * 4
    assert result.warnings == ()
    assert not result.weak_management_key


def test_full_order_takes_38_apdus() -> None:
    """The whole order costs no more APDUs than designed."""
    result = write(backend_of())
    assert result.apdu_count == len(result.trace.entries) == FULL_ORDER


@pytest.mark.parametrize(("longest", "most"), [(261, 34), (3072, 26)], ids=["short", "extended"])
def test_list_of_the_peer_costs_fewer_apdus(longest: int, most: int) -> None:
    """The steps yubikit does in 43 APDUs (select, 9B, objects, four slots, read back, PIN, PUK, two proofs, new 9B)."""
    profile = SITE.profile()
    with backend_of(SoftwareCard(quirks=Quirks(longest_command=longest))).open("R") as connection:
        channel = ApduChannel(connection)
        piv = PivSession(channel)
        piv.select()
        piv.authenticate_management(factory_management_keys())
        expires = profile.expires.date()
        piv.put_object(PivObject.CHUID, unsigned := tlv.encode(0x34, profile.guid.bytes) + tlv.encode(0xFE))
        piv.put_object(PivObject.CCC, build_ccc())
        piv.put_object(PivObject.PRINTED, build_printed(PrintedInformation("Training", "", expires, "", "")))
        certificates = {}
        for slot in Slot:
            key = piv.generate(slot, Algorithm.P256)
            certificates[slot] = SITE.issue(slot, key, profile.guid, profile)
            piv.put_object(slot.object, certificate_object(certificates[slot]))
        assert piv.get_object(PivObject.CHUID) == unsigned
        assert {slot: piv.read_certificate(slot) for slot in Slot} == certificates
        piv.reset_pin("12345678", PIN)
        piv.change_puk("12345678", PUK)
        piv.verify(PIN)
        piv.sign(Slot.SIGNATURE, Algorithm.P256, bytes(32))
        piv.sign(Slot.AUTHENTICATION, Algorithm.P256, bytes(32))
        piv.set_management_key(AES_256)
    assert channel.trace.apdus <= most


def test_slots_describe_what_is_on_the_card() -> None:
    """Digests, algorithm and end of each slot are those of the certificate read from the card."""
    backend = backend_of()
    result = write(backend)
    with backend.open("R") as connection:
        piv = PivSession(ApduChannel(connection))
        piv.select()
        for slot in result.slots:
            der = piv.read_certificate(slot.slot) or b""
            certificate = x509.load_der_x509_certificate(der)
            spki = certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
            assert slot.certificate_sha256 == sha256(der).hexdigest()
            assert slot.public_key_sha256 == sha256(spki).hexdigest()
            assert slot.not_after == certificate.not_valid_after_utc


def test_old_secrets_are_of_no_use_afterwards() -> None:
    """Factory PIN, PUK and management key are gone; the new ones open the card."""
    backend = backend_of()
    write(backend)
    with backend.open("R") as connection:
        piv = PivSession(ApduChannel(connection))
        piv.select()
        with pytest.raises(StatusWordError):
            piv.verify("123456")
        with pytest.raises(StatusWordError):
            piv.reset_pin("12345678", "4711471")
        with pytest.raises(CardLocked):
            piv.authenticate_management(factory_management_keys())
        piv.verify(PIN)
        piv.reset_pin(PUK, PIN)
        assert piv.authenticate_management([AES_256]) is AES_256


def test_steps_are_told_in_their_order() -> None:
    """Who listens hears every step once, in the published order."""
    heard: list[str] = []
    write(backend_of(), on_step=heard.append)
    assert tuple(heard) == STEPS


def test_trace_entries_carry_their_step() -> None:
    """Every APDU in the trace belongs to a step."""
    assert {entry.stage for entry in write(backend_of()).trace.entries} == set(STEPS)


def test_journal_has_two_rows_for_every_change() -> None:
    """Each changing step is announced before it is sent and concluded after it."""
    rows = Rows()
    write(backend_of(), journal=rows)
    changing = [step for step in STEPS if step not in ("identify", "authenticate", "verify")]
    assert [(kind, step) for kind, step, _ in rows.rows] == [
        (kind, step) for step in changing for kind in ("before", "after")
    ]


def test_journal_knows_what_will_be_written() -> None:
    """The digest announced for a certificate is that of the object on the card."""
    rows = Rows()
    result = write(backend_of(), journal=rows)
    announced = {step: digest for kind, step, digest in rows.rows if kind == "before"}
    for slot in result.slots:
        assert announced[f"{slot.slot.label}.certificate"] == sha256(certificate_object(slot.certificate)).digest()


def test_journal_that_fails_stops_before_the_step() -> None:
    """What cannot be remembered is not sent."""

    class Full(Rows):
        def before(self, step: str, digest: bytes | None) -> None:
            if step == "9A.generate":
                raise OSError("disk full")

    backend = backend_of()
    with backend.open("R") as connection:
        channel = ApduChannel(connection)
        with pytest.raises(OSError, match="disk full"):
            Personalizer(SITE).run(channel, SITE.profile(), new_secrets(), Full())
    assert channel.trace.entries[-1].stage == "printed"


def test_no_secret_is_in_the_trace() -> None:
    """Neither PIN, PUK nor management key can be found in what the trace keeps."""
    kept = b"".join((e.data or b"") + (e.answer or b"") for e in write(backend_of()).trace.entries)
    assert all(secret not in kept for secret in (PIN.encode(), PUK.encode(), AES_256.value, b"123456"))


def test_secrets_do_not_show_themselves() -> None:
    """`repr` of the secrets has none of them."""
    assert repr(new_secrets()) == "Secrets(...)"


@pytest.mark.parametrize(
    "quirks",
    [
        SIMPLE_CARD,
        SELF_ATTESTING_CARD,
        Quirks(longest_command=261),
        Quirks(longest_command=261, too_long_status=0x6D00),
        Quirks(longest_command=261, too_long_status=0x6E00),
        Quirks(longest_command=400),
        Quirks(whole_responses=True),
        Quirks(longest_command=261, remaining_counts_status=True),
        Quirks(longest_command=261, exact_le=True),
        Quirks(starves_without_le=True),
        Quirks(puk_digits_only=True),
        Quirks(pin_always=PinAlways.IMMEDIATE),
        Quirks(pin_always=PinAlways.OFF),
        Quirks(printed_needs_pin=False),
        Quirks(factory_management=0x08),
        Quirks(management_algorithms=(0x03,)),
        Quirks(refused_objects=frozenset({PivObject.SECURITY, PivObject.CCC, PivObject.PRINTED})),
        Quirks(refusals={0x2C: 0x6D00}),
        Quirks(refusals={0x2C: 0x6985}),
        Quirks(pin_tries=15),
        Quirks(cplc_status=0x6E00, empty_contactless_uid=True),
    ],
    ids=lambda quirks: "-".join(f for f in Quirks.__dataclass_fields__ if getattr(quirks, f) != getattr(Quirks(), f)),
)
def test_odd_cards_are_written_and_proven(quirks: Quirks) -> None:
    """Every oddity met on an independent card is survived: keys proven, objects read back, no try lost."""
    backend = backend_of(SoftwareCard(quirks=quirks))
    result = write(backend)
    assert result.verification.read_back
    assert result.verification.proof_of_possession
    with backend.open("R") as connection:
        assert identify(connection, SITE.authorities).pin_tries == quirks.pin_tries


def test_refused_objects_are_told_and_not_fatal() -> None:
    """A card without security object is a card, with a warning and an honest `false`."""
    result = write(backend_of(SoftwareCard(quirks=SIMPLE_CARD)))
    assert not result.verification.security_object
    assert any("security_object" in warning for warning in result.warnings)


def test_3des_only_card_is_weak() -> None:
    """A card that takes 3DES only says so."""
    result = write(backend_of(SoftwareCard(quirks=SIMPLE_CARD)))
    assert result.weak_management_key
    assert result.management_algorithm is ManagementAlgorithm.TDES


def test_card_that_takes_no_management_key_is_refused() -> None:
    """A card whose factory key cannot be replaced is never a success."""
    card = SoftwareCard(quirks=Quirks(refusals={0xFF: 0x6D00}))
    with pytest.raises(CardRefused) as caught:
        write(backend_of(card))
    assert (caught.value.step, caught.value.sw) == ("management_key", 0x6D00)


def test_card_that_makes_no_keys_is_refused() -> None:
    """A refused generation names its step and status."""
    rows = Rows()
    with pytest.raises(CardRefused) as caught:
        write(backend_of(SoftwareCard(quirks=Quirks(refusals={0x47: 0x6A86}))), journal=rows)
    assert (caught.value.step, caught.value.sw) == ("9A.generate", 0x6A86)
    assert rows.rows[-1] == ("after", "9A.generate", 0x6A86)


def test_refused_certificate_is_fatal() -> None:
    """A card that keeps no certificate is of no use."""
    with pytest.raises(CardRefused) as caught:
        write(backend_of(SoftwareCard(quirks=Quirks(refused_objects=frozenset({PivObject.KEY_MANAGEMENT})))))
    assert caught.value.step == "9D.certificate"


@pytest.mark.parametrize("algorithm", [Algorithm.P384, Algorithm.RSA_2048])
def test_other_algorithms_are_proven(algorithm: Algorithm) -> None:
    """Keys of other kinds are made, certified and proven, 9D by agreement or by decryption."""
    profile = SITE.profile(
        algorithms=dict.fromkeys(Slot, Algorithm.P256)
        | {Slot.AUTHENTICATION: algorithm, Slot.KEY_MANAGEMENT: algorithm}
    )
    result = write(backend_of(), profile)
    assert result.verification.proof_of_possession
    assert {slot.slot: slot.algorithm for slot in result.slots}[Slot.KEY_MANAGEMENT] is algorithm


def test_written_card_can_be_written_again() -> None:
    """With the old secrets known a card is written anew, and becomes another GUID."""
    backend = backend_of()
    first = write(backend)
    again = write(backend, new=new_secrets(old_management=(AES_256,), old_puks=(PUK,), known_cipher=AES_256.algorithm))
    assert again.guid != first.guid
    assert again.apdu_count == FULL_ORDER - 2  # nothing to ask: the factory's secrets are not among the old ones


def test_unknown_management_key_locks_and_writes_nothing() -> None:
    """Without the card's management key nothing is written and at most two keys are tried."""
    rows = Rows()
    with pytest.raises(CardLocked) as caught:
        write(backend_of(), new=new_secrets(old_management=(TDES, TDES, TDES)), journal=rows)
    assert caught.value.what == "9B"
    assert rows.rows == []


def test_blocked_pin_locks_and_writes_nothing() -> None:
    """A card whose PIN is blocked is not touched."""
    backend, rows = backend_of(), Rows()
    with backend.open("R") as connection:
        piv = PivSession(ApduChannel(connection))
        piv.select()
        for _ in range(3):
            with pytest.raises(CardError):
                piv.verify("99999999")
    with pytest.raises(CardLocked) as caught:
        write(backend, journal=rows)
    assert caught.value.what == "PIN"
    assert rows.rows == []


def test_last_puk_try_is_never_risked() -> None:
    """With wrong PUKs only, one try stays on the card."""
    backend = backend_of()
    with pytest.raises(CardLocked) as caught:
        write(backend, new=new_secrets(old_puks=("00000001", "00000002", "00000003")))
    assert caught.value.what == "PUK"
    with backend.open("R") as connection:
        piv = PivSession(ApduChannel(connection))
        piv.select()
        piv.reset_pin("12345678", "4711471")


def test_another_card_is_refused() -> None:
    """The card chosen by its identity must be the one in the reader; nothing is written to another."""
    backend, rows = backend_of(), Rows()
    with backend.open("R") as connection:
        chosen = replace(identify(connection), card_guid=uuid.uuid4())
        with pytest.raises(WrongCard):
            Personalizer(SITE).run(ApduChannel(connection), SITE.profile(), new_secrets(), rows, chosen)
    assert rows.rows == []


def test_chosen_card_is_written() -> None:
    """The identity read just before is the card's own."""
    with backend_of(SoftwareCard(quirks=SIMPLE_CARD)).open("R") as connection:
        chosen = identify(connection)
        result = Personalizer(SITE).run(ApduChannel(connection), SITE.profile(), new_secrets(), expected=chosen)
    assert result.verification.read_back


def test_signer_that_ends_too_early_is_refused_before_anything() -> None:
    """A content signer must outlive the card; the card is not touched."""
    connection = ScriptedConnection.of("9000")
    with pytest.raises(ValueError, match="ends before the card"):
        Personalizer(TestSite(years=1)).run(ApduChannel(connection), SITE.profile(), new_secrets())
    assert connection.sent == []


def test_authority_that_certifies_another_key_is_found() -> None:
    """A certificate for another key is never written."""

    class Wrong(TestSite):
        def issue(self, slot: Slot, public_key: PublicKey, guid: uuid.UUID, profile: Profile) -> bytes:
            return super().issue(slot, ec.generate_private_key(ec.SECP256R1()).public_key(), guid, profile)

    rows = Rows()
    with pytest.raises(ValueError, match="another key"):
        write(backend_of(), journal=rows, site=Wrong())
    assert rows.rows[-1][1] == "puk"


@pytest.mark.parametrize("quirks", [Quirks(), Quirks(refusals={0x2C: 0x6D00})], ids=["reset", "no-reset"])
@pytest.mark.parametrize("point", [TearPoint.BEFORE, TearPoint.AFTER])
def test_no_half_card_with_a_certificate_takes_the_factory_pin(quirks: Quirks, point: TearPoint) -> None:
    """Pulled at any APDU: once a certificate is on it, neither 123456 nor the factory's PUK opens the card."""
    certified = 0
    for apdu in range(8, FULL_ORDER + 1):
        card = SoftwareCard(quirks=quirks)
        backend = backend_of(card)
        with backend.open("R") as connection:
            card.arm(Tear(apdu, point))
            with pytest.raises(CardTorn):
                Personalizer(SITE).run(ApduChannel(connection), SITE.profile(), new_secrets(), None)
        with backend.open("R") as connection:
            piv = PivSession(ApduChannel(connection))
            piv.select()
            if not any(piv.get_object(slot.object) for slot in Slot):
                continue
            certified += 1
            with pytest.raises(StatusWordError):
                piv.verify("123456")
            with pytest.raises(StatusWordError):
                piv.change_puk("12345678", "87654321")
    assert certified > 15


@pytest.mark.parametrize("apdu", range(1, FULL_ORDER + 1))
@pytest.mark.parametrize("point", [TearPoint.BEFORE, TearPoint.AFTER])
def test_pulled_card_is_told_and_loses_no_try(apdu: int, point: TearPoint) -> None:
    """Pulled at any APDU: before the first write a broken path, from then on a torn card; its PIN tries stay."""
    card = SoftwareCard()
    backend, rows = backend_of(card), Rows()
    with backend.open("R") as connection:
        card.arm(Tear(apdu, point))
        with pytest.raises(TransportError if apdu <= 7 else CardTorn):
            Personalizer(SITE).run(ApduChannel(connection), SITE.profile(), new_secrets(), rows)
    assert [kind for kind, _, _ in rows.rows].count("before") == max(0, min(apdu, 22) - 7)
    with backend.open("R") as connection:
        assert identify(connection, SITE.authorities).pin_tries == 3


@pytest.mark.parametrize("quirks", [Quirks(longest_command=261), Quirks(longest_command=261, keeps_partial_chain=True)])
def test_card_pulled_inside_a_chain_is_torn(quirks: Quirks) -> None:
    """Between two blocks of a chained object the card is torn in that object's step."""
    card = SoftwareCard(quirks=quirks)
    with backend_of(card).open("R") as connection:
        card.arm(Tear(1, TearPoint.BETWEEN))
        with pytest.raises(CardTorn) as caught:
            Personalizer(SITE).run(ApduChannel(connection), SITE.profile(), new_secrets())
    assert caught.value.step == "chuid"


class Lying(ScriptedConnection):
    """A software card behind a wire that changes its answers."""

    def __init__(self, change: Callable[[bytes, bytes, int], bytes]) -> None:
        inner = backend_of().open("R")
        self.atr = inner.atr
        super().__init__(lambda apdu: change(apdu, inner.transmit(apdu), self.fresh), inner.atr)
        self._inner = inner

    def reconnect_fresh(self) -> None:
        super().reconnect_fresh()
        self._inner.reconnect_fresh()


def unproven(change: Callable[[bytes, bytes, int], bytes]) -> tuple[str, ...]:
    with pytest.raises(CardUnproven) as caught:
        Personalizer(SITE).run(ApduChannel(Lying(change)), SITE.profile(), new_secrets())
    return caught.value.reasons


@pytest.mark.parametrize(
    ("item", "name"),
    [("5fc102", "CHUID"), ("5fc105", "AUTHENTICATION"), ("5fc106", "SECURITY"), ("5fc101", "CARD_AUTHENTICATION")],
)
def test_object_that_reads_back_differently_is_found(item: str, name: str) -> None:
    """One changed byte in an object read in the fresh session is found."""

    def change(apdu: bytes, answer: bytes, fresh: int) -> bytes:
        if fresh and apdu[1] == 0xCB and bytes.fromhex(item) in apdu:
            return answer[:40] + bytes((answer[40] ^ 1,)) + answer[41:]
        return answer

    assert f"{name} reads back differently" in unproven(change)


@pytest.mark.parametrize("slot", [Slot.AUTHENTICATION, Slot.SIGNATURE, Slot.CARD_AUTHENTICATION, Slot.KEY_MANAGEMENT])
def test_key_that_does_not_prove_itself_is_found(slot: Slot) -> None:
    """A card that does not hold the private key of a certificate is found."""

    def change(apdu: bytes, answer: bytes, fresh: int) -> bytes:
        if fresh and apdu[1] == 0x87 and apdu[3] == slot:
            return answer[:-3] + bytes((answer[-3] ^ 1,)) + answer[-2:]
        return answer

    assert f"{slot.label} does not prove its key" in unproven(change)


def test_object_that_vanished_is_found() -> None:
    """An object that was acknowledged and is not there is found."""

    def change(apdu: bytes, answer: bytes, fresh: int) -> bytes:
        return b"\x6a\x82" if fresh and bytes.fromhex("5fc10a") in apdu else answer

    assert "SIGNATURE reads back differently" in unproven(change)


def test_pin_that_was_not_set_is_found() -> None:
    """A card that acknowledges the new PIN and keeps the old one is found, at the cost of one try."""

    def change(apdu: bytes, answer: bytes, fresh: int) -> bytes:
        return b"\x63\xc2" if fresh and apdu[1] == 0x20 else answer

    assert "2 tries left" in " ".join(unproven(change))


def test_chuid_signed_by_a_stranger_is_found() -> None:
    """A content signer that does not lead to the authority is no proof of origin."""
    stranger = TestSite()

    class Mixed(TestSite):
        @property
        def content_signer(self) -> ContentSigner:
            return stranger.content_signer

    with pytest.raises(CardUnproven, match="signer does not lead"):
        write(backend_of(), site=Mixed())


def test_naive_expiry_is_the_callers_mistake() -> None:
    """A card's end needs a time zone."""
    with pytest.raises(ValueError, match="time zone"):
        SITE.profile(expires=datetime.datetime(2029, 1, 1))


@given(st.integers(0, FULL_ORDER - 1), st.binary(max_size=60), st.sampled_from(["replace", "cut", "append", "flip"]))
def test_no_changed_answer_surprises_the_personalization(turn: int, noise: bytes, how: str) -> None:
    """Whatever one answer becomes on its way, the call proves the card or ends in a `CardError`."""
    count = 0

    def change(apdu: bytes, answer: bytes, fresh: int) -> bytes:
        nonlocal count
        count += 1
        if count != turn + 1:
            return answer
        if how == "cut":
            return answer[: len(noise)] + answer[-2:]
        if how == "append":
            return answer[:-2] + noise + answer[-2:]
        if how == "flip":
            return bytes(byte ^ 0x55 for byte in answer[:-2]) + answer[-2:]
        return noise

    try:
        result = Personalizer(SITE).run(ApduChannel(Lying(change)), SITE.profile(), new_secrets())
    except CardError:
        return
    assert result.verification.read_back
    assert result.verification.proof_of_possession


# --- a management key that the card may not take ---


def strict(**changes: object) -> Secrets:
    """Secrets of a site that takes no 3DES key."""
    return new_secrets(management=(AES_256,), **changes)


def test_a_3des_only_card_is_refused_before_anything_else_is_written(tmp_path: Path) -> None:
    """The first changing command is the new 9B; a card that refuses it is to the byte the card that came."""
    path, rows = tmp_path / "card.json", Rows()
    card = SoftwareCard(path, quirks=SIMPLE_CARD)
    came = path.read_bytes()
    with pytest.raises(CardRefused) as caught:
        write(backend_of(card), new=strict(), journal=rows)
    assert (caught.value.step, caught.value.sw) == ("management_key", 0x6700)
    assert [row[:2] for row in rows.rows] == [("before", "management_key"), ("after", "management_key")]
    assert path.read_bytes() == came


def test_a_card_whose_cipher_the_site_takes_gets_its_key_last() -> None:
    """Nothing needs to be tried there: 9B, which opens a torn card, stays the factory's until the end."""
    for quirks, new in ((Quirks(factory_management=0x0C), strict()), (Quirks(), new_secrets())):
        rows = Rows()
        write(backend_of(SoftwareCard(quirks=quirks)), new=new, journal=rows)
        announced = [step for kind, step, _ in rows.rows if kind == "before"]
        assert (announced[0], announced[-1]) == ("chuid", "management_key")


def test_a_key_that_was_tried_first_is_not_set_again() -> None:
    """A 3DES card that takes AES is written and proven; its 9B is changed once, before the CHUID."""
    rows = Rows()
    result = write(backend_of(), new=strict(), journal=rows)
    announced = [step for kind, step, _ in rows.rows if kind == "before"]
    assert announced[:2] == ["management_key", "chuid"]
    assert announced.count("management_key") == 1
    assert result.management_algorithm is ManagementAlgorithm.AES_256
    assert result.verification.proof_of_possession


@pytest.mark.parametrize("refused", [0x47, 0x2C])
def test_a_refusal_after_the_tried_key_gives_the_old_one_back(refused: int) -> None:
    """A card that makes no key has its factory 9B again; one that had its PIN in work keeps the site's, as 9B opens
    it."""
    rows = Rows()
    backend = backend_of(SoftwareCard(quirks=Quirks(refusals={refused: 0x6F00})))
    with pytest.raises(CardRefused) as caught:
        write(backend, new=strict(), journal=rows)
    assert caught.value.step == {0x47: "9A.generate", 0x2C: "pin"}[refused]
    fits = {0x47: FACTORY_MANAGEMENT_KEY, 0x2C: AES_256}[refused]
    with backend.open("R") as connection:
        piv = PivSession(ApduChannel(connection))
        piv.select()
        assert piv.authenticate_management([fits]) is fits
    restored = [step for kind, step, _ in rows.rows if kind == "before"][-1] == RESTORE_KEY
    assert restored is (refused == 0x47)


def test_a_gate_that_refuses_gives_the_old_key_back() -> None:
    """No secret is left on a card that does not meet the demand, and the gate's own error is told."""
    backend = backend_of()

    def refuse(_: KeyProof) -> None:
        raise LookupError("not validated")

    with backend.open("R") as connection, pytest.raises(LookupError, match="not validated"):
        Personalizer(SITE, gate=refuse).run(ApduChannel(connection), SITE.profile(), strict())
    with backend.open("R") as connection:
        piv = PivSession(ApduChannel(connection))
        piv.select()
        assert piv.authenticate_management([FACTORY_MANAGEMENT_KEY]) is FACTORY_MANAGEMENT_KEY
        piv.verify("123456")
    # The card calls the value changed, though it is the published one: only who put it back knows better.
    with pytest.raises(CardLocked, match="not the factory's"):
        write(backend, new=strict())
    assert write(backend, new=strict(key_restored=True)).verification.read_back


def test_a_card_without_metadata_is_asked_for_the_way_to_set_its_key() -> None:
    """A serial number alone does not say that the card knows SET MANAGEMENT KEY: nothing is written without it."""
    card, rows = SoftwareCard(serial=5, quirks=Quirks(refusals={0xFF: 0x6D00, 0xF7: 0x6D00})), Rows()
    with backend_of(card).open("R") as connection:
        chosen = identify(connection)
        with pytest.raises(CardRefused) as caught:
            Personalizer(SITE).run(ApduChannel(connection), SITE.profile(), new_secrets(), rows, chosen)
    assert caught.value.step == "management_key"
    assert rows.rows == []
