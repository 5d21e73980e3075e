"""The software card against SP 800-73-5, command by command."""

import hashlib
import os
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils
from cryptography.hazmat.primitives.ciphers import Cipher, modes
from hypothesis import given
from hypothesis import strategies as st

from hardware.cards.software import SoftwareCard, TrainingMaker
from hardware.cards.tlv import encode, find

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.hardware.cards.software.conftest import Host

PIN = b"123456\xff\xff"
PUK = b"12345678"
FACTORY_KEY = bytes(range(1, 9)) * 3
WRONG = b"999999\xff\xff"


def test_factory_atr_is_the_published_one() -> None:
    """The ATR is the one the design fixes."""
    assert SoftwareCard().atr.hex().upper() == "3BF71100008131FE654152432D53494DE7"


@pytest.mark.parametrize("aid", ["A000000308", "A00000030800001000", "A000000308000010000100"])
def test_select_takes_full_and_truncated_names(aid: str) -> None:
    """PIV is selected by its AID or any right-truncated form that keeps the RID."""
    card = SoftwareCard()
    answer = card.transmit(bytes.fromhex(f"00A40400{len(aid) // 2:02X}{aid}00"))
    assert find(answer[:-2], 0x61, 0x79, 0x4F) == bytes.fromhex("A000000308")


@pytest.mark.parametrize("aid", ["A0000003", "A000000308000010000101", "A00000030800001000010000", "A0000005272001"])
def test_select_refuses_other_names(aid: str) -> None:
    """Unknown and too short names are 6A82."""
    assert SoftwareCard().transmit(bytes.fromhex(f"00A40400{len(aid) // 2:02X}{aid}00")) == b"\x6a\x82"


def test_unknown_select_keeps_the_application_and_its_state(host: "Host") -> None:
    """A refused SELECT leaves PIV selected and the PIN verified."""
    host.verify()
    host.status("00A40400", bytes.fromhex("A0000005272001"))
    assert host.status("00200080") == 0x9000


def test_selecting_piv_again_keeps_the_verified_pin(host: "Host") -> None:
    """SELECT of the application that is selected changes no security state (part 2, 3.1.1)."""
    host.verify()
    host.select()
    assert host.status("00200080") == 0x9000


@pytest.mark.parametrize("loss", ["reset", "power", "other"])
def test_sessions_end_with_power_reset_and_other_applications(host: "Host", loss: str) -> None:
    """PIN and management states do not outlive a reset, a loss of power or another application."""
    host.verify()
    host.authenticate()
    if loss == "reset":
        host.card.reset()
    elif loss == "power":
        host.card.power(False)
        host.card.power(True)
    else:
        host.raw("00A4040008A00000015100000000")
    host.select()
    assert (host.status("00200080"), host.put(0x5FC102, b"x")) == (0x63C3, 0x6982)


def test_cplc_comes_from_the_security_domain() -> None:
    """GET DATA 9F7F with the security domain selected brings 42 bytes with a serial number that is not zero."""
    answer = SoftwareCard().transmit(bytes.fromhex("80CA9F7F00"))
    cplc = find(answer[:-2], 0x9F7F)
    assert cplc is not None
    assert len(cplc) == 42
    assert any(cplc[12:16])


def test_two_cards_have_different_cplc_serials() -> None:
    """Cards are told apart by their CPLC."""
    request = bytes.fromhex("80CA9F7F00")
    assert SoftwareCard().transmit(request) != SoftwareCard().transmit(request)


def test_discovery_object_names_the_application(host: "Host") -> None:
    """Object 7E holds the full AID and a PIN usage policy of the PIV PIN only."""
    body, _ = host.send("00CB3FFF", bytes.fromhex("5C017E"))
    assert body.hex().upper() == "7E124F0BA0000003080000100001005F2F024000"


# References


def test_verify_without_data_tells_the_tries(host: "Host") -> None:
    """The retry counter is asked without spending a try."""
    assert [host.status("00200080") for _ in range(3)] == [0x63C3] * 3


def test_wrong_pins_count_down_to_blocked(host: "Host") -> None:
    """Three wrong PINs answer 63C2, 63C1, 63C0; then even the right one is 6983."""
    assert [host.verify(WRONG) for _ in range(3)] + [host.verify()] == [0x63C2, 0x63C1, 0x63C0, 0x6983]


