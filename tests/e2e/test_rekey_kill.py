"""kill -9 of the command that replaces a log's keys, beside a service under load: the logs never break."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.ledger.c2sp.policy import parse_policy
from app.site.site import Site
from tests.served_site import ROOT, ServedSite
from tests.service.capabilities.provenance.seal_site import body
from tests.service.commands.test_log_rotation import LONG_S, findings, holds, logs_of, overlap, policy_text, sealed

PATH = "/v1/citadel/provenance/knot-seal"


def replace_and_kill(site: Site, name: str, after_s: float) -> bool:
    """Run the command and kill it after a while; whether it had come to its end."""
    command = [sys.executable, "-m", "app", "key", "rotate", "--data-dir", str(site.data_dir), name]
    running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return running.wait(after_s) == 0
    except subprocess.TimeoutExpired:
        running.send_signal(signal.SIGKILL)
        running.wait()
        return False


@pytest.mark.campaign
@pytest.mark.parametrize("kills", [60])
def test_a_killed_replacement_is_whole_or_not_there(tmp_path: Path, kills: int) -> None:
    """Commands killed at any moment, and now and then the service with them: it starts again, its witnesses confirm
    it, every seal answered meanwhile holds under the policy of the end, and fsck finds nothing."""
    chance = random.Random(kills)
    served = ServedSite(tmp_path / "site")
    answered: list[dict[str, Any]] = []
    whole = 0
    with served.running():
        answered.append(sealed(served))
        overlap(served.data_dir, LONG_S)
        site = Site.existing(served.data_dir)
        began = time.monotonic()
        assert replace_and_kill(site, "seal-log", 60.0)
        taken_s = time.monotonic() - began
        for kill in range(kills):
            stop = threading.Event()

            def load(stop: threading.Event = stop) -> None:
                while not stop.is_set():
                    answer = served.post(PATH, msgspec.to_builtins(body("ARC-T0041")))
                    if answer.status_code == 200:
                        answered.append(answer.json())

            loader = threading.Thread(target=load)
            loader.start()
            whole += replace_and_kill(
                site, chance.choice(["seal-log", "audit-log"]), chance.uniform(0.3, 1.2) * taken_s
            )
            stop.set()
            loader.join()
            if kill % 3 == 2:
                served.kill()
                served.start()
        # One that is let finish, whatever was left.
        assert replace_and_kill(site, "seal-log", 60.0)
        served.wait(lambda: served.get("/v1/log/witnesses")["standing"] == "CONFIRMED")
        answered.append(sealed(served))
        text = served.wait(lambda: holds(answered[-1], parse_policy((found := policy_text(served)).encode())) and found)
    print(f"{kills} kills: {whole} came to their end, {len(answered)} seals, {len(logs_of(text, 'seal')) // 2} pairs")
    policy = parse_policy(text.encode())
    for knot in answered:
        if knot["seal_proof"] is not None:
            assert holds(knot, policy)
    assert findings(served.data_dir) == []
