"""The vectors that ``app/capabilities/gateway/README.md`` shows, recomputed."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from app.capabilities.gateway.actions.token import PermitInvalid, PermitTokens
from app.capabilities.gateway.telemetry.proof import ProofInvalid, verify
from app.registry.jwk import thumbprint
from app.registry.messages.jwk import Jwk


def vector(name: str) -> Any:
    """A file of ``tests/vectors``."""
    return json.loads((Path(__file__).parents[3] / "vectors" / name).read_text(encoding="utf-8"))


PERMIT = vector("permit-1.json")
PROOF = vector("enclave-proof-1.json")
NOW = 1_700_000_010


class OneKey:
    """Keys of a site whose permit key is the vector's."""

    def __init__(self) -> None:
        self._key = ec.derive_private_key(int(PERMIT["key_d_hex"], 16), ec.SECP256R1())

    def p256(self, purpose: str) -> ec.EllipticCurvePrivateKey:
        assert purpose == "permit"
        return self._key

    def p256s(self, purpose: str) -> list[ec.EllipticCurvePrivateKey]:
        return [self.p256(purpose)]


def part(token: str, index: int) -> Any:
    """Header or claims of a compact JWS."""
    text = token.split(".")[index]
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def permits() -> PermitTokens:
    """The site that minted the permit."""
    return PermitTokens(OneKey(), PERMIT["origin"])  # type: ignore[arg-type]


def test_the_permit_holds_for_its_unit() -> None:
    """Header and claims are those of the table, and the signature is the key's."""
    claims = permits().verify(PERMIT["token"], unit_id=PERMIT["unit_id"], now_s=NOW)
    assert msgspec.to_builtins(claims) == PERMIT["claims"] == part(PERMIT["token"], 1)
    assert part(PERMIT["token"], 0) == PERMIT["header"]


def test_the_permit_is_no_other_units() -> None:
    """A unit that shows another one's permit is refused."""
    with pytest.raises(PermitInvalid, match="another unit"):
        permits().verify(PERMIT["token"], unit_id="unit-2", now_s=NOW)


def test_the_proof_holds_for_its_place() -> None:
    """Signature, address, key and API key; the digest is what the store uses up."""
    key = msgspec.convert(PROOF["jwk"], Jwk)
    claims = PROOF["claims"]
    proof = verify(
        PROOF["proof"], registered=key, method="GET", url=claims["htu"], now_s=NOW, access_token=PROOF["api_key"]
    )
    assert (thumbprint(key), proof.digest.hex()) == (PROOF["thumbprint"], PROOF["digest_hex"])
    assert hashlib.sha256(f"{PROOF['thumbprint']}\n{claims['jti']}".encode()).hexdigest() == PROOF["digest_hex"]
    assert part(PROOF["proof"], 1) == claims


def test_the_proof_is_of_its_minute() -> None:
    """After 60 seconds it is refused."""
    key = msgspec.convert(PROOF["jwk"], Jwk)
    with pytest.raises(ProofInvalid, match="60 s"):
        verify(PROOF["proof"], registered=key, method="GET", url=PROOF["claims"]["htu"], now_s=1_700_000_061)


def test_the_page_shows_these_values() -> None:
    """What a reader copies from the page is what the files hold."""
    page = (Path(__file__).parents[4] / "app" / "capabilities" / "gateway" / "README.md").read_text(encoding="utf-8")
    shown = [json.dumps(PERMIT[name], separators=(",", ":")) for name in ("header", "claims")]
    shown += [PROOF["thumbprint"], PROOF["claims"]["jti"], PROOF["digest_hex"]]
    assert [text for text in shown if text not in page] == []
