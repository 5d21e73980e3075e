"""Authorization servers with Global Token Revocation."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.capabilities.burn.messages import Burn, BurnTarget
from app.capabilities.burn.targets.connectors import CONNECTORS
from tests.burn_receivers import OAUTH_TENANT as TENANT
from tests.burn_receivers import OAUTH_TOKEN as TOKEN
from tests.burn_receivers import AuthorizationServer
from tests.door_site import DoorSite, door_site
from tests.receiver import Reply


@pytest.fixture
def server() -> Iterator[AuthorizationServer]:
    """One of its own."""
    made = AuthorizationServer()
    with made.listening():
        yield made


@pytest.fixture
def site(tmp_path: Path, server: AuthorizationServer) -> Iterator[DoorSite]:
    """A site with the directory ``idp``."""
    with door_site(tmp_path / "site", connectors=CONNECTORS) as made:
        made.directory("idp", "oauth", server.url, secret=TOKEN, audience=TENANT, timeout_ms=5000)
        yield made


def burned(site: DoorSite, wait_s: float = 5.0) -> BurnTarget:
    """The OAuth target after a burn of ARC-1."""

    async def run() -> tuple[Burn, BurnTarget]:
        async with site.running():
            return await site.tried("oauth", wait_s)

    _, found = asyncio.run(run())
    assert TOKEN not in (found.evidence or "")
    return found


@pytest.mark.parametrize(
    ("account", "key"), [("t1@site.invalid", ("email", "t1@site.invalid")), ("t1", ("iss_sub", TENANT, "t1"))]
)
def test_all_tokens_are_revoked(
    site: DoorSite, server: AuthorizationServer, account: str, key: tuple[str, ...]
) -> None:
    """The person is named as the account is written: by address, or by the tenant's subject."""
    site.account("ARC-1", ("idp", account))
    found = burned(site)
    assert (found.state, found.evidence) == (
        "delivered",
        f"taken (204: all tokens revoked, as the server says), the person named as {key[0]}; its effect cannot be read",
    )
    assert server.sessions[key] == 0
    assert sum(server.sessions.values()) > 0


def test_who_has_no_account_named_is_named_by_address(site: DoorSite, server: AuthorizationServer) -> None:
    """Tokens end by address; a person whom it does not know is told as such, a person without an address is not asked
    for."""
    site.account("ARC-1", email="t1@site.invalid", employee_id="E-1")
    assert (burned(site).state, server.sessions["email", "t1@site.invalid"]) == ("delivered", 0)


@pytest.mark.parametrize(
    ("email", "asked", "evidence"),
    [
        ("t9@site.invalid", 1, "it knows no person with the registered e-mail address; none was named"),
        (None, 0, "not looked for: the node names no account there, and its e-mail address is not registered"),
    ],
)
def test_whom_it_does_not_know_is_unlinked(
    site: DoorSite, server: AuthorizationServer, email: str | None, asked: int, evidence: str
) -> None:
    """Told what was searched: nothing is proven."""
    site.account("ARC-1", email=email, employee_id="E-1")
    found = burned(site)
    assert (found.state, found.evidence, len(server.calls)) == ("unlinked", evidence, asked)


@pytest.mark.parametrize(
    ("reply", "state", "evidence"),
    [
        ((404, {}, b""), "failed", "answered 404: it knows no such person"),
        ((400, {}, b""), "failed", "answered 400: it does not know this way of naming a person"),
        ((401, {}, b""), "failed", "answered 401: it does not take our secret"),
        ((403, {}, b""), "failed", "answered 403: our secret does not allow this there"),
        ((422, {}, b""), "failed", "answered 422: it could not end the person's sessions"),
        ((200, {}, b""), "failed", "answered 200"),
        ((503, {}, b""), "pending_offline", "answered 503"),
        ((429, {"Retry-After": "1000"}, b""), "pending_offline", "answered 429, again in 1000 s"),
    ],
)
def test_other_answers(site: DoorSite, server: AuthorizationServer, reply: Reply, state: str, evidence: str) -> None:
    """Only 204 says that it was taken."""
    server.answer = lambda call: reply
    site.account("ARC-1", ("idp", "t1"))
    found = burned(site, 0.0)
    assert found.state == state
    assert found.evidence == evidence or "left alone" in (found.evidence or "")


def test_an_unknown_person_is_no_success(site: DoorSite, server: AuthorizationServer) -> None:
    """A wrong link must be seen."""
    site.account("ARC-1", ("idp", "t2@site.invalid"))
    assert burned(site, 0.0).state == "failed"
    assert 0 not in server.sessions.values()


def test_the_trial_is_about_nobody(site: DoorSite, server: AuthorizationServer) -> None:
    """It tells a token that is taken from one that is not, and an address where nothing is."""

    async def run() -> list[Any]:
        async with site.running():
            found = []
            for secret, path in ((TOKEN, ""), ("another", ""), (TOKEN, "elsewhere")):
                site.directory("idp", "oauth", server.url + path, secret=secret, timeout_ms=5000)
                if path:
                    server.answer = lambda call: (404, {}, b"")
                probe = (await site.registry.directories.probe(site.registry.directories.get("idp", 0))).probe
                assert probe is not None
                found.append((probe.ok, probe.found))
            return found

    assert asyncio.run(run()) == [
        (
            True,
            "the endpoint takes our token and refuses a call about nobody (400); its effect cannot be read: a burn is "
            "delivered there",
        ),
        (False, "answered 401: it does not take our secret"),
        (False, "answered 404: nothing is there"),
    ]
    assert 0 not in server.sessions.values()
