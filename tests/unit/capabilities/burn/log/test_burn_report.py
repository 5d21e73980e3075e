"""The report of a burn, as pdftotext reads it."""

from __future__ import annotations

import subprocess

import pytest

from app.capabilities.burn.log.report import burn_report
from app.capabilities.burn.log.segments import Segment, SegmentHead, SegmentTarget

HEAD = SegmentHead(
    log="site.invalid",
    segment=0,
    prev_sha256="0" * 64,
    follows=None,
    burn_id="burn_1",
    node_id="ARC-1",
    scope="GLOBAL_REVOCATION",
    reason="badge found on the street",
    epoch=3,
    burned_at="2026-03-01T10:00:00.000000Z",
    made_at="2026-03-01T10:00:01.000000Z",
    state="COMPLETE",
    targets=1,
    open=0,
    delivered=0,
    unlinked=0,
    drill=False,
    training=False,
)
TARGET = SegmentTarget(
    target="east-1",
    kind="reader",
    display_name="East",
    state="revoked",
    attempts=1,
    latency_us=41_000,
    evidence="acked",
)


def text_of(ordered_by: str, taken_back: str = "") -> str:
    """The report's words, in one line."""
    pdf = burn_report([(Segment(HEAD, (TARGET,)), "a" * 64, 7)], ordered_by, taken_back)
    done = subprocess.run(["pdftotext", "-layout", "-", "-"], input=pdf, capture_output=True, check=True)
    return " ".join(done.stdout.decode().split())


def test_who_ordered_it_is_named() -> None:
    """Beside the time of the order."""
    said = text_of("Training desk (op_1)")
    assert "Ordered by Training desk (op_1)" in said
    assert "Taken back" not in said


def test_a_burn_that_was_lifted_says_by_whom() -> None:
    """Or the report would still be read as a person's end."""
    assert "Taken back 2026-03-02T08:00:00.000000Z by op_2" in text_of("key_1", "2026-03-02T08:00:00.000000Z by op_2")


@pytest.mark.parametrize("said", ["41.0 ms", "SHA-256 " + "a" * 64, "audit entry 7", "east-1: revoked"])
def test_what_proves_it_is_listed(said: str) -> None:
    """Each target with its time, each segment with its digest and leaf."""
    assert said in text_of("key_1")
