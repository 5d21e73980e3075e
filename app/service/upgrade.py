"""What comes before a store of an earlier version is migrated: a backup that the earlier version can restore.

The order is that of safety. The backup is whole on the disk before ``program.json`` names this version, and that is
written before the store's schema changes, in one transaction (``store/migrations``). A process that is killed at any
point leaves a site that this version starts: the upgrade begins again where its schema is not this version's yet.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from typing import Final

from app import VERSION
from app.site.private_files import sync_directory
from app.site.site import Site
from app.site.site_version import UPGRADES_DIR, Upgrade, backup_name, read_version, write_version
from app.store import migrations
from app.store.backup import MAC_PURPOSE, write_backup
from app.store.engine import schema_of
from app.store.errors import StoreError
from app.store.keys import Keys

log = logging.getLogger(__name__)

_UNFINISHED: Final = "next.backup"
"""The archive until it has its name: one of a killed upgrade is made anew, since the site may have gone on."""
_COPIES: Final = 3
"""Of store and keys, for as long as a backup is made."""


class UpgradeRefused(StoreError):
    """The store was not migrated; the text says why and what to do."""


def begin_upgrade(site: Site, keys: Keys, claims: contextlib.ExitStack, *, claimed: bool = False) -> None:
    """Backs the site up if its store is of an earlier version, and says in ``program.json`` that it is this version's
    from now on; ``Store.open`` migrates then. Nothing for a site of this version.

    No service of the earlier version may work on it meanwhile: unless the caller has ``claimed`` the directory, that is
    done here, until ``claims`` are given back. Raises ``SiteBusy`` or ``UpgradeRefused``; then nothing was migrated."""
    if not _is_due(site):
        return
    if _schema(site) is None or (read_version(site.data_dir) is None and _schema(site) == migrations.HEAD):
        # The first store, or one of the very schema whose version wrote no such file.
        write_version(site.data_dir)
        return
    if not claimed:
        claims.enter_context(site.claim())
    # Another process may have upgraded it in the meantime.
    if _is_due(site):
        _back_up(site, keys)


def room_for_upgrade(site: Site) -> int:
    """Bytes that the backup before an upgrade takes while it is made; 0 where none is due, and for a store that cannot
    be read now: the start that follows says why."""
    try:
        schema = _schema(site)
    except (sqlite3.Error, StoreError):
        return 0
    found = read_version(site.data_dir)
    if schema is None or (schema == migrations.HEAD and (found is None or found.version == VERSION)):
        return 0
    sizes = (path.stat().st_size for path in site.data_dir.glob("*.db*"))
    return _COPIES * sum(sizes)


def _is_due(site: Site) -> bool:
    """Whether ``program.json`` or the store is not of this version."""
    found = read_version(site.data_dir)
    return found is None or found.version != VERSION or _schema(site) != migrations.HEAD


def _schema(site: Site) -> str | None:
    """The store's; None where there is none yet."""
    path = site.store_path
    return schema_of(path) if path.exists() and path.stat().st_size else None


def _back_up(site: Site, keys: Keys) -> None:
    """The archive under its name, then ``program.json``."""
    found, schema = read_version(site.data_dir), _schema(site)
    if schema is None:
        raise LookupError("there is no store to back up")
    version = None if found is None else found.version
    done = [] if found is None else list(found.upgrades)
    if done and (done[-1].schema, done[-1].to_version) == (schema, VERSION):
        # Killed before the store was migrated: it is the same upgrade still.
        version = done.pop().from_version
    upgrade = Upgrade(version, schema, VERSION, backup_name(version, schema))
    place = site.data_dir / UPGRADES_DIR
    unfinished = place / _UNFINISHED
    try:
        place.mkdir(mode=0o700, exist_ok=True)
        unfinished.unlink(missing_ok=True)
        write_backup(site, unfinished, keys.secret(MAC_PURPOSE))
        unfinished.replace(place / upgrade.backup)
        sync_directory(place)
        sync_directory(site.data_dir)
    except (OSError, StoreError) as error:
        raise UpgradeRefused(
            f"This site is of an earlier version (schema {schema}), and the backup that comes before its upgrade "
            f"failed; nothing was changed. While it is made it takes {room_for_upgrade(site) >> 20} MiB. {error}"
        ) from error
    write_version(site.data_dir, [*done, upgrade])
    log.warning("upgrading to %s; a backup of before is in %s", VERSION, place / upgrade.backup)
