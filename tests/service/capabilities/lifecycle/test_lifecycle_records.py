"""What the HR inbox keeps of a person, and what of it an erasure takes out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from app.capabilities.lifecycle.messages import HrReply
from app.capabilities.lifecycle.personal_data import HrRecords
from app.capabilities.lifecycle.tables import hr_event, hr_period
from tests.hr_sender import event
from tests.hr_site import HrSite, hr_site


@pytest.fixture
def site(tmp_path: Path) -> Iterator[HrSite]:
    """Two employees with a node each."""
    with hr_site(tmp_path / "site") as made:
        made.source()
        made.people(["E1", "E2"])
        yield made


def forgotten(site: HrSite) -> tuple[int, int, int]:
    """What the preview counts, what the erasure of E1's node does, how many sentences say what stays."""
    records = HrRecords()
    with site.doors.store.read() as connection:
        held = records.held_records(connection, "ARC-E1-0")
    done = site.doors.store.writer.submit(lambda tx: records.forget(tx, "ARC-E1-0")).result()
    return held.rows, done, len(held.kept)


def named(site: HrSite) -> tuple[list[str | None], set[str]]:
    """Whom calls and periods name."""
    with site.doors.store.read() as connection:
        return (
            list(connection.scalars(select(hr_event.c.employee_id).order_by(hr_event.c.number))),
            set(connection.scalars(select(hr_period.c.employee_id))),
        )


def test_whom_calls_were_about_is_taken_out_and_a_repeat_is_still_answered(site: HrSite) -> None:
    """The first answer holds for ever; periods go with the last node of the employee."""
    first, _ = site.run(event("E1"), event("E2"))
    assert forgotten(site) == (1, 1, 1)
    assert named(site) == ([None, "E2"], {"E1", "E2"})

    async def again() -> HrReply:
        async with site.running():
            return await site.call(event("E1"), call_id="msg_0")

    assert asyncio.run(again()) == first
    assert forgotten(site) == (0, 0, 1)


def test_periods_go_with_the_last_node_of_an_employee(site: HrSite) -> None:
    """Not with one of two; whoever is registered again begins a new one."""
    site.people(["E3"], per_employee=2)
    nodes = site.doors.registry.nodes
    asyncio.run(nodes.delete("ARC-E3-0", actor="test"))
    assert named(site)[1] == {"E1", "E2", "E3"}
    asyncio.run(nodes.delete("ARC-E3-1", actor="test"))
    assert named(site)[1] == {"E1", "E2"}
    site.people(["E3"])
    assert named(site)[1] == {"E1", "E2", "E3"}
