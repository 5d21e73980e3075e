"""Relying parties that are none of ours: OpenSSL judges cards by the lists and answers that a running site serves."""

from __future__ import annotations

import base64
import contextlib
import re
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import ocsp
from cryptography.x509.oid import AuthorityInformationAccessOID, ExtendedKeyUsageOID

from tests.served_site import ServedSite

NODE, OTHER = "ARC-T0001", "ARC-T0002"
REQUEST, RESPONSE = "application/ocsp-request", "application/ocsp-response"


class Relying:
    """A site with a public address, and a relying party's files beside it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
        # A name that is not the one it listens under: what is fetched is addressed by it.
        self.address = f"http://localhost:{port}"
        self.site = ServedSite.laid_out(place / "site", "--no-pcsc", "--port", str(port), public_address=self.address)

    def write_card(self, node_id: str) -> None:
        """The card that lies blank in a reader becomes the node's."""
        # A card is listed before its reader's first look at it has ended.
        card = self.site.wait(self._blank_card)
        body = {"node_id": node_id, "hardware_uid": card["hardware_uid"], "fips_standard": "FIPS 140-3 Level 2"}
        reply = self.site.post("/v1/hardware/se/provision", body)
        assert (reply.status_code, reply.json()["state"]) == (200, "COMPLETE"), reply.text

    def _blank_card(self) -> dict[str, Any] | None:
        cards = self.site.get("/v1/hardware/cards")["items"]
        return next((card for card in cards if card["state"] == "blank"), None)

    def certificates(self, node_id: str) -> list[x509.Certificate]:
        """What is on the node's cards."""
        with contextlib.closing(sqlite3.connect(self.place / "site" / "store.db")) as store:
            rows = store.execute("SELECT certificate FROM card_certificate WHERE node_id = ?", (node_id,)).fetchall()
        return [x509.load_der_x509_certificate(row[0]) for row in rows]

    def fetch(self, url: str, **options: Any) -> httpx.Response:
        """As anybody: without a key."""
        return httpx.get(url, trust_env=False, timeout=30, **options)

    def crl(self) -> x509.CertificateRevocationList:
        answer = self.fetch(f"{self.address}/pki/root.crl")
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/pkix-crl"
        return x509.load_der_x509_crl(answer.content)

    def number(self) -> int:
        return self.crl().extensions.get_extension_for_class(x509.CRLNumber).value.crl_number

    def root(self) -> Path:
        """The issuer as the certificates of cards name its place, in PEM."""
        answer = self.fetch(f"{self.address}/pki/root.cer")
        assert answer.headers["content-type"] == "application/pkix-cert"
        path = self.place / "root.pem"
        path.write_bytes(x509.load_der_x509_certificate(answer.content).public_bytes(Encoding.PEM))
        return path

    def verify(self, certificate: x509.Certificate) -> str:
        """What ``openssl verify -crl_check`` says."""
        leaf, crl = self.place / "leaf.pem", self.place / "crl.pem"
        leaf.write_bytes(certificate.public_bytes(Encoding.PEM))
        crl.write_bytes(self.crl().public_bytes(Encoding.PEM))
        command = ["openssl", "verify", "-crl_check", "-x509_strict", "-CAfile", self.root(), "-CRLfile", crl, leaf]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    def ask(self, *which: str) -> str:
        """What ``openssl ocsp`` says, asked with a nonce."""
        root = self.root()
        command = ["openssl", "ocsp", "-CAfile", root, "-issuer", root, "-url", f"{self.address}/pki/ocsp", *which]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    def ask_about(self, certificate: x509.Certificate) -> str:
        leaf = self.place / "leaf.pem"
        leaf.write_bytes(certificate.public_bytes(Encoding.PEM))
        return self.ask("-cert", str(leaf))

    def question(self, certificate: x509.Certificate, *, nonce: bytes | None = None) -> bytes:
        root = x509.load_pem_x509_certificate(self.root().read_bytes())
        builder = ocsp.OCSPRequestBuilder().add_certificate(certificate, root, hashes.SHA1())
        if nonce is not None:
            builder = builder.add_extension(x509.OCSPNonce(nonce), critical=False)
        return builder.build().public_bytes(Encoding.DER)

    def post(self, body: bytes, content_type: str = REQUEST, **headers: str) -> httpx.Response:
        return httpx.post(
            f"{self.address}/pki/ocsp",
            content=body,
            headers={"Content-Type": content_type, **headers},
            trust_env=False,
            timeout=30,
        )

    def burn(self, node_id: str) -> dict[str, Any]:
        body = {"node_id": node_id, "scope": "GLOBAL_REVOCATION", "reason": "judged by relying parties"}
        answer = self.site.post("/v1/citadel/uac/burn", body)
        assert answer.status_code in (200, 202), answer.text
        found: dict[str, Any] = answer.json()
        return found


@pytest.fixture(scope="module")
def relying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Relying]:
    """Two people with a card each, of which the first names the site's address; nobody is burned."""
    made = Relying(tmp_path_factory.mktemp("relying"))
    with made.site.running():
        made.write_card(NODE)
        yield made


