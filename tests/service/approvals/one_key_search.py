"""What the holder of one key can do: every sequence of calls of the rows of keys and approvals, tried on real tables.

Each call is made by its row of the operation table, with a secret that opened a moment ago, and is taken back before
the next is tried, so that thousands of sequences cost one database in memory.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Final

from sqlalchemy import Connection, create_engine, select
from sqlalchemy.pool import StaticPool

from app.api.keys import KeyRing, Unauthenticated, make_key
from app.api.keys_messages import CreateKey, RotateKey
from app.api.keys_operations import OPERATIONS as KEYS
from app.api.lineage import Lines
from app.api.operation import Call, Clearance
from app.api.problems import Problem
from app.api.tables import api_key, api_key_secret
from app.api.wire import NoBody
from app.approvals.messages import ApprovalBody
from app.approvals.operations import OPERATIONS as APPROVALS
from app.approvals.service import Approvals, ApprovalSubject
from app.approvals.tables import approval
from app.delivery.alarms import AlarmBook
from app.delivery.events import EventBus
from app.store.cursor import Cursors
from app.store.tables import metadata
from app.store.writer import Transaction

ROWS: Final = {row.name: row for row in (*KEYS, *APPROVALS)}
SUBJECT: Final = "what it is about"


class _Log:
    """Counts leaves; what they say has other tests."""

    def __init__(self) -> None:
        self._seq = itertools.count()

    def append(self, _leaf: object) -> int:
        """The number of a leaf."""
        return next(self._seq)


@dataclass(frozen=True)
class Step:
    """One call: the row's name, the numbers of the key that calls and of the key that it is about."""

    name: str
    by: int
    about: int = -1


