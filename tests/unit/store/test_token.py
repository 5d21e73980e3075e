"""The key-encryption key behind a real PKCS#11 token (SoftHSM)."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from app.site.settings import Settings
from app.site.site import Site
from app.store.errors import KeysUnavailable
from app.store.kek import add_kek, find_kek, forget_older_keks, keeping
from app.store.keys import Keys
from app.store.token import TokenSealed

MODULE = "/usr/lib/softhsm/libsofthsm2.so"
PIN = "2749382610"


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The library reads its configuration once in a process."""
    if not Path(MODULE).exists():
        pytest.fail("tests of tokens need: apt-get install softhsm2")
    directory = tmp_path_factory.mktemp("tokens")
    (directory / "conf").write_text(f"directories.tokendir = {directory}\nobjectstore.backend = file\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOFTHSM2_CONF", str(directory / "conf"))
        for label in ("site", "other"):
            made = ["softhsm2-util", "--init-token", "--free", "--label", label, "--so-pin", PIN, "--pin", PIN]
            subprocess.run(made, check=True, capture_output=True)
        yield


@pytest.fixture
def site(tmp_path: Path, tokens: None) -> Site:
    """A production site whose settings name the token."""
    made = Site.open(tmp_path / "site", "production")
    pin(made, PIN)
    return named(made)


def named(site: Site, **settings: str) -> Site:
    """The site with these settings of its token."""
    told = {"pkcs11_module": MODULE, "pkcs11_token": "site", **settings}
    return replace(site, settings=msgspec.convert(told, Settings))


def pin(site: Site, digits: str) -> Path:
    """Puts the PIN into its place."""
    path = site.passphrase_files()[-1]
    path.write_text(digits)
    path.chmod(0o600)
    return path


def test_the_token_gives_the_key_again(site: Site) -> None:
    """The next start finds the same key; neither it nor the PIN lies in the directory's other files."""
    first = find_kek(site)
    assert find_kek(site).key == first.key
    kept = (site.data_dir / "kek.json").read_bytes()
    assert first.key not in kept
    assert first.key.hex().encode() not in kept
    assert PIN.encode() not in kept
    assert "token site" in keeping(site)


def test_keys_are_replaced_with_overlap(site: Site) -> None:
    """What the older key wrapped opens until it is forgotten."""
    first = find_kek(site)
    keys = Keys(site.keys_path, first, find=lambda: find_kek(site))
    secret = keys.secret("pepper")
    newest = add_kek(site)
    assert newest.older == (first.key,)
    keys.rewrap()
    keys.close()
    assert forget_older_keks(site) == 1
    again = Keys(site.keys_path, find_kek(site))
    assert again.secret("pepper") == secret
    again.close()


def test_another_token_opens_nothing(site: Site) -> None:
    """Told by name; also where somebody wrote the other's name into the file."""
    find_kek(site)
    with pytest.raises(KeysUnavailable, match="sealed by the token site"):
        find_kek(named(site, pkcs11_token="other"))
    path = site.data_dir / "kek.json"
    kept = msgspec.json.decode(path.read_bytes(), type=TokenSealed)
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(kept, token="other")))
    with pytest.raises(KeysUnavailable, match="has no key"):
        find_kek(named(site, pkcs11_token="other"))


def test_an_altered_file_is_refused(site: Site) -> None:
    """By the token's own authentication of what it sealed."""
    find_kek(site)
    path = site.data_dir / "kek.json"
    kept = msgspec.json.decode(path.read_bytes(), type=TokenSealed)
    turned = kept.sealed[:-1] + bytes([kept.sealed[-1] ^ 1])
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(kept, sealed=turned)))
    with pytest.raises(KeysUnavailable, match="refused"):
        find_kek(site)


def test_a_refused_pin_is_tried_once(site: Site) -> None:
    """A service that is started again and again must not lock the token; a file that is written anew is tried."""
    find_kek(site)
    pin(site, "1111111111")
    with pytest.raises(KeysUnavailable, match="refused the PIN"):
        find_kek(site)
    with pytest.raises(KeysUnavailable, match="not tried again"):
        find_kek(site)
    pin(site, PIN)
    assert find_kek(site)


@pytest.mark.parametrize("settings", [{"pkcs11_token": "nowhere"}, {"pkcs11_module": "/nowhere/module.so"}])
def test_a_token_that_is_not_there_is_told(site: Site, settings: dict[str, str]) -> None:
    """With the library and the label, and nothing is made elsewhere instead."""
    with pytest.raises(KeysUnavailable, match="does not answer"):
        find_kek(named(site, **settings))
    assert not (site.data_dir / "kek.json").exists()


def test_a_site_of_another_place_keeps_it(site: Site) -> None:
    """A token that is named after the first start is refused with what to do, and changes nothing."""
    site.keys_path.write_bytes(b"kept elsewhere")
    with pytest.raises(KeysUnavailable, match="chosen before the first start"):
        find_kek(site)


def test_a_pin_that_others_can_read_is_refused(site: Site) -> None:
    """Before the token is asked."""
    pin(site, PIN).chmod(0o644)
    with pytest.raises(KeysUnavailable, match="0600"):
        find_kek(site)
