"""Simulated readers: libosdp peripheral devices in this process, which speak the real protocol over memory channels.

A reader answers inside the panel's own write, as a device with its own processor would. libosdp treats an answer that
is more than 200 ms late as missing: it asks again, and the Secure Channel is lost, because the reader has already moved
its MAC on. A thread that answered in its turn was that late whenever the machine was busy, and hundreds of doors went
offline at once. Everything else that happens to readers (cards, unplugging, time) happens on one thread, which they
share. Used by the training site, tests and benchmarks; nothing here is reachable from a real reader.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from hardware.readers.binding import osdp_sys
from hardware.readers.channels import Channel, MemoryChannel
from hardware.readers.decision import AccessDecision, Credential, Moment
from hardware.readers.delta import VENDOR_CODE, Delta, DeltaOperation
from hardware.readers.listblob import FILE_TYPE, MAX_BLOB_BYTES, ListTrust, OnboardList

_log = logging.getLogger(__name__)

FIRMWARE = 0x010300
"""Firmware version that simulated readers report: 1.3.0."""

PULSE = 5
"""osdp_OUT control code: on for the timer's time, then back."""

_SWEEP_SECONDS = 0.5
_MAX_SIGNALS = 64

# Shared objects, never built anew: the binding loses a reference of what the command callback returns.
_DONE = (0, None)
_REFUSED = (-1, None)
_ASKS = (1, None)
"""The library then answers with an MFGREP that repeats the command's data."""

_CAPABILITIES = [
    {"function_code": code, "compliance_level": level, "num_items": items}
    for code, level, items in (
        (osdp_sys.CAP_CONTACT_STATUS_MONITORING, 1, 1),
        (osdp_sys.CAP_OUTPUT_CONTROL, 1, 1),
        (osdp_sys.CAP_CARD_DATA_FORMAT, 1, 0),
        (osdp_sys.CAP_READER_LED_CONTROL, 1, 1),
        (osdp_sys.CAP_READER_AUDIBLE_OUTPUT, 1, 1),
        (osdp_sys.CAP_COMMUNICATION_SECURITY, 1, 1),
    )
]


@dataclass(frozen=True, slots=True)
class Signal:
    """Something that the panel made the reader do.

    `kind`: led, output, buzzer. `fields`: libosdp's names and units (counts of 100 ms).
    """

    kind: str
    fields: dict[str, int]


