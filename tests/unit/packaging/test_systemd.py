"""What the unit says, held against the program that it starts."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from app.__main__ import _parser
from app.service.process import DESCRIPTORS, STOP_S
from app.site.site import Site

FILES = Path(__file__).parents[3] / "packaging" / "systemd"


@pytest.fixture(scope="module")
def service() -> dict[str, list[str]]:
    """The settings of the unit's section Service; a setting may be given several times."""
    settings: dict[str, list[str]] = {}
    section = ""
    for line in (FILES / "arc-console.service").read_text("utf-8").splitlines():
        if line.startswith("["):
            section = line
        elif section == "[Service]" and line and not line.startswith("#"):
            name, _, value = line.partition("=")
            settings.setdefault(name, []).append(value)
    return settings


def test_command_of_the_unit_is_one_of_the_program(service: dict[str, list[str]]) -> None:
    """Its options are parsed; it serves the directory that systemd makes for it, and no console's pipe ends it."""
    program, *arguments = shlex.split(service["ExecStart"][0])
    options = _parser().parse_args(arguments)
    assert program == "/usr/bin/arc-console"
    assert options.profile == "production"
    assert options.data_dir == Path("/var/lib") / service["StateDirectory"][0]
    assert not options.supervised


def test_passphrase_is_the_credential_that_a_site_looks_for(
    service: dict[str, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the files of the site's own."""
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path / "credentials"))
    name = service["LoadCredential"][0].partition(":")[0]
    site = Site.open(tmp_path / "site", "production")
    assert site.passphrase_files()[0] == tmp_path / "credentials" / name


def test_manager_waits_for_what_the_service_tells(service: dict[str, list[str]]) -> None:
    """Ready, and signs of life."""
    assert service["Type"] == ["notify"]
    assert int(service["WatchdogSec"][0]) > 0


def test_end_has_time_for_what_was_begun(service: dict[str, list[str]]) -> None:
    """Requests in flight, then work whose caller was answered, then the store."""
    assert int(service["TimeoutStopSec"][0]) > 2 * STOP_S


def test_service_has_the_descriptors_that_it_asks_for(service: dict[str, list[str]]) -> None:
    """The unit's limit is the hard one."""
    assert int(service["LimitNOFILE"][0]) >= DESCRIPTORS


def test_media_worker_may_lock_itself(service: dict[str, list[str]]) -> None:
    """The first filter allows seccomp(2) beside the set that has it not."""
    assert service["SystemCallFilter"][0].split() == ["@system-service", "seccomp"]


def test_unit_user_is_the_one_who_is_made_and_may_use_cards(service: dict[str, list[str]]) -> None:
    """One name in three files."""
    (user,) = service["User"]
    made = re.findall(r"^u (\S+)", (FILES / "arc-console.sysusers").read_text("utf-8"), re.MULTILINE)
    granted = re.findall(r'subject\.user == "([^"]+)"', (FILES / "arc-console.rules").read_text("utf-8"))
    assert made == granted == [user]
