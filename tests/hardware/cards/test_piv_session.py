"""The PIV session: against the software card, and against cards that answer anything."""

import contextlib
import gzip

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from hardware.cards import tlv
from hardware.cards.apdu import ApduChannel
from hardware.cards.backend import CardError, CardLocked, ProtocolError, StatusWordError
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.piv import (
    FACTORY_MANAGEMENT_KEY,
    FACTORY_PIN,
    FACTORY_PUK,
    GZIP_ABOVE,
    MANAGEMENT_REFERENCE,
    MAX_CERTIFICATE,
    PUK_REFERENCE,
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
    spki,
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


@pytest.mark.parametrize(("algorithm", "bits"), [(Algorithm.RSA_2048, 2048), (Algorithm.RSA_3072, 3072)])
def test_rsa_key_is_modulus_81_and_exponent_82(algorithm: Algorithm, bits: int) -> None:
    """SP 800-73-5 part 2, table 18; one bit less is another size."""
    modulus = (1 << bits) - 1
    template = tlv.encode(0x81, modulus.to_bytes(bits // 8, "big")) + tlv.encode(0x82, b"\x01\x00\x01")
    key = parse_public_key(algorithm, tlv.encode(0x7F49, template))
    assert isinstance(key, rsa.RSAPublicKey)
    assert (key.public_numbers().n, key.public_numbers().e) == (modulus, 65537)
    for half in (tlv.encode(0x81, b"\x01"), tlv.encode(0x82, b"\x03"), b""):
        with pytest.raises(ProtocolError):
            parse_public_key(algorithm, tlv.encode(0x7F49, half))


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
    "sets_management_key": lambda piv: piv.sets_management_key(),
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


# --- what goes to the card, to the byte of SP 800-73-5 part 2 ---

POINT = "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296" + (
    "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
)
GENERATED = "7f49438641" + POINT + "9000"
DONE = "9000"


def scripted(*answers: str | Exception) -> tuple[PivSession, ScriptedConnection]:
    connection = ScriptedConnection.of(*answers)
    return PivSession(ApduChannel(connection)), connection


@pytest.mark.parametrize(
    ("method", "answer", "sent"),
    [
        ("get_object", "53009000", "00CB3FFF0000055C035FC1020000"),
        ("discovery", "7E009000", "00CB3FFF0000035C017E0000"),
        ("pin_tries", "63C3", "00200080"),
        ("verify", DONE, "0020008008313233343536FFFF"),
        ("change_pin", DONE, "0024008010313233343536FFFF31323334353637FF"),
        ("change_puk", DONE, "0024008110313233343536FFFF31323334353637FF"),
        ("reset_pin", DONE, "002C008010313233343536373831323334353637FF"),
        ("generate", GENERATED, "0047009A000005AC038001110000"),
        ("sign", "7C0482021234" + DONE, "0087119A267C2482008120" + "00" * 32),
        ("agree", "7C0482021234" + DONE, "0087119D477C458200854104"),
        ("serial", "00000007" + DONE, "00F8000000"),
        ("sets_management_key", "6D00", "00FFFFFF"),
    ],
)
def test_a_command_is_the_standards(method: str, answer: str, sent: str) -> None:
    """Class, instruction, parameters, length and data; what follows is the length of the answer alone."""
    piv, connection = scripted(answer)
    METHODS[method](piv)
    command = connection.sent[0].hex().upper()
    assert command.startswith(sent)
    assert method == "agree" or len(command) - len(sent) <= 2


def test_an_object_is_written_by_put_data() -> None:
    """Its tag in 5C and its contents in 53."""
    piv, connection = scripted(DONE)
    piv.put_object(PivObject.PRINTED, b"\x01\x02")
    assert connection.sent[0].hex().upper() == "00DB3FFF095C035FC10953020102"


def test_the_standards_numbers() -> None:
    """SP 800-73-5 part 1, tables 3 and 4b, and SP 800-78-5, table 9: tags, key references, algorithms."""
    assert [f"{one.name} {one.tag.hex()}" for one in PivObject] == [
        "CARD_AUTHENTICATION 5fc101",
        "CHUID 5fc102",
        "AUTHENTICATION 5fc105",
        "SECURITY 5fc106",
        "CCC 5fc107",
        "PRINTED 5fc109",
        "SIGNATURE 5fc10a",
        "KEY_MANAGEMENT 5fc10b",
        "KEY_HISTORY 5fc10c",
        "DISCOVERY 7e",
    ]
    assert [(slot.label, slot.object.tag.hex()) for slot in Slot] == [
        ("9A", "5fc105"),
        ("9C", "5fc10a"),
        ("9D", "5fc10b"),
        ("9E", "5fc101"),
    ]
    assert [(one.label, int(one), one.bits, one.is_rsa) for one in Algorithm] == [
        ("RSA-3072", 0x05, 3072, True),
        ("RSA-2048", 0x07, 2048, True),
        ("P-256", 0x11, 256, False),
        ("P-384", 0x14, 384, False),
    ]
    assert [(one.name, int(one), one.key_length, one.block) for one in ManagementAlgorithm] == [
        ("TDES", 0x03, 24, 8),
        ("AES_128", 0x08, 16, 16),
        ("AES_192", 0x0A, 24, 16),
        ("AES_256", 0x0C, 32, 16),
    ]
    assert (PUK_REFERENCE, MANAGEMENT_REFERENCE) == (0x81, 0x9B)
    assert FACTORY_MANAGEMENT_KEY.value.hex() == "010203040506070801020304050607080102030405060708"
    assert (FACTORY_PIN, FACTORY_PUK) == ("123456", "12345678")


@pytest.mark.parametrize(("secret", "block"), [("123456", "313233343536ffff"), ("12345678", "3132333435363738")])
def test_a_pin_is_padded_with_ff_to_8_bytes(secret: str, block: str) -> None:
    """SP 800-73-5 part 2, 2.4.3: six characters and eight are PINs."""
    assert pin_block(secret).hex() == block


# --- what the card's answers mean ---


def test_an_object_comes_without_its_wrapping() -> None:
    """53 is every object's but the discovery object's, which carries its own tag; empty is none."""
    for object_id, answer, expected in (
        (PivObject.CHUID, "53020102" + DONE, b"\x01\x02"),
        (PivObject.CHUID, "53020102" + "6282", b"\x01\x02"),
        (PivObject.DISCOVERY, "7E020102" + DONE, b"\x01\x02"),
        (PivObject.CHUID, "5300" + DONE, None),
        (PivObject.CHUID, "6A82", None),
        (PivObject.CHUID, "6A88", None),
    ):
        assert scripted(answer)[0].get_object(object_id) == expected
    with pytest.raises(ProtocolError):
        scripted("7E020102" + DONE)[0].get_object(PivObject.CHUID)
    for refusal in ("6982", "6A81"):
        with pytest.raises(StatusWordError) as caught:
            scripted(refusal)[0].get_object(PivObject.CHUID)
        assert (caught.value.sw, caught.value.ins) == (int(refusal, 16), 0xCB)


def test_the_name_that_a_card_knows_is_kept() -> None:
    """The next SELECT asks for no other; where none is known the first refusal is told."""
    piv, connection = scripted("6A82", "6100" + DONE)
    assert piv.select() == b"\x61\x00"
    piv.select()
    assert len(connection.sent) == 3
    assert connection.sent[2] == connection.sent[1] != connection.sent[0]
    with pytest.raises(StatusWordError) as caught:
        scripted("6A82", "6985")[0].select()
    assert (caught.value.sw, caught.value.ins) == (0x6A82, 0xA4)


@pytest.mark.parametrize(
    ("answer", "tries"), [("63C0", 0), ("63C1", 1), ("63CF", 15), ("6983", 0), ("9000", None), ("6A88", None)]
)
def test_the_tries_that_are_left(answer: str, tries: int | None) -> None:
    """63CX says X, 6983 none; a verified PIN or another refusal says nothing."""
    assert scripted(answer)[0].pin_tries() == tries


@pytest.mark.parametrize(
    ("method", "ins", "what"),
    [("verify", 0x20, "PIN"), ("change_pin", 0x24, "PIN"), ("change_puk", 0x24, "PUK"), ("reset_pin", 0x2C, "PUK")],
)
def test_a_refused_secret_is_locked_or_wrong(method: str, ins: int, what: str) -> None:
    """Without a try left it is locked, and the error names which of both; else the refusal is told."""
    for answer in ("6983", "63C0"):
        with pytest.raises(CardLocked, match=what):
            METHODS[method](scripted(answer)[0])
    for sw in (0x63C1, 0x6982, 0x6A80):
        with pytest.raises(StatusWordError) as caught:
            METHODS[method](scripted(f"{sw:04X}")[0])
        assert (caught.value.sw, caught.value.ins) == (sw, ins)


@pytest.mark.parametrize(
    ("answer", "known"), [("9000", True), ("6700", True), ("6881", False), ("6882", False), ("6D00", False)]
)
def test_whether_a_card_takes_yubicos_instruction(answer: str, known: bool) -> None:
    """Refused for its missing data it is known; as an instruction, class or channel it is not."""
    assert scripted(answer)[0].sets_management_key() is known
    assert scripted("6E00")[0].sets_management_key() is False


@pytest.mark.parametrize(
    ("answer", "serial"),
    [("00000007" + DONE, 7), ("01" + DONE, 1), (16 * "FF" + DONE, 2**128 - 1)]
    + [(answer, None) for answer in ("00000000" + DONE, DONE, 17 * "01" + DONE, "6D00", "000000076D00")],
)
def test_a_serial_number_is_what_was_told(answer: str, serial: int | None) -> None:
    """1 to 16 bytes; refused, empty or zero is none."""
    assert scripted(answer)[0].serial() == serial


def test_a_certificate_container_has_three_elements() -> None:
    """70, 71 (1 where it is packed) and FE; what fits is not packed."""
    assert certificate_object(b"\x30\x00").hex() == "70023000710100fe00"
    assert [tlv.find(certificate_object(bytes(size)), 0x71) for size in (1856, 1857)] == [b"\x00", b"\x01"]
    assert parse_certificate(bytes.fromhex("70023000")) == b"\x30\x00"
    assert parse_certificate(bytes.fromhex("7002300071020001fe00")) == b"\x30\x00"
    assert parse_certificate(bytes.fromhex("7000710100fe00")) is None
    assert parse_certificate(bytes.fromhex("710100fe00")) is None


def test_a_packed_certificate_is_whole_and_bounded() -> None:
    """64 KiB are taken, one byte more is not; cut off is no certificate."""

    def packed(der: bytes, cut: int = 0) -> bytes:
        body = gzip.compress(der)
        return tlv.encode(0x70, body[: len(body) - cut]) + tlv.encode(0x71, b"\x01")

    assert parse_certificate(packed(bytes(65_536))) == bytes(65_536)
    for content in (packed(bytes(65_537)), packed(bytes(2_000), cut=1), packed(bytes(2_000), cut=9)):
        with pytest.raises(ProtocolError, match="cut off or too long"):
            parse_certificate(content)
    with pytest.raises(ProtocolError, match="compressed certificate is broken"):
        parse_certificate(tlv.encode(0x70, b"\x30\x00") + tlv.encode(0x71, b"\x01"))


def test_a_slot_without_a_certificate_has_none() -> None:
    """An empty object, and a container without one."""
    der = certificate_object(b"\x30\x00")
    assert scripted((tlv.encode(0x53, der) + b"\x90\x00").hex())[0].read_certificate(Slot.SIGNATURE) == b"\x30\x00"
    for answer in ("6A82", "5300" + DONE, "5305710100FE00" + DONE):
        assert scripted(answer)[0].read_certificate(Slot.SIGNATURE) is None


@pytest.mark.parametrize("answer", ["7F4900" + DONE, "7F49438641" + "05" + POINT[2:] + DONE, "5300" + DONE, DONE])
def test_an_answer_without_a_usable_key_is_told(answer: str) -> None:
    """No 7F49, no point, none on the curve."""
    with pytest.raises(ProtocolError, match="no usable public key"):
        scripted(answer)[0].generate(Slot.AUTHENTICATION, Algorithm.P256)


def test_other_elements_of_a_generation_are_passed_over() -> None:
    """The key is in 7F49, whatever stands before it."""
    key = scripted("5F200141" + GENERATED)[0].generate(Slot.AUTHENTICATION, Algorithm.P256)
    assert isinstance(key, ec.EllipticCurvePublicKey)
    assert spki(key) == ec.derive_private_key(1, ec.SECP256R1()).public_key().public_bytes(
        Encoding.DER, PublicFormat.SubjectPublicKeyInfo
    )
    with pytest.raises(ValueError, match="not a key that a card makes"):
        spki(ed25519.Ed25519PrivateKey.generate().public_key())


def test_an_answer_without_its_element_is_told() -> None:
    """A dynamic authentication that ends without 82."""
    with pytest.raises(ProtocolError, match="lacks element 82"):
        scripted("7C0481021234" + DONE)[0].sign(Slot.SIGNATURE, Algorithm.P256, bytes(32))


# --- the management key ---

WITNESS, NONCE = "7C0A8008" + "11" * 8 + DONE, "7C0A8108" + "33" * 8 + DONE


def proven(apdu: bytes) -> str:
    """The card's good answer to our challenge: 81 encrypted under TDES."""
    template = tlv.find(apdu[5 : 5 + apdu[4]], 0x7C)
    assert template is not None
    challenge = tlv.find(template, 0x81)
    assert challenge is not None
    return "7C0A8208" + TDES.encrypt(challenge).hex() + DONE


class Answering:
    """A card that answers the n-th command by the n-th of `answers`; `prove` stands for the good one."""

    def __init__(self, *answers: str) -> None:
        self.rest = list(answers)
        self.connection = ScriptedConnection(self._answer)
        self.piv = PivSession(ApduChannel(self.connection))

    def _answer(self, apdu: bytes) -> bytes:
        one = self.rest.pop(0)
        return bytes.fromhex(proven(apdu) if one == "prove" else one)


def test_mutual_authentication_to_the_byte() -> None:
    """80 asks for a witness, 80 and 81 answer it and challenge the card: part 2, appendix A.1."""
    card = Answering(WITNESS, "prove")
    assert card.piv.authenticate_management([TDES]) is TDES
    sent = [apdu.hex().upper() for apdu in card.connection.sent]
    assert sent[0] == "0087039B047C02800000"
    assert sent[1].startswith("0087039B167C148008" + TDES.decrypt(b"\x11" * 8).hex().upper() + "8108")
    assert len(sent) == 2


def test_a_card_that_wants_an_empty_response_element_gets_it() -> None:
    """The standard's own example (appendix A.2); a new witness is asked for it, and only after 6700, 6A80 or 6A86."""
    for refusal in ("6700", "6A80", "6A86"):
        card = Answering(WITNESS, refusal, WITNESS, "prove")
        assert card.piv.authenticate_management([TDES]) is TDES
        last = card.connection.sent[-1]
        assert (last[4], last[5 : 5 + last[4]][-2:]) == (24, b"\x82\x00")
    for answers in ((WITNESS, "6982"), (WITNESS, "6A80", "6A80"), (WITNESS, "6A80", WITNESS, "6A80")):
        card = Answering(*answers)
        with pytest.raises(CardLocked, match="none of the known management keys fits"):
            card.piv.authenticate_management([TDES])
        assert card.rest == []


@pytest.mark.parametrize(
    "answers", [("6983",), (WITNESS, "6983"), (WITNESS, "6A80", "6983"), ("6A80", "6983"), ("6A80", NONCE, "6983")]
)
def test_a_blocked_management_key_is_locked(answers: tuple[str, ...]) -> None:
    """At whichever step the card says 6983."""
    card = Answering(*answers)
    with pytest.raises(CardLocked, match="blocked"):
        card.piv.authenticate_management([TDES])
    assert card.rest == []


def test_a_card_without_mutual_authentication_is_answered_its_challenge() -> None:
    """81 asks for it, 82 is our proof; what the card then refuses fits no key."""
    card = Answering("6A80", NONCE, DONE)
    assert card.piv.authenticate_management([TDES]) is TDES
    sent = [apdu.hex().upper() for apdu in card.connection.sent]
    assert sent[1] == "0087039B047C02810000"
    assert sent[2] == "0087039B0C7C0A8208" + TDES.encrypt(b"\x33" * 8).hex().upper()
    card = Answering("6A80", NONCE, "6982")
    with pytest.raises(CardLocked, match="none of the known management keys fits"):
        card.piv.authenticate_management([TDES])


@pytest.mark.parametrize("refusal", ["6A80", "6A81", "6A86", "6A88", "6D00", "6985"])
def test_a_refusal_of_the_cipher_is_no_known_key(refusal: str) -> None:
    """The card has a key of another cipher."""
    with pytest.raises(CardLocked, match="a cipher for which no key is known"):
        Answering(refusal, refusal).piv.authenticate_management([TDES])


def test_another_refusal_is_told() -> None:
    """6982 is no word about the cipher; a witness of another length is one, and 6F00 is asked once more."""
    with pytest.raises(StatusWordError) as caught:
        Answering("6982", "6982").piv.authenticate_management([TDES])
    assert (caught.value.sw, caught.value.ins) == (0x6982, 0x87)
    with pytest.raises(CardLocked, match="no key is known"):
        Answering("7C0980071111111111111190" + "00", "6A86").piv.authenticate_management([TDES])
    assert Answering("6F00", WITNESS, "prove").piv.authenticate_management([TDES]) is TDES
    with pytest.raises(StatusWordError):
        Answering("6F00", "6F00", "6F00", "6F00").piv.authenticate_management([TDES])


def test_without_a_key_nothing_is_asked() -> None:
    """No cipher is probed that no key has."""
    card = Answering()
    with pytest.raises(CardLocked, match="no key is known"):
        card.piv.authenticate_management([])
    assert card.connection.sent == []
