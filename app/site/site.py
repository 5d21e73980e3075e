"""What a site is: its profile, its data directory, its settings as ``site.json`` keeps them."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from app.site.errors import SiteRefused
from app.site.exclusive import exclusive
from app.site.private_files import write_private
from app.site.settings import Settings
from app.site.site_version import refuse_newer

Profile = Literal["training", "production"]

_SITE_FILE = "site.json"
PASSPHRASE_FILE = "passphrase"  # noqa: S105 -- a file name
LOCK_FILE = "serve.lock"
_CREDENTIAL = "store-passphrase"
GENERATIONS = 99
"""How often a site's logs may be begun."""


class _SiteFile(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """``site.json``. ``site_id`` names the site for life; a domain may be set before the first leaf only."""

    v: Literal[1] = 1
    profile: Profile
    site_id: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{16}$")]
    domain: Annotated[str, msgspec.Meta(pattern=r"^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+$")] | None = None
    generation: Annotated[int, msgspec.Meta(ge=1, le=GENERATIONS)] = 1
    settings: Settings = Settings()


@dataclass(frozen=True)
class Site:
    """One site. Made by ``open``; the fields never change while the process runs."""

    profile: Profile
    data_dir: Path
    settings: Settings
    site_id: str
    """16 hexadecimal digits, drawn at the first start."""
    domain: str | None = None
    generation: int = 1
    """Of its logs: one more each time that entries were lost for good (``restore --new-generation``)."""

    @staticmethod
    def default_data_dir(profile: Profile) -> Path:
        """Where a site of ``profile`` lives unless it is told otherwise."""
        if sys.platform == "win32":
            home = os.environ.get("LOCALAPPDATA")
            base = Path(home) if home else Path.home() / "AppData" / "Local"
        elif sys.platform == "darwin":
            base = Path.home() / "Library" / "Application Support"
        else:
            home = os.environ.get("XDG_DATA_HOME")
            # The XDG specification says that a relative path there is to be ignored.
            base = Path(home) if home and Path(home).is_absolute() else Path.home() / ".local" / "share"
        return base / "arc-console" / profile

    @classmethod
    def open(cls, data_dir: Path | None, profile: Profile, *, settings: Settings | None = None) -> Site:
        """Open the site in ``data_dir`` (``None``: the default), making it if the directory is new or empty, then with
        ``settings`` (None: the defaults).

        The directory is 0700 afterwards. Raises ``SiteRefused`` for a site of the other profile or of a newer version,
        a directory with files that are not a site's, or a ``site.json`` that cannot be read.
        """
        path = (data_dir if data_dir is not None else cls.default_data_dir(profile)).absolute()
        # Before site.json, in which a newer version may keep what this one does not know.
        refuse_newer(path)
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            # A scratch file of a first start that was killed is no reason to refuse the next one.
            present = {entry.name for entry in path.iterdir() if not entry.name.startswith(f".{_SITE_FILE}.")}
        except OSError as error:
            raise SiteRefused(f"{path} cannot be used as a data directory: {error.strerror}. Name another.") from error
        if _SITE_FILE in present:
            found = _read(path / _SITE_FILE)
        elif present - {PASSPHRASE_FILE}:
            raise SiteRefused(f"{path} has files but is no site. Name an empty directory or one made by arc-console.")
        else:
            found = _SiteFile(profile=profile, site_id=secrets.token_hex(8), settings=settings or Settings())
            write_private(path / _SITE_FILE, _encode(found))
        if found.profile != profile:
            raise wrong_profile(path, found.profile, profile)
        if sys.platform != "win32" and stat.S_IMODE(path.stat().st_mode) != 0o700:
            path.chmod(0o700)
        return cls(profile, path, found.settings, found.site_id, found.domain, found.generation)

    @staticmethod
    def kept_profile(data_dir: Path) -> Profile | None:
        """The profile of the site in ``data_dir``; None if there is no site yet. ``SiteRefused`` for a ``site.json``
        that cannot be read, or a site of a newer version."""
        refuse_newer(data_dir)
        path = data_dir / _SITE_FILE
        return _read(path).profile if path.is_file() else None

    @classmethod
    def existing(cls, data_dir: Path, profile: Profile | None = None) -> Site:
        """The site in ``data_dir``, making none. ``SiteRefused`` if there is none, or one of another
        profile than the one that was asked for."""
        path = data_dir.absolute()
        if not (path / _SITE_FILE).is_file():
            raise SiteRefused(f"{path} is no site: it has no {_SITE_FILE}. Name a site's data directory.")
        refuse_newer(path)
        return cls.open(path, profile or _read(path / _SITE_FILE).profile)

    def encode(self) -> bytes:
        """``site.json``."""
        return _encode(
            _SiteFile(
                profile=self.profile,
                site_id=self.site_id,
                domain=self.domain,
                generation=self.generation,
                settings=self.settings,
            )
        )

    @property
    def training(self) -> bool:
        """Everything this site issues is marked TRAINING."""
        return self.profile == "training"

    @property
    def store_path(self) -> Path:
        """The store's SQLite file."""
        return self.data_dir / "store.db"

    @property
    def keys_path(self) -> Path:
        """The wrapped keys (``store/keys.py``)."""
        return self.data_dir / "keys.db"

    @property
    def reserve_path(self) -> Path:
        """Where burns wait while the store takes none (``store/reserve.py``)."""
        return self.data_dir / "burns.reserve"

    @property
    def registry_keys_path(self) -> Path:
        """The sealed keys of template registries (``biometrics/registry_keys.py``): outside the data directory."""
        if self.settings.registry_keys_path is not None:
            return Path(self.settings.registry_keys_path)
        return self.data_dir.with_name(f"{self.data_dir.name}.registry-keys.db")

    def origin(self, log: Literal["seal", "audit"]) -> str:
        """Origin line of a log: fixed for life, never host:port (``app/ledger/README.md``, section 3)."""
        return f"{self.name}/{log}" + ("" if self.generation == 1 else f"/{self.generation}")

    @property
    def name(self) -> str:
        """What the site's logs and witnesses are named after."""
        if self.training:
            # A production verifier refuses this prefix under any domain.
            return f"training-{self.site_id}.site.invalid"
        return self.domain or f"{self.site_id}.site.invalid"

    def passphrase_files(self) -> tuple[Path, ...]:
        """Where the passphrase of the keys may lie, in the order of trial: a systemd credential, the setting, the
        data directory."""
        found = []
        credentials = os.environ.get("CREDENTIALS_DIRECTORY")
        if credentials:
            found.append(Path(credentials) / _CREDENTIAL)
        if self.settings.passphrase_file:
            found.append(Path(self.settings.passphrase_file))
        found.append(self.data_dir / PASSPHRASE_FILE)
        return tuple(found)

    @contextlib.contextmanager
    def claim(self) -> Iterator[None]:
        """Hold this directory for the one service that may work on it; ``SiteBusy`` if another holds it.

        The lock ends with the process, however it ends. Commands that only add rows (``key create``) do not claim:
        the writer takes in what another process appended.
        """
        with exclusive(
            self.data_dir / LOCK_FILE,
            f"Another arc-console already serves {self.data_dir}. Stop it or name another.",
        ):
            yield


def wrong_profile(path: Path, kept: Profile, named: Profile) -> SiteRefused:
    """What is said of a site that was asked for by the other profile."""
    return SiteRefused(f"{path} is a {kept} site; it was asked for as {named}. Name the other profile or directory.")


def _encode(value: _SiteFile) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def _read(path: Path) -> _SiteFile:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_SiteFile)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise SiteRefused(f"{path} cannot be read: {error}. Correct it or restore it from a backup.") from error
