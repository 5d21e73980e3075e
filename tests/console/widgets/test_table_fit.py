"""Who gets how much room in a table."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.console.widgets.table_fit import ColumnNeed, fit

COLUMNS = st.builds(
    ColumnNeed,
    least=st.integers(24, 300),
    wanted=st.integers(0, 600),
    weight=st.sampled_from([0.0, 0.0, 1.0, 2.5]),
    spare=st.integers(0, 4),
    gives=st.integers(0, 24),
)
NEEDS = st.lists(COLUMNS, min_size=1, max_size=14)


def least_of(needs: list[ColumnNeed]) -> int:
    """Px that those need that never go."""
    return sum(need.least - need.gives for need in needs if not need.spare)


@given(NEEDS, st.integers(0, 4000))
def test_no_column_is_narrower_than_its_least(needs: list[ColumnNeed], room: int) -> None:
    """Or it is not drawn at all, and only a spare one may be left out."""
    for need, width in zip(needs, fit(needs, room), strict=True):
        assert width >= need.least - need.gives or (width == 0 and need.spare)


@given(NEEDS, st.integers(0, 4000))
def test_a_table_scrolls_only_when_the_least_has_no_room(needs: list[ColumnNeed], room: int) -> None:
    """Otherwise its columns stay inside, and fill it where one of them takes the rest."""
    widths = fit(needs, room)
    if least_of(needs) <= room:
        assert sum(widths) <= room
        if any(need.weight and width for need, width in zip(needs, widths, strict=True)):
            assert sum(widths) == room


@given(NEEDS, st.integers(0, 4000))
def test_the_least_wanted_column_goes_first(needs: list[ColumnNeed], room: int) -> None:
    """None is left out while one with a higher number stays."""
    widths = fit(needs, room)
    out = [need.spare for need, width in zip(needs, widths, strict=True) if not width]
    stays = [need.spare for need, width in zip(needs, widths, strict=True) if width]
    assert not out or not stays or min(out) >= max(stays)


@given(NEEDS, st.integers(0, 4000))
def test_texts_of_the_first_priority_are_whole_before_anything_else_is_shown(
    needs: list[ColumnNeed], room: int
) -> None:
    """As long as a spare column is shown, every column has all that it wants."""
    widths = fit(needs, room)
    if any(need.spare and width for need, width in zip(needs, widths, strict=True)):
        assert all(width >= need.wanted for need, width in zip(needs, widths, strict=True) if width)


def test_the_rest_goes_by_weight() -> None:
    """Beyond what each has at least."""
    assert fit([ColumnNeed(100, 0), ColumnNeed(50, 0, 1.0), ColumnNeed(50, 0, 3.0)], 400) == [100, 100, 200]


def test_what_is_wanted_beyond_the_least_is_given_back_in_proportion() -> None:
    """When even those that never go want more than there is."""
    assert fit([ColumnNeed(100, 300), ColumnNeed(100, 200), ColumnNeed(100, 100)], 450) == [200, 150, 100]


@given(NEEDS, st.integers(0, 4000))
def test_a_column_gives_nothing_up_while_another_has_more_than_its_least(needs: list[ColumnNeed], room: int) -> None:
    """What one wants goes before what another must have."""
    widths = fit(needs, room)
    short = [need for need, width in zip(needs, widths, strict=True) if width and width < need.least]
    long = [need for need, width in zip(needs, widths, strict=True) if width > need.least]
    assert not short or not long


def test_a_column_gives_up_some_of_its_least_before_the_table_scrolls() -> None:
    """Texts end where the room does; columns that give nothing up keep theirs."""
    assert fit([ColumnNeed(100, 100), ColumnNeed(150, 150, 1.0, gives=70)], 200) == [100, 100]
