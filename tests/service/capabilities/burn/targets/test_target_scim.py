"""Accounts in SCIM, against the independent ``scim2-server``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from app.capabilities.burn.messages import Burn, BurnTarget
from app.capabilities.burn.targets.connectors import CONNECTORS
from tests.door_site import DoorSite, door_site, until
from tests.receiver import Received, Receiver, Reply, answering
from tests.scim_server import TOKEN, ScimServer


@pytest.fixture(scope="module")
def scim() -> Iterator[ScimServer]:
    """One server for all; each test has users of its own."""
    with ScimServer().running() as server:
        yield server


@pytest.fixture
def site(tmp_path: Path, scim: ScimServer) -> Iterator[DoorSite]:
    """A site with the directory ``staff``."""
    with door_site(tmp_path / "site", connectors=CONNECTORS) as made:
        made.directory("staff", "scim", scim.url, secret=TOKEN, timeout_ms=5000)
        yield made


def burned(site: DoorSite, wait_s: float = 5.0) -> BurnTarget:
    """The SCIM target after a burn of ARC-1."""

    async def run() -> tuple[Burn, BurnTarget]:
        async with site.running():
            return await site.tried("scim", wait_s)

    _, found = asyncio.run(run())
    assert TOKEN not in (found.evidence or "")
    return found


def active(scim: ScimServer, user_id: str) -> bool:
    """As its administrator sees it."""
    return bool(scim.call("GET", f"/Users/{user_id}")["active"])


@pytest.mark.parametrize("named", ["external", "id", "userName", "employee"])
def test_an_account_is_locked_and_read_back(site: DoorSite, scim: ScimServer, named: str) -> None:
    """However it is named; the proof is what the server says afterwards, with its version."""
    user = scim.user(f"locked-{named}", f"E-{named}")
    account = {"external": f"E-{named}", "id": f"id:{user}", "userName": f"userName:LOCKED-{named}"}.get(named)
    if account is None:
        site.account("ARC-1", employee_id=f"E-{named}")
    else:
        site.account("ARC-1", ("staff", account))
    found = burned(site)
    assert (found.state, active(scim, user)) == ("revoked", False)
    version = scim.call("GET", f"/Users/{user}")["meta"]["version"]
    assert found.evidence == f"active=false read back, version {version}"


def test_groups_are_left(site: DoorSite, scim: ScimServer) -> None:
    """Every one, and nobody else is taken out."""
    user, other = scim.user("member", "E-member"), scim.user("colleague")
    groups = [scim.group(f"group {number}", user, other) for number in range(3)]
    site.account("ARC-1", ("staff", "E-member"))
    assert (burned(site).evidence or "").endswith("left 3 groups")
    members = [[m["value"] for m in scim.call("GET", f"/Groups/{group}")["members"]] for group in groups]
    assert members == [[other]] * 3


def test_a_locked_account_is_already_revoked(site: DoorSite, scim: ScimServer) -> None:
    """Nothing is changed; the version proves it."""
    user = scim.user("before", "E-before", active=False)
    version = scim.call("GET", f"/Users/{user}")["meta"]["version"]
    site.account("ARC-1", ("staff", "E-before"))
    found = burned(site)
    assert (found.state, found.evidence) == ("already", f"active=false read back, version {version}")


@pytest.mark.parametrize(
    "account", ["E-nobody", "id:nobody", "userName:nobody", 'x" or userName pr or externalId eq "']
)
def test_a_wrong_link_is_no_success(site: DoorSite, scim: ScimServer, account: str) -> None:
    """No such account, also by a name that is a filter itself: failed, and nobody is locked."""
    user = scim.user(f"bystander {account}")
    site.account("ARC-1", ("staff", account))
    found = burned(site, 0.0)
    assert (found.state, active(scim, user)) == ("failed", True)
    assert "no account there" in (found.evidence or "")


def test_an_employee_without_an_account_there_is_told_so(site: DoorSite) -> None:
    """Nothing was linked, nothing is there."""
    site.account("ARC-1", employee_id="E-never")
    found = burned(site)
    assert (found.state, found.evidence) == (
        "unlinked",
        "no account there has the externalId E-never or userName E-never; none was named",
    )


# --- nobody is named: accounts are looked for ---


def by_email(scim: ScimServer, name: str, address: str, external_id: str | None = None) -> str:
    """A new user with an address; its id."""
    body = {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": name, "active": True}
    more = {} if external_id is None else {"externalId": external_id}
    return str(scim.call("POST", "/Users", {**body, **more, "emails": [{"value": address}]})["id"])


@pytest.mark.parametrize("where", ["emails", "userName"])
@pytest.mark.parametrize("policy", ["link", "lock"])
def test_an_account_by_address_alone_is_what_the_directory_says(
    site: DoorSite, scim: ScimServer, policy: str, where: str
) -> None:
    """Never a proof that it is ended while it is active: it fails until it is linked, or it is locked."""
    address = f"By-{policy}-{where}@site.invalid"
    user = by_email(scim, f"by-{policy}-{where}" if where == "emails" else address, address.lower())
    site.directory("staff", "scim", scim.url, secret=TOKEN, timeout_ms=5000, email_match=policy)
    site.account("ARC-1", employee_id=f"E-{policy}-{where}", email=address)
    found = burned(site, 0.0 if policy == "link" else 5.0)
    assert (found.state, active(scim, user)) == (("failed", True) if policy == "link" else ("revoked", False))
    if policy == "link":
        assert f"id:{user}" in (found.evidence or "")
        assert "link it to the node" in (found.evidence or "")


def test_a_second_account_by_address_is_not_passed_over(site: DoorSite, scim: ScimServer) -> None:
    """The linked one is locked; the other one keeps the target open, until the advice was followed."""
    mine = by_email(scim, "second-mine", "second@site.invalid", "E-second")
    other = by_email(scim, "second-other", "second@site.invalid")
    site.account("ARC-1", employee_id="E-second", email="second@site.invalid")

    async def run() -> tuple[BurnTarget, Burn]:
        async with site.running():
            burn, found = await site.tried("scim")
            site.account("ARC-1", ("staff", f"id:{other}"), employee_id="E-second", email="second@site.invalid")
            return found, await site.burns.retry(burn.burn_id, found.id)

    before, after = asyncio.run(run())
    assert (before.state, after.state) == ("failed", "COMPLETE")
    assert "active=false read back" in (before.evidence or "")
    assert [active(scim, user) for user in (mine, other)] == [False, False]


def test_an_inactive_account_by_address_is_no_proof(site: DoorSite, scim: ScimServer) -> None:
    """Nothing is open there, and nothing says that it is the person's."""
    user = by_email(scim, "asleep", "asleep@site.invalid")
    scim.call(
        "PATCH",
        f"/Users/{user}",
        {
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
            "Operations": [{"op": "replace", "path": "active", "value": False}],
        },
    )
    site.account("ARC-1", email="asleep@site.invalid")
    assert burned(site).state == "unlinked"


