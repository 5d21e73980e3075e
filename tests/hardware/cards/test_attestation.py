"""An attestation counts as a whole or not at all, and nothing a card sends is more than a reason."""

import datetime
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from hypothesis import given
from hypothesis import strategies as st

from hardware.cards.apdu import ApduChannel
from hardware.cards.attestation import (
    CARD_MAKERS,
    OID_FIPS,
    OID_FIRMWARE,
    OID_FORM_FACTOR,
    OID_SERIAL,
    Attestation,
    Statement,
    attest,
    attesting_certificate,
    card_makers,
    load_makers,
    verify,
)
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.piv import Algorithm, PivSession, Slot
from hardware.cards.software import SELF_ATTESTING_CARD, SIMPLE_CARD, Quirks, SoftwareCard, TrainingMaker
from hardware.cards.software import AttestationQuirk as Kind
from tests.hardware.cards.card_site import ScriptedConnection, new_secrets
from tests.hardware.cards.makers import SERIAL, Maker, yubico

MAKER = Maker()
KEY = ec.generate_private_key(ec.SECP256R1()).public_key()
TRUE = MAKER.statement(KEY)
PUBLISHED_AT = datetime.datetime(2026, 11, 22, tzinfo=datetime.UTC)


def judged(statement: Statement = TRUE, serial: int | None = SERIAL, maker: Maker = MAKER) -> Attestation:
    return verify(statement, KEY, [maker.root], serial)


def test_true_attestation_is_proven() -> None:
    """Pinned root, this key, this serial: the maker stands for firmware, form and FIPS."""
    found = judged()
    assert found.proven
    assert (found.firmware, found.serial, found.form_factor, found.fips) == ((5, 7, 4), SERIAL, 0x81, True)


def test_intermediate_authorities_may_be_pinned_too() -> None:
    """A maker with an intermediate authority between root and F9."""
    between = ec.generate_private_key(ec.SECP256R1())
    middle = MAKER.certificate("Middle", "Maker root", between.public_key(), MAKER.key, ca=True)
    signer = MAKER.certificate("F9", "Middle", MAKER.signer_key.public_key(), between, ca=True)
    statement = Statement(TRUE.leaf, signer.public_bytes(Encoding.DER))
    assert verify(statement, KEY, [MAKER.root, middle], SERIAL).proven
    assert not verify(statement, KEY, [MAKER.root], SERIAL).proven
    assert not verify(statement, KEY, [middle], SERIAL).proven


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        (Maker().statement(KEY), "pinned maker"),
        (MAKER.statement(ec.generate_private_key(ec.SECP256R1()).public_key()), "another key"),
        (MAKER.statement(KEY, yubico(serial=SERIAL + 1)), "serial number"),
        (MAKER.statement(KEY, {OID_SERIAL: yubico()[OID_SERIAL]}), "no firmware"),
        (MAKER.statement(KEY, {OID_FIRMWARE: b"\x05\x07\x04"}), "serial number"),
        (MAKER.statement(KEY, yubico() | {OID_SERIAL: b"\x02\x02\x47"}), "serial number"),
        (MAKER.statement(KEY, yubico() | {OID_SERIAL: b"\x02\x01\xff"}), "serial number"),
        (Statement(TRUE.leaf[:-1], TRUE.signer), "no certificate"),
        (Statement(TRUE.leaf, TRUE.signer[:-1]), "no certificate"),
        (Statement(b"", b""), "no certificate"),
        (Statement(TRUE.leaf.replace(b"\xa0\x03\x02\x01\x02", b"\xa0\x03\x02\x01\x03"), TRUE.signer), "no certificate"),
        (Statement(TRUE.leaf, Maker().statement(KEY).signer), "did not sign"),
        (Statement(TRUE.leaf, TRUE.leaf), "did not sign"),
        (Statement(TRUE.signer, TRUE.signer), "another key"),
        (Statement(TRUE.leaf, MAKER.root.public_bytes(Encoding.DER)), "did not sign"),
    ],
)
def test_every_gap_is_a_reason(statement: Statement, reason: str) -> None:
    """Foreign root, other key, other serial, cut DER, missing extensions: named, never raised, never proven."""
    found = judged(statement)
    assert not found.proven
    assert reason in "; ".join(found.reasons)


