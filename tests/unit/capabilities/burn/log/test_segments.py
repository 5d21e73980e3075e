"""Segments of the revocation log as bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.burn.log.segments import (
    NOTHING,
    SegmentError,
    SegmentHead,
    SegmentTarget,
    read_segment,
    write_segment,
)

HEAD = SegmentHead(
    log="training-0123456789abcdef.site.invalid/audit",
    segment=3,
    prev_sha256=NOTHING,
    follows=None,
    burn_id="burn_1",
    node_id="ARC-1",
    scope="LOCAL_ONLY",
    reason="badge found on the street",
    epoch=7,
    burned_at="2026-01-02T03:04:05.000006Z",
    made_at="2026-01-02T03:04:07.000008Z",
    state="COMPLETE",
    targets=2,
    open=0,
    delivered=0,
    unlinked=0,
    drill=False,
    training=True,
)
TARGETS = [
    SegmentTarget(
        target=name, kind="reader", display_name=None, state="revoked", attempts=1, latency_us=900, evidence="Größe"
    )
    for name in ("reader:a", "reader:b")
]
DATA = write_segment(HEAD, TARGETS)


def test_a_segment_is_read_as_it_was_written() -> None:
    """Head and lines, in their order."""
    found = read_segment(DATA)
    assert (found.head, found.targets) == (HEAD, TARGETS)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        DATA[:-1],
        DATA[: DATA.rindex(b"\n", 0, -1) + 1],
        DATA + DATA.splitlines(keepends=True)[1],
        DATA.replace(b'"v":2', b'"v": 2'),
        DATA.replace(b'"v":2', b'"v":1'),
        DATA.replace(b'"v":2', b'"v":3'),
        DATA.replace(b'"delivered":0', b'"delivered":-1'),
        DATA.replace(b'"unlinked":0', b'"unlinked":-1'),
        DATA.replace(b'"drill":false', b'"drill":false,"drill":false'),
        DATA.replace(b'"drill":false', b'"drill":false,"more":1'),
        DATA.replace(b'"kind":"reader"', b'"kind":"\xff"'),
    ],
)
def test_other_bytes_are_refused(data: bytes) -> None:
    """Cut off, a line more or less, another form, another version, a member twice or unknown, no Unicode."""
    with pytest.raises(SegmentError):
        read_segment(data)


@given(st.binary() | st.builds(lambda at, by: DATA[:at] + by + DATA[at:], st.integers(0, len(DATA)), st.binary()))
def test_a_segment_has_one_text(data: bytes) -> None:
    """Whatever is read is written again to the same bytes; anything else is refused."""
    try:
        found = read_segment(data)
    except SegmentError:
        return
    assert write_segment(found.head, found.targets) == data
