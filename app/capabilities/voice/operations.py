"""Rows of the operation table for the voice check and voice enrolment."""

from __future__ import annotations

from typing import Final

from app.api.operation import Call, Clearance, Endpoint, Rate
from app.api.roles import ANY_ROLE, AUDITOR, BADGE, DESK
from app.capabilities.voice.enrolment import VoiceEnrolments
from app.capabilities.voice.messages import (
    BODY_LIMIT,
    EnrolledVoice,
    ErasedVoice,
    SpectralCheck,
    SpectralCheckBody,
    VoiceCalibration,
    VoiceSamples,
)
from app.capabilities.voice.service import VoiceChecks

_CHECKS: Final = "voice_checks"
_ENROLMENTS: Final = "voice_enrolments"
_NODE: Final = "/v1/registry/nodes/{id}/voice"


async def _check(service: VoiceChecks, call: Call[SpectralCheckBody, None]) -> SpectralCheck:
    return await service.check(call.body, caller=call.caller, request_id=call.request_id)


async def _calibration(service: VoiceChecks, _call: Call[None, None]) -> VoiceCalibration:
    return await service.calibration()


async def _enrol(service: VoiceEnrolments, call: Call[VoiceSamples, None]) -> EnrolledVoice:
    return await service.put(call.path["id"], call.body, actor=call.caller.key_id, request_id=call.request_id)


async def _show(service: VoiceEnrolments, call: Call[None, None]) -> EnrolledVoice:
    return await service.show(call.path["id"])


async def _erase(service: VoiceEnrolments, call: Call[None, None]) -> ErasedVoice:
    return await service.erase(call.path["id"], actor=call.caller.key_id, request_id=call.request_id)


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="voice.check",
        method="POST",
        path="/v1/core/vssn/spectral-check",
        handler=_check,
        summary="Judges whether a recording is of the enrolled speaker, and of a living voice.",
        clearance=Clearance.SOVEREIGN,
        roles=BADGE | DESK,
        request=SpectralCheckBody,
        response=SpectralCheck,
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
        body_limit=BODY_LIMIT,
        secret=True,
        service=_CHECKS,
    ),
    Endpoint(
        name="voice.calibration",
        method="GET",
        path="/v1/core/vssn/spectral-check/calibration",
        handler=_calibration,
        summary="The error rates of the voice check over the tolerance.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        response=VoiceCalibration,
        service=_CHECKS,
    ),
    Endpoint(
        name="voice.enrol",
        method="PUT",
        path=_NODE,
        handler=_enrol,
        summary="Enrols the node's voice from at least three takes, in place of the one before.",
        clearance=Clearance.CITADEL,
        roles=BADGE,
        request=VoiceSamples,
        response=EnrolledVoice,
        problems=("not_found", "state_conflict"),
        rate=Rate.ENROL,
        body_limit=BODY_LIMIT,
        secret=True,
        service=_ENROLMENTS,
    ),
    Endpoint(
        name="voice.enrolled",
        method="GET",
        path=_NODE,
        handler=_show,
        summary="What is enrolled of the node's voice, without the signature itself.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        response=EnrolledVoice,
        problems=("not_found",),
        service=_ENROLMENTS,
    ),
    Endpoint(
        name="voice.erase",
        method="DELETE",
        path=_NODE,
        handler=_erase,
        summary="Erases the node's vocal signature.",
        clearance=Clearance.CITADEL,
        roles=AUDITOR | BADGE,
        response=ErasedVoice,
        problems=("not_found",),
        rate=Rate.WRITE,
        service=_ENROLMENTS,
    ),
)
