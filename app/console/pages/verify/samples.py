"""The samples of one enrolment on their way from the picture to the service, and what a person reads of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from app.console.language import tr
from app.console.theme.tokens import Meaning

WANTED, LEAST = 5, 3
"""Samples of one palm."""
UNLIKE = 35
"""Likeness, of 100, below which the service leaves a sample out."""
SampleState = Literal["missing", "taken", "used", "unlike"]
STATES: dict[SampleState, tuple[Meaning, str]] = {
    "missing": (Meaning.IDLE, tr("Missing")),
    "taken": (Meaning.OK, tr("Taken", "sample")),
    "used": (Meaning.OK, tr("Enrolled")),
    "unlike": (Meaning.WARN, tr("Unlike: take again")),
}
_POINTER = re.compile(r"/samples/(\d{1,2})")


@dataclass(eq=False)
class SamplePlace:
    """One of the places; ``roi`` is the square's grey values while they are kept."""

    number: int
    name: str = ""
    state: SampleState = "missing"
    said: str = ""
    roi: bytearray | None = field(default=None, repr=False)

    def wipe(self) -> None:
        """Overwrite the square."""
        if self.roi is not None:
            self.roi[:] = bytes(len(self.roi))
            self.roi = None


class Samples:
    """``WANTED`` places."""

    def __init__(self) -> None:
        self.rows = [SamplePlace(number) for number in range(1, WANTED + 1)]

    @property
    def kept(self) -> list[SamplePlace]:
        """Those that would be sent, in order."""
        return [row for row in self.rows if row.roi is not None]

    @property
    def free(self) -> list[SamplePlace]:
        """Those that wait for a square."""
        return [row for row in self.rows if row.roi is None]

    def take(self, name: str, roi: bytearray) -> SamplePlace | None:
        """Keep a square in the first free place; None (and the square wiped) when there is none."""
        if not self.free:
            roi[:] = bytes(len(roi))
            return None
        row = self.free[0]
        row.name, row.state, row.said, row.roi = name, "taken", "", roi
        return row

    def drop(self, number: int) -> None:
        """Forget the square of a place."""
        row = self.rows[number - 1]
        row.wipe()
        row.name, row.state, row.said = "", "missing", ""

    def forget(self) -> int:
        """Forget every square; how many there were."""
        count = len(self.kept)
        for row in self.rows:
            self.drop(row.number)
        return count

    def take_enrolment(self, discarded: Sequence[int]) -> None:
        """The service took them; ``discarded`` are positions among ``kept``. What was used is wiped only when nothing
        is to be taken again."""
        sent = self.kept
        for position, row in enumerate(sent):
            row.state = "unlike" if position in discarded else "used"
            if position in discarded or not discarded:
                row.wipe()

    def take_refusal(self, fields: Sequence[tuple[str, str]]) -> None:
        """Mark what the service found wrong, by its pointers."""
        sent = self.kept
        for pointer, said in fields:
            found = _POINTER.fullmatch(pointer)
            if found is not None and int(found[1]) < len(sent):
                row = sent[int(found[1])]
                row.state, row.said = "unlike", said
                row.wipe()

    @property
    def progress(self) -> str:
        """How many there are and how many more are wanted."""
        count = len(self.kept)
        if count >= WANTED:
            return tr("{count} of {wanted} samples.", count=count, wanted=WANTED)
        more = WANTED - count
        if count >= LEAST:
            return tr("{count} of {wanted} samples: {more} more wanted.", count=count, wanted=WANTED, more=more)
        return tr(
            "{count} of {wanted} samples: {needed} more needed, {more} wanted.",
            count=count,
            wanted=WANTED,
            needed=LEAST - count,
            more=more,
        )


def likeness_words(quality: int) -> str:
    """The lowest likeness of a sample to the one that the others were aligned to, 0..100."""
    return tr("likeness {quality} of 100 or more (below {least} a sample is not used)", quality=quality, least=UNLIKE)


ALONE = tr(
    "A terminal that decides alone may still match by its last bundle until it has taken a new one; "
    "unplugged, until that bundle ends (not_after)."
)
"""What neither an erasure nor a burn here can take back."""
STORED = tr(
    "One template of 512 numbers, made with the registry's secret key and sealed under another one. It "
    "can be renewed without the person. A burn or an erasure removes it here. {alone}",
    alone=ALONE,
)
NOT_STORED = tr(
    "No picture. Only the square is sent; a process of its own makes the template and ends, and nothing "
    "of what was before the registry's key came in is stored. The opened picture and the squares are "
    "overwritten in this console's memory after use; copies made to show and send them are freed, not "
    "overwritten. The file on the disk stays."
)
KNOW = tr(
    "Two registries cannot be linked by score while their keys are secret. Whoever steals a registry's "
    "key can work out what was enrolled: guard the key, and renew the registry when in doubt."
)
