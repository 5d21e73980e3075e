"""Rows of the operation table for ``/v1/hardware/*`` (specification 4.10)."""

from __future__ import annotations

import asyncio

from app.api.operation import Answer, Call, Clearance, Endpoint, Handler, Idempotency, Rate
from app.api.wire import NoBody
from app.capabilities.provisioning.batches.messages import Batch, BatchBody, BatchListQuery, BatchPage, BatchState
from app.capabilities.provisioning.batches.service import Batches
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
    Trace,
)
from app.capabilities.provisioning.service import Provisioning
from app.capabilities.provisioning.stock.messages import (
    Element,
    ElementBody,
    ElementListQuery,
    ElementPage,
    ElementUid,
    ImportBody,
    ImportReply,
)
from app.registry.messages.shared import Deleted
from app.registry.service import now_us

CSV = "text/csv"


async def _cards(service: Provisioning, call: Call[None, CardListQuery]) -> CardList:
    return await service.cards(again=call.query.again)


async def _provision(service: Provisioning, call: Call[ProvisionBody, None]) -> Answer:
    reply, status = await service.provision(call.body, actor=call.caller.key_id, request_id=call.request_id)
    return Answer(reply, status=status, headers={"Retry-After": "2"} if status == 202 else {})


async def _list(service: Provisioning, call: Call[None, ProvisionListQuery]) -> ProvisionPage:
    return service.records.page(call.query)


async def _get(service: Provisioning, call: Call[None, None]) -> Provision:
    return service.records.get(call.path["provision_id"])


async def _trace(service: Provisioning, call: Call[None, None]) -> Trace:
    return await asyncio.to_thread(service.records.trace, call.path["provision_id"])


async def _pin_mailer(service: Provisioning, call: Call[NoBody, None]) -> Answer:
    page = await service.letters.pin_mailer(
        call.path["provision_id"], actor=call.caller.key_id, request_id=call.request_id
    )
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


async def _list_elements(service: Provisioning, call: Call[None, ElementListQuery]) -> ElementPage:
    return service.stock.listing(call.query, now_us())


async def _get_element(service: Provisioning, call: Call[None, None]) -> Element:
    return service.stock.get(call.path["hardware_uid"].lower(), now_us())


async def _put_element(service: Provisioning, call: Call[ElementBody, None]) -> Answer:
    item, made = await service.stock.put(
        call.path["hardware_uid"].lower(), call.body, actor=call.caller.key_id, request_id=call.request_id
    )
    return Answer(item, status=201 if made else 200)


async def _delete_element(service: Provisioning, call: Call[None, None]) -> Deleted:
    uid = call.path["hardware_uid"].lower()
    return await service.stock.delete(uid, actor=call.caller.key_id, request_id=call.request_id)


async def _import_elements(service: Provisioning, call: Call[ImportBody, None]) -> ImportReply:
    return await service.stock.take_in(call.body, actor=call.caller.key_id, request_id=call.request_id)


async def _make_batch(service: Batches, call: Call[BatchBody, None]) -> Answer:
    made = await service.make(call.body, actor=call.caller.key_id, request_id=call.request_id)
    return Answer(made, status=202)


async def _list_batches(service: Batches, call: Call[None, BatchListQuery]) -> BatchPage:
    return service.page(call.query)


async def _get_batch(service: Batches, call: Call[None, None]) -> Batch:
    return service.get(call.path["batch_id"])


def _change_state(to: BatchState) -> Handler:
    async def change(service: Batches, call: Call[NoBody, None]) -> Batch:
        return await service.change_state(
            call.path["batch_id"], to, actor=call.caller.key_id, request_id=call.request_id
        )

    return change


