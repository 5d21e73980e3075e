"""Percentiles and broken lines."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.console.frames.measurements import broken_line, nearest_rank, percentile_columns


@given(
    st.lists(st.one_of(st.none(), st.floats(0.125, 65536.0, width=32)), min_size=1, max_size=60), st.floats(0.01, 1.0)
)
def test_percentiles_are_measured_values(column: list[float | None], share: float) -> None:
    """Nearest rank: never a value that nobody measured, NaN where there is none, both ways of computing agree."""
    values = np.array([[np.nan if value is None else value] for value in column], dtype=np.float32)
    found = percentile_columns(values, share)[0]
    good = np.sort(values[np.isfinite(values)])
    if not good.size:
        assert np.isnan(found)
        assert nearest_rank(values, share) is None
    else:
        assert found == good[max(0, int(np.ceil(share * good.size)) - 1)]
        assert nearest_rank(values, share) == found


def test_a_line_breaks_where_nothing_was_measured() -> None:
    """More than the gap apart, or with a missed probe between: no line is drawn across."""
    x, y = np.array([0.0, 1.0, 2.0, 9.0]), np.array([1.0, 1.0, 1.0, 1.0])
    _, broken = broken_line(x, y, 2.5, missed=(1.5,))
    assert [bool(value) for value in np.isnan(broken)] == [False, False, True, False, True, False]


def test_a_steady_line_is_whole() -> None:
    """Two probes in one second and none in the next are no gap."""
    x, y = np.array([0.0, 1.0, 3.0]), np.array([1.0, 1.0, 1.0])
    assert not np.isnan(broken_line(x, y, 2.5)[1]).any()
