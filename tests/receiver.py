"""A system elsewhere: an HTTP/1.1 server on loopback that remembers every call and answers what a test says."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Received:
    """One call; ``headers`` with lower-case names. ``port``: the caller's, the same for all calls of a connection."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    port: int


Reply = tuple[int, dict[str, str], bytes]


class Receiver:
    """``answer`` may be replaced at any time; ``calls`` in the order they came."""

    def __init__(self, answer: Callable[[Received], Reply]) -> None:
        self.answer = answer
        self.calls: list[Received] = []
        self.url = ""

    @contextlib.contextmanager
    def listening(self, port: int = 0) -> Iterator[Receiver]:
        """Serves inside the block."""
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self) -> None:
                with contextlib.suppress(ConnectionError):
                    super().handle_one_request()

            def _any(self) -> None:
                length = int(self.headers.get("Content-Length", "0"))
                headers = {name.lower(): value for name, value in self.headers.items()}
                content = self.rfile.read(length)
                call = Received(self.command, self.path, headers, content, self.client_address[1])
                owner.calls.append(call)
                status, more, body = owner.answer(call)
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                if status != 204:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PATCH = do_OPTIONS = _any

            def log_message(self, format: str, *args: Any) -> None:
                """Says nothing."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False

        with Server(("127.0.0.1", port), Handler) as server:
            self.url = f"http://127.0.0.1:{server.server_port}/"
            thread = threading.Thread(target=server.serve_forever, args=(0.02,))
            thread.start()
            try:
                yield self
            finally:
                server.shutdown()
                thread.join()


def answering(status: int, body: bytes = b"", **headers: str) -> Callable[[Received], Reply]:
    """The same answer to everything."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda call: (status, named, body)
