"""A card written over PC/SC, judged by programs that share no code with ours."""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from hardware.cards import tlv
from hardware.cards.apdu import ApduChannel
from hardware.cards.pcsc import PcscBackend
from hardware.cards.personalize import Personalizer
from hardware.cards.piv import Slot
from hardware.cards.profile import PersonalizationResult
from hardware.cards.software import SoftwareCard
from tests.hardware.cards.card_site import PIN, TestSite, new_secrets

if TYPE_CHECKING:
    from tests.conftest import PcscService

READER = "Virtual PCD 00 00"
SITE = TestSite()


@dataclass
class Written:
    """The card in the reader and what our side says of it."""

    result: PersonalizationResult
    directory: Path

    def run(self, *command: str | Path) -> str:
        """Run a program that must accept the card; its output."""
        # OpenSC caches what it read of a card by serial number; each run starts without a cache.
        environment = {**os.environ, "HOME": str(self.directory), "XDG_CACHE_HOME": str(self.directory)}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def certificate(self, slot: Slot) -> Path:
        path = self.directory / f"{slot.label}.pem"
        self.run("yubico-piv-tool", "-r", READER, "-a", "read-certificate", "-s", slot.label.lower(), "-o", path)
        return path

    def object(self, object_id: str) -> bytes:
        path = self.directory / object_id
        self.run("yubico-piv-tool", "-r", READER, "-a", "read-object", "--id", object_id, "-f", "binary", "-o", path)
        return path.read_bytes()


@pytest.fixture(scope="module")
def written(pcscd: "PcscService", tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    directory = tmp_path_factory.mktemp("peers")
    (directory / "root.pem").write_bytes(SITE.root.public_bytes(Encoding.PEM))
    (directory / "signer.pem").write_bytes(SITE.content_signer.certificate.public_bytes(Encoding.PEM))
    with pcscd.inserted(SoftwareCard(serial=4711)):
        with PcscBackend().open(READER) as connection:
            result = Personalizer(SITE).run(ApduChannel(connection), SITE.profile(), new_secrets())
        yield Written(result, directory)


def test_yubico_piv_tool_reads_the_status(written: Written) -> None:
    """CHUID, CCC and the four certificates are where the tool looks for them."""
    status = written.run("yubico-piv-tool", "-r", READER, "-a", "status")
    assert written.result.guid.hex in status
    assert all(f"Slot {slot.label.lower()}" in status for slot in Slot)
    assert "PIN tries left:\t3" in status


def test_yubico_piv_tool_verifies_a_signature(written: Written) -> None:
    """The tool signs with 9A after the new PIN and verifies it with the card's certificate."""
    certificate = written.certificate(Slot.AUTHENTICATION)
    output = written.run(
        "yubico-piv-tool",
        "-r",
        READER,
        "-a",
        "verify-pin",
        "-P",
        PIN,
        "-a",
        "test-signature",
        "-s",
        "9a",
        "-i",
        certificate,
    )
    assert "Successful ECDSA verification." in output


def test_yubico_piv_tool_agrees_on_a_key(written: Written) -> None:
    """The tool's ECDH with 9D gives what its certificate says."""
    certificate = written.certificate(Slot.KEY_MANAGEMENT)
    output = written.run(
        "yubico-piv-tool",
        "-r",
        READER,
        "-a",
        "verify-pin",
        "-P",
        PIN,
        "-a",
        "test-decipher",
        "-s",
        "9d",
        "-i",
        certificate,
    )
    assert "Successfully performed ECDH exchange with card." in output


def test_opensc_names_the_card(written: Written) -> None:
    """OpenSC takes it for a PIV card."""
    assert "Personal Identity Verification Card" in written.run("opensc-tool", "-r", READER, "-n")


def test_pkcs15_tool_lists_the_certificates(written: Written) -> None:
    """OpenSC lists all four certificates."""
    output = written.run("pkcs15-tool", "--reader", READER, "-c")
    assert output.count("X.509 Certificate [") == 4


@pytest.mark.parametrize("slot", list(Slot))
def test_openssl_trusts_the_certificates(written: Written, slot: Slot) -> None:
    """Each certificate read by the tool leads to the authority."""
    path = written.certificate(slot)
    assert "OK" in written.run("openssl", "verify", "-CAfile", written.directory / "root.pem", path)


def test_openssl_verifies_the_chuid_read_from_the_card(written: Written) -> None:
    """The CHUID as another program reads it carries a good signature over its other fields."""
    items = tlv.parse(written.object("0x5fc102"))
    signed, signature = written.directory / "chuid", written.directory / "chuid.cms"
    signed.write_bytes(b"".join(bytes(item) for item in items if item.tag != 0x3E))
    signature.write_bytes(next(item.value for item in items if item.tag == 0x3E))
    written.run(
        *("openssl", "cms", "-verify", "-binary", "-inform", "DER", "-in", signature, "-content", signed),
        *("-CAfile", written.directory / "root.pem", "-purpose", "any", "-out", written.directory / "out"),
    )


def test_openssl_verifies_the_security_object_read_from_the_card(written: Written) -> None:
    """The security object as another program reads it carries a good signature by the same signer."""
    path = written.directory / "security.cms"
    path.write_bytes(tlv.find(written.object("0x5fc106"), 0xBB) or b"")
    written.run(
        *("openssl", "cms", "-verify", "-binary", "-inform", "DER", "-in", path),
        *("-certfile", written.directory / "signer.pem", "-CAfile", written.directory / "root.pem"),
        *("-purpose", "any", "-out", written.directory / "out"),
    )
