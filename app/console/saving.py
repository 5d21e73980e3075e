"""Files that a person keeps: there whole or not at all, and nobody else's to read until they are given away."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def save_private(path: Path, data: bytes) -> None:
    """Write ``data`` durably beside ``path`` and put it in its place, readable by its owner alone. Raises OSError; what
    was there before is then still there. Blocks on the disk."""
    part = path.with_name(f".{path.name}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()
