"""The console's proofs of possession, read by an independent library."""

from __future__ import annotations

from joserfc import jws
from joserfc.jwk import ECKey

from app.console.connection.client import unit_id
from app.console.connection.unit_key import UnitKeyPair


def test_a_proof_verifies_with_its_own_key() -> None:
    """ES256 over the header and claims of RFC 9449's shape, read by joserfc."""
    key = UnitKeyPair.generate()
    proof = key.proof("GET", "http://127.0.0.1:1/v1/telemetry-stream?unit_id=x#y", now=1000.7)
    found = jws.deserialize_compact(proof, ECKey.import_key(dict(key.jwk)), algorithms=["ES256"])
    assert found.protected["typ"] == "dpop+jwt"
    assert found.protected["jwk"] == key.jwk
    assert b'"htm":"GET","htu":"http://127.0.0.1:1/v1/telemetry-stream","iat":1000,' in found.payload


def test_two_proofs_are_never_the_same() -> None:
    """Each connect has an identifier of its own, so that a seen proof opens nothing."""
    key = UnitKeyPair.generate()
    assert key.proof("GET", "http://h/p", now=1.0) != key.proof("GET", "http://h/p", now=1.0)


def test_the_thumbprint_is_rfc_7638_s() -> None:
    """As joserfc computes it."""
    key = UnitKeyPair.generate()
    assert key.thumbprint == ECKey.import_key(dict(key.jwk)).thumbprint()


def test_each_launch_is_a_unit_of_its_own() -> None:
    """Two consoles of one user on one machine have two names, each of the key's own."""
    one, other = UnitKeyPair.generate(), UnitKeyPair.generate()
    assert unit_id(one) != unit_id(other)
    assert unit_id(one) == unit_id(one)
    assert unit_id(one).startswith("console-")