def test_right_pin_restores_the_counter(host: "Host") -> None:
    """After a success all tries are back."""
    host.verify(WRONG)
    host.verify()
    host.status("0020FF80")
    assert host.status("00200080") == 0x63C3


def test_wrong_pin_takes_the_verified_state_away(host: "Host") -> None:
    """A failed VERIFY ends the state that an earlier one had brought."""
    host.verify()
    host.verify(WRONG)
    assert host.status("00200080") == 0x63C2


def test_verify_ff_resets_the_state(host: "Host") -> None:
    """P1 = FF without data takes the verified state away."""
    host.verify()
    assert (host.status("0020FF80"), host.status("00200080")) == (0x9000, 0x63C3)


def test_malformed_pin_costs_no_try(host: "Host") -> None:
    """A PIN of a wrong length is 6A80 and not counted."""
    assert (host.status("00200080", b"123456"), host.status("00200080")) == (0x6A80, 0x63C3)


def test_change_reference_data_changes_the_pin(host: "Host") -> None:
    """After a change the new PIN is right."""
    host.status("00240080", PIN + b"87654321")
    assert host.verify(b"87654321") == 0x9000


@pytest.mark.parametrize("new", [b"12345\xff\xff\xff", b"12345\xff78", b"abcdef\xff\xff", b"1234567", b""])
def test_malformed_new_pin_is_refused_without_a_try(host: "Host", new: bytes) -> None:
    """Too short, wrongly padded and non-numeric PINs are 6A80 before the old one is looked at."""
    assert (host.status("00240080", WRONG + new), host.status("00200080")) == (0x6A80, 0x63C3)


def test_change_of_puk_counts_wrong_tries(host: "Host") -> None:
    """The PUK has a counter of its own."""
    assert host.status("00240081", WRONG + PUK) == 0x63C2


def test_resume_form_new_new_works_for_the_puk(host: "Host") -> None:
    """Changing the PUK to itself succeeds: how a resumed provision tells which one is set."""
    host.status("00240081", PUK + b"11112222")
    assert host.status("00240081", b"11112222" * 2) == 0x9000


def test_puk_resets_a_blocked_pin(host: "Host") -> None:
    """RESET RETRY COUNTER sets a new PIN though the old one is blocked."""
    for _ in range(3):
        host.verify(WRONG)
    assert (host.status("002C0080", PUK + b"24682468"), host.verify(b"24682468")) == (0x9000, 0x9000)


def test_wrong_puk_blocks_the_puk(host: "Host") -> None:
    """Three wrong PUKs block RESET RETRY COUNTER for ever."""
    wrong = [host.status("002C0080", WRONG + PIN) for _ in range(3)]
    assert [*wrong, host.status("002C0080", PUK + PIN)] == [0x63C2, 0x63C1, 0x63C0, 0x6983]


# Management key


def test_mutual_authentication_opens_writing(host: "Host") -> None:
    """After mutual authentication with the factory key an object can be written."""
    assert (host.put(0x5FC102, b"x"), host.authenticate(), host.put(0x5FC102, b"x")) == (0x6982, 0x9000, 0x9000)


def test_wrong_management_key_is_refused(host: "Host") -> None:
    """A host with another key gets 6982 and may not write."""
    assert (host.authenticate(bytes(24)), host.put(0x5FC102, b"x")) == (0x6982, 0x6982)


def test_external_authentication_opens_writing(host: "Host") -> None:
    """The single form: the card's challenge, encrypted by the host."""
    body, _ = host.send("0087039B", bytes.fromhex("7C028100"))
    answer = Cipher(TripleDES(FACTORY_KEY), modes.ECB()).encryptor().update(find(body, 0x7C, 0x81) or b"")
    assert (host.status("0087039B", encode(0x7C, encode(0x82, answer))), host.put(0x5FC102, b"x")) == (0x9000, 0x9000)


def test_card_answers_no_strangers_challenge(host: "Host") -> None:
    """Internal authentication with 9B is refused: its answer would break the external form."""
    body, _ = host.send("0087039B", bytes.fromhex("7C028100"))
    challenge = find(body, 0x7C, 0x81) or b""
    assert host.status("0087039B", encode(0x7C, encode(0x81, challenge) + encode(0x82))) == 0x6A80


def test_witness_serves_once(host: "Host") -> None:
    """A failed proof uses the witness up: guessing on is 6A80."""
    host.send("0087039B", bytes.fromhex("7C028000"))
    proof = encode(0x7C, encode(0x80, bytes(8)) + encode(0x81, bytes(8)))
    assert (host.status("0087039B", proof), host.status("0087039B", proof)) == (0x6982, 0x6A80)


