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
    that it gives up before the table scrolls; ``most``: px up to which its weight takes of what is left over before the
    others share it, 0: no bound; ``still``: it stays as wide as it is, however much is left over."""

    least: int
    wanted: int
    weight: float = 0.0
    spare: int = 0
    gives: int = 0
    most: int = 0
    still: bool = False


def fit(needs: Sequence[ColumnNeed], room: int) -> list[int]:
    """The width of each column in ``room`` px; 0 for one that is left out.

    Columns go, the highest ``spare`` first, until all others have what they want. If even those that never go want more
    than there is, each gives back of what it wants beyond its least, in proportion, and then of what it gives up of its
    least; the table scrolls only when that is not enough. What is left over goes to the columns with a weight, up to
    the most that one takes, and beyond that to all columns in proportion: on a wide screen the columns spread over the
    table instead of standing at one end of it.
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
    full = list(weights)
    while rest and any(weights):
        shares = _share_out(rest, weights)
        over = [
            at
            for at, share in enumerate(shares)
            if weights[at] and needs[at].most and widths[at] + share >= needs[at].most
        ]
        if not over:
            return [width + share for width, share in zip(widths, shares, strict=True)]
        for at in over:
            rest -= max(0, needs[at].most - widths[at])
            widths[at] = max(widths[at], needs[at].most)
            weights[at] = 0.0
    spread = [0.0 if needs[at].still else float(widths[at]) for at in range(len(needs))]
    shares = _share_out(rest, spread if any(spread) else full)
    return [width + share for width, share in zip(widths, shares, strict=True)]


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
