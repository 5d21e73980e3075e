"""Rows of deliveries under any order of what may happen to them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from app.api.problems import Problem
from app.delivery.delivery_rows import DEAD_LETTER, Attempted, DeliveryRows, WaitingDelivery
from app.delivery.tables import alarm, delivery
from app.store.writer import Transaction
from tests.service.delivery.outbox_site import TYPE, OutboxSite

WAITS = (1.0, 2.0)
ATTEMPTS = {
    "taken": Attempted(204, None),
    "refused": Attempted(500, "refused"),
    "silent": Attempted(None, "no_answer"),
    "gone": Attempted(410, "gone"),
    "ended": Attempted(None, "key_ended"),
}
STEPS = st.tuples(st.sampled_from(["put", "send", "received", "abandoned", *ATTEMPTS]), st.integers(0, 3))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OutboxSite]:
    """One for all examples: each has a key of its own."""
    made = OutboxSite(tmp_path_factory.mktemp("rows") / "site")
    yield made
    made.close()


def take_step(rows: DeliveryRows, tx: Transaction, kid: str, ids: list[str], what: str, which: int) -> bool:
    """One step; whether it says that something is to be sent."""
    if what == "put":
        url = f"https://receiver.invalid/{which % 2}"
        put = rows.put(tx, kid=kid, url=url, event_type=TYPE, data={}, subject=None)
        ids.append(put[0])
        return put[1] is not None
    if not ids:
        return False
    delivery_id, waiting = ids[which % len(ids)], None
    with contextlib.suppress(Problem):
        if what in ATTEMPTS:
            return rows.record(tx, delivery_id, ATTEMPTS[what]) is not None
        if what == "send":
            _, waiting = rows.send_again(tx, delivery_id, actor="tester", request_id="req_t")
        else:
            rows.settle(tx, delivery_id, what, None, None, actor="tester", request_id="req_t")  # type: ignore[arg-type]
    return isinstance(waiting, WaitingDelivery)


@given(steps=st.lists(STEPS, max_size=20))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_hold_together_whatever_happens(site: OutboxSite, steps: list[tuple[str, int]]) -> None:
    """What is to be sent has its time and no end, what is over the opposite; what arrived or was settled stays over;
    the alarm is open exactly while there are dead letters; and only what waits is said to be sent."""
    rows, kid, ids = site.make_rows(WAITS), site.key().kid, list[str]()

    def look(tx: Transaction) -> dict[str, Any]:
        found = tx.connection.execute(select(delivery).where(delivery.c.kid == kid)).all()
        return {row.delivery_id: row for row in found}

    def job(tx: Transaction) -> None:
        before: dict[str, Any] = {}
        for what, which in steps:
            sends = take_step(rows, tx, kid, ids, what, which)
            now = look(tx)
            for row in now.values():
                assert (row.next_us is None, row.ended_us is not None) == ((row.state != "queued"),) * 2
                assert (row.state == "closed") == (row.outcome is not None)
                assert row.step <= len(WAITS)
                was = before.get(row.delivery_id)
                if was is not None:
                    assert was.state not in ("delivered", "closed") or was.state == row.state
                    assert (was.body, was.url_sealed, was.created_us) == (row.body, row.url_sealed, row.created_us)
            dead = any(row.state == "dead_letter" for row in now.values())
            raised = select(alarm.c.alarm_id).where(alarm.c.kind == DEAD_LETTER, alarm.c.key == kid)
            assert (tx.connection.execute(raised).first() is not None) == dead
            assert not sends or any(row.state == "queued" for row in now.values())
            before = now

    site.write(job)
