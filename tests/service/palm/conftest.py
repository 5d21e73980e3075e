"""One palm site a module: what a test adds, it names for itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.service.palm.palm_site import PalmSite


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PalmSite]:
    """Production rules: copies are refused."""
    made = PalmSite(tmp_path_factory.mktemp("palm"))
    yield made
    made.close()
