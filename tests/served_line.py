"""The reader's end of a TCP line."""

from __future__ import annotations

import socket

from hardware.readers.channels import _DescriptorChannel


class ServedLine(_DescriptorChannel):
    """It listens, and serves the newest caller. ``ready`` takes one that waits."""

    def __init__(self) -> None:
        super().__init__()
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.setblocking(False)
        self._peer: socket.socket | None = None
        self.port = int(self.server.getsockname()[1])

    def ready(self) -> bool:
        try:
            newer, _ = self.server.accept()
        except BlockingIOError:
            return self._peer is not None
        self._drop()
        newer.setblocking(False)
        newer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._peer = newer
        self._watch_line()
        return True

    def read(self, max_bytes: int) -> bytes:
        if self._waker is None:
            self.ready()
        return super().read(max_bytes)

    def close(self) -> None:
        super().close()
        self.server.close()

    def _descriptor_now(self) -> int | None:
        return None if self._peer is None else self._peer.fileno()

    def _receive(self, max_bytes: int) -> bytes:
        return b"" if self._peer is None else self._peer.recv(max_bytes)

    def _send(self, data: bytes) -> int:
        return -1 if self._peer is None else self._peer.send(data)

    def _give_back(self) -> None:
        peer, self._peer = self._peer, None
        if peer is not None:
            peer.close()
