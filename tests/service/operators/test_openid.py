"""Signing in at a real OpenID provider on loopback, and every word of it that must not be believed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from app.api.roles import Role
from app.site.settings import OpenIdProvider
from tests.openid_provider import CLIENT, Fault, Provider, openid_provider
from tests.operator_desk import UNIT, SignedInOperator, audited, register_unit
from tests.served_site import ServedSite

PATH = "/v1/operators/sign-in/oidc"
REDIRECT = "http://127.0.0.1:41234/"
ROLES = {"arc-desk": "desk", "arc-admin": "admin", "arc-badge": "badge"}


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    """The provider."""
    with openid_provider() as running:
        yield running


@pytest.fixture(scope="module")
def site(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A training site that is the provider's client, with a unit and an operator."""
    settings: Any = OpenIdProvider(issuer=provider.issuer, client_id=CLIENT, roles=ROLES)  # type: ignore[arg-type]
    where = tmp_path_factory.mktemp("openid") / "site"
    with ServedSite.laid_out(where, openid=settings).running() as served:
        register_unit(served)
        yield served


@pytest.fixture(scope="module")
def operator_id(site: ServedSite) -> str:
    """An operator who is the provider's ``sub-1``, for desk and badges."""
    made = "op_" + "5" * 16
    body = {"display_name": "Olga Open", "roles": ["desk", "badge"], "methods": ["oidc"], "subject": "sub-1"}
    assert site.put(f"/v1/registry/operators/{made}", body).status_code == 201
    return made


@pytest.fixture(autouse=True)
def sound(provider: Provider) -> None:
    """Each test begins with a provider without a fault."""
    provider.fault, provider.subject, provider.roles, provider.alg = "", "sub-1", ["arc-desk"], "ES256"


def begin(site: ServedSite, **more: str) -> dict[str, Any]:
    """The beginning of a sign-in."""
    answer = site.post(PATH, {"unit_id": UNIT, "redirect_uri": REDIRECT, **more})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def finish(site: ServedSite, state: str, code: str, **more: str) -> httpx.Response:
    """Its end."""
    return site.post(f"{PATH}/finish", {"state": state, "code": code, **more})


def sign_in(site: ServedSite, provider: Provider) -> httpx.Response:
    """All of it, with the browser in between."""
    begun = begin(site)
    back = provider.visit(begun["authorization_url"])
    assert back["state"] == begun["state"]
    return finish(site, begun["state"], back["code"])


@pytest.mark.parametrize("alg", ["ES256", "RS256"])
def test_the_provider_signs_in(site: ServedSite, provider: Provider, operator_id: str, alg: Any) -> None:
    """The session is the operator's whose subject it names, with the roles of the claim."""
    provider.alg = alg
    operator = SignedInOperator(site, operator_id, sign_in(site, provider))
    assert operator.session["operator_id"] == operator_id
    assert (operator.session["method"], operator.session["roles"]) == ("oidc", ["desk"])
    assert operator.is_in()


def test_the_address_asks_for_a_code_with_pkce(site: ServedSite) -> None:
    """Code flow, S256, state, nonce, the client and its redirect; each new one has other secrets."""
    asked = [begin(site) for _ in range(2)]
    queries = [
        {name: value for name, (value,) in parse_qs(urlsplit(one["authorization_url"]).query).items()} for one in asked
    ]
    first = queries[0]
    assert {name: first[name] for name in ("response_type", "client_id", "redirect_uri", "scope")} == {
        "response_type": "code",
        "client_id": CLIENT,
        "redirect_uri": REDIRECT,
        "scope": "openid",
    }
    assert (first["code_challenge_method"], len(first["code_challenge"])) == ("S256", 43)
    assert first["state"] == asked[0]["state"]
    for name in ("state", "nonce", "code_challenge"):
        assert queries[0][name] != queries[1][name]


CAUSES: dict[str, str] = {
    "iss": "iss",
    "aud": "aud",
    "two audiences": "aud",
    "azp": "aud",
    "nonce": "nonce",
    "no nonce": "nonce",
    "alg none": "alg",
    "alg HS256": "alg",
    "alg RS512": "alg",
    "expired": "expired",
    "early": "early",
    "future": "early",
    "another key": "signature",
    "no roles": "no_role",
}