@dataclass(slots=True, eq=False)
class SimulatedReader:
    """One simulated reader.

    Its attributes change under its lock, on the panel's or the simulator's thread; any thread may read them. `epoch`:
    of the last delta taken. `signals`: the last 64 signals that the panel made it show. `openings`: how often its
    output was pulsed. `scbk`: changed by a KEYSET of the panel; `address` and `baud`: by a COMSET. `onboard`: the list
    by which it decides when it is cut off.
    """

    reader_id: str
    address: int
    channel: Channel
    scbk: bytes = field(repr=False)
    install: bool = False
    epoch: int = 0
    openings: int = 0
    baud: int = 9600
    serial_number: int = 0
    signals: deque[Signal] = field(default_factory=lambda: deque(maxlen=_MAX_SIGNALS))
    deltas: deque[Delta] = field(default_factory=lambda: deque(maxlen=_MAX_SIGNALS))
    onboard: OnboardList = field(default_factory=OnboardList)
    _trusting: bool = False
    _file: bytearray | None = field(default=None, repr=False)
    _size: int = 0
    _device: Any = field(default=None, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    """Held while a command is carried out, and never while waiting for a panel."""

    def attach(self) -> None:
        """Start the protocol engine, and answer what the panel has sent meanwhile."""
        info = {
            "name": self.reader_id[:15],
            "address": self.address,
            "flags": osdp_sys.FLAG_INSTALL_MODE if self.install else osdp_sys.FLAG_ENFORCE_SECURE,
            "channel": self.channel,
            "version": 1,
            "model": 1,
            "vendor_code": VENDOR_CODE,
            "serial_number": self.serial_number or self.channel.id,
            "firmware_version": FIRMWARE,
        }
        if not self.install:
            info["scbk"] = self.scbk
        device = osdp_sys.PeripheralDevice(info, capabilities=_CAPABILITIES)
        device.set_command_callback(self._command)
        files = {"open": self._open, "read": self._read, "write": self._write, "close": self._close}
        device.register_file_ops(0, files)
        with self._lock:
            self._device = device
        self.serve()

    def detach(self) -> None:
        """Stop the protocol engine. The binding's objects are not garbage collected, so this breaks a cycle."""
        with self._lock:
            self._device = None

    def serve(self) -> None:
        """Answer what the panel has sent, and let the protocol's time pass."""
        with self._lock:
            if self._device is not None:
                self._device.refresh()

    @property
    def cut_off(self) -> bool:
        """True if the reader keeps a list, and its line is unplugged."""
        return isinstance(self.channel, MemoryChannel) and self.channel.cut and self._trusting

    def decide_alone(self, credential: Credential) -> AccessDecision:
        """Decide by the reader's own list."""
        with self._lock:
            decision = self.onboard.decide(credential, Moment(time.time(), time.monotonic()))
            self.openings += decision.grant
        return decision

    def show(self, credential: Credential) -> bool:
        """Queue a card read for the next poll; False if the reader cannot take it."""
        event = {"event": osdp_sys.EVENT_CARDREAD, "reader_no": 0, "direction": 0, **credential.to_event()}
        with self._lock:
            if self._device is None or (isinstance(self.channel, MemoryChannel) and self.channel.cut):
                return False
            return bool(self._device.submit_event(event))

    def forget_cards(self) -> None:
        """Drop card reads that no poll has fetched: a card at a dead reader must not open the door an hour later."""
        with self._lock:
            if self._device is not None:
                self._device.flush_events()

    # A list comes in (osdp_FILETRANSFER). The binding does not pass on what `close` returns, so a reader cannot refuse
    # a list there; the panel asks afterwards whether the reader has taken it.

    def _open(self, file_id: int, size: int) -> int:
        if file_id != FILE_TYPE or not 0 < size <= MAX_BLOB_BYTES:
            return -1
        self._file = bytearray()
        self._size = size
        return size

    def _read(self, size: int, offset: int) -> bytes:
        del size, offset
        return b""

    def _write(self, data: bytes, offset: int) -> int:
        if self._file is None or offset > len(self._file):
            return -1
        self._file[offset : offset + len(data)] = data
        return len(data)

    def _close(self, file_id: int) -> int:
        del file_id
        blob, self._file = self._file, None
        if blob is not None and len(blob) == self._size:
            try:
                self.onboard.take(bytes(blob), Moment(time.time(), time.monotonic()))
                self.epoch = max(self.epoch, self.onboard.epoch)
            except ValueError as error:
                _log.info("simulated reader %s refused a list: %s", self.reader_id, error)
        return 0

    def _command(self, command: dict[str, Any]) -> tuple[int, None]:
        # An exception here would come out of an unrelated call of the binding, or crash it: everything is caught.
        try:
            if command["command"] == osdp_sys.CMD_MFG:
                return self._take_delta(command)
            return _DONE if self._obey(command) else _REFUSED
        except Exception:
            _log.exception("simulated reader %s failed on a command", self.reader_id)
            return _REFUSED

    def _take_delta(self, command: dict[str, Any]) -> tuple[int, None]:
        """Carry out an MFG command: a delta of ours, or a refusal."""
        if command["vendor_code"] != VENDOR_CODE:
            return _REFUSED
        delta = Delta.decode(command["data"])
        if delta.operation is DeltaOperation.TRUST:
            self._trusting = True
            return _DONE if self.onboard.trust(ListTrust.of(delta)) else _ASKS
        # A replay is answered like the first time; an older epoch changes nothing.
        if delta.epoch > self.epoch and delta.operation is not DeltaOperation.LIST:
            self.deltas.append(delta)
        if self._trusting:
            taken = self.onboard.apply(delta) == "taken"
            self.epoch = self.onboard.epoch
            return _DONE if taken else _ASKS
        self.epoch = max(self.epoch, delta.epoch)
        return _DONE

    def _obey(self, command: dict[str, Any]) -> bool:
        """Carry out any other command; False refuses it."""
        code = command["command"]
        if code == osdp_sys.CMD_KEYSET:
            self.scbk = bytes(command["data"])
            self.install = False
            return True
        if code == osdp_sys.CMD_COMSET:
            return True
        if code == osdp_sys.CMD_FILE_TX:
            return bool(command["id"] == FILE_TYPE)
        if code == osdp_sys.CMD_COMSET_DONE:
            self.address, self.baud = command["address"], command["baud_rate"]
            return True
        kind = {osdp_sys.CMD_LED: "led", osdp_sys.CMD_OUTPUT: "output", osdp_sys.CMD_BUZZER: "buzzer"}.get(code)
        if kind is None:
            # The library itself reports local status and tamper; there is nothing to add.
            return bool(code == osdp_sys.CMD_STATUS)
        if kind == "output" and command["control_code"] == PULSE:
            self.openings += 1
        self.signals.append(Signal(kind, {name: int(value) for name, value in command.items() if name != "command"}))
        return True


class Simulator:
    """Simulated readers, and the thread on which things happen to them. Public methods run on any thread."""

    def __init__(self) -> None:
        self._readers: dict[str, SimulatedReader] = {}
        self._lines: dict[str, MemoryChannel] = {}
        self._jobs: deque[Callable[[], None]] = deque()
        self._wake = threading.Lock()
        self._wake.acquire()
        self._stopping = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread; readers that were added before are served from now on."""
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="osdp-simulator", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop and join the thread; the readers' channels are closed."""
        self._stopping = True
        self._nudge()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def add(self, reader_id: str, address: int, scbk: bytes, *, install: bool = False) -> MemoryChannel:
        """Create a reader and return the panel's end of its line.

        `install`: the reader has no key yet and takes one over the default key.
        """
        panel_end, reader_end = MemoryChannel.pair()
        reader = SimulatedReader(reader_id, address, reader_end, scbk, install)
        reader_end.on_data = reader.serve
        self._lines[reader_id] = reader_end
        self._readers[reader_id] = reader
        self._post(reader.attach)
        return panel_end

    def remove(self, reader_id: str) -> None:
        """Take a reader away; its line goes dead."""
        reader = self._readers.pop(reader_id, None)
        self._lines.pop(reader_id, None)
        if reader is not None:
            reader.channel.close()
            self._post(reader.detach)

    def get(self, reader_id: str) -> SimulatedReader | None:
        """Return a reader to look at, or None."""
        return self._readers.get(reader_id)

    def set_cut(self, reader_id: str, cut: bool) -> bool:
        """Unplug (True) or plug in a reader; False if there is no such reader.

        Cards that nobody has fetched are forgotten.
        """
        reader, line = self._readers.get(reader_id), self._lines.get(reader_id)
        if reader is None or line is None:
            return False
        line.cut = cut
        self._post(reader.forget_cards)
        return True

    def present(self, reader_id: str, credential: Credential, refused: Callable[[], None]) -> bool:
        """Hold a card to a reader; False if there is no such reader.

        `refused` is called on this thread if the reader cannot take it.
        """
        reader = self._readers.get(reader_id)
        if reader is None:
            return False

        def show() -> None:
            if not reader.show(credential):
                refused()

        self._post(show)
        return True

    def present_alone(self, reader: SimulatedReader, credential: Credential) -> Future[AccessDecision]:
        """Hold a card to a reader that decides by its own list; the future holds its decision."""
        future: Future[AccessDecision] = Future()
        self._post(lambda: future.set_result(reader.decide_alone(credential)))
        return future

    def forget_cards(self, reader_id: str) -> None:
        """Drop card reads of a reader that no poll has fetched yet."""
        reader = self._readers.get(reader_id)
        if reader is not None:
            self._post(reader.forget_cards)

    def _post(self, job: Callable[[], None]) -> None:
        self._jobs.append(job)
        self._nudge()

    def _nudge(self) -> None:
        if self._wake.locked():
            with suppress(RuntimeError):  # another thread released it in between: the simulator wakes anyway
                self._wake.release()

    def _run(self) -> None:
        """Carry out jobs, and serve every reader twice a second, until stopped."""
        sweep_at = 0.0
        while not self._stopping:
            self._wake.acquire(timeout=_SWEEP_SECONDS)
            while self._jobs:
                job = self._jobs.popleft()
                try:
                    job()
                except Exception:
                    _log.exception("simulator job failed")
            if (now := time.monotonic()) >= sweep_at:
                sweep_at = now + _SWEEP_SECONDS
                # Timeouts of the protocol (a channel gone silent) run only inside refresh.
                for reader in list(self._readers.values()):
                    reader.serve()
        for reader in self._readers.values():
            reader.channel.close()
            reader.detach()
        self._readers.clear()
        self._lines.clear()
