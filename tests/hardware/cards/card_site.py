"""What card tests share: a training authority (as provisioning is to the cards) and a scripted card."""

import datetime
from collections.abc import Callable, Sequence
from typing import Self
from uuid import UUID

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from hardware.cards.cms import ContentSigner
from hardware.cards.piv import ManagementAlgorithm, ManagementKey, PublicKey, Slot
from hardware.cards.profile import Profile, Secrets

PIN, PUK = "80417263", "59026184"
AES_256 = ManagementKey(ManagementAlgorithm.AES_256, bytes(range(32)))
TDES = ManagementKey(ManagementAlgorithm.TDES, bytes(range(3, 51, 2)))


def name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


class TestSite:
    """Implements `CertificateIssuer`."""

    __test__ = False

    def __init__(self, years: int = 12) -> None:
        now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
        self.expires = now + datetime.timedelta(days=3 * 365)
        self._start, self._end = now - datetime.timedelta(hours=1), now + datetime.timedelta(days=365 * years)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.root = self._certificate("TRAINING Root", self._key.public_key(), [], ca=True)
        signer = ec.generate_private_key(ec.SECP256R1())
        self._signer = ContentSigner.of(signer, self._certificate("TRAINING Signer", signer.public_key(), []))

    @property
    def authorities(self) -> Sequence[x509.Certificate]:
        return [self.root]

    @property
    def content_signer(self) -> ContentSigner:
        return self._signer

    def issue(self, slot: Slot, public_key: PublicKey, guid: UUID, profile: Profile) -> bytes:
        uris = [f"urn:arc-node:{profile.node_id}", f"urn:uuid:{guid}"]
        subject = str(guid) if slot is Slot.CARD_AUTHENTICATION else profile.display_name
        return self._certificate(subject, public_key, uris).public_bytes(Encoding.DER)

    def profile(self, **changes: object) -> Profile:
        values = {
            "node_id": "node-0007",
            "display_name": "Training Person 07",
            "issuer": "TRAINING ARC",
            "expires": self.expires,
        }
        return Profile(**(values | changes))  # type: ignore[arg-type]

    def _certificate(self, subject: str, key: PublicKey, uris: list[str], *, ca: bool = False) -> x509.Certificate:
        builder = (
            x509.CertificateBuilder()
            .subject_name(name(subject))
            .issuer_name(name("TRAINING Root"))
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(self._start)
            .not_valid_after(self._end)
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        )
        if uris:
            alternative = [x509.UniformResourceIdentifier(uri) for uri in uris]
            builder = builder.add_extension(x509.SubjectAlternativeName(alternative), critical=False)
        return builder.sign(self._key, hashes.SHA256())


def new_secrets(**changes: object) -> Secrets:
    values = {"pin": PIN, "puk": PUK, "management": (AES_256, TDES)}
    return Secrets(**(values | changes))  # type: ignore[arg-type]


Answer = Callable[[bytes], bytes]


class ScriptedConnection:
    """A connection whose card is a function; keeps what was sent. An exception as answer is raised."""

    def __init__(self, answer: Answer, atr: bytes = b"\x3b\x00") -> None:
        self._answer = answer
        self.atr = atr
        self.reader = "Scripted"
        self.sent: list[bytes] = []
        self.fresh = 0

    @classmethod
    def of(cls, *answers: str | Exception) -> "ScriptedConnection":
        """Answers in this order, as hex; the last one is repeated for ever."""
        rest = list(answers)

        def answer(_: bytes) -> bytes:
            one = rest.pop(0) if len(rest) > 1 else rest[0]
            if isinstance(one, Exception):
                raise one
            return bytes.fromhex(one)

        return cls(answer)

    def transmit(self, apdu: bytes) -> bytes:
        self.sent.append(apdu)
        return self._answer(apdu)

    def reconnect_fresh(self) -> None:
        self.fresh += 1

    def close(self) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
