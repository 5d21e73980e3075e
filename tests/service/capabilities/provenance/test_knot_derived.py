"""The knots' own table against the seal log that it derives from."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from app.capabilities.provenance.fsck import check_knots
from app.capabilities.provenance.messages import WithdrawBody
from app.ledger.check.fsck import Against, fsck
from app.ledger.check.rows import LogIdentity
from tests.service.capabilities.provenance.seal_site import NODE, SealSite, body
from tests.service.ledger.check import tampers


class Filled:
    """A closed site with three knots, one of them withdrawn."""

    def __init__(self, path: Path) -> None:
        site = SealSite(path)

        async def fill() -> None:
            async with site.running():
                for number in range(3):
                    ends = {"expires_at": "2099-01-01T00:00:00.000000Z"} if number == 2 else {}
                    knot, sealed = await site.provenance.issue(body(NODE, **ends), actor="key_1")
                    assert sealed
                await site.provenance.withdraw(knot.knot_id, WithdrawBody(reason="asked"), actor="key_1")

        asyncio.run(fill())
        seal, audit = site.ledger.seal, site.ledger.audit
        self.path = site.store.path
        self.against = Against(
            seal=LogIdentity(seal.origin, [seal.verifier, site.mldsa.key]),
            audit=LogIdentity(audit.origin, [audit.verifier]),
            policy=site.policy,
            derived=[check_knots],
        )
        site.close()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    """To be copied."""
    return Filled(tmp_path_factory.mktemp("knots"))


def test_clean_knots(filled: Filled) -> None:
    """What the service keeps of its knots is what the log gives."""
    assert list(fsck(filled.path, filled.against)) == []


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE knot SET node_id = 'ARC-T0009' WHERE seq = 1",
        "UPDATE knot SET standing = 'UNVERIFIED' WHERE standing = 'WITHDRAWN'",
        "UPDATE knot SET consensus_seal = '0x' || substr(consensus_seal, 4) || '0' WHERE seq = 1",
        "UPDATE knot SET seq = 77 WHERE seq = 1",
        "UPDATE knot SET expires_us = 4102444800000000 WHERE seq = 1",
        "UPDATE knot SET expires_us = NULL WHERE seq = 2",
        "UPDATE knot SET expires_us = expires_us + 1 WHERE seq = 2",
        "UPDATE knot SET knot_id = 'KNOT-0000000000000000' WHERE seq = 1",
        "DELETE FROM knot WHERE seq = 1",
        "INSERT INTO knot SELECT 'KNOT-0000000000000000', 99, node_id, standing, expires_us, NULL FROM knot LIMIT 1",
    ],
)
def test_edited_knot_is_found(filled: Filled, tmp_path: Path, sql: str) -> None:
    """An edited row is told, whatever of it."""
    path = Path(shutil.copyfile(filled.path, tmp_path / "store.db"))
    tampers.run_sql(path, sql)
    assert {finding.where for finding in fsck(path, filled.against)} == {"knot"}
