"""Why the PC/SC service does not answer, as far as this machine shows it (pcsc-lite: a daemon behind a socket)."""

import os
import shutil
from pathlib import Path
from typing import Final, Literal

Trouble = Literal["missing", "stopped", "no_access"]

SOCKET: Final = Path("/run/pcscd/pcscd.comm")
_DENIED: Final = "8010006A"
"""SCARD_W_SECURITY_VIOLATION: polkit refuses this user (pcsc-lite, SCardEstablishContext)."""


def trouble(failure: str, socket: Path = SOCKET, path: str | None = None) -> Trouble:
    """What is wrong with a service that failed with `failure` (text of a `NoReaderService`): no program of its name is
    installed, it runs and refuses access, or it does not run. `path`: directories to look for it in."""
    if _DENIED in failure or (socket.exists() and not os.access(socket, os.R_OK | os.W_OK)):
        return "no_access"
    places = path if path is not None else os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
    if not socket.exists() and shutil.which("pcscd", path=places) is None:
        return "missing"
    return "stopped"
