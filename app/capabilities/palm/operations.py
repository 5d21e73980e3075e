"""Rows of the operation table for palm verification, palm enrolment, and the training site's own terminals."""

from __future__ import annotations

from app.api.operation import Call, Clearance, Endpoint, Rate
from app.biometrics.enrolment_operations import enrolment_rows
from app.biometrics.messages import EnrolledTemplates
from app.capabilities.palm.messages import PalmVerdict, PalmVerifyBody, TrainingEnrolBody, TrainingPalmBody
from app.capabilities.palm.service import Palm
from app.training.palms import TrainingPalms


async def _verify(service: Palm, call: Call[PalmVerifyBody, None]) -> PalmVerdict:
    return await service.verify(call.body, actor=call.caller.key_id, request_id=call.request_id)


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
        name="palm.verify",
        method="POST",
        path="/v1/ambient/palm-verify",
        handler=_verify,
        summary="Decides whose palm lies on a terminal; no match is a 200 of the same shape.",
        clearance=Clearance.SOVEREIGN,
        request=PalmVerifyBody,
        response=PalmVerdict,
        problems=("not_found", "proof_invalid", "state_conflict", "replayed"),
        rate=Rate.WRITE,
        body_limit=64 << 10,
        secret=True,
    ),
    *enrolment_rows(
        "palm",
        enrols="Enrols the node's palm from at least three samples, in place of the one before.",
        erases="Erases the node's palm from every registry.",
    ),
    Endpoint(
        name="training_palms.lay",
        method="POST",
        path="/v1/training/palm",
        handler=_lay,
        summary="Lays the node's drawn palm on a software terminal; its frame is decided as any other.",
        clearance=Clearance.SOVEREIGN,
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
        request=TrainingEnrolBody,
        response=EnrolledTemplates,
        problems=("not_found", "proof_invalid", "state_conflict", "replayed"),
        rate=Rate.ENROL,
        training_only=True,
    ),
)
