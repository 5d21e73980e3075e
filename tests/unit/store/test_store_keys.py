"""Keys, sealed fields and cursors: nothing opens for another purpose, row, site or key-encryption key."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.site.site import Site
from app.store.cursor import Cursors
from app.store.errors import BadCursor, KeysUnavailable, SealBroken
from app.store.keys import Kek, Keys, find_kek
from app.store.sealed import OVERHEAD, FieldSealer


class OneKey:
    """Data keys from memory."""

    def data_key(self, purpose: str, kid: int | None = None) -> tuple[int, bytes]:
        if kid not in (None, 7):
            raise KeyError(kid)
        return 7, b"k" * 32

    def known_data_key(self, purpose: str) -> tuple[int, bytes]:
        return self.data_key(purpose)


class Ring:
    """A keyring in memory, as an unlocked desktop has one."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[(service, username)] = password


@given(st.binary(max_size=300), st.binary(max_size=40))
def test_sealed_field_opens(plaintext: bytes, context: bytes) -> None:
    """What was sealed opens to the same bytes."""
    sealer = FieldSealer(OneKey())
    sealed = sealer.seal("reader", plaintext, context)
    assert len(sealed) == len(plaintext) + OVERHEAD
    assert sealer.open("reader", sealed, context) == plaintext


@given(st.data())
def test_altered_field_does_not_open(data: st.DataObject) -> None:
    """One flipped bit anywhere is found."""
    sealer = FieldSealer(OneKey())
    sealed = bytearray(sealer.seal("reader", b"secret", b"row 1"))
    at = data.draw(st.integers(0, len(sealed) * 8 - 1))
    sealed[at // 8] ^= 1 << at % 8
    with pytest.raises(SealBroken):
        sealer.open("reader", bytes(sealed), b"row 1")


@given(st.binary(max_size=100))
def test_foreign_bytes_do_not_open(sealed: bytes) -> None:
    """Any bytes at all give the one error."""
    with pytest.raises(SealBroken):
        FieldSealer(OneKey()).open("reader", sealed, b"row 1")


@pytest.mark.parametrize(("purpose", "context"), [("unit", b"row 1"), ("reader", b"row 2")])
def test_moved_field_does_not_open(purpose: str, context: bytes) -> None:
    """A field copied to another purpose or row does not open there."""
    sealer = FieldSealer(OneKey())
    with pytest.raises(SealBroken):
        sealer.open(purpose, sealer.seal("reader", b"secret", b"row 1"), context)


def test_keys_survive_a_restart(tmp_path: Path) -> None:
    """Signing keys, secrets and data keys are the same after the file is opened again."""
    kek = Kek(b"k" * 32)
    first = Keys(tmp_path / "keys.db", kek)
    sealed = first.sealer.seal("reader", b"secret", b"row")
    seen = (first.ed25519("audit").private_bytes_raw(), first.p256("ca").private_numbers(), first.secret("pepper"))
    first.close()
    again = Keys(tmp_path / "keys.db", kek)
    assert again.sealer.open("reader", sealed, b"row") == b"secret"
    assert seen == (
        again.ed25519("audit").private_bytes_raw(),
        again.p256("ca").private_numbers(),
        again.secret("pepper"),
    )
    again.close()


def test_two_openers_share_a_key(tmp_path: Path) -> None:
    """A key that two processes want at once is made once."""
    one, two = (Keys(tmp_path / "keys.db", Kek(b"k" * 32)) for _ in range(2))
    assert one.secret("cursor") == two.secret("cursor")
    one.close()
    two.close()


def test_each_use_has_its_own_key(tmp_path: Path) -> None:
    """Purposes share no key."""
    keys = Keys(tmp_path / "keys.db", Kek(b"k" * 32))
    assert len({keys.secret("pepper"), keys.secret("cursor"), keys.data_key("a")[1], keys.data_key("b")[1]}) == 4
    keys.close()


def test_key_can_be_made_inside_a_job(tmp_path: Path) -> None:
    """Sealing for a new purpose needs no lock that a writer's transaction holds."""
    held = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    held.execute("BEGIN IMMEDIATE")
    keys = Keys(tmp_path / "keys.db", Kek(b"k" * 32))
    assert keys.sealer.open("new", keys.sealer.seal("new", b"x", b""), b"") == b"x"
    held.close()
    keys.close()


def test_file_holds_no_key_in_clear(tmp_path: Path) -> None:
    """Neither private key nor secret is found in the file's bytes."""
    keys = Keys(tmp_path / "keys.db", Kek(b"k" * 32))
    private, secret = keys.ed25519("audit").private_bytes_raw(), keys.secret("pepper")
    keys.close()
    data = (tmp_path / "keys.db").read_bytes()
    assert private not in data
    assert secret not in data


def test_other_kek_is_refused(tmp_path: Path) -> None:
    """Keys wrapped by another key-encryption key are refused at start, in a sentence."""
    first = Keys(tmp_path / "keys.db", Kek(b"k" * 32))
    first.secret("pepper")
    first.close()
    with pytest.raises(KeysUnavailable, match="another key-encryption key"):
        Keys(tmp_path / "keys.db", Kek(b"x" * 32))


def test_damaged_key_is_refused(tmp_path: Path) -> None:
    """A wrapped key that was altered is named."""
    first = Keys(tmp_path / "keys.db", Kek(b"k" * 32))
    first.secret("pepper")
    first.close()
    raw = sqlite3.connect(tmp_path / "keys.db")
    raw.execute("UPDATE wrapped_key SET purpose = 'cursor'")
    raw.commit()
    raw.close()
    with pytest.raises(KeysUnavailable, match="damaged"):
        Keys(tmp_path / "keys.db", Kek(b"k" * 32))


def test_training_kek_is_a_private_file(tmp_path: Path) -> None:
    """A training site keeps its key in a file of mode 0600, the same at each start."""
    site = Site.open(tmp_path / "site", "training")
    kek = find_kek(site)
    assert find_kek(site) == kek
    assert stat.S_IMODE((site.data_dir / "kek").stat().st_mode) == 0o600


def test_keyring_is_used_first(tmp_path: Path) -> None:
    """A production site with a keyring leaves no key in its directory."""
    site, ring = Site.open(tmp_path / "site", "production"), Ring()
    assert find_kek(site, keyring=ring) == find_kek(site, keyring=ring)
    assert [path.name for path in site.data_dir.iterdir()] == ["site.json"]


def test_passphrase_opens_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a keyring the passphrase gives the same key at each start, and another passphrase none."""
    monkeypatch.setattr("app.store.kek._system_keyring", lambda: None)
    site = Site.open(tmp_path / "site", "production")
    path = site.data_dir / "passphrase"
    path.touch(0o600)
    path.write_text("correct horse battery\n")
    kek = find_kek(site)
    assert find_kek(site) == kek
    path.write_text("another long passphrase\n")
    with pytest.raises(KeysUnavailable, match="does not open"):
        find_kek(site)


def test_systemd_credential_is_the_passphrase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``LoadCredential=store-passphrase:...`` opens the keys without any file in the data directory."""
    monkeypatch.setattr("app.store.kek._system_keyring", lambda: None)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    given = tmp_path / "store-passphrase"
    given.write_text("a long enough passphrase\n")
    given.chmod(0o400)
    site = Site.open(tmp_path / "site", "production")
    assert find_kek(site).key == find_kek(site).key


def test_readable_passphrase_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A passphrase file that others can read is refused."""
    monkeypatch.setattr("app.store.kek._system_keyring", lambda: None)
    site = Site.open(tmp_path / "site", "production")
    path = site.data_dir / "passphrase"
    path.write_text("correct horse battery\n")
    path.chmod(0o644)
    with pytest.raises(KeysUnavailable, match="0600"):
        find_kek(site)


def test_headless_production_needs_a_passphrase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With neither keyring nor passphrase a production site refuses to start and says what to do."""
    monkeypatch.setattr("app.store.kek._system_keyring", lambda: None)
    with pytest.raises(KeysUnavailable, match="Put a passphrase"):
        find_kek(Site.open(tmp_path / "site", "production"))


VALUES = st.lists(st.none() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=30), max_size=5)


