"""The roles of operators: what a person at the desk may do.

Each row of the operation table names the roles that may call it. They bind operators alone: an API key of a partner is
judged by its clearance, as the specification has it.
"""

from __future__ import annotations

import enum
from typing import Final


class Role(enum.StrEnum):
    """What an operator is for. ``DESK``: burns, containments, alarms, readers; ``BADGE``: cards, batches, stock,
    enrolment; ``MANAGER``: reads and reports; ``AUDITOR``: reads, exports and asks for erasures; ``ADMIN``: registry,
    keys, operators."""

    DESK = "desk"
    BADGE = "badge"
    MANAGER = "manager"
    AUDITOR = "auditor"
    ADMIN = "admin"


Roles = frozenset[Role]
DESK: Final[Roles] = frozenset({Role.DESK})
BADGE: Final[Roles] = frozenset({Role.BADGE})
MANAGER: Final[Roles] = frozenset({Role.MANAGER})
AUDITOR: Final[Roles] = frozenset({Role.AUDITOR})
ADMIN: Final[Roles] = frozenset({Role.ADMIN})
ANY_ROLE: Final[Roles] = frozenset(Role)
"""Every operator, and the rows that need no key at all."""


def role_words(roles: Roles) -> str:
    """The roles for people, in the order of ``Role``: ``desk or admin``."""
    return " or ".join(role.value for role in Role if role in roles)
