"""The PIV session: against the software card, and against cards that answer anything."""

import contextlib
import gzip

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from hypothesis import given
from hypothesis import strategies as st

from hardware.cards import tlv
from hardware.cards.apdu import ApduChannel
from hardware.cards.backend import CardError, CardLocked, ProtocolError, StatusWordError
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.piv import (
    FACTORY_MANAGEMENT_KEY,
    FACTORY_PIN,
    GZIP_ABOVE,
    MAX_CERTIFICATE,
    Algorithm,
    ManagementAlgorithm,
    ManagementCommand,
    ManagementKey,
    PivObject,
    PivSession,
    ReferenceMetadata,
    Slot,
    application_label,
    certificate_object,
    parse_certificate,
    parse_public_key,
    pin_block,
)
from hardware.cards.profile import factory_management_keys
from hardware.cards.software import Quirks, SoftwareCard
from tests.hardware.cards.card_site import AES_256, TDES, ScriptedConnection


def session(card: SoftwareCard | None = None) -> PivSession:
    backend = InProcessBackend(["R"])
    backend.insert("R", card or SoftwareCard())
    piv = PivSession(ApduChannel(backend.open("R")))
    piv.select()
    return piv


def test_absent_object_is_none() -> None:
    """6A82 is an answer: the card has no such object."""
    assert session().get_object(PivObject.AUTHENTICATION) is None


def test_object_reads_back_as_written() -> None:
    """Contents go to the card and come back without their wrapping."""
    piv = session()
    piv.authenticate_management([FACTORY_MANAGEMENT_KEY])
    piv.put_object(PivObject.CCC, b"\xf0\x01\x02")
    assert piv.get_object(PivObject.CCC) == b"\xf0\x01\x02"


@pytest.mark.parametrize("cipher", list(ManagementAlgorithm))
def test_management_key_cipher_is_found_by_asking(cipher: ManagementAlgorithm) -> None:
    """Whatever cipher the card's key has, the fitting key is used."""
    piv = session(SoftwareCard(quirks=Quirks(factory_management=cipher)))
    assert piv.authenticate_management(factory_management_keys()).algorithm is cipher


def test_known_cipher_costs_no_probe() -> None:
    """With the cipher known the authentication is two APDUs."""
    piv = session(SoftwareCard(quirks=Quirks(factory_management=0x0C)))
    before = piv.channel.trace.apdus
    piv.authenticate_management(factory_management_keys(), ManagementAlgorithm.AES_256)
    assert piv.channel.trace.apdus - before == 2


def test_second_management_key_is_tried() -> None:
    """A wrong first key is followed by one more."""
    assert session().authenticate_management([TDES, FACTORY_MANAGEMENT_KEY]) is FACTORY_MANAGEMENT_KEY


def test_third_management_key_is_never_tried() -> None:
    """After two wrong keys the card is left alone, even if the third would fit."""
    piv = session()
    with pytest.raises(CardLocked):
        piv.authenticate_management([TDES, TDES, FACTORY_MANAGEMENT_KEY])


def test_no_key_of_the_cards_cipher_is_told() -> None:
    """If no known key has the card's cipher nothing is tried."""
    with pytest.raises(CardLocked):
        session().authenticate_management([AES_256])


def test_card_that_cannot_prove_its_key_is_refused() -> None:
    """A card that accepts our proof but does not know the key is no card of ours."""
    witness = "7C0A8008" + "11" * 8 + "9000"
    connection = ScriptedConnection.of(witness, "7C0A8208" + "22" * 8 + "9000")
    with pytest.raises(CardLocked):
        PivSession(ApduChannel(connection)).authenticate_management([TDES])


def test_wrong_pin_tells_the_tries_left() -> None:
    """A wrong PIN is a refusal with its counter."""
    with pytest.raises(StatusWordError, match="2 tries left") as caught:
        session().verify("99999999")
    assert caught.value.tries == 2


def test_blocked_pin_is_locked() -> None:
    """The third wrong PIN locks the card."""
    piv = session()
    for _ in range(2):
        with pytest.raises(StatusWordError):
            piv.verify("99999999")
    with pytest.raises(CardLocked):
        piv.verify("99999999")
    assert piv.pin_tries() == 0


def test_asking_for_tries_costs_none() -> None:
    """VERIFY without data leaves the counter alone."""
    piv = session()
    assert [piv.pin_tries() for _ in range(5)] == [3] * 5


