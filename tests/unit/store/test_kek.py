"""The key-encryption key: replaced with overlap, whatever its place and whenever the process dies."""

from __future__ import annotations

import contextlib
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import keyring
import keyring.backends.fail
import keyring.errors
import pytest

from app.site.site import Site
from app.store import sealed
from app.store.errors import KeysUnavailable
from app.store.kek import KEPT, KekRefused, add_kek, find_kek, forget_older_keks
from app.store.keys import DATA_KEY_US, FIELDS_LIMIT, Kek, Keys

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
FIELDS = sealed.FIELDS


class Ring:
    """A keyring in memory, as an unlocked desktop has one."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[(service, username)] = password


def opened(site: Site, ring: Ring | None = None) -> Keys:
    """The site's keys, as a process opens them."""
    return Keys(site.keys_path, find_kek(site, keyring=ring), find=lambda: find_kek(site, keyring=ring))


def named_keks(site: Site) -> set[str]:
    """The names of the keys that wrap a row."""
    with contextlib.closing(sqlite3.connect(site.keys_path)) as file:
        return {row[0] for row in file.execute("SELECT kek FROM wrapped_key")}


@pytest.fixture(autouse=True)
def _light_derivation(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter of the cost."""
    monkeypatch.setattr("app.store.kek.SCRYPT_N", 2**14)


def private(path: Path, text: str) -> Path:
    """A file of mode 0600."""
    path.touch(0o600)
    path.write_text(text)
    return path


@pytest.fixture(params=["training", "keyring", "passphrase"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Site, Ring | None]:
    """A site whose key lies in each of the places."""
    if request.param == "training":
        return Site.open(tmp_path / "site", "training"), None
    site = Site.open(tmp_path / "site", "production")
    if request.param == "keyring":
        return site, Ring()
    # No keyring answers on a machine without a session: the real backend chosen there raises NoKeyringError.
    keyring.set_keyring(keyring.backends.fail.Keyring())
    private(site.data_dir / "passphrase", "correct horse battery\n")
    return site, None


def test_replaced_with_overlap(place: tuple[Site, Ring | None]) -> None:
    """The new key wraps every row in one transaction; the old one opens an older copy until it is forgotten."""
    site, ring = place
    keys = opened(site, ring)
    secret, field = keys.secret("pepper"), keys.sealer.seal("reader", b"scbk", b"row")
    before = find_kek(site, keyring=ring)
    older_copy = site.keys_path.read_bytes()

    after = add_kek(site, keyring=ring)
    assert (after.older, after.key != before.key) == ((before.key,), True)
    assert not opened_is_whole(site, ring, before.name)
    assert keys.rewrap() == 0  # the opening above has finished it already
    assert named_keks(site) == {after.name}
    assert keys.one_kek()
    keys.close()

    copy = site.data_dir / "older.db"
    copy.write_bytes(older_copy)
    of_copy = Keys(copy, find_kek(site, keyring=ring))
    assert of_copy.secret("pepper") == secret
    of_copy.close()
    copy.write_bytes(older_copy)
    assert forget_older_keks(site, keyring=ring) == 1
    again = opened(site, ring)
    assert (again.secret("pepper"), again.sealer.open("reader", field, b"row")) == (secret, b"scbk")
    again.close()
    with pytest.raises(KeysUnavailable, match="another key-encryption key"):
        Keys(copy, find_kek(site, keyring=ring))


def opened_is_whole(site: Site, ring: Ring | None, name: str) -> bool:
    """Opening finishes a replacement whose rows were never wrapped again; whether ``name`` still wraps a row."""
    assert named_keks(site) == {name}
    opened(site, ring).close()
    return name in named_keks(site)


def test_service_follows_a_replacement(place: tuple[Site, Ring | None]) -> None:
    """A process that runs on wraps what it makes by the new key, also after the old one is forgotten."""
    site, ring = place
    service = opened(site, ring)
    service.secret("pepper")
    after = add_kek(site, keyring=ring)
    command = opened(site, ring)
    assert command.one_kek()
    forget_older_keks(site, keyring=ring)
    made = service.secret("cursor")
    assert named_keks(site) == {after.name}
    assert command.secret("cursor") == made
    service.close()
    command.close()


@pytest.mark.parametrize("step", ["storing", "stored", "wrapping", "wrapped", "forgotten"])
def test_killed_replacement_loses_no_key(tmp_path: Path, step: str) -> None:
    """kill -9 at each step: every key opens at the next start, and one key-encryption key wraps them all."""
    site = Site.open(tmp_path / "site", "training")
    keys = opened(site)
    secrets = [keys.secret(name) for name in ("pepper", "cursor", "tracking")]
    keys.close()
    before = named_keks(site)
    child = subprocess.run(
        [sys.executable, str(HERE / "kek_kill_child.py"), str(site.data_dir), step],
        env={"PYTHONPATH": str(ROOT)},
        timeout=60,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL
    assert (named_keks(site) == before) is (step in ("storing", "stored", "wrapping"))
    again = opened(site)
    assert [again.secret(name) for name in ("pepper", "cursor", "tracking")] == secrets
    assert again.one_kek()
    again.close()
    assert (named_keks(site) == before) is (step == "storing")


def test_two_passphrases_while_one_replaces_the_other(tmp_path: Path) -> None:
    """The old passphrase opens until it is forgotten, which needs the new one to be in its place."""
    keyring.set_keyring(keyring.backends.fail.Keyring())
    site = Site.open(tmp_path / "site", "production")
    path = private(site.data_dir / "passphrase", "correct horse battery\n")
    secret = opened(site).secret("pepper")
    other = private(tmp_path / "other", "another long passphrase\n")
    add_kek(site, new_passphrase=other)
    assert opened(site).secret("pepper") == secret
    with pytest.raises(KekRefused, match="new passphrase there first"):
        forget_older_keks(site)
    path.write_text(other.read_text())
    assert opened(site).secret("pepper") == secret
    assert forget_older_keks(site) == 1
    path.write_text("correct horse battery\n")
    with pytest.raises(KeysUnavailable, match="does not open") as refused:
        find_kek(site)
    assert refused.value.passphrase_file == path
    path.write_text("short\n")
    with pytest.raises(KeysUnavailable, match="is shorter") as refused:
        find_kek(site)
    assert refused.value.passphrase_file == path


def test_derivation_is_private_and_tells_nothing(tmp_path: Path) -> None:
    """``kek.json`` is 0600 and holds neither passphrase nor key."""
    keyring.set_keyring(keyring.backends.fail.Keyring())
    site = Site.open(tmp_path / "site", "production")
    private(site.data_dir / "passphrase", "correct horse battery\n")
    kek = find_kek(site)
    path = site.data_dir / "kek.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert b"horse" not in path.read_bytes()
    assert kek.key not in path.read_bytes()
    assert kek.key.hex() not in repr(kek)


def test_headless_keyring_falls_through_to_the_passphrase(tmp_path: Path) -> None:
    """The backend of a machine without a session raises ``NoKeyringError``; the site asks for a passphrase instead."""
    keyring.set_keyring(keyring.backends.fail.Keyring())
    with pytest.raises(keyring.errors.NoKeyringError):
        keyring.get_password("arc-console", "x")
    site = Site.open(tmp_path / "site", "production")
    with pytest.raises(KeysUnavailable, match="Put a passphrase") as refused:
        find_kek(site)
    assert refused.value.passphrase_file == site.data_dir / "passphrase"


def test_lost_kek_is_never_made_anew(place: tuple[Site, Ring | None]) -> None:
    """A site that has keys gets no second key-encryption key: it would open none of them."""
    site, ring = place
    opened(site, ring).close()
    if ring is not None:
        ring.entries.clear()
    for name in ("kek", "kek.json", "passphrase"):
        (site.data_dir / name).unlink(missing_ok=True)
    with pytest.raises(KeysUnavailable):
        find_kek(site, keyring=ring)
    assert not (site.data_dir / "kek").exists()


def test_kept_keys_are_bounded(tmp_path: Path) -> None:
    """The place is not filled without end."""
    site = Site.open(tmp_path / "site", "training")
    find_kek(site)
    for _ in range(KEPT - 1):
        add_kek(site)
    with pytest.raises(KekRefused, match="Forget the older ones"):
        add_kek(site)


def test_data_key_is_replaced_by_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than 2^32 fields under one key, counted over every process; what the old one sealed opens."""
    monkeypatch.setattr(sealed, "FIELDS", 3)
    keys = Keys(tmp_path / "keys.db", Kek(b"k" * 32))
    fields = [keys.sealer.seal("reader", b"%d" % number, b"row") for number in range(7)]
    with contextlib.closing(sqlite3.connect(tmp_path / "keys.db", isolation_level=None)) as file:
        assert file.execute("SELECT kid, fields FROM wrapped_key").fetchall() == [(1, 3 * FIELDS)]
        file.execute("UPDATE wrapped_key SET fields = ?", (FIELDS_LIMIT - FIELDS,))
    keys.close()
    again = Keys(tmp_path / "keys.db", Kek(b"k" * 32))
    fields += [again.sealer.seal("reader", b"%d" % number, b"row") for number in range(7, 14)]
    assert [int.from_bytes(field[1:5], "big") for field in fields] == [1] * 10 + [2] * 4
    assert [again.sealer.open("reader", field, b"row") for field in fields] == [b"%d" % number for number in range(14)]
    again.close()


def test_data_key_is_replaced_by_age(tmp_path: Path) -> None:
    """A year is enough, however few fields there were."""
    now = [1]
    keys = Keys(tmp_path / "keys.db", Kek(b"k" * 32), clock=lambda: now[0])
    old = keys.sealer.seal("reader", b"x", b"row")
    keys.close()
    now[0] += DATA_KEY_US + 1
    again = Keys(tmp_path / "keys.db", Kek(b"k" * 32), clock=lambda: now[0])
    assert again.data_key("reader")[0] == 2
    assert again.sealer.open("reader", old, b"row") == b"x"
    again.close()


def test_renewed_key_is_used_and_the_old_one_stays(tmp_path: Path) -> None:
    """The newest key of a purpose signs; a key that was never made cannot be replaced."""
    keys = Keys(tmp_path / "keys.db", Kek(b"k" * 32))
    old = keys.ed25519("receipt").private_bytes_raw()
    assert keys.renew("receipt", "ed25519") == 2
    new = keys.ed25519("receipt").private_bytes_raw()
    assert new != old
    with pytest.raises(KeyError):
        keys.renew("permit", "p256")
    keys.close()
    again = Keys(tmp_path / "keys.db", Kek(b"k" * 32))
    assert again.ed25519("receipt").private_bytes_raw() == new
    assert [key.private_bytes_raw() for key in again.ed25519s("receipt")] == [new, old]
    again.close()


def test_file_of_an_earlier_version_opens(tmp_path: Path) -> None:
    """A key file without counts gets them."""
    with contextlib.closing(sqlite3.connect(tmp_path / "keys.db")) as file:
        file.execute(
            "CREATE TABLE wrapped_key (kid INTEGER PRIMARY KEY, purpose TEXT NOT NULL, kind TEXT NOT NULL, "
            "kek TEXT NOT NULL, version INTEGER NOT NULL, wrapped BLOB NOT NULL, created_us INTEGER NOT NULL) STRICT"
        )
    keys = Keys(tmp_path / "keys.db", Kek(b"k" * 32))
    assert keys.sealer.open("reader", keys.sealer.seal("reader", b"x", b""), b"") == b"x"
    keys.close()
