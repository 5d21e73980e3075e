"""Groups of frames."""

from __future__ import annotations

import pytest

from app.console.frames.groups import caption, group_of


@pytest.mark.parametrize(
    ("peer_id", "group"), [("training-a-07", "training-a"), ("hall_3", "hall"), ("db", "db"), ("42", "42")]
)
def test_a_group_is_all_before_the_last_number(peer_id: str, group: str) -> None:
    """Frames that differ in their last number belong together; an id that is one number stands alone."""
    assert group_of(peer_id) == group


def test_a_caption_reads_as_words() -> None:
    """Separators become spaces."""
    assert caption("training-a") == "Training a"
