"""Statements of the burn's tables against the words of its targets."""

from __future__ import annotations

from app.capabilities.burn import tables
from app.capabilities.burn.targets import FINAL


def test_rows_and_memory_agree_on_what_is_proven() -> None:
    """In the statement that writes results, too."""
    assert set(tables.FINAL_STATES) == FINAL
    assert str(tables.FINAL_STATES) in str(tables._PROVE)
