"""A served site with a registered unit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.capabilities.gateway.gateway_unit import RunningUnit
from tests.service.capabilities.infrastructure.watch_site import WatchSite


@pytest.fixture
def unit(tmp_path: Path) -> Iterator[RunningUnit]:
    """A unit of a running site, with a key of its own and an API key."""
    site = WatchSite(tmp_path / "site", ring=16)
    try:
        with site.running():
            made = RunningUnit(site)
            yield made
            made.close()
    finally:
        site.close()
