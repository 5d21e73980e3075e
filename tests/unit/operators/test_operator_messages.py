"""The bounds of what crosses the wire of operators: what fits is taken, one more is refused."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from app.operators.messages import CardSignIn, OpenIdBegin, OpenIdFinish, OperatorBody

OPERATOR = {"display_name": "x", "roles": ["desk"], "methods": []}
CARD = {"challenge_id": "x", "certificate": "x", "signature": "x"}
FINISH = {"state": "x", "code": "x"}


@pytest.mark.parametrize(
    ("shape", "body", "field", "most", "least"),
    [
        (OperatorBody, OPERATOR, "subject", 255, 1),
        (CardSignIn, CARD, "challenge_id", 64, 1),
        (CardSignIn, CARD, "certificate", 16_384, 1),
        (CardSignIn, CARD, "signature", 1_024, 1),
        (OpenIdBegin, {"unit_id": "desk-1", "redirect_uri": "x"}, "redirect_uri", 200, 1),
        (OpenIdFinish, FINISH, "state", 64, 1),
        (OpenIdFinish, FINISH, "code", 2_048, 1),
        (OpenIdFinish, FINISH, "iss", 500, 0),
    ],
)
def test_a_text_has_its_bounds(shape: Any, body: dict[str, object], field: str, most: int, least: int) -> None:
    """The longest and the shortest are taken, and what is beyond them is not."""
    for length in (least, most):
        assert getattr(msgspec.convert({**body, field: "x" * length}, shape), field) == "x" * length
    for length in {most + 1, least - 1} - {-1}:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({**body, field: "x" * length}, shape)


@pytest.mark.parametrize(("field", "most", "least"), [("roles", 5, 1), ("methods", 3, 0)])
def test_a_list_has_its_bounds(field: str, most: int, least: int) -> None:
    """As many roles and methods as there are; at least one role."""
    word = {"roles": "desk", "methods": "card"}[field]
    for length in (least, most):
        assert len(getattr(msgspec.convert({**OPERATOR, field: [word] * length}, OperatorBody), field)) == length
    for length in {most + 1, least - 1} - {-1}:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({**OPERATOR, field: [word] * length}, OperatorBody)
