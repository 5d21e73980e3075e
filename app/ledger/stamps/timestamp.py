"""RFC 3161 time stamps over checkpoints: the embedded authority, requests to outside ones, and the judgement of both.

A token states that a checkpoint existed at a time. Our own token proves order, not independence, because it is signed
on the same machine. It is joined from fixed DER fragments, because only imprint, serial, time and signature change:
that is twenty times cheaper than building an object tree for each."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding

TOKEN_LIMIT: Final = 65_536
"""Bytes of the longest token that is parsed at all."""
APART_S: Final = 300.0
"""A stamp's time is at most so far from the time when the quorum was met, or when the stamp was asked for."""

_SEQUENCE, _SET, _INTEGER, _OCTETS, _OID, _TIME = 0x30, 0x31, 0x02, 0x04, 0x06, 0x18
_SHA256: Final = bytes.fromhex("300d06096086480165030402010500")
_ECDSA_SHA256: Final = bytes.fromhex("300a06082a8648ce3d040302")
_SIGNED_DATA: Final = bytes.fromhex("06092a864886f70d010702")
_TST_INFO: Final = bytes.fromhex("060b2a864886f70d0109100104")
_CONTENT_TYPE: Final = bytes.fromhex("06092a864886f70d010903")
_MESSAGE_DIGEST: Final = bytes.fromhex("06092a864886f70d010904")
_SIGNING_CERTIFICATE: Final = bytes.fromhex("060b2a864886f70d010910022f")
_YES: Final = bytes.fromhex("0101ff")
_ACCURACY: Final = bytes.fromhex("3003020101")
"""An accuracy of one second."""


class StampError(ValueError):
    """The token is not over the wanted bytes, or no trusted authority signed it; or no token can be made at this
    time."""


class StampAuthority:
    """Signs tokens with a key whose certificate is for nothing else (``id-kp-timeStamping``, critical)."""

    def __init__(
        self,
        certificate: x509.Certificate,
        key: ec.EllipticCurvePrivateKey,
        policy: str,
        above: Sequence[x509.Certificate] = (),
    ) -> None:
        """``policy``: the object identifier of its rules, dotted; for a site ``2.25.<UUID as a number>``. ``above``:
        the certificates above its own. ``ValueError`` if certificate and key do not belong together."""
        if certificate.public_key() != key.public_key():
            raise ValueError("the time-stamp authority's certificate does not belong to its key")
        self.certificate = certificate
        self._begins = max(one.not_valid_before_utc for one in (certificate, *above))
        self._ends = min(one.not_valid_after_utc for one in (certificate, *above))
        self._key = key
        der = certificate.public_bytes(Encoding.DER)
        issuer = certificate.issuer.public_bytes()
        serial = _tlv(_INTEGER, _number(certificate.serial_number))
        self._policy = _tlv(_OID, _arcs(policy))
        # ESSCertIDv2 (RFC 5816); DER omits the default digest, SHA-256.
        essential = _tlv(
            _SEQUENCE,
            _tlv(_OCTETS, hashlib.sha256(der).digest()) + _tlv(_SEQUENCE, _tlv(_SEQUENCE, _tlv(0xA4, issuer)) + serial),
        )
        self._fixed = (
            _attribute(_CONTENT_TYPE, _TST_INFO),
            _attribute(_SIGNING_CERTIFICATE, _tlv(_SEQUENCE, _tlv(_SEQUENCE, essential))),
        )
        self._certificates = _tlv(0xA0, der)
        self._signer = _tlv(_INTEGER, b"\1") + _tlv(_SEQUENCE, issuer + serial) + _SHA256

    def token(self, data: bytes, at: datetime) -> bytes:
        """A TimeStampToken (DER ContentInfo) over SHA-256 of ``data``. ``at`` must know its zone; the token has it in
        whole seconds, because readers drop fractions. Serials are 16 random bytes: unique without a counter, which a
        restored backup could turn back. ``StampError`` for a time at which the certificates are not valid: nobody would
        ever accept the token."""
        return self.stamp(hashlib.sha256(data).digest(), at)

    def stamp(self, digest: bytes, at: datetime) -> bytes:
        """As ``token``, over a SHA-256 that the caller has made."""
        if not self._begins <= at <= self._ends:
            raise StampError(
                f"this machine's clock says {at:%Y-%m-%d %H:%M:%S} UTC, and the certificate of the time stamps is good "
                f"from {self._begins:%Y-%m-%d %H:%M:%S} to {self._ends:%Y-%m-%d %H:%M:%S}"
            )
        info = _tlv(
            _SEQUENCE,
            _tlv(_INTEGER, b"\1")
            + self._policy
            + _tlv(_SEQUENCE, _SHA256 + _tlv(_OCTETS, digest))
            + _tlv(_INTEGER, _number(secrets.randbits(127) | 1 << 126))
            + _tlv(_TIME, f"{at.astimezone(UTC):%Y%m%d%H%M%SZ}".encode())
            + _ACCURACY,
        )
        digest = _attribute(_MESSAGE_DIGEST, _tlv(_OCTETS, hashlib.sha256(info).digest()))
        # DER orders a SET by its members' bytes, and the digest differs each time.
        attributes = b"".join(sorted((*self._fixed, digest)))
        signature = self._key.sign(_tlv(_SET, attributes), ec.ECDSA(hashes.SHA256()))
        signer = _tlv(_SEQUENCE, self._signer + _tlv(0xA0, attributes) + _ECDSA_SHA256 + _tlv(_OCTETS, signature))
        content = _tlv(_SEQUENCE, _TST_INFO + _tlv(0xA0, _tlv(_OCTETS, info)))
        signed = _tlv(
            _SEQUENCE, _tlv(_INTEGER, b"\3") + _tlv(_SET, _SHA256) + content + self._certificates + _tlv(_SET, signer)
        )
        return _tlv(_SEQUENCE, _SIGNED_DATA + _tlv(0xA0, signed))


