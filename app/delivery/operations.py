"""The rows of the open alarms and of the published keys."""

from __future__ import annotations

import asyncio

from app.api.operation import Call, Clearance, Endpoint, Rate
from app.delivery.alarms import AlarmBook
from app.delivery.messages import Alarm, AlarmList, PublicJwkSet, TakeAlarm
from app.delivery.published_keys import PublishedKeys


async def _alarms(service: AlarmBook, _call: Call[None, None]) -> AlarmList:
    return AlarmList(items=await asyncio.to_thread(service.open))


async def _take(service: AlarmBook, call: Call[TakeAlarm, None]) -> Alarm:
    return await service.take(call.path["alarm_id"], call.body.note, actor=call.caller.key_id)


async def _acknowledge(service: AlarmBook, call: Call[None, None]) -> Alarm:
    return await service.acknowledge(call.path["alarm_id"], actor=call.caller.key_id)


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
        response=Alarm,
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
    ),
    Endpoint(
        name="deliveries.keys",
        method="GET",
        path="/v1/deliveries/keys",
        handler=_keys,
        summary="The public keys of what this site signs for others, a JWK set",
        clearance=Clearance.SOVEREIGN,
        response=PublicJwkSet,
    ),
)