@pytest.mark.parametrize("algorithm", [0x08, 0x0A, 0x0C])
def test_other_algorithm_is_6a86(host: "Host", algorithm: int) -> None:
    """The algorithm of 9B is found by asking: another type is 6A86."""
    assert host.status(f"0087{algorithm:02X}9B", bytes.fromhex("7C028000")) == 0x6A86


@pytest.mark.parametrize(("algorithm", "size"), [(0x03, 24), (0x08, 16), (0x0A, 24), (0x0C, 32)])
def test_new_management_key_is_used(host: "Host", algorithm: int, size: int) -> None:
    """Each algorithm's key can be set and then authenticates after a reset."""
    key = os.urandom(size)
    host.authenticate()
    assert host.status("00FFFFFF", bytes((algorithm, 0x9B, size)) + key) == 0x9000
    host.card.reset()
    host.select()
    assert host.authenticate(key, algorithm) == 0x9000


def test_management_key_of_wrong_length_is_refused(host: "Host") -> None:
    """An AES-256 key of 24 bytes is 6700."""
    host.authenticate()
    assert host.status("00FFFFFF", bytes((0x0C, 0x9B, 24)) + bytes(24)) == 0x6700


# Objects


@pytest.mark.parametrize("extended", [False, True])
@pytest.mark.parametrize("size", [1, 200, 240, 600, 2500])
def test_objects_are_read_as_written(host: "Host", size: int, extended: bool) -> None:
    """Chained and extended writes give back equal bytes, through response chaining and in one piece."""
    value = os.urandom(size)
    host.authenticate()
    data = bytes.fromhex("5C035FC105") + encode(0x53, value)
    assert host.send("00DB3FFF", data, extended=extended)[1] == 0x9000
    request = bytes.fromhex("5C035FC105")
    assert host.send("00CB3FFF", request, extended=extended) == (encode(0x53, value), 0x9000)


