"""Keys are replaced beside a running service; what the old ones wrapped and signed stays good."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from app.__main__ import _parser, main
from app.commands.keys import LOGS, ROTATED
from app.commands.options import EXIT_OK, EXIT_REFUSED
from app.service.open_store import open_keys
from app.site.site import Site
from app.store.kek import find_kek
from tests.served_site import ServedSite


def certificates(site: Site) -> dict[str, x509.Certificate]:
    """What the site issued to itself."""
    with contextlib.closing(sqlite3.connect(site.store_path)) as file:
        rows = file.execute("SELECT name, certificate FROM site_certificate").fetchall()
    return {name: x509.load_der_x509_certificate(der) for name, der in rows}


def actions(site: Site) -> list[tuple[str, dict[str, object]]]:
    """Actions and details of the command line's entries, oldest first."""
    with contextlib.closing(sqlite3.connect(site.store_path)) as file:
        rows = file.execute("SELECT header, payload FROM audit_entry ORDER BY seq").fetchall()
    told = [(msgspec.json.decode(header), msgspec.json.decode(payload)) for header, payload in rows]
    return [(header["action"], payload["detail"]) for header, payload in told if header["actor"] == "command-line"]


def test_every_key_that_can_be_replaced_has_its_word() -> None:
    """The command line takes exactly the names that the command knows."""
    names = {*ROTATED, *LOGS}
    assert {name for name in names if _parser().parse_args(["key", "rotate", name]).name == name} == names


def test_keys_are_replaced_beside_a_service(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The service makes keys on; its next start signs by the new key, with a new certificate beside the old one."""
    served = ServedSite.laid_out(tmp_path / "site")
    served.start()
    where = ["--data-dir", str(served.data_dir)]
    site = Site.existing(served.data_dir)
    before, kek = certificates(site), find_kek(site)
    secrets = [kek.key]
    try:
        assert main(["key", "rotate-kek", *where]) == EXIT_OK
        assert main(["key", "rotate", *where, "receipt"]) == EXIT_OK
        assert main(["key", "rotate", *where, "time-stamps"]) == EXIT_OK
        # A sealed field of a purpose that had none: its key is made by the running service.
        made = served.client.post("/v1/keys", json={"label": "after", "clearance": "sovereign"})
        assert made.status_code in (200, 201)
    finally:
        assert served.stop() == 0
    served.start()
    assert served.stop() == 0
    after, newest = certificates(site), find_kek(site)
    assert newest.older == (kek.key,)
    with contextlib.closing(sqlite3.connect(site.keys_path)) as file:
        assert file.execute("SELECT DISTINCT kek FROM wrapped_key").fetchall() == [(newest.name,)]
    with open_keys(site) as keys:
        new, old = keys.ed25519s("receipt")
        stamps = keys.p256s("tsa")
        secrets += [newest.key, new.private_bytes_raw(), old.private_bytes_raw()]
    public = after["receipt"].public_key()
    assert isinstance(public, Ed25519PublicKey)
    assert public == new.public_key()
    assert after["time-stamps"].public_key() == stamps[0].public_key()
    assert len(stamps) == 2
    for name in ("receipt", "time-stamps"):
        kept = after[f"{name}.{before[name].serial_number:x}"]
        assert kept == before[name]
        kept.verify_directly_issued_by(after["root"])
        after[name].verify_directly_issued_by(after["root"])

    assert main(["key", "forget-kek", *where]) == EXIT_OK
    assert find_kek(site).older == ()
    told = actions(site)
    assert [action for action, _ in told] == ["key.kek_replaced", "key.replaced", "key.replaced", "key.kek_forgotten"]
    assert told[0][1]["kek"] == newest.name
    said = "".join(capsys.readouterr()) + served.log.read_text() + msgspec.json.encode(told).decode()
    for secret in secrets:
        assert secret.hex() not in said
        assert secret not in site.store_path.read_bytes()


def test_every_file_is_private(tmp_path: Path) -> None:
    """Whatever the umask of the shell that started it: nobody else reads the directory or a file with keys."""
    before = os.umask(0)
    try:
        served = ServedSite(tmp_path / "site")
        served.start()
        where = ["--data-dir", str(served.data_dir)]
        assert main(["key", "rotate-kek", *where]) == EXIT_OK
        assert main(["backup", *where, "--out", str(tmp_path / "a.backup")]) == EXIT_OK
        assert served.stop() == 0
    finally:
        os.umask(before)
    for path in (served.data_dir, tmp_path / "a.backup"):
        assert path.stat().st_mode & 0o077 == 0
    for name in ("kek", "keys.db", "store.db", "site.json"):
        assert (served.data_dir / name).stat().st_mode & 0o777 == 0o600


def test_cursor_and_pepper_are_replaced_with_overlap(tmp_path: Path) -> None:
    """API keys and cursors of before open after the service's next start; a key that was used is under the new pepper.
    A cursor opens until the second replacement."""
    served = ServedSite.laid_out(tmp_path / "site")
    where = ["--data-dir", str(served.data_dir)]
    with served.running():
        made = served.post("/v1/keys", {"label": "before", "clearance": "citadel"}).json()["key"]
        served.post("/v1/keys", {"label": "second", "clearance": "citadel"})
        cursor = served.get("/v1/keys", limit="1")["next"]
    before = digests(served)
    for name in ("cursors", "pepper"):
        assert main(["key", "rotate", *where, name]) == EXIT_OK
    with served.running():
        assert served.get("/v1/keys", limit="1", cursor=cursor)["items"]
        for _ in range(2):
            bearer = {"Authorization": f"Bearer {made}"}
            assert served.client.get("/v1/keys", headers=bearer).status_code == 200
        served.wait(lambda: len(digests(served) - before) == 1)
    assert main(["key", "rotate", *where, "cursors"]) == EXIT_OK
    with served.running():
        assert served.client.get("/v1/keys", params={"limit": "1", "cursor": cursor}).status_code == 404


def digests(served: ServedSite) -> set[bytes]:
    """By which API keys are found."""
    with contextlib.closing(sqlite3.connect(served.data_dir / "store.db")) as file:
        return {row[0] for row in file.execute("SELECT digest FROM api_key_secret")}


@pytest.mark.parametrize("command", [["rotate-kek"], ["forget-kek"], ["rotate", "receipt"]])
def test_no_site_is_made(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    """A wrong directory gets a sentence, no site and no key; so does a site that never ran."""
    assert main(["key", *command, "--data-dir", str(tmp_path / "none")]) == EXIT_REFUSED
    assert not (tmp_path / "none").exists()
    site = Site.open(tmp_path / "fresh", "training")
    assert main(["key", *command, "--data-dir", str(site.data_dir)]) == EXIT_REFUSED
    assert [path.name for path in site.data_dir.iterdir()] == ["site.json"]
    assert capsys.readouterr().err.count("arc-console: ") == 2


def test_passphrase_of_others_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A training site has no passphrase to replace, and says so before anything changed."""
    site = Site.open(tmp_path / "site", "training")
    arguments = ["--data-dir", str(site.data_dir)]
    assert main(["key", "create", *arguments, "--clearance", "citadel", "--label", "test"]) == EXIT_OK
    before = (site.data_dir / "kek").read_bytes()
    capsys.readouterr()
    assert main(["key", "rotate-kek", *arguments, "--new-passphrase", str(tmp_path / "x")]) == EXIT_REFUSED
    assert "not made from a passphrase" in capsys.readouterr().err
    assert (site.data_dir / "kek").read_bytes() == before
