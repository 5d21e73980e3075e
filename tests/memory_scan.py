"""Looks for values in all memory of another process, and in its files."""

from __future__ import annotations

import base64
import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WINDOW = 24
"""Bytes of a value that are looked for at one place of it: no chance, and short enough to find part of a copy."""


@dataclass(frozen=True)
class Needles:
    """Forms in which a value may stay behind, cut out of it at three places."""

    found_as: dict[str, bytes]
    numbers: dict[str, NDArray[np.float64]]
    """Looked for as numbers: their many zero bytes would make a search for text crawl through empty pages."""

    @classmethod
    def of(cls, value: bytes) -> Needles:
        """Of ``value``: as it is, as base64 and hex, and as the float64 of its signed bytes."""
        text = base64.b64encode(value)
        last = len(value) - WINDOW
        made: dict[str, bytes] = {}
        numbers: dict[str, NDArray[np.float64]] = {}
        for place in (0, last // 2, last):
            part = value[place : place + WINDOW]
            at = place * 4 // 3
            made[f"raw at {place}"] = part
            made[f"base64 at {place}"] = text[at : at + WINDOW]
            made[f"hex at {place}"] = part.hex().encode()
            numbers[f"float64 at {place}"] = np.frombuffer(part, np.int8).astype(np.float64)
        return cls(made, numbers)

    def in_bytes(self, data: bytes) -> set[str]:
        """Names of the forms that ``data`` holds."""
        found = {name for name, needle in self.found_as.items() if needle in data}
        whole = np.frombuffer(data, np.float64, count=len(data) // 8)
        return found | {name for name, numbers in self.numbers.items() if _holds(whole, numbers)}

    def in_process(self, pid: int) -> set[str]:
        """Names of the forms that the process holds anywhere that it can write to."""
        found: set[str] = set()
        for region in regions(pid):
            found |= self.in_bytes(region)
        return found

    def in_files(self, *roots: Path) -> set[str]:
        """Names of the forms in the files below ``roots``, each with its file."""
        found: set[str] = set()
        for root in roots:
            for path, data in contents(root):
                found |= {f"{name} in {path.name}" for name in self.in_bytes(data)}
        return found


def _holds(whole: NDArray[np.float64], numbers: NDArray[np.float64]) -> bool:
    at = np.flatnonzero(whole[: max(len(whole) - len(numbers) + 1, 0)] == numbers[0])
    for step, number in enumerate(numbers[1:], start=1):
        at = at[whole[at + step] == number]
    return bool(len(at))


def regions(pid: int) -> Iterator[bytes]:
    """All memory that the process can write to, one mapping at a time."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in maps:
            addresses, rights = line.split(maxsplit=2)[:2]
            if "w" not in rights or "r" not in rights:
                continue
            begin, end = (int(address, 16) for address in addresses.split("-"))
            try:
                memory.seek(begin)
                parts = []
                while begin < end:
                    part = memory.read(end - begin)
                    parts.append(part)
                    begin += len(part)
            except OSError:
                # A mapping of a device; what the process itself wrote can always be read.
                continue
            yield b"".join(parts)


def contents(root: Path) -> Iterator[tuple[Path, bytes]]:
    """Every file below ``root`` (or ``root`` itself) that is still there when it is its turn, with all its bytes."""
    for path in [root] if root.is_file() else [part for part in root.rglob("*") if part.is_file()]:
        with contextlib.suppress(FileNotFoundError):
            yield path, path.read_bytes()


def core_files(*roots: Path) -> list[Path]:
    """Files that look like a process image."""
    return [
        path
        for root in roots
        for path in root.rglob("*")
        if path.is_file() and path.stat().st_size > 4096 and _is_core(path)
    ]


def _is_core(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(18)
    return head[:4] == b"\x7fELF" and int.from_bytes(head[16:18], sys.byteorder) == 4
