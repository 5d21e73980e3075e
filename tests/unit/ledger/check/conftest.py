"""What the checks of small logs share."""

from __future__ import annotations

import pytest

from app.ledger.check import rows


@pytest.fixture
def few_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten entries of a log are searched for by their words: that takes most of the time of a small check."""
    monkeypatch.setattr(rows, "_LOOKED_UP", 10)