def test_certificates_say_where_to_ask(relying: Relying) -> None:
    """Each certificate of a card names the list, the responder and the issuer's certificate, and all three answer."""
    for certificate in relying.certificates(NODE):
        points = certificate.extensions.get_extension_for_class(x509.CRLDistributionPoints).value
        assert [name.value for point in points for name in point.full_name or ()] == [f"{relying.address}/pki/root.crl"]
        places = certificate.extensions.get_extension_for_class(x509.AuthorityInformationAccess).value
        assert {place.access_method: place.access_location.value for place in places} == {
            AuthorityInformationAccessOID.OCSP: f"{relying.address}/pki/ocsp",
            AuthorityInformationAccessOID.CA_ISSUERS: f"{relying.address}/pki/root.cer",
        }
    root = x509.load_pem_x509_certificate(relying.root().read_bytes())
    certificate.verify_directly_issued_by(root)


def test_the_list_is_of_the_authority(relying: Relying) -> None:
    """Version 2, signed by the root, with its key identifier and a number, and no claim to be partial."""
    crl, root = relying.crl(), x509.load_pem_x509_certificate(relying.root().read_bytes())
    assert crl.is_signature_valid(root.public_key())  # type: ignore[arg-type]
    assert crl.issuer == root.subject
    key_id = crl.extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value.key_identifier
    assert key_id == root.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value.digest
    assert {extension.oid for extension in crl.extensions} == {
        x509.CRLNumber.oid,
        x509.AuthorityKeyIdentifier.oid,
    }


