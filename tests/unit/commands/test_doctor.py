"""The doctor names what is wrong with its remedy, and its exit code follows the worst finding."""

from __future__ import annotations

import contextlib
import json
import socket
from pathlib import Path

import pytest

from app.__main__ import main
from app.commands import doctor
from app.commands.doctor import MachineFinding, examine, report, worst
from app.delivery.site_mail import MAILBOX_PASSWORD, RELAY_PASSWORD
from app.service.open_store import open_keys
from app.service.platform import open_service_store
from app.site.site import Profile, Site


def test_open_data_directory_is_broken(tmp_path: Path) -> None:
    """A directory that others may read is found, with the command that closes it."""
    tmp_path.chmod(0o755)
    found = {finding.id: finding for finding in examine("training", tmp_path)}
    assert found["site.directory"].verdict == "broken"
    assert found["site.directory"].remedy == f"chmod 700 {tmp_path}"


def test_looking_makes_no_site(tmp_path: Path) -> None:
    """The doctor changes nothing."""
    list(examine("training", tmp_path / "site"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("profile", "address", "verdict"),
    [("training", None, "ok"), ("production", None, "warning"), ("production", "http://pki.example", "ok")],
)
def test_what_no_public_address_means(
    tmp_path: Path, profile: Profile, address: str | None, verdict: doctor.Verdict
) -> None:
    """Without one cards say nowhere whether they are revoked: the doctor tells a production site, with the setting."""
    tmp_path.chmod(0o700)
    Site.open(tmp_path, profile)
    settings = json.loads((tmp_path / "site.json").read_text())
    settings["settings"]["public_address"] = address
    (tmp_path / "site.json").write_text(json.dumps(settings))
    finding = {finding.id: finding for finding in examine(profile, tmp_path)}["site.public_address"]
    assert finding.verdict == verdict
    assert ("relying parties take a burned card to its end" in finding.found) is (address is None)
    assert (finding.remedy is None) is (address is not None)


def test_a_site_file_that_is_no_such_thing_says_nothing_of_an_address(tmp_path: Path) -> None:
    """What is wrong with the file is told by the start that refuses it."""
    for text in ("", "[]", "{}", '{"settings": 1}'):
        (tmp_path / "site.json").write_text(text)
        assert "site.public_address" not in {finding.id for finding in examine("production", tmp_path)}


def test_card_wire_on_all_interfaces_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """A listener that is not bound to loopback is seen in the kernel's table; one that is, is not."""
    with socket.create_server(("127.0.0.1", 0)) as inside:
        monkeypatch.setattr(doctor, "VPCD_PORTS", (inside.getsockname()[1],))
        assert "cards.vpcd" not in {finding.id for finding in examine("training", None)}


def test_little_locked_memory_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where keys may be swapped the doctor says so, and how much is wanted."""
    monkeypatch.setattr(doctor, "LOCKED_BYTES", 1 << 62)
    monkeypatch.setattr("resource.getrlimit", lambda _: (0, 64 << 10))
    found = {finding.id: finding for finding in examine("training", None)}["safety.locked_memory"]
    assert (found.verdict, found.found) == ("warning", "64 KiB may be locked")
    assert found.remedy is not None


def test_missing_test_program_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the tests need and do not find is broken, with the line that installs it."""
    monkeypatch.setattr(doctor, "TEST_PROGRAMS", (("no-such-program", "its-package", None),))
    finding = next(finding for finding in examine("training", None, tests=True) if finding.id.startswith("tests."))
    assert (finding.verdict, finding.remedy) == ("broken", "apt-get install its-package")


@pytest.mark.parametrize(("verdicts", "code"), [(["ok"], 0), (["ok", "warning"], 1), (["broken", "warning"], 2)])
def test_exit_code_is_the_worst(verdicts: list[doctor.Verdict], code: int) -> None:
    """0 all well, 1 warnings, 2 broken."""
    assert worst([MachineFinding("x", "y", verdict) for verdict in verdicts]) == code


def test_json_holds_every_finding(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A program reads the same findings as a person."""
    code = main(["doctor", "--json", "--data-dir", str(tmp_path / "site")])
    rows = json.loads(capsys.readouterr().out)
    assert code == max({"ok": 0, "warning": 1, "broken": 2}[row["verdict"]] for row in rows)
    assert {"program.python", "site.disk"} <= {row["id"] for row in rows}


def test_table_puts_the_remedy_below() -> None:
    """A person finds what to do right under what is wrong."""
    text = report([MachineFinding("a.b", "bad", "broken", "do this")], as_json=False)
    assert [line.strip() for line in text.splitlines()] == ["broken   a.b  bad", "-> do this"]


def test_missing_models_of_the_voice_check_are_a_warning(tmp_path: Path) -> None:
    """Everything else works: it says what does not, and how it comes back."""
    finding = doctor.voice_models(tmp_path)
    assert (finding.id, finding.verdict) == ("program.voice_models", "warning")
    assert "the voice check answers 503" in finding.found
    assert str(tmp_path) in (finding.remedy or "")


def mail_findings(data_dir: Path, profile: Profile, **settings: object) -> dict[str, MachineFinding]:
    """What the doctor says of a site's mail."""
    data_dir.chmod(0o700)
    Site.open(data_dir, profile)
    kept = json.loads((data_dir / "site.json").read_text())
    kept["settings"] |= settings
    (data_dir / "site.json").write_text(json.dumps(kept))
    found = {finding.id: finding for finding in examine(profile, data_dir)}
    return {name: one for name, one in found.items() if name in ("site.mail", "site.bounces")}


RELAY = {"host": "mail.example", "port": 587, "from_address": "n@site.example", "domain": "site.example"}


@pytest.mark.parametrize(("profile", "verdict"), [("training", "ok"), ("production", "warning")])
def test_a_site_without_a_relay_is_told(tmp_path: Path, profile: Profile, verdict: doctor.Verdict) -> None:
    """A production site's notices by mail are held; a training site has a relay of its own."""
    (finding,) = mail_findings(tmp_path, profile).values()
    assert (finding.id, finding.verdict) == ("site.mail", verdict)
    assert (finding.remedy is None) is (verdict == "ok")


def test_a_missing_password_is_told(tmp_path: Path) -> None:
    """Of the relay, then of the bounce mailbox, each with its command; with both nothing is wrong."""
    mailbox = {"host": "mail.example", "user": "bounces"}
    settings = {"mail": {**RELAY, "user": "site"}, "bounce_mailbox": mailbox}
    (relay,) = mail_findings(tmp_path, "training", **settings).values()
    with contextlib.ExitStack() as claims:
        open_service_store(Site.existing(tmp_path), claims)
    assert (relay.verdict, relay.remedy) == ("broken", "arc-console mail password")
    with open_keys(Site.existing(tmp_path)) as keys:
        keys.give_secret(RELAY_PASSWORD, b"p")
    found = mail_findings(tmp_path, "training", **settings)
    assert found["site.mail"].verdict == "ok"
    assert (found["site.bounces"].verdict, found["site.bounces"].remedy) == (
        "broken",
        "arc-console mail password --mailbox",
    )
    with open_keys(Site.existing(tmp_path)) as keys:
        keys.give_secret(MAILBOX_PASSWORD, b"p")
    assert [one.verdict for one in mail_findings(tmp_path, "training", **settings).values()] == ["ok"]


def test_a_site_that_reads_no_bounces_is_warned(tmp_path: Path) -> None:
    """What a server refuses later would not be seen."""
    found = mail_findings(tmp_path, "training", mail=RELAY)
    assert (found["site.mail"].verdict, found["site.bounces"].verdict) == ("ok", "warning")