class World:
    """A site with one stolen key and ``others`` of other people, all numbered in the order in which they were made.
    ``launched``: the stolen one is that of a console; ``stolen``: how many are."""

    def __init__(
        self,
        lines: Callable[[Connection], Lines] = Lines,
        *,
        others: int = 1,
        launched: bool = False,
        stolen: int = 1,
    ) -> None:
        engine = create_engine("sqlite+pysqlite://", poolclass=StaticPool)
        self.connection = engine.connect()
        self.connection.connection.driver_connection.isolation_level = None  # type: ignore[union-attr]
        metadata.create_all(self.connection, tables=[api_key, api_key_secret, *_tables_of("approval", "alarm")])
        self._log = _Log()
        self._now = itertools.count(1_700_000_000_000_000)
        self.calls = 0
        store: Any = SimpleNamespace(
            writer=SimpleNamespace(run=self._run, submit=self._submit),
            read=lambda: contextlib.nullcontext(self.connection),
            sealer=SimpleNamespace(seal=lambda _purpose, value, _context: value),
        )
        cursors = Cursors(bytes(32))
        self.keyring = KeyRing(store, peppers=[bytes(32)], cursors=cursors)
        approvals = Approvals(store, cursors, AlarmBook(store, EventBus()), ttl_s=3600, lines=lines)
        approvals.add_kind("lift", lambda _connection, _subjects: ApprovalSubject(SUBJECT, None, None, "Un-burn"))
        self._services = {"keys": self.keyring, "approvals": approvals}
        self.kids: list[str] = []
        self.held: dict[int, str] = {}
        for number in range(1 + others):
            if number == 0 and launched:
                key = make_key(Clearance.CITADEL)
                self.kids.append(self.keyring.admit_launch_key(key).key_id)
            else:
                made = self.keyring.create_now(CreateKey(label="by command", clearance="citadel"), actor="command-line")
                key = made.key
                self.kids.append(made.kid)
            if number < stolen:
                self.held[number] = key

    def _job(self, job: Callable[[Transaction], Any]) -> Any:
        tx = Transaction(self.connection, self._log, next(self._now), None)  # type: ignore[arg-type]
        result = job(tx)
        for told in tx._after:
            told()
        return result

    async def _run(self, job: Callable[[Transaction], Any]) -> Any:
        return self._job(job)

    def _submit(self, job: Callable[[Transaction], Any]) -> Any:
        result = self._job(job)
        return SimpleNamespace(result=lambda: result)

    # --- what can be tried ---

    def steps(self) -> Iterator[Step]:
        """Every call that a held key can make now and that may change something. The keys of two other people are
        alike: the second is touched after the first."""
        for by in self.held:
            yield Step("keys.create", by)
            for about in range(len(self.kids)):
                if about != 2 or self._touched(1):
                    yield Step("keys.rotate", by, about)
                    yield Step("keys.revoke", by, about)
            for name in ("approvals.request", "approvals.approve", "approvals.reject"):
                yield Step(name, by)

    def _touched(self, number: int) -> bool:
        row = select(api_key.c.revoked_us).where(api_key.c.kid == self.kids[number])
        return number in self.held or self.connection.scalar(row) is not None

    def take(self, step: Step) -> bool:
        """Makes the call; False if the service refuses it."""
        self.calls += 1
        row = ROWS[step.name]
        try:
            caller = self.keyring.authenticate(b"Bearer " + self.held[step.by].encode())
        except Unauthenticated:
            return False
        path = {}
        if "kid" in row.parameters:
            path["kid"] = self.kids[step.about]
        if "approval_id" in row.parameters:
            newest = select(approval.c.approval_id).order_by(approval.c.requested_us.desc()).limit(1)
            path["approval_id"] = self.connection.scalar(newest) or "apr_none"
        call: Call[Any, Any] = Call(_body(step), None, path, caller, "req_1", {}, "", _connected)
        try:
            answer = _ended(row.handler(self._services[row.served_by], call))
        except Problem:
            return False
        if step.name == "keys.create":
            self.held[len(self.kids)] = answer.key
            self.kids.append(answer.kid)
        elif step.name == "keys.rotate":
            self.held[step.about] = answer.key
        return True

    @contextlib.contextmanager
    def taken_back(self) -> Iterator[None]:
        """What is done inside was never done."""
        kids, held = list(self.kids), dict(self.held)
        name = f"step_{len(kids)}_{self.calls}"
        self.connection.exec_driver_sql(f"SAVEPOINT {name}")
        yield
        self.connection.exec_driver_sql(f"ROLLBACK TO {name}")
        self.connection.exec_driver_sql(f"RELEASE {name}")
        self.kids, self.held = kids, held

    # --- what came of it ---

    @property
    def state(self) -> str:
        """Of the newest request; empty while there is none."""
        newest = select(approval.c.state).order_by(approval.c.requested_us.desc()).limit(1)
        return self.connection.scalar(newest) or ""

    def shape(self) -> object:
        """All that later calls can depend on. Two sequences of the same shape go on alike."""
        number = {kid: place for place, kid in enumerate(self.kids)}
        newest = self.connection.execute(
            select(approval).order_by(approval.c.requested_us.desc()).limit(1)
        ).one_or_none()
        asked_us = 0 if newest is None else newest.requested_us
        makers: dict[int, set[int | None]] = {}
        for kid, maker in self.connection.execute(select(api_key_secret.c.kid, api_key_secret.c.made_by)):
            makers.setdefault(number[kid], set()).add(None if maker is None else number[maker])
        rows = self.connection.execute(select(api_key)).all()
        keys = {
            (
                number[row.kid],
                row.clearance,
                row.revoked_us is None,
                row.created_us < asked_us,
                frozenset(makers[number[row.kid]]),
            )
            for row in rows
        }
        request = None if newest is None else (newest.state, number[newest.requested_by])
        return frozenset(keys), frozenset(self.held), request


def _tables_of(*names: str) -> list[Any]:
    return [metadata.tables[name] for name in names]


def _body(step: Step) -> Any:
    if step.name == "keys.create":
        return CreateKey(label="minted", clearance="citadel")
    if step.name == "keys.rotate":
        return RotateKey()
    if step.name == "approvals.request":
        return ApprovalBody(kind="lift", subjects=[SUBJECT], reason="because")
    return NoBody()


async def _connected() -> bool:
    return False


def _ended(call: Coroutine[Any, Any, Any]) -> Any:
    """What a handler gives, whose store answers at once."""
    try:
        call.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("a handler waited for something")


def way(world: World, most: int) -> list[Step] | None:
    """A sequence of at most ``most`` calls to an approved act; None: there is none. A sequence that comes to a known
    shape is not gone on with; nor is one that has too few calls left to ask and to approve."""
    known: set[object] = set()

    def go_on(taken: list[Step], left: int) -> list[Step] | None:
        if world.state == "APPROVED":
            return taken
        needed = 1 if world.state == "PENDING" else 2
        if left < needed:
            return None
        for step in list(world.steps()):
            last = left == needed
            if last and step.name != ("approvals.approve" if needed == 1 else "approvals.request"):
                continue
            with world.taken_back():
                if not world.take(step):
                    continue
                shape = (world.shape(), left) if left > 1 else None
                if shape in known:
                    continue
                if shape is not None:
                    known.add(shape)
                if found := go_on([*taken, step], left - 1):
                    return found
        return None

    return go_on([], most)
