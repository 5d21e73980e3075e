"""One console a user and site: a second start raises the first one and ends."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCryptographicHash, QObject, QStandardPaths, Signal

from app.site.exclusive import Exclusive

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer

CONNECT_MS = 500


def socket_name(data_dir: Path, profile: str) -> str:
    """Where the console of this user and site listens: in the runtime directory, which is this user's alone."""
    # Qt's hash, because it is there: hashlib would load OpenSSL before the first paint.
    digest = QCryptographicHash.hash(f"{data_dir.resolve()}|{profile}".encode(), QCryptographicHash.Algorithm.Sha256)
    site = digest.data().hex()[:12]
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    name = f"arc-console-{user}-{site}"
    if os.name != "posix":
        return name
    runtime = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.RuntimeLocation)
    return str(Path(runtime) / name) if runtime else name


class SingleInstance(QObject):
    """``claim`` says whether this process is the first, by a lock. The first one then ``listen``s and hears of later
    starts through ``raised``. QtNetwork is imported only when it is used, which is after the first paint."""

    raised = Signal()

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._server: QLocalServer | None = None
        self._lock = Exclusive(Path(name + ".lock"))

    def claim(self) -> bool:
        """True when no other process holds the name. Otherwise the process that holds it is asked to raise its
        window."""
        try:
            if self._lock.take():
                return True
        except OSError:
            # No runtime directory, for example: better two consoles than none.
            return True
        from PySide6.QtNetwork import QLocalSocket

        socket = QLocalSocket(self)
        socket.connectToServer(self._name)
        # A console that does not answer is still starting: its window comes by itself.
        socket.waitForConnected(CONNECT_MS)
        socket.abort()
        socket.deleteLater()
        return False

    def listen(self) -> None:
        """Announce later starts from now on."""
        from PySide6.QtNetwork import QLocalServer

        # A socket file that is still there was left by a console that was killed: we hold the lock.
        QLocalServer.removeServer(self._name)
        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        server.newConnection.connect(self._hear)
        if server.listen(self._name):
            self._server = server

    def _hear(self) -> None:
        """A connect is the whole message: only this user may connect, and only to say "raise"."""
        if self._server is not None and (socket := self._server.nextPendingConnection()) is not None:
            socket.abort()
            socket.deleteLater()
            self.raised.emit()

    def release(self) -> None:
        """Give the name back."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self._lock.release()
