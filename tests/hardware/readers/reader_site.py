"""What reader tests share: a deny set, grants, a fleet of simulated readers, an independent reader as a process."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hardware.readers.decision import Credential, DenyEntry, Grant, GrantTable
from hardware.readers.fleet import ReaderFleet
from hardware.readers.keys import generate_scbk
from hardware.readers.reader import DecidedPresentation, DoorReaderConfig, DoorReaderState

BADGE = Credential("wiegand", 26, b"\x01\x02\x03\xc0")


class DenySet:
    """The service's deny set as the readers see it: two dictionaries, changed in place by one writer."""

    def __init__(self) -> None:
        self.nodes: dict[str, DenyEntry] = {}
        self.credentials: dict[Credential, DenyEntry] = {}
        self.held: dict[str, tuple[Credential, ...]] = {}

    def denies_node(self, node_id: str) -> DenyEntry | None:
        return self.nodes.get(node_id)

    def denies_credential(self, key: Credential) -> DenyEntry | None:
        return self.credentials.get(key)

    def credentials_of(self, node_id: str) -> tuple[Credential, ...]:
        return self.held.get(node_id, ())


def table(*credentials: Credential, cluster: str = "north") -> GrantTable:
    """Grants for an hour: credential number n belongs to node-n."""
    return GrantTable(
        Grant(f"node-{n}", (key,), frozenset({cluster}), None, time.time() + 3600, time.monotonic() + 3600)
        for n, key in enumerate(credentials)
    )


class Site:
    """A fleet with everything it reported."""

    def __init__(self, *, simulated: bool = True) -> None:
        self.deny = DenySet()
        self.configs: list[DoorReaderConfig] = []
        self.events: list[DecidedPresentation] = []
        self.states: queue.Queue[DoorReaderState] = queue.Queue()
        self.gaps: queue.Queue[str] = queue.Queue()
        self.fleet = ReaderFleet(self.deny, self.events.append, self.states.put, simulated, self.gaps.put)

    def await_states(
        self, wanted: Callable[[dict[str, DoorReaderState]], bool], seconds: float = 20.0
    ) -> dict[str, DoorReaderState]:
        """Wait, driven by state reports, until `wanted(states())`."""
        end = time.monotonic() + seconds
        while not wanted(states := self.fleet.states()):
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"the readers did not get there: {list(states.values())[:3]}")
            try:
                self.states.get(timeout=left)
            except queue.Empty:
                continue
        return states

    def await_attempts(self, reader_id: str, count: int, seconds: float = 20.0) -> None:
        """Wait until the panel has given up connecting to a reader `count` times."""
        link = self.fleet._links[reader_id]
        end = time.monotonic() + seconds
        while link.attempts < count:
            if time.monotonic() > end:
                raise AssertionError(f"only {link.attempts} attempts")
            time.sleep(0.01)

    def await_secure(self, seconds: float = 20.0) -> dict[str, DoorReaderState]:
        """Wait until every reader is secure."""
        return self.await_states(lambda states: all(state.secure_channel for state in states.values()), seconds)


def simulated(count: int, **more: Any) -> list[DoorReaderConfig]:
    """Configurations of `count` simulated readers reader-0, reader-1, ..."""
    return [DoorReaderConfig(f"reader-{n}", "north", "simulated:", 1, generate_scbk(), **more) for n in range(count)]


class IndependentReader:
    """libosdp's own reader class in a process of its own, driven over its stdin and stdout (one JSON object a line)."""

    def __init__(self, *, line: str, key: bytes, flags: str = "secure", lacks: Sequence[str] = ()) -> None:
        script = Path(__file__).with_name("independent_reader.py")
        self.process = subprocess.Popen(
            [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._lines: queue.Queue[dict[str, Any]] = queue.Queue()
        self._pump = threading.Thread(target=self._read, name="independent-reader-output", daemon=True)
        self._pump.start()
        self.tell(line=line, key=key.hex(), flags=flags, lacks=list(lacks))
        self.where = str(self.expect("listening")["listening"])

    def _read(self) -> None:
        if self.process.stdout is not None:
            for text in self.process.stdout:
                self._lines.put(json.loads(text))

    def tell(self, **what: object) -> None:
        """Send one instruction."""
        if self.process.stdin is None:
            raise AssertionError("no stdin")
        print(json.dumps(what), file=self.process.stdin, flush=True)

    def expect(self, key: str, seconds: float = 20.0) -> dict[str, Any]:
        """Return the next report that has `key`."""
        end = time.monotonic() + seconds
        while True:
            report = self._lines.get(timeout=max(0.01, end - time.monotonic()))
            if key in report:
                return report

    def close(self) -> None:
        """End the process; it ends by itself when its stdin ends."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait(10)
        self._pump.join(10)
        if self.process.stdout is not None:
            self.process.stdout.close()
