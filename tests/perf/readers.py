"""Benchmarks of the door readers, each against its peer in the same run.

`ROWS` are functions without arguments; each returns a `Row`. `python -m tests.perf.readers` prints them.
"""

from __future__ import annotations

import random
import resource
import statistics
import threading
import time
from collections.abc import Callable
from concurrent.futures import wait
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from osdp import ControlPanel, LibFlag, LogLevel, PDInfo

from hardware.readers.channels import MemoryChannel
from hardware.readers.decision import CardRead, Credential, DenyEntry, Grant, GrantTable, Moment, decide
from hardware.readers.fleet import ReaderFleet
from hardware.readers.keys import generate_scbk
from hardware.readers.listblob import AccessList, ListEntry, ListTrust
from hardware.readers.reader import DoorReaderConfig, LedColor
from hardware.readers.simulated import Simulator
from tests.perf.report import Row, run

HOUR = 3600.0
DIGEST = bytes(32)


class _Deny:
    def __init__(self) -> None:
        self.nodes: dict[str, DenyEntry] = {}
        self.credentials: dict[Credential, DenyEntry] = {}

    def denies_node(self, node_id: str) -> DenyEntry | None:
        return self.nodes.get(node_id)

    def denies_credential(self, key: Credential) -> DenyEntry | None:
        return self.credentials.get(key)

    def credentials_of(self, node_id: str) -> tuple[Credential, ...]:
        del node_id
        return ()


def _badge(number: int) -> Credential:
    return Credential("wiegand", 48, number.to_bytes(6, "big"))


def _fleet(count: int, deny: _Deny, trust: ListTrust | None = None) -> tuple[ReaderFleet, float]:
    """A started fleet of simulated readers, all secure, and the seconds that took."""
    everybody_up = threading.Event()
    secure: set[str] = set()

    def on_state(state: Any) -> None:
        if state.secure_channel:
            secure.add(state.reader_id)
            if len(secure) == count:
                everybody_up.set()

    fleet = ReaderFleet(deny, lambda event: None, on_state, True)
    fleet.configure(
        [DoorReaderConfig(f"r{n}", "c", "simulated:", 1, generate_scbk(), trust=trust) for n in range(count)]
    )
    began = time.perf_counter()
    fleet.start()
    if not everybody_up.wait(60):
        raise RuntimeError(f"only {len(secure)} of {count} readers came up")
    return fleet, time.perf_counter() - began


def _stock_round_trips(count: int) -> list[float]:
    """Milliseconds of one LED command to each of `count` readers through libosdp's stock panel and its thread."""
    simulator = Simulator()
    simulator.start()
    panels: list[tuple[ControlPanel, int]] = []
    done = threading.Event()
    try:
        for start in range(0, count, 32):
            infos, size = [], min(32, count - start)
            for address in range(size):
                key = generate_scbk()
                line: MemoryChannel = simulator.add(f"s{start + address}", address, key)
                infos.append(PDInfo(address, line, key, flags=[LibFlag.EnforceSecure, LibFlag.EnableNotification]))
            panel = ControlPanel(
                infos,
                log_level=LogLevel.Emergency,
                command_completion_handler=lambda address, command, status: done.set(),
            )
            panel.start()
            panels.append((panel, size))
        for panel, _ in panels:
            panel.sc_wait_all(20)
        led = {
            "command": 2,
            "reader": 0,
            "led_number": 0,
            "temporary": True,
            "control_code": 2,
            "on_count": 1,
            "off_count": 0,
            "on_color": 3,
            "off_color": 0,
            "timer_count": 10,
        }
        took = []
        for panel, size in panels:
            for address in range(size):
                done.clear()
                began = time.perf_counter()
                if not panel.submit_command(address, led) or not done.wait(10):
                    raise RuntimeError("the stock panel lost a command")
                took.append((time.perf_counter() - began) * 1e3)
        return took
    finally:
        for panel, _ in panels:
            panel.teardown()
        simulator.stop()


def led_round_trip(count: int = 96) -> Row:
    """One LED command at a time to each of 96 readers; the readers are the same on both sides."""
    peer = statistics.median(_stock_round_trips(count))
    fleet, _ = _fleet(count, _Deny())
    try:
        took = []
        for n in range(count):
            began = time.perf_counter()
            fleet.light(f"r{n}", LedColor.AMBER).result(10)
            took.append((time.perf_counter() - began) * 1e3)
    finally:
        fleet.stop()
    ours = statistics.median(took)
    return Row(
        f"LED round trip, {count} readers, median",
        "ms",
        ours,
        peer,
        peer / ours,
        ">= 5x faster",
        "libosdp's wrapper thread",
        peer / ours >= 5,
    )


