"""The rows of the open alarms, of deliveries and of the published keys."""

from __future__ import annotations

import asyncio

from app.api.operation import Call, Clearance, Endpoint, Rate
from app.api.roles import ADMIN, ANY_ROLE, BADGE, DESK
from app.api.wire import NoBody
from app.delivery.alarms import AlarmBook
from app.delivery.deliveries import Deliveries
from app.delivery.messages import (
    Alarm,
    AlarmList,
    Delivery,
    DeliveryPage,
    DeliveryQuery,
    PublicJwkSet,
    RecordOutcome,
    TakeAlarm,
)
from app.delivery.published_keys import PublishedKeys


async def _alarms(service: AlarmBook, _call: Call[None, None]) -> AlarmList:
    return AlarmList(items=await asyncio.to_thread(service.open))


async def _take(service: AlarmBook, call: Call[TakeAlarm, None]) -> Alarm:
    return await service.take(call.path["alarm_id"], call.body.note, actor=call.caller.key_id)


async def _acknowledge(service: AlarmBook, call: Call[None, None]) -> Alarm:
    return await service.acknowledge(call.path["alarm_id"], actor=call.caller.key_id)


async def _list(service: Deliveries, call: Call[None, DeliveryQuery]) -> DeliveryPage:
    return await asyncio.to_thread(service.page, call.query)


async def _get(service: Deliveries, call: Call[None, None]) -> Delivery:
    return await asyncio.to_thread(service.get, call.path["delivery_id"])


async def _send(service: Deliveries, call: Call[NoBody, None]) -> Delivery:
    return await service.send(call.path["delivery_id"], actor=call.caller.key_id, request_id=call.request_id)


async def _record_outcome(service: Deliveries, call: Call[RecordOutcome, None]) -> Delivery:
    delivery_id = call.path["delivery_id"]
    return await service.record_outcome(delivery_id, call.body, actor=call.caller.key_id, request_id=call.request_id)


async def _keys(service: PublishedKeys, _call: Call[None, None]) -> PublicJwkSet:
    return service.public()


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="gateway.alarms",
        service="alarms",
        method="GET",
        path="/v1/alarms",
        handler=_alarms,
        summary="The open alarms",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        response=AlarmList,
    ),
    Endpoint(
        name="gateway.take_alarm",
        service="alarms",
        method="POST",
        path="/v1/citadel/alarms/{alarm_id}/take",
        handler=_take,
        summary="The calling key owns the alarm from now on, in place of an earlier owner; list and event say so.",
        clearance=Clearance.CITADEL,
        roles=ADMIN | BADGE | DESK,
        request=TakeAlarm,
        optional_body=True,
        response=Alarm,
        problems=("not_found",),
        rate=Rate.WRITE,
    ),
    Endpoint(
        name="gateway.acknowledge_alarm",
        service="alarms",
        method="DELETE",
        path="/v1/citadel/alarms/{alarm_id}",
        handler=_acknowledge,
        summary="Closes an alarm of what has happened (a copied palm, a replayed code); others close with their fact.",
        clearance=Clearance.CITADEL,
        roles=ADMIN | DESK,
        response=Alarm,
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
    ),
    Endpoint(
        name="deliveries.list",
        method="GET",
        path="/v1/deliveries",
        handler=_list,
        summary="Callbacks and notices, newest first; by state, channel, platform, scan, strike, type.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        query=DeliveryQuery,
        response=DeliveryPage,
    ),
    Endpoint(
        name="deliveries.get",
        method="GET",
        path="/v1/deliveries/{delivery_id}",
        handler=_get,
        summary="One delivery: its attempts, and why it has not arrived.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        response=Delivery,
        problems=("not_found",),
    ),
    Endpoint(
        name="deliveries.send",
        method="POST",
        path="/v1/deliveries/{delivery_id}/send",
        handler=_send,
        summary="Sends again what did not arrive, under its id; releases a held notice. What arrived stays so.",
        clearance=Clearance.CITADEL,
        roles=ADMIN | DESK,
        request=NoBody,
        optional_body=True,
        response=Delivery,
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
    ),
    Endpoint(
        name="deliveries.record_outcome",
        method="POST",
        path="/v1/deliveries/{delivery_id}/outcome",
        handler=_record_outcome,
        summary="Records by hand what became of a callback that has not arrived, or what a platform did with a notice.",
        clearance=Clearance.CITADEL,
        roles=ADMIN | DESK,
        request=RecordOutcome,
        response=Delivery,
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
    ),
    Endpoint(
        name="deliveries.keys",
        service="published_keys",
        method="GET",
        path="/v1/deliveries/keys",
        handler=_keys,
        summary="The public keys of what this site signs for others, a JWK set",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        response=PublicJwkSet,
    ),
)
