"""Other ARC sites: each is asked to burn the same node with LOCAL_ONLY, so no call comes back (no loops).

The address is the site's base address, the secret a Citadel key of that site. Its answer is the proof: COMPLETE, or
what of it is still open. A training site burns at training sites alone, and no site takes a training site's word.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar, Final, Literal
from urllib.parse import urlencode

import msgspec

from app.capabilities.burn.messages import BurnState, Residual, Scope, TargetState
from app.capabilities.burn.targets import FINAL, LOCAL, PROVEN, BurnFacts
from app.capabilities.burn.targets.answers import Unsuccessful, bearer, outlives, probing, successful
from app.capabilities.burn.targets.connector import WEB, AttemptOutcome, AttemptSubject, Refusal, Tools
from app.delivery.outbound import CONNECTIONS, OutboundAnswer
from app.registry.directories import DirectoryRow
from app.registry.messages.directories import DirectoryKind

_PATH: Final = "/v1/citadel/uac/burn"
_LIST: Final = f"{_PATH}?limit=1"
_SPARE_S: Final = 0.5
"""Of an attempt's time, what the way there and back may take; the rest the site may wait for its own targets."""
_NAMED: Final = 3
_NEWEST: Final = 10
"""Burns of one id that are asked for: the newest stands, if any does."""
_REASON_LENGTH: Final = 1000


class _Page(msgspec.Struct):
    """The list of burns: whether the site is one for training, and nothing of its burns."""

    training: bool = False


class _Standing(msgspec.Struct):
    """A burn of the list; ``lifted_at`` None: it stands."""

    node_id: str
    lifted_at: str | None = None


class _Burns(msgspec.Struct):
    items: list[_Standing]


class _Target(msgspec.Struct):
    id: str
    state: TargetState


class _Log(msgspec.Struct):
    index: int


class _Burn(msgspec.Struct):
    """What is read of the other site's answer; a newer site may say more."""

    burn_id: str
    node_id: str
    scope: Scope
    state: BurnState
    epoch: int
    targets: list[_Target]
    log: _Log
    training: bool = False
    known: bool = True
    """Whether somebody there has that id; a site that does not say yet is taken at its word that it burned somebody."""


