"""The desk that the provisioning tests of a module share: each test takes a node and cards of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.capabilities.provisioning.card_desk import Desk


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A training site."""
    made = Desk(tmp_path_factory.mktemp("desk") / "site")
    yield made
    made.close()


@pytest.fixture
def production(tmp_path: Path) -> Iterator[Desk]:
    """A production site, whose FIPS demands and ciphers are those of its settings."""
    made = Desk(tmp_path / "site", "production")
    yield made
    made.close()
