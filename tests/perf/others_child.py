"""What a burn meets at the other end of a wire, in a process that shares no interpreter with the service: N simulated
OSDP readers, each on a TCP port of its own on loopback, and a receiver of Shared Signals.

``python -m tests.perf.others_child N`` prints ``{"readers": [ports], "signals": url}``; each line on stdin is a JSON
list of JWKs that the receiver trusts from then on. It ends with its stdin. Readers are new: they take the key that the
panel gives them over the published default key (``enrol``).
"""

from __future__ import annotations

import gc
import json
import sys
import threading
import time
from dataclasses import dataclass

from hardware.readers.simulated import SimulatedReader
from hardware.readers.waker import Waker
from tests.burn_receivers import SsfReceiver
from tests.served_line import ServedLine

_SWEEP_S = 0.5


@dataclass(frozen=True, slots=True)
class _Caller:
    """Whoever waits to be taken by a line."""

    line: ServedLine

    def receive(self) -> None:
        self.line.ready()


def serve(readers: list[SimulatedReader], lines: list[ServedLine]) -> None:
    """Serves those that were written to, and all of them now and then: their time-outs run only inside a refresh."""
    waker = Waker()
    for reader, line in zip(readers, lines, strict=True):
        reader.attach()
        line.attend(waker, reader.serve)
        waker.watch(_Caller(line), line.server.fileno())
    # A reader has no other reader's rubbish to collect.
    gc.freeze()
    sweep_at = time.monotonic()
    while True:
        waker.wait(_SWEEP_S, eager=True)
        if time.monotonic() >= sweep_at:
            sweep_at = time.monotonic() + _SWEEP_S
            for reader in readers:
                reader.serve()


def main(count: int) -> None:
    """Until stdin ends."""
    lines = [ServedLine() for _ in range(count)]
    readers = [
        SimulatedReader(f"reader-{number}", number % 127, line, bytes(16), install=True)
        for number, line in enumerate(lines, start=1)
    ]
    signals = SsfReceiver()
    with signals.listening():
        print(json.dumps({"readers": [line.port for line in lines], "signals": signals.url}), flush=True)
        threading.Thread(target=serve, args=(readers, lines), daemon=True).start()
        for text in sys.stdin:
            signals.trust(json.loads(text))


if __name__ == "__main__":
    main(int(sys.argv[1]))
