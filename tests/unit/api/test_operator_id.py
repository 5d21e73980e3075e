"""Identifiers of operators."""

from __future__ import annotations

from app.api.operator_id import draw_operator_id, is_operator, is_operator_id


def test_an_id_is_drawn_by_chance() -> None:
    assert len({draw_operator_id() for _ in range(50)}) == 50


def test_what_is_drawn_is_an_operators_id() -> None:
    assert is_operator_id(draw_operator_id())
    assert is_operator(draw_operator_id())


def test_an_id_with_more_behind_it_is_none() -> None:
    assert not is_operator_id(draw_operator_id() + "\n")
    assert not is_operator_id(draw_operator_id() + "0")
