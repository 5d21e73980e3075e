"""What the store does when the disk is full or lies: on a real full file system, a real limit, a real failing fsync."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


def run(command: Sequence[str], **environment: str) -> subprocess.CompletedProcess[str]:
    """The command with the product on its path."""
    return subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def in_private_mounts(script: str) -> list[str] | None:
    """``script`` for a shell that may mount for itself alone; ``None`` where the kernel forbids that."""
    for flags in (["-m"], ["-U", "-r", "-m"]):
        command = ["unshare", *flags, "sh", "-ec"]
        if subprocess.run([*command, "mount -t tmpfs none /mnt"], capture_output=True, check=False).returncode == 0:
            return [*command, script]
    return None


@pytest.fixture(params=["tmpfs", "limit"])
def report(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """What the child saw on a full disk of 8 MiB, or behind a limit on file sizes."""
    child = [sys.executable, str(HERE / "full_disk_child.py"), request.param, str(tmp_path)]
    if request.param == "tmpfs":
        script = f"mount -t tmpfs -o size=8m none '{tmp_path}'; exec '{child[0]}' '{child[1]}' tmpfs '{tmp_path}'"
        mounted = in_private_mounts(script)
        if mounted is None:
            pytest.skip("this kernel lets nobody mount a private tmpfs; the limit on file sizes is tested instead")
        child = mounted
    done = run(child)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_full_disk_loses_and_halves_nothing(report: dict[str, Any]) -> None:
    """On a full disk jobs fail with a sentence, what was answered is there and nothing else, and writing goes on."""
    assert report["written"] > 0
    assert all("nothing was written" in error for error in report["errors"])
    assert report["full"]["rows"] == report["full"]["size"] == report["written"]
    assert report["after"] == list(range(report["written"], report["written"] + 20))
    assert report["reopened"] == report["written"] + 20
    assert report["probe_after"]


def test_failed_fsync_ends_the_process(tmp_path: Path, opening: Callable[..., Any]) -> None:
    """After a failed fsync nobody is answered, the process ends with code 70, and a new one finds a whole log."""
    compiler = shutil.which("cc")
    assert compiler is not None, "install gcc"
    library, trigger = tmp_path / "failing_fsync.so", tmp_path / "fail"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", str(library), str(HERE / "failing_fsync.c"), "-ldl"], check=True
    )
    done = run(
        [sys.executable, str(HERE / "failing_fsync_child.py"), str(tmp_path / "site"), str(trigger)],
        LD_PRELOAD=str(library),
        ARC_TEST_FAIL_FSYNC=str(trigger),
    )
    assert (done.returncode, done.stdout) == (70, "")
    assert opening().log.head()[0] in (1, 2)


def test_probe_of_a_healthy_store(opened: Any) -> None:
    """A store that can write says so, with the age of its last commit."""
    opened.store.writer.submit(lambda tx: tx.audit("test.tick", actor="tester")).result(10)
    probe = opened.store.probe()
    assert probe.ok
    assert probe.last_commit_age_s is not None


def test_probe_of_a_small_disk(opening: Callable[..., Any]) -> None:
    """Below the minimum of free space the probe is red and names the remedy."""
    probe = opening(min_free_bytes=1 << 62).store.probe()
    assert (probe.ok, probe.reason) == (False, "The disk is nearly full. Free some space.")


def test_probe_of_a_stopped_writer(opened: Any) -> None:
    """After ``close`` the probe says that the writer is stopped."""
    opened.store.close()
    assert not opened.store.probe().ok
