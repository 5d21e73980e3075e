"""The proof of a written card: in a fresh session every object reads back to the byte, every signature holds, and the
card uses each private key on something it cannot know before.
"""

import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed

from hardware.cards.backend import CardError, CardUnproven, ProtocolError, StatusWordError, TransportError
from hardware.cards.chain import issued_by
from hardware.cards.objects import parse_chuid, verify_chuid, verify_security_object
from hardware.cards.piv import Algorithm, ManagementKey, PivObject, PivSession, PublicKey, Slot, pkcs1_block
from hardware.cards.profile import CertificateIssuer, ProfileVerification
from hardware.cards.reference_data import Draws

_NOT_VERIFIED = 0x6982


@dataclass(slots=True)
class CardContent:
    """What was written to a card: the objects that it took, and for each slot algorithm, public key and certificate."""

    objects: dict[PivObject, bytes] = field(default_factory=dict)
    algorithms: dict[Slot, Algorithm] = field(default_factory=dict)
    keys: dict[Slot, PublicKey] = field(default_factory=dict)
    certificates: dict[Slot, x509.Certificate] = field(default_factory=dict)

    def unsigned_objects(self) -> dict[PivObject, bytes]:
        """The objects that were written and that the security object covers."""
        items = (PivObject.CCC, PivObject.CHUID, PivObject.PRINTED, PivObject.KEY_HISTORY)
        return {item: self.objects[item] for item in items if item in self.objects}


def signs(piv: PivSession, slot: Slot, algorithm: Algorithm, key: object) -> bool:
    """Whether the card signs random bytes with the private key of `key`. Raises `CardError`."""
    if isinstance(key, rsa.RSAPublicKey):
        digest = secrets.token_bytes(32)
        signature = piv.sign(slot, algorithm, pkcs1_block(digest, key.key_size // 8))
        return _accepts(lambda: key.verify(signature, digest, padding.PKCS1v15(), Prehashed(hashes.SHA256())))
    if not isinstance(key, ec.EllipticCurvePublicKey):
        return False
    hashed = hashes.SHA256() if algorithm is Algorithm.P256 else hashes.SHA384()
    digest = secrets.token_bytes(hashed.digest_size)
    signature = piv.sign(slot, algorithm, digest)
    return _accepts(lambda: key.verify(signature, digest, ec.ECDSA(Prehashed(hashed))))


class PossessionProof:
    """Proves that the card holds `content`. `open_session` selects the application again, in its secure channel where
    there is one. `pin` has settled on the card's PIN by then. `unproven` names the slots whose key failed its proof.
    """

    def __init__(
        self,
        piv: PivSession,
        content: CardContent,
        issuer: CertificateIssuer,
        pin: Draws,
        open_session: Callable[[], None],
    ) -> None:
        self._piv = piv
        self._content = content
        self._issuer = issuer
        self._pin = pin
        self._open = open_session
        self.unproven: list[Slot] = []

    def prove(self, management: ManagementKey) -> ProfileVerification:
        """Power off and on, then check everything with one VERIFY, 9C right after it. Raises `CardUnproven`,
        `TransportError`.
        """
        self._piv.channel.reconnect_fresh()
        reasons: list[str] = []
        try:
            self._open()
            self._piv.verify(self._pin.value)
            order = (Slot.SIGNATURE, Slot.AUTHENTICATION, Slot.CARD_AUTHENTICATION, Slot.KEY_MANAGEMENT)
            self.unproven = [slot for slot in order if not self._proves(slot)]
            reasons += [f"{slot.label} does not prove its key" for slot in self.unproven]
            read = {item: self._read(item) for item in self._content.objects}
            reasons += [
                f"{item.name} reads back differently"
                for item, content in self._content.objects.items()
                if read[item] != content
            ]
            reasons += self._signatures(read)
            self._piv.authenticate_management([management], management.algorithm)
        except TransportError:
            raise
        except CardError as error:
            raise CardUnproven((*reasons, str(error))) from error
        if reasons:
            raise CardUnproven(tuple(reasons))
        return ProfileVerification(
            read_back=True,
            proof_of_possession=True,
            chuid_signature=True,
            security_object=PivObject.SECURITY in self._content.objects,
        )

    def _read(self, item: PivObject) -> bytes | None:
        try:
            return self._piv.get_object(item)
        except StatusWordError as error:
            if error.sw != _NOT_VERIFIED:
                raise
        # On some cards every use of a key ends the verification, also for objects that need the PIN.
        self._piv.verify(self._pin.value)
        return self._piv.get_object(item)

    def _signatures(self, read: Mapping[PivObject, bytes | None]) -> list[str]:
        """What is wrong with the signatures on the objects as read, and with the certificates' issuer."""
        reasons = [
            f"{slot.label}'s certificate does not lead to the authority"
            for slot, certificate in self._content.certificates.items()
            if not issued_by(certificate, self._issuer.authorities)
        ]
        signer = self._issuer.content_signer.certificate
        try:
            verified = verify_chuid(parse_chuid(read[PivObject.CHUID] or b""))
            if verified.certificate != signer or not issued_by(signer, self._issuer.authorities):
                reasons.append("the CHUID's signer does not lead to the authority")
            security = read.get(PivObject.SECURITY)
            if security is not None:
                covered = {item: read[item] or b"" for item in self._content.unsigned_objects()}
                verify_security_object(security, covered, signer)
        except ProtocolError as error:
            reasons.append(str(error))
        return reasons

    def _proves(self, slot: Slot) -> bool:
        try:
            return self._prove(slot)
        except StatusWordError as error:
            if error.sw != _NOT_VERIFIED:
                raise
        # On some cards every use of 9C ends the verification. The PIN is known to be right: no try is at risk.
        self._piv.verify(self._pin.value)
        return self._prove(slot)

    def _prove(self, slot: Slot) -> bool:
        """Let the card use the slot's private key on something it cannot know before."""
        algorithm, key = self._content.algorithms[slot], self._content.keys[slot]
        if slot is not Slot.KEY_MANAGEMENT:
            return signs(self._piv, slot, algorithm, key)
        if isinstance(key, rsa.RSAPublicKey):
            return self._proves_decryption(slot, algorithm, key)
        ephemeral = ec.generate_private_key(key.curve)
        shared = self._piv.agree(slot, algorithm, ephemeral.public_key())
        return hmac.compare_digest(shared, ephemeral.exchange(ec.ECDH(), key))

    def _proves_decryption(self, slot: Slot, algorithm: Algorithm, key: rsa.RSAPublicKey) -> bool:
        size = key.key_size // 8
        filler = bytes(byte or 1 for byte in secrets.token_bytes(size - 35))
        block = b"\x00\x02" + filler + b"\x00" + secrets.token_bytes(32)
        numbers = key.public_numbers()
        cipher = pow(int.from_bytes(block, "big"), numbers.e, numbers.n).to_bytes(size, "big")
        return hmac.compare_digest(self._piv.sign(slot, algorithm, cipher), block)


def _accepts(verify: Callable[[], None]) -> bool:
    try:
        verify()
    except InvalidSignature:
        return False
    return True
