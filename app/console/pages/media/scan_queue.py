"""The queue of a batch: files and addresses that are scanned one after the other, and what became of each.

The queue is this console's; each scan that it began is the service's and goes on without it.
"""

from __future__ import annotations

import enum
import itertools
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

MOST = 5000
"""Entries of a queue."""
AT_ONCE = 2
"""Scans that are asked for before one has ended: the service has that many workers by default."""
MEDIA_SUFFIXES = (
    ".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".gif", ".bmp",
    ".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".ts",
)  # fmt: skip
"""Of the files that are taken from a folder; a file that is named itself is taken with any."""


class QueueStage(enum.StrEnum):
    """Where an entry is."""

    WAITS = "waits"
    SCANNING = "scanning"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


OVER = frozenset({QueueStage.DONE, QueueStage.FAILED, QueueStage.CANCELLED})


@dataclass
class QueueEntry:
    """One file or address. ``result`` is what a finished scan says, ``reason`` why it failed; times are monotonic
    seconds."""

    key: str
    source: Path | str
    stage: QueueStage = QueueStage.WAITS
    scan_id: str = ""
    result: str = ""
    reason: str = ""
    began: float = 0.0
    ended: float = 0.0

    @property
    def name(self) -> str:
        """The file's name, or the last part of the address without its query."""
        if isinstance(self.source, Path):
            return self.source.name
        path = self.source.partition("?")[0].partition("#")[0].rstrip("/")
        return path.rpartition("/")[2] or path

    @property
    def place(self) -> str:
        """The whole path, or the whole address without its query, which may carry a secret."""
        return str(self.source) if isinstance(self.source, Path) else self.source.partition("?")[0]

    def seconds(self, now: float) -> float:
        """How long it has been scanned, or was."""
        return 0.0 if not self.began else (self.ended or now) - self.began


class ScanQueue:
    """Entries in the order in which they came. At most ``AT_ONCE`` are scanned at a time."""

    def __init__(self) -> None:
        self._entries: dict[str, QueueEntry] = {}
        self._numbers = itertools.count(1)
        self.paused = False

    @property
    def entries(self) -> Sequence[QueueEntry]:
        """All of them."""
        return list(self._entries.values())

    def get(self, key: str) -> QueueEntry | None:
        """The entry of that key."""
        return self._entries.get(key)

    def count(self, *stages: QueueStage) -> int:
        """How many are in one of those stages."""
        return sum(one.stage in stages for one in self._entries.values())

    @property
    def running(self) -> bool:
        """Whether something is being scanned or waits for it."""
        return self.count(QueueStage.WAITS, QueueStage.SCANNING) > 0

    def add(self, sources: Iterable[Path | str]) -> tuple[list[QueueEntry], int]:
        """Take sources in; gives the new entries, and how many were left out because they wait or are being scanned
        already, or because the queue is full."""
        there = {one.source for one in self._entries.values() if one.stage not in OVER}
        added: list[QueueEntry] = []
        left_out = 0
        for source in sources:
            if source in there or len(self._entries) >= MOST:
                left_out += 1
                continue
            there.add(source)
            entry = QueueEntry(f"q{next(self._numbers)}", source)
            self._entries[entry.key] = entry
            added.append(entry)
        return added, left_out

    def begin_next(self) -> QueueEntry | None:
        """The next one to be scanned, now in that stage; None while the queue is paused, full of work or empty."""
        if self.paused or self.count(QueueStage.SCANNING) >= AT_ONCE:
            return None
        entry = next((one for one in self._entries.values() if one.stage is QueueStage.WAITS), None)
        if entry is not None:
            entry.stage, entry.began, entry.ended = QueueStage.SCANNING, time.monotonic(), 0.0
        return entry

    def finish(self, key: str, result: str) -> None:
        """Its scan has ended with that result."""
        self._end(key, QueueStage.DONE, result=result)

    def fail(self, key: str, reason: str) -> None:
        """It could not be scanned."""
        self._end(key, QueueStage.FAILED, reason=reason)

    def _end(self, key: str, stage: QueueStage, *, result: str = "", reason: str = "") -> None:
        entry = self._entries.get(key)
        if entry is not None and entry.stage not in OVER:
            entry.stage, entry.result, entry.reason, entry.ended = stage, result, reason, time.monotonic()

    def cancel(self, keys: Iterable[str] | None = None) -> list[QueueEntry]:
        """Take entries out of the work (None: all); gives those whose scan had begun."""
        begun = []
        for key in list(self._entries) if keys is None else keys:
            entry = self._entries.get(key)
            if entry is None or entry.stage in OVER:
                continue
            if entry.stage is QueueStage.SCANNING:
                begun.append(entry)
            self._end(key, QueueStage.CANCELLED)
        return begun

    def retry(self, key: str) -> bool:
        """Have a failed or cancelled one wait again; whether it does."""
        entry = self._entries.get(key)
        if entry is None or entry.stage not in (QueueStage.FAILED, QueueStage.CANCELLED):
            return False
        entry.stage, entry.scan_id, entry.reason, entry.began, entry.ended = QueueStage.WAITS, "", "", 0.0, 0.0
        return True

    def forget_finished(self) -> None:
        """Leave out what is over, save what failed."""
        keep = {
            key: one for key, one in self._entries.items() if one.stage not in (QueueStage.DONE, QueueStage.CANCELLED)
        }
        self._entries = keep


def media_in(paths: Sequence[Path]) -> tuple[list[Path], int]:
    """The files to scan: those that are named, and the media of folders with what lies below them, by name; and how
    many other files were left out. At most ``MOST``. Raises OSError. Blocks on the disk."""
    found: list[Path] = []
    others = 0
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        for one in sorted(path.rglob("*")):
            if len(found) >= MOST:
                break
            if any(part.startswith(".") for part in one.relative_to(path).parts) or not one.is_file():
                continue
            if one.suffix.lower() in MEDIA_SUFFIXES:
                found.append(one)
            else:
                others += 1
    return found[:MOST], others