class PeerConnector:
    """The kind ``peer``."""

    kind: ClassVar[DirectoryKind] = "peer"
    per: ClassVar[Literal["person", "site"]] = "site"
    searches: ClassVar[tuple[Literal["employee_id", "email"], ...]] = ()
    readable: ClassVar[bool] = True
    schemes: ClassVar[tuple[str, ...]] = WEB
    credential: ClassVar[str] = "a Citadel key of that site"
    fields: ClassVar[tuple[str, ...]] = ()

    def __init__(self, tools: Tools) -> None:
        self._http = tools.http
        self._training = tools.training

    async def revoke(
        self, where: DirectoryRow, who: AttemptSubject, facts: BurnFacts, deadline_s: float
    ) -> AttemptOutcome:
        """The other site's burn of the node, under the id that the node has there."""
        node_id = who.account or who.node_id
        reason = f"{facts.burn_id}: {facts.reason}"[:_REASON_LENGTH]
        body = msgspec.json.encode({"node_id": node_id, "scope": "LOCAL_ONLY", "reason": reason})
        wait = {"Prefer": f"wait={max(0, int(deadline_s - _SPARE_S))}"}
        try:
            async with asyncio.timeout(deadline_s):
                await self._of_our_kind(where, deadline_s)
                answer = await self._call("POST", where, _PATH, deadline_s, body, wait)
        except Unsuccessful as answered:
            return answered.outcome
        found = answer.read_as(_Burn)
        if found.node_id != node_id or found.scope != "LOCAL_ONLY" or found.training is not facts.training:
            return AttemptOutcome("failed", "the site answered about another burn; nothing is proven")
        return _outcome(found, named=who.account is not None)

    async def find_unlocked(
        self, where: DirectoryRow, people: Sequence[AttemptSubject], deadline_s: float
    ) -> list[AttemptSubject]:
        """Who is not burned there any more: no burn of the id stands, of either scope. Raises ``OutboundError`` or
        ``Refusal``."""
        slots = asyncio.Semaphore(CONNECTIONS)

        async def stands(who: AttemptSubject) -> bool:
            path = f"{_PATH}?{urlencode({'node_id': who.account or who.node_id, 'limit': _NEWEST})}"
            async with slots:
                page = (await self._call("GET", where, path, deadline_s)).read_as(_Burns)
            # A site that passes over the filter tells of others.
            return any(one.node_id == (who.account or who.node_id) and one.lifted_at is None for one in page.items)

        with probing():
            async with asyncio.timeout(deadline_s):
                found = await asyncio.gather(*(stands(who) for who in people))
        return [who for who, one in zip(people, found, strict=True) if not one]

    async def _of_our_kind(self, where: DirectoryRow, deadline_s: float) -> None:
        """Nothing real may come of training: a training site burns at training sites alone. The other direction is seen
        in the answer itself."""
        if self._training:
            page = (await self._call("GET", where, _LIST, deadline_s)).read_as(_Page)
            if not page.training:
                raise Refusal("this is a training site and the other one is not: nobody is burned there")

    async def _call(
        self,
        method: str,
        where: DirectoryRow,
        path: str,
        deadline_s: float,
        content: bytes | None = None,
        more: dict[str, str] | None = None,
    ) -> OutboundAnswer:
        """One call to the other site with our key there; raises ``Unsuccessful`` for an answer that is no burn."""
        headers = {**bearer(where.secret), **(more or {})}
        if content is not None:
            headers["Content-Type"] = "application/json"
        url = where.url.rstrip("/") + path
        answer = await self._http.call(method, url, timeout_s=deadline_s, headers=headers, content=content, ca=where.ca)
        return successful(answer, 200, 202)

    async def probe(self, where: DirectoryRow, deadline_s: float) -> str:
        """Reads the site's list of burns, which a Citadel key alone may."""
        with probing():
            async with asyncio.timeout(deadline_s):
                await self._of_our_kind(where, deadline_s)
                answer = await self._call("GET", where, _LIST, deadline_s)
        version = answer.headers.get("arc-version")
        if version is None:
            raise Refusal("what answers there is no ARC site")
        return f"an ARC site, version {version[:20]}, takes our key"

    def residual(self, where: DirectoryRow, state: TargetState, at_us: int) -> Residual | None:
        """A proven site lists its own residual exposure; one that is not reached grants as before."""
        del at_us
        if state in PROVEN:
            return None
        return Residual(what=outlives(where.display_name, state, ""), until=None)

    async def close(self) -> None:
        """The connections belong to the client of all."""


def _outcome(found: _Burn, *, named: bool) -> AttemptOutcome:
    """What the other site's answer proves. ``named``: the id is the one that the node's account names there."""
    where = f"burn {found.burn_id} there, epoch {found.epoch}, leaf {found.log.index} of its log"
    left = [target.id for target in found.targets if target.state not in FINAL]
    if found.state == "COMPLETE":
        if left or not any(target.id == LOCAL and target.state in PROVEN for target in found.targets):
            return AttemptOutcome("failed", f"{where}: COMPLETE without the proofs for it; nothing is proven")
        if not found.known:
            nobody = f"{where}: it denies {found.node_id}, an id that nobody has there"
            if named:
                return AttemptOutcome("failed", f"{nobody}; correct the account that the node names")
            return AttemptOutcome("unlinked", f"{nobody}; if the person has another id there, name it as the account")
        unproven = sum(target.state not in PROVEN for target in found.targets)
        rest = f", {unproven} of them without proof" if unproven else ""
        return AttemptOutcome("revoked", f"{where}: COMPLETE with {len(found.targets)} targets{rest}")
    shown = ", ".join(left[:_NAMED]) + (" and others" if len(left) > _NAMED else "")
    return AttemptOutcome("pending_offline", f"{where}: denied there, {len(left)} targets open ({shown})")
