"""An HR system's calls: from the call to its 202 at 100 a second, and what judging a signature costs.

A real service with its simulated site; every call discharges an employee of his own, and the time counts from the
moment that the call was due, so that a service that falls behind cannot hide it. Once with the brake as it is, once
with one so high that all are burned (each burn durable, its doors and targets reached meanwhile). The peer of the judge
is a bare ``standardwebhooks`` verify. ``python -m tests.perf.hr`` prints the rows.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx
from standardwebhooks import Webhook

from app.lifecycle.senders import judge
from app.registry.hr_sources import HrSourceRow
from app.site import RateSettings, Site
from tests.hr_sender import KEY, PATH, SECRET, event, signed
from tests.perf.report import Row, run
from tests.served_site import ServedSite

PER_SECOND = 100
SECONDS = 5
CALLS = PER_SECOND * SECONDS
GOAL_MS = 200.0
GOAL_RATIO = 1.5
ROUNDS, VERIFIED = 15, 400


async def _calls(base_url: str, who: str) -> tuple[list[float], float]:
    """Milliseconds of each call from when it was due, and of the peer: each call verified, one after the other."""
    spent: list[float] = []
    bodies = [event(who + str(number)) for number in range(CALLS)]
    headers = [signed(body, call_id=f"{who}_{number}") for number, body in enumerate(bodies)]
    limits = httpx.Limits(max_connections=64)
    async with httpx.AsyncClient(base_url=base_url, trust_env=False, limits=limits, timeout=30.0) as client:
        began = time.perf_counter() + 0.1

        async def one(number: int) -> None:
            due = began + number / PER_SECOND
            await asyncio.sleep(due - time.perf_counter())
            fields = {"Content-Type": "application/json", **headers[number]}
            answer = await client.post(PATH, content=bodies[number], headers=fields)
            if answer.status_code != 202:
                raise RuntimeError(f"{answer.status_code} {answer.text}")
            spent.append((time.perf_counter() - due) * 1000)

        await asyncio.gather(*(one(number) for number in range(CALLS)))
    bare = Webhook(SECRET)
    start = time.perf_counter()
    for body, fields in zip(bodies, headers, strict=True):
        bare.verify(body, fields, json_parse=False)
    return sorted(spent), (time.perf_counter() - start) * 1000 / CALLS


def answered() -> list[Row]:
    """p99 from the call to its 202."""
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        served = ServedSite(Path(scratch) / "site")
        path = Site.open(served.data_dir, "training").data_dir / "site.json"
        file = json.loads(path.read_text())
        file["settings"]["rates"] = dict.fromkeys(RateSettings.__struct_fields__, 1_000_000)
        path.write_text(json.dumps(file))
        with served.running():
            served.wait_for_doors()
            for name, limit, who in (("braked", 10, "Q"), ("all burned", 1000, "B")):
                source = {"scheme": "standard-webhooks", "secret": SECRET, "max_discharges_per_minute": limit}
                served.put("/v1/registry/hr-sources/hris", source).raise_for_status()
                for number in range(CALLS):
                    body = {"display_name": f"Training Person {number}", "employee_id": f"{who}{number}"}
                    served.put(f"/v1/registry/nodes/ARC-{who}-{number}", body).raise_for_status()
                spent, peer = asyncio.run(_calls(served.base_url, who))
                p99 = spent[round(0.99 * len(spent)) - 1]
                rows.append(
                    Row(
                        name=f"HR call to 202, {PER_SECOND} a second, {name}, p99",
                        unit="ms",
                        ours=p99,
                        peer=peer,
                        ratio=p99 / peer,
                        goal=f"<= {GOAL_MS:.0f} ms",
                        against="bare standardwebhooks verify, mean",
                        met=p99 <= GOAL_MS,
                    )
                )
    return rows


def judged() -> Row:
    """CPU time of one signature, the median round of each, turn about."""
    body = event("E1")
    headers = signed(body)
    source = HrSourceRow(source_id="hris", scheme="standard-webhooks", keys=(KEY,), max_discharges_per_minute=10)
    bare = Webhook(SECRET)

    def ours() -> object:
        return judge(source, headers, body, time.time())

    def peer() -> object:
        return bare.verify(body, headers, json_parse=False)

    costs: dict[Callable[[], object], list[float]] = {ours: [], peer: []}
    for _ in range(ROUNDS):
        for verify, spent in costs.items():
            began = time.thread_time()
            for _ in range(VERIFIED):
                verify()
            spent.append((time.thread_time() - began) / VERIFIED * 1e6)
    medians = [sorted(spent)[ROUNDS // 2] for spent in costs.values()]
    ratio = medians[0] / medians[1]
    return Row(
        name="HR call's signature judged, CPU",
        unit="us",
        ours=medians[0],
        peer=medians[1],
        ratio=ratio,
        goal=f"<= {GOAL_RATIO} x",
        against="bare standardwebhooks verify",
        met=ratio <= GOAL_RATIO,
    )


ROWS = (judged, answered)

if __name__ == "__main__":
    run(ROWS)
