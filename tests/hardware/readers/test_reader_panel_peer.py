"""An independent panel (the pure-Python package `osdp`, in an environment of its own) against our simulated reader."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from hardware.readers.delta import VENDOR_CODE
from hardware.readers.keys import generate_scbk
from hardware.readers.simulated import SimulatedReader
from tests.hardware.readers.reader_site import BADGE
from tests.served_line import ServedLine

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / ".venv-panel" / "bin" / "python"
MASTER = bytes(range(100, 116))
SERIAL = 0x01020304


class ServedReader:
    """A simulated reader on a TCP line with a thread of its own."""

    def __init__(self, scbk: bytes) -> None:
        self.line = ServedLine()
        self.reader = SimulatedReader("door", 5, self.line, scbk, serial_number=SERIAL)
        self._ended = threading.Event()
        self._shown = threading.Event()
        self._thread = threading.Thread(target=self._run, name="served-reader")
        self._thread.start()

    def _run(self) -> None:
        self.reader.attach()
        while not self._ended.wait(0.001):
            self.reader.serve()
            if self._shown.is_set() and self.reader.show(BADGE):
                self._shown.clear()
        self.reader.detach()
        self.line.close()

    def show(self) -> None:
        """Holds BADGE to the reader."""
        self._shown.set()

    def close(self) -> None:
        """Ends the thread."""
        self._ended.set()
        self._thread.join(10)


def derived(master: bytes) -> bytes:
    """The key that a panel with this master key derives for our reader (OSDP 2.2 annex D: AES of its identity)."""
    identity = (VENDOR_CODE & 0xFFFF).to_bytes(2, "little") + bytes([1, 0]) + SERIAL.to_bytes(4, "little")
    cipher = Cipher(algorithms.AES(master), modes.ECB()).encryptor()
    return cipher.update(identity + bytes(byte ^ 0xFF for byte in identity)) + cipher.finalize()


class Panel:
    """The panel's process: reports as they come."""

    def __init__(self, port: int, master: bytes) -> None:
        if not PYTHON.exists():
            raise AssertionError(
                f"{PYTHON} is missing: the independent panel (package osdp 1.6) has an environment of its own; "
                "`sh packaging/test.sh` makes it"
            )
        self.process = subprocess.Popen(
            [str(PYTHON), str(Path(__file__).with_name("independent_panel.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdin is not None
        print(json.dumps({"port": port, "address": 5, "master_key": master.hex()}), file=self.process.stdin, flush=True)
        self._lines: queue.Queue[dict[str, Any]] = queue.Queue()
        self._pump = threading.Thread(target=self._read, daemon=True)
        self._pump.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for text in self.process.stdout:
            self._lines.put(json.loads(text))

    def expect(self, key: str) -> Any:
        """The panel's next report, which must be this one."""
        return self._lines.get(timeout=20)[key]

    def close(self) -> None:
        """Ends the process with its stdin."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(10)
        self._pump.join(10)
        self.process.stdout.close()


@pytest.fixture
def served(request: pytest.FixtureRequest) -> Iterator[ServedReader]:
    """Our reader with the key that the panel derives, or with another one."""
    made = ServedReader(derived(MASTER) if request.param == "right" else generate_scbk())
    yield made
    made.close()


@pytest.fixture
def panel(served: ServedReader) -> Iterator[Panel]:
    """The independent panel, connected to our reader."""
    made = Panel(served.line.port, MASTER)
    yield made
    made.close()


@pytest.mark.parametrize("served", ["right"], indirect=True)
def test_an_independent_panel_is_served_over_secure_channel(served: ServedReader, panel: Panel) -> None:
    """Poll, Secure Channel, identity, capabilities, an LED, and a card that comes back with every bit."""
    assert panel.expect("secure") is True
    assert panel.expect("identity") == [(VENDOR_CODE).to_bytes(3, "little").hex(), 1, 3, 0]
    assert panel.expect("capabilities") >= 6
    assert panel.expect("led") is True
    assert [signal.kind for signal in served.reader.signals] == ["led"]
    served.show()
    assert panel.expect("card") == [1, BADGE.bits, BADGE.value.hex()]


@pytest.mark.parametrize("served", ["wrong"], indirect=True)
def test_an_independent_panel_with_another_key_is_refused(served: ServedReader, panel: Panel) -> None:
    """No channel, and nothing that it sent reached the reader."""
    assert panel.expect("secure") is False
    assert served.line.last_heard > 0
    assert not served.reader.signals
