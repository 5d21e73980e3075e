"""Standing: what is true now of what was recorded."""

from __future__ import annotations

import pytest

from app.registry.messages.nodes import Standing
from app.registry.standing import effective

WINDOW = 1_000


@pytest.mark.parametrize(
    ("recorded", "verified_us", "causes", "now_us", "expected"),
    [
        ("UNVERIFIED", None, set(), 0, "UNVERIFIED"),
        ("VERIFIED_DIGITAL_HUMAN", 0, set(), WINDOW - 1, "VERIFIED_DIGITAL_HUMAN"),
        ("VERIFIED_DIGITAL_HUMAN", 0, set(), WINDOW, "EXPIRED"),
        ("VERIFIED_DIGITAL_HUMAN", None, set(), 0, "EXPIRED"),
        ("EXPIRED", 0, set(), 1, "EXPIRED"),
        ("VERIFIED_DIGITAL_HUMAN", 0, {"containment"}, 1, "SUSPENDED"),
        ("UNVERIFIED", None, {"brake"}, 1, "SUSPENDED"),
        ("VERIFIED_DIGITAL_HUMAN", 0, {"containment", "burn"}, 1, "REVOKED"),
        ("VERIFIED_DIGITAL_HUMAN", 0, {"burn"}, WINDOW, "REVOKED"),
        ("REVOKED", 0, set(), 1, "REVOKED"),
    ],
)
def test_effective_standing(
    recorded: Standing, verified_us: int | None, causes: set[str], now_us: int, expected: Standing
) -> None:
    """Deny rows rule over time, time over what was recorded, and a burn over everything."""
    assert effective(recorded, verified_us, causes, now_us, WINDOW) == expected
