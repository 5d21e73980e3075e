"""What a holder proves with a card: a signature of slot 9A over a statement, after the PIN."""

from dataclasses import dataclass
from hashlib import sha256, sha384

from cryptography import x509

from hardware.cards.apdu import ApduChannel
from hardware.cards.backend import CardBackend, CardError
from hardware.cards.piv import Algorithm, PivSession, Slot, algorithm_of, pkcs1_block


class NoAuthenticationKey(CardError):
    """The card has no certificate in slot 9A, or one for a kind of key that no slot holds."""

    REMEDY = "Use a card that this site has written."


@dataclass(frozen=True, slots=True)
class CardAnswer:
    """`certificate`: of slot 9A, DER. `signature`: ECDSA (DER) with SHA-256 (P-256) or SHA-384 (P-384), or RSA PKCS #1
    v1.5 with SHA-256.
    """

    certificate: bytes
    signature: bytes


def sign_statement(backend: CardBackend, reader: str, statement: bytes, pin: str) -> CardAnswer:
    """The card in `reader` signs `statement`. The certificate is read first, so that a card which cannot answer costs
    no PIN try. Raises `CardError`: `StatusWordError` with its tries for a wrong PIN, `CardLocked` for a blocked one.
    """
    with backend.open(reader) as connection:
        piv = PivSession(ApduChannel(connection))
        piv.select()
        certificate = piv.read_certificate(Slot.AUTHENTICATION)
        if certificate is None:
            raise NoAuthenticationKey(f"{reader}: no certificate in slot 9A")
        try:
            key = x509.load_der_x509_certificate(certificate).public_key()
        except ValueError as error:
            raise NoAuthenticationKey(f"{reader}: the certificate in slot 9A cannot be read") from error
        algorithm = algorithm_of(key)
        if algorithm is None:
            raise NoAuthenticationKey(f"{reader}: slot 9A has a kind of key that PIV does not know")
        piv.verify(pin)
        return CardAnswer(certificate, piv.sign(Slot.AUTHENTICATION, algorithm, _payload(algorithm, statement)))


def _payload(algorithm: Algorithm, statement: bytes) -> bytes:
    if algorithm.is_rsa:
        return pkcs1_block(sha256(statement).digest(), algorithm.bits // 8)
    return (sha384 if algorithm is Algorithm.P384 else sha256)(statement).digest()
