"""Signing in by the operator's own card: a real service, and the software card that it wrote."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from app.api.roles import Role
from hardware.cards.piv import Slot
from tests.operator_desk import UNIT, CardHolder, SignedInOperator, audited, make_operator, register_unit
from tests.served_site import ServedSite

PATH = "/v1/operators/sign-in/card"
HOLDER, LOST = "ARC-T0030", "ARC-T0031"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A training site with a unit."""
    with ServedSite.laid_out(tmp_path_factory.mktemp("card") / "site").running() as served:
        register_unit(served)
        yield served


@pytest.fixture(scope="module")
def holder(site: ServedSite) -> CardHolder:
    """A person with a card."""
    return CardHolder(site, HOLDER)


@pytest.fixture(scope="module")
def operator_id(site: ServedSite) -> str:
    """The operator who is the holder."""
    return make_operator(site, Role.DESK, node_id=HOLDER, methods=["card"], passphrase=None, name="Hanna Holder")


def challenge(site: ServedSite, unit_id: str = UNIT) -> dict[str, Any]:
    """A new challenge."""
    answer = site.post(f"{PATH}/challenge", {"unit_id": unit_id})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def sign_in(site: ServedSite, asked: dict[str, Any], **fields: str) -> httpx.Response:
    """The answer to a challenge."""
    return site.post(PATH, {"challenge_id": asked["challenge_id"], **fields})


def test_the_statement_names_service_and_unit(site: ServedSite) -> None:
    """Address, unit and a nonce that is never the same."""
    first, second = challenge(site)["statement"], challenge(site, "another")["statement"]
    lines = first.split("\n")
    assert lines[:3] == ["arc-operator-sign-in/v1", f"origin {site.base_url}", f"unit {UNIT}"]
    assert len(lines[3]) == len("nonce ") + 43
    assert lines[4:] == [""]
    assert second.split("\n")[2] == "unit another"
    assert first.split("\n")[3] != second.split("\n")[3]


def test_a_card_signs_its_holder_in(site: ServedSite, holder: CardHolder, operator_id: str) -> None:
    """The session is the operator's, by card; the leaf names the certificate."""
    asked = challenge(site)
    operator = SignedInOperator(site, operator_id, sign_in(site, asked, **holder.answer(asked["statement"])))
    assert (operator.session["method"], operator.session["node_id"]) == ("card", HOLDER)
    assert operator.is_in()
    leaf = audited(site, actor=operator_id, action="operators.sign_in")[0]
    assert len(leaf["detail"]["certificate"]) > 16


def test_an_answer_counts_once(site: ServedSite, holder: CardHolder, operator_id: str) -> None:
    """The same again is 409, also after a wrong answer, and by another key."""
    asked = challenge(site)
    fields = holder.answer(asked["statement"])
    assert sign_in(site, asked, **fields).status_code == 200
    assert sign_in(site, asked, **fields).json()["code"] == "replayed"
    asked = challenge(site)
    fields = holder.answer(asked["statement"])
    wrong = {**fields, "signature": holder.answer("something else")["signature"]}
    assert sign_in(site, asked, **wrong).json()["code"] == "proof_invalid"
    assert sign_in(site, asked, **fields).json()["code"] == "replayed"
    asked = challenge(site)
    body = {"challenge_id": asked["challenge_id"], **holder.answer(asked["statement"])}
    headers = {"Authorization": f"Bearer {site.key_of_another('sovereign')}", "Content-Type": "application/json"}
    assert site.client.post(PATH, json=body, headers=headers).json()["code"] == "replayed"
    assert operator_id


@pytest.mark.parametrize(
    "what", ["statement", "slot 9C", "slot 9D", "slot 9E", "another certificate", "self-made", "no certificate"]
)
def test_what_proves_nobody_is_refused(site: ServedSite, holder: CardHolder, operator_id: str, what: str) -> None:
    """A signature over another statement, another slot's key, a certificate of others, or none: 403, and a leaf."""
    asked = challenge(site)
    fields = holder.answer(asked["statement"])
    if what == "statement":
        fields = holder.answer(asked["statement"].replace(UNIT, "desk-2"))
    elif what == "slot 9D":
        certificate = holder.session().read_certificate(Slot.KEY_MANAGEMENT)
        assert certificate is not None
        fields = {**fields, "certificate": base64.b64encode(certificate).decode()}
    elif what.startswith("slot"):
        slot = {"slot 9C": Slot.SIGNATURE, "slot 9E": Slot.CARD_AUTHENTICATION}[what]
        fields = holder.answer(asked["statement"], slot)
    elif what == "another certificate":
        certificate = holder.session().read_certificate(Slot.SIGNATURE)
        assert certificate is not None
        fields = {**fields, "certificate": base64.b64encode(certificate).decode()}
    elif what == "self-made":
        key = ec.generate_private_key(ec.SECP256R1())
        fields = _self_made(fields, key, asked["statement"])
    else:
        fields = {**fields, "certificate": base64.b64encode(b"\x30\x82nothing").decode()}
    answer = sign_in(site, asked, **fields)
    assert (answer.status_code, answer.json()["code"]) == (403, "proof_invalid"), answer.text
    causes = {
        "statement": "signature",
        "self-made": "not_ours",
        "no certificate": "malformed",
    }
    leaf = audited(site, action="operators.sign_in", outcome="DENIED")[0]
    assert leaf["detail"]["cause"] == causes.get(what, "wrong_slot")
    assert operator_id


