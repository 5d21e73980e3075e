"""Independent programs accept the software card through pcscd as they accept a real one."""

import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from yubikit.core import TRANSPORT
from yubikit.core.smartcard import SmartCardConnection
from yubikit.piv import KEY_TYPE, MANAGEMENT_KEY_TYPE, OBJECT_ID, SLOT, PivSession

from hardware.cards.software import SoftwareCard

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes

    from tests.conftest import PcscService

FACTORY_KEY = bytes(range(1, 9)) * 3


def run(*command: str) -> str:
    """Run one peer to its end; what it said. The test fails if it is not installed or not content."""
    if shutil.which(command[0]) is None:
        pytest.fail("card tests need: apt-get install opensc yubico-piv-tool openssl")
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def certify(public: "CertificatePublicKeyTypes") -> x509.Certificate:
    """A certificate of a test authority for a key of the card."""
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Training Person 07")]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "TRAINING authority")]))
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .sign(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256())
    )


class InProcess(SmartCardConnection):
    """yubikit's connection straight to the card."""

    def __init__(self, card: SoftwareCard) -> None:
        self.card = card

    @property
    def transport(self) -> TRANSPORT:
        """As if by wire."""
        return TRANSPORT.USB

    def send_and_receive(self, apdu: bytes) -> tuple[bytes, int]:
        """One APDU and its answer."""
        answer = self.card.transmit(apdu)
        return answer[:-2], int.from_bytes(answer[-2:], "big")


