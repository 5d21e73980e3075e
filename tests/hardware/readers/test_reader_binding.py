"""The guard around the C binding."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

CHILD = """
import sys
from hardware.readers.binding import osdp_sys, release_event
from hardware.readers.channels import MemoryChannel
here, there = MemoryChannel.pair()
info = dict(name="r", address=1, flags=osdp_sys.FLAG_ENFORCE_SECURE | osdp_sys.FLAG_ENABLE_NOTIFICATION,
            scbk=bytes(range(16)), version=1, model=1, vendor_code=1, serial_number=1, firmware_version=1)
panel = osdp_sys.ControlPanel([dict(info, channel=here)])
device = osdp_sys.PeripheralDevice(dict(info, channel=there), capabilities=[
    dict(function_code=osdp_sys.CAP_READER_LED_CONTROL, compliance_level=1, num_items=1),
    dict(function_code=osdp_sys.CAP_COMMUNICATION_SECURITY, compliance_level=1, num_items=1)])
done, events, early = 0, [], 0
def completed(index, command, status):
    global done
    done += 1
device.set_command_callback(lambda command: (0, None))
panel.set_command_completion_callback(completed)
panel.set_event_callback(lambda index, event: events.append(event) or 0)
led = dict(command=osdp_sys.CMD_LED, reader=0, led_number=0, temporary=True, control_code=2, on_count=1, off_count=0,
           on_color=1, off_color=0, timer_count=1)
sent = 0
while done < 8000:
    if sent == done and panel.submit_command(0, led):
        sent += 1
    panel.refresh()
    device.refresh()
    release_event(events)
    if done == 1000:
        early = sys.getallocatedblocks()
print(done, sys.getallocatedblocks() - early)
"""


@pytest.fixture(scope="module")
def outcome() -> tuple[int, int]:
    """Commands done and memory blocks gained over the last 7000 of them, in a process of its own."""
    result = subprocess.run(
        [sys.executable, "-c", CHILD], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 0, result.stderr
    done, gained = result.stdout.split()
    return int(done), int(gained)


def test_process_outlives_thousands_of_commands(outcome: tuple[int, int]) -> None:
    """8000 commands do not use up the references of None (without the reserve the process aborts)."""
    assert outcome[0] == 8000


def test_events_are_given_back(outcome: tuple[int, int]) -> None:
    """Each command brings an event; none of them stays in memory."""
    assert outcome[1] < 700
