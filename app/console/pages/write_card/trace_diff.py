"""One APDU trace held against another: what is missing, what came on top, what was answered otherwise, what was slow.

Pure, and quadratic only in the part where the two differ.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from app.capabilities.provisioning.messages import TraceEntry

SLOW_FACTOR = 2.0
SLOW_MS = 25.0
"""An APDU is slow when it took more than ``SLOW_FACTOR`` times the golden one's time and ``SLOW_MS`` longer: below that
a busy machine would be told of, not the card."""

_TAG_LIST = 0x5C
_SELECT, _GET_RESPONSE = "A4", "C0"
_CHAINED = 0x10

Key = tuple[str, str]
"""CLA INS P1 P2, and the object that it is about; empty where the command names none (or hides what it carries)."""


class ApduDifference(enum.StrEnum):
    """How an APDU differs from the golden trace's."""

    NONE = ""
    MISSING = "missing"
    EXTRA = "extra"
    STATUS = "other SW"
    SLOW = "slow"


@dataclass(frozen=True)
class TraceLine:
    """One line of the comparison: the APDU that it is about (a missing one is the golden trace's), and the golden one
    beside it, None for an extra one or where nothing was compared."""

    difference: ApduDifference
    shown: TraceEntry
    golden: TraceEntry | None = None

    @property
    def entry(self) -> TraceEntry | None:
        """The APDU of the trace itself; None where it is missing."""
        return None if self.difference is ApduDifference.MISSING else self.shown


def alone(trace: Sequence[TraceEntry]) -> list[TraceLine]:
    """The lines of a trace that is held against nothing."""
    return [TraceLine(ApduDifference.NONE, entry) for entry in trace]


def compare(trace: Sequence[TraceEntry], golden: Sequence[TraceEntry]) -> list[TraceLine]:
    """Every entry of both, once, each in its own order, paired along a longest common subsequence of their keys."""
    ours, theirs = keys_of(trace), keys_of(golden)
    head = 0
    while head < min(len(ours), len(theirs)) and ours[head] == theirs[head]:
        head += 1
    tail = 0
    while tail < min(len(ours), len(theirs)) - head and ours[-1 - tail] == theirs[-1 - tail]:
        tail += 1
    pairs = [(at, at) for at in range(head)]
    inner = _common(ours[head : len(ours) - tail], theirs[head : len(theirs) - tail])
    pairs += [(head + left, head + right) for left, right in inner]
    pairs += [(len(ours) - back, len(theirs) - back) for back in range(tail, 0, -1)]
    lines: list[TraceLine] = []
    left = right = 0
    for at, other in [*pairs, (len(ours), len(theirs))]:
        lines += [TraceLine(ApduDifference.MISSING, golden[gone], golden[gone]) for gone in range(right, other)]
        lines += [TraceLine(ApduDifference.EXTRA, trace[more]) for more in range(left, at)]
        if at < len(ours):
            lines.append(TraceLine(_compare_apdus(trace[at], golden[other]), trace[at], golden[other]))
        left, right = at + 1, other + 1
    return lines


def keys_of(trace: Sequence[TraceEntry]) -> list[Key]:
    """The key of each APDU. The rest of a chain, and the rest of an answer, belong to the object of their first."""
    keys: list[Key] = []
    chain = False
    tag = ""
    for entry in trace:
        header = entry.header.upper()
        if header[2:4] != _GET_RESPONSE and not chain:
            tag = object_tag(entry)
        keys.append((header, tag))
        chain = _is_chained(header) or (chain and header[2:4] == _GET_RESPONSE)
    return keys


def object_tag(entry: TraceEntry) -> str:
    """The object that a command names: its tag list (5C), or the application of SELECT; hexadecimal, else empty."""
    data = entry.data or ""
    if entry.header[2:4].upper() == _SELECT:
        return data.upper()
    if data[:2].upper() != f"{_TAG_LIST:02X}" or len(data) < 4:
        return ""
    try:
        size = int(data[2:4], 16)
    except ValueError:
        return ""
    return data[4 : 4 + 2 * size].upper()


def _is_chained(header: str) -> bool:
    try:
        cla = int(header[:2], 16)
    except ValueError:
        return False
    return cla < 0x40 and bool(cla & _CHAINED)


def _compare_apdus(entry: TraceEntry, golden: TraceEntry) -> ApduDifference:
    if entry.sw.upper() != golden.sw.upper():
        return ApduDifference.STATUS
    if entry.ms > golden.ms * SLOW_FACTOR and entry.ms - golden.ms > SLOW_MS:
        return ApduDifference.SLOW
    return ApduDifference.NONE


def _common(ours: Sequence[Key], theirs: Sequence[Key]) -> list[tuple[int, int]]:
    """Pairs of positions along a longest common subsequence, earliest first."""
    longest = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for at in range(len(ours) - 1, -1, -1):
        row, below = longest[at], longest[at + 1]
        for other in range(len(theirs) - 1, -1, -1):
            if ours[at] == theirs[other]:
                row[other] = below[other + 1] + 1
            else:
                row[other] = max(below[other], row[other + 1])
    pairs: list[tuple[int, int]] = []
    at = other = 0
    while at < len(ours) and other < len(theirs):
        if ours[at] == theirs[other]:
            pairs.append((at, other))
            at, other = at + 1, other + 1
        elif longest[at + 1][other] >= longest[at][other + 1]:
            at += 1
        else:
            other += 1
    return pairs
