"""The rows of ``/v1/log/*``: what verifiers pin and monitors read."""

from __future__ import annotations

from typing import Final

from app.api.operation import Answer, Call, Clearance, Endpoint
from app.api.roles import ANY_ROLE
from app.capabilities.gateway.audit.logs.messages import LogKeys, LogName, LogWitnesses, TileIndex, TileLevel
from app.capabilities.gateway.audit.logs.service import PublishedLogs

TEXT: Final = "text/plain; charset=utf-8"
OCTETS: Final = "application/octet-stream"
PEM: Final = "application/pem-certificate-chain"


async def _checkpoint(service: PublishedLogs, call: Call[None, None]) -> Answer:
    return Answer(service.checkpoint(call.path["log"]).encode(), media_type=TEXT)


async def _tile(service: PublishedLogs, call: Call[None, None]) -> Answer:
    path = call.path
    return Answer(await service.tile(path["log"], path["level"], path["index"]), media_type=OCTETS)


async def _entries(service: PublishedLogs, call: Call[None, None]) -> Answer:
    return Answer(await service.entries(call.path["log"], call.path["index"]), media_type=OCTETS)


async def _policy(service: PublishedLogs, _call: Call[None, None]) -> Answer:
    return Answer(service.policy().encode("utf-8", "surrogateescape"), media_type=TEXT)


async def _keys(service: PublishedLogs, _call: Call[None, None]) -> LogKeys:
    return await service.keys()


async def _roots(service: PublishedLogs, _call: Call[None, None]) -> Answer:
    return Answer(service.roots, media_type=PEM)


async def _witnesses(service: PublishedLogs, _call: Call[None, None]) -> LogWitnesses:
    return service.witnesses()


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="log.checkpoint",
        method="GET",
        path="/v1/log/{log}/checkpoint",
        handler=_checkpoint,
        summary="The newest checkpoint that a quorum of witnesses has cosigned, a signed note",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        media_type=TEXT,
        path_types={"log": LogName},
    ),
    Endpoint(
        name="log.tile",
        method="GET",
        path="/v1/log/{log}/tile/{level}/{index...}",
        handler=_tile,
        summary="A tile of the log's Merkle tree (C2SP tlog-tiles)",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        media_type=OCTETS,
        path_types={"log": LogName, "level": TileLevel, "index": TileIndex},
    ),
    Endpoint(
        name="log.entries",
        method="GET",
        path="/v1/log/{log}/tile/entries/{index...}",
        handler=_entries,
        summary="The entries under a tile of level 0, each after its length in two bytes (C2SP tlog-tiles)",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        media_type=OCTETS,
        path_types={"log": LogName, "index": TileIndex},
    ),
    Endpoint(
        name="log.policy",
        method="GET",
        path="/v1/log/policy",
        handler=_policy,
        summary="Whose signatures make a checkpoint of this site good (C2SP tlog-policy)",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        media_type=TEXT,
        problems=("not_found",),
    ),
    Endpoint(
        name="log.keys",
        method="GET",
        path="/v1/log/keys",
        handler=_keys,
        summary="Every replacement of the logs' keys, signed by the keys that were left",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        response=LogKeys,
    ),
    Endpoint(
        name="log.roots",
        method="GET",
        path="/v1/log/roots",
        handler=_roots,
        summary="The root certificates of this site as PEM",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        media_type=PEM,
    ),
    Endpoint(
        name="log.witnesses",
        method="GET",
        path="/v1/log/witnesses",
        handler=_witnesses,
        summary="Every witness of the logs and how it is",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        response=LogWitnesses,
    ),
)
