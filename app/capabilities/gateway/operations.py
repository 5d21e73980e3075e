"""The rows of the gateway: telemetry stream, audit query, alarms."""

from __future__ import annotations

import hmac

from app.api.operation import Answer, Call, Clearance, Endpoint, Rate
from app.api.problems import Problem
from app.capabilities.gateway.messages import AlarmList, AuditPage, AuditProofs, AuditQuery, TelemetryQuery
from app.capabilities.gateway.service import Gateway
from app.delivery.messages import Alarm


async def _telemetry(service: Gateway, call: Call[None, TelemetryQuery]) -> Answer:
    header, query = call.headers.get("arc-enclave-sig"), call.query.enclave_sig
    if header is not None and query is not None and not hmac.compare_digest(header.encode(), query.encode()):
        raise Problem("parameter_conflict", "Header Arc-Enclave-Sig and enclave_sig differ; send one of them.")
    stream = await service.telemetry(
        unit_id=call.query.unit_id,
        enclave_sig=header if header is not None else query,
        url=call.url,
        access_token=call.headers.get("authorization", "").partition(" ")[2] or None,
        last_event_id=call.headers.get("last-event-id"),
        key_id=call.caller.key_id,
        request_id=call.request_id,
    )
    return Answer(stream, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


async def _audit_log_query(service: Gateway, call: Call[AuditQuery, AuditProofs]) -> AuditPage:
    return await service.audit_log_query(call.body, proofs=call.query.proofs)


async def _alarms(service: Gateway, call: Call[None, None]) -> AlarmList:
    del call
    return await service.alarms()


async def _acknowledge(service: Gateway, call: Call[None, None]) -> Alarm:
    return await service.acknowledge(call.path["alarm_id"], actor=call.caller.key_id)


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="gateway.telemetry_stream",
        method="GET",
        path="/v1/telemetry-stream",
        handler=_telemetry,
        summary="Live events as server-sent events, for a unit that proves its key",
        clearance=Clearance.SOVEREIGN,
        query=TelemetryQuery,
        media_type="text/event-stream",
        problems=("parameter_conflict", "proof_invalid", "replayed"),
        rate=Rate.STREAM,
        headers=("Arc-Enclave-Sig", "Last-Event-ID", "Authorization"),
    ),
    Endpoint(
        name="gateway.audit_log_query",
        method="POST",
        path="/v1/audit-log-query",
        handler=_audit_log_query,
        summary="One page of the audit log by time and criteria, with the checkpoint it is of",
        clearance=Clearance.SOVEREIGN,
        request=AuditQuery,
        query=AuditProofs,
        response=AuditPage,
        rate=Rate.READ,
    ),
    Endpoint(
        name="gateway.alarms",
        method="GET",
        path="/v1/alarms",
        handler=_alarms,
        summary="The open alarms",
        clearance=Clearance.SOVEREIGN,
        response=AlarmList,
    ),
    Endpoint(
        name="gateway.acknowledge_alarm",
        method="DELETE",
        path="/v1/citadel/alarms/{alarm_id}",
        handler=_acknowledge,
        summary="Closes an alarm of what has happened (a copied palm, a replayed code); others close with their fact.",
        clearance=Clearance.CITADEL,
        response=Alarm,
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
    ),
)
