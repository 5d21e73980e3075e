"""Cards of every key algorithm, written by the real service over PC/SC, in the hands of programs that wrote none."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from hardware.cards.software import SoftwareCard
from tests.hardware.cards.strict_card import Make, StrictCard, elements
from tests.served_site import ServedSite

if TYPE_CHECKING:
    from tests.conftest import PcscService

READER = "Virtual PCD 00 00"
MODULE = "/usr/lib/x86_64-linux-gnu/opensc-pkcs11.so"
TOOL = ("yubico-piv-tool", "-r", READER)
OPENSC_IDS = {"9a": "01", "9c": "02", "9d": "03", "9e": "04"}
CARDS = [
    pytest.param(("P-256", "strict"), id="p-256-strict"),
    pytest.param(("P-256", "t0"), marks=pytest.mark.campaign, id="p-256-t0"),
    pytest.param(("P-384", "software"), marks=pytest.mark.campaign, id="p-384"),
    pytest.param(("RSA-2048", "software"), id="rsa-2048"),
]


@dataclass
class Written:
    """The finished card in its reader, its reply, its PIN."""

    algorithm: str
    kind: str
    reply: dict[str, Any]
    pin: str
    directory: Path

    def run(self, *command: str | Path) -> str:
        """Run a program that must accept the card; its output."""
        # OpenSC caches what it read of a card by serial number; each run starts without a cache.
        environment = {**os.environ, "HOME": str(self.directory), "XDG_CACHE_HOME": str(self.directory)}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def certificate(self, slot: str) -> Path:
        """The slot's certificate as OpenSC reads it."""
        path = self.directory / f"{slot}.pem"
        self.run("pkcs15-tool", "--reader", READER, "--read-certificate", OPENSC_IDS[slot], "-o", path)
        return path

    def public_key(self, slot: str) -> Path:
        """The key in it."""
        path = self.directory / f"{slot}.pub"
        path.write_text(self.run("openssl", "x509", "-in", self.certificate(slot), "-noout", "-pubkey"))
        return path

    def object(self, tag: str) -> bytes:
        """Contents of a data object as opensc-tool sees them."""
        printed = self.run(
            *("opensc-tool", "-r", READER, "-s", "00A4040009A0000003080000100000"),
            *("-s", f"0020008008{self.pin.encode().hex()}"),
            *("-s", f"00CB3FFF055C03{tag}00"),
        )
        answer = printed.split("Received")[-1]
        assert "SW1=0x90" in answer
        lines = [line[:47] for line in answer.splitlines()[1:]]
        data = bytes.fromhex("".join(re.findall(r"\b[0-9A-F]{2}\b", " ".join(lines))))
        ((outer, content),) = elements(data)
        assert outer == "53"
        return content


@pytest.fixture(scope="module", params=CARDS)
def written(
    request: pytest.FixtureRequest, pcscd: PcscService, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Written]:
    """One card for each algorithm that a site may ask for; of another make where the name says so."""
    algorithm, kind = request.param
    directory = tmp_path_factory.mktemp("holder")
    data = tmp_path_factory.mktemp("site") / "site"
    card = {
        "strict": lambda: StrictCard(Make(extended=False)),
        "t0": lambda: StrictCard(Make(atr="3B00", announces=True, exact_le=True, t0=True)),
        "software": lambda: SoftwareCard(serial=4712),
    }[kind]()
    with (
        pcscd.inserted(card),  # type: ignore[arg-type]
        ServedSite.laid_out(data, "--pcsc", card_algorithms=(algorithm,)).running() as served,
    ):
        node = "ARC-T0020"

        def seen() -> dict[str, Any] | None:
            found = [item for item in served.get("/v1/hardware/cards")["items"] if item["reader"] == READER]
            return found[0] if found and found[0]["state"] is not None else None

        assert served.wait(seen)["state"] == "blank"
        body = {"node_id": node, "hardware_uid": f"reader:{READER}", "fips_standard": "FIPS 140-3 Level 2"}
        answer = served.post("/v1/hardware/se/provision", body)
        assert answer.status_code == 200, answer.text
        reply = answer.json()
        mailer = served.client.post(f"/v1/hardware/se/provisions/{reply['provision_id']}/pin-mailer")
        text = subprocess.run(["pdftotext", "-", "-"], input=mailer.content, capture_output=True, check=True).stdout
        pin = re.search(rb"PIN (\d{8})\b", text)
        assert pin is not None
        with contextlib.closing(sqlite3.connect(f"file:{data / 'store.db'}?mode=ro", uri=True)) as store:
            rows = store.execute("SELECT name, certificate FROM site_certificate").fetchall()
        for name, der in rows:
            pem = x509.load_der_x509_certificate(der).public_bytes(Encoding.PEM)
            (directory / f"{name}.pem").write_bytes(pem)
        yield Written(algorithm, kind, reply, pin[1].decode(), directory)


def test_every_slot_has_the_sites_algorithm(written: Written) -> None:
    """What the setting asks for is on the card, in the reply and in the certificates."""
    assert {slot["algorithm"] for slot in written.reply["slots"]} == {written.algorithm}
    assert all(written.reply["verification"].values())
    shown = written.run("openssl", "x509", "-in", written.certificate("9a"), "-noout", "-text")
    assert {"P-256": "NIST CURVE: P-256", "P-384": "NIST CURVE: P-384", "RSA-2048": "(2048 bit)"}[
        written.algorithm
    ] in shown


