"""The console's proofs of possession, read by an independent library."""

from __future__ import annotations

import pytest
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


def test_a_machine_without_a_keyring_has_a_key_for_the_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written anywhere, and the name in the registry is taken over each time."""
    import keyring
    import keyring.backends.fail

    monkeypatch.setattr(keyring, "get_password", keyring.backends.fail.Keyring().get_password)
    one, kept = UnitKeyPair.load("console")
    other, _ = UnitKeyPair.load("console")
    assert not kept
    assert one.thumbprint != other.thumbprint
    assert unit_id(one, kept) == unit_id(other, kept)


def test_a_kept_key_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second start signs with the key of the first."""
    import keyring

    kept: dict[tuple[str, str], str] = {}
    monkeypatch.setattr(keyring, "get_password", lambda service, name: kept.get((service, name)))
    monkeypatch.setattr(keyring, "set_password", lambda service, name, value: kept.update({(service, name): value}))
    one, _ = UnitKeyPair.load("console")
    other, stored = UnitKeyPair.load("console")
    assert stored
    assert one.thumbprint == other.thumbprint


def test_rubbish_in_the_keyring_gives_a_key_for_the_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else's entry is not overwritten."""
    import keyring

    monkeypatch.setattr(keyring, "get_password", lambda _service, _name: "bm90IGEga2V5")
    key, kept = UnitKeyPair.load("console")
    assert not kept
    assert key.thumbprint
