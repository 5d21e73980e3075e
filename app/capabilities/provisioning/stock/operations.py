"""Rows of the operation table for the stock of secure elements."""

from __future__ import annotations

from typing import Protocol

from app.api.operation import Answer, Call, Clearance, Endpoint, Rate
from app.api.roles import ADMIN, ANY_ROLE, BADGE
from app.capabilities.provisioning.stock.makers import PinnedMakers
from app.capabilities.provisioning.stock.messages import (
    CardMakerItem,
    CardMakerList,
    Element,
    ElementBody,
    ElementListQuery,
    ElementPage,
    ElementUid,
    ImportBody,
    ImportReply,
    PinMakerBody,
)
from app.capabilities.provisioning.stock.service import Stock
from app.registry.messages.shared import Deleted
from app.registry.service import now_us


class StockHolder(Protocol):
    """What these rows need of the service ``provisioning``."""

    @property
    def stock(self) -> Stock:
        """The stock."""

    @property
    def makers(self) -> PinnedMakers:
        """The pinned makers."""


async def _list_elements(service: StockHolder, call: Call[None, ElementListQuery]) -> ElementPage:
    return service.stock.listing(call.query, now_us())


async def _get_element(service: StockHolder, call: Call[None, None]) -> Element:
    return service.stock.get(call.path["hardware_uid"].lower(), now_us())


async def _put_element(service: StockHolder, call: Call[ElementBody, None]) -> Answer:
    item, made = await service.stock.put(
        call.path["hardware_uid"].lower(), call.body, actor=call.caller.key_id, request_id=call.request_id
    )
    return Answer(item, status=201 if made else 200)


async def _delete_element(service: StockHolder, call: Call[None, None]) -> Deleted:
    uid = call.path["hardware_uid"].lower()
    return await service.stock.delete(uid, actor=call.caller.key_id, request_id=call.request_id)


async def _import_elements(service: StockHolder, call: Call[ImportBody, None]) -> ImportReply:
    return await service.stock.take_in(call.body, actor=call.caller.key_id, request_id=call.request_id)


async def _list_makers(service: StockHolder, call: Call[None, None]) -> CardMakerList:
    del call
    return service.makers.listing()


async def _pin_maker(service: StockHolder, call: Call[PinMakerBody, None]) -> CardMakerItem:
    return await service.makers.pin(
        call.path["maker_id"], call.body.ca, actor=call.caller.key_id, request_id=call.request_id
    )


async def _unpin_maker(service: StockHolder, call: Call[None, None]) -> CardMakerItem:
    return await service.makers.unpin(call.path["maker_id"], actor=call.caller.key_id, request_id=call.request_id)


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="provisioning.list_elements",
        method="GET",
        path="/v1/hardware/elements",
        handler=_list_elements,
        summary="The stock of secure elements by rising hardware_uid; q searches name, product and location.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
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
        roles=ANY_ROLE,
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
        roles=BADGE,
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
        roles=BADGE,
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
        roles=BADGE,
        request=ImportBody,
        response=ImportReply,
        problems=("invalid_body",),
        rate=Rate.WRITE,
    ),
    Endpoint(
        name="provisioning.list_makers",
        method="GET",
        path="/v1/registry/card-makers",
        handler=_list_makers,
        summary="Card makers whose attestation authorities ship with the program, and which of them the site pins.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        response=CardMakerList,
    ),
    Endpoint(
        name="provisioning.pin_maker",
        method="PUT",
        path="/v1/registry/card-makers/{maker_id}",
        handler=_pin_maker,
        summary="Believes this maker's attestations from the next card on; as `file`, those of the certificates sent.",
        clearance=Clearance.CITADEL,
        roles=ADMIN,
        request=PinMakerBody,
        response=CardMakerItem,
        problems=("not_found", "invalid_body"),
        rate=Rate.WRITE,
        optional_body=True,
    ),
    Endpoint(
        name="provisioning.unpin_maker",
        method="DELETE",
        path="/v1/registry/card-makers/{maker_id}",
        handler=_unpin_maker,
        summary="Believes this maker's attestations no more; cards that were written stay as they are.",
        clearance=Clearance.CITADEL,
        roles=ADMIN,
        response=CardMakerItem,
        problems=("not_found",),
        rate=Rate.WRITE,
    ),
)
