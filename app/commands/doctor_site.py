"""What the doctor says of a site: its directory is looked at, and never opened as a service opens it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import stat
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec
from cryptography import x509

from app import VERSION
from app.commands.finding import MachineFinding
from app.delivery.site_mail import MAILBOX_PASSWORD, RELAY_PASSWORD
from app.site.errors import SiteError
from app.site.settings import MailRelay, Settings
from app.site.site import PASSPHRASE_FILE, Site
from app.site.site_version import UPGRADES_DIR, read_version
from app.store import migrations
from app.store.backup import RESERVE
from app.store.kek import DERIVATION_FILE, KEK_FILE
from app.store.reserve import SIZE, is_whole

COMMITS: Final = 16
SLOW_COMMIT_MS: Final = 50.0
"""From here on each change of a site waits so long for its disk that a person notices."""
SOON: Final = timedelta(days=30)


def examine_site(data_dir: Path) -> Iterator[MachineFinding]:
    """The data directory: its owner and mode, its version, what opens its keys, its settings, and the disk."""
    if not data_dir.exists():
        yield MachineFinding("site.directory", f"{data_dir} is made at the first start", "ok")
    else:
        yield _directory(data_dir)
        if not os.access(data_dir, os.R_OK | os.X_OK):
            return
        yield from _version(data_dir)
        yield from _key_source(data_dir)
        yield from _certificates(data_dir / "store.db")
    yield from _public_address(data_dir / "site.json")
    yield from _mail(data_dir / "site.json", data_dir / "keys.db")
    if (data_dir / "store.db").exists():
        whole = is_whole(data_dir / RESERVE)
        found = f"{RESERVE} {SIZE >> 20} MiB" if whole else f"{RESERVE} is missing, or not whole and private"
        remedy = None if whole else f"arc-console serve --data-dir {data_dir}  (with {SIZE >> 20} MiB free it makes it)"
        yield MachineFinding("site.reserve", found, "ok" if whole else "warning", remedy)
    existing = next(path for path in (data_dir, *data_dir.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    enough = free >= Settings().min_free_disk_bytes
    remedy = None if enough else f"du -xh --max-depth=2 {existing} | sort -h  (below this the service is not ready)"
    yield MachineFinding("site.disk", f"{free >> 20} MiB free", "ok" if enough else "broken", remedy)
    if existing == data_dir:
        yield from _commits(data_dir)


def _directory(data_dir: Path) -> MachineFinding:
    """Whether the directory is this user's alone."""
    state = data_dir.stat()
    mode = stat.S_IMODE(state.st_mode)
    if sys.platform != "win32" and state.st_uid != os.geteuid():
        import pwd

        with contextlib.suppress(KeyError):
            owner = pwd.getpwuid(state.st_uid).pw_name
            remedy = f"sudo -u {owner} arc-console doctor --data-dir {data_dir}"
            return MachineFinding("site.directory", f"{data_dir} is {owner}'s, not yours", "warning", remedy)
    private = mode == 0o700 or sys.platform == "win32"
    chmod = None if private else f"chmod 700 {data_dir}"
    return MachineFinding("site.directory", f"{data_dir} {mode:04o}", "ok" if private else "broken", chmod)


def _version(data_dir: Path) -> Iterator[MachineFinding]:
    """Whether this program may work on the directory: which version wrote it, and at which schema its store is."""
    try:
        Site.kept_profile(data_dir)
        written = read_version(data_dir)
    except SiteError as error:
        yield MachineFinding("site.version", str(error), "broken", f"ls {data_dir / UPGRADES_DIR}")
        return
    schema = _schema(data_dir / "store.db")
    if schema is None:
        return
    found = f"{VERSION if written is None else written.version}, schema {schema}"
    if schema > migrations.HEAD:
        found += f": newer than this program, which knows {migrations.HEAD}"
        yield MachineFinding("site.version", found, "broken", f"ls {data_dir / UPGRADES_DIR}")
    elif schema < migrations.HEAD or (written is not None and written.version != VERSION):
        found += f": the next start backs it up and brings it to {VERSION}, schema {migrations.HEAD}"
        yield MachineFinding("site.version", found, "warning", f"arc-console serve --data-dir {data_dir}")
    else:
        yield MachineFinding("site.version", found, "ok")


def _schema(store: Path) -> str | None:
    """The store's; None where there is none that can be read."""
    try:
        with contextlib.closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)) as raw:
            return str(raw.execute("SELECT version_num FROM alembic_version").fetchone()[0])
    except (sqlite3.Error, TypeError):
        return None


def _key_source(data_dir: Path) -> Iterator[MachineFinding]:
    """Whether what opens the site's keys is in its place and private. It is not read."""
    if not (data_dir / "keys.db").exists():
        return
    name = "safety.key_source"
    if (data_dir / DERIVATION_FILE).exists():
        places = _passphrase_files(data_dir)
        file = next((path for path in places if path.is_file()), None)
        if file is None:
            found = f"no passphrase: {' or '.join(map(str, places))}"
            yield MachineFinding(name, found, "broken", f"install -m 600 /dev/stdin {data_dir / PASSPHRASE_FILE}")
            return
    else:
        file = data_dir / KEK_FILE
        if not file.is_file():
            yield MachineFinding(name, "a keyring or a token opens the keys", "ok")
            return
    open_to_others = sys.platform != "win32" and bool(stat.S_IMODE(file.stat().st_mode) & 0o077)
    found = f"{file}, which others may read" if open_to_others else str(file)
    remedy = f"chmod 600 {file}" if open_to_others else None
    yield MachineFinding(name, found, "broken" if open_to_others else "ok", remedy)


