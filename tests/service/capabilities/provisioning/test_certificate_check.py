"""The check of card certificates against the audit log: an honest site is clean, and each edit that gives a revoked
certificate back is found."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.capabilities.provisioning.fsck import check_certificates
from app.capabilities.provisioning.issuer.card_certificates import CardRevocations
from app.ledger.check.fsck import CheckedLog
from app.pki.crl import RevocationLists
from hardware.cards.software import SoftwareCard, Tear, TearPoint
from tests.service.capabilities.provisioning.card_desk import READER, Desk
from tests.service.capabilities.provisioning.test_provision_tears import tear

LATE = 30
"""An APDU behind certificates that are written already."""
NOTHING = CheckedLog(0, lambda: pytest.fail("the tree is not needed"))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk of its own: what is edited here is no other test's."""
    made = Desk(tmp_path / "site")
    try:
        yield made
    finally:
        made.close()


def faults(desk: Desk) -> list[str]:
    with closing(sqlite3.connect(desk.site.store_path)) as connection:
        return [fault.what for fault in check_certificates([desk.authority.root.certificate], connection, NOTHING)]


def edit(desk: Desk, statement: str) -> None:
    desk.write(lambda tx: tx.connection.exec_driver_sql(statement))


def laid_out(desk: Desk) -> None:
    """A card of a burned node, one that was torn and finished, one that stays torn, and two lists."""

    async def main() -> None:
        lists = RevocationLists(desk.store, desk.authority.root, lifetime_s=86_400)
        lists.add_source(CardRevocations())
        await lists.publish()
        async with desk.running({READER: SoftwareCard(serial=81)}) as table:
            burned = desk.node()
            await table.done(burned)
            desk.deny(burned, "burn", table.service)
            await table.remove()
            torn, finished = SoftwareCard(serial=82), desk.node()
            await table.insert(torn)
            await tear(table, finished, torn, Tear(LATE, TearPoint.AFTER))
            await table.done(finished)
            await table.remove()
            lost = SoftwareCard(serial=83)
            await table.insert(lost)
            await tear(table, desk.node(), lost, Tear(LATE, TearPoint.AFTER))
        await lists.publish()

    asyncio.run(main())


def test_every_edit_that_gives_a_certificate_back_is_found(desk: Desk) -> None:
    """The honest site has no fault; a valid row that its leaf revoked, a changed serial number, a changed, lost or
    foreign list are one each."""
    laid_out(desk)
    assert faults(desk) == []
    with desk.store.read() as connection:
        held = connection.exec_driver_sql(
            "SELECT sha256, burn_id, reason, revoked_us FROM card_certificate WHERE revoked_us IS NOT NULL"
        ).all()
    assert {row.reason for row in held} >= {"privilegeWithdrawn", "certificateHold"}
    for row in held:
        edit(desk, f"UPDATE card_certificate SET revoked_us = NULL WHERE sha256 = '{row.sha256}'")
        assert faults(desk) == [f"{row.sha256} is valid, and its leaf revokes it"]
        edit(desk, f"UPDATE card_certificate SET revoked_us = {row.revoked_us} WHERE sha256 = '{row.sha256}'")
    assert faults(desk) == []
    edit(desk, f"UPDATE card_certificate SET serial = '1' WHERE sha256 = '{held[0].sha256}'")
    assert faults(desk) == [f"{held[0].sha256} is another certificate than its row says"]


def test_every_edit_of_a_list_is_found(desk: Desk) -> None:
    """Its bytes, its times, its place among the others."""
    laid_out(desk)
    with desk.store.read() as connection:
        numbers = connection.exec_driver_sql("SELECT number FROM revocation_list ORDER BY number").scalars().all()
    old, new = numbers
    edit(desk, f"UPDATE revocation_list SET next_us = next_us + 1 WHERE number = {old}")
    assert faults(desk) == [f"list {old} is not the one that its leaf says"]
    edit(desk, f"DELETE FROM revocation_list WHERE number = {old}")
    assert faults(desk) == []
    edit(desk, f"UPDATE revocation_list SET crl = x'00' WHERE number = {new}")
    assert faults(desk) == [f"list {new} is not the one that its leaf says", f"list {new} is missing, the newest one"]
    edit(desk, "DELETE FROM revocation_list")
    assert faults(desk) == [f"list {new} is missing, the newest one"]
