"""A service whose checkpoints an outside authority stamps, killed at any moment."""

from __future__ import annotations

import contextlib
import io
import json
import random
import sqlite3
import time
from pathlib import Path

import pytest

from app.commands.fsck import run_fsck
from app.site.site import Site
from tests.openssl_authority import OpensslAuthority
from tests.served_site import ServedSite

KILLS = 2


def stamped(directory: Path) -> int:
    """Tokens that are kept."""
    with contextlib.closing(sqlite3.connect(f"file:{directory / 'store.db'}?mode=ro", uri=True)) as store:
        return int(store.execute("SELECT count(*) FROM log_anchor").fetchone()[0])


@pytest.mark.campaign
def test_killed_while_it_is_stamped(tmp_path: Path) -> None:
    """Whatever moment SIGKILL comes at, each token has its leaf and each leaf its token, and the next start goes on."""
    chance = random.Random(3)
    (tmp_path / "authority").mkdir()
    authority = OpensslAuthority(tmp_path / "authority")
    Site.open(tmp_path / "site", "training")
    file = tmp_path / "site" / "site.json"
    written = json.loads(file.read_text())
    written["settings"] |= {
        "time_stamp_interval_s": 0.05,
        "time_stamp_authorities": [{"url": authority.url, "roots": authority.roots}],
    }
    file.write_text(json.dumps(written))
    site = ServedSite(tmp_path / "site")
    with authority.running():
        kept = 0
        for number in range(KILLS):
            with site.running():
                body = {"display_name": "Training Person 90", "employee_id": f"X-{number:04}"}
                assert site.put(f"/v1/registry/nodes/ARC-X{number:04}", body).status_code == 201
                site.wait(lambda before=kept: stamped(site.data_dir) > before)
                time.sleep(chance.random() / 4)  # where in a request, a check or a commit it dies
                site.kill()
            kept = stamped(site.data_dir)
            out = io.StringIO()
            code = run_fsck(Site.existing(site.data_dir), out, as_json=False, offline=True)
            assert code == 0, out.getvalue()
    assert kept >= KILLS
