"""A 404 for what this version lacks names it."""

from __future__ import annotations

import re

import pytest

from app.api.absent import ABSENT, absence_of
from app.service.assembly import TABLE


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("/v1/citadel/action/strike", "enforcement (specification 4.4)"),
        ("/v1/citadel/action/jurisdictions", "enforcement"),
        ("/v1/registry/platforms", "no platform is registered"),
    ],
)
def test_what_is_announced_and_not_there_is_named(path: str, named: str) -> None:
    """On a site of either profile."""
    for training in (True, False):
        said = absence_of(path.encode(), training=training)
        assert said is not None
        assert said.startswith("This version has no ")
        assert named in said


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


@pytest.mark.parametrize("pattern", ABSENT)
def test_nothing_that_is_served_is_called_absent(pattern: str) -> None:
    """A row of the table takes its line here away."""
    assert {row.path for row in TABLE if re.fullmatch(pattern, row.path)} == set()