UNSIGNED = "the card's F9 key did not sign it, or is no authority"
UNPINNED = "the F9 certificate does not lead to a pinned maker"
ENDED = "the attestation is not valid now"
OTHER_KEY = "it attests another key"
OTHER_CARD = "its serial number is not the card's"
NO_FIRMWARE = "it names no firmware"


@pytest.mark.parametrize(
    ("statement", "reasons"),
    [
        (TRUE, ()),
        (Maker().statement(KEY), (UNPINNED,)),
        (MAKER.statement(ec.generate_private_key(ec.SECP256R1()).public_key()), (OTHER_KEY,)),
        (MAKER.statement(KEY, yubico(serial=SERIAL + 1)), (OTHER_CARD,)),
        (MAKER.statement(KEY, {OID_SERIAL: yubico()[OID_SERIAL]}), (NO_FIRMWARE,)),
        (MAKER.statement(KEY, yubico() | {OID_FIRMWARE: b"\x05\x07\x04\x01"}), (NO_FIRMWARE,)),
        (MAKER.statement(KEY, {OID_FIRMWARE: b"\x05\x07\x04"}), (OTHER_CARD,)),
        (Statement(TRUE.leaf, Maker().statement(KEY).signer), (UNSIGNED, UNPINNED)),
        (Statement(TRUE.leaf, MAKER.root.public_bytes(Encoding.DER)), (UNSIGNED, UNPINNED)),
        (Statement(b"", b""), ("the attestation is no certificate (ValueError)",)),
    ],
)
def test_a_gap_is_told_by_itself(statement: Statement, reasons: tuple[str, ...]) -> None:
    """What holds is no reason; a firmware is three numbers or none."""
    found = judged(statement)
    assert (found.reasons, found.proven) == (reasons, not reasons)
    assert found.firmware == (None if NO_FIRMWARE in reasons or not statement.leaf else (5, 7, 4))


def test_what_is_proven_names_its_root() -> None:
    """SHA-256 of the root's DER in lower case; none where it leads to none."""
    digest = hashlib.sha256(MAKER.root.public_bytes(Encoding.DER)).hexdigest()
    assert judged().root == digest
    assert verify(TRUE, KEY, [Maker().root, MAKER.root], SERIAL).root == digest
    assert judged(Maker().statement(KEY)).root is None


def test_an_attestation_ends_with_its_leaf() -> None:
    """Both ends are included; the chain above it lasts longer."""
    start, end = (
        datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
        datetime.datetime(2026, 12, 31, tzinfo=datetime.UTC),
    )
    maker = Maker()
    maker._end = end
    statement = maker.statement(KEY)
    for at, reasons in ((end, ()), (end + datetime.timedelta(seconds=1), (ENDED,)), (start, ())):
        assert verify(statement, KEY, [maker.root], SERIAL, at).reasons == reasons


@pytest.mark.parametrize("serial", [0, 1, 2**31])
def test_any_serial_that_is_no_debt_is_one(serial: int) -> None:
    """Zero is a number as any other."""
    found = judged(MAKER.statement(KEY, yubico(serial=serial)), serial)
    assert (found.proven, found.serial) == (True, serial)


@pytest.mark.parametrize(("form", "told"), [(b"", None), (b"\x81", 0x81), (b"\x81\x01", None)])
def test_a_form_factor_is_one_byte(form: bytes, told: int | None) -> None:
    """Anything else is none; it is no reason by itself."""
    found = judged(MAKER.statement(KEY, yubico() | {OID_FORM_FACTOR: form}))
    assert (found.proven, found.form_factor) == (True, told)


def test_a_card_is_asked_as_the_maker_publishes() -> None:
    """INS F9 with the slot in P1; the certificate of F9 is the data object 5FFF01."""
    line = ScriptedConnection.of("AABB9000")
    assert attest(PivSession(ApduChannel(line)), Slot.AUTHENTICATION) == b"\xaa\xbb"
    assert [apdu[:4].hex() for apdu in line.sent] == ["00f99a00"]
    refusing = ScriptedConnection.of("6A80")
    assert attest(PivSession(ApduChannel(refusing)), Slot.SIGNATURE) is None
    assert refusing.sent[0][:4].hex() == "00f99c00"
    asked = ScriptedConnection.of("6A82")
    assert attesting_certificate(PivSession(ApduChannel(asked))) is None
    assert asked.sent[0][:4].hex() == "00cb3fff"
    assert "5c035fff01" in asked.sent[0].hex()