def test_reset_by_puk_needs_no_old_pin() -> None:
    """RESET RETRY COUNTER sets a PIN that verifies."""
    piv = session()
    piv.reset_pin("12345678", "4711081")
    piv.verify("4711081")


@pytest.mark.parametrize("secret", ["12345", "123456789", ""])
def test_pin_of_impossible_length_is_the_callers_mistake(secret: str) -> None:
    """PIN and PUK have 6 to 8 characters."""
    with pytest.raises(ValueError, match="6 to 8"):
        pin_block(secret)


@pytest.mark.parametrize("algorithm", [Algorithm.P256, Algorithm.P384])
def test_key_made_on_the_card_signs_and_agrees(algorithm: Algorithm) -> None:
    """The card's answers fit the public keys it gave."""
    piv = session()
    piv.authenticate_management([FACTORY_MANAGEMENT_KEY])
    key, agreement = piv.generate(Slot.AUTHENTICATION, algorithm), piv.generate(Slot.KEY_MANAGEMENT, algorithm)
    assert isinstance(key, ec.EllipticCurvePublicKey)
    assert isinstance(agreement, ec.EllipticCurvePublicKey)
    piv.verify(FACTORY_PIN)
    hashed = hashes.SHA256() if algorithm is Algorithm.P256 else hashes.SHA384()
    digest = bytes(range(hashed.digest_size))
    key.verify(piv.sign(Slot.AUTHENTICATION, algorithm, digest), digest, ec.ECDSA(Prehashed(hashed)))
    peer = ec.generate_private_key(key.curve)
    assert piv.agree(Slot.KEY_MANAGEMENT, algorithm, peer.public_key()) == peer.exchange(ec.ECDH(), agreement)


def test_rsa_key_of_another_size_is_refused() -> None:
    """A card asked for 2048 bits that answers with 1024 is not believed."""
    numbers = rsa.generate_private_key(public_exponent=65537, key_size=1024).public_key().public_numbers()
    template = tlv.encode(0x7F49, tlv.encode(0x81, numbers.n.to_bytes(128, "big")) + tlv.encode(0x82, b"\x01\x00\x01"))
    with pytest.raises(ProtocolError):
        parse_public_key(Algorithm.RSA_2048, template)


def test_management_key_does_not_show_itself() -> None:
    """`repr` of a key has no key in it."""
    assert AES_256.value.hex() not in repr(AES_256)
    assert repr(AES_256.value) not in repr(AES_256)


def test_management_key_of_wrong_length_is_refused() -> None:
    """A key must have its cipher's length."""
    with pytest.raises(ValueError, match="32 bytes"):
        ManagementKey(ManagementAlgorithm.AES_256, bytes(24))


@given(st.binary(min_size=1, max_size=4000))
def test_certificate_survives_its_container(der: bytes) -> None:
    """What is put into a container comes out of it, packed or not."""
    assert parse_certificate(certificate_object(der)) == der


def test_long_certificates_are_packed() -> None:
    """Above the container's size the certificate is compressed and marked so."""
    content = certificate_object(bytes(GZIP_ABOVE + 1))
    assert tlv.find(content, 0x71) == b"\x01"
    assert len(content) < 100


def test_certificate_bomb_is_bounded() -> None:
    """A few bytes that unpack to megabytes are refused at 64 KiB."""
    bomb = tlv.encode(0x70, gzip.compress(bytes(50 * MAX_CERTIFICATE))) + tlv.encode(0x71, b"\x01")
    with pytest.raises(ProtocolError):
        parse_certificate(bomb)


@given(st.binary(max_size=200), st.sampled_from([b"\x00", b"\x01"]))
def test_broken_certificate_container_is_a_card_error(body: bytes, info: bytes) -> None:
    """Broken compression and broken TLV are `ProtocolError`, never another exception."""
    for content in (body, tlv.encode(0x70, body) + tlv.encode(0x71, info)):
        with contextlib.suppress(ProtocolError):
            parse_certificate(content)


