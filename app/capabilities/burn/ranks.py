"""The nearest rank: which of ascending values is a percentile of them."""

from __future__ import annotations

from typing import Any


def nearest_rank(count: Any, percent: int) -> Any:
    """The rank of the ``percent``-th percentile among ``count`` ascending values, 1 for the smallest; 0 of none.
    ``count``: an ``int``, or an integer column of the store, which then counts as Python does."""
    return (count * percent + 99) // 100