def _state_row(verb: str, to: BatchState, summary: str) -> Endpoint:
    return Endpoint(
        name=f"batches.{verb}",
        method="POST",
        path=f"/v1/hardware/se/batches/{{batch_id}}/{verb}",
        handler=_change_state(to),
        summary=summary,
        clearance=Clearance.SOVEREIGN,
        request=NoBody,
        response=Batch,
        problems=("not_found", "state_conflict"),
        rate=Rate.CARD,
        optional_body=True,
    )


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="provisioning.list_cards",
        method="GET",
        path="/v1/hardware/cards",
        handler=_cards,
        summary="Every card reader with the card in it, and whether the reader service answers.",
        clearance=Clearance.SOVEREIGN,
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
        request=ProvisionBody,
        response=Provision,
        statuses=(200, 202),
        problems=("not_found", "state_conflict", "fips_not_met", "card_locked", "dependency_unavailable"),
        rate=Rate.CARD,
    ),
    Endpoint(
        name="provisioning.list_provisions",
        method="GET",
        path="/v1/hardware/se/provisions",
        handler=_list,
        summary="Provisionings, newest first; q searches node, card and identifier.",
        clearance=Clearance.SOVEREIGN,
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
        response=Provision,
        problems=("not_found",),
    ),
    Endpoint(
        name="provisioning.get_trace",
        method="GET",
        path="/v1/hardware/se/provisions/{provision_id}/trace",
        handler=_trace,
        summary="Every APDU of the last attempt; secrets appear as lengths only.",
        clearance=Clearance.SOVEREIGN,
        response=Trace,
        problems=("not_found",),
    ),
    Endpoint(
        name="provisioning.print_pin_mailer",
        method="POST",
        path="/v1/hardware/se/provisions/{provision_id}/pin-mailer",
        handler=_pin_mailer,
        summary="The card's PIN as a PDF, once; afterwards 410.",
        clearance=Clearance.SOVEREIGN,
        request=NoBody,
        media_type="application/pdf",
        problems=("not_found", "state_conflict", "gone"),
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
        query=ReceiptListQuery,
        media_type=CSV,
    ),
    Endpoint(
        name="provisioning.list_elements",
        method="GET",
        path="/v1/hardware/elements",
        handler=_list_elements,
        summary="The stock of secure elements by rising hardware_uid; q searches name, product and location.",
        clearance=Clearance.SOVEREIGN,
        query=ElementListQuery,
        response=ElementPage,
    ),
    Endpoint(
        name="provisioning.get_element",
        method="GET",
        path="/v1/hardware/elements/{hardware_uid}",
        handler=_get_element,
        summary="One element of the stock.",
        clearance=Clearance.SOVEREIGN,
        response=Element,
        problems=("not_found",),
    ),
    Endpoint(
        name="provisioning.put_element",
        method="PUT",
        path="/v1/hardware/elements/{hardware_uid}",
        handler=_put_element,
        summary="Takes an element into the stock (201) or changes its row (200). Transport keys are write-only.",
        clearance=Clearance.SOVEREIGN,
        request=ElementBody,
        response=Element,
        statuses=(200, 201),
        path_types={"hardware_uid": ElementUid},
        problems=("invalid_body",),
        rate=Rate.WRITE,
    ),
    Endpoint(
        name="provisioning.delete_element",
        method="DELETE",
        path="/v1/hardware/elements/{hardware_uid}",
        handler=_delete_element,
        summary="Takes an element's row out of the stock.",
        clearance=Clearance.SOVEREIGN,
        response=Deleted,
        problems=("not_found",),
        rate=Rate.WRITE,
    ),
    Endpoint(
        name="provisioning.import_elements",
        method="POST",
        path="/v1/hardware/elements",
        handler=_import_elements,
        summary="Makes or replaces up to 500 elements in one transaction: all of them or none.",
        clearance=Clearance.SOVEREIGN,
        request=ImportBody,
        response=ImportReply,
        problems=("invalid_body",),
        rate=Rate.WRITE,
    ),
    Endpoint(
        name="batches.make",
        method="POST",
        path="/v1/hardware/se/batches",
        handler=_make_batch,
        summary="Starts a batch: each blank card that is put into one of its readers takes the next line.",
        clearance=Clearance.SOVEREIGN,
        request=BatchBody,
        response=Batch,
        statuses=(202,),
        problems=("invalid_body",),
        rate=Rate.CARD,
    ),
    Endpoint(
        name="batches.list",
        method="GET",
        path="/v1/hardware/se/batches",
        handler=_list_batches,
        summary="Batches, newest first, without their lines.",
        clearance=Clearance.SOVEREIGN,
        query=BatchListQuery,
        response=BatchPage,
    ),
    Endpoint(
        name="batches.get",
        method="GET",
        path="/v1/hardware/se/batches/{batch_id}",
        handler=_get_batch,
        summary="One batch with its lines, its pace and what is left.",
        clearance=Clearance.SOVEREIGN,
        response=Batch,
        problems=("not_found",),
    ),
    _state_row("pause", "PAUSED", "Gives no more lines to cards; those in work are finished."),
    _state_row("resume", "RUNNING", "Goes on with a paused batch."),
    _state_row("cancel", "CANCELLED", "Ends a batch: what was not begun never is; cards in work are finished."),
)
