"""Rows of the operation table for ``/v1/registry/*`` (contract.md, section 3): reads for Sovereign, changes for
Citadel; and of the approvals, four eyes for what one key may not do alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from app.api.operation import Answer, Call, Clearance, Endpoint, Handler, Rate
from app.api.wire import ListQuery, NoBody, NodeId, RegistryId, Request
from app.approvals.service import Approvals
from app.biometrics.bundles import MEDIA_TYPE as BUNDLE_TYPE
from app.registry.crud import RegistryKind
from app.registry.messages import (
    Approval,
    ApprovalBody,
    ApprovalListQuery,
    ApprovalPage,
    BundleTaken,
    BundleTakenBody,
    CredentialProfile,
    CredentialProfileBody,
    CredentialProfilePage,
    Deleted,
    Directory,
    DirectoryBody,
    DirectoryPage,
    EnrolBody,
    EnrolReply,
    HrSource,
    HrSourceBody,
    HrSourcePage,
    Node,
    NodeBody,
    NodePage,
    Peer,
    PeerBody,
    PeerPage,
    ProbeQuery,
    ReaderCluster,
    ReaderClusterBody,
    ReaderClusterPage,
    RotateKeysBody,
    RotateKeysReply,
    TemplateRegistry,
    TemplateRegistryBody,
    TemplateRegistryPage,
    Terminal,
    TerminalBody,
    TerminalPage,
    Unit,
    UnitBody,
    UnitPage,
)
from app.registry.service import Registry, now_us

Pick = Callable[[Registry], RegistryKind[Any, Any]]


def _put(pick: Pick) -> Handler:
    async def put(service: Registry, call: Call[Any, Any]) -> Answer:
        item, made = await pick(service).put(
            call.path["id"], call.body, actor=call.caller.key_id, request_id=call.request_id
        )
        return Answer(item, status=201 if made else 200)

    return put


def _get(pick: Pick) -> Handler:
    async def get(service: Registry, call: Call[Any, Any]) -> Any:
        return pick(service).get(call.path["id"], now_us())

    return get


def _delete(pick: Pick) -> Handler:
    async def delete(service: Registry, call: Call[Any, Any]) -> Deleted:
        return await pick(service).delete(call.path["id"], actor=call.caller.key_id, request_id=call.request_id)

    return delete


def _list(pick: Pick, page: Callable[..., Any]) -> Handler:
    async def list_(service: Registry, call: Call[None, ListQuery]) -> Any:
        query = call.query
        # 500 rows with their credentials and checks are tens of milliseconds: not on the loop that answers all others.
        items, after = await asyncio.to_thread(pick(service).page, query.q, query.limit, query.cursor, now_us())
        return page(items=items, next=after)

    return list_


def _kind(
    path: str,
    word: str,
    words: str,
    pick: Pick,
    body: type[Request],
    item: type[msgspec.Struct],
    page: type[msgspec.Struct],
    put: Handler | None = None,
    query: type[Request] | None = None,
) -> tuple[Endpoint, ...]:
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
            query=ListQuery,
            response=page,
        ),
        Endpoint(
            name=f"registry.get_{single}",
            method="GET",
            path=one,
            handler=_get(pick),
            summary=f"One {word}.",
            clearance=Clearance.SOVEREIGN,
            response=item,
            problems=("not_found",),
        ),
        Endpoint(
            name=f"registry.put_{single}",
            method="PUT",
            path=one,
            handler=put or _put(pick),
            summary=f"Makes (201) or replaces (200) a {word}. An equal body changes nothing and leaves no leaf.",
            clearance=Clearance.CITADEL,
            request=body,
            query=query,
            response=item,
            statuses=(200, 201),
            path_types={"id": NodeId if body is NodeBody else RegistryId},
            problems=("not_found", "state_conflict", "invalid_body"),
            rate=Rate.WRITE,
        ),
        Endpoint(
            name=f"registry.delete_{single}",
            method="DELETE",
            path=one,
            handler=_delete(pick),
            summary=f"Deletes a {word} that nothing needs any more.",
            clearance=Clearance.CITADEL,
            response=Deleted,
            problems=("not_found", "state_conflict"),
            rate=Rate.WRITE,
        ),
    )


async def _enrol(service: Registry, call: Call[EnrolBody, None]) -> EnrolReply:
    return await service.clusters.enrol(
        call.path["id"],
        call.body.reader_ids,
        call.body.seconds,
        actor=call.caller.key_id,
        request_id=call.request_id,
    )


async def _rotate_keys(service: Registry, call: Call[RotateKeysBody, None]) -> Answer:
    reply = await service.clusters.rotate_keys(
        call.path["id"], call.body.reader_ids, actor=call.caller.key_id, request_id=call.request_id
    )
    return Answer(reply, status=200 if all(part.state == "rotated" for part in reply.readers) else 202)


async def _put_directory(service: Registry, call: Call[DirectoryBody, ProbeQuery]) -> Answer:
    item, made = await service.directories.put(
        call.path["id"], call.body, actor=call.caller.key_id, request_id=call.request_id
    )
    if call.query.probe:
        item = await service.directories.probed(item)
    return Answer(item, status=201 if made else 200)


async def _renew(service: Registry, call: Call[NoBody, None]) -> TemplateRegistry:
    return await service.template_registries.renew(
        call.path["id"], actor=call.caller.key_id, request_id=call.request_id
    )


async def _bundle(service: Registry, call: Call[None, None]) -> Answer:
    text = await service.bundles.issue(call.path["id"], actor=call.caller.key_id, request_id=call.request_id)
    return Answer(text, media_type=BUNDLE_TYPE)


async def _taken(service: Registry, call: Call[BundleTakenBody, None]) -> BundleTaken:
    return await service.bundles.taken(call.path["id"], call.body, actor=call.caller.key_id, request_id=call.request_id)


async def _request(service: Approvals, call: Call[ApprovalBody, None]) -> Answer:
    item, made = await service.request(call.body, actor=call.caller.key_id, request_id=call.request_id)
    return Answer(item, status=201 if made else 200)


async def _list_approvals(service: Approvals, call: Call[None, ApprovalListQuery]) -> ApprovalPage:
    return service.page(call.query, now_us())


async def _get_approval(service: Approvals, call: Call[None, None]) -> Approval:
    return service.get(call.path["approval_id"], now_us())


async def _approve(service: Approvals, call: Call[NoBody, None]) -> Approval:
    return await service.approve(call.path["approval_id"], actor=call.caller.key_id, request_id=call.request_id)


async def _reject(service: Approvals, call: Call[NoBody, None]) -> Approval:
    return await service.reject(call.path["approval_id"], actor=call.caller.key_id, request_id=call.request_id)


_APPROVALS = "/v1/citadel/uac/approvals"

OPERATIONS: tuple[Endpoint, ...] = (
    *_kind("nodes", "node", "nodes", lambda registry: registry.nodes, NodeBody, Node, NodePage),
    *_kind(
        "reader-clusters",
        "reader cluster",
        "reader clusters",
        lambda registry: registry.clusters,
        ReaderClusterBody,
        ReaderCluster,
        ReaderClusterPage,
    ),
    Endpoint(
        name="registry.enrol_reader_cluster",
        method="POST",
        path="/v1/registry/reader-clusters/{id}/enrol",
        handler=_enrol,
        summary="Opens the key window of real readers: within it they take their first key over the default one.",
        clearance=Clearance.CITADEL,
        request=EnrolBody,
        response=EnrolReply,
        problems=("not_found", "state_conflict", "dependency_unavailable"),
        rate=Rate.WRITE,
        optional_body=True,
    ),
    Endpoint(
        name="registry.rotate_reader_keys",
        method="POST",
        path="/v1/registry/reader-clusters/{id}/rotate-keys",
        handler=_rotate_keys,
        summary="Gives readers new Secure Channel keys now; 202 while one of them has not got its own.",
        clearance=Clearance.CITADEL,
        request=RotateKeysBody,
        response=RotateKeysReply,
        statuses=(200, 202),
        problems=("not_found", "state_conflict", "dependency_unavailable"),
        rate=Rate.WRITE,
        optional_body=True,
    ),
    *_kind(
        "credential-profiles",
        "credential profile",
        "credential profiles",
        lambda registry: registry.profiles,
        CredentialProfileBody,
        CredentialProfile,
        CredentialProfilePage,
    ),
    *_kind("units", "unit", "units", lambda registry: registry.units, UnitBody, Unit, UnitPage),
    *_kind(
        "terminals",
        "terminal",
        "terminals",
        lambda registry: registry.terminals,
        TerminalBody,
        Terminal,
        TerminalPage,
    ),
    Endpoint(
        name="registry.get_terminal_bundle",
        method="GET",
        path="/v1/registry/terminals/{id}/bundle",
        handler=_bundle,
        summary="A new bundle for a palm terminal (JWE to its key of a JWS by this site): what it makes templates with,"
        " who is denied and, if it may decide offline, whom it may let in until when.",
        clearance=Clearance.SOVEREIGN,
        media_type=BUNDLE_TYPE,
        problems=("not_found", "state_conflict", "dependency_unavailable"),
        rate=Rate.WRITE,
    ),
    Endpoint(
        name="registry.acknowledge_terminal_bundle",
        method="POST",
        path="/v1/registry/terminals/{id}/bundle/taken",
        handler=_taken,
        summary="A terminal's signed word that it opened, checked and kept a bundle: it has none of before any more, "
        "which is what a burn takes as proof. A repeat changes nothing.",
        clearance=Clearance.SOVEREIGN,
        request=BundleTakenBody,
        response=BundleTaken,
        problems=("not_found", "proof_invalid", "state_conflict"),
        rate=Rate.WRITE,
    ),
    *_kind("peers", "peer", "peers", lambda registry: registry.peers_kind, PeerBody, Peer, PeerPage),
    *_kind(
        "directories",
        "directory",
        "directories",
        lambda registry: registry.directories,
        DirectoryBody,
        Directory,
        DirectoryPage,
        put=_put_directory,
        query=ProbeQuery,
    ),
    *_kind(
        "hr-sources",
        "HR source",
        "HR sources",
        lambda registry: registry.hr_sources,
        HrSourceBody,
        HrSource,
        HrSourcePage,
    ),
    *_kind(
        "template-registries",
        "template registry",
        "template registries",
        lambda registry: registry.template_registries,
        TemplateRegistryBody,
        TemplateRegistry,
        TemplateRegistryPage,
    ),
    Endpoint(
        name="registry.renew_template_registry",
        method="POST",
        path="/v1/registry/template-registries/{id}/renew",
        handler=_renew,
        summary="Makes every template anew under the next key, without the persons, and destroys the old key.",
        clearance=Clearance.CITADEL,
        request=NoBody,
        response=TemplateRegistry,
        problems=("not_found", "state_conflict", "dependency_unavailable"),
        rate=Rate.WRITE,
        optional_body=True,
    ),
    Endpoint(
        name="approvals.request",
        method="POST",
        path=_APPROVALS,
        handler=_request,
        summary="Asks a second key to agree (201); what is asked for already is the same approval (200).",
        clearance=Clearance.CITADEL,
        request=ApprovalBody,
        response=Approval,
        statuses=(200, 201),
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
    ),
    Endpoint(
        name="approvals.list",
        method="GET",
        path=_APPROVALS,
        handler=_list_approvals,
        summary="Approvals, newest first.",
        clearance=Clearance.CITADEL,
        query=ApprovalListQuery,
        response=ApprovalPage,
    ),
    Endpoint(
        name="approvals.get",
        method="GET",
        path=f"{_APPROVALS}/{{approval_id}}",
        handler=_get_approval,
        summary="One approval.",
        clearance=Clearance.CITADEL,
        response=Approval,
        problems=("not_found",),
    ),
    Endpoint(
        name="approvals.approve",
        method="POST",
        path=f"{_APPROVALS}/{{approval_id}}/approve",
        handler=_approve,
        summary="Agrees, by another key than the one that asked.",
        clearance=Clearance.CITADEL,
        request=NoBody,
        response=Approval,
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
        optional_body=True,
    ),
    Endpoint(
        name="approvals.reject",
        method="POST",
        path=f"{_APPROVALS}/{{approval_id}}/reject",
        handler=_reject,
        summary="Refuses a request, or takes an approval back that is not used yet; by another key.",
        clearance=Clearance.CITADEL,
        request=NoBody,
        response=Approval,
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
        optional_body=True,
    ),
)
