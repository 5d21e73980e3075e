"""Rows of the operation table for ``/v1/registry/*``: reads for Sovereign, changes for
Citadel."""

from __future__ import annotations

from app.api.operation import Answer, Call, Clearance, Endpoint, Rate
from app.api.roles import ADMIN, BADGE, DESK
from app.api.wire import NodeId
from app.registry.crud_operations import crud_rows
from app.registry.messages.clusters import (
    EnrolBody,
    EnrolReply,
    ReaderCluster,
    ReaderClusterBody,
    ReaderClusterPage,
    RotateKeysBody,
    RotateKeysReply,
)
from app.registry.messages.directories import Directory, DirectoryBody, DirectoryPage, ProbeQuery
from app.registry.messages.hr_sources import HrSource, HrSourceBody, HrSourcePage
from app.registry.messages.media_sources import MediaSource, MediaSourceBody, MediaSourcePage
from app.registry.messages.nodes import Node, NodeBody, NodePage
from app.registry.messages.peers import Peer, PeerBody, PeerPage
from app.registry.messages.platforms import NoticePlatform, NoticePlatformPage, PlatformBody
from app.registry.messages.profiles import CredentialProfile, CredentialProfileBody, CredentialProfilePage
from app.registry.messages.terminals import Terminal, TerminalBody, TerminalPage
from app.registry.messages.units import Unit, UnitBody, UnitPage
from app.registry.service import Registry


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
        item = await service.directories.probe(item)
    return Answer(item, status=201 if made else 200)


OPERATIONS: tuple[Endpoint, ...] = (
    *crud_rows(
        "nodes",
        "node",
        "nodes",
        lambda registry: registry.nodes,
        NodeBody,
        Node,
        NodePage,
        puts=ADMIN | BADGE,
        deletes=ADMIN,
        id_type=NodeId,
    ),
    *crud_rows(
        "reader-clusters",
        "reader cluster",
        "reader clusters",
        lambda registry: registry.clusters,
        ReaderClusterBody,
        ReaderCluster,
        ReaderClusterPage,
        puts=ADMIN,
        deletes=ADMIN,
    ),
    Endpoint(
        name="registry.enrol_reader_cluster",
        method="POST",
        path="/v1/registry/reader-clusters/{id}/enrol",
        handler=_enrol,
        summary="Opens the key window of real readers: within it they take their first key over the default one.",
        clearance=Clearance.CITADEL,
        roles=ADMIN | DESK,
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
        roles=ADMIN | DESK,
        request=RotateKeysBody,
        response=RotateKeysReply,
        statuses=(200, 202),
        problems=("not_found", "state_conflict", "dependency_unavailable"),
        rate=Rate.WRITE,
        optional_body=True,
    ),
    *crud_rows(
        "credential-profiles",
        "credential profile",
        "credential profiles",
        lambda registry: registry.profiles,
        CredentialProfileBody,
        CredentialProfile,
        CredentialProfilePage,
        puts=ADMIN | BADGE,
        deletes=ADMIN | BADGE,
    ),
    *crud_rows(
        "units",
        "unit",
        "units",
        lambda registry: registry.units,
        UnitBody,
        Unit,
        UnitPage,
        puts=ADMIN,
        deletes=ADMIN,
    ),
    *crud_rows(
        "terminals",
        "terminal",
        "terminals",
        lambda registry: registry.terminals,
        TerminalBody,
        Terminal,
        TerminalPage,
        puts=ADMIN,
        deletes=ADMIN,
    ),
    *crud_rows(
        "peers",
        "peer",
        "peers",
        lambda registry: registry.peers_kind,
        PeerBody,
        Peer,
        PeerPage,
        puts=ADMIN,
        deletes=ADMIN,
    ),
    *crud_rows(
        "directories",
        "directory",
        "directories",
        lambda registry: registry.directories,
        DirectoryBody,
        Directory,
        DirectoryPage,
        put=_put_directory,
        query=ProbeQuery,
        puts=ADMIN,
        deletes=ADMIN,
    ),
    *crud_rows(
        "hr-sources",
        "HR source",
        "HR sources",
        lambda registry: registry.hr_sources,
        HrSourceBody,
        HrSource,
        HrSourcePage,
        puts=ADMIN,
        deletes=ADMIN,
    ),
    *crud_rows(
        "media-sources",
        "media source",
        "media sources",
        lambda registry: registry.media_sources,
        MediaSourceBody,
        MediaSource,
        MediaSourcePage,
        puts=ADMIN,
        deletes=ADMIN,
    ),
    *crud_rows(
        "platforms",
        "platform",
        "platforms",
        lambda registry: registry.platforms,
        PlatformBody,
        NoticePlatform,
        NoticePlatformPage,
        puts=ADMIN,
        deletes=ADMIN,
    ),
)
