"""OCSP (RFC 6960, in the profile of RFC 5019): what the site says of one certificate at a time.

A delegated responder signs, whose certificate says that nobody needs to ask about it (id-pkix-ocsp-nocheck). The answer
comes from the records of the moment, so it says revoked before the revocation list does.
"""

from __future__ import annotations

import base64
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509 import ocsp

from app.pki.authority import Root, SiteAuthority
from app.pki.crl import Clock
from app.pki.revocation import RevocationSource, RevokedEntry, utc
from app.pki.site_certificates import ensure_site_certificate
from app.store.engine import Store
from app.store.keys import Keys

REQUEST = "application/ocsp-request"
RESPONSE = "application/ocsp-response"
REQUEST_LIMIT = 4_096
"""Bytes of a request: one certificate and a nonce need under 300."""
NONCE_MOST = 128
"""RFC 9654, section 2.1: 1 to 128 octets."""
LIFE = timedelta(minutes=10)
"""How long an answer may be believed."""
_FRESH = LIFE / 2
_CACHED = 4_096
_CERTIFICATE = "ocsp"
_RENEW_BEFORE = timedelta(days=180)
# SHA-1 names an issuer in nearly every request there is (RFC 5019, 2.1.1); nothing is signed over it.
_DIGESTS: Sequence[hashes.HashAlgorithm] = (hashes.SHA1(), hashes.SHA256(), hashes.SHA384(), hashes.SHA512())


@dataclass(frozen=True, slots=True)
class OcspAnswer:
    """A response as DER. ``this_update`` and ``next_update`` where a cache may keep it, else None."""

    der: bytes
    this_update: datetime | None = None
    next_update: datetime | None = None


@dataclass(frozen=True, slots=True)
class _OcspQuestion:
    """What a well-formed request asks."""

    digest: hashes.HashAlgorithm
    name_hash: bytes
    key_hash: bytes
    serial: int
    nonce: bytes | None


class _Unanswerable(Exception):
    """The request gets an error without a signature (RFC 6960, section 2.3)."""

    def __init__(self, status: ocsp.OCSPResponseStatus) -> None:
        super().__init__(status.name)
        self.status = status


class OcspResponder:
    """Answers for the certificates of one authority. Any thread."""

    def __init__(
        self,
        store: Store,
        root: Root,
        sources: Sequence[RevocationSource],
        signer: Callable[[], tuple[ec.EllipticCurvePrivateKey, x509.Certificate]],
        clock: Clock = lambda: time.time_ns() // 1000,
    ) -> None:
        self._store = store
        # Kept, not copied: sources that are wired later are asked as well.
        self._sources = sources
        self._signer = signer
        self._clock = clock
        self._issuers = {digest.name: _issuer_hashes(root.certificate, digest) for digest in _DIGESTS}
        self._lock = threading.Lock()
        self._cache: OrderedDict[tuple[str, int], tuple[tuple[bool, RevokedEntry | None], OcspAnswer]] = OrderedDict()

    def answer(self, request: bytes) -> OcspAnswer:
        """The response to a request of any bytes. Blocks on the disk; ``StoreError`` if the records cannot be read."""
        try:
            question = _read(request)
        except _Unanswerable as refused:
            unsigned = ocsp.OCSPResponseBuilder.build_unsuccessful(refused.status)
            return OcspAnswer(unsigned.public_bytes(Encoding.DER))
        known, revoked = self._look_up(question)
        if question.nonce is not None:
            der = self._sign(question, known, revoked, utc(self._clock()))
            return OcspAnswer(der)
        return self._answer_fresh(question, known, revoked)

    def answer_text(self, request: str) -> OcspAnswer:
        """As ``answer``, of a request in base64 (RFC 6960, appendix A.1)."""
        try:
            der = base64.b64decode(request, validate=True)
        except ValueError:
            der = b""
        return self.answer(der)

    def _look_up(self, question: _OcspQuestion) -> tuple[bool, RevokedEntry | None]:
        """Whether the site issued this certificate, and its revocation."""
        if self._issuers.get(question.digest.name) != (question.name_hash, question.key_hash):
            return False, None
        with self._store.read() as connection:
            for source in self._sources:
                found = source.find(connection, question.serial)
                if found is not None:
                    return True, found.revoked
        return False, None

    def _answer_fresh(self, question: _OcspQuestion, known: bool, revoked: RevokedEntry | None) -> OcspAnswer:
        """An answer that a cache may keep: the last one while it is fresh and says the same."""
        now = utc(self._clock())
        # Unknown issuers and serials are of the caller's making: only what is ours may fill the memory.
        key = (question.digest.name, question.serial) if known else None
        if key is not None:
            with self._lock:
                kept = self._cache.get(key)
            if kept is not None and kept[0] == (known, revoked):
                begun = kept[1].this_update
                if begun is not None and timedelta(0) <= now - begun < _FRESH:
                    return kept[1]
        made = OcspAnswer(self._sign(question, known, revoked, now), now, now + LIFE)
        if key is not None:
            with self._lock:
                self._cache[key] = ((known, revoked), made)
                self._cache.move_to_end(key)
                if len(self._cache) > _CACHED:
                    self._cache.popitem(last=False)
        return made

    def _sign(self, question: _OcspQuestion, known: bool, revoked: RevokedEntry | None, now: datetime) -> bytes:
        """The signed response, with the responder's certificate and the caller's nonce."""
        key, certificate = self._signer()
        status = ocsp.OCSPCertStatus.GOOD if known else ocsp.OCSPCertStatus.UNKNOWN
        reason = None
        if revoked is not None:
            status = ocsp.OCSPCertStatus.REVOKED
            reason = None if revoked.reason is None else revoked.reason.flag
        builder = (
            ocsp.OCSPResponseBuilder()
            .add_response_by_hash(
                issuer_name_hash=question.name_hash,
                issuer_key_hash=question.key_hash,
                serial_number=question.serial,
                algorithm=question.digest,
                cert_status=status,
                this_update=now,
                next_update=now + LIFE,
                revocation_time=None if revoked is None else min(utc(revoked.revoked_us), now),
                revocation_reason=reason,
            )
            .responder_id(ocsp.OCSPResponderEncoding.HASH, certificate)
            .certificates([certificate])
        )
        if question.nonce is not None:
            builder = builder.add_extension(x509.OCSPNonce(question.nonce), critical=False)
        return builder.sign(key, hashes.SHA256()).public_bytes(Encoding.DER)