def verify_token(token: bytes, data: bytes, roots: Sequence[x509.Certificate]) -> datetime:
    """When ``data`` was stamped, according to an authority under one of ``roots``; ``StampError`` otherwise."""
    # Imported here: a process that only makes stamps never loads it.
    from rfc3161_client import VerificationError, VerifierBuilder, decode_timestamp_response

    if len(token) > TOKEN_LIMIT:
        raise StampError("the time stamp is too long")
    try:
        response = decode_timestamp_response(response_of(token))
        VerifierBuilder(roots=list(roots)).build().verify_message(response, data)
        _read_the_rest(token)
        return response.tst_info.gen_time.astimezone(UTC)
    except VerificationError as error:
        raise StampError(f"the time stamp does not verify: {error}") from error
    except ValueError as error:
        raise StampError("not a time stamp") from error


def imprint_of(token: bytes) -> bytes:
    """The SHA-256 that a token is over, without judging its signer; ``StampError`` if it is no token over one."""
    from asn1crypto import cms, tsp

    if len(token) > TOKEN_LIMIT:
        raise StampError("the time stamp is too long")
    try:
        content = cms.ContentInfo.load(token, strict=True)["content"]["encap_content_info"]["content"]
        imprint = tsp.TSTInfo.load(content.parsed.dump(), strict=True)["message_imprint"]
        if imprint["hash_algorithm"]["algorithm"].native == "sha256":
            return bytes(imprint["hashed_message"].native)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise StampError("not a time stamp") from error
    raise StampError("the time stamp's imprint is not SHA-256")


def _read_the_rest(token: bytes) -> None:
    """``ValueError`` unless the fields that OpenSSL skips have the required values (RFC 5652 sections 5.1 and 5.3).
    No signature covers them: without this check an edited token could still verify."""
    from asn1crypto import cms

    signed = cms.ContentInfo.load(token, strict=True)["content"]
    signer = signed["signer_infos"][0]
    algorithm = signer["signature_algorithm"]
    version = "v1" if signer["sid"].name == "issuer_and_serial_number" else "v3"
    # rsaEncryption names no digest; every other algorithm must name the digest of the signer.
    digest = signer["digest_algorithm"]["algorithm"].native
    named = digest if algorithm["algorithm"].native == "rsassa_pkcs1v15" else algorithm.hash_algo
    if (signed["version"].native, signer["version"].native, named) != ("v3", version, digest):
        raise ValueError("the time stamp's versions or algorithms do not fit each other")


