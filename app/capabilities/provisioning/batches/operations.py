"""Rows of the operation table for batches of cards."""

from __future__ import annotations

from app.api.operation import Answer, Call, Clearance, Endpoint, Handler, Rate
from app.api.roles import ANY_ROLE, BADGE
from app.api.wire import NoBody
from app.capabilities.provisioning.batches.messages import Batch, BatchBody, BatchListQuery, BatchPage, BatchState
from app.capabilities.provisioning.batches.service import Batches


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
    """The row of one call that changes a batch's state."""
    return Endpoint(
        name=f"batches.{verb}",
        method="POST",
        path=f"/v1/hardware/se/batches/{{batch_id}}/{verb}",
        handler=_change_state(to),
        summary=summary,
        clearance=Clearance.SOVEREIGN,
        roles=BADGE,
        request=NoBody,
        response=Batch,
        problems=("not_found", "state_conflict"),
        rate=Rate.CARD,
        optional_body=True,
    )


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="batches.make",
        method="POST",
        path="/v1/hardware/se/batches",
        handler=_make_batch,
        summary="Starts a batch: each blank card that is put into one of its readers takes the next line.",
        clearance=Clearance.SOVEREIGN,
        roles=BADGE,
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
        roles=ANY_ROLE,
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
        roles=ANY_ROLE,
        response=Batch,
        problems=("not_found",),
    ),
    _state_row("pause", "PAUSED", "Gives no more lines to cards; those in work are finished."),
    _state_row("resume", "RUNNING", "Goes on with a paused batch."),
    _state_row("cancel", "CANCELLED", "Ends a batch: what was not begun never is; cards in work are finished."),
)
