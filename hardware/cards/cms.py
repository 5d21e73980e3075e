"""CMS SignedData (RFC 5652) as PIV uses it: one signer, SHA-256, signed attributes, a certificate or none.

The writer makes DER only, with `tlv`. The reader accepts the same profile from any maker, in definite lengths, and
shares only the object identifiers with the writer.

Both are written by hand on purpose. asn1crypto takes ten to twenty times as long to build a message (1.2 ms for a
CHUID, 1.1 ms for a security object, against 0.12 and 0.05) and twice as long to check one. In the benchmark of the full
card order with its proof this raises the ratio to the bare APDUs from about 1.7 to 2.2 (measured on a loaded machine);
the goal is 1.5. asn1crypto and `openssl cms` judge these bytes in the tests instead.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding

from hardware.cards import tlv
from hardware.cards.backend import ProtocolError
from hardware.cards.chain import BROKEN


@lru_cache(maxsize=64)
def oid(dotted: str) -> bytes:
    """An OBJECT IDENTIFIER's DER value, without its tag (X.690, 8.19)."""
    first, second, *rest = (int(arc) for arc in dotted.split("."))
    value = bytearray()
    for arc in (40 * first + second, *rest):
        septets = [arc & 0x7F]
        while arc := arc >> 7:
            septets.append(0x80 | arc & 0x7F)
        value += bytes(reversed(septets))
    return bytes(value)


_INTEGER: Final = 0x02
_OCTETS: Final = 0x04
_NULL: Final = 0x05
_OID: Final = 0x06
_SEQUENCE: Final = 0x30
_SET: Final = 0x31
_CONTEXT_0: Final = 0xA0

_SIGNED_DATA: Final = oid("1.2.840.113549.1.7.2")
_CONTENT_TYPE: Final = oid("1.2.840.113549.1.9.3")
_MESSAGE_DIGEST: Final = oid("1.2.840.113549.1.9.4")
_PIV_SIGNER_DN: Final = oid("2.16.840.1.101.3.6.5")
SHA256: Final = oid("2.16.840.1.101.3.4.2.1")
"""SHA-256's object identifier (RFC 5754)."""
_RSA: Final = oid("1.2.840.113549.1.1.1")
_ECDSA_SHA256: Final = oid("1.2.840.10045.4.3.2")


def sequence(*parts: bytes) -> bytes:
    """A DER SEQUENCE of encoded elements."""
    return tlv.encode(_SEQUENCE, b"".join(parts))


