"""The file of a PIN mailer. The PIN exists once: its file is made before the PIN is asked for, so that no full disk or
forbidden folder can lose it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path


class MailerFile:
    """A new file, readable by its owner alone. ``reserve`` raises OSError before anything is lost."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def reserve(self, size: int = 65536) -> None:
        """Make the file with ``size`` bytes of room. Raises FileExistsError for a name that is taken, OSError when it
        cannot be written."""
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(descriptor, bytes(size))
            os.fsync(descriptor)
        except OSError:
            os.close(descriptor)
            self.path.unlink(missing_ok=True)
            raise
        os.close(descriptor)

    def fill(self, document: bytes) -> None:
        """Write the document over the room, durably."""
        descriptor = os.open(self.path, os.O_WRONLY)
        try:
            written = 0
            while written < len(document):
                written += os.write(descriptor, document[written:])
            os.ftruncate(descriptor, len(document))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    async def keep(self, document: bytes) -> None:
        """``fill``, off the GUI thread. The pool gets a function without arguments: it may log those, and the document
        holds the PIN."""

        def work() -> None:
            self.fill(document)

        await asyncio.to_thread(work)

    def give_up(self) -> None:
        """No document came: take the empty file away."""
        self.path.unlink(missing_ok=True)