@pytest.mark.parametrize("slot", ["9a", "9c", "9e"])
def test_opensc_signs(written: Written, slot: str) -> None:
    """A signature by PKCS#11 is verified by openssl with the certificate's key."""
    digest = sha256(slot.encode()).digest()
    source, signature = written.directory / "digest", written.directory / "signature"
    source.write_bytes(digest)
    rsa = written.algorithm.startswith("RSA")
    mechanism = ("--mechanism", "RSA-PKCS") if rsa else ("--mechanism", "ECDSA", "--signature-format", "openssl")
    written.run(
        *(
            "pkcs11-tool",
            "--module",
            MODULE,
            "--sign",
            "--id",
            OPENSC_IDS[slot],
            "--login",
            "--pin",
            written.pin,
            *mechanism,
        ),
        *("--input-file", source, "--output-file", signature),
    )
    output = written.run(
        *("openssl", "pkeyutl", "-verify", "-pubin", "-inkey", written.public_key(slot)),
        *("-in", source, "-sigfile", signature),
    )
    assert "Signature Verified Successfully" in output


def test_opensc_uses_the_key_management_key(written: Written) -> None:
    """By PKCS#11: ECDH gives what openssl's side gives, RSA opens what openssl encrypted."""
    public = written.public_key("9d")
    opened = written.directory / "opened"
    base = ("pkcs11-tool", "--module", MODULE, "--login", "--pin", written.pin, "--id", OPENSC_IDS["9d"])
    if written.algorithm.startswith("RSA"):
        secret, sealed = written.directory / "secret", written.directory / "sealed"
        secret.write_bytes(b"a session key of 32 bytes, alas.")
        written.run("openssl", "pkeyutl", "-encrypt", "-pubin", "-inkey", public, "-in", secret, "-out", sealed)
        written.run(*base, "--decrypt", "--mechanism", "RSA-PKCS", "--input-file", sealed, "--output-file", opened)
        assert opened.read_bytes() == secret.read_bytes()
        return
    key, other, theirs = (written.directory / name for name in ("peer.pem", "peer.der", "theirs"))
    written.run("openssl", "ecparam", "-name", {"P-256": "prime256v1"}.get(written.algorithm, "secp384r1"), "-genkey",
                "-noout", "-out", key)  # fmt: skip
    written.run("openssl", "ec", "-in", key, "-pubout", "-outform", "DER", "-out", other)
    written.run("openssl", "pkeyutl", "-derive", "-inkey", key, "-peerkey", public, "-out", theirs)
    written.run(*base, "--derive", "--mechanism", "ECDH1-COFACTOR-DERIVE", "-i", other, "-o", opened)
    assert opened.read_bytes() == theirs.read_bytes()


@pytest.mark.parametrize("written", CARDS[2:], indirect=True)
@pytest.mark.parametrize("slot", ["9a", "9c", "9e"])
def test_yubico_piv_tool_signs(written: Written, slot: str) -> None:
    """Status, PIN and a verified signature by the maker's tool, which connects only to cards that tell its version."""
    output = written.run(
        *(*TOOL, "-a", "status", "-a", "verify-pin", "-P", written.pin),
        *("-a", "test-signature", "-s", slot, "-i", written.certificate(slot)),
    )
    assert written.reply["card_guid"].replace("-", "") in output
    assert "Successful" in output


@pytest.mark.parametrize("written", CARDS[2:], indirect=True)
def test_yubico_piv_tool_deciphers(written: Written) -> None:
    """The tool's own test of 9D."""
    output = written.run(
        *(*TOOL, "-a", "verify-pin", "-P", written.pin),
        *("-a", "test-decipher", "-s", "9d", "-i", written.certificate("9d")),
    )
    assert "Successful" in output


@pytest.mark.parametrize("slot", ["9a", "9c", "9d", "9e"])
def test_openssl_trusts_the_chain(written: Written, slot: str) -> None:
    """Each certificate leads to the site's root, strictly."""
    root = written.directory / "root.pem"
    assert "OK" in written.run("openssl", "verify", "-x509_strict", "-CAfile", root, written.certificate(slot))


def test_openssl_verifies_chuid_and_security_object(written: Written) -> None:
    """Read by OpenSC, taken apart by a reader that shares nothing with the writer, verified by openssl."""
    chuid, security = written.object("5FC102"), written.object("5FC106")
    fields = elements(chuid)
    assert dict(fields)["34"].hex() == written.reply["card_guid"].replace("-", "")
    message, signed = written.directory / "chuid.cms", written.directory / "chuid.signed"
    message.write_bytes(dict(fields)["3E"])
    at = chuid.index(bytes.fromhex("3E82"))
    signed.write_bytes(chuid[:at] + bytes.fromhex("FE00"))
    trust = ("-CAfile", written.directory / "root.pem", "-purpose", "any", "-binary", "-inform", "DER")
    output = written.run("openssl", "cms", "-verify", *trust, "-in", message, "-content", signed,
                         "-certsout", written.directory / "signer.pem", "-out", os.devnull)  # fmt: skip
    assert "Verification successful" in output
    parts = dict(elements(security))
    content, lds = written.directory / "security.cms", written.directory / "lds.der"
    content.write_bytes(parts["BB"])
    output = written.run(
        "openssl", "cms", "-verify", *trust, "-in", content, "-certfile", written.directory / "signer.pem", "-out", lds
    )
    assert "Verification successful" in output
    groups = {parts["BA"][at + 1 : at + 3].hex(): parts["BA"][at] for at in range(0, len(parts["BA"]), 3)}
    hashes = lds.read_bytes()
    for container, tag in (("3000", "5FC102"), ("db00", "5FC107"), ("3001", "5FC109")):
        entry = bytes([0x02, 0x01, groups[container], 0x04, 0x20]) + sha256(written.object(tag)).digest()
        assert entry in hashes
    certificate = x509.load_pem_x509_certificate((written.directory / "9a.pem").read_bytes())
    spki = certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert sha256(spki).hexdigest() == written.reply["slots"][0]["public_key_sha256"]
