"""A service whose system gives it few descriptors: callers cannot use up those that a burn needs."""

from __future__ import annotations

import contextlib
import resource
import socket
from pathlib import Path
from urllib.parse import urlsplit

from tests.served_site import ServedSite

FILES = 512
"""A hard limit that is soon reached."""


def test_idle_connections_leave_room_for_a_burn(tmp_path: Path) -> None:
    """More connections than descriptors: a burn over a new connection is answered, and the log does not fill."""
    served = ServedSite.laid_out(tmp_path / "site", "--no-pcsc")
    served.files = FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    idle: list[socket.socket] = []
    try:
        with served.running():
            place = urlsplit(served.base_url)
            for _ in range(FILES + 100):
                with contextlib.suppress(OSError):
                    idle.append(socket.create_connection((str(place.hostname), int(place.port or 0)), timeout=8))
            made = served.post(
                "/v1/citadel/uac/burn", {"node_id": "ARC-T0012", "scope": "LOCAL_ONLY", "reason": "Drill"}
            )
            assert made.status_code in (200, 202), made.text
            assert "no connection can be accepted" not in served.log.read_text()
            assert "Too many open files" not in served.log.read_text()
    finally:
        for connection in idle:
            connection.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