def request_of(data: bytes, nonce: int, policy: str | None = None) -> bytes:
    """A TimeStampReq (RFC 3161 section 2.4.1) for SHA-256 of ``data`` that asks for the authority's certificate.
    ``nonce`` is positive. ``policy``: the only one to stamp under, dotted; ``None`` leaves it to the authority."""
    return _tlv(
        _SEQUENCE,
        _tlv(_INTEGER, b"\1")
        + _tlv(_SEQUENCE, _SHA256 + _tlv(_OCTETS, hashlib.sha256(data).digest()))
        + (b"" if policy is None else _tlv(_OID, _arcs(policy)))
        + _tlv(_INTEGER, _number(nonce))
        + _YES,
    )


def read_answer(
    response: bytes, data: bytes, nonce: int, roots: Sequence[x509.Certificate], policy: str | None = None
) -> tuple[bytes, datetime]:
    """The token in the answer to ``request_of(data, nonce, policy)``, and when ``data`` was stamped. ``StampError`` if
    the authority refused, answered something else, or is not under one of ``roots``."""
    from rfc3161_client import decode_timestamp_response

    token = token_of(response)
    at = verify_token(token, data, roots)
    info = decode_timestamp_response(response_of(token)).tst_info
    if info.nonce != nonce:
        raise StampError("the authority answered another request")
    if policy is not None and info.policy.dotted_string != policy:
        raise StampError(f"the authority stamped under the policy {info.policy.dotted_string}")
    return token, at


def response_of(token: bytes) -> bytes:
    """The token as a granted TimeStampResp (RFC 3161 section 2.4.2)."""
    return _tlv(_SEQUENCE, bytes.fromhex("3003020100") + token)


def token_of(response: bytes) -> bytes:
    """The token of a granted TimeStampResp; ``StampError`` if the request was refused, or it is no such answer."""
    from asn1crypto import tsp

    if len(response) > TOKEN_LIMIT:
        raise StampError("the authority's answer is too long")
    try:
        answer = tsp.TimeStampResp.load(response, strict=True)
        status, token = answer["status"]["status"].native, answer["time_stamp_token"]
        if status in ("granted", "granted_with_mods"):
            return _in_der(token)
    except (ValueError, TypeError) as error:
        raise StampError("the authority's answer is no time stamp") from error
    raise StampError(f"the authority refused to stamp: {status}")


def _in_der(token: Any) -> bytes:
    """The token's bytes with its certificates in DER's order of a SET. OpenSSL sends them in the order of the
    authority's configuration, which strict readers refuse; no signature covers the order."""
    from asn1crypto import cms

    signed = token["content"]
    found = [one.dump() for one in signed["certificates"]]
    if found != sorted(found):
        signed["certificates"] = cms.CertificateSet([cms.CertificateChoices.load(one) for one in sorted(found)])
    return bytes(token.dump())


def _attribute(kind: bytes, value: bytes) -> bytes:
    return _tlv(_SEQUENCE, kind + _tlv(_SET, value))


def _tlv(tag: int, value: bytes) -> bytes:
    length = len(value)
    if length < 0x80:
        return bytes((tag, length)) + value
    size = length.to_bytes((length.bit_length() + 7) // 8)
    return bytes((tag, 0x80 | len(size))) + size + value


def _number(value: int) -> bytes:
    """A positive INTEGER's content."""
    return value.to_bytes(value.bit_length() // 8 + 1)


def _arcs(dotted: str) -> bytes:
    """An OBJECT IDENTIFIER's content; ``ValueError`` if the text is no dotted identifier."""
    first, second, *rest = (int(arc) for arc in dotted.split("."))
    coded = bytearray()
    for arc in (first * 40 + second, *rest):
        septets = [arc & 0x7F]
        while arc := arc >> 7:
            septets.append(arc & 0x7F | 0x80)
        coded += bytes(reversed(septets))
    return bytes(coded)
