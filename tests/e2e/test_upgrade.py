"""An upgrade: a backup first, then the migrations, whole or not at all; and the way back.

The later version is this one with another number and one more revision (``next_version.py``).
"""

from __future__ import annotations

import contextlib
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from app import VERSION
from app.__main__ import main
from app.api.keys import make_key
from app.api.operation import Clearance
from app.commands.options import EXIT_OK, EXIT_REFUSED
from app.site.site_version import UPGRADES_DIR, read_version
from app.store.backup import open_backup
from app.store.migrations import HEAD
from tests.e2e import next_version
from tests.e2e.next_version import reached
from tests.served_site import ServedSite
from tests.small_disk import SmallDisk, small_disk

ROOT = Path(__file__).parents[2]
ARCHIVE = f"{VERSION}-schema-{HEAD}.backup"
KEY = ("key", "create", "--clearance", "citadel", "--label", "of the next version")
WITHOUT_POINT = (40, 52)
"""Steps at which the command of every change is killed: before the backup has its name, and after the migration. The
service is killed in the copies and in the migration; the campaign kills at every step."""


def next_one(
    work: Path, data_dir: Path, *command: str, step: int = 0, prefix: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """A command of the later version, ended by itself or killed at its ``step``."""
    program = [*prefix, sys.executable, "-m", "tests.e2e.next_version", str(work), str(step)]
    return subprocess.run(
        [*program, *command, "--data-dir", str(data_dir)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def is_upgraded(work: Path, data_dir: Path, disk: SmallDisk | None = None) -> None:
    """The store is of the later version and clean, and there is one backup, of before. With ``disk`` the directory is
    on it."""
    checked = next_one(work, data_dir, "fsck", "--offline", prefix=() if disk is None else disk.prefix)
    assert checked.returncode == EXIT_OK, checked.stdout
    if disk is not None:
        data_dir = disk.outside / data_dir.relative_to(disk.inside)
    assert reached(data_dir / "store.db") == next_version.SCHEMA
    assert [path.name for path in (data_dir / UPGRADES_DIR).iterdir()] == [ARCHIVE]
    assert not (data_dir / ".backup").exists()
    with open_backup(data_dir / UPGRADES_DIR / ARCHIVE) as archive:
        assert archive.manifest.schema == HEAD


@pytest.fixture
def laid_out(tmp_path: Path) -> Path:
    """A training site of this version, with its people, cards, doors and witnesses."""
    return ServedSite.laid_out(tmp_path / "site").data_dir


def test_a_site_is_upgraded_and_not_taken_back(
    laid_out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The later version backs it up and serves it; this one refuses it, and names that version and the backup."""
    with served(tmp_path / "work", laid_out) as line:
        assert line["ready"] is True
    is_upgraded(tmp_path / "work", laid_out)

    assert (
        main(["key", "create", "--clearance", "citadel", "--label", "x", "--data-dir", str(laid_out)]) == EXIT_REFUSED
    )
    said = capsys.readouterr().err
    assert f"written by arc-console {next_version.VERSION}, and this is {VERSION}" in said
    assert str(laid_out / UPGRADES_DIR / ARCHIVE) in said
    for command in (["serve"], ["fsck"], ["backup", "--out", str(tmp_path / "x")], ["mail", "dns"], ["doctor"]):
        assert main([*command, "--data-dir", str(laid_out)]) == EXIT_REFUSED


def test_the_backup_of_before_is_a_site_of_this_version(laid_out: Path, tmp_path: Path) -> None:
    """What the refusal says can be done: the archive is restored where nothing was witnessed since, and is clean."""
    assert next_one(tmp_path / "work", laid_out, *KEY).returncode == EXIT_OK
    back = tmp_path / "back"
    back.mkdir(mode=0o700)
    shutil.copy2(laid_out / "kek", back / "kek")
    shutil.copytree(laid_out / "witnesses", back / "witnesses")
    assert main(["restore", str(laid_out / UPGRADES_DIR / ARCHIVE), "--data-dir", str(back)]) == EXIT_OK
    found = read_version(back)
    assert found is not None
    assert found.version == VERSION
    assert reached(back / "store.db") == HEAD
    assert main(["fsck", "--offline", "--data-dir", str(back)]) == EXIT_OK


@pytest.mark.parametrize("step", WITHOUT_POINT)
def test_a_killed_upgrade_goes_on(laid_out: Path, tmp_path: Path, step: int) -> None:
    """SIGKILL at a step leaves the store of one version or the other, whole, and the next start upgrades it."""
    killed_upgrade(laid_out, tmp_path / "work", step)


@pytest.mark.campaign
def test_every_step_of_an_upgrade_may_be_its_last(laid_out: Path, tmp_path: Path) -> None:
    """The same at each of its steps, until a run is over before its step comes."""
    step = 1
    while killed_upgrade(laid_out, tmp_path / "work", step, keep=tmp_path / "again"):
        step += 1
    assert step > max(WITHOUT_POINT)


def killed_upgrade(laid_out: Path, work: Path, step: int, keep: Path | None = None) -> bool:
    """Kills the upgrade of a copy at ``step``, and lets the next start go on; False if it ended before that step."""
    data_dir = laid_out
    if keep is not None:
        shutil.rmtree(keep, ignore_errors=True)
        data_dir = Path(shutil.copytree(laid_out, keep))
    ended = next_one(work, data_dir, *KEY, step=step)
    if ended.returncode == EXIT_OK:
        return False
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert reached(data_dir / "store.db") in (HEAD, next_version.SCHEMA)
    assert next_one(work, data_dir, *KEY).returncode == EXIT_OK
    is_upgraded(work, data_dir)
    return True


@pytest.mark.parametrize("step", [20, 48])
def test_a_service_that_was_killed_in_its_upgrade_starts(laid_out: Path, tmp_path: Path, step: int) -> None:
    """In the backup and in the migrations: the next start is ready."""
    with pytest.raises(Killed), served(tmp_path / "work", laid_out, step=step):
        pass
    with served(tmp_path / "work", laid_out) as line:
        assert line["ready"] is True
    is_upgraded(tmp_path / "work", laid_out)


@pytest.fixture
def disk() -> Iterator[SmallDisk]:
    """Room for a site, for its start, and for a backup of it."""
    with small_disk(96) as made:
        yield made


def test_a_full_disk_keeps_the_earlier_version(disk: SmallDisk, tmp_path: Path) -> None:
    """Without room for the backup nothing is migrated, and both the command and the service say so; with room they
    go on."""
    site = ServedSite.laid_out_on(disk, tmp_path / "log")
    outside = disk.outside / "site"
    disk.fill(leave=1 << 20)
    refused = next_one(tmp_path / "work", site.data_dir, *KEY, prefix=disk.prefix)
    assert refused.returncode == EXIT_REFUSED
    assert "the backup that comes before its upgrade failed; nothing was changed" in refused.stderr
    assert "database or disk is full" in refused.stderr
    refused = next_one(tmp_path / "work", site.data_dir, "serve", "--no-pcsc", prefix=disk.prefix)
    assert refused.returncode == EXIT_REFUSED
    assert "Before it is served it is backed up and migrated, and the disk has no room for that" in refused.stderr
    assert reached(outside / "store.db") == HEAD
    found = read_version(outside)
    assert found is not None
    assert found.version == VERSION
    assert list((outside / UPGRADES_DIR).iterdir()) == []

    disk.make_room()
    assert next_one(tmp_path / "work", site.data_dir, *KEY, prefix=disk.prefix).returncode == EXIT_OK
    is_upgraded(tmp_path / "work", site.data_dir, disk)


class Killed(Exception):
    """The service ended by SIGKILL before it was ready."""


@contextlib.contextmanager
def served(work: Path, data_dir: Path, *, step: int = 0) -> Iterator[dict[str, object]]:
    """The ready line of the later version's service, which ends with its stdin."""
    command = [sys.executable, "-m", "tests.e2e.next_version", str(work), str(step), "serve", "--supervised"]
    process = subprocess.Popen(
        [*command, "--no-pcsc", "--data-dir", str(data_dir)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(make_key(Clearance.CITADEL).encode() + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            assert process.wait(60) == -signal.SIGKILL
            raise Killed
        yield json.loads(line)
    finally:
        process.communicate(timeout=120)
