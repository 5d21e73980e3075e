"""What one person can do: every sequence of calls of the rows of keys, operators and approvals, on real tables.

The person holds a key, or is an operator. Who knows an operator's passphrase acts as it: signing in is no step of its
own, since it succeeds each time. Each call is made by its row of the operation table, with a secret that opened a
moment ago, and is taken back before the next is tried, so that thousands of sequences cost one database in memory.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, create_engine, select
from sqlalchemy.pool import StaticPool

from app.api.keys import KeyRing, Unauthenticated, make_key
from app.api.keys_messages import CreateKey, RotateKey
from app.api.keys_operations import OPERATIONS as KEYS
from app.api.lineage import Lines
from app.api.operation import Call, Caller, Clearance
from app.api.operator_id import draw_operator_id, is_operator
from app.api.problems import Problem
from app.api.roles import Role
from app.api.tables import api_key, api_key_secret, operator, operator_hand, operator_passphrase
from app.api.wire import NoBody
from app.approvals.messages import ApprovalBody
from app.approvals.operations import OPERATIONS as APPROVALS
from app.approvals.service import Approvals, ApprovalSubject
from app.approvals.tables import approval
from app.delivery.alarms import AlarmBook
from app.delivery.events import EventBus
from app.operators.four_eyes import add_kinds, approval_user, citadel_gate
from app.operators.messages import OperatorBody, PassphraseBody
from app.operators.operations import OPERATIONS as OPERATORS
from app.operators.register import COMMAND_LINE, OperatorRegister, roles_of
from app.store.cursor import Cursors
from app.store.tables import metadata
from app.store.writer import Transaction

ROWS: Final = {row.name: row for row in (*KEYS, *APPROVALS)}
OPERATOR_ROWS: Final = {row.name: row for row in OPERATORS}
OWN_NODE, OTHER_NODE = "ARC-PERSON-0", "ARC-PERSON-9"
"""The person's own node, and one that no operator is tied to at the beginning."""
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
    """One call: the row's name, the numbers of who calls and of the key or operator that it is about. ``node``: whom a
    PUT of an operator ties it to; ``admin``: whether it makes an administrator of it."""

    name: str
    by: int
    about: int = -1
    node: str | None = None
    admin: bool = True


