"""A burn on paper, for people: what was ordered, what was proven when, and which bytes prove it (PDF, A4).

Proves nothing itself: it lies in the signed bundle, whose segments are what is judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from textwrap import wrap

from fpdf import FPDF

from app.capabilities.burn.log.segments import Segment, SegmentHead, SegmentTarget
from app.capabilities.burn.targets import FINAL, UNPROVEN
from app.delivery.paper import FONT, printable, sheet

LISTED = 300
"""Targets with a line each; a site has thousands of doors, and all of them stand in the segments."""
_LEFT, _WIDTH, _TOP, _BOTTOM = 18.0, 174.0, 20.0, 277.0
_LETTERS = 96
"""Of a line at 8 points."""
_NAMES = 16
_FOOT = 287.0


class _Paper:
    """Lines from top to bottom, on as many pages as it takes."""

    def __init__(self, page: FPDF, mark: str) -> None:
        self.page = page
        self._mark = mark
        self._y = _BOTTOM + 1

    def line(
        self, words: str, *, size: float = 8.0, bold: bool = False, height: float = 4.2, inset: float = 0.0
    ) -> None:
        """One line, cut to what fits."""
        if self._y + height > _BOTTOM:
            self._turn()
        self.page.set_font(FONT, "B" if bold else "", size)
        most = int(_LETTERS * 8.0 / size - inset / 1.8)
        self.page.set_xy(_LEFT + inset, self._y)
        self.page.cell(_WIDTH - inset, height, printable(self.page, words, most))
        self._y += height

    def text(self, words: str, *, inset: float = 0.0) -> None:
        """As many lines as the words need."""
        for part in wrap(words, int(_LETTERS - inset / 1.8)):
            self.line(part, inset=inset)

    def title(self, words: str) -> None:
        """Words over what follows."""
        self._y += 3.0
        if self._y + 12 > _BOTTOM:
            self._turn()
        self.line(words, size=11, bold=True, height=6.5)

    def fact(self, name: str, value: str) -> None:
        """A name and its value; a long value goes on below."""
        for part in wrap(value, _LETTERS - _NAMES) or [""]:
            self.line(f"{name:<{_NAMES}}{part}")
            name = ""

    def _turn(self) -> None:
        self.page.add_page()
        self.page.set_font(FONT, "B", 8)
        self.page.set_xy(_LEFT, 10)
        self.page.cell(_WIDTH, 4, self._mark)
        self.page.set_font(FONT, "", 7)
        self.page.set_xy(_LEFT, _FOOT)
        self.page.cell(_WIDTH, 4, f"Page {self.page.page_no()}", align="R")
        self._y = _TOP


def burn_report(segments: Sequence[tuple[Segment, str, int]]) -> bytes:
    """The report of a burn's ``segments``: each with its SHA-256 and its leaf. The same bytes for the same segments.
    Blocks for some tens of milliseconds."""
    first, last = segments[0][0].head, segments[-1][0].head
    made = datetime.fromisoformat(last.made_at)
    marks = [
        word
        for word, is_so in (("TRAINING - nothing real was ended.", first.training), ("DRILL", first.drill))
        if is_so
    ]
    paper = _Paper(sheet(f"Burn {first.burn_id}", made), "   ".join(["ARC Console", *marks]))
    _write_facts(paper, first, last)
    targets: dict[str, SegmentTarget] = {}
    for segment, _, _ in segments:
        targets |= {target.target: target for target in segment.targets}
    _write_targets(paper, list(targets.values()))
    _write_proofs(paper, segments)
    paper.line(f"Log {first.log}")
    paper.line("HOW-TO-VERIFY.txt in the same bundle says how to check them without asking this site.")
    return bytes(paper.page.output())


def _write_facts(paper: _Paper, first: SegmentHead, last: SegmentHead) -> None:
    """What was ordered, and how far it is."""
    paper.line("Burn report", size=16, bold=True, height=10)
    paper.fact("Burn", first.burn_id)
    paper.fact("Node", first.node_id)
    paper.fact("Scope", first.scope)
    paper.fact("Reason", first.reason)
    paper.fact("Ordered", f"{first.burned_at}, epoch {first.epoch} of the deny set")
    paper.fact(
        "State", f"{last.state} at {last.made_at}" + (f", {last.open} target(s) without proof" if last.open else "")
    )
    for count, state, words in (
        (
            last.delivered,
            "delivered",
            "target(s) only took it: what they did with it cannot be read, so it is no proof",
        ),
        (
            last.unlinked,
            "unlinked",
            "target(s) have no account of the person that could be found, which proves nothing",
        ),
    ):
        if count:
            paper.fact(state.capitalize(), f"{count} {words}")


def _write_targets(paper: _Paper, targets: Sequence[SegmentTarget]) -> None:
    """Counts by kind and state, then each target, open ones first."""
    listed = sorted(
        targets,
        key=lambda one: (one.state in FINAL, one.state not in UNPROVEN, one.kind != "local", one.kind == "reader"),
    )
    paper.title(f"Targets ({len(targets)})")
    for (kind, state), count in sorted(_counts(listed).items()):
        slowest = max((one.latency_us or 0 for one in listed if (one.kind, one.state) == (kind, state)), default=0)
        done = "taken" if state == "delivered" else "looked for" if state == "unlinked" else "proven"
        proven = f", the last {done} after {slowest / 1000:.1f} ms" if state in FINAL and slowest else ""
        paper.line(f"{count:>5} x {kind:<12} {state}{proven}")
    paper.title("Each target: open ones first, then those without proof")
    for target in listed[:LISTED]:
        after = "" if target.latency_us is None else f" after {target.latency_us / 1000:.1f} ms"
        paper.line(
            f"{target.target}: {target.state}{after}, {target.attempts} attempt(s)", bold=target.state not in FINAL
        )
        paper.text(" - ".join(filter(None, (target.display_name, target.evidence))), inset=6)
    if len(listed) > LISTED:
        paper.line(f"... and {len(listed) - LISTED} more; all of them stand in the segments beside this report.")


def _write_proofs(paper: _Paper, segments: Sequence[tuple[Segment, str, int]]) -> None:
    """Which bytes prove it: each segment with its SHA-256 and its leaf."""
    paper.title("What proves it")
    paper.line("Segments of the revocation log, each sealed by a C2PA manifest and an entry of the audit log:")
    for segment, digest, leaf in segments:
        head = segment.head
        paper.line(f"Segment {head.segment} of {head.made_at}: {head.targets} target(s), audit entry {leaf}")
        paper.line(f"SHA-256 {digest}", inset=6)


def _counts(targets: Sequence[SegmentTarget]) -> dict[tuple[str, str], int]:
    counts: dict[tuple[str, str], int] = {}
    for target in targets:
        counts[target.kind, target.state] = counts.get((target.kind, target.state), 0) + 1
    return counts
