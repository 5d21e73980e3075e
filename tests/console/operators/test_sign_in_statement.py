"""The statement that a card is asked to sign is this console's, at the address that it calls."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.console.operators.statement import StatementMismatch, check_statement

VECTOR = json.loads((Path(__file__).parents[2] / "vectors" / "operator-sign-in-1.json").read_text())
ORIGIN, UNIT = "http://127.0.0.1:8700", "desk-1"
GOOD = f"arc-operator-sign-in/v1\norigin {ORIGIN}\nunit {UNIT}\nnonce AAEC\n"


def test_the_published_statement_is_taken() -> None:
    text = next(value for value in VECTOR.values() if isinstance(value, str) and value.startswith("arc-operator"))
    check_statement(text, origin=ORIGIN, unit_id=UNIT)


@pytest.mark.parametrize(
    "statement",
    [
        GOOD.replace(ORIGIN, "http://127.0.0.1:8701"),
        GOOD.replace("unit desk-1", "unit desk-2"),
        GOOD.replace("unit desk-1", "unit desk-10"),
        GOOD.replace("/v1", "/v2"),
        GOOD + "origin http://evil\n",
        GOOD.removesuffix("\n"),
        GOOD.replace("nonce AAEC\n", ""),
        GOOD.replace("nonce", "order"),
        "",
    ],
)
def test_another_statement_is_never_signed(statement: str) -> None:
    with pytest.raises(StatementMismatch):
        check_statement(statement, origin=ORIGIN, unit_id=UNIT)