def test_a_login_name_that_is_the_number_is_a_link(site: DoorSite, scim: ScimServer) -> None:
    """A directory whose people sign in with their number."""
    user = scim.user("E-login")
    site.account("ARC-1", employee_id="E-LOGIN")
    assert (burned(site).state, active(scim, user)) == ("revoked", False)


def test_two_accounts_of_one_name_are_not_guessed(site: DoorSite, scim: ScimServer) -> None:
    """Ambiguous: failed, both stay as they were."""
    users = [scim.user(f"twin-{number}", "E-twin") for number in range(2)]
    site.account("ARC-1", ("staff", "E-twin"))
    found = burned(site, 0.0)
    assert (found.state, [active(scim, user) for user in users]) == ("failed", [True, True])
    assert "2 accounts there" in (found.evidence or "")


def test_a_refused_token_is_a_failure(site: DoorSite, scim: ScimServer) -> None:
    """Not pending: nobody would look."""
    site.directory("staff", "scim", scim.url, secret="another")
    site.account("ARC-1", ("staff", "E-1"))
    found = burned(site, 0.0)
    assert (found.state, found.evidence) == ("failed", "answered 401: it does not take our secret")


def test_a_server_that_was_dead_is_reached_when_it_is_back(site: DoorSite, scim: ScimServer) -> None:
    """Pending while nobody answers; then by itself, here at another address."""
    user = scim.user("back", "E-back")
    site.directory("staff", "scim", ScimServer().url, secret=TOKEN)
    site.account("ARC-1", ("staff", "E-back"))

    async def run() -> str:
        async with site.running():
            before = await site.burn("ARC-1", 0.3)
            site.directory("staff", "scim", scim.url, secret=TOKEN, timeout_ms=5000)
            await until(lambda: site.burns.get(before.burn_id).state == "COMPLETE", 20)
            return before.state

    assert (asyncio.run(run()), active(scim, user)) == ("PARTIAL", False)