@given(VALUES, st.binary(max_size=32))
def test_cursor_carries_its_values(values: list[str | int | None], query: bytes) -> None:
    """A cursor gives back what was put in."""
    cursors = Cursors(b"s" * 32)
    assert cursors.decode("nodes", cursors.encode("nodes", values, query=query), query=query) == values


@given(st.text(max_size=200))
def test_foreign_cursor_is_refused(text: str) -> None:
    """Any text that is not a cursor of ours is refused."""
    with pytest.raises(BadCursor):
        Cursors(b"s" * 32).decode("nodes", text)


@pytest.mark.parametrize(
    ("kind", "query", "secret"), [("units", b"q", b"s"), ("nodes", b"r", b"s"), ("nodes", b"q", b"t")]
)
def test_cursor_of_another_list_is_refused(kind: str, query: bytes, secret: bytes) -> None:
    """A cursor opens only for its own list, query and site."""
    cursor = Cursors(b"s" * 32).encode("nodes", [1], query=b"q")
    with pytest.raises(BadCursor):
        Cursors(secret * 32).decode(kind, cursor, query=query)


def test_rsa_keys_stay_and_are_replaced(tmp_path: Path) -> None:
    """An RSA-2048 key is the same after a restart; the next one stands before it."""
    site = Site.open(tmp_path / "site", "training")
    keys = Keys(site.keys_path, find_kek(site))
    first = keys.rsa2048("dkim").private_numbers()
    assert keys.rsa2048("dkim").private_numbers() == first
    keys.close()
    keys = Keys(site.keys_path, find_kek(site))
    assert [key.private_numbers() for key in keys.rsa2048s("dkim")] == [first]
    keys.renew("dkim", "rsa2048")
    newest, older = keys.rsa2048s("dkim")
    assert keys.rsa2048("dkim").private_numbers() == newest.private_numbers() != older.private_numbers() == first
    assert newest.key_size == 2048
    keys.close()


def test_a_given_secret_replaces_the_one_before(tmp_path: Path) -> None:
    """A password is kept as it is, for its own purpose; the one before is gone from the file, others stay."""
    site = Site.open(tmp_path / "site", "training")
    keys = Keys(site.keys_path, find_kek(site))
    made = keys.secret("pepper")
    assert keys.given_secret("mail-relay") is None
    for password in (b"first", b"second, and longer than thirty-two bytes are"):
        keys.give_secret("mail-relay", password)
        assert keys.given_secret("mail-relay") == password
    assert keys.given_secret("bounce-mailbox") is None
    keys.close()
    keys = Keys(site.keys_path, find_kek(site))
    assert (keys.given_secret("mail-relay"), keys.secret("pepper")) == (password, made)
    assert keys.secrets("mail-relay") == [password]
    keys.close()
