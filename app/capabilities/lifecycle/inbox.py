"""The inbox's one transaction: the call, what is done to each node, its leaf, its alarm, its event.

What was judged before is judged again here: if another call has changed the verdict meanwhile, nothing of this one
happens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import insert

from app.api.wire import rfc3339
from app.capabilities.lifecycle import periods
from app.capabilities.lifecycle.messages import HrNotice
from app.capabilities.lifecycle.tables import hr_event, hr_measure
from app.capabilities.lifecycle.verdict import HIRES, ReadCall, Verdict, judge_call, stored_call
from app.delivery.alarms import AlarmBook
from app.delivery.events import Event, EventBus
from app.store.writer import Transaction

RECEIVED = "lifecycle.received"
REVIEW_ALARM = "lifecycle.review"
BRAKE_ALARM = "lifecycle.brake"
Step = Literal["judged", "denied", "recorded", "taken"]
"""Where a test may kill the process: before the burn, inside its transaction, after it, before the answer."""
Failpoint = Callable[[Step], None]
_NAMED_NODES = 50
"""Nodes of a call that leaf and event name."""

# Made once: to make a statement costs more than to run it.
_TAKE = insert(hr_event)
_MEASURE = insert(hr_measure)


@dataclass
class Overtaken(Exception):
    """Another call was taken first, and this one's verdict is another now."""

    verdict: Verdict


class Inbox:
    """Runs inside a writer's transaction alone."""

    def __init__(self, alarms: AlarmBook, bus: EventBus, *, failpoint: Failpoint) -> None:
        self._alarms = alarms
        self._bus = bus
        self._failpoint = failpoint
        self.taken: dict[str, int] = {"burn": 0, "ignored": 0, "operator_review": 0}
        """Calls since the start, by action."""

    def record(self, tx: Transaction, call: ReadCall, verdict: Verdict, ref: str | None) -> None:
        """Takes the call. ``ref``: the burn or containment of its first node, if something is done to any. Raises
        ``Overtaken``."""
        self._failpoint("denied")
        fresh = judge_call(tx.connection, call, tx.now_us)
        if fresh != verdict:
            raise Overtaken(fresh)
        if call.event in HIRES:
            periods.begin(tx, call.employee_id, min(call.from_us, tx.now_us), "hire")
        self._keep(tx, call, verdict, ref)

    def record_reuse(self, tx: Transaction, call: ReadCall, verdict: Verdict) -> None:
        """Takes a call that came under the id of another one; the same call again changes nothing."""
        if stored_call(tx.connection, call.source.source_id, verdict.key) is None:
            self._keep(tx, call, verdict, None)

    def _keep(self, tx: Transaction, call: ReadCall, verdict: Verdict, ref: str | None) -> None:
        """The rows of the call, its leaf, its alarm and its event."""
        _insert(tx, call, verdict, ref)
        _append_leaf(tx, call, verdict)
        if verdict.reason is not None:
            self._alarm(tx, call, verdict)
        notice = HrNotice(
            event_id=call.event_id,
            source=call.source.source_id,
            action=verdict.action,
            reason=verdict.reason,
            nodes=list(verdict.nodes[:_NAMED_NODES]),
            at=rfc3339(tx.now_us),
        )
        at_us = tx.now_us

        def announce() -> None:
            self.taken[verdict.action] += 1
            self._bus.publish(Event("hr", notice, at_us))

        tx.after_commit(announce)

    def _alarm(self, tx: Transaction, call: ReadCall, verdict: Verdict) -> None:
        """The alarm of a discharge that waits for an operator: the source's where the brake held it, else its own."""
        source_id = call.source.source_id
        if verdict.measure is not None:
            limit = call.source.max_discharges_per_minute
            text = (
                f"HR source {source_id} discharges more than {limit} nodes a minute or 5 % of all in an hour: they are "
                "held, not burned. Ask HR whether it is so; then burn or release them, and close the events."
            )
            self._alarms.raise_alarm(tx, BRAKE_ALARM, source_id, text, ref=source_id)
            return
        if verdict.reason == "id_reused":
            text = (
                f"HR source {source_id} signed two different calls under one id. It got the first one's answer, and "
                f"nothing was done by the second: {call.event}. Look at {call.event_id}, decide and close it."
            )
            self._alarms.raise_alarm(tx, REVIEW_ALARM, call.event_id, text, ref=call.event_id)
            return
        why = {
            "unknown_employee": "no node is registered to the employee",
            "older_than_rehire": "it is older than his present employment",
            "replay_after_rehire": "the same call came before his present employment",
        }.get(verdict.reason or "", "its time cannot be read")
        text = (
            f"A discharge by HR source {source_id} burned nobody: {why}. Look at {call.event_id}, decide and close it."
        )
        self._alarms.raise_alarm(tx, REVIEW_ALARM, call.event_id, text, ref=call.event_id)


def _insert(tx: Transaction, call: ReadCall, verdict: Verdict, ref: str | None) -> None:
    """The rows of the call and of its nodes; the first node's is done already, by ``ref``."""
    row = {
        "event_id": call.event_id,
        "source": call.source.source_id,
        "key": verdict.key,
        "digest": call.digest,
        "received_us": tx.now_us,
        "at_us": call.from_us,
        "event": call.event,
        "employee_id": call.employee_id or None,
        "action": verdict.action,
        "reason": verdict.reason,
        "weight": verdict.weight,
    }
    number = tx.connection.execute(_TAKE, row).inserted_primary_key[0]  # type: ignore[index]
    if verdict.measure is not None:
        rows = [
            {"number": number, "node_id": node_id, "measure": verdict.measure, "ref": None if at else ref}
            for at, node_id in enumerate(verdict.nodes)
        ]
        tx.connection.execute(_MEASURE, rows)


def _append_leaf(tx: Transaction, call: ReadCall, verdict: Verdict) -> None:
    """The call's leaf in the audit log."""
    tx.audit(
        RECEIVED,
        actor=f"hr:{call.source.source_id}",
        node_id=verdict.nodes[0] if len(verdict.nodes) == 1 else None,
        request_id=call.request_id,
        detail={
            "event_id": call.event_id,
            "source": call.source.source_id,
            "event": call.event,
            "employee_id": call.employee_id,
            "action": verdict.action,
            "reason": verdict.reason or "",
            "nodes": list(verdict.nodes[:_NAMED_NODES]),
            "count": len(verdict.nodes),
            "body_sha256": call.digest,
        },
    )
