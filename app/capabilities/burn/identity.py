"""Under which id a node is burned: given before anything is stored, joined by repeats, taken back.

Node and scope have one burn that stands. Its id is given, and the node denied under it in memory, before the burn is
durable, so that every call for the same node meets in the same burn.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import dataclass

from sqlalchemy import select

from app.capabilities.burn.messages import Scope
from app.capabilities.burn.running import Running
from app.capabilities.burn.tables import burn
from app.registry.messages.shared import DRILL_TAG
from app.registry.service import Registry
from app.store.engine import Store

_EVERYWHERE: Scope = "GLOBAL_REVOCATION"


@dataclass(eq=False, slots=True)
class BurnIdentity:
    """The burn of a node in a scope, from the call that asked for it on."""

    node_id: str
    scope: Scope
    burn_id: str
    durable: bool
    drill: bool = False
    """What the stored burn says; False of one that is not durable."""
    committing: asyncio.Task[Running] | None = None
    joined: int = 0
    """Callers that wait for the commit of another one's call, or for that of a list."""
    owed: bool = False
    """A caller was answered that the node is denied, though the burn is not stored."""
    lifting: asyncio.Task[None] | None = None
    instead: BurnIdentity | None = None
    """The drill that this burn ends: its node is no drill identity any more."""


class BurnIdentities:
    """Everything runs on the event loop, but ``load`` before it."""

    def __init__(self, store: Store, registry: Registry) -> None:
        self._store = store
        self._registry = registry
        self._known: dict[tuple[str, Scope], BurnIdentity] = {}
        # Drawn beforehand: asking the system for random bytes gives other threads the interpreter before the denial.
        self._next_id = _new_id()

    def load(self) -> None:
        """Takes in which nodes are burned; blocks on the disk."""
        with self._store.read() as connection:
            for row in connection.execute(
                select(burn.c.node_id, burn.c.scope, burn.c.burn_id, burn.c.drill).where(burn.c.lifted_us.is_(None))
            ):
                identity = BurnIdentity(row.node_id, row.scope, row.burn_id, durable=True, drill=bool(row.drill))
                self._known[row.node_id, row.scope] = identity

    def find(self, node_id: str, scope: Scope) -> BurnIdentity | None:
        """The burn of the node that stands or is being stored. Any thread."""
        return self._known.get((node_id, scope))

    def deny(self, node_id: str, scope: Scope) -> tuple[BurnIdentity, float] | None:
        """Denies the node in memory, under the id of its burn or of a new one; and when that was (``perf_counter``).
        None while its burn is being lifted: ``outlive`` first, which denies too."""
        key = (node_id, scope)
        known = self._known.get(key)
        if known is not None and known.lifting is not None:
            return None
        if known is None or self._is_outdated(known):
            known = self._known[key] = BurnIdentity(node_id, scope, self._next_id, durable=False, instead=known)
        self._registry.deny.deny(node_id, "burn", known.burn_id)
        denied = time.perf_counter()
        if known.burn_id == self._next_id:
            self._next_id = _new_id()
        return known, denied

    def deny_kept(self, node_id: str, scope: Scope, burn_id: str) -> BurnIdentity | None:
        """Denies the node in memory under the id of a burn that waits in the reserve. None if another burn of it
        stands: then that one denies it. After ``load``, before anything decides."""
        key = (node_id, scope)
        known = self._known.get(key)
        if known is not None and not self._is_outdated(known):
            return None
        identity = BurnIdentity(node_id, scope, burn_id, durable=False, owed=True, instead=known)
        self._known[key] = identity
        self._registry.deny.deny(node_id, "burn", burn_id)
        return identity

    async def outlive(self, node_id: str, scope: Scope) -> None:
        """Returns as soon as no burn of the node is being lifted; the node is denied meanwhile and afterwards."""
        key = (node_id, scope)
        while (known := self._known.get(key)) is not None and known.lifting is not None:
            await self._outlive(key, known.lifting)

    async def _outlive(self, key: tuple[str, Scope], lifting: asyncio.Task[None]) -> None:
        """A burn that comes while the old one is being lifted wins: it denies under an id of its own before the old
        entry goes."""
        mine, self._next_id = self._next_id, _new_id()
        self._registry.deny.deny(key[0], "burn", mine)
        await asyncio.wait([lifting])
        if key not in self._known:
            # The caller goes on with it in this same turn of the loop; if its burn is refused, that takes it back.
            self._known[key] = BurnIdentity(*key, mine, durable=False)
        else:
            self._registry.deny.forget(key[0], "burn", mine)

    def _is_outdated(self, known: BurnIdentity) -> bool:
        """Whether this is a drill's burn of a node that is no drill identity (any more)."""
        if not (known.durable and known.drill):
            return False
        with self._store.read() as connection:
            node = self._registry.node(connection, known.node_id)
        return node is None or DRILL_TAG not in node.tags

    def take_back(self, identity: BurnIdentity) -> None:
        """The burn is not to be: nothing denies the node by it, unless other callers count on that."""
        if identity.owed or identity.joined:
            # They were answered that the node is denied, or go on with this burn as theirs.
            return
        key = (identity.node_id, identity.scope)
        if identity.instead is None:
            self._known.pop(key, None)
        else:
            self._known[key] = identity.instead
        self._registry.deny.forget(identity.node_id, "burn", identity.burn_id)

    def drop(self, node_id: str, scope: Scope) -> None:
        """The burn was lifted, durably: the next one is another one."""
        self._known.pop((node_id, scope), None)

    # --- a list of nodes ---

    def expect(self, node_id: str, burn_id: str) -> None:
        """A list that is stored will burn the node under this id; it is in the deny set already. After ``load``."""
        known = self.find(node_id, _EVERYWHERE)
        with self._store.read() as connection:
            stored = connection.scalar(select(burn.c.number).where(burn.c.burn_id == burn_id))
        if stored is None and (known is None or known.drill):
            self._known[node_id, _EVERYWHERE] = BurnIdentity(
                node_id, _EVERYWHERE, burn_id, durable=False, owed=True, instead=known
            )

    async def reserve(self, node_id: str) -> str:
        """Denies the node in memory, ahead of its burn; under which id it is denied and will be burned. To be followed
        by ``settle_reserved``."""
        while (denied := self.deny(node_id, _EVERYWHERE)) is None:
            await self.outlive(node_id, _EVERYWHERE)
        known, _ = denied
        known.joined += 1
        return known.burn_id

    def settle_reserved(self, node_id: str, *, stored: bool) -> None:
        """Whether the list came to be stored; if not, it denies the node no longer."""
        known = self._known[node_id, _EVERYWHERE]
        known.joined -= 1
        known.owed |= stored
        if not known.durable and known.committing is None:
            self.take_back(known)


def _new_id() -> str:
    return f"burn_{secrets.token_hex(10)}"
