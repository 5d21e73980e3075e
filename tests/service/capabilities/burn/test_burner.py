"""What HR calls: a burn and what it writes beside it are durable together, or neither is."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from app.capabilities.burn.tables import burn
from app.delivery.events import Also, Burner
from app.store.errors import StoreUnavailable
from app.store.writer import Transaction
from tests.door_site import ACTOR, DoorSite, door_site

NODE = "ARC-1"


class Refused(Exception):
    """What the caller says of what it has seen already."""


class Inbox:
    """Leaves of the caller's own, one a call."""

    def __init__(self, site: DoorSite) -> None:
        self.site = site

    def taken(self, tx: Transaction, reference: str) -> None:
        """Writes one."""
        tx.audit("hr.inbox", actor="hr", detail={"ref": reference})

    def refused(self, tx: Transaction, reference: str) -> None:
        """Writes one and takes it back."""
        self.taken(tx, reference)
        raise Refused

    @property
    def count(self) -> int:
        """How many are durable."""
        return self.site.actions().count("hr.inbox")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """A site with one person and no doors."""
    with door_site(tmp_path / "site") as made:
        made.person(NODE)
        yield made


@pytest.fixture
def inbox(site: DoorSite) -> Inbox:
    """The caller's."""
    return Inbox(site)


async def burned(site: DoorSite, also: Also, node_id: str = NODE) -> str:
    """As lifecycle calls it."""
    burner: Burner = site.burns
    return await burner.burn_with(node_id, "discharged", actor="hr", request_id=None, also=also)


def burns(site: DoorSite) -> list[str]:
    """Ids of all stored burns."""
    with site.store.read() as connection:
        return list(connection.scalars(select(burn.c.burn_id)))


def test_burn_and_inbox_are_one_transaction(site: DoorSite, inbox: Inbox) -> None:
    """One burn, one row; a node that is burned already keeps its burn, and the row is written all the same."""
    first = asyncio.run(burned(site, inbox.taken))
    assert (burns(site), inbox.count) == ([first], 1)
    assert asyncio.run(burned(site, inbox.taken)) == first
    assert (burns(site), inbox.count) == ([first], 2)


def test_what_the_caller_refuses_is_no_burn(site: DoorSite, inbox: Inbox) -> None:
    """His error comes back to him; nothing is durable, nobody is denied, and the next call burns."""
    with pytest.raises(Refused):
        asyncio.run(burned(site, inbox.refused))
    assert (burns(site), inbox.count, site.registry.deny.denies_node(NODE)) == ([], 0, None)
    assert site.alarms.open() == []
    burn_id = asyncio.run(burned(site, inbox.taken))
    assert site.registry.deny.denies_node(NODE) is not None
    assert burns(site) == [burn_id]


def test_a_refusal_takes_no_burn_away(site: DoorSite, inbox: Inbox) -> None:
    """The node was burned before: it stays so."""
    burn_id = asyncio.run(burned(site, inbox.taken))
    with pytest.raises(Refused):
        asyncio.run(burned(site, inbox.refused))
    assert (burns(site), inbox.count) == ([burn_id], 1)
    assert site.registry.deny.denies_node(NODE) is not None


@pytest.mark.parametrize("operator_first", [True, False])
def test_an_operator_who_joined_burns_whatever_the_other_caller_refuses(
    site: DoorSite, inbox: Inbox, operator_first: bool
) -> None:
    """Both at once, in either order: the operator's burn is stored and its node denied."""

    async def main() -> None:
        async with site.running():
            calls: list[Coroutine[Any, Any, object]] = [burned(site, inbox.refused), site.burn(NODE, wait_s=0.0)]
            if operator_first:
                calls.reverse()
            await asyncio.gather(*calls, return_exceptions=True)

    asyncio.run(main())
    assert len(burns(site)) == 1
    assert site.registry.deny.denies_node(NODE) is not None


def test_a_failing_store_keeps_the_denial(site: DoorSite, inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """The burn is kept, its node stays denied, and a later refusal does not open the door again."""

    async def away(*_: object, **__: object) -> None:
        raise StoreUnavailable("The disk is full; nothing was written.")

    async def main() -> None:
        with monkeypatch.context() as patch:
            patch.setattr(site.store.writer, "run", away)
            kept = await burned(site, inbox.taken)
        with pytest.raises(Refused):
            await burned(site, inbox.refused)
        assert burns(site) == [kept]
        assert site.registry.deny.denies_node(NODE) is not None
        await burned(site, inbox.taken)

    asyncio.run(main())
    # Two calls returned, and each has what it writes beside the burn.
    assert (len(burns(site)), inbox.count) == (1, 2)


def test_containments_refuse_as_burns_do(site: DoorSite, inbox: Inbox) -> None:
    """The brake's rows are the caller's too."""

    async def main() -> None:
        calls: dict[str, Any] = {"message": "x", "actor": ACTOR, "request_id": None}
        for also in (inbox.refused, inbox.taken):
            try:
                await site.burns.contain_with(NODE, cause="brake", seconds=None, also=also, **calls)
                await site.burns.queue_with("ARC-2", also=also, **calls)
            except Refused:
                assert site.registry.deny.denies_node(NODE) is None

    asyncio.run(main())
    assert inbox.count == 2
    assert site.registry.deny.denies_node(NODE) is not None
