"""A child that speaks the supervisor's protocol and nothing else. Modes are its first argument.

``serve``: noise, the ready line in two writes, then waits for the end of its input. ``die``: a line, then exit 3.
``refuse``: says why it cannot start, then exit 2; ``misused``: the same on stderr alone.
``silent``: takes its key and never becomes ready. ``deaf``: ready, and ignores the end of its input.
"""

from __future__ import annotations

import json
import os
import sys
import time


def main() -> int:
    """Play the mode."""
    mode, record = sys.argv[1], sys.argv[2]
    key = sys.stdin.readline().strip()
    with open(record, "a", encoding="utf-8") as file:
        file.write(
            json.dumps({"key": key, "argv": sys.argv, "environment": dict(os.environ), "pid": os.getpid()}) + "\n"
        )
    if mode == "die":
        print("the disk is on fire", flush=True)
        return 3
    if mode == "refuse":
        said = {"ready": False, "refused": "No place for the key.", "passphrase_file": "/site/passphrase"}
        print(json.dumps(said), flush=True)
        return 2
    if mode == "misused":
        print("arc-console: Port 1 is taken.", file=sys.stderr, flush=True)
        return 2
    print("starting, this is no JSON", flush=True)
    print('{"ready": false}', flush=True)
    print(f"a careless line with {key}", flush=True)
    if mode != "silent":
        line = json.dumps({"ready": True, "base_url": "http://127.0.0.1:65000", "pid": os.getpid()})
        # Half a line, then the other half: the supervisor must not read either alone.
        sys.stdout.write(line[:20])
        sys.stdout.flush()
        time.sleep(0.05)
        sys.stdout.write(line[20:] + "\n")
        sys.stdout.flush()
    sys.stdin.read()
    if mode == "deaf":
        time.sleep(60)
    return 0


if __name__ == "__main__":
    sys.exit(main())
