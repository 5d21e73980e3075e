"""A wire in the middle: TCP on loopback, handed on both ways, that tells of each piece which a client sent."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator

_PIECE = 1 << 16


@contextlib.contextmanager
def relay(port: int, sent: Callable[[], None]) -> Iterator[int]:
    """Hands on to ``port``; yields its own. ``sent`` is called on a thread of its own after each piece of a client was
    handed on, before anything is handed back for it."""
    open_: set[socket.socket] = set()
    guard = threading.Lock()

    def pump(source: socket.socket, sink: socket.socket, told: Callable[[], None]) -> None:
        with contextlib.suppress(OSError):
            while piece := source.recv(_PIECE):
                sink.sendall(piece)
                told()
        # Both ends of both: the other pump ends by it.
        for side in (source, sink):
            with contextlib.suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                try:
                    server = socket.create_connection(("127.0.0.1", port), 5)
                except OSError:
                    client.close()
                    continue
                server.settimeout(None)
                with guard:
                    open_.update((client, server))
                for arguments in ((client, server, sent), (server, client, lambda: None)):
                    threading.Thread(target=pump, args=arguments, daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        acceptor = threading.Thread(target=serve)
        acceptor.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            acceptor.join()
            with guard:
                for side in open_:
                    with contextlib.suppress(OSError):
                        side.shutdown(socket.SHUT_RDWR)
                    side.close()
