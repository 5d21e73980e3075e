"""The caller's wish how long to wait."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api.prefer import LONGEST_WAIT_S, preferred_wait


@pytest.mark.parametrize(
    ("prefer", "expected"),
    [
        ("", (None, None)),
        ("respond-async", (0.0, "respond-async")),
        ("Respond-Async, wait=5", (0.0, "respond-async")),
        ("wait=5", (5.0, "wait=5")),
        ('return=minimal, wait="7"; foo=bar', (7.0, "wait=7")),
        ("wait=600", (25.0, "wait=25")),
        ("wait=-1", (None, None)),
        ("wait=soon", (None, None)),
        ("wait=٣", (None, None)),
    ],
)
def test_prefer(prefer: str, expected: tuple[float | None, str | None]) -> None:
    """RFC 7240: what is not understood is ignored, what was followed is told."""
    assert preferred_wait(prefer) == expected


@given(st.text())
def test_any_header_gives_a_bounded_wait(prefer: str) -> None:
    """No header raises, waits for ever, or waits before the beginning."""
    wait, _ = preferred_wait(prefer)
    assert wait is None or 0 <= wait <= LONGEST_WAIT_S
