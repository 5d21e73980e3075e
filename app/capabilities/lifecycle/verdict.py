"""What a signed call comes to: burn, hold, ignore, or leave to an operator. Reads alone, and changes nothing."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, bindparam, select

from app.api import decode
from app.api.problems import Problem
from app.capabilities.lifecycle import brake, periods
from app.capabilities.lifecycle.messages import Action, HrCall, Measure, ReviewReason
from app.capabilities.lifecycle.signatories import Signatory
from app.capabilities.lifecycle.tables import hr_event
from app.registry.hr_sources import HrSourceRow
from app.registry.service import now_us
from app.registry.tables import node

DISCHARGE = "EMPLOYEE_DISCHARGE"
HIRES = frozenset({"EMPLOYEE_HIRE", "EMPLOYEE_REHIRE"})
UNREADABLE = "unreadable"
"""The event of a call under the id of another one whose body is none of ours."""
HELD_BY_BRAKE: dict[Measure, ReviewReason] = {"contain": "contained", "queue": "queued"}
"""Why an operator must look at a discharge that the brake held."""
_SECOND_US = 1_000_000
_DECODER = msgspec.json.Decoder(HrCall)

# Made once: each call asks these, and to make a statement costs more than to run it.
_CALL = select(hr_event.c.number, hr_event.c.digest).where(
    hr_event.c.source == bindparam("of"), hr_event.c.key == bindparam("under")
)
_NODES = (
    select(node.c.node_id, node.c.standing).where(node.c.employee_id == bindparam("employee")).order_by(node.c.node_id)
)


@dataclass(frozen=True, slots=True)
class ReadCall:
    """A signed call, read. It is signed in whole seconds: it happened between ``from_us`` and ``at_us``, None where its
    own time cannot be read."""

    event_id: str
    source: HrSourceRow
    key: str | None
    digest: str
    event: str
    employee_id: str
    from_us: int
    at_us: int | None
    request_id: str | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a call comes to. ``seen``: it was taken before under ``key``."""

    key: str
    seen: bool = False
    action: Action = "ignored"
    reason: ReviewReason | None = None
    measure: Measure | None = None
    nodes: tuple[str, ...] = ()
    weight: int = 0


def read_call(raw: bytes, by: Signatory, request_id: str | None) -> ReadCall:
    """Reads the body of a signed call. 400 or 422 for a body that is none of ours."""
    body: HrCall = decode.signed_body(_DECODER, raw)
    at_s = by.signature.at_s
    from_us = now_us() if at_s is None else at_s * _SECOND_US
    at_us = from_us if at_s is None else from_us + _SECOND_US - 1
    stated_us = at_us if body.timestamp is None else _moment(body.timestamp)
    if stated_us is not None:
        from_us, at_us = min(from_us, stated_us), min(at_us, stated_us)
    return ReadCall(
        event_id=f"hr_{secrets.token_hex(10)}",
        source=by.source,
        key=by.signature.key,
        digest=hashlib.sha256(raw).hexdigest(),
        event=body.event,
        employee_id=body.employee_id,
        from_us=from_us,
        at_us=None if stated_us is None else at_us,
        request_id=request_id,
    )


def read_again(raw: bytes, by: Signatory, request_id: str | None) -> ReadCall:
    """As ``read_call``, of a call whose sender gets the first answer in any case: ``UNREADABLE`` without an employee
    where the body is none of ours."""
    try:
        return read_call(raw, by, request_id)
    except Problem:
        stand_in = msgspec.json.encode({"event": UNREADABLE, "employee_id": "-"})
        call = read_call(stand_in, by, request_id)
        return replace(call, employee_id="", digest=hashlib.sha256(raw).hexdigest())


def judge_call(connection: Connection, call: ReadCall, at_us: int, *, looked_up: bool = False) -> Verdict:
    """What the call comes to, as ``connection`` sees the world at ``at_us``. ``looked_up``: it sees no call under
    the key that this one was signed with."""
    source_id = call.source.source_id
    since_us = periods.present_since(connection, call.employee_id, at_us)
    # Where neither an id nor a time was sent, the same body within one period is the same call.
    key = call.key if call.key is not None else f"body:{call.digest}@{since_us}"
    if not looked_up and stored_call(connection, source_id, key) is not None:
        return Verdict(key, seen=True)
    if call.event != DISCHARGE:
        return Verdict(key)
    rows = connection.execute(_NODES, {"employee": call.employee_id}).all()
    weight = max(1, sum(row.standing != "REVOKED" for row in rows))
    reason = _doubt(connection, call, since_us) if rows else "unknown_employee"
    if reason is not None:
        return Verdict(key, action="operator_review", reason=reason, weight=weight)
    limit = call.source.max_discharges_per_minute
    measure = brake.measure(brake.load_of(connection, source_id, weight, limit, at_us), limit)
    return Verdict(
        key,
        action="burn" if measure == "burn" else "operator_review",
        reason=HELD_BY_BRAKE.get(measure),
        measure=measure,
        nodes=tuple(row.node_id for row in rows),
        weight=weight,
    )


def judge_reuse(key: str, call: ReadCall) -> Verdict:
    """What a call comes to whose key was that of another one: a person looks at it, no matter what it asks for."""
    weight = int(call.event == DISCHARGE)
    return Verdict(f"{key}#{call.digest}", action="operator_review", reason="id_reused", weight=weight)


def _doubt(connection: Connection, call: ReadCall, since_us: int) -> ReviewReason | None:
    """Why a discharge may not be about the present employment, which began at ``since_us``; None if it is."""
    if call.at_us is None:
        return "unreadable_time"
    if since_us > call.at_us:
        return "older_than_rehire"
    if call.key is None and _body_seen_before(connection, call.source.source_id, call.digest):
        return "replay_after_rehire"
    return None


def stored_call(connection: Connection, source_id: str, key: str) -> Row[Any, Any] | None:
    """Number and digest of the call that was taken under this key, if there is one."""
    return connection.execute(_CALL, {"of": source_id, "under": key}).one_or_none()


def _body_seen_before(connection: Connection, source_id: str, digest: str) -> bool:
    """Whether the same body came in another period: as keys sort, all of a digest stand between these two."""
    first, last = f"body:{digest}@", f"body:{digest}@:"
    mine = (hr_event.c.source == source_id, hr_event.c.key > first, hr_event.c.key < last)
    return connection.scalar(select(hr_event.c.number).where(*mine).limit(1)) is not None


def _moment(text: str) -> int | None:
    """Unix microseconds of an RFC 3339 time with its offset; None for a text that is none."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    if at.tzinfo is None:
        return None
    try:
        return round((at - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * _SECOND_US)
    except OverflowError:
        return None
