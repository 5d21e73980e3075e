"""A card in a PC/SC reader, written by the real service over HTTP and judged by programs that share no code with it."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from tests.served_site import ServedSite

if TYPE_CHECKING:
    from tests.conftest import PcscService

READER = "Virtual PCD 00 00"
NODE = "ARC-T0020"
FIPS = "FIPS 140-3 Level 2"


@dataclass
class Written:
    """The finished card in its reader, the reply, and what its holder got."""

    site: ServedSite
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
        """The slot's certificate as yubico-piv-tool reads it."""
        path = self.directory / f"{slot}.pem"
        self.run("yubico-piv-tool", "-r", READER, "-a", "read-certificate", "-s", slot, "-o", path)
        return path


@pytest.fixture(scope="module")
def site(pcscd: PcscService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """``arc-console serve --pcsc`` on a training site, with pcscd running."""
    with ServedSite.laid_out(tmp_path_factory.mktemp("pcsc") / "site", "--pcsc").running() as served:
        yield served


@pytest.fixture(scope="module")
def card(pcscd: PcscService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The software card, inserted by the contract's command."""
    state = tmp_path_factory.mktemp("card") / "card.json"
    with pcscd.command(state):
        yield state


def seen(site: ServedSite, reader: str = READER) -> dict[str, Any] | None:
    """The reader's card as the service lists it, once it is identified."""
    found = [item for item in site.get("/v1/hardware/cards")["items"] if item["reader"] == reader]
    return found[0] if found and found[0]["state"] is not None else None


def provision(site: ServedSite, node: str, uid: str) -> Any:
    """The call."""
    body = {"node_id": node, "hardware_uid": uid, "fips_standard": FIPS}
    return site.post("/v1/hardware/se/provision", body)


@pytest.fixture(scope="module")
def written(site: ServedSite, card: Path, tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The card of ``NODE``, and its PIN from the mailer."""
    directory = tmp_path_factory.mktemp("holder")
    blank = site.wait(lambda: seen(site))
    assert (blank["state"], blank["uid_source"], blank["simulated"]) == ("blank", "serial", False)
    answer = provision(site, NODE, blank["hardware_uid"])
    assert answer.status_code == 200, answer.text
    reply = answer.json()
    mailer = site.client.post(f"/v1/hardware/se/provisions/{reply['provision_id']}/pin-mailer")
    assert mailer.status_code == 200
    text = subprocess.run(["pdftotext", "-", "-"], input=mailer.content, capture_output=True, check=True).stdout
    pin = re.search(rb"PIN (\d{8})\b", text)
    assert pin is not None
    # The site's root as its operator would hand it out; what comes from the card proves nothing by itself.
    with contextlib.closing(sqlite3.connect(f"file:{site.data_dir / 'store.db'}?mode=ro", uri=True)) as store:
        row = store.execute("SELECT certificate FROM site_certificate WHERE name = 'root'").fetchone()
    root = x509.load_der_x509_certificate(row[0])
    (directory / "root.pem").write_bytes(root.public_bytes(Encoding.PEM))
    return Written(site, reply, pin[1].decode(), directory)


def test_the_service_proved_the_card_over_pcsc(written: Written) -> None:
    """All proofs held, in no more APDUs than the full order has."""
    assert all(written.reply["verification"].values())
    assert written.reply["apdu_count"] <= 39
    assert written.reply["standing"] == "VERIFIED_DIGITAL_HUMAN"


def test_the_service_lists_the_card_as_the_nodes(written: Written) -> None:
    """The reader shows the finished card with its tries."""
    listed = seen(written.site)
    assert listed is not None
    assert (listed["state"], listed["node_id"], listed["pin_tries"]) == ("provisioned", NODE, 3)


def test_yubico_piv_tool_reads_the_status(written: Written) -> None:
    """CHUID, CCC and four certificates are where the tool looks for them."""
    status = written.run("yubico-piv-tool", "-r", READER, "-a", "status")
    assert written.reply["card_guid"].replace("-", "") in status
    assert all(f"Slot {slot}" in status for slot in ("9a", "9c", "9d", "9e"))
    assert "PIN tries left:\t3" in status


@pytest.mark.parametrize("slot", ["9a", "9c", "9e"])
def test_yubico_piv_tool_signs_with_the_mailers_pin(written: Written, slot: str) -> None:
    """The PIN on the printed page opens the card, and a signature by its key fits the certificate."""
    certificate = written.certificate(slot)
    output = written.run(
        *("yubico-piv-tool", "-r", READER, "-a", "verify-pin", "-P", written.pin),
        *("-a", "test-signature", "-s", slot, "-i", certificate),
    )
    assert "Successful ECDSA verification." in output


def test_yubico_piv_tool_agrees_on_a_key(written: Written) -> None:
    """ECDH with 9D gives what its certificate says."""
    certificate = written.certificate("9d")
    output = written.run(
        *("yubico-piv-tool", "-r", READER, "-a", "verify-pin", "-P", written.pin),
        *("-a", "test-decipher", "-s", "9d", "-i", certificate),
    )
    assert "Successfully performed ECDH exchange with card." in output


def test_opensc_names_the_card(written: Written) -> None:
    """OpenSC takes it for a PIV card."""
    assert "Personal Identity Verification Card" in written.run("opensc-tool", "-r", READER, "-n")


def test_pkcs15_tool_lists_the_certificates(written: Written) -> None:
    """OpenSC lists all four certificates."""
    assert written.run("pkcs15-tool", "--reader", READER, "-c").count("X.509 Certificate [") == 4


@pytest.mark.parametrize("slot", ["9a", "9c", "9d", "9e"])
def test_openssl_trusts_the_certificates(written: Written, slot: str) -> None:
    """Each certificate as another program reads it leads to the site's root and is the one in the reply."""
    path = written.certificate(slot)
    assert "OK" in written.run("openssl", "verify", "-x509_strict", "-CAfile", written.directory / "root.pem", path)
    shown = written.run("openssl", "x509", "-in", path, "-noout", "-fingerprint", "-sha256")
    expected = {entry["slot"].lower(): entry["certificate_sha256"] for entry in written.reply["slots"]}[slot]
    assert shown.partition("=")[2].strip().replace(":", "").lower() == expected


def test_the_same_call_again_gives_the_stored_reply(written: Written) -> None:
    """Idempotent over the wire."""
    again = provision(written.site, NODE, written.reply["hardware_uid"])
    assert (again.status_code, again.json()["provision_id"]) == (200, written.reply["provision_id"])


def test_an_unknown_card_is_404(written: Written) -> None:
    """A name that no card has."""
    answer = provision(written.site, NODE, "999999999999")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_the_holders_pin_is_in_no_file_of_the_site(written: Written) -> None:
    """Neither the data directory nor the log holds the printed PIN; the search finds the GUID."""
    files = [path for path in written.site.data_dir.rglob("*") if path.is_file()]
    held = b""
    for path in (*files, written.site.log):
        with contextlib.suppress(FileNotFoundError):  # the scratch file of a card that is written just now
            held += path.read_bytes()
    assert written.reply["card_guid"].encode() in held
    assert written.pin.encode() not in held


def test_pcscd_away_is_503_and_back_is_well(written: Written, pcscd: PcscService) -> None:
    """Without the reader service a card's call is 503 with the remedy; after its restart the card is there again."""
    site = written.site
    pcscd.stop()
    try:
        site.wait(lambda: site.get("/v1/hardware/cards")["service"] == "down")
        answer = provision(site, "ARC-T0021", "999999999999")
        assert (answer.status_code, answer.json()["code"]) == (503, "dependency_unavailable")
        assert "pcscd" in answer.json()["detail"]
        assert answer.headers["retry-after"]
        stored = provision(site, NODE, written.reply["hardware_uid"])
        assert stored.json()["provision_id"] == written.reply["provision_id"]
    finally:
        pcscd.start()
    back = site.wait(lambda: seen(site))
    assert (back["state"], back["card_guid"]) == ("provisioned", written.reply["card_guid"])
    assert site.get("/v1/hardware/cards")["service"] == "up"
