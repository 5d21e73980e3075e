"""Alarms: facts that need a person, open until the fact has changed.

An alarm belongs to a fact, named by ``kind`` and ``key`` (``frame.unreachable`` and the peer's id). Raising an open
alarm again, or clearing one that is not open, changes nothing, so a watcher may repeat itself after a restart. Opening
and closing are leaves (``alarm.raised``, ``alarm.cleared``) and ``alarm`` events.

``raise_now`` opens an alarm that needs no disk: it is listed and told at once, and lives in memory. A transaction that
raises the same fact later makes it a row under the same id; ``clear`` and ``clear_now`` close it.

An alarm has at most one owner: the key that took it last (``take``; leaf ``alarm.taken``, event). Taking changes
nothing else: the alarm stays open. An alarm that memory alone holds has its owner in memory too, without a leaf, until
its row is made.

Floods: a kind holds at most ``OPEN_PER_KIND`` alarms. Further ones are not kept, but one alarm of the kind
``alarm.flood`` stays open for that kind until it has room again; callers whose fact lasts raise theirs again then.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, RowMapping, bindparam, delete, func, insert, select, update

from app.api.persons import names_of
from app.api.problems import Problem
from app.api.wire import rfc3339, unix_us
from app.delivery.events import Event, EventBus, Held
from app.delivery.messages import HAPPENED, Alarm, AlarmEvent
from app.delivery.tables import alarm
from app.store.engine import Store
from app.store.errors import StoreUnavailable
from app.store.writer import Transaction

RAISED = "alarm.raised"
TAKEN = "alarm.taken"
CLEARED = "alarm.cleared"
FLOOD = "alarm.flood"

OPEN_PER_KIND = 500
TEXT_MAX = 500
_OF_FACT = select(alarm).where(alarm.c.kind == bindparam("of"), alarm.c.key == bindparam("about"))
SERVICE_ACTOR = "service"
"""Actor of leaves that no API key caused."""


class AlarmBook:
    """The open alarms. ``raise_alarm`` and ``clear`` run inside a writer's transaction; ``open`` on any thread. A
    ``PersonRecords``: what owners said of alarms about a node."""

    def __init__(self, store: Store, bus: EventBus) -> None:
        self._store = store
        self._bus = bus
        self._lock = threading.Lock()
        self._now: dict[tuple[str, str], Alarm] = {}
        """Alarms that no row holds, by fact."""

    def raise_now(self, kind: str, key: str, text: str, *, node_id: str | None = None, ref: str | None = None) -> None:
        """Opens the alarm of the fact in memory, for what the store cannot take now. An alarm that is open so already
        gets the new text, and an event where that says something else. Any thread. A kind holds ``OPEN_PER_KIND`` of
        them; of further ones the last place tells that there are more."""
        text = _cut(text)
        with self._lock:
            known = self._now.get((kind, key))
            if known is not None and known.text == text:
                return
            if known is None and sum(other == kind for other, _ in self._now) >= OPEN_PER_KIND:
                kind, key, node_id, ref = FLOOD, kind, None, None
                text = f"More than {OPEN_PER_KIND} alarms of the kind {key} are open; further ones are not listed."
                if (kind, key) in self._now:
                    return
            at_us = time.time_ns() // 1000
            opened = Alarm(
                alarm_id=f"alm_{secrets.token_hex(8)}" if known is None else known.alarm_id,
                kind=kind,
                since=rfc3339(at_us) if known is None else known.since,
                node_id=node_id,
                ref=ref,
                text=text,
                taken_by=None if known is None else known.taken_by,
                taken_at=None if known is None else known.taken_at,
                note=None if known is None else known.note,
            )
            self._now[kind, key] = opened
        self._bus.publish(Event("alarm", AlarmEvent(state="raised", alarm=opened), at_us))

    def clear_now(self, kind: str, key: str) -> None:
        """Closes the alarm of the fact if memory alone holds it. Any thread."""
        with self._lock:
            closed = self._now.pop((kind, key), None)
            if closed is not None and not any(other == kind for other, _ in self._now):
                self._now.pop((FLOOD, kind), None)
        if closed is not None:
            self._bus.publish(Event("alarm", AlarmEvent(state="cleared", alarm=closed), time.time_ns() // 1000))

    def _forget_now(self, kind: str, key: str) -> None:
        """A row holds the alarm from here on."""
        with self._lock:
            self._now.pop((kind, key), None)

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
        text = _cut(text)
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
        in_memory = self._now.get((kind, key))
        row = {
            "alarm_id": f"alm_{secrets.token_hex(8)}" if in_memory is None else in_memory.alarm_id,
            "kind": kind,
            "key": key,
            "since_us": tx.now_us,
            "node_id": node_id,
            "ref": ref,
            "text": text,
            "taken_by": None if in_memory is None else in_memory.taken_by,
            "taken_us": None if in_memory is None else _microseconds(in_memory.taken_at),
            "note": None if in_memory is None else in_memory.note,
        }
        tx.connection.execute(insert(alarm).values(row))
        tx.after_commit(lambda: self._forget_now(kind, key))
        opened = self._tell_raised(tx, row, actor)
        if opened.taken_by is not None:
            # It was taken while no disk could hold that: the leaf comes with the row.
            _log_taken(tx, opened, key)
        return opened.alarm_id

    def _tell_raised(self, tx: Transaction, row: Mapping[str, object], actor: str) -> Alarm:
        fact = {"kind": row["kind"], "key": row["key"], "ref": row["ref"] or "", "text": row["text"]}
        opened = _message(row, tx.connection)
        tx.audit(RAISED, actor=actor, node_id=opened.node_id, detail={"alarm_id": opened.alarm_id, **fact})
        at_us = tx.now_us
        tx.after_commit(lambda: self._bus.publish(Event("alarm", AlarmEvent(state="raised", alarm=opened), at_us)))
        return opened

    def clear(self, tx: Transaction, kind: str, key: str, *, actor: str = SERVICE_ACTOR) -> bool:
        """Closes the alarm of the fact; False when none was open."""
        tx.after_commit(lambda: self.clear_now(kind, key))
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
        closed = _message(known, tx.connection)
        at_us = tx.now_us
        tx.after_commit(lambda: self._bus.publish(Event("alarm", AlarmEvent(state="cleared", alarm=closed), at_us)))
        if kind != FLOOD and self._count(tx, kind) < OPEN_PER_KIND:
            self.clear(tx, FLOOD, kind, actor=actor)
        return True

    async def take(self, alarm_id: str, note: str | None, *, actor: str) -> Alarm:
        """``actor`` owns the alarm from now on; the alarm. An earlier owner's note goes with its ownership. The owner
        who takes it again changes nothing, and changes the note by giving another one. 404: it is not open."""
        try:
            return await self._store.writer.run(lambda tx: self._take(tx, alarm_id, note, actor))
        except StoreUnavailable:
            taken = self._take_now(alarm_id, note, actor)
            if taken is None:
                raise
            return taken

    def _take(self, tx: Transaction, alarm_id: str, note: str | None, actor: str) -> Alarm:
        """As ``take``; the row, its leaf and its event, or what memory holds."""
        known = self._find_id(tx, alarm_id)
        if known is None:
            # Inside the writer's job, so that no other job makes the row out of the memory meanwhile.
            taken = self._take_now(alarm_id, note, actor)
            if taken is None:
                raise _not_open(alarm_id)
            return taken
        if not _changes(known["taken_by"], known["note"], note, actor):
            return _message(known, tx.connection)
        row = {**known, "taken_by": actor, "taken_us": tx.now_us, "note": note}
        one = update(alarm).where(alarm.c.alarm_id == alarm_id)
        tx.connection.execute(one.values(taken_by=actor, taken_us=tx.now_us, note=note))
        taken = _message(row, tx.connection)
        _log_taken(tx, taken, known["key"], before=known["taken_by"])
        at_us = tx.now_us
        tx.after_commit(lambda: self._bus.publish(Event("alarm", AlarmEvent(state="taken", alarm=taken), at_us)))
        return taken

    def _take_now(self, alarm_id: str, note: str | None, actor: str) -> Alarm | None:
        """Gives the alarm that memory holds its owner; None: memory holds no such alarm."""
        at_us = time.time_ns() // 1000
        with self._lock:
            fact = self._fact_now(alarm_id)
            if fact is None:
                return None
            known = self._now[fact]
            if not _changes(known.taken_by, known.note, note, actor):
                return known
            taken = msgspec.structs.replace(known, taken_by=actor, taken_at=rfc3339(at_us), note=note)
            self._now[fact] = taken
        self._bus.publish(Event("alarm", AlarmEvent(state="taken", alarm=taken), at_us))
        return taken

    def _fact_now(self, alarm_id: str) -> tuple[str, str] | None:
        """Kind and key of the alarm that memory holds under this id. The caller holds the lock."""
        return next((fact for fact, one in self._now.items() if one.alarm_id == alarm_id), None)

    async def acknowledge(self, alarm_id: str, *, actor: str) -> Alarm:
        """Closes an alarm of what has happened (``HAPPENED``), which no change of a fact can close; the alarm. 404: it
        is not open; 409: it closes with its fact."""
        return await self._store.writer.run(lambda tx: self._acknowledge(tx, alarm_id, actor))

    def _acknowledge(self, tx: Transaction, alarm_id: str, actor: str) -> Alarm:
        known = self._find_id(tx, alarm_id)
        with self._lock:
            in_memory = self._fact_now(alarm_id)
        if known is None and in_memory is None:
            raise _not_open(alarm_id)
        # What memory holds lasts: none of it is of a kind that has merely happened.
        if known is None or known["kind"] not in HAPPENED:
            raise Problem("state_conflict", "This alarm closes when what it tells of has changed: see to that.")
        self.clear(tx, known["kind"], known["key"], actor=actor)
        return _message(known, tx.connection)

    def settle(self, tx: Transaction, kinds: Sequence[str], facts: Mapping[tuple[str, str], str]) -> None:
        """Raises and clears so that of ``kinds`` exactly ``facts`` (sentence by kind and key) are open. For callers
        that know every fact of a kind."""
        rows = tx.connection.execute(select(alarm.c.kind, alarm.c.key).where(alarm.c.kind.in_(kinds))).all()
        for kind, key in {(row.kind, row.key) for row in rows} - set(facts):
            self.clear(tx, kind, key)
        for (kind, key), text in facts.items():
            self.raise_alarm(tx, kind, key, text)

    def open(self) -> list[Alarm]:
        """All open alarms, oldest first; those that memory alone holds come last."""
        # Memory first: one that becomes a row in between is then listed once, by its row.
        with self._lock:
            in_memory = list(self._now.values())
        with self._store.read() as connection:
            rows = connection.execute(select(alarm).order_by(alarm.c.since_us, alarm.c.alarm_id)).mappings().all()
            names = names_of(connection, [*(row["taken_by"] for row in rows), *(one.taken_by for one in in_memory)])
        ids = {row["alarm_id"] for row in rows}
        held = [
            msgspec.structs.replace(one, taken_by_name=names.get(one.taken_by or ""))
            for one in in_memory
            if one.alarm_id not in ids
        ]
        return [*(_with_names(row, names) for row in rows), *held]

    def keys(self, kind: str) -> set[str]:
        """Keys of the kind's open alarms: a watcher compares them with the facts when it starts."""
        with self._store.read() as connection:
            return set(connection.execute(select(alarm.c.key).where(alarm.c.kind == kind)).scalars())

    # --- what is kept of a person ---

    def held_records(self, connection: Connection, node_id: str) -> Held:
        """As of ``app.delivery.events.PersonRecords``: the notes on open alarms about the node."""
        return Held(connection.scalar(select(func.count()).where(*_notes_on(node_id))) or 0)

    def forget(self, tx: Transaction, node_id: str) -> int:
        """Erases the notes, in memory too."""
        tx.after_commit(lambda: self._forget_notes_now(node_id))
        return tx.connection.execute(update(alarm).where(*_notes_on(node_id)).values(note=None)).rowcount

    def _forget_notes_now(self, node_id: str) -> None:
        with self._lock:
            for fact, one in self._now.items():
                if one.node_id == node_id:
                    self._now[fact] = msgspec.structs.replace(one, note=None)

    # --- rows ---

    @staticmethod
    def _find_id(tx: Transaction, alarm_id: str) -> RowMapping | None:
        return tx.connection.execute(select(alarm).where(alarm.c.alarm_id == alarm_id)).mappings().first()

    @staticmethod
    def _find(tx: Transaction, kind: str, key: str) -> RowMapping | None:
        return tx.connection.execute(_OF_FACT, {"of": kind, "about": key}).mappings().first()

    @staticmethod
    def _count(tx: Transaction, kind: str) -> int:
        return tx.connection.execute(select(func.count()).where(alarm.c.kind == kind)).scalar_one()


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_MAX else text[: TEXT_MAX - 1] + "…"


