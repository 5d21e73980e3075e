"""Whose session a leaf is of: that of the call that gave its job to the writer, and of no other."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import msgspec
from sqlalchemy import select

from app.ledger.tables import audit_entry
from app.store.acting import Acting, acting_as, session_at_work
from app.store.writer import Transaction

ANNA = Acting("op_anna", "ses_1", "desk-1")
SESSION = {"session_id": "ses_1", "unit_id": "desk-1"}


def act(actor: str, **detail: object) -> Callable[[Transaction], int]:
    """A job with one leaf."""
    return lambda tx: tx.audit("test.acted", actor=actor, detail=detail)


def details(opened: Any) -> list[dict[str, Any]]:
    """The details of all leaves, in order."""
    with opened.store.read() as connection:
        payloads = connection.scalars(select(audit_entry.c.payload).order_by(audit_entry.c.seq))
        return [msgspec.json.decode(payload).get("detail", {}) for payload in payloads]


def test_a_leaf_of_the_operator_has_the_session(opened: Any) -> None:
    """Beside what the leaf says itself; a leaf of another actor in the same job has none."""

    def job(tx: Transaction) -> None:
        act("op_anna", a=1)(tx)
        act("service", a=2)(tx)
        act("op_anna")(tx)

    with acting_as(ANNA):
        opened.store.writer.submit(job).result()
    assert details(opened) == [{"a": 1, "session": SESSION}, {"a": 2}, {"session": SESSION}]


def test_what_a_key_does_has_none(opened: Any) -> None:
    """Outside of every call, and in one of nobody's session."""
    opened.store.writer.submit(act("op_anna")).result()
    with acting_as(ANNA), acting_as(None):
        opened.store.writer.submit(act("op_anna")).result()
    assert details(opened) == [{}, {}]


def test_calls_at_the_same_time_are_apart(opened: Any) -> None:
    """Two tasks that take turns, and a thread of each: every leaf has the session of its own task."""
    other = Acting("op_otto", "ses_2", "desk-2")

    async def call(acting: Acting, turn: asyncio.Barrier) -> None:
        with acting_as(acting):
            for _ in range(3):
                await turn.wait()
                await opened.store.writer.run(act(acting.actor))
            await asyncio.to_thread(lambda: opened.store.writer.submit(act(acting.actor)).result())

    async def both() -> None:
        turn = asyncio.Barrier(2)
        await asyncio.gather(call(ANNA, turn), call(other, turn))

    asyncio.run(both())
    found = [detail["session"]["session_id"] for detail in details(opened)]
    assert sorted(found) == ["ses_1"] * 4 + ["ses_2"] * 4


def test_a_task_that_outlives_its_call_acts_for_itself(opened: Any) -> None:
    """What a call began and left behind, as a burn's fan-out, is of no session from the call's end on."""

    async def run() -> None:
        go = asyncio.Event()

        async def later() -> None:
            await go.wait()
            assert session_at_work() is None
            await opened.store.writer.run(act("op_anna"))

        with acting_as(ANNA):
            assert session_at_work() is ANNA
            task = asyncio.create_task(later())
            await asyncio.sleep(0)
        assert session_at_work() is None
        go.set()
        await task

    asyncio.run(run())
    assert details(opened) == [{}]


def test_a_job_keeps_the_session_it_was_given_under(opened: Any) -> None:
    """Also where it runs after the call is over, behind one that takes long."""
    inside, go = threading.Event(), threading.Event()

    def hold(_tx: Transaction) -> None:
        inside.set()
        assert go.wait(20)

    opened.store.writer.submit(hold)
    assert inside.wait(20)
    with acting_as(ANNA):
        future = opened.store.writer.submit(act("op_anna"))
    go.set()
    future.result()
    assert details(opened) == [{"session": SESSION}]
