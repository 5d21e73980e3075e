"""One burn of a served site that must reach everything there is: doors, directories, sessions, and two dead systems."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.elsewhere import DEAD, LIVE, UNREAD, Elsewhere, elsewhere, email
from tests.served_site import START_S, ServedSite

NODE = "ARC-T0002"
"""Holds a card from the first start on."""
BURN = "/v1/citadel/uac/burn"
DOOR = "north-tower-01"
OWN_READERS = 104
"""That every training site has."""
WAIT_S = 5
"""The caller's deadline: more than the site's own, so that a machine under load is not told from a fault by it."""


class Badge:
    """Somebody who presents the badge again and again, at every moment of a burn."""

    def __init__(self, site: ServedSite) -> None:
        self._site = site
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._present)
        self.seen: list[tuple[float, float, str, str]] = []
        """Began, ended, decision, reason; ``perf_counter``."""

    def __enter__(self) -> Badge:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _present(self) -> None:
        while not self._over.is_set():
            began = time.perf_counter()
            answer = self._site.post("/v1/training/present", {"reader_id": DOOR, "node_id": NODE}).json()
            self.seen.append((began, time.perf_counter(), answer["decision"], answer["reason"]))

    def decisions(self) -> list[str]:
        """All so far, in order."""
        return [decision for _, _, decision, _ in self.seen]


def prepared(site: ServedSite, other: Elsewhere, readers: int) -> None:
    """All registered over HTTP, all doors on their secure channel, the badge opens."""
    if more := readers - OWN_READERS:
        parts = [
            {"reader_id": f"more-{number}", "channel": "simulated:", "address": number % 127} for number in range(more)
        ]
        made = site.put("/v1/registry/reader-clusters/more", {"display_name": "More doors", "readers": parts})
        assert made.status_code == 201, made.text
    site.wait_for_doors()
    for directory_id, body in other.directories(patient=True).items():
        assert site.put(f"/v1/registry/directories/{directory_id}", body).status_code == 201
    accounts = [{"directory_id": where, "account": account} for where, account in other.accounts(1)]
    node = {"display_name": "Training Person 02", "email": email(1), "directory_accounts": accounts}
    assert site.put(f"/v1/registry/nodes/{NODE}", node).status_code == 200
    other.signals.trust(site.get("/v1/deliveries/keys")["keys"])

    def opens() -> bool:
        answer = site.post("/v1/training/present", {"reader_id": DOOR, "node_id": NODE})
        return answer.status_code == 200 and answer.json()["decision"] == "GRANT"

    site.wait(opens, START_S)


@pytest.mark.parametrize("readers", [OWN_READERS, pytest.param(1000, marks=pytest.mark.campaign)])
def test_one_burn_ends_everything_everywhere(tmp_path: Path, capsys: pytest.CaptureFixture[str], readers: int) -> None:
    """Denied at once, everything live proven and read back, the dead pending with 202, and done by itself later."""
    with elsewhere(tmp_path, 1) as other, ServedSite.laid_out(tmp_path / "site").running() as site:
        prepared(site, other, readers)
        with Badge(site) as badge:
            site.wait(lambda: len(badge.seen) >= 2)
            assert set(badge.decisions()) == {"GRANT"}
            called = time.perf_counter()
            body = {"node_id": NODE, "scope": "GLOBAL_REVOCATION", "reason": "badge on the street"}
            answer = site.post(BURN, body, Prefer=f"wait={WAIT_S}")
            answered = time.perf_counter()
        burn: dict[str, Any] = answer.json()
        assert (answer.status_code, burn["state"]) == (202, "PARTIAL"), answer.text
        # Nobody got in by a presentation that began after the first denial, or after the answer.
        first = badge.decisions().index("DENY")
        assert {(decision, reason) for _, _, decision, reason in badge.seen[first:]} == {("DENY", "burned")}
        assert badge.seen[first][1] < answered

        by_kind: dict[str, list[dict[str, Any]]] = {}
        for target in burn["targets"]:
            by_kind.setdefault(target["kind"], []).append(target)
        assert len(by_kind["reader"]) == readers
        live = [target for target in burn["targets"] if target["kind"] not in DEAD]
        assert {target["state"] for target in live} <= {"revoked", "already", "delivered", "unlinked"}
        # The site's own directory knows the person by the address that the registration took away, and only it.
        assert [target["id"] for target in live if target["state"] == "unlinked"] == ["scim:training-directory"]
        assert [by_kind[kind][0]["state"] for kind in LIVE] == [
            "delivered" if kind in UNREAD else "revoked" for kind in LIVE
        ]
        dead = [by_kind[kind][0] for kind in DEAD]
        assert [target["state"] for target in dead] == ["pending_offline"] * 2
        assert all(target["attempts"] >= 1 and target["evidence"] for target in dead)
        assert other.locked(1)
        assert list(other.signalled(burn["burn_id"]).values()) == [1, 1, 1]
        assert site.wait(lambda: [a for a in site.get("/v1/alarms")["items"] if a["kind"] == "burn.pending"])

        other.revive()
        revived = time.perf_counter()
        done = site.wait(lambda: found if (found := site.get(f"{BURN}/{burn['burn_id']}"))["completed_at"] else None)
        finished = time.perf_counter() - revived
        assert done["state"] == "COMPLETE"
        assert [t["state"] for t in done["targets"] if t["kind"] in DEAD] == ["delivered"] * 2
        assert done["delivered"] == 3
        # What was proven before is as it was: no door and no directory was asked again.
        assert [t for t in done["targets"] if t["kind"] not in DEAD] == live
        assert other.hanging.sessions["email", email(1)] == 0
        assert len(other.told(burn["burn_id"])) == 1
        assert list(other.signalled(burn["burn_id"]).values()) == [1, 1, 1]
        assert other.locked(1)
        assert [a for a in site.get("/v1/alarms")["items"] if a["kind"] == "burn.pending"] == []

    slowest = {kind: max(target["latency_ms"] or 0.0 for target in by_kind[kind]) for kind in ("reader", *LIVE)}
    with capsys.disabled():
        print(
            f"\nburn over {readers} readers: denied here after {burn['local_deny_us']:.0f} us, badge denied "
            f"{(badge.seen[first][1] - called) * 1000:.0f} ms after the call ({len(badge.seen)} presentations, "
            f"{len(badge.seen) - first} denied), last proof by kind "
            + ", ".join(f"{kind} {ms:.0f} ms" for kind, ms in slowest.items())
            + f"; 202 after {answered - called:.2f} s with {len(live)} proven and {len(dead)} pending; "
            f"these done {finished:.1f} s after they came back"
        )
