"""A voice site for each module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.voice_site import VoiceSite, voice_site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VoiceSite]:
    """One site a module. What a test adds, it names for itself."""
    with voice_site(tmp_path_factory.mktemp("voice") / "site") as made:
        yield made
