"""A live feed over HTTP, watched by the whole service in a process of its own, which is killed in between."""

from __future__ import annotations

import contextlib
import select
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.served_site import ServedSite

OPEN = ("RUNNING", "DEGRADED")
"""A feed that is watched: on a busy machine half a minute without a picture may pass."""


class LiveCamera(ThreadingHTTPServer):
    """Begins a motion JPEG and sends no picture, until the other side goes. ``came``, ``left``: connections that began
    and ended."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), LiveAnswer)
        self.came = threading.Semaphore(0)
        self.left = threading.Semaphore(0)
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        """Of its feed."""
        return f"http://127.0.0.1:{self.server_port}/live?token=secret"


class LiveAnswer(BaseHTTPRequestHandler):
    """One connection to the camera."""

    server: LiveCamera

    def do_GET(self) -> None:
        """The head of a motion JPEG."""
        self.server.came.release()
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=cut")
        self.end_headers()
        self.wfile.flush()
        with contextlib.suppress(OSError):
            # Nothing comes from the other side but its end.
            while not self.server.closing.is_set() and not select.select([self.connection], [], [], 0.05)[0]:
                pass
        self.server.left.release()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""


@contextlib.contextmanager
def camera() -> Iterator[LiveCamera]:
    """It answers until the end."""
    with LiveCamera() as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield made
        finally:
            made.closing.set()
            made.shutdown()
            thread.join()


def test_a_feed_outlives_a_kill_and_ends_by_its_caller(tmp_path: Path) -> None:
    """It goes on by itself with a gap; after the DELETE its source is left alone, and no start takes it up."""
    site = ServedSite.laid_out(tmp_path / "site")
    with camera() as source, site.running():
        listed = {"cidrs": ["127.0.0.0/8"], "ports": [source.server_port]}
        assert site.put("/v1/registry/media-sources/camera", listed).status_code in (200, 201)
        answered = site.post(
            "/v1/citadel/defense/radar", {"media_target_url": source.url, "continuous_feed_scan": True}
        )
        assert answered.status_code == 202, answered.text
        where = answered.json()["status_url"]
        assert answered.json()["media"]["url"] == source.url.replace("token=secret", "...")
        # Once to see what it is, then to watch it.
        assert all(source.came.acquire(timeout=60) for _ in range(2))
        site.wait(lambda: site.get(where)["status"] in OPEN)
        site.kill()
        site.start()
        assert source.came.acquire(timeout=60)
        scan = site.wait(lambda: (found := site.get(where))["timeline"] and found)
        assert (scan["status"] in OPEN, [entry["kind"] for entry in scan["timeline"]]) == (True, ["gap"])
        assert all(source.left.acquire(timeout=60) for _ in range(2))
        ended = site.client.delete(where)
        assert (ended.status_code, ended.json()["status"]) == (200, "STOPPED")
        assert source.left.acquire(timeout=60)
        over = site.get(where)
        assert (over["status"], over["media"]["kind"], over["failure"]) == ("STOPPED", "feed", None)
