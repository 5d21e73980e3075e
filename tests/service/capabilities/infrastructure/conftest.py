"""A site whose server frames are watched."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.capabilities.infrastructure.watch_site import WatchSite


@pytest.fixture
def site(tmp_path: Path) -> Iterator[WatchSite]:
    """A site of this test's own, nothing started."""
    made = WatchSite(tmp_path / "site")
    yield made
    made.close()