class World:
    """A site with one stolen key and ``others`` of other people, all numbered in the order in which they were made.
    ``launched``: the stolen one is that of a console; ``stolen``: how many are. ``operators``: administrators of other
    people, numbered after the keys, each tied to a node of its own; None: a site without operators. ``person``: the
    first one is no key, but an operator with every role."""

    def __init__(
        self,
        lines: Callable[[Connection], Lines] = Lines,
        *,
        others: int = 1,
        launched: bool = False,
        stolen: int = 1,
        operators: int | None = None,
        person: bool = False,
    ) -> None:
        engine = create_engine("sqlite+pysqlite://", poolclass=StaticPool)
        self.connection = engine.connect()
        self.connection.connection.driver_connection.isolation_level = None  # type: ignore[union-attr]
        persons = [operator, operator_hand, operator_passphrase]
        tables = [api_key, api_key_secret, *persons, *_tables_of("approval", "alarm")]
        metadata.create_all(self.connection, tables=tables)
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
        add_kinds(approvals)
        self.keyring.guard_citadel(citadel_gate(approvals))
        nodes: Any = SimpleNamespace(find=lambda _connection, node_id, _now_us: node_id)
        self.register = OperatorRegister(store, cursors, nodes, approval_user(approvals))
        operators_service = SimpleNamespace(register=self.register, set_passphrase=self._set_passphrase)
        self._services = {"keys": self.keyring, "approvals": approvals, "operators": operators_service}
        self._persons = operators is not None
        self.kids: list[str] = []
        self.held: dict[int, str] = {}
        for number in range(1 + others):
            if number == 0 and person:
                key = self._operator(OWN_NODE)
                self.kids.append(key)
            elif number == 0 and launched:
                key = make_key(Clearance.CITADEL)
                self.kids.append(self.keyring.admit_launch_key(key).key_id)
            else:
                made = self.keyring.create_now(CreateKey(label="by command", clearance="citadel"), actor="command-line")
                key = made.key
                self.kids.append(made.kid)
            if number < stolen:
                self.held[number] = key
        for number in range(operators or 0):
            self.kids.append(self._operator(f"ARC-PERSON-{number + 1}"))

    def _operator(self, node: str) -> str:
        """An operator with every role, as the command line makes it."""
        operator_id = draw_operator_id()
        self._job(lambda tx: self.register.put_in(tx, operator_id, _operator_body(node), COMMAND_LINE))
        return operator_id

    async def _set_passphrase(self, operator_id: str, _passphrase: memoryview, **more: Any) -> None:
        # Without scrypt, which would cost a tenth of a second each time.
        self._job(lambda tx: self.register.set_passphrase(tx, operator_id, b"verifier", **more))

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
            for about, kid in enumerate(self.kids):
                if is_operator(kid):
                    yield Step("registry.put_operator", by, about, OTHER_NODE)
                    yield Step("registry.delete_operator", by, about)
                    if about != by:
                        yield Step("operators.set_passphrase", by, about)
                elif about != 2 or self._touched(1):
                    yield Step("keys.rotate", by, about)
                    yield Step("keys.revoke", by, about)
            if self._persons:
                yield Step("registry.put_operator", by, node=OTHER_NODE)
                yield Step("registry.put_operator", by, node=OTHER_NODE, admin=False)
                yield Step("registry.put_operator", by, node=OWN_NODE, admin=False)
            for name in ("approvals.request", "approvals.approve", "approvals.reject"):
                yield Step(name, by)

    def _touched(self, number: int) -> bool:
        if is_operator(self.kids[number]):
            return True
        row = select(api_key.c.revoked_us).where(api_key.c.kid == self.kids[number])
        return number in self.held or self.connection.scalar(row) is not None

    def take(self, step: Step) -> bool:
        """Makes the call; False if the service refuses it."""
        self.calls += 1
        row = ROWS.get(step.name) or OPERATOR_ROWS[step.name]
        try:
            caller = self._caller(step.by)
        except Unauthenticated:
            return False
        path = {}
        if "kid" in row.parameters:
            path["kid"] = self.kids[step.about]
        if "id" in row.parameters:
            path["id"] = draw_operator_id() if step.about < 0 else self.kids[step.about]
        if "approval_id" in row.parameters:
            newest = select(approval.c.approval_id).order_by(approval.c.requested_us.desc()).limit(1)
            path["approval_id"] = self.connection.scalar(newest) or "apr_none"
        call: Call[Any, Any] = Call(_body(step), None, path, caller, "req_1", {}, "", _connected)
        if caller.roles is not None and caller.roles.isdisjoint(row.roles):
            return False
        try:
            answer = _ended(row.handler(self._services[row.served_by], call))
        except Problem:
            return False
        if step.name == "keys.create":
            self.held[len(self.kids)] = answer.key
            self.kids.append(answer.kid)
        elif step.name == "keys.rotate":
            self.held[step.about] = answer.key
        elif step.name == "operators.set_passphrase":
            self.held[step.about] = self.kids[step.about]
        elif step.name == "registry.put_operator" and step.about < 0:
            self.kids.append(path["id"])
        return True

    def _caller(self, number: int) -> Caller:
        """Who calls, by a secret that opened a moment ago."""
        actor = self.kids[number]
        if not is_operator(actor):
            return self.keyring.authenticate(b"Bearer " + self.held[number].encode())
        row = self.connection.execute(select(operator).where(operator.c.operator_id == actor)).one()
        if row.state != "active":
            raise Unauthenticated("ended")
        return Caller(actor, Clearance.CITADEL, "operator", roles=roles_of(row))

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
        hands: dict[int, set[int]] = {}
        for operator_id, hand in self.connection.execute(select(operator_hand.c.operator_id, operator_hand.c.hand)):
            hands.setdefault(number[operator_id], set()).add(number[hand])
        persons = {
            (
                number[row.operator_id],
                row.node_id,
                row.state,
                row.roles,
                row.created_us < asked_us,
                frozenset(hands.get(number[row.operator_id], ())),
            )
            for row in self.connection.execute(select(operator))
        }
        return frozenset(keys), frozenset(persons), frozenset(self.held), request


def _tables_of(*names: str) -> list[Any]:
    return [metadata.tables[name] for name in names]


def _operator_body(node: str | None, *, admin: bool = True) -> OperatorBody:
    roles = [role for role in Role if admin or role is not Role.ADMIN]
    return OperatorBody(display_name="Somebody", node_id=node, roles=roles, methods=["passphrase"])


def _body(step: Step) -> Any:
    if step.name == "registry.put_operator":
        return _operator_body(step.node, admin=step.admin)
    if step.name == "operators.set_passphrase":
        return PassphraseBody(passphrase=msgspec.Raw(b'"bm9ib2R5IGd1ZXNzZXMgdGhpcw=="'))
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
