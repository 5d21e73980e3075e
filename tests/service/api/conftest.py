"""One served site for the tests that leave it as they found it, and a fresh one for the others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.api.api_site import ApiSite


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiSite]:
    """A running site that tests only read or add to."""
    site = ApiSite(tmp_path_factory.mktemp("api") / "site")
    with site.running():
        yield site
    site.close()


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[ApiSite]:
    """A site of this test's own, not yet running."""
    site = ApiSite(tmp_path / "site")
    yield site
    site.close()
