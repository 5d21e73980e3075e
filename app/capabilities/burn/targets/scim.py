"""Accounts in systems that speak SCIM 2.0 (RFC 7643, RFC 7644).

An account is named by ``id:<id>``, ``userName:<name>`` or, without a prefix, by its ``externalId``. Where a node has no
account named, its employee number is looked for as ``externalId`` and ``userName``, its e-mail address as ``userName``
and among ``emails``. One that bears the number is the person's; of one that bears the address alone the directory's
``email_match`` decides: locked, or left for a person to link. Nobody there is ``unlinked``, never a proof.

What is found must bear that very name: a server that ignores a filter answers with everybody, and the wrong person
would be locked out. What is read back must bear the same id and the same names: a server that answers about somebody
else proves nothing.

No ``If-Match``: a burn must win over an edit at the same time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal
from urllib.parse import quote, urlencode

import msgspec

from app.capabilities.burn.messages import Residual, TargetState
from app.capabilities.burn.targets import BurnFacts
from app.capabilities.burn.targets.answers import Unsuccessful, bearer, outlives, probing, successful
from app.capabilities.burn.targets.connector import WEB, AttemptOutcome, AttemptSubject, Refusal, Tools
from app.capabilities.burn.targets.person import LINK, MATCHES, sum_up
from app.delivery.outbound import CONNECTIONS, Outbound, OutboundAnswer
from app.registry.directories import DirectoryRow
from app.registry.messages.directories import DirectoryKind

_MEDIA_TYPE: Final = "application/scim+json"
_ATTRIBUTES: Final = "externalId,userName,emails,active,meta"
_PATCH: Final = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
_PAGE: Final = 200
_UNSEARCHABLE: Final = (400, 403, 501)
"""A server that does not filter by an attribute (RFC 7644, 3.4.2.2: ``invalidFilter`` with 400)."""
_ROUNDS: Final = 20
"""Pages of groups that one attempt leaves; the next attempt goes on."""
_NOBODY: Final = "arc-nobody"


class _Meta(msgspec.Struct):
    version: str | None = None


class _Address(msgspec.Struct):
    value: str | None = None


class _User(msgspec.Struct, rename="camel"):
    """What is read of a User. ``active`` None: the server did not say, which proves nothing."""

    id: str
    external_id: str | None = None
    user_name: str | None = None
    emails: list[_Address] = []
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


@dataclass(frozen=True, slots=True)
class _Matches:
    """Accounts of a person without a named one: by number, by address alone; by what was searched, in words."""

    mine: Sequence[_User]
    by_email: Sequence[_User]
    searched: str


class Scim:
    """The kind ``scim``."""

    kind: ClassVar[DirectoryKind] = "scim"
    per: ClassVar[Literal["person", "site"]] = "person"
    searches: ClassVar[tuple[Literal["employee_id", "email"], ...]] = ("employee_id", "email")
    readable: ClassVar[bool] = True
    schemes: ClassVar[tuple[str, ...]] = WEB
    credential: ClassVar[str] = "bearer token"
    fields: ClassVar[tuple[str, ...]] = ("email_match",)

    def __init__(self, tools: Tools) -> None:
        self._http = tools.http

    async def revoke(
        self, where: DirectoryRow, who: AttemptSubject, facts: BurnFacts, deadline_s: float
    ) -> AttemptOutcome:
        """``active=false``, out of every group, and ``active=false`` read back with its version."""
        del facts
        site = _Site(self._http, where, deadline_s)
        try:
            async with asyncio.timeout(deadline_s):
                if who.account is not None:
                    return await self._lock(site, await self._find_named(site, who.account))
                return await self._lock_person(site, who, lock_by_email=where.email_match == "lock")
        except Unsuccessful as answered:
            return answered.outcome

    async def _lock_person(self, site: _Site, who: AttemptSubject, *, lock_by_email: bool) -> AttemptOutcome:
        """Looks for the person's accounts and locks them; those that bear the address alone as the directory says."""
        found = await self._search(site, who)
        wanted = [*found.mine, *(found.by_email if lock_by_email else ())]
        done = [await self._lock(site, user) for user in wanted]
        missed = [] if lock_by_email else [user for user in found.by_email if user.active is not False]
        return sum_up(done, [f"{user.user_name or 'one'} (id:{user.id})" for user in missed], found.searched)

    async def _lock(self, site: _Site, user: _User) -> AttemptOutcome:
        """Locks the account, takes it out of its groups and reads it back."""
        path = f"/Users/{quote(user.id, safe='')}"
        already = user.active is False
        if not already:
            successful(await site.call("PATCH", path, {"op": "replace", "path": "active", "value": False}))
        left = await self._leave_groups(site, user.id)
        back = (await site.get(path + f"?attributes={_ATTRIBUTES}")).read_as(_User)
        if not _is_same(user, back):
            return AttemptOutcome("pending_offline", "what was read back is another account; nothing is proven")
        if back.active is not False:
            return AttemptOutcome("pending_offline", "the change was taken, but the account still reads as active")
        version = f", version {back.meta.version}" if back.meta.version else ""
        return AttemptOutcome("already" if already else "revoked", f"active=false read back{version}{left}")

    async def find_unlocked(
        self, where: DirectoryRow, people: Sequence[AttemptSubject], deadline_s: float
    ) -> list[AttemptSubject]:
        """Which of these have an account there now that is active; changes nothing. Raises ``OutboundError`` or
        ``Refusal``."""
        site = _Site(self._http, where, deadline_s)
        slots = asyncio.Semaphore(CONNECTIONS)

        async def is_active(who: AttemptSubject) -> bool:
            async with slots:
                return await self._is_active(site, who)

        with probing():
            async with asyncio.timeout(deadline_s):
                active = await asyncio.gather(*(is_active(who) for who in people))
        return [who for who, one in zip(people, active, strict=True) if one]

    async def _is_active(self, site: _Site, who: AttemptSubject) -> bool:
        """Whether an account of the person is not locked, or stands otherwise than a burn left it."""
        try:
            if who.account is None:
                found = await self._search(site, who)
                users = [*found.mine, *found.by_email]
            else:
                name, value = _naming(who.account)
                if name == "id":
                    answer = await site.call("GET", f"/Users/{quote(value, safe='')}?attributes={_ATTRIBUTES}")
                    users = [] if answer.status == 404 else [successful(answer).read_as(_User)]
                    if any(user.id != value for user in users):
                        return True
                else:
                    users = await self._bearing(site, name, value) or []
        except Refusal:
            return True  # the attempt says what stands in its way
        return any(user.active is not False for user in users)

    async def _find_named(self, site: _Site, account: str) -> _User:
        """The one account that bears the name. All else is refused: never a guess."""
        name, value = _naming(account)
        if name == "id":
            answer = await site.call("GET", f"/Users/{quote(value, safe='')}?attributes={_ATTRIBUTES}")
            if answer.status == 404:
                raise Refusal(f"no account there has the id {value}")
            found = [successful(answer).read_as(_User)]
            if found[0].id != value:
                raise Refusal(f"what answers to the id {value} bears another name: nobody was locked")
        else:
            found = await self._bearing(site, name, value) or []
        if not found:
            raise Refusal(f"no account there has the {name} {value}")
        return found[0]

    async def _search(self, site: _Site, who: AttemptSubject) -> _Matches:
        """The accounts that bear the person's number or address. ``Unsuccessful`` where the server cannot search for
        one: whether there is an account is not known then."""
        mine: dict[str, _User] = {}
        by_email: dict[str, _User] = {}
        searched: list[str] = []
        for name, value, found in (
            ("externalId", who.employee_id, mine),
            ("userName", who.employee_id, mine),
            ("userName", who.email, by_email),
            ("emails.value", who.email, by_email),
        ):
            if value is None:
                continue
            users = await self._bearing(site, name, value, most=1 if found is mine else MATCHES)
            if users is None:
                cannot = f"it cannot search for the {name} {value}: look there by hand, then {LINK}"
                raise Unsuccessful(AttemptOutcome("unsupported", cannot))
            found.update({user.id: user for user in users})
            searched.append(f"{name} {value}")
        others = [user for user_id, user in by_email.items() if user_id not in mine]
        return _Matches(list(mine.values()), others, " or ".join(searched))

    async def _bearing(self, site: _Site, name: str, value: str, most: int = 1) -> list[_User] | None:
        """The accounts of this name; None where the server cannot search by it. More than ``most``, or one of another
        name, are refused."""
        query = {"filter": f"{name} eq {_text(value)}", "attributes": _ATTRIBUTES, "count": str(most + 1)}
        answer = await site.call("GET", f"/Users?{urlencode(query, quote_via=quote)}")
        if name == "emails.value" and answer.status in _UNSEARCHABLE:
            return None
        page = successful(answer).read_as(_Users)
        if max(page.total, len(page.found)) > most:
            raise Refusal(f"{page.total} accounts there answer to the {name} {value}: nobody was locked")
        if len(page.found) < page.total or not all(_bears(user, name, value) for user in page.found):
            raise Refusal(f"what answers to the {name} {value} bears another name: nobody was locked")
        return page.found

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
        what = "sessions and tokens that were handed out before, until they end"
        return Residual(what=outlives(where.display_name, state, what), until=None)

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


def _naming(account: str) -> tuple[str, str]:
    """Attribute and value that name the account there."""
    prefix, colon, value = account.partition(":")
    if colon and value and prefix in ("id", "userName"):
        return prefix, value
    return "externalId", account


def _bears(user: _User, name: str, value: str) -> bool:
    """Whether it bears the name that was asked for (RFC 7643: ``userName`` and addresses without case, ``externalId``
    with)."""
    if name == "userName":
        return (user.user_name or "").casefold() == value.casefold()
    if name == "emails.value":
        return any((email.value or "").casefold() == value.casefold() for email in user.emails)
    return user.external_id == value


def _is_same(user: _User, back: _User) -> bool:
    """Whether what was read back is the account that was found: by its id and by the names that it bore."""
    return (
        back.id == user.id
        and (back.user_name or "").casefold() == (user.user_name or "").casefold()
        and back.external_id == user.external_id
    )


def _text(value: str) -> str:
    """A text of a filter: written as in JSON (RFC 7644, 3.4.2.2)."""
    return msgspec.json.encode(value).decode()
