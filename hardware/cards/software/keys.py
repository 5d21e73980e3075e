"""Key pairs inside the card: generation and the raw private-key operations of GENERAL AUTHENTICATE."""

from typing import Final

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_der_private_key,
)

from hardware.cards.software.command import StatusWord, Sw
from hardware.cards.tlv import encode

CardKey = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey

_CURVES: Final[dict[int, tuple[ec.EllipticCurve, hashes.HashAlgorithm]]] = {
    0x11: (ec.SECP256R1(), hashes.SHA256()),
    0x14: (ec.SECP384R1(), hashes.SHA384()),
}
_RSA_BITS: Final = {0x07: 2048, 0x05: 3072}


def generate(algorithm: int) -> CardKey:
    """Make a key pair of one of `quirks.ALGORITHMS`."""
    if algorithm in _CURVES:
        return ec.generate_private_key(_CURVES[algorithm][0])
    return rsa.generate_private_key(65537, _RSA_BITS[algorithm])


def to_der(key: CardKey) -> bytes:
    """PKCS #8 DER without encryption, as the state file holds it."""
    return key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())


def from_der(der: bytes) -> CardKey:
    """Read what `to_der` wrote; the key is our own, so its primes are not tested again on every start."""
    key = load_der_private_key(der, None, unsafe_skip_rsa_key_validation=True)
    if not isinstance(key, ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey):
        raise TypeError("not a key of this card")
    return key


def public_template(key: CardKey) -> bytes:
    """Public key in the elements of 7F49: 86 point, or 81 modulus and 82 exponent (SP 800-73-5 part 2, 3.3.2)."""
    if isinstance(key, ec.EllipticCurvePrivateKey):
        return encode(0x86, key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))
    numbers = key.public_key().public_numbers()
    return encode(0x81, numbers.n.to_bytes(key.key_size // 8, "big")) + encode(0x82, numbers.e.to_bytes(3, "big"))


def apply(key: CardKey, algorithm: int, value: bytes) -> bytes:
    """Element 81 of GENERAL AUTHENTICATE: ECDSA (DER) over a hash of at most the curve's size, or RSA over a block of
    exactly the modulus' size. Raises `StatusWord` 6A80 for other lengths or a block not below the modulus.
    """
    if isinstance(key, ec.EllipticCurvePrivateKey):
        digest = _CURVES[algorithm][1]
        if not 0 < len(value) <= digest.digest_size:
            raise StatusWord(Sw.WRONG_DATA)
        # A shorter hash is the same integer with zeros in front (FIPS 186-5, 6.4.1).
        return key.sign(value.rjust(digest.digest_size, b"\0"), ec.ECDSA(Prehashed(digest)))
    size = key.key_size // 8
    numbers = key.private_numbers()
    block = int.from_bytes(value, "big")
    if len(value) != size or block >= numbers.public_numbers.n:
        raise StatusWord(Sw.WRONG_DATA)
    # Chinese remainder: a third of the time of one power with the full private exponent.
    low = pow(block % numbers.q, numbers.dmq1, numbers.q)
    high = pow(block % numbers.p, numbers.dmp1, numbers.p)
    return (low + (numbers.iqmp * (high - low)) % numbers.p * numbers.q).to_bytes(size, "big")


def agree(key: CardKey, algorithm: int, point: bytes) -> bytes:
    """Element 85: the x coordinate of ECDH with an uncompressed point on the key's own curve; `StatusWord` 6A80 if
    not."""
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise StatusWord(Sw.WRONG_DATA)
    try:
        peer = ec.EllipticCurvePublicKey.from_encoded_point(_CURVES[algorithm][0], point)
    except ValueError:
        raise StatusWord(Sw.WRONG_DATA) from None
    return key.exchange(ec.ECDH(), peer)
