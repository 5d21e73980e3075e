"""A control panel that shares no code with ours: the pure-Python package `osdp` 1.6, run by its own environment.

First line on stdin: {"port": n, "address": n, "master_key": hex}; reader keys are derived from the master key and the
reader's identity, as OSDP 2.2 annex D has it. Reports on stdout: {"secure": bool}; if it is, {"identity": [vendor,
firmware]}, {"capabilities": n}, {"led": bool}, then {"card": [format, bits, hex]} for each card. Ends with stdin.
"""

import json
import os
import sys
import threading
import time

from osdp import (
    ControlPanel,
    LedColor,
    PermanentReaderControlCode,
    ReaderLedControl,
    ReaderLedControls,
    TcpClientOsdpConnection,
    TemporaryReaderControlCode,
)

SECONDS = 8.0


def say(**what):
    print(json.dumps(what), flush=True)


class Line(TcpClientOsdpConnection):
    @property
    def baud_rate(self):
        return 115200  # only the pause between two frames is computed from it


class Panel(ControlPanel):
    def on_raw_card_data_reply_received(self, address, card):
        say(card=[card.format_code.value, card.bit_count, bytes(card.data).hex()])


def main():
    first = json.loads(sys.stdin.readline())
    address = first["address"]
    panel = Panel(bytes.fromhex(first["master_key"]))
    bus = panel.start_connection(Line("127.0.0.1", first["port"]))
    panel.add_device(bus, address, True, True)
    device = panel._buses[bus]._configured_devices[address]
    end = time.monotonic() + SECONDS
    line = panel._buses[bus]._connection
    while not line.is_open and time.monotonic() < end:
        time.sleep(0.01)
    # The package answers a reader that it does not believe by hanging up, and says no more of it.
    while not device.is_security_established and line.is_open and time.monotonic() < end:
        time.sleep(0.01)
    say(secure=device.is_security_established)
    if device.is_security_established:
        who = panel.id_report(bus, address)
        say(identity=[bytes(who.vendor_code).hex(), who.firmware_major, who.firmware_minor, who.firmware_build])
        say(capabilities=len(panel.device_capabilities(bus, address).capabilities))
        red = ReaderLedControl(
            0, 0, TemporaryReaderControlCode.SetTemporaryAndStartTimer, 1, 0, LedColor.Red, LedColor.Black, 10,
            PermanentReaderControlCode.Nop, 0, 0, LedColor.Black, LedColor.Black,
        )  # fmt: skip
        say(led=panel.reader_led_control(bus, address, ReaderLedControls([red])))
    sys.stdin.read()


if __name__ == "__main__":
    try:
        main()
    finally:
        # Its polling thread has no end of its own.
        os._exit(0 if threading.current_thread() is threading.main_thread() else 1)
