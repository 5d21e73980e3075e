"""Accounts in systems that speak SCIM 2.0 (RFC 7643, RFC 7644).

An account is named by ``id:<id>``, ``userName:<name>`` or, without a prefix, by its ``externalId``; where a node has no
account named, its employee number is looked for as ``externalId``. What is found must bear that very name: a server
that ignores a filter answers with everybody, and the wrong person would be locked out.

No ``If-Match``: a burn must win over an edit at the same time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import ClassVar, Final, Literal
from urllib.parse import quote, urlencode

import msgspec

from app.capabilities.burn.messages import Residual, TargetState
from app.capabilities.burn.targets import BurnFacts
from app.capabilities.burn.targets.answers import Unsuccessful, bearer, outlives, probing, successful
from app.capabilities.burn.targets.connector import WEB, AttemptOutcome, AttemptSubject, Refusal, Tools
from app.delivery.outbound import Outbound, OutboundAnswer
from app.registry.directories import DirectoryRow
from app.registry.messages.directories import DirectoryKind

_MEDIA_TYPE: Final = "application/scim+json"
_ATTRIBUTES: Final = "externalId,userName,active,meta"
_PATCH: Final = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
_PAGE: Final = 200
_ROUNDS: Final = 20
"""Pages of groups that one attempt leaves; the next attempt goes on."""
_NOBODY: Final = "arc-nobody"


class _Meta(msgspec.Struct):
    version: str | None = None


class _User(msgspec.Struct, rename="camel"):
    """What is read of a User. ``active`` None: the server did not say, which proves nothing."""

    id: str
    external_id: str | None = None
    user_name: str | None = None
    active: bool | None = None
    meta: _Meta = msgspec.field(default_factory=_Meta)


class _Users(msgspec.Struct):
    total: int = msgspec.field(name="totalResults")
    found: list[_User] = msgspec.field(name="Resources", default_factory=list)


class _Group(msgspec.Struct):
    id: str


class _Groups(msgspec.Struct):
    found: list[_Group] = msgspec.field(name="Resources", default_factory=list)


class _Config(msgspec.Struct):
    class Feature(msgspec.Struct):
        supported: bool = False

    patch: Feature


class Scim:
    """The kind ``scim``."""

    kind: ClassVar[DirectoryKind] = "scim"
    per: ClassVar[Literal["account", "employee", "site"]] = "employee"
    schemes: ClassVar[tuple[str, ...]] = WEB
    credential: ClassVar[str] = "bearer token"
    fields: ClassVar[tuple[str, ...]] = ()

    def __init__(self, tools: Tools) -> None:
        self._http = tools.http

    async def revoke(
        self, where: DirectoryRow, who: AttemptSubject, facts: BurnFacts, deadline_s: float
    ) -> AttemptOutcome:
        """``active=false``, out of every group, and ``active=false`` read back with its version."""
        del facts
        try:
            async with asyncio.timeout(deadline_s):
                return await self._lock(_Site(self._http, where, deadline_s), who)
        except Unsuccessful as answered:
            return answered.outcome

    async def _lock(self, site: _Site, who: AttemptSubject) -> AttemptOutcome:
        """Finds the account, locks it, takes it out of its groups and reads it back."""
        user = await self._find(site, who)
        if user is None:
            # Nothing there was ever linked to the node: no wrong link, and nothing to lock.
            return AttemptOutcome("already", f"no account there has the externalId {who.employee_id}; none was named")
        path = f"/Users/{quote(user.id, safe='')}"
        already = user.active is False
        if not already:
            successful(await site.call("PATCH", path, {"op": "replace", "path": "active", "value": False}))
        left = await self._leave_groups(site, user.id)
        if left or not already:
            user = (await site.get(path + f"?attributes={_ATTRIBUTES}")).read_as(_User)
        if user.active is not False:
            return AttemptOutcome("pending_offline", "the change was taken, but the account still reads as active")
        version = f", version {user.meta.version}" if user.meta.version else ""
        return AttemptOutcome("already" if already else "revoked", f"active=false read back{version}{left}")

    async def _find(self, site: _Site, who: AttemptSubject) -> _User | None:
        """The one account that bears the name; None if no account was named and none is there. All else is refused:
        never a guess."""
        name, value = _naming(who)
        if name == "id":
            answer = await site.call("GET", f"/Users/{quote(value, safe='')}?attributes={_ATTRIBUTES}")
            if answer.status == 404:
                raise Refusal(f"no account there has the id {value}")
            found = successful(answer).read_as(_User)
            matching = [found] if found.id == value else []
            total = 1
        else:
            query = {"filter": f"{name} eq {_text(value)}", "attributes": _ATTRIBUTES, "count": "2"}
            page = (await site.get(f"/Users?{urlencode(query, quote_via=quote)}")).read_as(_Users)
            matching, total = [user for user in page.found if _matches(user, name, value)], page.total
            if not page.found and total == 0:
                if who.account is None:
                    return None
                raise Refusal(f"no account there has the {name} {value}")
        if total > 1 or len(matching) > 1:
            raise Refusal(f"{total} accounts there answer to the {name} {value}: nobody was locked")
        if len(matching) != 1:
            raise Refusal(f"what answers to the {name} {value} bears another name: nobody was locked")
        return matching[0]

    async def _leave_groups(self, site: _Site, user_id: str) -> str:
        """Takes the account out of its groups; what the evidence says of that. An inactive account can do nothing by a
        group, so a server that does not let its groups be changed is mentioned and is no failure."""
        query = {"filter": f"members.value eq {_text(user_id)}", "attributes": "displayName", "count": str(_PAGE)}
        member = {"op": "remove", "path": f"members[value eq {_text(user_id)}]"}
        left: set[str] = set()
        for _ in range(_ROUNDS):
            answer = await site.call("GET", f"/Groups?{urlencode(query, quote_via=quote)}")
            if answer.status in (400, 403, 404, 501):
                return f"; its groups cannot be changed ({answer.status})"
            # Groups that were left already and are listed again would be left for ever.
            groups = [group.id for group in successful(answer).read_as(_Groups).found if group.id not in left]
            for group_id in groups:
                answer = await site.call("PATCH", f"/Groups/{quote(group_id, safe='')}", member)
                if answer.status in (400, 403, 404, 501):
                    return f"; its groups cannot be changed ({answer.status})"
                successful(answer)
                left.add(group_id)
            if len(groups) < _PAGE:
                break
        return f"; left {len(left)} group{'' if len(left) == 1 else 's'}" if left else ""

    async def probe(self, where: DirectoryRow, deadline_s: float) -> str:
        """Reads what the server can do, and looks for an account that is not there."""
        site = _Site(self._http, where, deadline_s)
        query = {"filter": f"externalId eq {_text(_NOBODY)}", "attributes": "externalId", "count": "1"}
        with probing():
            async with asyncio.timeout(deadline_s):
                config = (await site.get("/ServiceProviderConfig")).read_as(_Config)
                users = (await site.get(f"/Users?{urlencode(query, quote_via=quote)}")).read_as(_Users)
        if not config.patch.supported:
            raise Refusal("the server supports no PATCH, so no account can be locked")
        if any(user.external_id != _NOBODY for user in users.found):
            raise Refusal("the server passes over filters, so no account can be found safely")
        return "SCIM 2.0 with PATCH; accounts are found by externalId"

    def residual(self, where: DirectoryRow, state: TargetState, at_us: int) -> Residual | None:
        """Sessions outlive a locked account; SCIM does not say how long."""
        del at_us
        proven = state in ("revoked", "already")
        what = "sessions and tokens that were handed out before, until they end"
        return Residual(what=outlives(where.display_name, proven, what), until=None)

    async def close(self) -> None:
        """The connections belong to the client of all."""


class _Site:
    """One server for one attempt, with its address and secret."""

    def __init__(self, http: Outbound, where: DirectoryRow, deadline_s: float) -> None:
        self._http = http
        self._where = where
        self._deadline_s = deadline_s
        self._headers = {**bearer(where.secret), "Accept": _MEDIA_TYPE}

    async def call(self, method: str, path: str, operation: Mapping[str, object] | None = None) -> OutboundAnswer:
        """One call below the registered address; ``operation`` is the only one of a PATCH."""
        headers, content = self._headers, None
        if operation is not None:
            headers = {**headers, "Content-Type": _MEDIA_TYPE}
            content = msgspec.json.encode({"schemas": [_PATCH], "Operations": [operation]})
        url = self._where.url.rstrip("/") + path
        return await self._http.call(
            method, url, timeout_s=self._deadline_s, headers=headers, content=content, ca=self._where.ca
        )

    async def get(self, path: str) -> OutboundAnswer:
        """A 200, else the attempt ends."""
        return successful(await self.call("GET", path))


def _naming(who: AttemptSubject) -> tuple[str, str]:
    """Attribute and value that name the account there."""
    if who.account is None:
        return "externalId", who.employee_id or ""
    prefix, colon, value = who.account.partition(":")
    if colon and value and prefix in ("id", "userName"):
        return prefix, value
    return "externalId", who.account


def _matches(user: _User, name: str, value: str) -> bool:
    """Whether it bears the name that was asked for (RFC 7643: ``userName`` without case, ``externalId`` with)."""
    if name == "userName":
        return (user.user_name or "").casefold() == value.casefold()
    return user.external_id == value


def _text(value: str) -> str:
    """A text of a filter: written as in JSON (RFC 7644, 3.4.2.2)."""
    return msgspec.json.encode(value).decode()
