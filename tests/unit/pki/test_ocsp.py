"""The OCSP responder against bytes of any kind, and its answers as a client's library reads them."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import ocsp
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from app.pki.authority import Root, SiteAuthority, make_root
from app.pki.ocsp import REQUEST_LIMIT, OcspResponder
from app.pki.revocation import KnownCertificate, NodeCertificate, RevocationReason, RevokedEntry
from app.store.engine import Store

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEY, SIGNER = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
ROOT = Root(make_root(KEY, training=True, site="site.invalid", now=NOW), KEY)
AUTHORITY = SiteAuthority(ROOT, training=True, clock=lambda: NOW)
RESPONDER = AUTHORITY.ocsp_signer(SIGNER.public_key()).certificate
GOOD, BAD, STRANGE = 11, 12, 13


class NoStore:
    """The records below need no connection."""

    @contextmanager
    def read(self) -> Iterator[None]:
        yield None


class Records:
    """One good certificate, one that may be revoked."""

    def __init__(self) -> None:
        self.bad = RevokedEntry(BAD, us(NOW - timedelta(hours=1)), RevocationReason.KEY_COMPROMISE)
        self.good = KnownCertificate(None)

    def entries(self, _connection: Connection, _ended_after_us: int) -> Sequence[RevokedEntry]:
        return [self.bad]

    def find(self, _connection: Connection, serial: int) -> KnownCertificate | None:
        return {GOOD: self.good, BAD: KnownCertificate(self.bad)}.get(serial)

    def of_node(self, _connection: Connection, _node_id: str) -> Sequence[NodeCertificate]:
        return []


class Desk:
    """A responder with a clock that a test sets."""

    def __init__(self) -> None:
        self.now = NOW
        self.records = Records()
        self.responder = OcspResponder(
            cast(Store, NoStore()), ROOT, [self.records], lambda: (SIGNER, RESPONDER), lambda: us(self.now)
        )

    def ask(self, serial: int, digest: hashes.HashAlgorithm | None = None, nonce: bytes | None = None) -> Any:
        return ocsp.load_der_ocsp_response(self.responder.answer(question(serial, digest, nonce)).der)


def us(moment: datetime) -> int:
    return round(moment.timestamp() * 1e6)


def question(serial: int, digest: hashes.HashAlgorithm | None = None, nonce: bytes | None = None) -> bytes:
    digest = digest or hashes.SHA256()
    own = hashes.Hash(digest)
    own.update(ROOT.certificate.subject.public_bytes())
    key = hashes.Hash(digest)
    key.update(point())
    builder = ocsp.OCSPRequestBuilder().add_certificate_by_hash(own.finalize(), key.finalize(), serial, digest)
    if nonce is not None:
        builder = builder.add_extension(x509.OCSPNonce(nonce), critical=False)
    return builder.build().public_bytes(Encoding.DER)


def point() -> bytes:
    numbers = KEY.public_key().public_numbers()
    return b"\x04" + numbers.x.to_bytes(32, "big") + numbers.y.to_bytes(32, "big")


@pytest.mark.parametrize("digest", [hashes.SHA1(), hashes.SHA256(), hashes.SHA384(), hashes.SHA512()])
def test_the_three_answers(digest: hashes.HashAlgorithm) -> None:
    """Good, revoked with time and reason, unknown; signed by the responder, by any hash that names the issuer."""
    desk = Desk()
    good, bad, strange = (desk.ask(serial, digest) for serial in (GOOD, BAD, STRANGE))
    status = ocsp.OCSPCertStatus
    assert [answer.certificate_status for answer in (good, bad, strange)] == [
        status.GOOD,
        status.REVOKED,
        status.UNKNOWN,
    ]
    assert bad.revocation_reason is x509.ReasonFlags.key_compromise
    assert bad.revocation_time_utc == NOW - timedelta(hours=1)
    for answer in (good, bad, strange):
        assert answer.hash_algorithm.name == digest.name
        SIGNER.public_key().verify(answer.signature, answer.tbs_response_bytes, ec.ECDSA(hashes.SHA256()))
        assert (answer.this_update_utc, answer.next_update_utc) == (NOW, NOW + timedelta(minutes=10))
        assert answer.responder_key_hash is not None


def test_another_issuer_is_unknown() -> None:
    """Equal serial numbers of other issuers are not ours, by name or by key."""
    built = ocsp.load_der_ocsp_request(question(BAD))
    for name, key in ((bytes(32), built.issuer_key_hash), (built.issuer_name_hash, bytes(32))):
        asked = ocsp.OCSPRequestBuilder().add_certificate_by_hash(name, key, BAD, hashes.SHA256()).build()
        found = ocsp.load_der_ocsp_response(Desk().responder.answer(asked.public_bytes(Encoding.DER)).der)
        assert found.certificate_status is ocsp.OCSPCertStatus.UNKNOWN


def test_a_kept_answer_never_hides_a_revocation() -> None:
    """The same bytes for five minutes, unless the certificate's state changes; with a nonce always new ones."""
    desk = Desk()
    asked = question(GOOD)
    first = desk.responder.answer(asked)
    desk.now += timedelta(minutes=4, seconds=59)
    assert desk.responder.answer(asked) is first
    desk.now += timedelta(seconds=1)
    second = desk.responder.answer(asked)
    assert second.this_update == desk.now
    desk.records.good = KnownCertificate(RevokedEntry(GOOD, us(desk.now), None))
    revoked = ocsp.load_der_ocsp_response(desk.responder.answer(asked).der)
    assert revoked.certificate_status is ocsp.OCSPCertStatus.REVOKED
    assert revoked.revocation_reason is None
    private = desk.responder.answer(question(GOOD, nonce=b"n"))
    assert (private.this_update, private.next_update) == (None, None)


