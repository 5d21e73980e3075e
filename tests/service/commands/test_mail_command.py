"""``arc-console mail``: DNS records of the site's DKIM keys, and passwords that lie sealed."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import sqlite3
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization

from app.__main__ import main
from app.commands.keys import rotate
from app.commands.mail import PASSWORD_LIMIT, keep_password, records
from app.commands.options import EXIT_OK, EXIT_REFUSED
from app.delivery.mail_message import DKIM
from app.delivery.site_mail import MAILBOX_PASSWORD, RELAY_PASSWORD
from app.service.open_store import open_keys
from app.service.platform import open_service_store
from app.site.errors import SiteRefused
from app.site.settings import MailRelay, Settings
from app.site.site import Site

RELAY = MailRelay(
    host="mail.site.example", port=587, from_address="notices@site.example", domain="site.example", user="u"
)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A site that names a relay and has had its first start."""
    (tmp_path / "site").mkdir(mode=0o700)
    made = Site.open(tmp_path / "site", "training", settings=Settings(mail=RELAY))
    with contextlib.ExitStack() as claims:
        open_service_store(made, claims)
    return made


def public_of(record: str) -> bytes:
    """The key in a record, DER."""
    text = "".join(record.partition(" IN TXT ")[2].split('"')[1::2])
    return base64.b64decode(text.rpartition("p=")[2], validate=True)


def test_the_record_has_the_key_that_signs(site: Site) -> None:
    """A line of a zone file, in strings that DNS takes, with the public part of the site's key."""
    comment, record = records(site)
    assert comment.startswith(";")
    assert record.split(" ", 1)[0].endswith("._domainkey.site.example.")
    assert all(len(part) <= 255 for part in record.split('"')[1::2])
    with open_keys(site) as keys:
        own = keys.rsa2048(DKIM)
    assert own.key_size == 2048
    der = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    assert public_of(record) == own.public_key().public_bytes(*der)
    assert records(site) == [comment, record]


def test_a_replaced_key_keeps_its_record(site: Site) -> None:
    """After ``key rotate dkim`` both records are shown, under selectors of their own, the new one first."""
    (_, old) = records(site)
    assert "mail dns" in rotate(site, "dkim")
    _, new, _, kept = records(site)
    assert kept == old
    assert new.split(" ")[0] != old.split(" ")[0]
    assert public_of(new) != public_of(old)


@pytest.mark.parametrize(("mailbox", "purpose"), [(False, RELAY_PASSWORD), (True, MAILBOX_PASSWORD)])
def test_a_password_lies_sealed(site: Site, mailbox: bool, purpose: str) -> None:
    """It opens with the site's keys, stands in no file and in no leaf, and replaces the one before, which is gone."""
    for password in ("first secret of the relay", "second secret of the relay"):
        said = keep_password(site, io.StringIO(f"{password}\n"), mailbox=mailbox)
        assert password not in said
        with open_keys(site) as keys:
            assert keys.given_secret(purpose) == password.encode()
            assert keys.secrets(purpose) == [password.encode()]
    for path in site.data_dir.iterdir():
        assert b"secret of the relay" not in path.read_bytes()
    with sqlite3.connect(site.keys_path) as file:
        assert file.execute("SELECT count(*) FROM wrapped_key WHERE purpose = ?", (purpose,)).fetchone() == (1,)
    file.close()


@pytest.mark.parametrize("given", ["", "\n", "x" * (PASSWORD_LIMIT + 1), "a\x00b"])
def test_no_password_is_refused(site: Site, given: str) -> None:
    """Nothing is kept of it."""
    with pytest.raises(SiteRefused, match="as one line"):
        keep_password(site, io.StringIO(given), mailbox=False)
    with open_keys(site) as keys:
        assert keys.given_secret(RELAY_PASSWORD) is None


def test_a_terminal_does_not_show_it(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a terminal the password is asked for without an echo."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    asked: list[str] = []

    def getpass(prompt: str) -> str:
        asked.append(prompt)
        return "typed"

    monkeypatch.setattr("getpass.getpass", getpass)
    keep_password(site, Terminal("echoed\n"), mailbox=False)
    assert asked == ["Password of the mail relay: "]
    with open_keys(site) as keys:
        assert keys.given_secret(RELAY_PASSWORD) == b"typed"


def test_the_command_line_does_both(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """``mail dns`` prints the record alone; ``mail password`` reads standard input."""
    where = ["--data-dir", str(site.data_dir)]
    assert main(["mail", "dns", *where]) == EXIT_OK
    assert capsys.readouterr().out.splitlines() == records(site)
    monkeypatch.setattr("sys.stdin", io.StringIO("from a pipe\n"))
    assert main(["mail", "password", "--mailbox", *where]) == EXIT_OK
    with open_keys(site) as keys:
        assert keys.given_secret(MAILBOX_PASSWORD) == b"from a pipe"
    assert main(["key", "rotate", "dkim", *where]) == EXIT_OK


def test_a_site_without_a_relay_has_no_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence, exit 2."""
    tmp_path.chmod(0o700)
    Site.open(tmp_path, "training")
    assert json.loads((tmp_path / "site.json").read_text())["settings"]["mail"] is None
    assert main(["mail", "dns", "--data-dir", str(tmp_path)]) == EXIT_REFUSED
    assert "sends no mail" in capsys.readouterr().err
