"""One palm site a module: what a test adds, it names for itself."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from types import SimpleNamespace

import pytest

from hardware.terminals import software
from tests.service.capabilities.palm.palm_site import PalmSite


@pytest.fixture(scope="module", autouse=True)
def pinned_pictures() -> Iterator[None]:
    """A module's hands lie the same way each time: no test is decided by how one happened to."""
    drawn = Random(1)
    with pytest.MonkeyPatch.context() as patch:
        numbers = SimpleNamespace(token_bytes=drawn.randbytes, randbits=drawn.getrandbits)
        patch.setattr(software, "secrets", numbers)
        yield


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, pinned_pictures: None) -> Iterator[PalmSite]:
    """Production rules: copies are refused."""
    del pinned_pictures
    made = PalmSite(tmp_path_factory.mktemp("palm"))
    yield made
    made.close()