def _self_made(fields: dict[str, str], key: ec.EllipticCurvePrivateKey, statement: str) -> dict[str, str]:
    """The holder's certificate, copied under a root of somebody else."""
    import datetime

    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import Encoding

    real = x509.load_der_x509_certificate(base64.b64decode(fields["certificate"]))
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(real.subject)
        .issuer_name(real.issuer)
        .public_key(key.public_key())
        .serial_number(real.serial_number)
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
    )
    for extension in real.extensions:
        builder = builder.add_extension(extension.value, extension.critical)
    made = builder.sign(key, hashes.SHA256())
    signature = key.sign(statement.encode(), ec.ECDSA(hashes.SHA256()))
    return {
        "certificate": base64.b64encode(made.public_bytes(Encoding.DER)).decode(),
        "signature": base64.b64encode(signature).decode(),
    }


@pytest.mark.parametrize("field", ["certificate", "signature"])
def test_no_base64_is_refused(site: ServedSite, holder: CardHolder, field: str) -> None:
    """422 at the field."""
    asked = challenge(site)
    answer = sign_in(site, asked, **{**holder.answer(asked["statement"]), field: "no base64!"})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == f"/{field}"


def test_a_holder_who_is_no_operator_is_refused(site: ServedSite, holder: CardHolder, operator_id: str) -> None:
    """Nor one who may not sign in by card; a person who is two operators says as which."""
    path = f"/v1/registry/operators/{operator_id}"
    body = {"display_name": "Hanna Holder", "node_id": HOLDER, "roles": ["desk"]}
    assert site.put(path, {**body, "methods": []}).status_code == 200
    asked = challenge(site)
    assert sign_in(site, asked, **holder.answer(asked["statement"])).json()["code"] == "proof_invalid"
    assert site.put(path, {**body, "methods": ["card"]}).status_code == 200
    second = make_operator(site, Role.ADMIN, node_id=HOLDER, methods=["card"], passphrase=None)
    asked = challenge(site)
    assert "more than one" in sign_in(site, asked, **holder.answer(asked["statement"])).json()["detail"]
    for wanted, status in ((operator_id, 200), (second, 200), (make_operator(site, Role.DESK), 403)):
        asked = challenge(site)
        answer = sign_in(site, asked, operator_id=wanted, **holder.answer(asked["statement"]))
        assert answer.status_code == status, answer.text
        if status == 200:
            assert answer.json()["session"]["operator_id"] == wanted
    assert site.client.delete(f"/v1/registry/operators/{second}").status_code == 200


def test_a_revoked_card_ends_its_session_and_opens_none(site: ServedSite) -> None:
    """One card is revoked, its person stays: within a look the session is over, and a new challenge is refused."""
    lost = CardHolder(site, LOST, card="blank-2")
    operator = make_operator(site, Role.BADGE, node_id=LOST, methods=["card"], passphrase=None)
    asked = challenge(site)
    session = SignedInOperator(site, operator, sign_in(site, asked, **lost.answer(asked["statement"])))
    uid = lost.provision["hardware_uid_now"]
    answer = site.post(f"/v1/citadel/cards/{uid}/revoke", {"reason": "lost on the way"})
    assert answer.status_code in (200, 202), answer.text
    site.wait(lambda: not session.is_in())
    ended = site.wait(lambda: audited(site, action="operators.session_end", text=session.session["session_id"]))
    assert ended[0]["detail"]["cause"] == "card_revoked"
    asked = challenge(site)
    refused = sign_in(site, asked, **lost.answer(asked["statement"]))
    assert (refused.status_code, refused.json()["code"]) == (403, "proof_invalid")
    assert "revoked" in refused.json()["detail"]


def test_a_burned_holder_is_out_at_once(site: ServedSite, holder: CardHolder, operator_id: str) -> None:
    """The session that the card opened answers 401 to the next call, and the card opens none. The last of its kind."""
    asked = challenge(site)
    operator = SignedInOperator(site, operator_id, sign_in(site, asked, **holder.answer(asked["statement"])))
    burn = {"node_id": HOLDER, "scope": "GLOBAL_REVOCATION", "reason": "left"}
    assert site.post("/v1/citadel/uac/burn", burn).status_code in (200, 202)
    assert not operator.is_in()
    asked = challenge(site)
    assert sign_in(site, asked, **holder.answer(asked["statement"])).json()["code"] == "proof_invalid"
