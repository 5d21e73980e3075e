"""Identifiers of operators: ``op_`` and 16 hexadecimal digits by chance, which say nothing of the person."""

from __future__ import annotations

import re
import secrets
from typing import Final

OPERATOR_PREFIX: Final = "op_"
"""Begins the identifier of every operator, and of nobody and nothing else."""
_ID: Final = re.compile(rf"{OPERATOR_PREFIX}[0-9a-f]{{16}}")


def draw_operator_id() -> str:
    """An identifier for a new operator."""
    return f"{OPERATOR_PREFIX}{secrets.token_hex(8)}"


def is_operator(actor: str) -> bool:
    """Whether an actor of leaves and approvals is an operator."""
    return actor.startswith(OPERATOR_PREFIX)


def is_operator_id(text: str) -> bool:
    """Whether this is the identifier of an operator."""
    return _ID.fullmatch(text) is not None
