"""When a backup comes before a migration, what it takes, and what keeps it from being made."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from app import VERSION
from app.service.open_store import open_keys
from app.service.platform import open_service_store
from app.service.upgrade import begin_upgrade, room_for_upgrade
from app.site.errors import SiteBusy
from app.site.site import Site
from app.site.site_version import UPGRADES_DIR, VERSION_FILE, read_version
from app.store.migrations import HEAD


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """One whose first store is laid out."""
    made = Site.open(tmp_path / "site", "training")
    with contextlib.ExitStack() as claims:
        open_service_store(made, claims)
    return made


@contextlib.contextmanager
def upgraded(site: Site, *, claimed: bool = False) -> Iterator[None]:
    """What comes before the store is opened has been done."""
    with open_keys(site) as keys, contextlib.ExitStack() as claims:
        begin_upgrade(site, keys, claims, claimed=claimed)
        yield


def earlier_version(site: Site) -> None:
    """The directory as version 1.2.9 left it, at the same schema."""
    (site.data_dir / VERSION_FILE).write_text(json.dumps({"version": "1.2.9"}))


def backups(site: Site) -> list[str]:
    """Names of the archives."""
    place = site.data_dir / UPGRADES_DIR
    return sorted(path.name for path in place.iterdir()) if place.exists() else []


def test_the_first_store_says_its_version(site: Site) -> None:
    """And nothing is backed up."""
    found = read_version(site.data_dir)
    assert found is not None
    assert (found.version, list(found.upgrades), backups(site)) == (VERSION, [], [])


def test_another_version_of_one_schema_is_backed_up_once(site: Site) -> None:
    """A later start finds its own version."""
    earlier_version(site)
    for _ in range(2):
        with upgraded(site):
            assert backups(site) == [f"1.2.9-schema-{HEAD}.backup"]
    found = read_version(site.data_dir)
    assert found is not None
    assert [one.from_version for one in found.upgrades] == ["1.2.9"]


def test_a_site_of_this_schema_without_the_file_gets_it(site: Site) -> None:
    """Its version wrote none; there is nothing that it could not read."""
    (site.data_dir / VERSION_FILE).unlink()
    with upgraded(site):
        found = read_version(site.data_dir)
    assert found is not None
    assert (found.version, backups(site)) == (VERSION, [])


def test_a_running_service_is_not_upgraded_under(site: Site) -> None:
    """A command of the new version beside a service of the earlier one is refused, and changes nothing."""
    earlier_version(site)
    with site.claim(), pytest.raises(SiteBusy), upgraded(site):
        pass
    found = read_version(site.data_dir)
    assert found is not None
    assert (found.version, backups(site)) == ("1.2.9", [])


def test_the_upgrade_of_a_command_keeps_services_out(site: Site) -> None:
    """Until the command gives the directory back: the store is migrated in between."""
    earlier_version(site)
    with upgraded(site), pytest.raises(SiteBusy), site.claim():
        pass
    with site.claim():
        pass


def test_the_room_is_that_of_the_copies(site: Site) -> None:
    """Three times store and keys; nothing where no backup is due."""
    assert room_for_upgrade(site) == 0
    earlier_version(site)
    sizes = (site.store_path.stat().st_size, site.keys_path.stat().st_size)
    assert room_for_upgrade(site) >= 3 * sum(sizes)


def test_a_store_that_cannot_be_read_asks_for_no_room(site: Site) -> None:
    """Held by another process, damaged, or of a newer schema: the start says which."""
    earlier_version(site)
    with contextlib.closing(sqlite3.connect(site.store_path, isolation_level=None)) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
    assert room_for_upgrade(site) == 0
    site.store_path.write_bytes(b"no database " * 1000)
    assert room_for_upgrade(site) == 0
