"""Directories, sessions and sites elsewhere: what only a global burn reaches.

Each kind of directory is one ``Connector`` in a module of its own; here is what all of them share: which targets a burn
has, whom each is about (frozen in the burn's transaction), at most ``CONNECTIONS`` attempts at one directory at a time,
and one prober at a dead one: while a directory does not answer, a single attempt is made at a time, and as soon as one
succeeds all that wait for it go on at once.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import logging
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol

from sqlalchemy import Connection, insert, select

from app.api.wire import rfc3339
from app.burn.messages import PreviewTarget, Residual, TargetState
from app.burn.tables import burn_subject
from app.burn.targets import DRILL, BurnFacts, Planned, Report, Result
from app.delivery.outbound import CONNECTIONS, Outbound, OutboundError
from app.registry.directories import DirectoryRow
from app.registry.messages import DirectoryKind, DirectoryProbe
from app.registry.nodes import NodeRow
from app.registry.service import Registry, now_us
from app.store.engine import Store
from app.store.errors import SealBroken
from app.store.keys import Keys
from app.store.writer import Transaction

log = logging.getLogger(__name__)

_COLON = "~"
"""Stands for a colon of a directory's id, which can hold no tilde."""
_BACKSTOP = 3.0
"""A connector keeps its own deadline; one that hangs all the same is cut off after so many of them."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom an attempt is about. ``account``: as the directory names him; None where a whole site is told."""

    node_id: str
    account: str | None
    email: str | None
    employee_id: str | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attempt ended: ``state`` never closed; ``evidence`` what proves it, or why not, for people and without
    secrets; ``answered`` whether the directory itself answered (False: it counts as dead)."""

    state: TargetState
    evidence: str
    answered: bool = True


@dataclass(frozen=True, slots=True)
class Tools:
    """What connectors are made of. ``issuer``: the site's name for life; ``keys``: for a key of their own."""

    http: Outbound
    keys: Keys
    issuer: str
    training: bool


class Connector(Protocol):
    """One kind of directory. Its calls run on the event loop and must be idempotent: after a crash they come again."""

    kind: ClassVar[DirectoryKind]
    per: ClassVar[Literal["account", "site"]]
    """``account``: one target for each account that the node has there; ``site``: one for every burned node."""

    async def revoke(self, where: DirectoryRow, who: Subject, facts: BurnFacts, deadline_s: float) -> Outcome:
        """Ends the access and reads back that it is ended, within ``deadline_s`` (seconds). An ``OutboundError`` means
        ``pending_offline``. Never raises for what the other side does otherwise."""
        ...

    async def probe(self, where: DirectoryRow, deadline_s: float) -> str:
        """Finds out whether ``revoke`` could work now, changing nothing; what answered, in words. Raises
        ``OutboundError`` or ``Refusal``."""
        ...

    def residual(self, where: DirectoryRow, state: TargetState, at_us: int) -> Residual | None:
        """What access outlives the burn in this state; ``at_us`` the burn's (None as ``until``: unknown)."""
        ...

    async def close(self) -> None:
        """Lets go of connections."""
        ...


class Refusal(Exception):
    """The directory answered and will not do it as registered; a sentence for people."""


@dataclass(eq=False)
class _Line:
    """The way to one directory. ``dead_since`` (perf_counter) None = it answered last; ``probing``: the single attempt
    at a dead one is under way; ``waiting``: what goes on when it answers again."""

    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(CONNECTIONS))
    dead_since: float | None = None
    probing: bool = False
    waiting: dict[tuple[str, str], Callable[[], None]] = field(default_factory=dict)


