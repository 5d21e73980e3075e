"""The filtered entries as a file: JSON for programs, CSV for spreadsheets. The file is there whole or not at all."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import msgspec

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console.formats.spreadsheet import FORMULA

FIELDS = (
    "seq",
    "timestamp",
    "action",
    "outcome",
    "actor",
    "node_id",
    "unit_id",
    "request_id",
    "detail",
    "leaf_hash",
)


class ExportFile:
    """Writes beside the target; ``finish`` puts it in the target's place. Without ``finish`` nothing remains.

    ``.csv`` makes CSV (RFC 4180, UTF-8, detail as JSON), anything else one JSON object with ``filter``, ``entries`` and
    ``checkpoint``. Blocks on the disk: not for the GUI thread.
    """

    def __init__(self, path: Path, wanted: dict[str, object]) -> None:
        self._path = path
        self._part = path.with_name(path.name + ".part")
        self._csv = path.suffix.lower() == ".csv"
        self._wanted = wanted
        self._file: BinaryIO | None = None
        self._finished = False
        self.count = 0

    def __enter__(self) -> Self:
        # The log names people: nobody else reads the export until its owner gives it away.
        self._file = os.fdopen(os.open(self._part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")
        if self._csv:
            self._row(FIELDS)
        else:
            self._file.write(b'{"filter":' + msgspec.json.encode(self._wanted) + b',"entries":[')
        return self

    def write(self, entries: Sequence[AuditEntry]) -> None:
        """Add entries."""
        if self._file is None:
            raise ValueError("the export is not open")
        for entry in entries:
            if self._csv:
                self._row([_cell(entry, name) for name in FIELDS])
            else:
                self._file.write((b",\n" if self.count else b"\n") + msgspec.json.encode(entry))
            self.count += 1

    def finish(self, checkpoint: str) -> None:
        """Put the file in its place, after everything is written. ``checkpoint``: the signed note that it is of."""
        if self._file is None:
            raise ValueError("the export is not open")
        if not self._csv:
            self._file.write(b'\n],"checkpoint":' + msgspec.json.encode(checkpoint) + b"}\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._file = None
        os.replace(self._part, self._path)
        self._finished = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        if not self._finished:
            self._part.unlink(missing_ok=True)

    def _row(self, cells: Sequence[str]) -> None:
        line = io.StringIO()
        csv.writer(line).writerow(cells)
        if self._file is not None:
            self._file.write(line.getvalue().encode())


def _cell(entry: AuditEntry, name: str) -> str:
    value = getattr(entry, name)
    text = "" if value is None else msgspec.json.encode(value).decode() if isinstance(value, dict) else str(value)
    return f"'{text}" if text.startswith(FORMULA) else text
