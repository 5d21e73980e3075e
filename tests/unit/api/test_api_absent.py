"""A 404 for what this site lacks names it."""

from __future__ import annotations

import pytest

from app.api.absent import absence_of


@pytest.mark.parametrize("path", ["/", "/v1/citadel/defence/radar", "/v1/core/vssnx", "/v1/deliveriesx", "/v1/nodes"])
def test_a_typing_error_stays_one(path: str) -> None:
    """Nothing is named that was not asked for."""
    assert absence_of(path.encode(), training=False) is None


def test_calls_of_training_sites_are_told_as_such() -> None:
    """Where the site is in production; on a training site such a path is a typing error."""
    assert "Only a training site" in (absence_of(b"/v1/training/present", training=False) or "")
    assert absence_of(b"/v1/training/presents", training=True) is None


def test_bytes_that_are_no_text_are_nothing() -> None:
    """Whatever stands in a path."""
    assert absence_of(b"/v1/deliveries/\xff\n", training=True) is None
