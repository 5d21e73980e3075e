"""Token buckets as arithmetic."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.api.operation import Rate
from app.api.rates import KEYS_MAX, RateRule, Rates


@given(
    st.floats(0.1, 100),
    st.integers(1, 50),
    st.lists(st.floats(0, 5), min_size=1, max_size=100),
)
def test_never_more_than_the_rule(per_second: float, burst: int, waits: list[float]) -> None:
    """In any span no more passes than the burst and what the span refilled."""
    rates = Rates({Rate.READ: RateRule(per_second, burst)})
    now, passed = 0.0, 0
    for wait in waits:
        now += wait
        passed += rates.draw("key", Rate.READ, now).retry_after_s == 0
        assert passed <= burst + now * per_second + 1e-6


@given(st.floats(0.1, 100), st.integers(1, 5))
def test_retry_after_is_enough(per_second: float, burst: int) -> None:
    """Who waits as long as told is let through."""
    rates = Rates({Rate.READ: RateRule(per_second, burst)})
    wait = 0
    while not wait:
        wait = rates.draw("key", Rate.READ, 0.0).retry_after_s
    assert rates.draw("key", Rate.READ, float(wait)).retry_after_s == 0


def test_buckets_are_bounded() -> None:
    """However many keys come, memory holds a fixed number of buckets, the latest ones."""
    rates = Rates()
    for n in range(KEYS_MAX + 10):
        rates.draw(f"key-{n}", Rate.READ, 0.0)
    assert len(rates._levels) == KEYS_MAX
    assert ("key-9", Rate.READ) not in rates._levels
