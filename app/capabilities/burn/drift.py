"""The watch over accounts that a burn has locked: a lock that is undone is set again.

A directory takes a lock away without being asked to: a helpdesk that gives a burned person a new password unlocks the
account with it. Each round asks every directory for its burned accounts; one that is not locked any more goes through
the whole recipe again, with an alarm and a leaf. What is watched comes from the rows of burns that are not lifted: a
restart forgets nothing.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from sqlalchemy import select

from app.capabilities.burn.messages import TargetState
from app.capabilities.burn.tables import burn, burn_subject, burn_target
from app.capabilities.burn.targets import PROVEN, BurnFacts
from app.capabilities.burn.targets.connector import AttemptOutcome, AttemptSubject, Connector, Refusal
from app.capabilities.burn.undone import MISSING, RESTORED, key_of
from app.delivery.alarms import AlarmBook
from app.delivery.outbound import OutboundError
from app.registry.directories import DirectoryRow
from app.registry.service import Registry
from app.site.site import Site
from app.store.engine import Store
from app.store.errors import SealBroken, StoreError
from app.store.writer import ACCEPTED, FAILED, Transaction

log = logging.getLogger(__name__)

BLIND = "burn.watch_blind"
"""Alarm: a directory with burned accounts could not be asked for ``BLIND_S``."""
BLIND_S = 900.0
_ROUND_ATTEMPTS = 3.0
"""One question is about up to ``_PEOPLE`` accounts: it has the time of so many attempts, and as much for each more."""
_PEOPLE = 200
_WATCHED = ("revoked", "already", "unlinked")
"""States that a change elsewhere makes untrue. What was only delivered cannot be read."""


@runtime_checkable
class Watchable(Connector, Protocol):
    """A kind of directory whose locks can be undone without this site."""

    async def find_unlocked(
        self, where: DirectoryRow, people: Sequence[AttemptSubject], deadline_s: float
    ) -> list[AttemptSubject]:
        """Which of these, all ended once or not found, have an account there now that is not locked; changes nothing.
        Raises ``OutboundError`` or ``Refusal``."""
        ...


@dataclass(frozen=True, slots=True)
class _Watched:
    """A burned person at a directory. ``account``: in words; ``key`` names the target in alarms; ``state``: as the burn
    has it: who is open is reached by the burn itself."""

    directory_id: str
    target_id: str
    who: AttemptSubject
    account: str
    facts: BurnFacts
    key: str
    state: TargetState


class DriftWatch:
    """Watches all directories whose kind can be watched. ``start()`` on the event loop after the burns', ``stop()``
    before theirs: it uses their connections."""

    def __init__(
        self,
        site: Site,
        store: Store,
        registry: Registry,
        alarms: AlarmBook,
        connectors: Sequence[Connector],
        look_again: Callable[[str, str], None] | None = None,
    ) -> None:
        """``look_again(burn_id, target_id)``: has the burn itself look at a target whose lock is not to be had, so that
        it is open again."""
        self._site = site
        self._store = store
        self._registry = registry
        self._alarms = alarms
        self._connectors = {item.kind: item for item in connectors if isinstance(item, Watchable)}
        self._look_again = look_again
        self._asked: dict[str, float] = {}
        """When each directory last answered, or was first asked (monotonic)."""
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begins with a round at once: what was undone while the service was down."""
        if self._connectors:
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Ends the watch; the next start begins anew."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            try:
                await self.round()
            except Exception:
                # A watch that dies of one bad row watches nobody.
                log.exception("a round of the watch over locked accounts broke")
            await asyncio.sleep(self._site.settings.lock_watch_s)

    async def round(self) -> None:
        """Asks every directory with burned accounts once."""
        watched, missing = await asyncio.to_thread(lambda: (self._locked_accounts(), self._alarms.keys(MISSING)))
        by_directory: dict[str, list[_Watched]] = {}
        for item in watched:
            by_directory.setdefault(item.directory_id, []).append(item)
        self._asked = {name: at for name, at in self._asked.items() if name in by_directory}
        answered = await asyncio.gather(
            *(self._watch_directory(name, items, missing) for name, items in by_directory.items())
        )
        silent = {name for name, did in zip(by_directory, answered, strict=True) if not did}
        await self._settle({item.key for item in watched}, silent)

    def _locked_accounts(self) -> list[_Watched]:
        """Whom burns that are not lifted are about elsewhere, but for targets that a person closed."""
        rows = (
            select(burn, burn_subject, burn_target.c.state)
            .join(burn_subject, burn_subject.c.burn_id == burn.c.burn_id)
            .join(
                burn_target,
                (burn_target.c.burn_id == burn_subject.c.burn_id)
                & (burn_target.c.target_id == burn_subject.c.target_id),
            )
            .where(
                burn.c.lifted_us.is_(None),
                burn_target.c.state != "closed",
            )
            .order_by(burn.c.number)
        )
        with self._store.read() as connection:
            found = [
                _Watched(
                    directory_id=row.directory_id,
                    target_id=row.target_id,
                    who=AttemptSubject(row.node_id, row.account, row.email, row.employee_id),
                    account=row.account or f"of node {row.node_id}",
                    facts=BurnFacts(
                        burn_id=row.burn_id,
                        node_id=row.node_id,
                        scope=row.scope,
                        epoch=row.epoch,
                        reason=row.reason,
                        at_us=row.created_us,
                        training=self._site.training,
                        drill=bool(row.drill),
                    ),
                    key=key_of(row.burn_id, row.target_id),
                    state=row.state,
                )
                for row in connection.execute(rows)
            ]
            # What was linked since a burn that named no account belongs to the same target.
            linked = [
                replace(item, who=replace(item.who, account=account), account=account)
                for item in found
                if item.who.account is None
                for of, account in self._registry.nodes.accounts(connection, item.facts.node_id)
                if of == item.directory_id
            ]
        return found + linked

    async def _watch_directory(self, directory_id: str, items: Sequence[_Watched], missing: set[str]) -> bool:
        """Sets undone locks again; False if the directory could not be asked."""
        try:
            with self._store.read() as connection:
                where = self._registry.directories.with_secret(connection, directory_id)
            connector = None if where is None else self._connectors.get(where.kind)
            if where is None or connector is None:
                return True
            self._asked.setdefault(directory_id, time.monotonic())
            deadline_s = where.timeout_s or self._site.settings.burn_attempt_s
            # The newest burn of an account speaks for it.
            watched = {item.account: item for item in items if item.state in _WATCHED or item.key in missing}
            people = [item.who for item in watched.values()]
            patience_s = _ROUND_ATTEMPTS * deadline_s * math.ceil(max(1, len(people)) / _PEOPLE)
            unlocked = set(await connector.find_unlocked(where, people, patience_s) if people else ())
        except (OutboundError, Refusal, SealBroken) as error:
            log.warning("locked accounts could not be watched: %s", error, extra={"directory_id": directory_id})
            return False
        self._asked[directory_id] = time.monotonic()
        for item in watched.values():
            if item.who not in unlocked and item.key not in missing:
                continue
            try:
                outcome = await connector.revoke(where, item.who, item.facts, deadline_s)
            except (OutboundError, Refusal) as error:
                outcome = AttemptOutcome("pending_offline", str(error))
            await self._record(item, where, outcome, known_missing=item.key in missing)
            if self._look_again is not None and not {outcome.state, item.state} <= PROVEN:
                self._look_again(item.facts.burn_id, item.target_id)
        return True

    async def _record(
        self, item: _Watched, where: DirectoryRow, outcome: AttemptOutcome, *, known_missing: bool
    ) -> None:
        """Leaf and alarm of a lock that was undone, unless both are there already."""
        again = outcome.state in PROVEN
        if known_missing != again and outcome.state != "revoked":
            return  # nothing new: it is missing still, or another one has locked it meanwhile
        what = f"The lock of account {item.account} in {where.display_name} was undone"
        if item.state == "unlinked":
            what = f"An account {item.account} is in {where.display_name} now, where the burn found none"
        text = f"{what} and is set again; ask who did it." if again else f"{what}: {outcome.evidence}."
        kind = RESTORED if again else MISSING

        def job(tx: Transaction) -> None:
            tx.audit(
                kind,
                actor="service",
                outcome=ACCEPTED if again else FAILED,
                node_id=item.facts.node_id,
                detail={
                    "burn_id": item.facts.burn_id,
                    "directory_id": item.directory_id,
                    "account": item.account,
                    "evidence": outcome.evidence,
                },
            )
            self._alarms.raise_alarm(tx, kind, item.key, text, node_id=item.facts.node_id, ref=item.facts.burn_id)
            if again:
                self._alarms.clear(tx, MISSING, item.key)

        try:
            await self._store.writer.run(job, urgent=True)
        except StoreError as error:
            log.error("a lock was undone, and the store takes no alarm", exc_info=error)

    async def _settle(self, watched: set[str], silent: set[str]) -> None:
        """Clears the alarms of accounts that are watched no more and of directories that answer; raises those of
        directories that were silent for long."""
        known = await asyncio.to_thread(lambda: {kind: self._alarms.keys(kind) for kind in (RESTORED, MISSING, BLIND)})
        ended = [(kind, key) for kind in (RESTORED, MISSING) for key in known[kind] - watched]
        ended += [(BLIND, name) for name in known[BLIND] - silent]
        late = time.monotonic() - BLIND_S
        begun = {name for name in silent if self._asked.get(name, late) < late} - known[BLIND]
        if not ended and not begun:
            return

        def job(tx: Transaction) -> None:
            for kind, key in ended:
                self._alarms.clear(tx, kind, key)
            for name in begun:
                text = f"Directory {name} could not be asked for {BLIND_S / 60:.0f} min: locks undone there go unseen."
                self._alarms.raise_alarm(tx, BLIND, name, text, ref=name)

        try:
            await self._store.writer.run(job)
        except StoreError as error:
            log.warning("alarms of the watch wait for the store", exc_info=error)