def test_the_trial_reads_only(site: DoorSite, scim: ScimServer) -> None:
    """It says what the server can do, or that the token is refused."""

    async def run() -> list[tuple[bool, str]]:
        async with site.running():
            found = []
            for secret in (TOKEN, "another"):
                site.directory("staff", "scim", scim.url, secret=secret, timeout_ms=5000)
                item = site.registry.directories.get("staff", 0)
                probe = (await site.registry.directories.probe(item)).probe
                assert probe is not None
                found.append((probe.ok, probe.found))
            return found

    assert asyncio.run(run()) == [
        (True, "SCIM 2.0 with PATCH; accounts are found by externalId"),
        (False, "answered 401: it does not take our secret"),
    ]


# --- servers that are not as the independent one ---


def ignorant(call: Received) -> Reply:
    """Passes over filters: everybody is an answer."""
    assert call.method == "GET", "somebody would have been locked"
    assert "filter" in unquote(call.path)
    user = {"id": "1", "externalId": "somebody", "userName": "somebody", "active": True}
    return 200, {}, json.dumps({"totalResults": 1, "Resources": [user]}).encode()


def stubborn(call: Received) -> Reply:
    """Takes the change and does nothing."""
    user = {"id": "1", "externalId": "E-1", "active": True}
    if call.method == "PATCH":
        return 204, {}, b""
    if call.path.startswith("/Users?"):
        return 200, {}, json.dumps({"totalResults": 1, "Resources": [user]}).encode()
    if call.path.startswith("/Users/"):
        return 200, {}, json.dumps(user).encode()
    return 200, {}, b'{"totalResults": 0}'


def answering_about(**other: object) -> Callable[[Received], Reply]:
    """Finds the right account, takes the change, and answers about another one that is locked."""

    def answer(call: Received) -> Reply:
        user = {"id": "1", "externalId": "E-1", "userName": "one", "active": True}
        if call.method == "PATCH":
            return 204, {}, b""
        if call.path.startswith("/Users?"):
            return 200, {}, json.dumps({"totalResults": 1, "Resources": [user]}).encode()
        if call.path.startswith("/Users/"):
            return 200, {}, json.dumps({**user, "active": False, **other}).encode()
        return 200, {}, b'{"totalResults": 0}'

    return answer


def locked_before(call: Received) -> Reply:
    """The search says that the account is locked; the account itself does not."""
    user = {"id": "1", "externalId": "E-1", "active": not call.path.startswith("/Users?")}
    if call.path.startswith("/Users?"):
        return 200, {}, json.dumps({"totalResults": 1, "Resources": [user]}).encode()
    if call.path.startswith("/Users/"):
        return 200, {}, json.dumps(user).encode()
    return 200, {}, b'{"totalResults": 0}'


ANOTHER = "what was read back is another account; nothing is proven"


