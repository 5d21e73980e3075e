"""What an audit entry says to a person."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.console.pages.audit.words import detail_lines, summary

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(min_size=1, max_size=8), JSON, max_size=5))
def test_every_payload_has_lines(detail: dict[str, object]) -> None:
    """Everything that an action can write into its leaf can be read."""
    lines = detail_lines(detail)
    assert bool(lines) == bool(detail)
    assert all(isinstance(part, str) for line in lines for part in line)


def test_a_payload_is_told_on_one_line() -> None:
    """Truth and nothing in words, lists by their length."""
    detail = {"reason": "routine", "attempt": 3, "drill": True, "note": None, "targets": ["a", "b"]}
    assert summary(detail) == "reason=routine  attempt=3  drill=yes  note=none  targets: 2"