def test_nothing_is_dated_ahead_of_the_clock() -> None:
    """A revocation of before the clock stepped back is dated now, and no answer of the later time is given again."""
    desk = Desk()
    desk.ask(BAD)
    desk.now -= timedelta(hours=2)
    answer = desk.ask(BAD)
    assert (answer.this_update_utc, answer.revocation_time_utc) == (desk.now, desk.now)


def test_an_unusual_hash_gets_no_answer() -> None:
    """The issuer cannot be told by it: unauthorized, without a signature."""
    found = ocsp.load_der_ocsp_response(Desk().responder.answer(question(GOOD, hashes.SHA224())).der)
    assert found.response_status is ocsp.OCSPResponseStatus.UNAUTHORIZED


def test_in_base64() -> None:
    """As a GET asks; what is no base64 is malformed."""
    desk = Desk()
    found = desk.responder.answer_text(base64.b64encode(question(GOOD)).decode())
    assert ocsp.load_der_ocsp_response(found.der).certificate_status is ocsp.OCSPCertStatus.GOOD
    for text in ("AAA", "A===", "", "ünsinn"):
        refused = ocsp.load_der_ocsp_response(desk.responder.answer_text(text).der)
        assert refused.response_status is ocsp.OCSPResponseStatus.MALFORMED_REQUEST


def test_a_critical_extension_that_is_not_known_is_refused() -> None:
    """RFC 6960, 4.4: it cannot be passed over; one that is not critical can."""

    def asked(critical: bool) -> bytes:
        unknown = x509.UnrecognizedExtension(x509.ObjectIdentifier("1.2.3.4"), b"\x05\x00")
        request = ocsp.load_der_ocsp_request(question(GOOD))
        builder = ocsp.OCSPRequestBuilder().add_certificate_by_hash(
            request.issuer_name_hash, request.issuer_key_hash, GOOD, hashes.SHA256()
        )
        return builder.add_extension(unknown, critical=critical).build().public_bytes(Encoding.DER)

    status = ocsp.OCSPResponseStatus
    found = [ocsp.load_der_ocsp_response(Desk().responder.answer(asked(critical)).der) for critical in (True, False)]
    assert [answer.response_status for answer in found] == [status.MALFORMED_REQUEST, status.SUCCESSFUL]


def test_a_negative_serial_number_is_no_request() -> None:
    """No certificate has one, and no response could name it."""
    whole = question(GOOD)
    assert whole.count(bytes((2, 1, GOOD))) == 1
    negative = whole.replace(bytes((2, 1, GOOD)), bytes((2, 1, 0x80 | GOOD)))
    found = ocsp.load_der_ocsp_response(Desk().responder.answer(negative).der)
    assert found.response_status is ocsp.OCSPResponseStatus.MALFORMED_REQUEST


WHOLE = question(GOOD, nonce=bytes(16))


@settings(max_examples=300)
@given(st.one_of(st.binary(max_size=400), st.tuples(st.integers(0, len(WHOLE) - 1), st.binary(max_size=6))))
def test_any_bytes_get_an_answer(data: bytes | tuple[int, bytes]) -> None:
    """For any bytes an OCSP response goes back, and a refusal unsigned."""
    if not isinstance(data, bytes):
        at, put = data
        data = WHOLE[:at] + put + WHOLE[at + len(put) :]
    answer = ocsp.load_der_ocsp_response(Desk().responder.answer(data).der)
    status = ocsp.OCSPResponseStatus
    assert answer.response_status in (status.SUCCESSFUL, status.MALFORMED_REQUEST, status.UNAUTHORIZED)


def test_the_size_is_limited() -> None:
    """A well-formed request that is too long is refused before it is read."""
    unknown = x509.UnrecognizedExtension(x509.ObjectIdentifier("1.2.3.4"), bytes(REQUEST_LIMIT))
    request = ocsp.load_der_ocsp_request(question(GOOD))
    long = (
        ocsp.OCSPRequestBuilder()
        .add_certificate_by_hash(request.issuer_name_hash, request.issuer_key_hash, GOOD, hashes.SHA256())
        .add_extension(unknown, critical=False)
        .build()
        .public_bytes(Encoding.DER)
    )
    found = ocsp.load_der_ocsp_response(Desk().responder.answer(long).der)
    assert found.response_status is ocsp.OCSPResponseStatus.MALFORMED_REQUEST
