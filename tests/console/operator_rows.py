"""Operators as the service lists them, for tests that need no service."""

from __future__ import annotations

from typing import Any

import msgspec

from app.operators.messages import Operator

AT = "2026-01-01T00:00:00Z"


def of_operator(operator_id: str, name: str, **more: Any) -> Operator:
    """A row of the register: by default of the desk, with a passphrase and a line of its own."""
    row = {
        "operator_id": operator_id,
        "display_name": name,
        "node_id": None,
        "roles": ["desk"],
        "methods": ["passphrase"],
        "subject": None,
        "state": "active",
        "passphrase_set_at": AT,
        "line": [],
        "tags": [],
        "created_at": AT,
        "changed_at": AT,
    }
    return msgspec.convert({**row, **more}, Operator)
