"""The exceptions that the store raises on purpose.

::

    StoreError
    +-- StoreRefused        at start: the file is not one that this version can work on
    +-- StoreUnavailable    nothing was written; a later try works once the cause is gone (disk full, locked)
    |   +-- WriterBusy      4096 jobs are waiting already
    |   +-- WriterStopped   the writer was closed
    +-- KeysUnavailable     at start: the key-encryption key is missing or not the one that wrapped the keys
    +-- SealBroken          a sealed field does not open: edited, moved, or of another purpose
    BadCursor (ValueError)  a cursor that this site did not make for this list
"""

from __future__ import annotations

from pathlib import Path


class StoreError(Exception):
    """Base; the text is a plain sentence with what to do next."""


class StoreRefused(StoreError):
    """The store cannot be opened by this version, or failed its start-up check."""


class StoreUnavailable(StoreError):
    """Nothing of the job was written. Trying again is right once the cause is gone."""


class WriterBusy(StoreUnavailable):
    """The writer's queue is full."""


class WriterStopped(StoreUnavailable):
    """The writer was closed before it took the job."""


class KeysUnavailable(StoreError):
    """The site's keys cannot be opened. ``passphrase_file``: where a passphrase, or the right one, would open them;
    None where another remedy is needed."""

    def __init__(self, sentence: str, passphrase_file: Path | None = None) -> None:
        super().__init__(sentence)
        self.passphrase_file = passphrase_file


class SealBroken(StoreError):
    """A sealed field does not open under this purpose and context. Never carries the bytes."""


class BadCursor(ValueError):
    """A paging cursor that was altered, is of another list, or was never ours."""