class DirectoryTargets:
    """All registered directories. ``deadline_s``: one attempt, where the directory says nothing else."""

    def __init__(
        self,
        connectors: Sequence[Connector],
        store: Store,
        registry: Registry,
        *,
        deadline_s: float,
        again: Callable[[str, str], None],
    ) -> None:
        self._connectors: Mapping[str, Connector] = {connector.kind: connector for connector in connectors}
        self._store = store
        self._registry = registry
        self._deadline_s = deadline_s
        self._again = again
        """``again(burn_id, target_id)``: tries a target at once, on the event loop."""
        self._lines: dict[str, _Line] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        registry.directories.probe_with(self.probe)

    def owns(self, kind: str) -> bool:
        return kind in self._connectors

    # --- planning ---

    def plan(self, tx: Transaction, facts: BurnFacts) -> Sequence[Planned]:
        if facts.scope != "GLOBAL_REVOCATION":
            return []
        node = self._registry.node(tx.connection, facts.node_id)
        planned: list[Planned] = []
        for where, who in self._subjects(tx.connection, facts.node_id, node, drill=facts.drill):
            target_id = _target_id(where.kind, where.directory_id, who.account)
            tx.connection.execute(
                insert(burn_subject).values(
                    burn_id=facts.burn_id,
                    target_id=target_id,
                    directory_id=where.directory_id,
                    account=who.account,
                    email=who.email,
                    employee_id=who.employee_id,
                )
            )
            planned.append(Planned(target_id, where.kind, _shown(where, who)))
        for directory_id in () if facts.drill else self._unregistered(tx.connection, facts.node_id):
            # An account that nobody can reach is no success: it stays open until a person has looked.
            planned.append(
                Planned(
                    _target_id("ldap", directory_id, None),
                    "ldap",
                    f"{directory_id}: not registered",
                    "failed",
                    f"the node has an account in {directory_id}, but no such directory is registered",
                )
            )
        return planned

    def _subjects(
        self, connection: Connection, node_id: str, node: NodeRow | None, *, drill: bool
    ) -> Iterator[tuple[DirectoryRow, Subject]]:
        accounts: dict[str, list[str]] = {}
        for directory_id, account in self._registry.nodes.accounts(connection, node_id):
            accounts.setdefault(directory_id, []).append(account)
        email = None if node is None else node.email
        employee = None if node is None else node.employee_id
        for where in self._registry.directories.all(connection):
            connector = self._connectors.get(where.kind)
            if connector is None or (drill and DRILL not in where.tags):
                continue
            known = accounts.get(where.directory_id, [])
            for account in known:
                yield where, Subject(node_id, account, email, employee)
            if not known and connector.per == "site":
                yield where, Subject(node_id, None, email, employee)

    def _unregistered(self, connection: Connection, node_id: str) -> list[str]:
        known = {where.directory_id for where in self._registry.directories.all(connection)}
        return sorted({directory_id for directory_id, _ in self._registry.nodes.accounts(connection, node_id)} - known)

    # --- reaching ---

    def dispatch(self, facts: BurnFacts, target_ids: Sequence[str], report: Report) -> None:
        with self._store.read() as connection:
            rows = connection.execute(select(burn_subject).where(burn_subject.c.burn_id == facts.burn_id))
            subjects = {
                row.target_id: (row.directory_id, Subject(facts.node_id, row.account, row.email, row.employee_id))
                for row in rows
            }
            directories = {
                directory_id: self._found(connection, directory_id)
                for directory_id in {subjects[target_id][0] for target_id in target_ids if target_id in subjects}
            }
        for target_id in target_ids:
            directory_id, who = subjects.get(target_id, ("", None))
            where = directories.get(directory_id)
            if who is None or where is None:
                report(Result(target_id, "failed", "no such directory is registered any more"))
            elif isinstance(where, SealBroken):
                report(Result(target_id, "failed", str(where)))
            else:
                self._spawn(self._attempt(where, who, facts, target_id, report))

    def _found(self, connection: Connection, directory_id: str) -> DirectoryRow | SealBroken | None:
        try:
            return self._registry.directories.found(connection, directory_id)
        except SealBroken as error:
            return error

    async def _attempt(
        self, where: DirectoryRow, who: Subject, facts: BurnFacts, target_id: str, report: Report
    ) -> None:
        line = self._line(where.directory_id)
        mine = (facts.burn_id, target_id)
        if line.dead_since is not None and line.probing:
            line.waiting[mine] = functools.partial(self._again, *mine)
            since = time.perf_counter() - line.dead_since
            report(Result(target_id, "pending_offline", f"the directory has not answered for {since:.0f} s"))
            return
        if line.dead_since is not None:
            line.probing = True
        try:
            async with line.slots:
                outcome = await self._revoke(where, who, facts)
        finally:
            line.probing = False
        # The result first: what goes on below must find this target no longer in flight.
        report(Result(target_id, outcome.state, outcome.evidence))
        if outcome.answered:
            line.dead_since = None
            waiting, line.waiting = line.waiting, {}
            for go_on in waiting.values():
                go_on()
        elif line.dead_since is None:
            line.dead_since = time.perf_counter()

    async def _revoke(self, where: DirectoryRow, who: Subject, facts: BurnFacts) -> Outcome:
        deadline_s = where.timeout_s or self._deadline_s
        try:
            async with asyncio.timeout(_BACKSTOP * deadline_s):
                return await self._connectors[where.kind].revoke(where, who, facts, deadline_s)
        except OutboundError as error:
            return Outcome("pending_offline", str(error), answered=False)
        except TimeoutError:
            return Outcome("pending_offline", f"no answer within {deadline_s:g} s", answered=False)
        except Refusal as error:
            return Outcome("failed", str(error))
        except Exception:
            # A burn never stops at one directory; the log tells the editor of the connector, the target the operator.
            log.exception("an attempt at a directory broke", extra={"directory_id": where.directory_id})
            return Outcome("failed", "the attempt broke; see the service's log")

    def _line(self, directory_id: str) -> _Line:
        return self._lines.setdefault(directory_id, _Line())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Ends attempts under way (they come again at the next start) and lets go of connections."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for connector in self._connectors.values():
            await connector.close()

    # --- telling ---

    async def probe(self, where: DirectoryRow) -> DirectoryProbe:
        """Tries the directory, changing nothing there."""
        deadline_s = where.timeout_s or self._deadline_s
        started = time.perf_counter()
        latency_ms: float | None = None
        connector = self._connectors.get(where.kind)
        try:
            if connector is None:
                raise Refusal(f"this version reaches no directory of kind {where.kind}")
            async with asyncio.timeout(_BACKSTOP * deadline_s):
                found, ok = await connector.probe(where, deadline_s), True
            latency_ms = (time.perf_counter() - started) * 1000
        except (OutboundError, Refusal) as error:
            found, ok = str(error), False
        except TimeoutError:
            found, ok = f"No answer within {deadline_s:g} s.", False
        return DirectoryProbe(ok=ok, found=found, latency_ms=latency_ms, at=rfc3339(now_us()))

    def preview(self, connection: Connection, node_id: str) -> tuple[list[PreviewTarget], list[Residual]]:
        node = self._registry.node(connection, node_id)
        drill = node is not None and DRILL in node.tags
        found: list[PreviewTarget] = []
        outlives: list[Residual] = []
        for where, who in self._subjects(connection, node_id, node, drill=drill):
            line = self._lines.get(where.directory_id)
            dead = line is not None and line.dead_since is not None
            found.append(
                PreviewTarget(
                    id=_target_id(where.kind, where.directory_id, who.account),
                    kind=where.kind,
                    display_name=_shown(where, who),
                    reachable=None if line is None else not dead,
                    reversible=False,
                    expected_ms=None,
                    detail="it did not answer when it was last asked" if dead else None,
                )
            )
            left = self._connectors[where.kind].residual(where, "revoked", now_us())
            if left is not None:
                outlives.append(left)
        return found, outlives

    def residual(self, kind: str, target_id: str, state: TargetState, at_us: int) -> Residual | None:
        directory_id = target_id.split(":", 2)[1].replace(_COLON, ":")
        with self._store.read() as connection:
            where = self._found(connection, directory_id)
        if not isinstance(where, DirectoryRow):
            return Residual(what=f"{directory_id}: whatever the account may do there", until=None)
        return self._connectors[kind].residual(where, state, at_us)


def _target_id(kind: str, directory_id: str, account: str | None) -> str:
    """``kind:directory``, and for an account a digest of it: names of accounts may hold what no path can."""
    name = f"{kind}:{directory_id.replace(':', _COLON)}"
    return name if account is None else f"{name}:{hashlib.sha256(account.encode()).hexdigest()[:12]}"


def _shown(where: DirectoryRow, who: Subject) -> str:
    return where.display_name if who.account is None else f"{where.display_name} · {who.account}"
