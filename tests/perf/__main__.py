"""All benchmarks: a table on stdout and ``perf.json``. ``python -m tests.perf [module ...]`` runs some of them.

Each module is a process of its own, so that no benchmark inherits another's threads, caches or event loop.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

from tests.perf.report import HEAD, Row

ROOT = Path(__file__).parents[2]
MODULES = (
    "api_request",
    "first_paint",
    "grid",
    "cards",
    "batch",
    "burn_1000",
    "burn_stalls",
    "tour_stalls",
    "burn_everywhere",
    "sick_targets",
    "readers",
    "telemetry",
    "frames",
    "seals",
    "audit",
    "audit_page",
    "permits",
    "keystone",
    "hr",
    "ldap",
    "palm_search",
    "palm_start",
    "palm_accuracy",
    "palm_few",
    "media_video",
    "media_image",
    "voice_statistics",
    "strikes",
    "notices",
)
TIMEOUT_S = 900.0


def main(names: list[str]) -> int:
    """Runs the modules; 1 if one of them failed to run. A goal that was missed is told, not failed: the machines are
    shared, and whoever compares looks at several runs."""
    results: list[dict[str, object]] = []
    failed = []
    print(HEAD)
    for name in names or MODULES:
        began = time.monotonic()
        try:
            done = subprocess.run(
                [sys.executable, "-m", f"tests.perf.{name}", "--json"],
                cwd=ROOT,
                # Those of the media model compare with methods that its evaluation has.
                env={**os.environ, "PYTHONPATH": str(ROOT / "packaging")},
                stdout=subprocess.PIPE,
                text=True,
                timeout=TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            failed.append(name)
            print(f"{name}: took longer than {TIMEOUT_S:.0f} s", flush=True)
            continue
        for line in done.stdout.splitlines():
            if line.startswith("{"):
                row = Row(**json.loads(line))
                print(row.line(), flush=True)
                results.append({"module": name, **json.loads(line)})
        if done.returncode:
            failed.append(name)
            print(f"{name}: failed with exit code {done.returncode}", flush=True)
        else:
            print(f"  {name}: {time.monotonic() - began:.0f} s", flush=True)
    machine = {"cpus": os.cpu_count(), "python": platform.python_version(), "load": os.getloadavg()}
    document = {"machine": machine, "rows": results, "failed": failed}
    (ROOT / "perf.json").write_text(json.dumps(document, indent=2) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
