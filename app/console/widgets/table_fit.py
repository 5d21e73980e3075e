"""How wide the columns of a table are: what each needs, who goes first where room is short, who takes the rest.

Pure arithmetic in px, without Qt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class ColumnNeed:
    """``least`` px without which the column is not drawn; ``wanted`` px that its texts in sight need (``least`` where
    that does not matter); ``weight``: its share of what is left over, 0: none; ``spare``: 0 is never left out (priority
    1), 1 goes when all above it are gone (priority 2), the highest goes first (priority 3); ``gives``: px of its least
    that it gives up before the table scrolls."""

    least: int
    wanted: int
    weight: float = 0.0
    spare: int = 0
    gives: int = 0


def fit(needs: Sequence[ColumnNeed], room: int) -> list[int]:
    """The width of each column in ``room`` px; 0 for one that is left out.

    Columns go, the highest ``spare`` first, until all others have what they want. If even those that never go want more
    than there is, each gives back of what it wants beyond its least, in proportion, and then of what it gives up of its
    least; the table scrolls only when that is not enough. What is left over goes to the columns with a weight.
    """
    wants = [max(need.least, need.wanted) for need in needs]
    kept = set(range(len(needs)))
    for at in sorted((at for at in kept if needs[at].spare), key=lambda at: (-needs[at].spare, -at)):
        if sum(wants[at] for at in kept) <= room:
            break
        kept.discard(at)
    widths = [wants[at] if at in kept else 0 for at in range(len(needs))]
    rest = room - sum(widths)
    if rest < 0:
        beyond = [widths[at] - needs[at].least if at in kept else 0 for at in range(len(needs))]
        given = [needs[at].gives if at in kept else 0 for at in range(len(needs))]
        for parts in (beyond, given):
            shares = _share_out(min(-rest, sum(parts)), parts)
            widths = [width - share for width, share in zip(widths, shares, strict=True)]
            rest += sum(shares)
        return widths
    weights = [needs[at].weight if at in kept else 0.0 for at in range(len(needs))]
    if not any(weights):
        return widths
    return [width + share for width, share in zip(widths, _share_out(rest, weights), strict=True)]


def _share_out(amount: int, weights: Sequence[float]) -> list[int]:
    """``amount`` in whole px, in proportion to the weights: the sum is exact, and no share exceeds its part by 1 px."""
    whole = sum(weights)
    made, given, passed = [], 0, 0.0
    for weight in weights:
        passed += weight
        upto = round(amount * passed / whole) if whole else 0
        made.append(upto - given)
        given = upto
    return made