ANSWERS = st.one_of(
    st.binary(max_size=80),
    st.builds(
        lambda data, tag: tlv.encode(tag, data) + b"\x90\x00",
        st.binary(max_size=60),
        st.sampled_from([0x7C, 0x53, 0x7F49]),
    ),
    st.builds(
        lambda data, tag: tlv.encode(0x7C, tlv.encode(tag, data)) + b"\x90\x00",
        st.binary(max_size=60),
        st.sampled_from([0x80, 0x82, 0x86]),
    ),
    st.builds(lambda data: tlv.encode(0x7F49, tlv.encode(0x86, data)) + b"\x90\x00", st.binary(max_size=70)),
)
PEER = ec.generate_private_key(ec.SECP256R1()).public_key()
METHODS = {
    "select": lambda piv: piv.select(),
    "get_object": lambda piv: piv.get_object(PivObject.CHUID),
    "discovery": lambda piv: piv.get_object(PivObject.DISCOVERY),
    "put_object": lambda piv: piv.put_object(PivObject.CHUID, bytes(600)),
    "pin_tries": lambda piv: piv.pin_tries(),
    "verify": lambda piv: piv.verify("123456"),
    "change_pin": lambda piv: piv.change_pin("123456", "1234567"),
    "change_puk": lambda piv: piv.change_puk("123456", "1234567"),
    "reset_pin": lambda piv: piv.reset_pin("12345678", "1234567"),
    "authenticate": lambda piv: piv.authenticate_management([TDES, AES_256]),
    "set_management_key": lambda piv: piv.set_management_key(AES_256),
    "generate": lambda piv: piv.generate(Slot.AUTHENTICATION, Algorithm.P256),
    "generate_rsa": lambda piv: piv.generate(Slot.AUTHENTICATION, Algorithm.RSA_2048),
    "sign": lambda piv: piv.sign(Slot.AUTHENTICATION, Algorithm.P256, bytes(32)),
    "agree": lambda piv: piv.agree(Slot.KEY_MANAGEMENT, Algorithm.P256, PEER),
    "read_certificate": lambda piv: piv.read_certificate(Slot.AUTHENTICATION),
    "serial": lambda piv: piv.serial(),
}


@given(st.sampled_from(sorted(METHODS)), st.lists(ANSWERS, min_size=1, max_size=5))
def test_no_card_bytes_surprise_the_session(method: str, answers: list[bytes]) -> None:
    """Whatever a card answers, every method ends with a value or a `CardError`."""
    piv = PivSession(ApduChannel(ScriptedConnection.of(*(answer.hex() for answer in answers))))
    with contextlib.suppress(CardError):
        METHODS[method](piv)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("010103" "02020001" "050101" "9000", ReferenceMetadata(True, None, ManagementAlgorithm.TDES)),
        ("0101FF" "050100" "06020302" "9000", ReferenceMetadata(False, 2, None)),
        ("0101FF" "050101" "06020300" "9000", ReferenceMetadata(True, 0, None)),
        ("0101FF" "050101" "060103" "9000", ReferenceMetadata(True, None, None)),
        ("0101FF" "050102" "9000", None),
        ("0101FF" "9000", None),
        ("0101" "9000", None),
        ("6D00", None),
        ("6A86", None),
    ],
)  # fmt: skip
def test_metadata_is_what_the_card_says_and_nothing_else(answer: str, expected: ReferenceMetadata | None) -> None:
    """Factory or not, tries, cipher; a card that says none of it, or nonsense, has said nothing."""
    connection = ScriptedConnection.of(answer)
    assert PivSession(ApduChannel(connection)).metadata(0x9B) == expected
    assert connection.sent[0][:4] == bytes.fromhex("00F7009B")


@pytest.mark.parametrize(
    ("command", "sent"),
    [
        (ManagementCommand.SET_MANAGEMENT_KEY, "00FFFFFF230C9B20"),
        (ManagementCommand.CHANGE_REFERENCE_DATA, "00240C9B2430228020"),
    ],
)
def test_a_management_key_goes_as_its_card_takes_it(command: ManagementCommand, sent: str) -> None:
    """Yubico's instruction, or CHANGE REFERENCE DATA of 9B with the cipher as P1 (OpenFIPS201)."""
    connection = ScriptedConnection.of("9000")
    PivSession(ApduChannel(connection)).set_management_key(AES_256, command)
    assert connection.sent[0].hex().upper().startswith(sent)
    assert connection.sent[0].endswith(AES_256.value)


@pytest.mark.parametrize(
    ("template", "label"),
    [("610F500B4F70656E46495053323031" + "7900", b"OpenFIPS201"), ("6100", None), ("62025000", None), ("61", None)],
)
def test_the_application_label_is_read_where_there_is_one(template: str, label: bytes | None) -> None:
    """Tag 50 of the property template; anything else is no label."""
    assert application_label(bytes.fromhex(template)) == label
