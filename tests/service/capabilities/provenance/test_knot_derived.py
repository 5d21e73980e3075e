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


BEGINS, STANDS = "does not begin at this entry", "does not stand as its last leaf says"
NODE_SAID, ENDS = "is of another node than its leaf says", "ends at another time than its consent says"
SEAL, LOST = "has another consensus seal than its proof gives", "is in the log and not among the knots"


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("UPDATE knot SET node_id = 'ARC-T0009' WHERE seq = 1", {(NODE_SAID, 1)}),
        ("UPDATE knot SET standing = 'UNVERIFIED' WHERE standing = 'WITHDRAWN'", {(STANDS, 2)}),
        ("UPDATE knot SET consensus_seal = '0x' || substr(consensus_seal, 4) || '0' WHERE seq = 1", {(SEAL, 1)}),
        ("UPDATE knot SET consensus_seal = '0x' || substr(consensus_seal, 4) || '0' WHERE seq = 0", {(SEAL, 0)}),
        ("UPDATE knot SET consensus_seal = NULL", set()),
        ("UPDATE knot SET seq = 77 WHERE seq = 1", {(BEGINS, 77)}),
        ("UPDATE knot SET expires_us = 4102444800000000 WHERE seq = 1", {(ENDS, 1)}),
        ("UPDATE knot SET expires_us = NULL WHERE seq = 2", {(ENDS, 2)}),
        ("UPDATE knot SET expires_us = expires_us + 1 WHERE seq = 2", {(ENDS, 2)}),
        ("UPDATE knot SET knot_id = 'KNOT-0000000000000000' WHERE seq = 1", {(BEGINS, 1), (LOST, 1)}),
        ("DELETE FROM knot WHERE seq = 1", {(LOST, 1)}),
        (
            "INSERT INTO knot SELECT 'KNOT-0000000000000000', 99, node_id, standing, expires_us, NULL FROM knot "
            "LIMIT 1",
            {(BEGINS, 99)},
        ),
        ("DELETE FROM log_cosigned WHERE log = 0", {(SEAL, 0), (SEAL, 1), (SEAL, 2)}),
    ],
)
def test_edited_knot_is_found(filled: Filled, tmp_path: Path, sql: str, told: set[tuple[str, int]]) -> None:
    """An edited row is told with what is wrong of it and where, by this check alone."""
    path = Path(shutil.copyfile(filled.path, tmp_path / "store.db"))
    tampers.run_sql(path, sql)
    faults = [one for one in fsck(path, filled.against) if one.where == "knot" and one.what.startswith("KNOT-")]
    assert {(one.what.partition(" ")[2], one.seq) for one in faults} == told
    assert len(faults) == len(told)