def decision_under_denials(rounds: int = 20_000) -> Row:
    """One decision with 100,000 denied credentials against one with 10; medians of interleaved batches."""
    badges = [_badge(n) for n in range(1000)]
    grants = GrantTable(
        Grant(f"node-{n}", (badge,), frozenset({"c"}), None, time.time() + HOUR, time.monotonic() + HOUR)
        for n, badge in enumerate(badges)
    )
    few, many = _Deny(), _Deny()
    for deny, size in ((few, 10), (many, 100_000)):
        for n in range(size):
            deny.credentials[_badge(10_000_000 + n)] = DenyEntry("burn", "b", 1)
            deny.nodes[f"gone-{n}"] = DenyEntry("burn", "b", 1)
    chooser = random.Random(7)
    batches: dict[int, list[float]] = {10: [], 100_000: []}
    for _ in range(rounds // 200):
        cards = [CardRead("r", "c", chooser.choice(badges)) for _ in range(200)]
        now = Moment(time.time(), time.monotonic())
        for size, deny in ((10, few), (100_000, many)):
            began = time.perf_counter_ns()
            for card in cards:
                decide(card, deny, grants, now)
            batches[size].append((time.perf_counter_ns() - began) / 200 / 1000)
    ours, peer = statistics.median(batches[100_000]), statistics.median(batches[10])
    return Row(
        "decision, 100,000 denied against 10", "us", ours, peer, ours / peer, "<= 1.2x", "10 denied", ours / peer <= 1.2
    )


def local_deny(rounds: int = 5000) -> Row:
    """A node and two credentials into the deny set while 96 readers are polled; p99 against a bare dict entry."""
    deny = _Deny()
    fleet, _ = _fleet(96, deny)
    bare: dict[str, int] = {}
    ours, peer = [], []
    try:
        for n in range(rounds):
            one, other = _badge(2 * n), _badge(2 * n + 1)
            began = time.perf_counter_ns()
            entry = DenyEntry("burn", "b", n)
            deny.nodes[f"node-{n}"] = entry
            deny.credentials[one] = entry
            deny.credentials[other] = entry
            ours.append((time.perf_counter_ns() - began) / 1000)
            began = time.perf_counter_ns()
            bare[f"node-{n}"] = n
            peer.append((time.perf_counter_ns() - began) / 1000)
    finally:
        fleet.stop()
    p99, bare_p99 = statistics.quantiles(ours, n=100)[98], statistics.quantiles(peer, n=100)[98]
    return Row("local deny, p99", "us", p99, bare_p99, p99 / bare_p99, "p99 <= 50 us", "idle process", p99 <= 50)


def list_of_64_kib(rounds: int = 9) -> Row:
    """A signed list of 64 KiB to one reader, to its word that it keeps it; against as many LED round trips as the list
    has chunks (228 bytes each)."""
    signer = Ed25519PrivateKey.generate()
    trust = ListTrust(b"k" * 16, signer.public_key().public_bytes_raw())
    fleet, _ = _fleet(1, _Deny(), trust)
    took, alone = [], []
    now = int(time.time())
    entries = tuple(ListEntry(n.to_bytes(16, "big"), now + 3600) for n in range(2726))
    try:
        for epoch in range(1, rounds + 1):
            blob = AccessList(trust.cluster_hash, epoch, now, now + 3600, entries).encode(signer.sign)
            began = time.perf_counter()
            fleet.send_list("r0", blob, epoch).result(20)
            took.append((time.perf_counter() - began) * 1e3)
            began = time.perf_counter()
            for _ in range(len(blob) // 228):
                fleet.light("r0", LedColor.OFF).result(10)
            alone.append((time.perf_counter() - began) * 1e3)
    finally:
        fleet.stop()
    ours, peer = statistics.median(took), statistics.median(alone)
    return Row("64 KiB list to one reader", "ms", ours, peer, ours / peer, "<= 1x", "LED round trips", ours <= peer)


def announce_to_all(count: int = 1000) -> Row:
    """A burn's delta to every reader, to the last acknowledgement; against the same readers' own round trip."""
    deny = _Deny()
    fleet, _ = _fleet(count, deny)
    try:
        took, alone = [], []
        for epoch in range(1, 11):
            began = time.perf_counter()
            acks = wait(fleet.announce(epoch, DIGEST).values()).done
            took.append((time.perf_counter() - began) * 1e3)
            if not all(ack.result().delta_acked for ack in acks):
                raise RuntimeError("a reader did not acknowledge")
            began = time.perf_counter()
            wait([fleet.light(f"r{n}", LedColor.OFF) for n in range(count)])
            alone.append((time.perf_counter() - began) * 1e3)
    finally:
        fleet.stop()
    ours, peer = statistics.median(took), statistics.median(alone)
    return Row(
        f"epoch to {count} readers, last ack, against an LED to all",
        "ms",
        ours,
        peer,
        ours / peer,
        "<= 1.5x",
        "LED to all",
        ours / peer <= 1.5,
    )


def idle_cpu(count: int = 100, seconds: float = 3.0) -> Row:
    """Processor use of idle readers together with their simulation; the peer is one whole core."""
    fleet, _ = _fleet(count, _Deny())
    try:
        threading.Event().wait(0.5)
        before = resource.getrusage(resource.RUSAGE_SELF)
        threading.Event().wait(seconds)
        after = resource.getrusage(resource.RUSAGE_SELF)
    finally:
        fleet.stop()
    used = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / seconds * 100
    return Row(
        f"{count} idle readers, share of a core", "%", used, 100.0, used / 100, "<= 0.25", "one core", used <= 25
    )


def all_secure(count: int = 1000) -> Row:
    """From start to the last reader over Secure Channel; against 100 readers, per reader."""
    fleet, few = _fleet(100, _Deny())
    fleet.stop()
    fleet, many = _fleet(count, _Deny())
    fleet.stop()
    return Row(f"{count} readers secure", "ms", many * 1e3, few * 1e3, many / few / (count / 100), "<= 2x per reader")


ROWS: tuple[Callable[[], Row], ...] = (
    led_round_trip,
    decision_under_denials,
    local_deny,
    list_of_64_kib,
    announce_to_all,
    idle_cpu,
    all_secure,
)

if __name__ == "__main__":
    run(ROWS)
