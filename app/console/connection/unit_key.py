"""The console's own identity as a unit: an EC P-256 key and the proofs that it signs for the telemetry stream.

The key lives as long as the process: each launch is a unit of its own, so that no two consoles take one from each
other. It never touches a file, an argument or a log line.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


class UnitKeyPair:
    """An ES256 key pair (RFC 7518, section 3.4)."""

    def __init__(self, private: ec.EllipticCurvePrivateKey) -> None:
        self._private = private
        numbers = private.public_key().public_numbers()
        self.jwk = {
            "crv": "P-256",
            "kty": "EC",
            "x": _b64(numbers.x.to_bytes(32, "big")),
            "y": _b64(numbers.y.to_bytes(32, "big")),
        }
        """Public key as a JSON Web Key, members in the order of RFC 7638."""
        canonical = json.dumps(self.jwk, separators=(",", ":"), sort_keys=True).encode()
        self.thumbprint = _b64(hashlib.sha256(canonical).digest())
        """RFC 7638 thumbprint."""

    @classmethod
    def generate(cls) -> UnitKeyPair:
        """A new key that lives as long as the process."""
        return cls(ec.generate_private_key(ec.SECP256R1()))

    def proof(self, method: str, url: str, *, now: float | None = None) -> str:
        """A proof of possession for one request (RFC 9449's shape): ``url`` without query and fragment."""
        target = url.split("#", 1)[0].split("?", 1)[0]
        header = {"alg": "ES256", "jwk": self.jwk, "typ": "dpop+jwt"}
        claims = {
            "htm": method,
            "htu": target,
            "iat": int(time.time() if now is None else now),
            "jti": secrets.token_urlsafe(16),
        }
        signing = ".".join(_b64(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims))
        r, s = decode_dss_signature(self._private.sign(signing.encode("ascii"), ec.ECDSA(hashes.SHA256())))
        return f"{signing}.{_b64(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"
