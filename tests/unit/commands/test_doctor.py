"""The doctor names what is wrong with its remedy, and its exit code follows the worst finding."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import re
import socket
from pathlib import Path

import pytest

from app import VERSION
from app.__main__ import main
from app.capabilities.media.worker.workers import MODEL
from app.commands import doctor
from app.commands.doctor import examine, examine_libraries, report, worst
from app.commands.finding import MachineFinding, Verdict
from app.delivery.site_mail import MAILBOX_PASSWORD, RELAY_PASSWORD
from app.service.open_store import open_keys
from app.service.platform import open_service_store
from app.site.site import Profile, Site
from app.site.site_version import VERSION_FILE
from app.store import migrations


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
def test_what_no_public_address_means(tmp_path: Path, profile: Profile, address: str | None, verdict: Verdict) -> None:
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
def test_exit_code_is_the_worst(verdicts: list[Verdict], code: int) -> None:
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
    assert str(tmp_path) in finding.found
    assert "git checkout -- resources" in (finding.remedy or "")


def test_a_missing_model_of_the_media_scan_is_a_warning(tmp_path: Path) -> None:
    """Doors and cards need none."""
    finding = doctor.media_model(tmp_path)
    assert (finding.id, finding.verdict) == ("program.media_model", "warning")
    assert "media scans fail" in finding.found
    assert "git checkout -- resources" in (finding.remedy or "")
    assert doctor.media_model(MODEL).verdict == "ok"


def test_a_missing_cascade_of_faces_is_a_warning(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """OpenCV's own file, which a bundle once lacked."""
    monkeypatch.setattr("app.capabilities.media.detectors.faces.cv2.__file__", str(tmp_path / "__init__.py"))
    finding = doctor.media_model(MODEL)
    assert "haarcascade_frontalface_alt2.xml" in finding.found
    assert "run.sh --setup-only" in (finding.remedy or "")


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
def test_a_site_without_a_relay_is_told(tmp_path: Path, profile: Profile, verdict: Verdict) -> None:
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


def site_findings(data_dir: Path, profile: Profile = "training") -> dict[str, MachineFinding]:
    """What the doctor says of a site that ran."""
    site = Site.open(data_dir, profile)
    with contextlib.ExitStack() as claims:
        open_service_store(site, claims)
    return {finding.id: finding for finding in examine(profile, data_dir)}


def test_a_sound_site_is_ok(tmp_path: Path) -> None:
    """Its directory, its version and schema, what opens its keys, and the disk are looked at."""
    found = site_findings(tmp_path / "site")
    assert (found["site.version"].found, found["site.version"].verdict) == (
        f"{VERSION}, schema {migrations.HEAD}",
        "ok",
    )
    assert (found["safety.key_source"].found, found["safety.key_source"].verdict) == (str(tmp_path / "site/kek"), "ok")
    assert found["site.directory"].verdict == "ok"
    assert "site.commits" in found


def test_looking_at_a_site_leaves_it_as_it_was(tmp_path: Path) -> None:
    """No file more, none changed, and not the mode of the directory."""
    data_dir = tmp_path / "site"
    site_findings(data_dir)
    data_dir.chmod(0o750)
    before = {path.name: path.read_bytes() for path in data_dir.iterdir()}
    list(examine("training", data_dir))
    assert {path.name: path.read_bytes() for path in data_dir.iterdir()} == before
    assert data_dir.stat().st_mode & 0o777 == 0o750


def test_a_site_of_a_newer_version_is_broken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is a row among the others, with the version by name: the command that says what is wrong refuses nothing."""
    data_dir = tmp_path / "site"
    Site.open(data_dir, "training")
    (data_dir / VERSION_FILE).write_text('{"version": "99.0.0"}')
    assert main(["doctor", "--json", "--data-dir", str(data_dir)]) == 2
    found = {row["id"]: row for row in json.loads(capsys.readouterr().out)}
    assert found["site.version"]["verdict"] == "broken"
    assert "written by arc-console 99.0.0" in found["site.version"]["found"]


def test_a_site_of_an_earlier_schema_is_told_what_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next start backs it up and migrates it."""
    site_findings(tmp_path / "site")
    monkeypatch.setattr(migrations, "HEAD", "9000")
    found = {finding.id: finding for finding in examine("training", tmp_path / "site")}["site.version"]
    assert found.verdict == "warning"
    assert "the next start backs it up" in found.found
    assert found.remedy == f"arc-console serve --data-dir {tmp_path / 'site'}"


def test_a_key_that_others_may_read_is_broken(tmp_path: Path) -> None:
    """With the command that closes it."""
    site_findings(tmp_path / "site")
    (tmp_path / "site/kek").chmod(0o644)
    found = {finding.id: finding for finding in examine("training", tmp_path / "site")}["safety.key_source"]
    assert (found.verdict, found.remedy) == ("broken", f"chmod 600 {tmp_path / 'site/kek'}")


def test_a_library_that_does_not_load_is_broken() -> None:
    """By its name and error, with the package of the system that brings what it lacks."""
    finding = examine_libraries({"json": None, "no_such_library": "libnone1"})
    assert (finding.verdict, finding.remedy) == ("broken", "apt-get install libnone1")
    assert "No module named 'no_such_library'" in finding.found


def test_each_native_package_is_loaded() -> None:
    """Every distribution that the program requires and that brings native code is in the list: installed is not
    loadable."""
    loaded = {name.split(".")[0] for name in doctor.LIBRARIES}
    owners = {owner for name in loaded for owner in importlib.metadata.packages_distributions()[name]}
    wanted = set()
    for requirement in importlib.metadata.requires("arc-console") or ():
        name = re.split(r"[^\w.-]", requirement)[0]
        files = importlib.metadata.files(name) or []
        if any(file.suffix == ".so" or ".so." in file.name for file in files):
            wanted.add(importlib.metadata.metadata(name)["Name"])
    assert {name.lower().replace("_", "-") for name in wanted} <= {name.lower().replace("_", "-") for name in owners}


def test_a_dead_library_keeps_the_rest_from_being_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The doctor ends well and is not green."""
    monkeypatch.setattr(doctor, "examine_libraries", lambda: MachineFinding("program.libraries", "x", "broken", "y"))
    found = [finding.id for finding in examine("training", tmp_path)]
    assert "program.service" not in found
    assert "safety.swap" in found


def test_the_lock_of_decoders_is_tried() -> None:
    """In a process of its own: this one may still have sockets."""
    assert doctor._try_sandbox() == 0
    socket.socket().close()


def test_a_lock_that_does_not_hold_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """And one that cannot be had is a warning, since no media are decoded without it."""
    monkeypatch.setattr("app.capabilities.media.worker.sandbox.lock", lambda _limits: None)
    assert doctor._try_sandbox() == 1
    assert [doctor.sandbox(code).verdict for code in (0, 1, 2)] == ["ok", "broken", "warning"]


def test_a_machine_without_the_lock_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one of a make that the filter was not written for."""
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert doctor._try_sandbox() == 2


def test_a_directory_of_another_user_names_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that looks as that user; what this one may not read is not looked at."""
    site_findings(tmp_path / "site")
    monkeypatch.setattr("os.geteuid", lambda: 65_000)
    monkeypatch.setattr("os.access", lambda *_: False)
    found = {one.id: one for one in examine("training", tmp_path / "site") if one.id.startswith("site.")}
    owner = (tmp_path / "site").owner()
    assert found["site.directory"].remedy == f"sudo -u {owner} arc-console doctor --data-dir {tmp_path / 'site'}"
    assert list(found) == ["site.directory"]
