"""A disk that is really full: burns are answered, kept through kills and restarts, and stored once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.api.health_messages import SignedStatement
from app.console.connection.statement import KnownSite, judged_statement
from app.training.operators import PASSPHRASE, training_operator_id
from tests.operator_desk import SignedInOperator, audited, register_unit, sign_in
from tests.served_site import ServedSite
from tests.small_disk import SmallDisk, small_disk

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NODE = "ARC-T0001"
OTHER = "ARC-T0002"
LATE = "ARC-T0003"


@pytest.fixture
def disk() -> Iterator[SmallDisk]:
    """Room for a site and for its start."""
    with small_disk(72) as made:
        yield made


def child(disk: SmallDisk, mode: str, step: str | None = None) -> list[dict[str, Any]]:
    """What the child said; with ``step`` it must have been killed there."""
    arguments = [str(disk.inside), mode, *([] if step is None else [step])]
    ended = subprocess.run(
        [*disk.prefix, sys.executable, str(HERE / "waiting_kill_child.py"), *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        timeout=300,
        check=False,
    )
    assert ended.returncode == (0 if step is None else -signal.SIGKILL)
    return [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.mark.parametrize(
    ("step", "answered"),
    [
        ("kept", False),
        pytest.param("written", False, marks=pytest.mark.campaign),
        pytest.param("committed", True, marks=pytest.mark.campaign),
        pytest.param("freed", True, marks=pytest.mark.campaign),
    ],
)
def test_a_burn_on_a_full_disk_outlives_a_kill_at_every_step(disk: SmallDisk, step: str, answered: bool) -> None:
    """Killed before and after the reserve's fsync, after the commit, after the erasure; then killed as it is taken in
    again: each start denies the node, and the store has the burn once."""
    child(disk, "make")
    said = child(disk, "burn", step)
    assert [line.get("stored") for line in said] == ([[], False] if answered else [[]])
    disk.make_room()
    child(disk, "start", "replayed")
    if step in ("written", "kept"):
        (found,) = child(disk, "start", "committed")
        assert found == {"denied": True, "stored": []}
    first, second = child(disk, "start"), child(disk, "start")
    assert [line["denied"] for line in (*first, *second)] == [True, True]
    (burn_id,) = second[0]["stored"]
    assert burn_id == (said[1]["burn_id"] if answered else burn_id)


def test_the_service_denies_and_burns_on_a_full_disk(disk: SmallDisk, tmp_path: Path) -> None:
    """Full while it runs, killed, started on the full disk, stopped, started again: the same burn each time, and once
    there is room the whole service goes on in the same process and has every burn once."""
    served = ServedSite.laid_out_on(disk, tmp_path / "service.log")
    with served.running():
        introduced = stated(served)
        register_unit(served)
        disk.fill()
        burned_by_a_person(served, disk)
        replies = [burn(served, NODE) for _ in range(3)]
        burn_id = replies[0][1]["burn_id"]
        assert [(status, reply["stored"], reply["burn_id"]) for status, reply in replies] == [(202, False, burn_id)] * 3
        assert served.get(f"/v1/registry/nodes/{NODE}")["standing"] == "REVOKED"
        assert "burn.not_durable" in [alarm["kind"] for alarm in served.get("/v1/alarms")["items"]]
        assert served.client.get("/readyz").status_code == 503
        served.kill()
        for stop in (served.kill, served.stop):
            disk.fill()
            served.start()
            assert without_room(served)
            assert stated(served) == introduced
            assert burn(served, NODE)[1]["burn_id"] == burn_id
            status, other = burn(served, OTHER)
            assert (status, other["stored"]) == (202, False)
            assert served.get(f"/v1/citadel/uac/burn/{burn_id}")["stored"] is False
            kinds = [alarm["kind"] for alarm in served.get("/v1/alarms")["items"]]
            assert {"store.full", "burn.not_durable"} <= set(kinds)
            stop()
        disk.fill()
        served.start()
        disk.make_room()
        served.wait(lambda: served.client.get(f"/v1/registry/nodes/{NODE}").status_code == 200, 120.0, 0.2)
        assert served.get(f"/v1/registry/nodes/{NODE}")["standing"] == "REVOKED"
        served.wait(lambda: all(item["stored"] for item in served.get("/v1/citadel/uac/burn")["items"]), 60.0, 0.2)
        items = served.get("/v1/citadel/uac/burn")["items"]
        assert {item["burn_id"] for item in items} >= {burn_id, other["burn_id"]}
        assert sorted(item["node_id"] for item in items) == [NODE, OTHER, LATE]
        assert "store.full" not in [alarm["kind"] for alarm in served.get("/v1/alarms")["items"]]


def burned_by_a_person(served: ServedSite, disk: SmallDisk) -> None:
    """Somebody signs in while nothing can be written, and burns; anything else is refused. The sign-in is written down
    as soon as there is room."""
    desk = training_operator_id("Training desk")
    operator = SignedInOperator(served, desk, sign_in(served, desk, PASSPHRASE))
    body = {"node_id": LATE, "scope": "GLOBAL_REVOCATION", "reason": "lost card"}
    burned = operator.call("POST", "/v1/citadel/uac/burn", body)
    assert (burned.status_code, burned.json()["stored"]) == (202, False)
    held = {"node_id": NODE, "seconds": 60}
    assert operator.call("POST", "/v1/citadel/uac/containments", held).status_code == 503
    disk.make_room()

    def written() -> bool:
        leaves = audited(served, actor=desk, action="operators.sign_in")
        return [leaf["detail"]["session_id"] for leaf in leaves] == [operator.session["session_id"]]

    served.wait(written, 60.0, 0.2)
    disk.fill()


def burn(served: ServedSite, node_id: str) -> tuple[int, dict[str, Any]]:
    """Status and body of a burn."""
    answer = served.post(
        "/v1/citadel/uac/burn", {"node_id": node_id, "scope": "GLOBAL_REVOCATION", "reason": "lost card"}
    )
    return answer.status_code, answer.json()


def stated(served: ServedSite) -> KnownSite:
    """Which site it says that it is, signed, ready or not."""
    return judged_statement(msgspec.convert(served.client.get("/readyz").json()["statement"], SignedStatement))


def without_room(served: ServedSite) -> bool:
    """Whether everything but burns answers 503 with a problem document, after the key was judged, and readiness says
    why."""
    ready = served.client.get("/readyz")
    pointers = {error["pointer"] for error in ready.json()["errors"]}
    answers = [
        served.client.get(f"/v1/registry/nodes/{NODE}"),
        served.post("/v1/training/present", {"reader_id": "data-hall-01", "node_id": NODE}),
        served.post("/webhooks/hr-sync", {"event": "EMPLOYEE_DISCHARGE", "employee_id": "T-0001"}),
    ]
    anonymous = served.client.get("/v1/alarms", headers={"Authorization": ""})
    return (
        (ready.status_code, "/checks/room" in pointers, anonymous.status_code) == (503, True, 401)
        and {answer.status_code for answer in answers} == {503}
        and {answer.headers["content-type"] for answer in answers} == {"application/problem+json"}
        and served.client.get("/healthz").status_code == 200
    )
