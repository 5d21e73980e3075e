"""The four rows of the operation table that every kind of registry rows has: list, get, put and delete."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from app.api.operation import Answer, Call, Clearance, Endpoint, Handler, Rate
from app.api.roles import ANY_ROLE, Roles
from app.api.wire import ListQuery, RegistryId, Request
from app.registry.crud import RegistryKind
from app.registry.messages.shared import Deleted
from app.registry.service import now_us

Pick = Callable[[Any], RegistryKind[Any, Any]]
"""Gives the kind, from the service that serves its rows."""


def _put(pick: Pick) -> Handler:
    async def put(service: Any, call: Call[Any, Any]) -> Answer:
        item, made = await pick(service).put(
            call.path["id"], call.body, actor=call.caller.key_id, request_id=call.request_id
        )
        return Answer(item, status=201 if made else 200)

    return put


def _get(pick: Pick) -> Handler:
    async def get(service: Any, call: Call[Any, Any]) -> Any:
        return pick(service).get(call.path["id"], now_us())

    return get


def _delete(pick: Pick) -> Handler:
    async def delete(service: Any, call: Call[Any, Any]) -> Deleted:
        return await pick(service).delete(call.path["id"], actor=call.caller.key_id, request_id=call.request_id)

    return delete


def _list(pick: Pick, page: Callable[..., Any]) -> Handler:
    async def list_(service: Any, call: Call[None, ListQuery]) -> Any:
        query = call.query
        # 500 rows with their credentials and checks are tens of milliseconds: not on the loop that answers all others.
        items, after = await asyncio.to_thread(pick(service).page, query.q, query.limit, query.cursor, now_us())
        return page(items=items, next=after)

    return list_


def crud_rows(
    path: str,
    word: str,
    words: str,
    pick: Pick,
    body: type[Request],
    item: type[msgspec.Struct],
    page: type[msgspec.Struct],
    put: Handler | None = None,
    query: type[Request] | None = None,
    service: str = "",
    *,
    puts: Roles,
    deletes: Roles,
    id_type: Any = RegistryId,
) -> tuple[Endpoint, ...]:
    """List, get, put and delete of one kind below ``/v1/registry/<path>``. ``word`` and ``words`` name it in summaries
    and operation ids. ``put`` and ``query``: what its PUT does differently; ``service``: as of ``Endpoint``. ``puts``
    and ``deletes``: operators that may; every operator reads. ``id_type``: what its identifiers are."""
    one = f"/v1/registry/{path}/{{id}}"
    name = words.replace(" ", "_").lower()
    single = word.replace(" ", "_").lower()
    return (
        Endpoint(
            name=f"registry.list_{name}",
            method="GET",
            path=f"/v1/registry/{path}",
            handler=_list(pick, page),
            summary=f"Lists {words} by rising id; q searches id and name.",
            clearance=Clearance.SOVEREIGN,
            roles=ANY_ROLE,
            query=ListQuery,
            response=page,
            service=service,
        ),
        Endpoint(
            name=f"registry.get_{single}",
            method="GET",
            path=one,
            handler=_get(pick),
            summary=f"One {word}.",
            clearance=Clearance.SOVEREIGN,
            roles=ANY_ROLE,
            response=item,
            problems=("not_found",),
            service=service,
        ),
        Endpoint(
            name=f"registry.put_{single}",
            method="PUT",
            path=one,
            handler=put or _put(pick),
            summary=f"Makes (201) or replaces (200) a {word}. An equal body changes nothing and leaves no leaf.",
            clearance=Clearance.CITADEL,
            roles=puts,
            request=body,
            query=query,
            response=item,
            statuses=(200, 201),
            path_types={"id": id_type},
            problems=("not_found", "state_conflict", "invalid_body"),
            rate=Rate.WRITE,
            service=service,
        ),
        Endpoint(
            name=f"registry.delete_{single}",
            method="DELETE",
            path=one,
            handler=_delete(pick),
            summary=f"Deletes a {word} that nothing needs any more.",
            clearance=Clearance.CITADEL,
            roles=deletes,
            response=Deleted,
            problems=("not_found", "state_conflict"),
            rate=Rate.WRITE,
            service=service,
        ),
    )
