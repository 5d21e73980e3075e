"""What a kind of directory elsewhere must be: ``Connector``, and what its attempts are made of.

A kind declares itself: its name, whom it has targets for, the schemes of its addresses, what its secret is and which
further fields of a registered directory it reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from app.capabilities.burn.messages import Residual, TargetState
from app.capabilities.burn.targets import BurnFacts
from app.delivery.outbound import Outbound
from app.registry.directories import DirectoryRow
from app.registry.messages.directories import DirectoryKind
from app.store.keys import Keys


@dataclass(frozen=True, slots=True)
class AttemptSubject:
    """Whom an attempt is about. ``account``: as the directory names the person; None where a site is addressed, or
    where the account must be looked for."""

    node_id: str
    account: str | None
    email: str | None
    employee_id: str | None
    linked: tuple[str, ...] = ()
    """Accounts that the node names there now, though it named none when it was burned. Connectors get them one by one,
    as ``account``."""


@dataclass(frozen=True, slots=True)
class AttemptOutcome:
    """How an attempt ended: ``state`` never closed; ``evidence`` what proves it, what was searched, or why not, for
    people and without secrets; ``answered`` whether the directory itself answered (False: it counts as dead);
    ``pause_s``: how long it asked to be left alone."""

    state: TargetState
    evidence: str
    answered: bool = True
    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Tools:
    """What connectors are made of. ``issuer``: the site's name for life; ``keys``: for a key of their own."""

    http: Outbound
    keys: Keys
    issuer: str
    training: bool


class Connector(Protocol):
    """One kind of directory. Its calls run on the event loop and must be idempotent: after a crash they come again."""

    kind: ClassVar[DirectoryKind]
    per: ClassVar[Literal["person", "site"]]
    """One target for each account that the node has there, and where none is named one for the node itself: ``site``
    addresses the system as a whole; ``person`` looks for the account, by what ``searches`` names."""
    searches: ClassVar[tuple[Literal["employee_id", "email"], ...]]
    """By what of the person ``revoke`` looks for an account where none is named; () where it addresses the site."""
    readable: ClassVar[bool]
    """Whether the effect can be read back. Where it cannot, the best outcome is ``delivered``, never ``revoked``."""
    schemes: ClassVar[tuple[str, ...]]
    """Schemes that the address of such a directory may have, the preferred one first. The registry refuses others."""
    credential: ClassVar[str]
    """What its registered ``secret`` is, in words."""
    fields: ClassVar[tuple[str, ...]]
    """Fields of ``DirectoryBody`` that this kind reads beside those that every kind has."""

    async def revoke(
        self, where: DirectoryRow, who: AttemptSubject, facts: BurnFacts, deadline_s: float
    ) -> AttemptOutcome:
        """Ends the access and reads back that it is ended, within ``deadline_s`` (seconds). ``revoked`` and ``already``
        only on what that very account says: id and name are compared. An ``OutboundError`` or
        ``TimeoutError`` means ``pending_offline``, a ``Refusal`` ``failed``. Never raises for what the other side does
        otherwise."""
        ...

    async def probe(self, where: DirectoryRow, deadline_s: float) -> str:
        """Finds out whether ``revoke`` could work now, changing nothing; what answered, in words. Raises
        ``OutboundError`` or ``Refusal``."""
        ...

    def residual(self, where: DirectoryRow, state: TargetState, at_us: int) -> Residual | None:
        """What access outlives the burn in this state; ``at_us`` the burn's (None as ``until``: unknown)."""
        ...

    async def close(self) -> None:
        """Lets go of connections."""
        ...


WEB: tuple[str, ...] = ("https", "http")
"""Schemes of the kinds that are reached by HTTP. The registry takes ``http`` for this machine itself alone."""


class Refusal(Exception):
    """The directory answered and will not do it as registered; a sentence for people."""
