"""The row of the telemetry stream."""

from __future__ import annotations

import hmac

from app.api.operation import Answer, Call, Clearance, Endpoint, Rate
from app.api.problems import Problem
from app.api.roles import ANY_ROLE
from app.capabilities.gateway.telemetry.messages import TelemetryQuery
from app.capabilities.gateway.telemetry.service import Telemetry


async def _telemetry(service: Telemetry, call: Call[None, TelemetryQuery]) -> Answer:
    """Opens the stream; a proof that comes in header and query must be the same in both."""
    header, query = call.headers.get("arc-enclave-sig"), call.query.enclave_sig
    if header is not None and query is not None and not hmac.compare_digest(header.encode(), query.encode()):
        raise Problem("parameter_conflict", "Header Arc-Enclave-Sig and enclave_sig differ; send one of them.")
    stream = await service.open(
        unit_id=call.query.unit_id,
        enclave_sig=header if header is not None else query,
        url=call.url,
        access_token=call.headers.get("authorization", "").partition(" ")[2] or None,
        last_event_id=call.headers.get("last-event-id"),
        key_id=call.caller.key_id,
        grant_id=call.caller.grant_id,
        request_id=call.request_id,
    )
    return Answer(stream, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="gateway.telemetry_stream",
        service="telemetry",
        method="GET",
        path="/v1/telemetry-stream",
        handler=_telemetry,
        summary="Live events as server-sent events, for a unit that proves its key",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        query=TelemetryQuery,
        media_type="text/event-stream",
        problems=("parameter_conflict", "proof_invalid", "replayed"),
        rate=Rate.STREAM,
        headers=("Arc-Enclave-Sig", "Last-Event-ID", "Authorization"),
    ),
)
