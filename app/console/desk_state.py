"""Who is signed in at this window. Without Qt."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from app.api.roles import Role


class DeskState(enum.StrEnum):
    """Whether somebody sits here, as far as this window knows."""

    UNKNOWN = "unknown"
    """No service has said whether the site has operators."""
    KEY_ALONE = "key alone"
    """The site has no operator, or this console's key may not ask, or the service has no room on its disk and knows
    nobody: acts carry the key and no person."""
    SIGNED_OUT = "signed out"
    SIGNED_IN = "signed in"
    LOCKED = "locked"
    """Somebody was signed in. The page stays as it was for the next one."""


RESTING = frozenset({DeskState.SIGNED_OUT, DeskState.LOCKED})
"""States in which the window shows what is wrong, never who, and takes no action."""


@dataclass(frozen=True)
class DeskOperator:
    """The operator who is signed in. ``reader``: where their card is, if they signed in by it; pulling it locks."""

    operator_id: str
    display_name: str
    roles: frozenset[Role]
    reader: str = ""