def test_response_chaining_counts_what_is_left(host: "Host") -> None:
    """304 bytes come as 256 with 6130, then 48 with 9000."""
    host.authenticate()
    host.put(0x5FC105, bytes(300))
    first = host.raw("00CB3FFF055C035FC10500")
    second = host.raw("00C0000030")
    assert (len(first) // 2, first[-4:], len(second) // 2, second[-4:]) == (258, "6130", 50, "9000")


def test_empty_value_deletes_the_object(host: "Host") -> None:
    """An object written empty is gone."""
    host.authenticate()
    host.put(0x5FC105, b"abc")
    host.put(0x5FC105, b"")
    assert host.get(0x5FC105)[1] == 0x6A82


@pytest.mark.parametrize("tag", [0x5FC124, 0x5FC100, 0x5FC001, 0x7F6100])
def test_unknown_objects_cannot_be_written(host: "Host", tag: int) -> None:
    """Tags outside the PIV data model are 6A82."""
    host.authenticate()
    assert host.put(tag, b"x") == 0x6A82


def test_too_long_object_is_refused(host: "Host") -> None:
    """More than the card's room is 6A84."""
    host.authenticate()
    assert host.put(0x5FC105, bytes(3072)) == 0x6A84


def test_endless_chain_is_cut(host: "Host") -> None:
    """A chain beyond all objects ends in 6700, not in memory."""
    host.authenticate()
    block = bytes.fromhex("10DB3FFFFF") + bytes(255)
    answers = [host.card.transmit(block) for _ in range(40)]
    assert b"\x67\x00" in answers


def test_printed_information_needs_the_pin(host: "Host") -> None:
    """Object 5FC109 is 6982 before VERIFY."""
    host.authenticate()
    host.put(0x5FC109, b"abc")
    before = host.get(0x5FC109)[1]
    host.verify()
    assert (before, host.get(0x5FC109)[1]) == (0x6982, 0x9000)


def test_block_of_another_command_drops_the_chain(host: "Host") -> None:
    """Half a chain is forgotten when another command comes between."""
    host.authenticate()
    host.raw("10DB3FFF055C035FC105")
    host.get(0x5FC105)
    assert host.status("00DB3FFF", encode(0x53, b"abc")) == 0x6A80


# Keys


@pytest.mark.parametrize(
    ("algorithm", "curve", "digest"), [(0x11, ec.SECP256R1(), "sha256"), (0x14, ec.SECP384R1(), "sha384")]
)
def test_elliptic_keys_sign(host: "Host", algorithm: int, curve: ec.EllipticCurve, digest: str) -> None:
    """A hash signed by 9A verifies under the public key that generation answered."""
    host.authenticate()
    point = find(host.generate(0x9A, algorithm), 0x86) or b""
    host.verify()
    value = hashlib.new(digest, b"message").digest()
    signature, _ = host.sign(0x9A, value, algorithm)
    chosen = utils.Prehashed(hashes.SHA256() if digest == "sha256" else hashes.SHA384())
    ec.EllipticCurvePublicKey.from_encoded_point(curve, point).verify(signature, value, ec.ECDSA(chosen))


@pytest.mark.parametrize(("algorithm", "size"), [(0x07, 256), (0x05, 384)])
def test_rsa_keys_sign_padded_blocks(host: "Host", algorithm: int, size: int) -> None:
    """A PKCS #1 block that the host padded verifies under the generated public key."""
    host.authenticate()
    public = host.generate(0x9E, algorithm)
    modulus, exponent = (int.from_bytes(find(public, tag) or b"", "big") for tag in (0x81, 0x82))
    digest = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(b"message").digest()
    block = b"\0\1" + b"\xff" * (size - len(digest) - 3) + b"\0" + digest
    signature, _ = host.sign(0x9E, block, algorithm)
    rsa.RSAPublicNumbers(exponent, modulus).public_key().verify(
        signature, b"message", padding.PKCS1v15(), hashes.SHA256()
    )


def test_key_management_key_agrees(host: "Host") -> None:
    """9D and an ephemeral key come to one secret."""
    host.authenticate()
    point = find(host.generate(0x9D), 0x86) or b""
    host.verify()
    ephemeral = ec.generate_private_key(ec.SECP256R1())
    own = ephemeral.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    body, _ = host.send("0087119D", encode(0x7C, encode(0x82) + encode(0x85, own)))
    peer = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    assert find(body, 0x7C, 0x82) == ephemeral.exchange(ec.ECDH(), peer)


def test_point_off_the_curve_is_refused(host: "Host") -> None:
    """An invalid point is 6A80 and tells nothing about the key."""
    host.authenticate()
    host.generate(0x9D)
    host.verify()
    assert host.status("0087119D", encode(0x7C, encode(0x82) + encode(0x85, b"\x04" + bytes(64)))) == 0x6A80


def test_authentication_key_needs_the_pin(host: "Host") -> None:
    """9A is 6982 before VERIFY and serves any number of times after it."""
    host.authenticate()
    host.generate(0x9A)
    before = host.sign(0x9A, bytes(32))[1]
    host.verify()
    assert [before, host.sign(0x9A, bytes(32))[1], host.sign(0x9A, bytes(32))[1]] == [0x6982, 0x9000, 0x9000]


def test_signature_key_needs_a_verification_of_its_own(host: "Host") -> None:
    """9C signs once for each VERIFY."""
    host.authenticate()
    host.generate(0x9C)
    host.verify()
    assert [host.sign(0x9C, bytes(32))[1] for _ in range(2)] == [0x9000, 0x6982]


def test_use_of_another_key_spends_the_verification(host: "Host") -> None:
    """A VERIFY that 9A has used does not serve 9C."""
    host.authenticate()
    host.generate(0x9A)
    host.generate(0x9C)
    host.verify()
    host.sign(0x9A, bytes(32))
    assert host.sign(0x9C, bytes(32))[1] == 0x6982


def test_card_authentication_key_needs_no_pin(host: "Host") -> None:
    """9E signs without VERIFY."""
    host.authenticate()
    host.generate(0x9E)
    assert host.sign(0x9E, bytes(32))[1] == 0x9000


def test_keys_are_made_for_the_manager_only(host: "Host") -> None:
    """GENERATE without 9B is 6982."""
    assert host.status("0047009A", bytes.fromhex("AC03800111")) == 0x6982


@pytest.mark.parametrize("request_", ["AC03800106", "AC0380", "AC00", "", "AC06800111AB0102"])
def test_unknown_key_requests_are_refused(host: "Host", request_: str) -> None:
    """RSA-1024, a cut template, none at all and a touch policy are 6A80."""
    host.authenticate()
    assert host.status("0047009A", bytes.fromhex(request_)) == 0x6A80


# Extensions


def test_serial_number_is_answered() -> None:
    """Instruction F8 brings the serial the card was made with."""
    card = SoftwareCard(serial=10_000_001)
    card.transmit(bytes.fromhex("00A4040005A00000030800"))
    assert card.transmit(bytes.fromhex("00F8000000")) == (10_000_001).to_bytes(4, "big") + b"\x90\x00"


def test_card_without_serial_does_not_know_the_instruction() -> None:
    """Without a serial number F8 is 6D00."""
    card = SoftwareCard()
    card.transmit(bytes.fromhex("00A4040005A00000030800"))
    assert card.transmit(bytes.fromhex("00F8000000")) == b"\x6d\x00"


def test_metadata_tells_factory_references(host: "Host") -> None:
    """Factory PIN: default, three of three tries."""
    assert host.send("00F70080")[0].hex().upper() == "0101FF05010106020303"


def test_metadata_of_a_key_holds_its_public_key(host: "Host") -> None:
    """Metadata repeats what generation answered."""
    host.authenticate()
    public = host.generate(0x9A)
    assert find(host.send("00F7009A")[0], 0x04) == public


def test_attestation_chains_to_the_maker(host_of: "Callable[[SoftwareCard], Host]") -> None:
    """The leaf names the generated key and is signed by F9, which the training maker root has signed."""
    maker = TrainingMaker.create()
    host = host_of(SoftwareCard(serial=200, maker=maker))
    host.authenticate()
    point = find(host.generate(0x9A), 0x86)
    leaf = x509.load_der_x509_certificate(host.send("00F99A00")[0])
    signer = x509.load_der_x509_certificate(find(host.get(0x5FFF01)[0], 0x53, 0x70) or b"")
    leaf.verify_directly_issued_by(signer)
    signer.verify_directly_issued_by(maker.certificate)
    encoding = (serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    assert leaf.public_key().public_bytes(*encoding) == point


def test_attestation_carries_the_serial(host_of: "Callable[[SoftwareCard], Host]") -> None:
    """The serial is a DER INTEGER that stays positive."""
    host = host_of(SoftwareCard(serial=200))
    host.authenticate()
    host.generate(0x9A)
    leaf = x509.load_der_x509_certificate(host.send("00F99A00")[0])
    extension = leaf.extensions.get_extension_for_oid(x509.ObjectIdentifier("1.3.6.1.4.1.41482.3.7"))
    assert extension.value.public_bytes().hex() == "020200c8"


def test_attestation_never_claims_fips(host: "Host") -> None:
    """No leaf of a training card carries the FIPS extension."""
    host.authenticate()
    host.generate(0x9A)
    leaf = x509.load_der_x509_certificate(host.send("00F99A00")[0])
    assert "1.3.6.1.4.1.41482.3.10" not in {extension.oid.dotted_string for extension in leaf.extensions}


# Bytes from outside


@given(st.lists(st.binary(max_size=64) | st.binary(max_size=40).map(lambda tail: b"\0\x87\x03\x9b" + tail), max_size=4))
def test_no_bytes_break_the_card(apdus: list[bytes]) -> None:
    """Whatever is sent, the card answers at least a status word."""
    card = SoftwareCard(serial=1)
    card.transmit(bytes.fromhex("00A4040005A00000030800"))
    assert all(len(card.transmit(apdu)) >= 2 for apdu in apdus)


@given(
    st.sampled_from([0x20, 0x24, 0x2C, 0x47, 0x87, 0xCB, 0xDB, 0xF7, 0xF9, 0xFF]),
    st.sampled_from([0x00, 0x03, 0x11, 0x3F, 0x9A, 0xFF]),
    st.sampled_from([0x00, 0x80, 0x81, 0x9A, 0x9B, 0x9C, 0xFF]),
    st.binary(max_size=80) | st.binary(max_size=30).map(lambda inner: encode(0x7C, inner)),
)
def test_no_command_data_breaks_an_open_card(
    host_of: "Callable[[SoftwareCard], Host]", ins: int, p1: int, p2: int, data: bytes
) -> None:
    """With PIN and management key open every handler answers a status word to any data."""
    host = host_of(SoftwareCard(serial=1))
    assert (host.authenticate(), host.verify()) == (0x9000, 0x9000)
    assert len(host.card.transmit(bytes((0, ins, p1, p2, len(data))) + data + b"\0")) >= 2
