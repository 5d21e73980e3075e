"""``arc-console fsck`` as a command: exit codes and what it prints."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from app.__main__ import main


@pytest.fixture
def site(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A site with one entry."""
    command = ["key", "create", "--clearance", "citadel", "--label", "test", "--data-dir", str(tmp_path / "site")]
    assert main(command) == 0
    capsys.readouterr()
    return tmp_path / "site"


def test_clean_site(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing found is exit 0, and what was not looked at is said."""
    assert main(["fsck", "--data-dir", str(site)]) == 0
    out = capsys.readouterr().out
    assert "Clean" in out
    assert "Without a policy" in out


def test_findings(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A finding is exit 1, one JSON object a line, a summary last."""
    raw = sqlite3.connect(site / "store.db")
    raw.execute("UPDATE audit_entry SET payload = CAST('{}' AS BLOB)")
    raw.commit()
    raw.close()
    assert main(["fsck", "--json", "--offline", "--data-dir", str(site)]) == 1
    *findings, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert ("audit_entry", 0) in [(finding["where"], finding["seq"]) for finding in findings]
    assert summary["findings"] == len(findings)


def test_policy_that_cannot_be_used(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A damaged policy is a finding; the logs are looked at all the same."""
    (site / "policy").write_bytes(b"no policy\n")
    assert main(["fsck", "--data-dir", str(site)]) == 1
    assert "Line 1" in capsys.readouterr().out


@pytest.mark.parametrize("lost", ["store.db", "keys.db", None])
def test_nothing_to_look_at(site: Path, lost: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be looked at is exit 2 and a sentence; nothing is made in its place."""
    if lost is None:
        site = site.parent / "elsewhere"
    else:
        (site / lost).unlink()
    assert main(["fsck", "--data-dir", str(site)]) == 2
    assert "not there" in capsys.readouterr().err
    assert not (site / lost if lost else site).exists()


def test_store_that_is_none(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is no database is exit 2."""
    (site / "store.db").write_bytes(b"no database" * 500)
    assert main(["fsck", "--data-dir", str(site)]) == 2
    assert "cannot be read" in capsys.readouterr().err
