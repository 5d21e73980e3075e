"""kill -9 in the middle of a batch: the next start finishes it with the cards that lie there, and loses none."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.capabilities.provisioning.batches.messages import Batch, BatchListQuery
from app.capabilities.provisioning.batches.service import Batches
from app.delivery.events import Event
from hardware.cards.software import SoftwareCard
from tests.e2e.batch_kill_child import NODES
from tests.service.capabilities.provisioning.card_desk import READER, SECOND, Desk

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def kill_after(directory: Path, apdus: int) -> None:
    """Runs the child and kills it when its cards have heard ``apdus`` commands of the batch."""
    child = subprocess.Popen(
        [sys.executable, str(HERE / "batch_kill_child.py"), str(directory)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    while child.stdout.readline() != b"begins\n":
        assert child.poll() is None
    for _ in range(apdus):
        assert child.stdout.readline()
    child.send_signal(signal.SIGKILL)
    child.stdout.close()
    child.wait(10)


async def finished(desk: Desk, directory: Path) -> Batch:
    """The batch after a new start with the same cards in the same readers."""
    cards = {
        reader: SoftwareCard(directory / f"{serial}.card", serial=serial)
        for serial, reader in ((1, READER), (2, SECOND))
    }
    async with desk.running(cards) as table:
        batches = Batches(desk.site, desk.store, desk.registry, table.service, desk.cursors, desk.bus)
        changed = asyncio.Event()
        loop = asyncio.get_running_loop()

        def heard(_: Event) -> None:
            loop.call_soon_threadsafe(changed.set)

        stop = desk.bus.subscribe(heard)
        await batches.start()
        try:
            async with asyncio.timeout(60):
                while batches.page(BatchListQuery()).items[0].state != "DONE":
                    await changed.wait()
                    changed.clear()
        except TimeoutError:
            found = batches.get(batches.page(BatchListQuery()).items[0].batch_id)
            pytest.fail(f"{found.state}: {found.rows}")
        else:
            found = batches.get(batches.page(BatchListQuery()).items[0].batch_id)
            for row in found.rows:
                record = table.service.records.get(row.provision_id or "")
                assert record.verification is not None
                assert record.receipt_url
            return found
        finally:
            stop()
            await batches.stop()


@pytest.mark.parametrize("apdus", [12, 55, *(pytest.param(each, marks=pytest.mark.campaign) for each in (1, 30, 80))])
def test_a_killed_batch_is_finished_by_the_next_start(tmp_path: Path, apdus: int) -> None:
    """Both lines are COMPLETE on two different cards, whichever command was the last one."""
    kill_after(tmp_path, apdus)
    desk = Desk(tmp_path / "site")
    try:
        found = asyncio.run(finished(desk, tmp_path))
        assert [row.state for row in found.rows] == ["COMPLETE", "COMPLETE"]
        assert {row.reader for row in found.rows} == {READER, SECOND}
        assert [row.node_id for row in found.rows] == list(NODES)
        for name in NODES:
            with desk.store.read() as connection:
                held = desk.provisioning().holder.credentials(connection, [name])[name]
            assert [one.state for one in held] == ["active"]
    finally:
        desk.close()
