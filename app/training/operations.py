"""Rows of the operation table for the training site's drawer of cards and its palm terminals in software."""

from __future__ import annotations

import asyncio

from app.api.operation import Call, Clearance, Endpoint, Rate
from app.api.roles import ANY_ROLE
from app.biometrics.messages import EnrolledTemplates
from app.capabilities.palm.messages import PalmVerdict
from app.training.cards import CardDrawer
from app.training.messages import TrainingCardBody, TrainingCardReply, TrainingEnrolBody, TrainingPalmBody
from app.training.palms import TrainingPalms


async def _move_card(service: CardDrawer, call: Call[TrainingCardBody, None]) -> TrainingCardReply:
    insert = call.body.action == "insert"
    # On a thread: a card that is pulled out finishes its command first, and the loop must not wait for that.
    if insert:
        reply = await asyncio.to_thread(service.insert, call.body.reader, call.body.card)
    else:
        reply = await asyncio.to_thread(service.remove, call.body.reader)
    await service.readers.wait_for_card(call.body.reader, present=insert)
    return reply


async def _lay(service: TrainingPalms, call: Call[TrainingPalmBody, None]) -> PalmVerdict:
    body = call.body
    return await service.lay(
        body.terminal_id, body.node_id, body.intent, actor=call.caller.key_id, request_id=call.request_id
    )


async def _lay_to_enrol(service: TrainingPalms, call: Call[TrainingEnrolBody, None]) -> EnrolledTemplates:
    body = call.body
    return await service.enrol(body.terminal_id, body.node_id, actor=call.caller.key_id, request_id=call.request_id)


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="drawer.move_card",
        method="POST",
        path="/v1/training/cards",
        handler=_move_card,
        summary="Puts a simulated card into a simulated reader, or pulls it out.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        request=TrainingCardBody,
        response=TrainingCardReply,
        problems=("not_found", "state_conflict"),
        rate=Rate.CARD,
        training_only=True,
    ),
    Endpoint(
        name="training_palms.lay",
        method="POST",
        path="/v1/training/palm",
        handler=_lay,
        summary="Lays the node's drawn palm on a software terminal; its frame is decided as any other.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        request=TrainingPalmBody,
        response=PalmVerdict,
        problems=("not_found", "proof_invalid", "state_conflict", "replayed"),
        rate=Rate.WRITE,
        training_only=True,
    ),
    Endpoint(
        name="training_palms.enrol",
        method="POST",
        path="/v1/training/palm/enrol",
        handler=_lay_to_enrol,
        summary="Lays the node's drawn palm on a software terminal five times and enrols it.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        request=TrainingEnrolBody,
        response=EnrolledTemplates,
        problems=("not_found", "proof_invalid", "state_conflict", "replayed"),
        rate=Rate.ENROL,
        training_only=True,
    ),
)
