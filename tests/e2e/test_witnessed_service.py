"""A service and its witnesses as an operator meets them: a kill, an old copy of the store, and what still works."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import time
from pathlib import Path

from tests.served_site import ServedSite


def witnesses_of(directory: Path) -> set[int]:
    """Processes that witness for the site in ``directory``."""
    found = set()
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            if str(directory / "witnesses").encode() in (entry / "cmdline").read_bytes():
                found.add(int(entry.name))
    return found


def cosigned(site: ServedSite) -> int:
    """Size of the audit log's newest checkpoint."""
    answer = site.client.get("/v1/log/audit/checkpoint")
    return int(answer.text.split("\n")[1]) if answer.status_code == 200 else 0


def registered(site: ServedSite, number: int) -> int:
    """Status of registering one more person."""
    body = {"display_name": "Training Person 90", "employee_id": f"X-{number:04}"}
    return site.put(f"/v1/registry/nodes/ARC-X{number:04}", body).status_code


def checkpoint(site: ServedSite) -> str:
    """That of a page of the audit log."""
    found: str = site.post("/v1/audit-log-query", {"range": "P1D/2100-01-01T00:00:00Z"}).json()["checkpoint"]
    return found


def signed(site: ServedSite) -> bool:
    """Whether a page of the audit log carries the log's signature."""
    return "\n\n\u2014 " in checkpoint(site)


def test_no_witness_outlives_its_service(tmp_path: Path) -> None:
    """Neither a clean end nor SIGKILL leaves a process behind; the next start finds keys and state."""
    site = ServedSite.laid_out(tmp_path / "site")
    with site.running():
        site.wait(lambda: len(witnesses_of(site.data_dir)) == 3)
        site.kill()
    end = time.monotonic() + 20.0
    while witnesses_of(site.data_dir):
        assert time.monotonic() < end
        time.sleep(0.02)
    with site.running():
        assert registered(site, 1) == 201
        before = cosigned(site)
        site.wait(lambda: cosigned(site) > before)
        assert site.stop() == 0
    assert witnesses_of(site.data_dir) == set()


def test_an_old_copy_of_the_store_burns_and_changes_nothing_else(tmp_path: Path) -> None:
    """Restored behind its witnesses: not ready, both heads told, an alarm, no signature for anybody; a burn is carried
    out, nothing else is."""
    site = ServedSite.laid_out(tmp_path / "site")
    with site.running():
        with contextlib.closing(sqlite3.connect(site.data_dir / "store.db")) as file:
            file.execute("VACUUM INTO ?", (str(tmp_path / "copy.db"),))
        site.wait(lambda: signed(site))
        before = int(checkpoint(site).split("\n")[1])
        assert registered(site, 1) == 201
        site.wait(lambda: cosigned(site) > before)
    for name in ("store.db", "store.db-wal", "store.db-shm"):
        (site.data_dir / name).unlink(missing_ok=True)
    shutil.copy(tmp_path / "copy.db", site.data_dir / "store.db")

    with site.running():
        site.wait(lambda: site.client.get("/readyz").status_code == 503)
        told = site.client.get("/readyz").text
        assert told.count("entries, root ") == 2
        assert not signed(site)
        # What the site wrote before its witnesses were asked may have made the old copy longer than what they saw.
        assert site.get("/v1/log/witnesses")["standing"] in ("ROLLED_BACK", "FORKED")
        refused = site.put("/v1/registry/nodes/ARC-X0002", {"display_name": "Training Person 91"})
        assert (refused.status_code, refused.json()["code"]) == (503, "dependency_unavailable")
        assert "Only burns are written" in refused.json()["detail"]
        burned = site.post(
            "/v1/citadel/uac/burn", {"node_id": "ARC-T0001", "scope": "GLOBAL_REVOCATION", "reason": "drill"}
        )
        assert burned.status_code in (200, 202), burned.text
        burn_id = burned.json()["burn_id"]
        site.wait(lambda: site.get(f"/v1/citadel/uac/burn/{burn_id}")["state"] == "COMPLETE", 90)
        site.wait(lambda: {alarm["kind"] for alarm in site.get("/v1/alarms")["items"]} >= {"witness.store_behind"})
        assert site.get("/v1/registry/nodes/ARC-T0002")["display_name"] == "Training Person 02"
