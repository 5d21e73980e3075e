"""Which keys could hold the secret of which: what four eyes ask, so that one stolen key is never two persons.

Who makes a key, or gives it a new secret, sees that secret. So the **line** of a key is itself, the keys that made it
or rotated it, and their lines in turn. Two keys are two persons only where their lines have nothing in common: a key
that mints two others stands in the line of both. A line never ends: a revoked key keeps its rows, and a later rotation
takes nobody out of it, since who knew a secret could draw the next one with it.

A key that the command line makes begins a line of its own, and so does the key that a console hands to the service that
it starts: who holds the data directory is not stopped by this, because they hold the store itself.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, select

from app.api.tables import api_key, api_key_secret

LAUNCH_KID: Final = "key_launch"
"""Names the key that a supervising console handed over; it lives only as long as the process. All of them are one
line, as old as the site."""

UNKNOWN_KID: Final = "key_unknown"
"""Stands as the maker of a key of an earlier version whose leaf was erased: all such keys are one line."""

_REMEDY: Final = (
    "It takes another Citadel key, whose line is not that of the key that asked: where the service runs, "
    "arc-console key create makes one."
)


class Lines:
    """The lines of all keys, as one read of the store has them."""

    def __init__(self, connection: Connection) -> None:
        made = connection.execute(select(api_key.c.kid, api_key.c.created_us))
        self._made_us: dict[str, int] = {row.kid: row.created_us for row in made}
        self._makers: dict[str, set[str]] = {}
        for rows in (select(api_key.c.kid, api_key.c.made_by), select(api_key_secret.c.kid, api_key_secret.c.made_by)):
            for kid, maker in connection.execute(rows):
                if maker is not None:
                    self._makers.setdefault(kid, set()).add(maker)

    def of(self, kid: str) -> frozenset[str]:
        """``kid`` and every key that could have its secret."""
        found, news = {kid}, [kid]
        while news:
            more = self._makers.get(news.pop(), set()) - found
            found |= more
            news += more
        return frozenset(found)

    def bar(self, asker: str, approver: str, asked_us: int) -> str | None:
        """Why ``approver`` may not approve what ``asker`` asked for at ``asked_us`` (Unix time in microseconds), and
        what it takes, in sentences for people; None: they are two persons, as far as keys can tell."""
        why = self._kinship(asker, approver) or self._age(approver, asked_us)
        return None if why is None else f"{why} {_REMEDY}"

    def _kinship(self, asker: str, approver: str) -> str | None:
        """Why one of both, or a third key, could hold the secrets of both; None: none could."""
        if approver == asker:
            return "This key asked for the approval itself."
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
        if made_us is None:
            return "This key is not among the keys of the site."
        return "This key was made after the request." if made_us >= asked_us else None
