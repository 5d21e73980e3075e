"""Which version of the program a data directory is of: ``program.json``, written by the program itself.

Each start of the service, and each command that changes the store, reads it before anything else of the directory: what
a newer version wrote must not be judged, let alone changed, by an older one. It is written when the store is at this
version's schema. Every version reads the file of every other one: members are added, never changed, and unknown ones
are passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec

from app import VERSION
from app.site.errors import SiteRefused
from app.site.private_files import write_private

VERSION_FILE: Final = "program.json"
UPGRADES_DIR: Final = "upgrades"
"""In the data directory: the backups that were made before upgrades."""

_Release = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,6}(\.[0-9]{1,6}){1,3}$")]


class Upgrade(msgspec.Struct, frozen=True):
    """One upgrade of the directory. ``from_version`` is null where an earlier version wrote no such file."""

    from_version: _Release | None
    schema: str
    """Of the store in the backup."""
    to_version: _Release
    backup: Annotated[str, msgspec.Meta(pattern=r"^[0-9A-Za-z.-]{1,100}$")]
    """Name of the archive in ``UPGRADES_DIR``."""


class SiteVersion(msgspec.Struct, frozen=True):
    """``program.json``."""

    version: _Release
    upgrades: Sequence[Upgrade] = ()


def release(version: str) -> tuple[int, ...]:
    """A version as numbers that compare; 1.4 is 1.4.0."""
    numbers = [int(part) for part in version.split(".")]
    return tuple(numbers + [0] * (4 - len(numbers)))


def read_version(data_dir: Path) -> SiteVersion | None:
    """What wrote the directory; None for a new one and for one of a version that wrote no such file. ``SiteRefused``
    for a file that cannot be read."""
    path = data_dir / VERSION_FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=SiteVersion)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise SiteRefused(
            f"{path} cannot be read: {error}. It says which version of arc-console wrote this directory. Where that "
            f"was this one ({VERSION}) or an older one, remove the file and start again."
        ) from error


def refuse_newer(data_dir: Path) -> None:
    """``SiteRefused`` for a directory that a newer version wrote: which, and what goes on with this one."""
    found = read_version(data_dir)
    if found is None or release(found.version) <= release(VERSION):
        return
    raise SiteRefused(
        f"{data_dir} was written by arc-console {found.version}, and this is {VERSION}, which does not know all that "
        f"is in it. Install {found.version} again{way_back(data_dir, found)}."
    )


def way_back(data_dir: Path, found: SiteVersion) -> str:
    """How a sentence about a newer directory goes on: the newest backup that this version reads, and what is lost."""
    for upgrade in reversed(found.upgrades):
        path = data_dir / UPGRADES_DIR / upgrade.backup
        if (upgrade.from_version is None or release(upgrade.from_version) <= release(VERSION)) and path.is_file():
            before = upgrade.from_version or "an earlier version"
            return (
                f", or restore the backup of {before} into an empty directory, without what was done since: "
                f"arc-console restore {path} --data-dir DIR"
            )
    return f"; a backup that {VERSION} or an older version made fits as well, and none is in {data_dir / UPGRADES_DIR}"


def write_version(data_dir: Path, upgrades: Sequence[Upgrade] = ()) -> None:
    """Says durably that this version wrote the directory."""
    found = SiteVersion(VERSION, upgrades)
    write_private(data_dir / VERSION_FILE, msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")


def backup_name(version: str | None, schema: str) -> str:
    """Of the archive that is made before a store of ``schema``, last written by ``version``, is upgraded."""
    return f"schema-{schema}.backup" if version is None else f"{version}-schema-{schema}.backup"
