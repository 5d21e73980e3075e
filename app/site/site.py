"""What a site is: its profile, its data directory, its settings. Nothing else reads configuration.

::

    SiteError
    +-- SiteRefused     the directory is not this site's: other profile, foreign files, unreadable site.json
    +-- SiteBusy        another service already works on this directory
"""

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

from app.site.exclusive import Exclusive

Profile = Literal["training", "production"]

_SITE_FILE = "site.json"
PASSPHRASE_FILE = "passphrase"  # noqa: S105 -- a file name
LOCK_FILE = "serve.lock"
_CREDENTIAL = "store-passphrase"
GENERATIONS = 99
"""How often a site's logs may be begun."""

Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400 * 366)]
Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]


class SiteError(Exception):
    """Base of what this module raises; its text is a plain sentence with the remedy."""


class SiteRefused(SiteError):
    """The directory cannot be this site's."""


class SiteBusy(SiteError):
    """Another service holds this directory."""


class RateSettings(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Token buckets of one API key (webhooks: of one sender), by class: calls a minute, and how many at once."""

    read_per_minute: Count = 6_000
    read_burst: Count = 400
    write_per_minute: Count = 1_800
    write_burst: Count = 200
    burn_per_minute: Count = 600
    burn_burst: Count = 100
    card_per_minute: Count = 120
    card_burst: Count = 20
    enrol_per_minute: Count = 1
    enrol_burst: Count = 60
    """Enrolments of templates: 60 an hour."""
    stream_per_minute: Count = 120
    stream_burst: Count = 20
    health_per_minute: Count = 6_000
    health_burst: Count = 200
    webhook_per_minute: Count = 12_000
    webhook_burst: Count = 1_000


class TimeStampAuthority(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """An outside authority (RFC 3161) that stamps the logs' checkpoints. ``roots``: the PEM certificates that its own
    must end at; ``policy``: the only one that it may stamp under, dotted; ``tls_roots``: those of its TLS, without them
    the machine's. One that is given up stays with ``ask`` false: its tokens are judged by its roots for ever."""

    url: Annotated[str, msgspec.Meta(pattern=r"^https?://[!-~]{1,500}\Z")]
    roots: Annotated[str, msgspec.Meta(min_length=1, max_length=65_536)]
    policy: Annotated[str, msgspec.Meta(pattern=r"^[0-2](\.(0|[1-9][0-9]{0,38})){1,30}\Z")] | None = None
    tls_roots: Annotated[str, msgspec.Meta(min_length=1, max_length=65_536)] | None = None
    ask: bool = True


class Settings(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Every tunable of a site with its default. Durations are in the unit the name carries."""

    burn_deadline_s: Seconds = 2.0
    """How long a burn waits for its targets before it answers 202."""
    burn_attempt_s: Seconds = 1.0
    """One attempt at one target."""
    lock_watch_s: Seconds = 60.0
    """Between two looks at accounts that a burn has locked in directories."""
    probe_interval_s: Seconds = 1.0
    """Between two handshakes with one server frame."""
    live_check_window_days: Count = 365
    """A node is EXPIRED this long after its last live check."""
    live_check_fresh_s: Seconds = 900.0
    """A seal is VERIFIED_DIGITAL_HUMAN only with a live check this recent."""
    card_validity_days: Count = 3 * 365
    card_algorithms: Annotated[
        tuple[Literal["P-256", "P-384", "RSA-2048", "RSA-3072"], ...], msgspec.Meta(min_length=1, max_length=4)
    ] = ("P-256", "P-384", "RSA-2048")
    """Keys of a card, best first: each slot gets the first of these that the card makes when asked for it."""
    minimum_evidence: Literal["attested", "device_reported", "identified", "declared"] = "identified"
    """The least that proves a FIPS claim of a secure element (``hardware/cards/README.md``, section 3). A training site
    claims nothing."""
    accept_historical: bool = False
    """Whether modules on the historical list may be issued."""
    accept_weak_management_key: bool = False
    """Whether a production site issues cards that take a 3DES management key only; a training site always does."""
    credential_ttl_s: Annotated[int, msgspec.Meta(ge=30, le=604_800)] = 28_800
    """Life of a reader grant unless the call says otherwise."""
    reader_key_days: Count = 365
    """A credential sync gives a reader a new Secure Channel key when its key is older."""
    onboard_list_h: Annotated[int, msgspec.Meta(ge=1, le=168)] = 24
    """How long a reader that is cut off goes on deciding by its own list."""
    time_zone: Annotated[str, msgspec.Meta(max_length=64)] = "UTC"
    """IANA name of the clock that schedules of doors follow."""
    min_free_disk_bytes: Count = 256 << 20
    """Below this ``/readyz`` is red, while writing still works."""
    key_overlap_s: Seconds = 86_400.0
    """How long a rotated API key still opens."""
    log_key_overlap_s: Seconds = 7 * 86_400.0
    """How long the earlier keys of a log sign beside the new ones (``app/ledger/README.md``, section 9)."""
    approval_ttl_s: Seconds = 86_400.0
    """How long an approval may be given and used, from its request on (four eyes)."""
    burn_approval_ttl_s: Seconds = 900.0
    """The same for burning a list of nodes and for taking a burn back."""
    idempotency_s: Seconds = 86_400.0
    telemetry_ring: Count = 4_096
    check_hour: Annotated[int, msgspec.Meta(ge=0, le=23)] | None = 3
    """Hour of ``time_zone`` at which a seventh of the logs is checked each night; null: never."""
    time_stamp_authorities: Annotated[tuple[TimeStampAuthority, ...], msgspec.Meta(max_length=8)] = ()
    """Outside ones, which stamp the newest cosigned checkpoint of each log (``app/ledger/README.md``, section 8)."""
    time_stamp_interval_s: Seconds = 60.0
    """Between two stamps of one authority."""
    time_stamp_away_s: Seconds = 3_600.0
    """How long a checkpoint waits for an authority before that is an alarm."""
    rates: RateSettings = RateSettings()
    passphrase_file: str | None = None
    """Production without a keyring: the file (0600) whose passphrase opens the keys."""
    pkcs11_module: Annotated[str, msgspec.Meta(min_length=1, max_length=500)] | None = None
    """Production with a token that holds the key over all keys: its PKCS#11 library. Its PIN lies where a passphrase
    would. Chosen before the first start."""
    pkcs11_token: Annotated[str, msgspec.Meta(min_length=1, max_length=32)] | None = None
    """The token's label."""
    registry_keys_path: Annotated[str, msgspec.Meta(min_length=1, max_length=500)] | None = None
    """The file of the keys of template registries, which no backup holds; null: beside the data directory."""


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
    def open(cls, data_dir: Path | None, profile: Profile) -> Site:
        """Open the site in ``data_dir`` (``None``: the default), making it if the directory is new or empty.

        The directory is 0700 afterwards. Raises ``SiteRefused`` for a site of the other profile, a directory with
        files that are not a site's, or a ``site.json`` that cannot be read.
        """
        path = (data_dir if data_dir is not None else cls.default_data_dir(profile)).absolute()
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
            found = _SiteFile(profile=profile, site_id=secrets.token_hex(8))
            write_private(path / _SITE_FILE, _encode(found))
        if found.profile != profile:
            raise SiteRefused(
                f"{path} is a {found.profile} site; it was asked for as {profile}. Name the other profile or directory."
            )
        if sys.platform != "win32" and stat.S_IMODE(path.stat().st_mode) != 0o700:
            path.chmod(0o700)
        return cls(profile, path, found.settings, found.site_id, found.domain, found.generation)

    @classmethod
    def existing(cls, data_dir: Path, profile: Profile | None = None) -> Site:
        """The site in ``data_dir``, making none. ``SiteRefused`` if there is none, or one of another
        profile than the one that was asked for."""
        path = data_dir.absolute()
        if not (path / _SITE_FILE).is_file():
            raise SiteRefused(f"{path} is no site: it has no {_SITE_FILE}. Name a site's data directory.")
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


@contextlib.contextmanager
def exclusive(path: Path, busy: str) -> Iterator[None]:
    """Hold the lock file at ``path`` until the end or the death of this process; ``SiteBusy`` with ``busy`` if another
    process holds it, ``SiteRefused`` if it cannot be locked."""
    lock = Exclusive(path)
    try:
        mine = lock.take()
    except OSError as error:
        raise SiteRefused(f"{path} cannot be locked: {error.strerror}.") from error
    if not mine:
        raise SiteBusy(busy)
    try:
        yield
    finally:
        lock.release()


def write_private(path: Path, data: bytes) -> None:
    """Replace ``path`` by ``data`` atomically and durably, readable by the owner alone."""
    scratch = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(path)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Make renames in ``path`` durable: without this they may be lost with the power."""
    if sys.platform != "win32":
        directory = os.open(path, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


def _encode(value: _SiteFile) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def _read(path: Path) -> _SiteFile:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_SiteFile)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise SiteRefused(f"{path} cannot be read: {error}. Correct it or restore it from a backup.") from error
