"""A burn on paper, for people: what was ordered, what was proven when, and which bytes prove it (PDF, A4).

Proves nothing itself: it lies in the signed bundle, whose segments are what is judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from app.capabilities.burn.log.segments import Segment, SegmentHead, SegmentTarget
from app.capabilities.burn.targets import FINAL, UNPROVEN
from app.delivery.paper import LinePaper, sheet

LISTED = 300
"""Targets with a line each; a site has thousands of doors, and all of them stand in the segments."""


def burn_report(segments: Sequence[tuple[Segment, str, int]], ordered_by: str, taken_back: str = "") -> bytes:
    """The report of a burn's ``segments``: each with its SHA-256 and its leaf. ``ordered_by``: who called for it;
    ``taken_back``: when and by whom it was lifted, empty: it was not. The same bytes for the same facts. Blocks for
    some tens of milliseconds."""
    first, last = segments[0][0].head, segments[-1][0].head
    made = datetime.fromisoformat(last.made_at)
    marks = [
        word
        for word, is_so in (("TRAINING - nothing real was ended.", first.training), ("DRILL", first.drill))
        if is_so
    ]
    paper = LinePaper(sheet(f"Burn {first.burn_id}", made), "   ".join(["ARC Console", *marks]))
    _write_facts(paper, first, last, ordered_by, taken_back)
    targets: dict[str, SegmentTarget] = {}
    for segment, _, _ in segments:
        targets |= {target.target: target for target in segment.targets}
    _write_targets(paper, list(targets.values()))
    _write_proofs(paper, segments)
    paper.line(f"Log {first.log}")
    paper.line("HOW-TO-VERIFY.txt in the same bundle says how to check them without asking this site.")
    return bytes(paper.page.output())


def _write_facts(paper: LinePaper, first: SegmentHead, last: SegmentHead, ordered_by: str, taken_back: str) -> None:
    """What was ordered, by whom, and how far it is."""
    paper.line("Burn report", size=16, bold=True, height=10)
    paper.fact("Burn", first.burn_id)
    paper.fact("Node", first.node_id)
    paper.fact("Scope", first.scope)
    paper.fact("Reason", first.reason)
    paper.fact("Ordered", f"{first.burned_at}, epoch {first.epoch} of the deny set")
    paper.fact("Ordered by", ordered_by)
    if taken_back:
        paper.fact("Taken back", taken_back)
    paper.fact(
        "State",
        f"{last.state} at {last.made_at}"
        + (f", {last.open} target{'s' * (last.open != 1)} without proof" if last.open else ""),
    )
    for count, state, words in (
        (
            last.delivered,
            "delivered",
            "only taken: what was done with it cannot be read, so it is no proof",
        ),
        (
            last.unlinked,
            "unlinked",
            "without an account of the person that could be found, which proves nothing",
        ),
    ):
        if count:
            paper.fact(state.capitalize(), f"{count} {words}")


def _write_targets(paper: LinePaper, targets: Sequence[SegmentTarget]) -> None:
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
            f"{target.target}: {target.state}{after}, {target.attempts} attempt{'s' * (target.attempts != 1)}",
            bold=target.state not in FINAL,
        )
        paper.text(" - ".join(filter(None, (target.display_name, target.evidence))), inset=6)
    if len(listed) > LISTED:
        paper.line(f"... and {len(listed) - LISTED} more; all of them stand in the segments beside this report.")


def _write_proofs(paper: LinePaper, segments: Sequence[tuple[Segment, str, int]]) -> None:
    """Which bytes prove it: each segment with its SHA-256 and its leaf."""
    paper.title("What proves it")
    paper.line("Segments of the revocation log, each sealed by a C2PA manifest and an entry of the audit log:")
    for segment, digest, leaf in segments:
        head = segment.head
        paper.line(
            f"Segment {head.segment} of {head.made_at}: {head.targets} target{'s' * (head.targets != 1)}, "
            f"audit entry {leaf}"
        )
        paper.line(f"SHA-256 {digest}", inset=6)


def _counts(targets: Sequence[SegmentTarget]) -> dict[tuple[str, str], int]:
    counts: dict[tuple[str, str], int] = {}
    for target in targets:
        counts[target.kind, target.state] = counts.get((target.kind, target.state), 0) + 1
    return counts
