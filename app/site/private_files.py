"""Files of a site: replaced whole and durably, readable by their owner alone."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path


def write_private(path: Path, data: bytes) -> None:
    """Replace ``path`` by ``data`` atomically and durably, readable by the owner alone."""
    scratch = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(path)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Make renames in ``path`` durable: without this they may be lost with the power."""
    if sys.platform != "win32":
        directory = os.open(path, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