def integer(value: int) -> bytes:
    """A DER INTEGER that is not negative."""
    return tlv.encode(_INTEGER, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def octets(value: bytes) -> bytes:
    """A DER OCTET STRING."""
    return tlv.encode(_OCTETS, value)


def _set_of(parts: Iterable[bytes]) -> bytes:
    """A DER SET OF: its elements in the order of their bytes."""
    return tlv.encode(_SET, b"".join(sorted(parts)))


DIGEST_ALGORITHM: Final = sequence(tlv.encode(_OID, SHA256), tlv.encode(_NULL))
"""AlgorithmIdentifier of SHA-256."""


@dataclass(frozen=True, slots=True)
class ContentSigner:
    """The signer of CHUIDs and security objects: its certificate, and `sign(data)`, which signs data's SHA-256.

    RSA signs PKCS #1 v1.5, EC gives a DER ECDSA signature. The key itself may be in a token.
    """

    certificate: x509.Certificate
    sign: Callable[[bytes], bytes]

    @classmethod
    def of(cls, key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey, certificate: x509.Certificate) -> "ContentSigner":
        """A signer whose key is in this process."""
        if isinstance(key, rsa.RSAPrivateKey):
            private = key
            return cls(certificate, lambda data: private.sign(data, padding.PKCS1v15(), hashes.SHA256()))
        curve_key = key
        return cls(certificate, lambda data: curve_key.sign(data, ec.ECDSA(hashes.SHA256())))


@dataclass(frozen=True, slots=True)
class _Named:
    """A certificate's serial number, issuer and subject, as they are encoded in it (RFC 5280, 4.1)."""

    serial: bytes
    issuer: bytes
    subject: bytes


@lru_cache(maxsize=16)
def _names_in(certificate: x509.Certificate) -> _Named:
    fields = tlv.parse(tlv.unwrap(_SEQUENCE, certificate.tbs_certificate_bytes))
    at = 1 if fields[0].tag == _CONTEXT_0 else 0  # version 1 has no version field
    return _Named(bytes(fields[at]), bytes(fields[at + 2]), bytes(fields[at + 4]))


def sign_cms(
    signer: ContentSigner, content_type: str, content: bytes, *, attach: bool, certificate: bool, name_signer: bool
) -> bytes:
    """A SignedData of version 3 with one SignerInfo (issuerAndSerialNumber, SHA-256, signed attributes).

    `attach`: the content is inside. `certificate`: the signer's is. `name_signer`: with the attribute pivSigner-DN.
    """
    named, kind = _names_in(signer.certificate), tlv.encode(_OID, oid(content_type))
    attributes = [_attribute(_CONTENT_TYPE, kind), _attribute(_MESSAGE_DIGEST, octets(sha256(content).digest()))]
    if name_signer:
        attributes.append(_attribute(_PIV_SIGNER_DN, named.subject))
    # Signed is the SET OF itself, not its implicit [0] (RFC 5652, 5.4).
    signed = _set_of(attributes)
    rsa_key = isinstance(signer.certificate.public_key(), rsa.RSAPublicKey)
    algorithm = tlv.encode(_OID, _RSA) + tlv.encode(_NULL) if rsa_key else tlv.encode(_OID, _ECDSA_SHA256)
    info = sequence(
        integer(1),
        sequence(named.issuer, named.serial),
        DIGEST_ALGORITHM,
        tlv.encode(_CONTEXT_0, tlv.unwrap(_SET, signed)),
        sequence(algorithm),
        octets(signer.sign(signed)),
    )
    body = sequence(
        integer(3),
        _set_of([DIGEST_ALGORITHM]),
        sequence(kind, tlv.encode(_CONTEXT_0, octets(content)) if attach else b""),
        tlv.encode(_CONTEXT_0, signer.certificate.public_bytes(Encoding.DER)) if certificate else b"",
        _set_of([info]),
    )
    return sequence(tlv.encode(_OID, _SIGNED_DATA), tlv.encode(_CONTEXT_0, body))


def _attribute(kind: bytes, value: bytes) -> bytes:
    return sequence(tlv.encode(_OID, kind), _set_of([value]))


@dataclass(frozen=True, slots=True)
class VerifiedCms:
    """A SignedData whose one signature is good: what was signed, as what, by which certificate."""

    content_type: str
    content: bytes
    certificate: x509.Certificate


def verify_cms(
    der: bytes, types: Iterable[str], content: bytes | None = None, signer: x509.Certificate | None = None
) -> VerifiedCms:
    """Check a SignedData with exactly one signer, in definite lengths.

    `content` is the detached content, None if it is inside. `signer` is the certificate where the message has none.
    Does not judge whose the certificate is. Raises `ProtocolError` for anything broken or of another type.
    """
    try:
        return _verify_cms(der, {oid(one): one for one in types}, content, signer)
    except InvalidSignature as error:
        raise ProtocolError("the signature does not verify") from error
    except BROKEN as error:
        raise ProtocolError(f"malformed CMS message: {type(error).__name__}") from error


class DerReader:
    """Takes the elements of one constructed value in their order. Raises `TlvError` for a tag that is not the next."""

    def __init__(self, content: bytes) -> None:
        self._items = tlv.parse(content)
        self._at = 0

    def maybe(self, tag: int) -> bytes | None:
        """The next element's value if it is a `tag`, else None."""
        if self._at == len(self._items) or self._items[self._at].tag != tag:
            return None
        self._at += 1
        return self._items[self._at - 1].value

    def take(self, tag: int) -> bytes:
        """The next element's value."""
        value = self.maybe(tag)
        if value is None:
            raise tlv.TlvError(f"no element {tag:X} where it belongs")
        return value

    def end(self) -> None:
        """Require that no element is left."""
        if self._at != len(self._items):
            raise tlv.TlvError(f"an element {self._items[self._at].tag:X} too many")


def _verify_cms(
    der: bytes, types: dict[bytes, str], content: bytes | None, signer: x509.Certificate | None
) -> VerifiedCms:
    """`verify_cms`, with the errors of the parsers; `types` by encoded object identifier."""
    message = DerReader(tlv.unwrap(_SEQUENCE, der))
    if message.take(_OID) != _SIGNED_DATA:
        raise ProtocolError("not a signed message")
    signed = DerReader(tlv.unwrap(_SEQUENCE, message.take(_CONTEXT_0)))
    message.end()
    if signed.take(_INTEGER) != b"\x03":  # a must for any content but plain data (RFC 5652, 5.1)
        raise ProtocolError("the message is not of version 3")
    signed.take(_SET)
    encapsulated = DerReader(signed.take(_SEQUENCE))
    kind, inner = encapsulated.take(_OID), encapsulated.maybe(_CONTEXT_0)
    encapsulated.end()
    if kind not in types:
        raise ProtocolError(f"signed content is of another type ({kind.hex()})")
    if content is None:
        content = b"" if inner is None else tlv.unwrap(_OCTETS, inner)
    embedded = [bytes(item) for item in tlv.parse(signed.maybe(_CONTEXT_0) or b"") if item.tag == _SEQUENCE]
    signed.maybe(0xA1)  # revocation lists
    infos = tlv.parse(signed.take(_SET))
    signed.end()
    if len(infos) != 1 or infos[0].tag != _SEQUENCE:
        raise ProtocolError("not exactly one signer")
    if signer is None:
        if len(embedded) != 1:
            raise ProtocolError("not exactly one certificate")
        signer = x509.load_der_x509_certificate(embedded[0])
    _verify_signer(infos[0].value, kind, content, signer)
    return VerifiedCms(types[kind], content, signer)


def _verify_signer(info: bytes, kind: bytes, content: bytes, signer: x509.Certificate) -> None:
    """Check a SignerInfo: it names `signer`, its attributes fit the content, and its signature covers them."""
    one = DerReader(info)
    one.take(_INTEGER)
    name = one.maybe(_SEQUENCE)
    if name is None:
        raise ProtocolError("signer is not named by issuer and serial number")
    named = _names_in(signer)
    if name != named.issuer + named.serial:
        raise ProtocolError("signed by another certificate")
    if DerReader(one.take(_SEQUENCE)).take(_OID) != SHA256:
        raise ProtocolError("digest is not SHA-256")
    attributes = one.take(_CONTEXT_0)
    one.take(_SEQUENCE)
    signature = one.take(_OCTETS)
    one.maybe(0xA1)  # unsigned attributes
    one.end()
    values = dict(_attributes(attributes))
    type_value, digest = values[_CONTENT_TYPE], values[_MESSAGE_DIGEST]
    if tlv.unwrap(_OID, type_value) != kind or tlv.unwrap(_OCTETS, digest) != sha256(content).digest():
        raise ProtocolError("signed attributes do not fit the content")
    _verify_signature(signer, signature, tlv.encode(_SET, attributes))


def _attributes(content: bytes) -> Iterable[tuple[bytes, bytes]]:
    """Each attribute's type and its values. Raises `TlvError`, also for one that is there twice."""
    seen = set()
    for item in tlv.parse(content):
        if item.tag != _SEQUENCE:
            raise tlv.TlvError("an attribute is a SEQUENCE")
        one = DerReader(item.value)
        kind, values = one.take(_OID), one.take(_SET)
        one.end()
        if kind in seen:
            raise tlv.TlvError("an attribute is there twice")
        seen.add(kind)
        yield kind, values


def _verify_signature(signer: x509.Certificate, signature: bytes, data: bytes) -> None:
    key = signer.public_key()
    if isinstance(key, ec.EllipticCurvePublicKey):
        key.verify(signature, data, ec.ECDSA(hashes.SHA256()))
    elif isinstance(key, rsa.RSAPublicKey):
        key.verify(signature, data, padding.PKCS1v15(), hashes.SHA256())
    else:
        raise ProtocolError("the signer's key has an unknown algorithm")
