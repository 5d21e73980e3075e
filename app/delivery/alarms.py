"""Alarms: facts that need a person, open until the fact has changed.

An alarm belongs to a fact, named by ``kind`` and ``key`` (``frame.unreachable`` and the peer's id). Raising an open
alarm again, or clearing one that is not open, changes nothing, so a watcher may repeat itself after a restart. Opening
and closing are leaves (``alarm.raised``, ``alarm.cleared``) and ``alarm`` events.

Floods: a kind holds at most ``OPEN_PER_KIND`` alarms. Further ones are not kept, but one alarm of the kind
``alarm.flood`` stays open for that kind until it has room again; callers whose fact lasts raise theirs again then.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence

from sqlalchemy import RowMapping, bindparam, delete, func, insert, select, update

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.delivery.events import Event, EventBus
from app.delivery.messages import HAPPENED, Alarm, AlarmEvent
from app.delivery.tables import alarm
from app.store.engine import Store
from app.store.writer import Transaction

RAISED = "alarm.raised"
CLEARED = "alarm.cleared"
FLOOD = "alarm.flood"

OPEN_PER_KIND = 500
TEXT_MAX = 500
_OF_FACT = select(alarm).where(alarm.c.kind == bindparam("of"), alarm.c.key == bindparam("about"))
SERVICE_ACTOR = "service"
"""Actor of leaves that no API key caused."""


class AlarmBook:
    """The open alarms. ``raise_alarm`` and ``clear`` run inside a writer's transaction; ``open`` on any thread."""

    def __init__(self, store: Store, bus: EventBus) -> None:
        self._store = store
        self._bus = bus

    def raise_alarm(
        self,
        tx: Transaction,
        kind: str,
        key: str,
        text: str,
        *,
        node_id: str | None = None,
        ref: str | None = None,
        actor: str = SERVICE_ACTOR,
        renew: bool = False,
    ) -> str | None:
        """Opens the alarm of the fact and returns its id. An alarm that is open already keeps its first text. With
        ``renew`` a new text replaces the first one, together with ``ref``, with a leaf and an event as if it were
        raised now.

        ``text``: one sentence for a person, cut at ``TEXT_MAX``, without secrets or biometric values. ``ref``: what to
        look at (a burn, a peer). Returns None if the kind is full; then its flood alarm is open.
        """
        text = text if len(text) <= TEXT_MAX else text[: TEXT_MAX - 1] + "…"
        known = self._find(tx, kind, key)
        if known is not None:
            if renew and text != known["text"]:
                one = update(alarm).where(alarm.c.alarm_id == known["alarm_id"])
                tx.connection.execute(one.values(text=text, ref=ref))
                self._tell_raised(tx, {**known, "text": text, "ref": ref}, actor)
            return str(known["alarm_id"])
        if kind != FLOOD and self._count(tx, kind) >= OPEN_PER_KIND:
            flood = f"More than {OPEN_PER_KIND} alarms of the kind {kind} are open; further ones are not listed."
            self.raise_alarm(tx, FLOOD, kind, flood)
            return None
        row = {
            "alarm_id": f"alm_{secrets.token_hex(8)}",
            "kind": kind,
            "key": key,
            "since_us": tx.now_us,
            "node_id": node_id,
            "ref": ref,
            "text": text,
        }
        tx.connection.execute(insert(alarm).values(row))
        return self._tell_raised(tx, row, actor).alarm_id

    def _tell_raised(self, tx: Transaction, row: Mapping[str, object], actor: str) -> Alarm:
        fact = {"kind": row["kind"], "key": row["key"], "ref": row["ref"] or "", "text": row["text"]}
        opened = _message(row)
        tx.audit(RAISED, actor=actor, node_id=opened.node_id, detail={"alarm_id": opened.alarm_id, **fact})
        at_us = tx.now_us
        tx.after_commit(lambda: self._bus.publish(Event("alarm", AlarmEvent(state="raised", alarm=opened), at_us)))
        return opened

    def clear(self, tx: Transaction, kind: str, key: str, *, actor: str = SERVICE_ACTOR) -> bool:
        """Closes the alarm of the fact; False when none was open."""
        known = self._find(tx, kind, key)
        if known is None:
            return False
        tx.connection.execute(delete(alarm).where(alarm.c.alarm_id == known["alarm_id"]))
        tx.audit(
            CLEARED,
            actor=actor,
            node_id=known["node_id"],
            detail={"alarm_id": known["alarm_id"], "kind": kind, "key": key},
        )
        closed = _message(known)
        at_us = tx.now_us
        tx.after_commit(lambda: self._bus.publish(Event("alarm", AlarmEvent(state="cleared", alarm=closed), at_us)))
        if kind != FLOOD and self._count(tx, kind) < OPEN_PER_KIND:
            self.clear(tx, FLOOD, kind, actor=actor)
        return True

    async def acknowledge(self, alarm_id: str, *, actor: str) -> Alarm:
        """Closes an alarm of what has happened (``HAPPENED``), which no change of a fact can close; the alarm. 404: it
        is not open; 409: it closes with its fact."""
        return await self._store.writer.run(lambda tx: self._acknowledge(tx, alarm_id, actor))

    def _acknowledge(self, tx: Transaction, alarm_id: str, actor: str) -> Alarm:
        known = tx.connection.execute(select(alarm).where(alarm.c.alarm_id == alarm_id)).mappings().first()
        if known is None:
            raise Problem("not_found", f"No alarm {alarm_id} is open; it may have been closed meanwhile.")
        if known["kind"] not in HAPPENED:
            raise Problem("state_conflict", "This alarm closes when what it tells of has changed: see to that.")
        self.clear(tx, known["kind"], known["key"], actor=actor)
        return _message(known)

    def settle(self, tx: Transaction, kinds: Sequence[str], facts: Mapping[tuple[str, str], str]) -> None:
        """Raises and clears so that of ``kinds`` exactly ``facts`` (sentence by kind and key) are open. For callers
        that know every fact of a kind."""
        rows = tx.connection.execute(select(alarm.c.kind, alarm.c.key).where(alarm.c.kind.in_(kinds))).all()
        for kind, key in {(row.kind, row.key) for row in rows} - set(facts):
            self.clear(tx, kind, key)
        for (kind, key), text in facts.items():
            self.raise_alarm(tx, kind, key, text)

    def open(self) -> list[Alarm]:
        """All open alarms, oldest first."""
        with self._store.read() as connection:
            rows = connection.execute(select(alarm).order_by(alarm.c.since_us, alarm.c.alarm_id)).mappings()
            return [_message(row) for row in rows]

    def keys(self, kind: str) -> set[str]:
        """Keys of the kind's open alarms: a watcher compares them with the facts when it starts."""
        with self._store.read() as connection:
            return set(connection.execute(select(alarm.c.key).where(alarm.c.kind == kind)).scalars())

    @staticmethod
    def _find(tx: Transaction, kind: str, key: str) -> RowMapping | None:
        return tx.connection.execute(_OF_FACT, {"of": kind, "about": key}).mappings().first()

    @staticmethod
    def _count(tx: Transaction, kind: str) -> int:
        return tx.connection.execute(select(func.count()).where(alarm.c.kind == kind)).scalar_one()


def _message(row: Mapping[str, object] | RowMapping) -> Alarm:
    since = row["since_us"]
    if not isinstance(since, int):
        raise TypeError("since_us is an integer column")
    return Alarm(
        alarm_id=str(row["alarm_id"]),
        kind=str(row["kind"]),
        since=rfc3339(since),
        node_id=None if row["node_id"] is None else str(row["node_id"]),
        ref=None if row["ref"] is None else str(row["ref"]),
        text=str(row["text"]),
    )