@pytest.mark.parametrize("fault", [fault for fault in get_args(Fault) if fault])
def test_a_wrong_word_of_the_provider_is_refused(
    site: ServedSite, provider: Provider, operator_id: str, fault: Fault
) -> None:
    """Each by itself: 403, a leaf with the cause, and no session."""
    provider.fault = fault
    answer = sign_in(site, provider)
    assert (answer.status_code, answer.json()["code"]) == (403, "proof_invalid"), answer.text
    leaf = audited(site, action="operators.sign_in", outcome="DENIED")[0]
    assert (leaf["detail"]["cause"], leaf["detail"]["method"]) == (CAUSES[fault], "oidc")
    assert operator_id


def test_a_replayed_answer_is_refused(site: ServedSite, provider: Provider, operator_id: str) -> None:
    """The same state and code again, and the code of one sign-in under the state of another."""
    begun = begin(site)
    back = provider.visit(begun["authorization_url"])
    assert finish(site, begun["state"], back["code"]).status_code == 200
    assert finish(site, begun["state"], back["code"]).json()["code"] == "replayed"
    first, second = begin(site), begin(site)
    code = provider.visit(first["authorization_url"])["code"]
    stolen = finish(site, second["state"], code)
    assert (stolen.status_code, stolen.json()["code"]) == (403, "proof_invalid")
    assert audited(site, action="operators.sign_in", outcome="DENIED")[0]["detail"]["cause"] == "code"
    assert finish(site, "a state of nobody", code).json()["code"] == "replayed"
    assert operator_id


def test_a_code_is_of_no_use_elsewhere(site: ServedSite, provider: Provider) -> None:
    """The provider redeems it for the verifier alone, which nobody but the service knows (PKCE)."""
    code = provider.visit(begin(site)["authorization_url"])["code"]
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT, "client_id": CLIENT}
    for verifier in ({}, {"code_verifier": "x" * 64}):
        answer = httpx.post(f"{provider.issuer}/token", data={**form, **verifier}, trust_env=False, timeout=20)
        assert answer.status_code == 400, answer.text


def test_another_issuer_at_the_redirect_is_refused(site: ServedSite, provider: Provider, operator_id: str) -> None:
    """RFC 9207: where the answer says who it is of, it must be the provider."""
    for issuer, status in (("http://127.0.0.1:1", 403), (provider.issuer, 200)):
        begun = begin(site)
        code = provider.visit(begun["authorization_url"])["code"]
        assert finish(site, begun["state"], code, iss=issuer).status_code == status
    assert operator_id


def test_the_provider_grants_no_role_that_the_register_does_not(
    site: ServedSite, provider: Provider, operator_id: str
) -> None:
    """What the claim adds is left out; what it leaves out is not there; without a common role nobody gets in."""
    for claim, roles in ((["arc-desk", "arc-admin"], ["desk"]), (["arc-badge", "unknown"], ["badge"])):
        provider.roles = claim
        assert sign_in(site, provider).json()["session"]["roles"] == roles
    provider.roles = ["arc-admin"]
    assert sign_in(site, provider).json()["code"] == "proof_invalid"
    assert operator_id


def test_a_stranger_is_refused(site: ServedSite, provider: Provider, operator_id: str) -> None:
    """A person whom the provider knows and the register does not; and an operator who may not sign in so any more."""
    provider.subject = "sub-2"
    assert sign_in(site, provider).json()["code"] == "proof_invalid"
    provider.subject = "sub-1"
    path = f"/v1/registry/operators/{operator_id}"
    body = {"display_name": "Olga Open", "roles": ["desk", "badge"], "methods": ["oidc"], "subject": "sub-1"}
    assert site.put(path, {**body, "state": "ended"}).status_code == 200
    assert sign_in(site, provider).json()["code"] == "proof_invalid"
    assert site.put(path, body).status_code == 200
    assert sign_in(site, provider).status_code == 200


@pytest.mark.parametrize(
    "redirect_uri",
    [
        "http://localhost:1234/",
        "http://192.0.2.1:1234/",
        "https://127.0.0.1:1234/",
        "http://127.0.0.1/",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:1234/?x=1",
        "http://user@127.0.0.1:1234/",
        "http://[::1",
        "nonsense",
    ],
)
def test_the_browser_comes_back_to_this_machine_alone(site: ServedSite, redirect_uri: str) -> None:
    """422 for any other redirect."""
    answer = site.post(PATH, {"unit_id": UNIT, "redirect_uri": redirect_uri})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_body")


def test_roles_are_those_that_there_are() -> None:
    """The settings can map to roles alone."""
    assert set(ROLES.values()) < {role.value for role in Role}
