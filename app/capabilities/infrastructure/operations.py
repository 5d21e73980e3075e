"""The rows of ``/v1/infrastructure/*``."""

from __future__ import annotations

from app.api.operation import Call, Clearance, Endpoint
from app.api.roles import ANY_ROLE
from app.capabilities.infrastructure.messages import FrameList, NodesQuery, StatusQuery, StatusRecord
from app.capabilities.infrastructure.service import Infrastructure


async def _status(service: Infrastructure, call: Call[None, StatusQuery]) -> StatusRecord:
    return await service.status(call.query.node_id)


async def _nodes(service: Infrastructure, call: Call[None, NodesQuery]) -> FrameList:
    return await service.nodes(call.query)


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="infrastructure.status",
        method="GET",
        path="/v1/infrastructure/status",
        handler=_status,
        summary="Status of one server frame, or of this node",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        query=StatusQuery,
        response=StatusRecord,
        problems=("not_found", "dependency_unavailable"),
    ),
    Endpoint(
        name="infrastructure.nodes",
        method="GET",
        path="/v1/infrastructure/nodes",
        handler=_nodes,
        summary="All server frames with their handshake percentiles over time",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        query=NodesQuery,
        response=FrameList,
    ),
)
