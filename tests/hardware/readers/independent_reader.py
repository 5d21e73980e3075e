"""A reader that shares no code with ours: libosdp's stock PeripheralDevice on a TCP or pty line, as a process.

First line on stdin: {"line": "tcp" or "pty", "key": hex, "flags": "secure" or "install", "lacks": [capabilities]}. Then
{"card": [format, bits, hex]} makes a card read, {"hang_up": true} drops the TCP connection. Reports on stdout:
{"listening": where}, {"command": {...}}.
"""

import json
import os
import pty
import socket
import sys
import termios
import threading
import tty

from osdp import Capability, Channel, Event, LibFlag, LogLevel, PDCapabilities, PDInfo, PeripheralDevice

_say_lock = threading.Lock()


def say(**what):
    with _say_lock:
        print(json.dumps(what), flush=True)


class PtyLine(Channel):
    def __init__(self):
        self.id = 1
        self.master, slave = pty.openpty()
        tty.setraw(slave, termios.TCSANOW)
        os.set_blocking(self.master, False)
        self.keep = slave  # held open: without it the master fails until the panel opens the line
        self.where = os.ttyname(slave)

    def read(self, max_bytes):
        try:
            return os.read(self.master, max_bytes)
        except BlockingIOError:
            return b""

    def write(self, buf):
        return os.write(self.master, buf)

    def flush(self):
        pass


class TcpLine(Channel):
    def __init__(self):
        self.id = 1
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.setblocking(False)
        self.peer = None
        self.where = f"tcp://127.0.0.1:{self.server.getsockname()[1]}"

    def drop(self):
        if self.peer is not None:
            self.peer.close()
            self.peer = None

    def read(self, max_bytes):
        try:
            newer, _ = self.server.accept()
            self.drop()
            self.peer = newer
            self.peer.setblocking(False)
        except BlockingIOError:
            pass
        if self.peer is None:
            return b""
        try:
            data = self.peer.recv(max_bytes)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            self.drop()
        return data

    def write(self, buf):
        try:
            return self.peer.send(buf) if self.peer is not None else len(buf)
        except OSError:
            self.drop()
            return len(buf)

    def flush(self):
        pass


def main():
    first = json.loads(sys.stdin.readline())
    line = {"tcp": TcpLine, "pty": PtyLine}[first["line"]]()
    flags = [LibFlag.EnforceSecure] if first["flags"] == "secure" else [LibFlag.InstallMode]
    key = bytes.fromhex(first["key"]) if first["flags"] == "secure" else None

    def command(what):
        say(command={name: value.hex() if isinstance(value, bytes) else value for name, value in what.items()})
        return 0, None

    device = PeripheralDevice(
        PDInfo(5, line, key, flags=flags, name="peer"),
        PDCapabilities(
            [
                (getattr(Capability, name), 1, items)
                for name, items in (
                    ("OutputControl", 1),
                    ("LEDControl", 1),
                    ("AudibleControl", 1),
                    ("CardDataFormat", 0),
                    ("CommunicationSecurity", 1),
                )
                if name not in first["lacks"]
            ]
        ),
        log_level=LogLevel.Emergency,
        command_handler=command,
    )
    device.start()
    say(listening=line.where)
    for text in sys.stdin:
        what = json.loads(text)
        if "card" in what:
            fmt, bits, data = what["card"]
            device.submit_event(
                {
                    "event": Event.CardRead,
                    "reader_no": 0,
                    "direction": 0,
                    "format": fmt,
                    "length": bits,
                    "data": bytes.fromhex(data),
                }
            )
        elif "hang_up" in what:
            with device.lock:
                line.drop()
    device.stop()


main()