def _passphrase_files(data_dir: Path) -> list[Path]:
    """Where a passphrase may lie: what the settings name, and the directory."""
    named = _settings(data_dir).get("passphrase_file")
    return [*([Path(named)] if isinstance(named, str) else []), data_dir / PASSPHRASE_FILE]


def _settings(data_dir: Path) -> dict[str, object]:
    """The settings as they stand in the file; none where a start would refuse it."""
    try:
        found = msgspec.json.decode((data_dir / "site.json").read_bytes())
        return dict(found["settings"])
    except (OSError, msgspec.MsgspecError, TypeError, KeyError, ValueError):
        return {}


def _certificates(store: Path) -> Iterator[MachineFinding]:
    """When the first of the site's own certificates ends."""
    try:
        with contextlib.closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)) as raw:
            rows = raw.execute("SELECT name, certificate FROM site_certificate").fetchall()
        ends = sorted((x509.load_der_x509_certificate(der).not_valid_after_utc, str(name)) for name, der in rows)
    except (sqlite3.Error, ValueError, TypeError):
        return
    if ends:
        when, name = ends[0]
        late = when - datetime.now(UTC) < SOON
        remedy = "systemctl restart arc-console  (a start renews what it signs itself)" if late else None
        found = f"the first to end is {name}, on {when:%Y-%m-%d}"
        yield MachineFinding("site.certificates", found, "warning" if late else "ok", remedy)


def _commits(data_dir: Path) -> Iterator[MachineFinding]:
    """How long the disk takes to keep a page: each change of the site waits for that. In a file without a name, which
    leaves nothing behind."""
    if not hasattr(os, "O_TMPFILE"):
        return
    try:
        handle = os.open(data_dir, os.O_TMPFILE | os.O_WRONLY, 0o600)
    except OSError:
        return
    try:
        begin = time.monotonic()
        for _ in range(COMMITS):
            os.write(handle, bytes(4096))
            os.fsync(handle)
        each_ms = (time.monotonic() - begin) * 1000 / COMMITS
    except OSError:
        return
    finally:
        os.close(handle)
    slow = each_ms > SLOW_COMMIT_MS
    remedy = f"df -T {data_dir}  (move the site to a disk of this machine that is not shared)" if slow else None
    yield MachineFinding("site.commits", f"{each_ms:.1f} ms each", "warning" if slow else "ok", remedy)


def _public_address(settings: Path) -> Iterator[MachineFinding]:
    """Whether certificates of cards say where to ask if they are revoked. Nothing of a site that is not there, or whose
    file a start will refuse."""
    try:
        found = msgspec.json.decode(settings.read_bytes())
        address = found.get("settings", {}).get("public_address")
        real = found["profile"] == "production"
    except (OSError, msgspec.MsgspecError, AttributeError, KeyError):
        return
    if address is not None:
        yield MachineFinding("site.public_address", f"{address}: cards name it for revocation list and OCSP", "ok")
        return
    yield MachineFinding(
        "site.public_address",
        "none: cards do not say where to ask whether they are revoked, so relying parties take a burned card to its "
        "end unless they are given the list of /pki/root.crl",
        "warning" if real else "ok",
        f'${{EDITOR:-vi}} {settings}  (in settings: "public_address": "http://HOST"; cards from then on name it)',
    )


def _mail(settings: Path, keys: Path) -> Iterator[MachineFinding]:
    """Whether notices to platforms can leave by mail. Nothing of a site that is not there, or whose file a start will
    refuse; the passwords themselves are sealed, so only whether there is one is looked at."""
    try:
        found = msgspec.json.decode(settings.read_bytes())
        kept = found.get("settings", {})
        relay, mailbox = msgspec.convert(kept.get("mail"), type=MailRelay | None), kept.get("bounce_mailbox")
        real = found["profile"] == "production"
    except (OSError, msgspec.MsgspecError, AttributeError, KeyError):
        return
    if relay is None:
        found_text = "no relay: notices by mail are held" if real else "the training site's own relay, on loopback"
        remedy = (
            f'${{EDITOR:-vi}} {settings}  (in settings: "mail": {{"host": ..., "port": ..., "from_address": ..., '
            '"domain": ...})'
        )
        yield MachineFinding("site.mail", found_text, "warning" if real else "ok", remedy if real else None)
        return
    known = _given_secrets(keys)
    if relay.user is not None and RELAY_PASSWORD not in known:
        yield MachineFinding("site.mail", "the relay's password is missing", "broken", "arc-console mail password")
        return
    yield MachineFinding("site.mail", f"{relay.host}:{relay.port} as {relay.from_address}", "ok")
    if mailbox is None:
        found_text = "no bounce mailbox: a refusal that comes after the relay took a notice is not seen"
        yield MachineFinding(
            "site.bounces",
            found_text,
            "warning",
            f'${{EDITOR:-vi}} {settings}  (in settings: "bounce_mailbox": {{...}})',
        )
    elif MAILBOX_PASSWORD not in known:
        remedy = "arc-console mail password --mailbox"
        yield MachineFinding("site.bounces", "the password of the bounce mailbox is missing", "broken", remedy)


def _given_secrets(keys: Path) -> set[str]:
    """Purposes of the secrets in a site's file of wrapped keys, which is not opened as a site."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{keys}?mode=ro", uri=True)) as connection:
            rows = connection.execute("SELECT purpose FROM wrapped_key WHERE kind = 'secret'")
            return {str(row[0]) for row in rows}
    except sqlite3.Error:
        return set()