def responder_signer(
    store: Store, keys: Keys, authority: SiteAuthority
) -> Callable[[], tuple[ec.EllipticCurvePrivateKey, x509.Certificate]]:
    """Gives the responder's key with a certificate that is far from its end, which is issued anew when it is not."""
    key = keys.p256(_CERTIFICATE)
    public = key.public_key()
    lock = threading.Lock()
    held: list[x509.Certificate] = []

    def signer() -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
        with lock:
            if not held or held[0].not_valid_after_utc - datetime.now(UTC) < _RENEW_BEFORE:
                held[:] = [
                    ensure_site_certificate(
                        store, _CERTIFICATE, public, lambda: authority.ocsp_signer(public), renew_before=_RENEW_BEFORE
                    )
                ]
            return key, held[0]

    signer()
    return signer


def _read(request: bytes) -> _OcspQuestion:
    """What the request asks. ``_Unanswerable`` for what is no request, asks for several certificates, for a
    negative serial number, or has a nonce of a length that is not allowed."""
    malformed = _Unanswerable(ocsp.OCSPResponseStatus.MALFORMED_REQUEST)
    if not 0 < len(request) <= REQUEST_LIMIT:
        raise malformed
    try:
        asked = ocsp.load_der_ocsp_request(request)
        serial = asked.serial_number
        name_hash, key_hash = asked.issuer_name_hash, asked.issuer_key_hash
        nonce: bytes | None = None
        for extension in asked.extensions:
            if isinstance(extension.value, x509.OCSPNonce):
                nonce = extension.value.nonce
            elif extension.critical:
                raise malformed
    except (ValueError, NotImplementedError, TypeError, x509.DuplicateExtension, UnsupportedAlgorithm):
        raise malformed from None
    # RFC 5280, 4.1.2.2: a serial number is positive, and no response could name another one.
    if serial < 0:
        raise malformed
    if nonce is not None and not 1 <= len(nonce) <= NONCE_MOST:
        raise malformed
    try:
        digest = asked.hash_algorithm
    except UnsupportedAlgorithm:
        raise _Unanswerable(ocsp.OCSPResponseStatus.UNAUTHORIZED) from None
    if digest.name not in {known.name for known in _DIGESTS}:
        raise _Unanswerable(ocsp.OCSPResponseStatus.UNAUTHORIZED)
    if {len(name_hash), len(key_hash)} != {digest.digest_size}:
        raise malformed
    return _OcspQuestion(digest, name_hash, key_hash, serial, nonce)


def _issuer_hashes(issuer: x509.Certificate, digest: hashes.HashAlgorithm) -> tuple[bytes, bytes]:
    """The hashes of the issuer's name and key, by which a request names it (RFC 6960, section 4.1.1)."""
    name, key = hashes.Hash(digest), hashes.Hash(digest)
    name.update(issuer.subject.public_bytes())
    public = issuer.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    key.update(public)
    return name.finalize(), key.finalize()
