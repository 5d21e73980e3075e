"""Brings one reader to what is registered of it, step by step, each proven by the reader's own answer.

Identity and capabilities as it told them when its channel came up; address and speed (COMSET); a new key when its own
is too old or one is pending (KEYSET); lamp, buzzer and output at rest; its list, if it keeps one. A step that is done
already costs nothing, so the whole may be repeated at any time.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import TypeVar

from app.capabilities.credentials.doors import Doors
from app.registry.clusters import ReaderRow
from app.registry.service import Registry, now_us
from app.store.engine import Store
from app.store.writer import Transaction
from hardware.readers.commands import PROFILE
from hardware.readers.errors import DoorReaderError, ReaderOffline
from hardware.readers.reader import DoorReaderIdentity, Setup

_T = TypeVar("_T")
_DAY_US = 86_400 * 1_000_000
DEMANDED = ("card_data", *PROFILE)


class MissingCapability(Exception):
    """The reader reports that it cannot do something that is demanded of it; the text says what."""


class Upkeep:
    """For readers whose secure channel is up. On the event loop."""

    def __init__(self, store: Store, registry: Registry, doors: Doors, key_days: int) -> None:
        self._store = store
        self._registry = registry
        self._doors = doors
        self._key_us = key_days * _DAY_US
        self._locks: dict[str, asyncio.Lock] = {}

    async def bring(self, row: ReaderRow) -> DoorReaderIdentity:
        """Carries out what is missing. ``DoorReaderError`` or ``MissingCapability``: it is not there yet, and why."""
        lock = self._locks.setdefault(row.reader_id, asyncio.Lock())
        async with lock:
            return await self._bring(row)

    async def _bring(self, row: ReaderRow) -> DoorReaderIdentity:
        fleet = self._doors.fleet
        identity = await _answer(fleet.read_id(row.reader_id))
        missing = [name for name in DEMANDED if name not in identity.capabilities]
        if missing:
            raise MissingCapability(f"the reader reports no {', '.join(missing)}")
        await self._move(row)
        if row.pending is not None or (row.enrolled and now_us() - row.key_changed_us > self._key_us):
            await self._rekey(row)
        for future in fleet.rest(row.reader_id):
            await _answer(future)
        if row.onboard_list:
            await self._doors.give_list(row.reader_id, row.cluster_id)
        return identity

    async def _move(self, row: ReaderRow) -> None:
        found = self._doors.fleet.state(row.reader_id).setup
        if found is None or (found.address, found.baud) == (row.address, row.baud):
            return
        await _answer(self._doors.fleet.change_setup(row.reader_id, Setup(row.address, row.baud, found.scbk)))
        await self._doors.seen(row.reader_id)

    async def _rekey(self, row: ReaderRow) -> None:
        if row.pending is None:

            def renew(tx: Transaction) -> None:
                self._registry.clusters.renew_key(tx, row.reader_id)
                self._registry.clusters.set_up(tx)

            await self._store.writer.run(renew)
        outcome = (await self._doors.rekey([row.reader_id]))[row.reader_id]
        if outcome.state == "pending_offline":
            raise ReaderOffline(outcome.detail or f"{row.reader_id} is offline")
        if outcome.state == "failed":
            raise DoorReaderError(outcome.detail or f"{row.reader_id} did not take its new key")


async def _answer(future: Future[_T]) -> _T:
    # The fleet has a deadline for everything it does; shielded, because a command that was sent cannot be taken back.
    return await asyncio.shield(asyncio.wrap_future(future))