@pytest.fixture(scope="module")
def written(pcscd: "PcscService", tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A card in the reader that yubico-piv-tool has given a key and a certificate in 9A; the certificate's file."""
    folder = tmp_path_factory.mktemp("peers")
    with pcscd.inserted(SoftwareCard(serial=10_000_001)):
        tool = ("yubico-piv-tool", "-r", "Virtual", "-s", "9a")
        run(*tool, "-A", "ECCP256", "-a", "generate", "-o", str(folder / "public.pem"))
        public = serialization.load_pem_public_key((folder / "public.pem").read_bytes())
        assert isinstance(public, ec.EllipticCurvePublicKey)
        certificate = folder / "certificate.pem"
        certificate.write_bytes(certify(public).public_bytes(Encoding.PEM))
        run(*tool, "-a", "import-certificate", "-i", str(certificate))
        yield certificate


def test_yubico_piv_tool_reads_the_status(written: Path) -> None:
    """Version, serial, the certificate in 9A and the PIN's tries."""
    said = run("yubico-piv-tool", "-r", "Virtual", "-a", "status")
    assert all(text in said for text in ("5.7.0", "10000001", "Slot 9a", "Training Person 07", "PIN tries left:\t3"))


def test_yubico_piv_tool_verifies_the_pin(written: Path) -> None:
    """The factory PIN is right."""
    assert "Successfully verified PIN" in run("yubico-piv-tool", "-r", "Virtual", "-a", "verify-pin", "-P", "123456")


def test_yubico_piv_tool_tests_a_signature(written: Path) -> None:
    """A signature of 9A verifies under the imported certificate."""
    tool = ("yubico-piv-tool", "-r", "Virtual", "-s", "9a", "-P", "123456", "-i", str(written))
    assert "Successful ECDSA verification" in run(*tool, "-a", "verify-pin", "-a", "test-signature")


def test_yubico_piv_tool_checks_the_attestation(written: Path) -> None:
    """The attestation of 9A is a certificate it can print."""
    assert "BEGIN CERTIFICATE" in run("yubico-piv-tool", "-r", "Virtual", "-s", "9a", "-a", "attest")


def test_yubico_piv_tool_sets_the_management_key(pcscd: "PcscService") -> None:
    """A new 3DES management key replaces the factory's."""
    with pcscd.inserted(SoftwareCard(), slot=1):
        tool = ("yubico-piv-tool", "-r", "Virtual PCD 00 01")
        new = "a1a2a3a4a5a6a7a8b1b2b3b4b5b6b7b8c1c2c3c4c5c6c7c8"
        run(*tool, "-a", "set-mgm-key", "-n", new)
        assert "Successfully" in run(*tool, f"--key={new}", "-a", "set-chuid")


def test_opensc_names_the_card(written: Path) -> None:
    """OpenSC finds its PIV driver by the application, not by the ATR."""
    assert "Personal Identity Verification Card" in run("opensc-tool", "-n")


def test_opensc_lists_the_certificate(written: Path) -> None:
    """pkcs15-tool shows the certificate of 9A."""
    assert "Certificate for PIV Authentication" in run("pkcs15-tool", "-c")


def test_pkcs11_signature_verifies_with_openssl(written: Path, tmp_path: Path) -> None:
    """ECDSA through OpenSC's PKCS #11 module, checked by openssl."""
    message, signature, public = tmp_path / "message", tmp_path / "signature", tmp_path / "public.pem"
    message.write_bytes(bytes(range(32)))
    certificate = x509.load_pem_x509_certificate(written.read_bytes())
    public.write_bytes(
        certificate.public_key().public_bytes(Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    files = ("-i", str(message), "-o", str(signature))
    run("pkcs11-tool", "-l", "-p", "123456", "-s", "-m", "ECDSA", "--signature-format", "openssl", "--id", "01", *files)
    verify = ("openssl", "pkeyutl", "-verify", "-pubin", "-inkey", str(public))
    assert "Verified Successfully" in run(*verify, "-in", str(message), "-sigfile", str(signature))


def test_yubikit_writes_a_card() -> None:
    """yubikit's session authenticates, makes a key, writes and reads its certificate."""
    session = PivSession(InProcess(SoftwareCard(serial=7)))
    session.authenticate(FACTORY_KEY)
    certificate = certify(session.generate_key(SLOT.SIGNATURE, KEY_TYPE.ECCP384))
    session.put_certificate(SLOT.SIGNATURE, certificate, compress=True)
    assert session.get_certificate(SLOT.SIGNATURE) == certificate


@pytest.mark.parametrize("slot", [SLOT.AUTHENTICATION, SLOT.SIGNATURE, SLOT.KEY_MANAGEMENT, SLOT.CARD_AUTH])
def test_yubikit_signs_with_every_slot(slot: SLOT) -> None:
    """ECDSA with P-256 after one VERIFY."""
    session = PivSession(InProcess(SoftwareCard()))
    session.authenticate(FACTORY_KEY)
    public = session.generate_key(slot, KEY_TYPE.ECCP256)
    session.verify_pin("123456")
    signature = session.sign(slot, KEY_TYPE.ECCP256, b"message", hashes.SHA256())
    assert isinstance(public, ec.EllipticCurvePublicKey)
    public.verify(signature, b"message", ec.ECDSA(hashes.SHA256()))


def test_yubikit_decrypts_with_rsa() -> None:
    """What was encrypted for 9D comes back through the card."""
    session = PivSession(InProcess(SoftwareCard()))
    session.authenticate(FACTORY_KEY)
    public = session.generate_key(SLOT.KEY_MANAGEMENT, KEY_TYPE.RSA2048)
    session.verify_pin("123456")
    cipher = public.encrypt(b"secret", padding.PKCS1v15())
    assert session.decrypt(SLOT.KEY_MANAGEMENT, cipher, padding.PKCS1v15()) == b"secret"


def test_yubikit_agrees_on_a_secret() -> None:
    """ECDH with 9D."""
    session = PivSession(InProcess(SoftwareCard()))
    session.authenticate(FACTORY_KEY)
    public = session.generate_key(SLOT.KEY_MANAGEMENT, KEY_TYPE.ECCP256)
    session.verify_pin("123456")
    own = ec.generate_private_key(ec.SECP256R1())
    assert isinstance(public, ec.EllipticCurvePublicKey)
    assert session.calculate_secret(SLOT.KEY_MANAGEMENT, own.public_key()) == own.exchange(ec.ECDH(), public)


def test_yubikit_sets_an_aes_management_key() -> None:
    """A new session finds the type of the new key by metadata and authenticates with it."""
    card = SoftwareCard()
    session = PivSession(InProcess(card))
    session.authenticate(FACTORY_KEY)
    session.set_management_key(MANAGEMENT_KEY_TYPE.AES256, bytes(range(32)))
    card.reset()
    again = PivSession(InProcess(card))
    again.authenticate(bytes(range(32)))
    again.put_object(OBJECT_ID.CAPABILITY, b"\x01\x00")
    assert again.get_object(OBJECT_ID.CAPABILITY) == b"\x01\x00"


def test_yubikit_unblocks_the_pin() -> None:
    """PIN and PUK are changed and used by yubikit's own forms."""
    session = PivSession(InProcess(SoftwareCard()))
    session.change_puk("12345678", "87654321")
    session.unblock_pin("87654321", "246824")
    session.change_pin("246824", "13571357")
    session.verify_pin("13571357")
    assert session.get_pin_metadata().attempts_remaining == 3
