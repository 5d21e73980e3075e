"""The registry's directories: their secrets and addresses."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from app.api.problems import Problem
from app.capabilities.burn.targets.connectors import CONNECTORS
from app.registry.directories import DirectoryRow
from app.registry.messages.directories import Directory, DirectoryBody, DirectoryProbe
from app.registry.messages.nodes import DirectoryAccount, NodeBody
from app.registry.service import now_us
from tests.door_site import ACTOR, DoorSite, door_site

SECRET = "a bind password"
URL = "https://directory.invalid/scim/v2"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """A fresh training site with every kind of directory; no reader is driven."""
    with door_site(tmp_path / "site", connectors=CONNECTORS) as made:
        yield made


def put(site: DoorSite, **fields: object) -> Directory:
    """PUTs the directory ``staff``; what comes back."""
    body = msgspec.convert({"kind": "scim", "url": URL, **fields}, DirectoryBody)
    return asyncio.run(site.registry.directories.put("staff", body, actor=ACTOR))[0]


def stored(site: DoorSite) -> DirectoryRow:
    """As whoever reaches it needs it."""
    with site.store.read() as connection:
        row = site.registry.directories.with_secret(connection, "staff")
    assert row is not None
    return row


def test_the_secret_is_told_to_its_user_alone(site: DoorSite) -> None:
    """The reply says that there is one; the row that connectors get has it; no text of either shows it."""
    shown = put(site, secret=SECRET)
    assert shown.secret.set
    assert stored(site).secret == SECRET
    assert SECRET not in repr(shown) + repr(stored(site)) + msgspec.json.encode(shown).decode()
    assert SECRET.encode() not in site.store.path.read_bytes()


def test_a_secret_that_is_left_out_stays(site: DoorSite) -> None:
    """An editor who cannot read it does not lose it; null takes it away."""
    put(site, secret=SECRET)
    put(site, display_name="Staff")
    assert stored(site).secret == SECRET
    put(site, secret=None)
    assert stored(site).secret is None


@pytest.mark.parametrize("change", [{"url": "https://elsewhere.invalid/"}, {"kind": "peer"}])
def test_a_secret_does_not_follow_to_another_address(site: DoorSite, change: dict[str, str]) -> None:
    """With another address the secret must be given again: it would be sent there."""
    put(site, secret=SECRET)
    with pytest.raises(Problem) as refused:
        put(site, **change)
    assert refused.value.errors[0].pointer == "/secret"
    assert (stored(site).url, stored(site).kind) == (URL, "scim")


@pytest.mark.parametrize(
    ("kind", "url"),
    [
        ("scim", "http://directory.invalid/"),
        ("ldap", "ldap://10.0.0.1"),
        ("ldap", "https://directory.invalid/"),
        ("webhook", "ldaps://directory.invalid/"),
        ("scim", "https://user:word@directory.invalid/"),
        ("scim", "https://directory.invalid:99999/"),
        ("scim", "https:///path"),
    ],
)
def test_addresses_that_no_secret_may_go_to_are_refused(site: DoorSite, kind: str, url: str) -> None:
    """Without TLS only this machine; no user in the address; the scheme fits the kind."""
    with pytest.raises(Problem) as refused:
        put(site, kind=kind, url=url)
    assert (refused.value.code, refused.value.errors[0].pointer) == ("invalid_body", "/url")


def test_a_directory_with_accounts_cannot_be_deleted(site: DoorSite) -> None:
    """Else a later burn would not know where the account is."""
    put(site)
    node = NodeBody(
        display_name="Training Person 1", directory_accounts=[DirectoryAccount(directory_id="staff", account="t1")]
    )
    asyncio.run(site.registry.nodes.put("ARC-1", node, actor=ACTOR))
    with pytest.raises(Problem, match="ARC-1"):
        asyncio.run(site.registry.directories.delete("staff", actor=ACTOR))
    asyncio.run(site.registry.nodes.put("ARC-1", NodeBody(display_name="Training Person 1"), actor=ACTOR))
    asyncio.run(site.registry.directories.delete("staff", actor=ACTOR))


def test_a_directory_goes_although_burned_nodes_name_it(site: DoorSite) -> None:
    """Nobody can take the account from a node that is burned. The refusal names those who still need it, a few."""
    put(site)
    account = [DirectoryAccount(directory_id="staff", account="t1")]
    numbers = range(1, 8)
    for number in numbers:
        node = NodeBody(display_name="Training Person", directory_accounts=account)
        asyncio.run(site.registry.nodes.put(f"ARC-{number}", node, actor=ACTOR))

    async def burn(first: int, last: int) -> None:
        async with site.running():
            for number in range(first, last + 1):
                await site.burn(f"ARC-{number}", wait_s=0)  # the directory is nowhere: its proof would not come

    with pytest.raises(Problem, match="ARC-1, ARC-2, ARC-3, ARC-4, ARC-5 and others"):
        asyncio.run(site.registry.directories.delete("staff", actor=ACTOR))
    asyncio.run(burn(1, 2))
    with pytest.raises(Problem, match=r"staff: ARC-3, ARC-4, ARC-5, ARC-6, ARC-7\. PUT each without it"):
        asyncio.run(site.registry.directories.delete("staff", actor=ACTOR))
    asyncio.run(burn(3, 7))
    asyncio.run(site.registry.directories.delete("staff", actor=ACTOR))
    with pytest.raises(Problem, match="No directory"):
        asyncio.run(site.registry.directories.delete("staff", actor=ACTOR))


def test_a_kind_that_no_connector_declares_may_have_any_scheme(tmp_path: Path) -> None:
    """What a kind's addresses are is its connector's knowledge, not the registry's."""
    with door_site(tmp_path / "bare") as bare:
        assert put(bare, kind="webhook", url="ldaps://directory.invalid/").url == "ldaps://directory.invalid/"


def test_a_trial_tells_what_it_found(site: DoorSite) -> None:
    """The prober gets the secret that was stored; its words are in the reply only."""
    asked: list[DirectoryRow] = []

    async def prober(row: DirectoryRow) -> DirectoryProbe:
        asked.append(row)
        return DirectoryProbe(ok=False, found="No connection.", latency_ms=None, at="2026-01-01T00:00:00Z")

    site.registry.directories.probe_with(prober)
    item = asyncio.run(site.registry.directories.probe(put(site, secret=SECRET)))
    assert item.probe is not None
    assert (asked[0].secret, item.probe.found) == (SECRET, "No connection.")
    assert site.registry.directories.get("staff", now_us()).probe is None