def test_card_that_tells_no_serial_is_not_proven() -> None:
    """The attested serial must be the card's own answer."""
    assert not judged(serial=None).proven


def test_f9_without_ca_mark_is_no_authority() -> None:
    """A certificate below the pinned root that is no authority attests nothing."""
    maker = Maker(ca=False)
    assert not verify(maker.statement(KEY), KEY, [maker.root], SERIAL).proven


def test_leaf_of_an_attested_key_attests_nothing() -> None:
    """A holder's own key, itself attested, cannot pose as an F9 key."""
    mine = ec.generate_private_key(ec.SECP256R1())
    posing = MAKER.leaf(mine.public_key())
    forged = MAKER.certificate("x", "Attestation 9A", KEY, mine, extensions=yubico())
    statement = Statement(forged.public_bytes(Encoding.DER), posing.public_bytes(Encoding.DER))
    assert not judged(statement).proven


def test_pinned_root_itself_attests_nothing() -> None:
    """What the root signs directly is no attestation of a card."""
    leaf = MAKER.certificate("x", "Maker root", KEY, MAKER.key, extensions=yubico())
    statement = Statement(leaf.public_bytes(Encoding.DER), MAKER.root.public_bytes(Encoding.DER))
    assert not judged(statement).proven


def test_nothing_pinned_proves_nothing() -> None:
    """A site that pins no maker has no attested cards."""
    assert not verify(TRUE, KEY, [], SERIAL).proven


def test_ended_chain_proves_nothing() -> None:
    """After the end of its certificates an attestation is worth nothing."""
    later = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=365 * 30)
    assert not verify(TRUE, KEY, [MAKER.root], SERIAL, later).proven


@pytest.mark.parametrize(
    ("mark", "leaf", "form", "fips"),
    [
        pytest.param(b"\x02\x01\x07", None, b"\x81", True, id="on F9, as published"),
        pytest.param(b"\x02\x01\x03", None, None, True, id="on F9, before there was a form factor"),
        pytest.param(None, b"\x02\x01\x07", b"\x81", True, id="on the leaf, as documented"),
        pytest.param(b"", None, b"\x81", True, id="an empty mark is a mark"),
        pytest.param(None, None, b"\x81", False, id="the form factor alone is none"),
        pytest.param(b"\x02\x01\x07", None, b"\x01", False, id="the form factor denies it"),
        pytest.param(b"\x01\x01\x00", None, b"\x81", False, id="F9 says false"),
        pytest.param(b"\x02\x01\x00", None, b"\x81", False, id="F9 says zero"),
        pytest.param(b"\x02\x01\x07", b"\x01\x01\x00", b"\x81", False, id="the leaf denies what F9 says"),
        pytest.param(b"\x01\x01\x00", b"\x02\x01\x07", b"\x81", False, id="F9 denies what the leaf says"),
    ],
)
def test_fips_takes_the_mark_and_the_form_factor(
    mark: bytes | None, leaf: bytes | None, form: bytes | None, fips: bool
) -> None:
    """Two witnesses of the maker; where one denies, the key is none of a validated module, and that is proven."""
    maker = Maker(mark=mark)
    stated = {OID_FORM_FACTOR: form, OID_FIPS: leaf}
    values = {oid: value for oid, value in (yubico() | stated).items() if value is not None}
    found = judged(maker.statement(KEY, values), maker=maker)
    assert (found.proven, found.fips) == (True, fips)


PUBLISHED = json.loads((Path(__file__).parents[2] / "vectors" / "attestations-1.json").read_text())


