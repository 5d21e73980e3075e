"""What is said of a burn of an id that nobody has: it may be a mistyped one, and the person meant still walks in."""

from __future__ import annotations

from typing import Final

ALARM: Final = "burn.unknown_node"


def nobody(node_id: str, *, burned: bool) -> str:
    """The headline of such a burn, or of its preview."""
    if burned:
        return (
            f"{node_id} is an id that nobody has. The doors deny the id itself; nobody's badge, card or account was "
            "touched. If a person was meant, that person is not burned."
        )
    return (
        f"{node_id} is an id that nobody has. A burn denies the id itself and touches nobody's badge, card or account."
    )
