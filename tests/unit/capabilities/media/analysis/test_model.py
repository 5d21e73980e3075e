"""The facts that are shipped with the network."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.media.analysis.model import FACTS_FILE, ModelFacts, read_facts

FACTS = ModelFacts("1", 0.1, 0.5, ("jpeg", "png"), {"jpeg": (0.1, 0.2)}, {"ela": (0.3,)})


def test_facts_are_read_as_written(tmp_path: Path) -> None:
    """From the model's directory."""
    (tmp_path / FACTS_FILE).write_bytes(msgspec.json.encode(FACTS))
    assert read_facts(tmp_path) == FACTS


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """It is no model."""
    with pytest.raises(FileNotFoundError, match=FACTS_FILE):
        read_facts(tmp_path)


@given(content=st.binary(max_size=80))
def test_other_content_is_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """As msgspec says it, which is a ValueError."""
    folder = tmp_path_factory.getbasetemp()
    (folder / FACTS_FILE).write_bytes(content)
    with pytest.raises(msgspec.DecodeError):
        read_facts(folder)
    assert issubclass(msgspec.DecodeError, ValueError)