@pytest.mark.parametrize("chain", PUBLISHED["chains"], ids=lambda chain: str(chain["serial"]))
def test_published_chains_of_real_keys_are_judged_as_their_publishers_say(chain: dict[str, Any]) -> None:
    """Keys of public key ceremonies: proven under the maker's root that this program ships, FIPS or not."""
    leaf, signer = (x509.load_pem_x509_certificate(chain[part].encode()) for part in ("leaf", "f9"))
    statement = Statement(leaf.public_bytes(Encoding.DER), signer.public_bytes(Encoding.DER))
    key = leaf.public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey)
    shipped = [one for maker in card_makers(CARD_MAKERS.read_bytes()) for one in maker.certificates]
    found = verify(statement, key, shipped, chain["serial"], PUBLISHED_AT)
    assert found.reasons == ()
    assert ".".join(map(str, found.firmware or ())) == chain["firmware"]
    assert (found.form_factor, found.fips) == (chain["form_factor"], chain["fips"])
    assert not verify(statement, key, shipped, chain["serial"] + 1, PUBLISHED_AT).proven
    assert not verify(statement, key, [MAKER.root], chain["serial"], PUBLISHED_AT).proven


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_no_bytes_surprise(leaf: bytes, signer: bytes) -> None:
    """Whatever a card sends is judged."""
    assert not judged(Statement(leaf, signer)).proven


@given(st.integers(0, len(TRUE.leaf) * 8 - 1), st.booleans())
def test_no_flipped_bit_of_what_is_signed_is_proven(at: int, of_leaf: bool) -> None:
    """One bit changed in either certificate and nothing is proven, unless what was signed is still the same."""

    def flipped(der: bytes) -> bytes:
        place = at % (len(der) * 8)
        return (int.from_bytes(der, "big") ^ 1 << place).to_bytes(len(der), "big")

    leaf, signer = (flipped(TRUE.leaf), TRUE.signer) if of_leaf else (TRUE.leaf, flipped(TRUE.signer))
    if judged(Statement(leaf, signer)).proven:  # the count of unused bits of a signature is not signed
        before, after = (
            [x509.load_der_x509_certificate(one).tbs_certificate_bytes for one in pair]
            for pair in ((TRUE.leaf, TRUE.signer), (leaf, signer))
        )
        assert before == after


def read(card: SoftwareCard, maker: TrainingMaker) -> Attestation | None:
    """Generate in 9A and ask for its attestation, as personalization does."""
    backend = InProcessBackend(["R"])
    backend.insert("R", card)
    with backend.open("R") as connection:
        piv = PivSession(ApduChannel(connection))
        piv.select()
        piv.authenticate_management(new_secrets().old_management)
        key = piv.generate(Slot.AUTHENTICATION, Algorithm.P256)
        leaf = attest(piv, Slot.AUTHENTICATION)
        if leaf is None:
            return None
        statement = Statement(leaf, attesting_certificate(piv) or b"")
        return verify(statement, key, [maker.certificate], piv.serial())


def test_training_maker_proves_a_card_and_never_fips() -> None:
    """The training root, where a training site pins it, proves key and serial and says nothing of FIPS."""
    maker = TrainingMaker.create()
    found = read(SoftwareCard(serial=77, maker=maker), maker)
    assert found is not None
    assert (found.proven, found.serial, found.fips) == (True, 77, False)


@pytest.mark.parametrize("quirks", [SELF_ATTESTING_CARD, Quirks(attestation=Kind.CUT)], ids=["self-signed", "cut"])
def test_odd_attestations_prove_nothing(quirks: Quirks) -> None:
    """Self-signed with the maker's OIDs and no CA mark, or one byte short: no evidence, no crash."""
    maker = TrainingMaker.create()
    found = read(SoftwareCard(serial=77, quirks=quirks, maker=maker), maker)
    assert found is not None
    assert not found.proven


def test_card_without_attestation_has_none() -> None:
    """A card that refuses F9 has no attestation at all."""
    assert read(SoftwareCard(quirks=SIMPLE_CARD), TrainingMaker.create()) is None


def test_broken_certificate_object_is_an_empty_one() -> None:
    """A card that attests under a certificate nobody can read proves nothing later, and nothing crashes now."""
    assert attesting_certificate(PivSession(ApduChannel(ScriptedConnection.of("5305700301029000")))) == b""
    assert attesting_certificate(PivSession(ApduChannel(ScriptedConnection.of("6982")))) is None


def test_makers_are_read_from_pem() -> None:
    """A file of pinned certificates; one without a root is refused."""
    pem = MAKER.root.public_bytes(Encoding.PEM)
    assert load_makers(pem) == [MAKER.root]
    for wrong in (b"", b"x", MAKER.signer.public_bytes(Encoding.PEM)):
        with pytest.raises(ValueError, match=r"root|PEM"):
            load_makers(wrong)