def _not_open(alarm_id: str) -> Problem:
    return Problem("not_found", f"No alarm {alarm_id} is open; it may have been closed meanwhile.")


def _changes(owner: str | None, said: str | None, note: str | None, actor: str) -> bool:
    """Whether taking changes anything: another owner, or another note by the same one. No note keeps the note."""
    return owner != actor or note not in (None, said)


def _log_taken(tx: Transaction, taken: Alarm, key: str, *, before: str | None = None) -> None:
    """The leaf: who owns the alarm, whom that one relieves, and what was said."""
    detail = {"alarm_id": taken.alarm_id, "kind": taken.kind, "key": key, "taken_at": taken.taken_at}
    said = {"note": taken.note, "before": before}
    detail |= {name: value for name, value in said.items() if value is not None}
    tx.audit(TAKEN, actor=taken.taken_by or SERVICE_ACTOR, node_id=taken.node_id, detail=detail)


def _notes_on(node_id: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return alarm.c.node_id == node_id, alarm.c.note.is_not(None)


def _microseconds(at: str | None) -> int | None:
    return None if at is None else unix_us(at)


def _message(row: Mapping[str, Any] | RowMapping, connection: Connection) -> Alarm:
    """The message of a row of ``alarm``, with its owner's name."""
    return _with_names(row, names_of(connection, [row["taken_by"]]))


def _with_names(row: Mapping[str, Any] | RowMapping, names: Mapping[str, str]) -> Alarm:
    """The message of a row of ``alarm``; ``names``: of operators."""
    since, taken = row["since_us"], row["taken_us"]
    if not isinstance(since, int):
        raise TypeError("since_us is an integer column")
    return Alarm(
        alarm_id=str(row["alarm_id"]),
        kind=str(row["kind"]),
        since=rfc3339(since),
        node_id=None if row["node_id"] is None else str(row["node_id"]),
        ref=None if row["ref"] is None else str(row["ref"]),
        text=str(row["text"]),
        taken_by=None if row["taken_by"] is None else str(row["taken_by"]),
        taken_by_name=names.get(row["taken_by"]),
        taken_at=rfc3339(taken) if isinstance(taken, int) else None,
        note=None if row["note"] is None else str(row["note"]),
    )
