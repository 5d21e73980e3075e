"""Rows of the operation table for ``/v1/hardware/*`` (specification 4.10): cards, provisionings, receipts, and the rows
of the stock and of batches."""

from __future__ import annotations

import asyncio

from app.api.operation import Answer, Call, Clearance, Endpoint, Idempotency, Rate
from app.api.roles import ANY_ROLE, AUDITOR, BADGE, DESK, MANAGER
from app.api.wire import NoBody
from app.capabilities.provisioning.batches import operations as batch_operations
from app.capabilities.provisioning.messages import (
    CardList,
    CardListQuery,
    PinReset,
    PinResetBody,
    Provision,
    ProvisionBody,
    ProvisionListQuery,
    ProvisionPage,
    Receipt,
    ReceiptListQuery,
    RevokeCardBody,
    RevokedCard,
    Trace,
)
from app.capabilities.provisioning.service import Provisioning
from app.capabilities.provisioning.stock import operations as stock_operations

CSV = "text/csv"


async def _cards(service: Provisioning, call: Call[None, CardListQuery]) -> CardList:
    return await service.cards(again=call.query.again)


async def _provision(service: Provisioning, call: Call[ProvisionBody, None]) -> Answer:
    reply, status = await service.provision(call.body, actor=call.caller.key_id, request_id=call.request_id)
    return Answer(reply, status=status, headers={"Retry-After": "2"} if status == 202 else {})


async def _revoke_card(service: Provisioning, call: Call[RevokeCardBody, None]) -> Answer:
    reply = await service.revoker.revoke(
        call.path["hardware_uid"], call.body.reason, actor=call.caller.key_id, request_id=call.request_id
    )
    return Answer(reply, status=200 if reply.state == "COMPLETE" else 202)


async def _list(service: Provisioning, call: Call[None, ProvisionListQuery]) -> ProvisionPage:
    return service.records.page(call.query)


async def _get(service: Provisioning, call: Call[None, None]) -> Provision:
    return service.records.get(call.path["provision_id"])


async def _trace(service: Provisioning, call: Call[None, None]) -> Trace:
    return await asyncio.to_thread(service.records.trace, call.path["provision_id"], call.caller)


async def _pin_mailer(service: Provisioning, call: Call[NoBody, None]) -> Answer:
    page = await service.mailers.pin_mailer(call.path["provision_id"], caller=call.caller, request_id=call.request_id)
    return Answer(page, media_type="application/pdf")


async def _reset_pin(service: Provisioning, call: Call[PinResetBody, None]) -> Answer:
    reply, status = await service.resets.reset(
        call.path["provision_id"], call.body.approval_id, actor=call.caller.key_id, request_id=call.request_id
    )
    return Answer(reply, status=status, headers={"Retry-After": "2"} if status == 202 else {})


async def _receipt(service: Provisioning, call: Call[None, None]) -> Receipt:
    return service.receipts.get(call.path["provision_id"])


async def _receipts(service: Provisioning, call: Call[None, ReceiptListQuery]) -> Answer:
    table = await asyncio.to_thread(service.receipts.table, call.query)
    return Answer(table, media_type=CSV, headers={"Content-Disposition": 'attachment; filename="receipts.csv"'})


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="provisioning.list_cards",
        method="GET",
        path="/v1/hardware/cards",
        handler=_cards,
        summary="Every card reader with the card in it, and whether the reader service answers.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        query=CardListQuery,
        response=CardList,
    ),
    Endpoint(
        name="provisioning.provision",
        method="POST",
        path="/v1/hardware/se/provision",
        handler=_provision,
        summary="Writes a person's root validation profile to a card and proves it in a fresh session.",
        clearance=Clearance.SOVEREIGN,
        roles=BADGE,
        request=ProvisionBody,
        response=Provision,
        statuses=(200, 202),
        problems=("not_found", "state_conflict", "fips_not_met", "card_locked", "dependency_unavailable"),
        rate=Rate.CARD,
    ),
    Endpoint(
        name="provisioning.revoke_card",
        method="POST",
        path="/v1/citadel/cards/{hardware_uid}/revoke",
        handler=_revoke_card,
        summary="Ends one card by any of its names; its person stays. 202 until a signed list names it. Idempotent.",
        clearance=Clearance.CITADEL,
        roles=BADGE | DESK,
        request=RevokeCardBody,
        response=RevokedCard,
        statuses=(200, 202),
        problems=("not_found", "state_conflict"),
        rate=Rate.BURN,
    ),
    Endpoint(
        name="provisioning.list_provisions",
        method="GET",
        path="/v1/hardware/se/provisions",
        handler=_list,
        summary="Provisionings, newest first; q searches node, card and identifier.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        query=ProvisionListQuery,
        response=ProvisionPage,
    ),
    Endpoint(
        name="provisioning.get_provision",
        method="GET",
        path="/v1/hardware/se/provisions/{provision_id}",
        handler=_get,
        summary="One provisioning, with its stages while it runs.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        response=Provision,
        problems=("not_found",),
    ),
    Endpoint(
        name="provisioning.get_trace",
        method="GET",
        path="/v1/hardware/se/provisions/{provision_id}/trace",
        handler=_trace,
        summary="Every APDU of the last attempt, for the key that wrote it or Citadel; secrets appear as lengths only.",
        clearance=Clearance.SOVEREIGN,
        roles=AUDITOR | BADGE,
        response=Trace,
        problems=("insufficient_clearance", "not_found"),
    ),
    Endpoint(
        name="provisioning.print_pin_mailer",
        method="POST",
        path="/v1/hardware/se/provisions/{provision_id}/pin-mailer",
        handler=_pin_mailer,
        summary="The card's PIN as a PDF, once, for the key that wrote it or Citadel; afterwards 410.",
        clearance=Clearance.SOVEREIGN,
        roles=BADGE,
        request=NoBody,
        media_type="application/pdf",
        problems=("insufficient_clearance", "not_found", "state_conflict", "gone"),
        rate=Rate.CARD,
        idempotency=Idempotency.SECRET,
        optional_body=True,
    ),
    Endpoint(
        name="provisioning.reset_pin",
        method="POST",
        path="/v1/hardware/se/provisions/{provision_id}/pin-reset",
        handler=_reset_pin,
        summary="Gives the card in a reader a new PIN, by an approval; its mailer may then be printed once more.",
        clearance=Clearance.SOVEREIGN,
        roles=BADGE,
        request=PinResetBody,
        response=PinReset,
        statuses=(200, 202),
        problems=("not_found", "state_conflict", "card_locked", "dependency_unavailable"),
        rate=Rate.CARD,
    ),
    Endpoint(
        name="provisioning.get_receipt",
        method="GET",
        path="/v1/hardware/se/provisions/{provision_id}/receipt",
        handler=_receipt,
        summary="The signed receipt of a finished card: a flattened JWS whose x5c leads to the site's root.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        response=Receipt,
        problems=("not_found", "state_conflict"),
    ),
    Endpoint(
        name="provisioning.list_receipts",
        method="GET",
        path="/v1/hardware/se/receipts.csv",
        handler=_receipts,
        summary="Finished cards as CSV, oldest first, with the digest of each receipt.",
        clearance=Clearance.SOVEREIGN,
        roles=AUDITOR | BADGE | MANAGER,
        query=ReceiptListQuery,
        media_type=CSV,
    ),
    *stock_operations.OPERATIONS,
    *batch_operations.OPERATIONS,
)
