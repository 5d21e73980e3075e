"""The service under a service manager: what the manager hears on its socket from the process it started."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from tests.served_site import ROOT, START_S, ServedSite


def test_serve_tells_ready_life_and_stopping(tmp_path: Path) -> None:
    """With /dev/null as stdin, as systemd gives it; SIGTERM is a clean end. No child says a word: all are from the
    process that was started."""
    site = ServedSite.laid_out(tmp_path / "site")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(str(tmp_path / "notify"))
        heard.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        heard.settimeout(START_S)
        said: list[tuple[bytes, int]] = []

        def hear() -> bytes:
            state, extra, _, _ = heard.recvmsg(4096, socket.CMSG_SPACE(12))
            said.append((state, int.from_bytes(extra[0][2][:4], sys.byteorder)))
            return state

        with (tmp_path / "log").open("wb") as log:
            service = subprocess.Popen(
                [sys.executable, "-m", "app", "serve", "--no-pcsc", "--data-dir", str(site.data_dir)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                cwd=ROOT,
                env={**os.environ, "NOTIFY_SOCKET": heard.getsockname(), "WATCHDOG_USEC": "300000"},
            )
        try:
            assert [hear() for _ in range(3)] == [b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1"]
            service.send_signal(signal.SIGTERM)
            while hear() != b"STOPPING=1":
                assert said[-1][0] == b"WATCHDOG=1"
            assert service.wait(60) == 0
        finally:
            service.kill()
            service.wait()
        assert {pid for _, pid in said} == {service.pid}
