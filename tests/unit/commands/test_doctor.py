"""The doctor names what is wrong with its remedy, and its exit code follows the worst finding."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from app.__main__ import main
from app.commands import doctor
from app.commands.doctor import MachineFinding, examine, report, worst


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
