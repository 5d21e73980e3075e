"""The service on a disk without room: it denies and burns, and everything else is 503, until there is room.

Nothing is granted: no reader is driven, no palm is matched, no permit is judged. The store is read by one connection,
and nothing is written but the reserve of burns (``app.store.reserve``), which needs no room.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import shutil
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NoReturn

from sqlalchemy.exc import DBAPIError

from app.api.context import Context
from app.api.operation import Call, Endpoint
from app.api.problems import Problem
from app.capabilities.burn.without_store import BurnsWithoutStore
from app.delivery.alarms import AlarmBook
from app.delivery.events import EventBus
from app.pki.document_signer import DocumentSigner
from app.pki.site_statement import introduction_of
from app.registry.service import Registry
from app.service.assembly import TABLE
from app.service.serving import Assembly
from app.service.upgrade import room_for_upgrade
from app.site.site import Site
from app.store import migrations
from app.store.alone import SENTENCE, open_alone
from app.store.cursor import Cursors
from app.store.engine import refusing, schema_of
from app.store.errors import StoreRefused
from app.store.keys import Keys, find_kek

START_ROOM: Final = 16 << 20
"""Bytes that must be free for the whole service to be started: its WAL, the index of that, and the first changes."""
ALARM: Final = "store.full"
_SERVED: Final = frozenset(
    {
        "health.alive",
        "health.ready",
        "health.metrics",
        "health.openapi",
        "burn.execute",
        "burn.get",
        "burn.list",
        "gateway.alarms",
        "gateway.take_alarm",
    }
)


@dataclass(frozen=True)
class FullDisk:
    """What ``serving.serve`` asks about the room of a site, and what it serves without."""

    site: Site

    def has_room(self) -> bool:
        """Whether the whole service may be started. True for a directory that never had a service: a first start has
        nothing to deny, and says itself what it lacks."""
        if not all(path.exists() and path.stat().st_size for path in (self.site.store_path, self.site.keys_path)):
            return True
        wanted = self._wanted
        return shutil.disk_usage(self.site.data_dir).free >= wanted and _can_take(self.site, wanted)

    @cached_property
    def _wanted(self) -> int:
        """Bytes for a start. Read once, before anything is served: what is served without room holds the store for
        itself."""
        return START_ROOM + room_for_upgrade(self.site)

    @staticmethod
    def is_full(error: BaseException) -> bool:
        """As ``is_full``."""
        return is_full(error)

    def assemble(self) -> tuple[Assembly, Callable[[], Awaitable[bool]]]:
        """What is served without room, and what says whether nothing of it is in memory alone, so that the whole
        service may take over. Blocks on the disk; raises ``SiteError`` or ``StoreError`` as
        ``assembly.assemble`` does."""
        site = self.site
        with refusing(site.data_dir), contextlib.ExitStack() as claims:
            claims.enter_context(site.claim())
            _refuse_earlier_schema(site)
            keys = Keys(site.keys_path, find_kek(site, make=False), find=lambda: find_kek(site, make=False))
            claims.callback(keys.close)
            store = open_alone(site.store_path, keys.sealer, min_free_bytes=site.settings.min_free_disk_bytes)
            claims.callback(store.close)
            bus = EventBus()
            cursors = Cursors.of(keys)
            context = Context.open(store, keys, site.settings, training=site.training)
            alarms = AlarmBook(store, bus)
            registry = Registry(site, store, keys, cursors)
            registry.load()
            burns = BurnsWithoutStore(site, store, registry, alarms, bus, cursors, SENTENCE)
            burns.load()
            alarms.raise_now(ALARM, "disk", SENTENCE)
            documents = DocumentSigner.find(store, keys)
            if documents is not None:
                context.health.introduce_by(introduction_of(site, documents))
            context.health.check("room", lambda: SENTENCE)
            context.health.check("burns", burns.trouble)
            services: dict[str, object] = {row.served_by: None for row in TABLE}
            services |= {"health": context.health, "keys": context.keyring, "burn": burns, "alarms": alarms}
            table = [row if row.name in _SERVED else _refusing_row(row) for row in TABLE]
            held = claims.pop_all()

        async def stop() -> None:
            await asyncio.to_thread(held.close)

        return Assembly(table, services, context, stop=stop), burns.keep_all


def _refuse_earlier_schema(site: Site) -> None:
    """``StoreRefused`` for a store that must be migrated before any of it can be served."""
    schema = schema_of(site.store_path)
    if schema != migrations.HEAD:
        wanted = (START_ROOM + room_for_upgrade(site)) >> 20
        raise StoreRefused(
            f"{site.store_path} is of an earlier version (schema {schema}). Before it is served it is backed up and "
            f"migrated, and the disk has no room for that. Nothing was changed. Make {wanted} MiB free, then start "
            "again."
        )


def is_full(error: BaseException | None) -> bool:
    """Whether a start failed because the disk, or the site's share of it, has no room."""
    while error is not None:
        origin = error.orig if isinstance(error, DBAPIError) else error
        if isinstance(origin, OSError) and origin.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        if isinstance(origin, sqlite3.Error) and getattr(origin, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
            return True
        error = error.__cause__ or error.__context__
    return False


def _can_take(site: Site, wanted: int) -> bool:
    """Whether the disk really gives that many bytes: a quota does not show in its free space."""
    if not hasattr(os, "posix_fallocate"):
        return True
    probe = site.data_dir / ".room"
    try:
        handle = os.open(probe, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            os.posix_fallocate(handle, 0, wanted)
        finally:
            os.close(handle)
    except OSError as error:
        # A file system without the call says nothing about its room.
        return error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    finally:
        with contextlib.suppress(OSError):
            probe.unlink()
    return True


def _refusing_row(row: Endpoint) -> Endpoint:
    return replace(row, handler=_refuse, sender=None if row.sender is None else _refuse_sender)


async def _refuse(_service: object, _call: Call[Any, Any]) -> NoReturn:
    raise _no_room()


def _refuse_sender(_service: object, _sent: object) -> NoReturn:
    raise _no_room()


def _no_room() -> Problem:
    return Problem("dependency_unavailable", SENTENCE, headers={"Retry-After": "5"})