def test_caches_may_keep_it(relying: Relying) -> None:
    """A second fetch with the tag of the first gets 304 without a body; another tag gets the list."""
    url = f"{relying.address}/pki/root.crl"
    first = relying.fetch(url)
    assert "no-store" not in first.headers["cache-control"]
    assert first.headers.get_list("cache-control") == [first.headers["cache-control"]]
    assert {"etag", "last-modified", "expires"} <= first.headers.keys()
    again = relying.fetch(url, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert relying.fetch(url, headers={"If-None-Match": '"other"'}).status_code == 200


def test_openssl_takes_a_good_card(relying: Relying) -> None:
    """Verified by the list, and good by OCSP with a nonce, whose signature OpenSSL trusts."""
    for certificate in relying.certificates(OTHER):
        assert relying.verify(certificate).endswith("leaf.pem: OK\n")
        said = relying.ask_about(certificate)
        assert "Response verify OK" in said
        assert "leaf.pem: good" in said
        assert "WARNING" not in said


def test_the_responder_is_delegated(relying: Relying) -> None:
    """Its certificate is for OCSP alone and says that nobody needs to ask about it."""
    answer = ocsp.load_der_ocsp_response(relying.post(relying.question(relying.certificates(OTHER)[0])).content)
    (signer,) = answer.certificates
    assert signer.extensions.get_extension_for_class(x509.OCSPNoCheck)
    purposes = signer.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(purposes) == [ExtendedKeyUsageOID.OCSP_SIGNING]
    with pytest.raises(x509.ExtensionNotFound):
        signer.extensions.get_extension_for_class(x509.CRLDistributionPoints)


def test_unknown_is_said_of_what_is_not_ours(relying: Relying) -> None:
    """A serial number that was never given, and an issuer that is not this site."""
    assert "0x1234: unknown" in relying.ask("-serial", "0x1234")
    asked = ocsp.OCSPRequestBuilder().add_certificate_by_hash(b"\1" * 32, b"\2" * 32, 5, hashes.SHA256()).build()
    answer = ocsp.load_der_ocsp_response(relying.post(asked.public_bytes(Encoding.DER)).content)
    assert answer.certificate_status is ocsp.OCSPCertStatus.UNKNOWN
    assert (answer.issuer_name_hash, answer.serial_number) == (b"\1" * 32, 5)


@pytest.mark.parametrize(("length", "status"), [(1, 0), (32, 0), (128, 0), (129, 1), (0, 1)])
def test_nonces(relying: Relying, length: int, status: int) -> None:
    """1 to 128 octets come back as they were sent; any other length is malformed (RFC 9654)."""
    nonce = bytes(range(1, length + 1))
    got = relying.post(relying.question(relying.certificates(OTHER)[0], nonce=nonce))
    answer = ocsp.load_der_ocsp_response(got.content)
    assert (got.status_code, answer.response_status.value) == (200, status)
    if status == 0:
        assert answer.extensions.get_extension_for_class(x509.OCSPNonce).value.nonce == nonce
        assert got.headers["cache-control"] == "no-store"


def test_asked_by_get(relying: Relying) -> None:
    """The same in base64 in the path, with the fields of RFC 5019; one with a nonce is for no cache."""
    asked = relying.question(relying.certificates(OTHER)[0])
    url = f"{relying.address}/pki/ocsp/{quote(base64.b64encode(asked).decode(), safe='')}"
    got = relying.fetch(url)
    answer = ocsp.load_der_ocsp_response(got.content)
    assert (got.status_code, got.headers["content-type"]) == (200, RESPONSE)
    assert answer.certificate_status is ocsp.OCSPCertStatus.GOOD
    age = int(re.fullmatch(r"max-age=(\d+), public, no-transform, must-revalidate", got.headers["cache-control"])[1])  # type: ignore[index]
    assert answer.next_update_utc is not None
    assert 0 < age < (answer.next_update_utc - answer.this_update_utc).total_seconds()
    again = relying.fetch(url)
    assert again.content == got.content
    assert relying.fetch(url, headers={"If-None-Match": got.headers["etag"]}).status_code == 304
    noncy = relying.question(relying.certificates(OTHER)[0], nonce=b"once")
    private = relying.fetch(f"{relying.address}/pki/ocsp/{quote(base64.b64encode(noncy).decode(), safe='')}")
    assert private.headers["cache-control"] == "no-store"


def test_rubbish_is_told_to_be_rubbish(relying: Relying) -> None:
    """OCSP's own error for what is no request, the house's problem for what is no call of this service."""
    for body in (b"", b"\x30", b"rubbish", bytes(4096)):
        answer = ocsp.load_der_ocsp_response(relying.post(body).content)
        assert answer.response_status is ocsp.OCSPResponseStatus.MALFORMED_REQUEST
    assert relying.post(bytes(4097)).json()["code"] == "body_too_large"
    assert relying.post(b"{}", "application/json").json()["code"] == "unsupported_media_type"
    by_get = relying.fetch(f"{relying.address}/pki/ocsp/AAAA")
    assert ocsp.load_der_ocsp_response(by_get.content).response_status is ocsp.OCSPResponseStatus.MALFORMED_REQUEST
    assert relying.fetch(f"{relying.address}/pki/ocsp/not%20base64").status_code == 404


def test_old_clients_speak_http_1_0(relying: Relying) -> None:
    """OpenSSL's client does: so may those who ask ``/pki``, but nobody else, and without a transfer coding."""
    host, _, port = relying.address.removeprefix("http://").partition(":")

    def raw(request: bytes) -> bytes:
        with socket.create_connection((host, int(port)), timeout=20) as line:
            line.sendall(request)
            return b"".join(iter(lambda: line.recv(65536), b""))

    head = b" HTTP/1.0\r\nHost: localhost\r\n"
    answer = raw(b"GET /pki/root.crl" + head + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"connection: close" in answer.lower()
    assert raw(b"GET /healthz" + head + b"\r\n").startswith(b"HTTP/1.1 400 ")
    assert raw(b"POST /pki/ocsp" + head + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n").startswith(b"HTTP/1.1 400 ")


def test_a_repeat_is_answered_by_the_records(relying: Relying) -> None:
    """An ``Idempotency-Key`` keeps nothing of an open call: nobody fills the store by it."""
    asked = relying.question(relying.certificates(OTHER)[0], nonce=b"first")
    relying.post(asked, **{"Idempotency-Key": "same-key-of-a-stranger"})
    other = relying.question(relying.certificates(OTHER)[0], nonce=b"second")
    got = relying.post(other, **{"Idempotency-Key": "same-key-of-a-stranger"})
    nonce = ocsp.load_der_ocsp_response(got.content).extensions.get_extension_for_class(x509.OCSPNonce).value.nonce
    assert nonce == b"second"


def test_a_burned_card_is_refused_everywhere(relying: Relying) -> None:
    """The burn is proven by a list that names every certificate of the card; OpenSSL refuses each of them by list and
    by OCSP, and goes on taking the other person's. A kill loses nothing of it, and no number comes twice."""
    before = relying.number()
    burn = relying.burn(NODE)
    target = next(target for target in burn["targets"] if target["kind"] == "card")
    crl, number = relying.crl(), relying.number()
    assert number > before
    assert target["state"] == "revoked"
    assert f"4 certificates of 1 card are in revocation list {number}, good until " in target["evidence"]
    assert crl.next_update_utc is not None
    exposed = next(left for left in burn["residual_exposure"] if "older revocation list" in left["what"])
    assert exposed["until"] <= crl.next_update_utc.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    mine = relying.certificates(NODE)
    assert len(mine) == 4
    for certificate in mine:
        entry = crl.get_revoked_certificate_by_serial_number(certificate.serial_number)
        assert entry is not None
        assert (
            entry.extensions.get_extension_for_class(x509.CRLReason).value.reason
            is x509.ReasonFlags.privilege_withdrawn
        )
        assert "certificate revoked" in relying.verify(certificate)
        said = relying.ask_about(certificate)
        assert "Response verify OK" in said
        assert "leaf.pem: revoked" in said
        answer = ocsp.load_der_ocsp_response(relying.post(relying.question(certificate)).content)
        assert answer.revocation_reason is x509.ReasonFlags.privilege_withdrawn
    assert relying.verify(relying.certificates(OTHER)[0]).endswith("leaf.pem: OK\n")
    for _ in range(2):
        again = next(target for target in relying.burn(NODE)["targets"] if target["kind"] == "card")
        assert again["evidence"] == target["evidence"]
    relying.site.kill()
    relying.site.start()
    assert relying.number() == number
    relying.burn(OTHER)
    assert relying.number() > number
    assert "certificate revoked" in relying.verify(mine[0])