@pytest.mark.parametrize(
    ("server", "state", "evidence"),
    [
        (ignorant, "failed", "what answers to the externalId E-1 bears another name: nobody was locked"),
        (stubborn, "pending_offline", "the change was taken, but the account still reads as active"),
        (answering_about(id="2"), "pending_offline", ANOTHER),
        (answering_about(externalId="E-2"), "pending_offline", ANOTHER),
        (answering_about(externalId=None), "pending_offline", ANOTHER),
        (answering_about(userName="two"), "pending_offline", ANOTHER),
        (answering_about(userName="ONE"), "revoked", "active=false read back"),
        (locked_before, "pending_offline", "the change was taken, but the account still reads as active"),
        (answering(429, Retry_After="30"), "pending_offline", "answered 429, again in 30 s"),
        (answering(500), "pending_offline", "answered 500"),
        (answering(503), "pending_offline", "answered 503"),
        (answering(403), "failed", "answered 403: our secret does not allow this there"),
        (
            answering(302, Location="http://127.0.0.1:1/"),
            "failed",
            "answered 302: it points elsewhere, and the secret goes to its own address only",
        ),
        (answering(200, b"<html>"), "pending_offline", "The answer 200 cannot be understood."),
        (answering(200, b"[" * 100_000), "pending_offline", "The answer 200 cannot be understood."),
    ],
)
def test_other_answers(tmp_path: Path, server: object, state: str, evidence: str) -> None:
    """What a server may say, and what the operator reads of it."""
    with Receiver(server).listening() as peer, door_site(tmp_path / "s", connectors=CONNECTORS) as site:  # type: ignore[arg-type]
        site.directory("staff", "scim", peer.url, secret=TOKEN, timeout_ms=5000)
        site.account("ARC-1", ("staff", "E-1"))
        found = burned(site, 0.0)
    assert found.state == state
    # While a pause lasts, the target tells of that.
    assert found.evidence == evidence or "left alone" in (found.evidence or "")


def test_a_server_that_cannot_search_by_address_is_no_proof(tmp_path: Path) -> None:
    """Whether somebody there bears it is not known: a person looks."""

    def answer(call: Received) -> Reply:
        assert call.method == "GET"
        refused = "emails.value" in unquote(call.path)
        return (400, {}, b"") if refused else (200, {}, b'{"totalResults": 0}')

    with Receiver(answer).listening() as peer, door_site(tmp_path / "s", connectors=CONNECTORS) as site:
        site.directory("staff", "scim", peer.url, secret=TOKEN)
        site.account("ARC-1", employee_id="E-1", email="t1@site.invalid")
        found = burned(site, 0.0)
    assert found.state == "unsupported"
    assert "cannot search for the emails.value t1@site.invalid" in (found.evidence or "")


@pytest.mark.parametrize(
    ("number", "found", "state"),
    [
        (1, {"emails": [{"value": "somebody@else.invalid"}]}, "failed"),
        (11, {"emails": [{"value": "t1@site.invalid"}]}, "failed"),
        (10, {"emails": [{"value": "t1@site.invalid"}]}, "revoked"),
    ],
)
def test_who_bears_another_address_or_shares_it_with_many_is_not_locked(
    tmp_path: Path, number: int, found: dict[str, object], state: str
) -> None:
    """A server that passes over filters; and a mailbox of a whole department."""

    def answer(call: Received) -> Reply:
        users = [{"id": str(n), "userName": f"u{n}", "active": True, **found} for n in range(number)]
        if call.path.startswith("/Users/"):
            at = int(call.path.removeprefix("/Users/").partition("?")[0])
            return (
                (204, {}, b"")
                if call.method == "PATCH"
                else (200, {}, json.dumps({**users[at], "active": False}).encode())
            )
        if "emails.value" in unquote(call.path):
            return 200, {}, json.dumps({"totalResults": number, "Resources": users}).encode()
        return 200, {}, b'{"totalResults": 0}'

    with Receiver(answer).listening() as peer, door_site(tmp_path / "s", connectors=CONNECTORS) as site:
        site.directory("staff", "scim", peer.url, secret=TOKEN, email_match="lock", timeout_ms=5000)
        site.account("ARC-1", email="T1@site.invalid")
        reply = burned(site, 0.0)
    assert reply.state == state
    assert any(call.method == "PATCH" for call in peer.calls) is (state == "revoked")
