"""Who could act as whom: what four eyes ask, so that one stolen key, or one operator, is never two persons.

Who makes a key, or gives it a new secret, sees that secret. So the **line** of a key is itself, the keys that made it
or rotated it, and their lines in turn. Two keys are two persons only where their lines have nothing in common: a key
that mints two others stands in the line of both. A line never ends: a revoked key keeps its rows, and a later rotation
takes nobody out of it, since who knew a secret could draw the next one with it.

A key that the command line makes begins a line of its own, and so does the key that a console hands to the service that
it starts: who holds the data directory is not stopped by this, because they hold the store itself.

An **operator** stands in lines as a key does: in the line of an operator is each key and operator (its *hands*) that
made it, or changed its node, its methods or its passphrase, unless a second person had approved that. Two operators are
two persons only where they are tied to two nodes, too. The key of a console is no person: it never decides about what
an operator asked for, nor an operator about what it asked for.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, select

from app.api.operator_id import is_operator
from app.api.tables import api_key, api_key_secret, operator, operator_hand

LAUNCH_KID: Final = "key_launch"
"""Names the key that a supervising console handed over; it lives only as long as the process. All of them are one
line, as old as the site."""

UNKNOWN_KID: Final = "key_unknown"
"""Stands as the maker of a key of an earlier version whose leaf was erased: all such keys are one line."""

_REMEDY: Final = (
    "It takes another Citadel key, whose line is not that of the key that asked: where the service runs, "
    "arc-console key create makes one."
)
_PERSON_REMEDY: Final = (
    "It takes another person: an operator of another node and another line, as arc-console operator create makes one "
    "where the service runs, or a Citadel key of another line."
)

SESSION_PREFIX: Final = "ses_"


def is_session(grant_id: str) -> bool:
    """Whether what opened a call is the session of an operator."""
    return grant_id.startswith(SESSION_PREFIX)


class Lines:
    """The lines of all keys and operators, as one read of the store has them."""

    def __init__(self, connection: Connection) -> None:
        made = connection.execute(select(api_key.c.kid, api_key.c.created_us))
        self._made_us: dict[str, int] = {row.kid: row.created_us for row in made}
        self._makers: dict[str, set[str]] = {}
        for rows in (select(api_key.c.kid, api_key.c.made_by), select(api_key_secret.c.kid, api_key_secret.c.made_by)):
            for kid, maker in connection.execute(rows):
                if maker is not None:
                    self._makers.setdefault(kid, set()).add(maker)
        self._nodes: dict[str, str | None] = {}
        persons = connection.execute(select(operator.c.operator_id, operator.c.node_id, operator.c.created_us))
        for operator_id, node_id, created_us in persons:
            self._nodes[operator_id] = node_id
            self._made_us[operator_id] = created_us
        for operator_id, hand in connection.execute(select(operator_hand.c.operator_id, operator_hand.c.hand)):
            self._makers.setdefault(operator_id, set()).add(hand)

    def of(self, kid: str) -> frozenset[str]:
        """``kid``, a key or an operator, and every key and operator that could act as it."""
        found, news = {kid}, [kid]
        while news:
            more = self._makers.get(news.pop(), set()) - found
            found |= more
            news += more
        return frozenset(found)

    def bar(self, asker: str, approver: str, asked_us: int) -> str | None:
        """Why ``approver`` may not approve what ``asker`` asked for at ``asked_us`` (Unix time in microseconds), and
        what it takes, in sentences for people; None: they are two persons, as far as keys can tell."""
        persons = is_operator(asker) or is_operator(approver)
        why = self._personhood(asker, approver) if persons else None
        why = why or self._kinship(asker, approver) or self._age(approver, asked_us)
        return None if why is None else f"{why} {_PERSON_REMEDY if persons else _REMEDY}"

    def _personhood(self, asker: str, approver: str) -> str | None:
        """Why two actors, one of them an operator at least, are not two persons by what they are; None: they may be."""
        if approver == asker:
            return "You asked for the approval yourself."
        if LAUNCH_KID in (asker, approver):
            return "The key of a console is no person, and decides nothing together with one."
        nodes = [self._nodes.get(actor) for actor in (asker, approver) if is_operator(actor)]
        if None in nodes:
            return "An operator who is tied to no node cannot be told from another person."
        return "Both operators are the same person." if len(nodes) == 2 and nodes[0] == nodes[1] else None

    def _kinship(self, asker: str, approver: str) -> str | None:
        """Why one of both, or a third one, could act as both; None: none could."""
        if approver == asker:
            return "This key asked for the approval itself."
        if is_operator(asker) or is_operator(approver):
            shared = self.of(approver) & self.of(asker)
            return f"{min(shared)} could act as both {asker} and {approver}." if shared else None
        line, other = self.of(approver), self.of(asker)
        if asker in line:
            return f"This key comes from {asker}, which asked and could hold both."
        if approver in other:
            return f"The key that asked, {asker}, comes from this one, which could hold both."
        shared = line & other
        return (
            f"This key and {asker}, which asked, both come from {min(shared)}, which could hold both."
            if shared
            else None
        )

    def _age(self, approver: str, asked_us: int) -> str | None:
        if approver == LAUNCH_KID:
            return None
        made_us = self._made_us.get(approver)
        what = "operator" if is_operator(approver) else "key"
        if made_us is None:
            return f"This {what} is not among the {what}s of the site."
        return f"This {what} was made after the request." if made_us >= asked_us else None
