"""A card signs a statement by slot 9A after its PIN, with every kind of key that the slot may hold."""

from __future__ import annotations

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

from hardware.cards.apdu import ApduChannel
from hardware.cards.backend import CardLocked, StatusWordError
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.personalize import Personalizer
from hardware.cards.piv import Algorithm, PivSession, Slot
from hardware.cards.software import SoftwareCard
from hardware.cards.statement import NoAuthenticationKey, sign_statement
from tests.hardware.cards.card_site import PIN, TestSite, new_secrets

STATEMENT = b"arc-operator-sign-in/v1\norigin http://127.0.0.1:8700\nunit desk-1\nnonce AAEC\n"
SITE = TestSite()


def written(algorithm: Algorithm) -> InProcessBackend:
    """A reader with a personalized card."""
    backend = InProcessBackend(["R"])
    backend.insert("R", SoftwareCard())
    profile = SITE.profile(algorithms=dict.fromkeys(Slot, algorithm))
    with backend.open("R") as connection:
        Personalizer(SITE).run(ApduChannel(connection), profile, new_secrets())
    return backend


@pytest.mark.parametrize("algorithm", [Algorithm.P256, Algorithm.P384, Algorithm.RSA_2048])
def test_the_signature_is_one_of_the_certificates_key(algorithm: Algorithm) -> None:
    answer = sign_statement(written(algorithm), "R", STATEMENT, PIN)
    key = x509.load_der_x509_certificate(answer.certificate).public_key()
    if isinstance(key, rsa.RSAPublicKey):
        key.verify(answer.signature, STATEMENT, padding.PKCS1v15(), hashes.SHA256())
    else:
        assert isinstance(key, ec.EllipticCurvePublicKey)
        hashed = hashes.SHA384() if algorithm is Algorithm.P384 else hashes.SHA256()
        key.verify(answer.signature, STATEMENT, ec.ECDSA(hashed))


def test_a_wrong_pin_signs_nothing_and_says_how_many_tries_are_left() -> None:
    with pytest.raises(StatusWordError) as refused:
        sign_statement(written(Algorithm.P256), "R", STATEMENT, "111111")
    assert refused.value.tries is not None


def test_a_blank_card_costs_no_try() -> None:
    backend = InProcessBackend(["R"])
    backend.insert("R", SoftwareCard())

    def tries() -> int | None:
        with backend.open("R") as connection:
            piv = PivSession(ApduChannel(connection))
            piv.select()
            return piv.pin_tries()

    before = tries()
    with pytest.raises(NoAuthenticationKey):
        sign_statement(backend, "R", STATEMENT, PIN)
    assert tries() == before


def test_a_blocked_pin_is_told() -> None:
    backend, tries = written(Algorithm.P256), 20
    while tries > 1:
        with pytest.raises(StatusWordError) as refused:
            sign_statement(backend, "R", STATEMENT, "111111")
        tries = refused.value.tries or 0
    with pytest.raises(CardLocked):
        sign_statement(backend, "R", STATEMENT, PIN if not tries else "111111")
