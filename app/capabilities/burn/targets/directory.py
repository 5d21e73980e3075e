"""Directories, sessions and sites elsewhere: what only a global burn reaches.

Each kind of directory is one ``Connector`` in a module of its own; here is what all of them share: which targets a burn
has, whom each is about (frozen in the burn's transaction), at most ``CONNECTIONS`` attempts at one directory at a time,
and one prober at a dead one: while a directory does not answer, a single attempt is made at a time, and as soon as one
succeeds all that wait for it go on at once. A directory that asks for a pause (``Retry-After``) is left alone so long.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import logging
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select

from app.api.wire import rfc3339
from app.capabilities.burn.messages import PreviewTarget, Residual, TargetState
from app.capabilities.burn.tables import burn_subject
from app.capabilities.burn.targets import BurnFacts, Planned, Report, TargetResult
from app.capabilities.burn.targets.connector import AttemptOutcome, AttemptSubject, Connector, Refusal
from app.capabilities.burn.targets.directory_line import DirectoryLine
from app.capabilities.burn.targets.person import combine
from app.delivery.outbound import OutboundError
from app.registry.directories import DirectoryRow
from app.registry.messages.directories import DirectoryProbe
from app.registry.messages.shared import DRILL_TAG
from app.registry.nodes import NodeRow
from app.registry.service import Registry, now_us
from app.store.engine import Store
from app.store.errors import SealBroken, StoreError
from app.store.writer import Transaction

log = logging.getLogger(__name__)

_COLON = "~"
"""Stands for a colon of a directory's id, which can hold no tilde."""
_BACKSTOP = 3.0
"""A connector keeps its own deadline; one that hangs all the same is cut off after so many of them."""
_LONGEST_PAUSE_S = 60.0
"""What a directory asks for at most: a burn outweighs its wish."""
_LOOK_S = 0.3
"""How long a preview waits for the directories; what answers later stands in the next preview."""
_SECRET = 8
"""Characters that a secret has at least to be hidden in what is shown: a shorter text is part of many words."""
_SHOWN = 500
"""Characters of what an attempt or a trial says that are shown at most."""
_FREEZE = insert(burn_subject)
_FROZEN = select(burn_subject).where(burn_subject.c.burn_id == bindparam("of"))
_SEARCH_WORDS = {"employee_id": "employee number", "email": "e-mail address"}
KIND = "directory"
"""Kind of a target in a directory that was not registered when the burn came."""


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
        """``again(burn_id, target_id)``: tries a target as soon as its last result is durable; on the event loop."""
        self._lines: dict[str, DirectoryLine] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        registry.directories.probe_with(self.probe)
        registry.directories.accept_schemes({connector.kind: connector.schemes for connector in connectors})

    def owns(self, kind: str) -> bool:
        return kind == KIND or kind in self._connectors

    # --- planning ---

    def looks_again(self, kind: str) -> bool | None:
        connector = self._connectors.get(kind)
        return connector is not None and connector.readable and connector.per == "person"

    def plan(self, tx: Transaction, facts: BurnFacts) -> Sequence[Planned]:
        if facts.scope != "GLOBAL_REVOCATION":
            return []
        node = self._registry.node(tx.connection, facts.node_id)
        reached, unregistered = self._subjects(tx.connection, facts.node_id, node, drill=facts.drill)
        planned: list[Planned] = []
        frozen: list[dict[str, str | None]] = []

        def freeze(kind: str, directory_id: str, who: AttemptSubject) -> str:
            target_id = _target_id(kind, directory_id, who.account)
            frozen.append(
                {
                    "burn_id": facts.burn_id,
                    "target_id": target_id,
                    "directory_id": directory_id,
                    "account": who.account,
                    "email": who.email,
                    "employee_id": who.employee_id,
                }
            )
            return target_id

        for where, who in reached:
            target_id = freeze(where.kind, where.directory_id, who)
            nothing = self._nothing_to_search(where, who)
            if nothing is None:
                planned.append(Planned(target_id, where.kind, _display_name(where, who)))
            else:
                planned.append(Planned(target_id, where.kind, _display_name(where, who), "unlinked", nothing))
        for directory_id, who in unregistered:
            # An account that nobody can reach is no success: it stays open until the directory is there or a person
            # has looked.
            target_id = freeze(KIND, directory_id, who)
            shown = f"{directory_id} · {who.account}"
            planned.append(Planned(target_id, KIND, shown, "failed", _not_registered(directory_id)))
        if frozen:
            tx.connection.execute(_FREEZE, frozen)
        return planned

    def _subjects(
        self, connection: Connection, node_id: str, node: NodeRow | None, *, drill: bool
    ) -> tuple[list[tuple[DirectoryRow, AttemptSubject]], list[tuple[str, AttemptSubject]]]:
        """Whom each registered directory is asked about, and the node's accounts in other directories."""
        known = self._registry.directories.without_secrets(connection)
        accounts: dict[str, list[str]] = {}
        for directory_id, account in self._registry.nodes.accounts(connection, node_id):
            accounts.setdefault(directory_id, []).append(account)
        nameless = _subject(node_id, None, node)
        reached: list[tuple[DirectoryRow, AttemptSubject]] = []
        for where in known:
            if drill and DRILL_TAG not in where.tags:
                continue
            named = accounts.get(where.directory_id, [])
            reached += [(where, _subject(node_id, account, node)) for account in named]
            # A kind that this version cannot reach has its accounts as targets too: they end as unsupported.
            if not named and where.kind in self._connectors:
                reached.append((where, nameless))
        registered = {where.directory_id for where in known}
        unregistered = [
            (directory_id, _subject(node_id, account, node))
            for directory_id in sorted(accounts.keys() - registered)
            for account in accounts[directory_id]
        ]
        return reached, [] if drill else unregistered

    def _nothing_to_search(self, where: DirectoryRow, who: AttemptSubject) -> str | None:
        """Why no account of the person can even be looked for there, or None. Told as a target of its own: a person
        whom nobody looked for must not look like one who has no access."""
        connector = self._connectors.get(where.kind)
        if connector is None or who.account is not None or connector.per == "site":
            return None
        if any(getattr(who, name) is not None for name in connector.searches):
            return None
        known = " and ".join(_SEARCH_WORDS[name] for name in connector.searches)
        return f"not looked for: the node names no account there, and its {known} is not registered"

    # --- reaching ---

    def dispatch(self, facts: BurnFacts, target_ids: Sequence[str], report: Report) -> None:
        with self._store.read() as connection:
            rows = connection.execute(_FROZEN, {"of": facts.burn_id})
            subjects = {
                row.target_id: (
                    row.directory_id,
                    AttemptSubject(facts.node_id, row.account, row.email, row.employee_id),
                )
                for row in rows
            }
            directories = {
                directory_id: self._open(connection, directory_id)
                for directory_id in {subjects[target_id][0] for target_id in target_ids if target_id in subjects}
            }
            named = self._registry.nodes.accounts(connection, facts.node_id)
        for target_id in target_ids:
            directory_id, who = subjects.get(target_id, ("", None))
            where = directories.get(directory_id)
            kind = target_id.partition(":")[0]
            if who is None or where is None:
                report(TargetResult(target_id, "failed", _not_registered(directory_id)))
            elif isinstance(where, SealBroken):
                report(TargetResult(target_id, "failed", str(where)))
            elif kind not in (KIND, where.kind):
                # Its accounts were named in the words of another kind.
                report(TargetResult(target_id, "failed", f"{directory_id} is registered as {where.kind} now"))
            elif where.kind not in self._connectors:
                report(TargetResult(target_id, "unsupported", _no_connector(where)))
            else:
                connector = self._connectors[where.kind]
                if who.account is None and (connector.per == "person" or connector.readable):
                    who = replace(who, linked=tuple(account for of, account in named if of == directory_id))
                self._spawn(self._attempt(where, who, facts, target_id, report))

    def _open(self, connection: Connection, directory_id: str) -> DirectoryRow | SealBroken | None:
        try:
            return self._registry.directories.with_secret(connection, directory_id)
        except SealBroken as error:
            return error

    async def _attempt(
        self, where: DirectoryRow, who: AttemptSubject, facts: BurnFacts, target_id: str, report: Report
    ) -> None:
        """One attempt when its turn comes, or ``pending_offline`` at once where none may be made now."""
        line = self._line(where.directory_id)
        mine = (facts.burn_id, target_id)
        line.waiting.pop(mine, None)
        async with line.slots:
            # Asked here and not before: it may have died while others were in front.
            closed = line.why_closed()
            if closed is not None:
                line.waiting[mine] = functools.partial(self._again, *mine)
                report(TargetResult(target_id, "pending_offline", closed))
                return
            prober = line.dead_since is not None
            line.probing = line.probing or prober
            try:
                outcome = await self._revoke(where, who, facts)
            finally:
                if prober:
                    line.probing = False
        report(TargetResult(target_id, outcome.state, _shorten(where, outcome.evidence)))
        if outcome.pause_s > 0:
            line.leave_alone(min(outcome.pause_s, _LONGEST_PAUSE_S))
        if outcome.answered:
            line.note_answer(None)
        else:
            line.note(False, _shorten(where, outcome.evidence))
            # Its own next turn may be a minute away; an attempt that finds the directory answering brings it forward.
            line.waiting[mine] = functools.partial(self._again, *mine)
            if line.dead_since is None:
                line.dead_since = time.perf_counter()

    async def _revoke(self, where: DirectoryRow, who: AttemptSubject, facts: BurnFacts) -> AttemptOutcome:
        """The connector's attempt, cut off if it hangs; every error is an outcome."""
        deadline_s = where.timeout_s or self._deadline_s
        try:
            async with asyncio.timeout(_BACKSTOP * deadline_s):
                return await self._revoke_all(where, who, facts, deadline_s)
        except OutboundError as error:
            return AttemptOutcome("pending_offline", str(error), answered=False)
        except TimeoutError:
            return AttemptOutcome("pending_offline", _no_answer(deadline_s), answered=False)
        except Refusal as error:
            return AttemptOutcome("failed", str(error))
        except Exception:
            # A burn never stops at one directory: the log is for the connector's author, the target for the operator.
            log.exception("an attempt at a directory broke", extra={"directory_id": where.directory_id})
            return AttemptOutcome("failed", "the attempt broke; see the service's log")

    async def _revoke_all(
        self, where: DirectoryRow, who: AttemptSubject, facts: BurnFacts, deadline_s: float
    ) -> AttemptOutcome:
        """The connector's attempt at one account, or at each that was linked since the burn and then at what the search
        finds besides."""
        connector = self._connectors[where.kind]
        nothing = self._nothing_to_search(where, who)
        alone = replace(who, linked=())
        wanted = [replace(alone, account=account) for account in who.linked]
        if nothing is None and (not wanted or connector.readable):
            wanted.append(alone)
        if not wanted:
            return AttemptOutcome("unlinked", nothing or "", answered=False)
        done = [await connector.revoke(where, one, facts, deadline_s) for one in wanted]
        return combine(done)

    def _line(self, directory_id: str) -> DirectoryLine:
        return self._lines.setdefault(directory_id, DirectoryLine())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def stop(self) -> None:
        """Ends attempts under way (they come again at the next start) and lets go of connections."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for line in self._lines.values():
            line.cancel_pause()
        self._lines.clear()
        for connector in self._connectors.values():
            await connector.close()

    # --- telling ---

    async def probe(self, where: DirectoryRow) -> DirectoryProbe:
        """Tries the directory, changing nothing there."""
        started = time.perf_counter()
        _, ok, found = await self._try(where)
        latency_ms = (time.perf_counter() - started) * 1000 if ok else None
        return DirectoryProbe(ok=ok, found=found, latency_ms=latency_ms, at=rfc3339(now_us()))

    async def _try(self, where: DirectoryRow) -> tuple[bool, bool, str]:
        """Whether it answered, whether a burn could act there now, and what it said."""
        deadline_s = where.timeout_s or self._deadline_s
        connector = self._connectors.get(where.kind)
        if connector is None:
            return False, False, _no_connector(where)
        try:
            async with asyncio.timeout(_BACKSTOP * deadline_s):
                return True, True, _shorten(where, await connector.probe(where, deadline_s))
        except OutboundError as error:
            return False, False, str(error)
        except TimeoutError:
            return False, False, _no_answer(deadline_s)
        except Refusal as error:
            return True, False, _shorten(where, str(error))
        except Exception:
            log.exception("a trial of a directory broke", extra={"directory_id": where.directory_id})
            return False, False, "the trial broke; see the service's log"

    async def look(self, node_id: str) -> None:
        """Asks all directories that a burn of this node would reach, at the same time and for ``_LOOK_S`` at most;
        ``preview`` then shows what was seen. Changes nothing there."""
        with self._store.read() as connection:
            node = self._registry.node(connection, node_id)
            reached, _ = self._subjects(connection, node_id, node, drill=_drill(node))
            wanted = {where.directory_id for where, _ in reached}
            found = [self._open(connection, directory_id) for directory_id in sorted(wanted)]
        looks = [self._looking(where) for where in found if isinstance(where, DirectoryRow)]
        under_way = [task for task in looks if task is not None]
        if under_way:
            await asyncio.wait(under_way, timeout=_LOOK_S)

    def _looking(self, where: DirectoryRow) -> asyncio.Task[None] | None:
        line = self._line(where.directory_id)
        if line.looking is None and not line.fresh and line.why_closed() is None and where.kind in self._connectors:
            line.looking = self._spawn(self._look(line, where))
        return line.looking

    async def _look(self, line: DirectoryLine, where: DirectoryRow) -> None:
        try:
            answered, ok, found = await self._try(where)
        finally:
            line.looking = None
        if answered:
            line.note_answer(None if ok else found)
        else:
            line.note(False, found)

    def preview(self, connection: Connection, node_id: str) -> tuple[list[PreviewTarget], list[Residual]]:
        node = self._registry.node(connection, node_id)
        reached, unregistered = self._subjects(connection, node_id, node, drill=_drill(node))
        found: list[PreviewTarget] = []
        outlives: list[Residual] = []

        def foreseen(
            kind: str,
            directory_id: str,
            who: AttemptSubject,
            shown: str,
            seen: tuple[bool | None, str | None],
            *,
            readable: bool = True,
        ) -> None:
            target_id = _target_id(kind, directory_id, who.account)
            reachable, detail = seen
            found.append(
                PreviewTarget(
                    id=target_id,
                    kind=kind,
                    display_name=shown,
                    reachable=reachable,
                    reversible=False,
                    expected_ms=None,
                    detail=detail,
                    readable=readable,
                )
            )

        for where, who in reached:
            line = self._lines.get(where.directory_id)
            connector = self._connectors.get(where.kind)
            seen: tuple[bool | None, str | None] = (None, None) if line is None else line.reachability()
            left: Residual | None = _whatever(where.display_name)
            if connector is None:
                seen = (None, _no_connector(where))
            else:
                nothing = self._nothing_to_search(where, who)
                best: TargetState = "unlinked" if nothing else "revoked" if connector.readable else "delivered"
                left = connector.residual(where, best, now_us())
                seen = (seen[0], nothing or seen[1])
            readable = connector is None or connector.readable
            foreseen(where.kind, where.directory_id, who, _display_name(where, who), seen, readable=readable)
            if left is not None:
                outlives.append(left)
        for directory_id, who in unregistered:
            foreseen(KIND, directory_id, who, f"{directory_id} · {who.account}", (False, _not_registered(directory_id)))
            outlives.append(_whatever(directory_id))
        return found, outlives

    def residual(self, kind: str, target_id: str, state: TargetState, at_us: int) -> Residual | None:
        directory_id = target_id.split(":", 2)[1].replace(_COLON, ":")
        try:
            with self._store.read() as connection:
                where = self._registry.directories.without_secret(connection, directory_id)
        except StoreError:
            # The burn is answered from memory, also while the disk fails.
            where = None
        if where is None or kind not in (KIND, where.kind) or where.kind not in self._connectors:
            return _whatever(directory_id)
        return self._connectors[where.kind].residual(where, state, at_us)


def _shorten(where: DirectoryRow, text: str) -> str:
    """What came from elsewhere, made fit for people and logs: short, printable, and without our secret."""
    if where.secret is not None and len(where.secret) >= _SECRET:
        text = text.replace(where.secret, "(secret)")
    return "".join(letter if letter.isprintable() else "?" for letter in text[:_SHOWN])


def _drill(node: NodeRow | None) -> bool:
    return node is not None and DRILL_TAG in node.tags


def _subject(node_id: str, account: str | None, node: NodeRow | None) -> AttemptSubject:
    if node is None:
        return AttemptSubject(node_id, account, None, None)
    return AttemptSubject(node_id, account, node.email, node.employee_id)


def _no_connector(where: DirectoryRow) -> str:
    return f"this version reaches no directory of kind {where.kind}"


def _not_registered(directory_id: str) -> str:
    return f"the node has an account in {directory_id}, but no such directory is registered"


def _no_answer(deadline_s: float) -> str:
    return f"No answer within {deadline_s:g} s."


def _whatever(name: str) -> Residual:
    return Residual(what=f"{name}: whatever the account may do there", until=None)


def _target_id(kind: str, directory_id: str, account: str | None) -> str:
    """``kind:directory``, and for an account a digest of it: names of accounts may hold what no path can."""
    name = f"{kind}:{directory_id.replace(':', _COLON)}"
    return name if account is None else f"{name}:{hashlib.sha256(account.encode()).hexdigest()[:12]}"


def _display_name(where: DirectoryRow, who: AttemptSubject) -> str:
    return where.display_name if who.account is None else f"{where.display_name} · {who.account}"
