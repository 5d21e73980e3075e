"""Rows of the operation table for media scans (specification 4.2)."""

from __future__ import annotations

from app.api.operation import Answer, Call, Clearance, Endpoint, Rate
from app.api.prefer import preferred_wait
from app.api.roles import ANY_ROLE, DESK
from app.capabilities.media.journal import OPEN, STATUS_PATH
from app.capabilities.media.messages import (
    HeatmapQuery,
    MediaCalibration,
    RadarBody,
    Scan,
    ScanDeleted,
    ScanListQuery,
    ScanPage,
    StopQuery,
    UploadQuery,
)
from app.capabilities.media.service import MediaScans
from app.capabilities.media.worker.protocol import MEDIA_MAX

ZIP = "application/zip"
_ONE = f"{STATUS_PATH}/{{scan_id}}"


async def _scan(service: MediaScans, call: Call[RadarBody, None]) -> Answer:
    wait_s, applied = preferred_wait(call.headers.get("prefer", ""))
    scan = await service.scan(call.body, actor=call.caller.key_id, request_id=call.request_id, wait_s=wait_s or 0.0)
    return _answer(scan, applied)


async def _upload(service: MediaScans, call: Call[bytes, UploadQuery]) -> Answer:  # type: ignore[type-var]
    wait_s, applied = preferred_wait(call.headers.get("prefer", ""))
    scan = await service.upload(
        call.body, call.query, actor=call.caller.key_id, request_id=call.request_id, wait_s=wait_s or 0.0
    )
    return _answer(scan, applied)


def _answer(scan: Scan, applied: str | None) -> Answer:
    headers = {} if applied is None else {"Preference-Applied": applied}
    if scan.status not in OPEN:
        return Answer(scan, status=200, headers=headers)
    return Answer(scan, status=202, headers={**headers, "Retry-After": "2"})


async def _list(service: MediaScans, call: Call[None, ScanListQuery]) -> ScanPage:
    return await service.page(call.query)


async def _get(service: MediaScans, call: Call[None, None]) -> Scan:
    return await service.get(call.path["scan_id"])


async def _calibration(service: MediaScans, call: Call[None, None]) -> MediaCalibration:
    del call
    return await service.calibration()


async def _heatmap(service: MediaScans, call: Call[None, HeatmapQuery]) -> Answer:
    return Answer(await service.picture(call.path["scan_id"], call.query.layer), media_type="image/png")


async def _bundle(service: MediaScans, call: Call[None, None]) -> Answer:
    scan_id = call.path["scan_id"]
    named = {"Content-Disposition": f'attachment; filename="{scan_id}.zip"'}
    return Answer(await service.bundle(scan_id), media_type=ZIP, headers=named)


async def _stop(service: MediaScans, call: Call[None, StopQuery]) -> ScanDeleted:
    return await service.delete(
        call.path["scan_id"], erase=call.query.erase, actor=call.caller.key_id, request_id=call.request_id
    )


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="media.scan",
        method="POST",
        path=STATUS_PATH,
        handler=_scan,
        summary="Scans the media at a URL for manipulation; 202, or 200 if it is over within Prefer: wait.",
        clearance=Clearance.CITADEL,
        roles=DESK,
        request=RadarBody,
        response=Scan,
        statuses=(202, 200),
        problems=("invalid_body", "dependency_unavailable"),
        rate=Rate.WRITE,
        headers=("Prefer",),
    ),
    Endpoint(
        name="media.upload",
        method="POST",
        path=f"{STATUS_PATH}/uploads",
        handler=_upload,
        summary="Scans the file that is the body, as media.scan does.",
        clearance=Clearance.CITADEL,
        roles=DESK,
        query=UploadQuery,
        response=Scan,
        statuses=(202, 200),
        problems=("invalid_body", "dependency_unavailable"),
        rate=Rate.WRITE,
        headers=("Prefer",),
        body_type="application/octet-stream",
        body_changes=True,
        body_limit=MEDIA_MAX,
    ),
    Endpoint(
        name="media.list",
        method="GET",
        path=STATUS_PATH,
        handler=_list,
        summary="Scans, newest first, without their reports.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        query=ScanListQuery,
        response=ScanPage,
    ),
    Endpoint(
        name="media.calibration",
        method="GET",
        path=f"{STATUS_PATH}/calibration",
        handler=_calibration,
        summary="What scores are worth: how often authentic images reach them, by what happened to them last.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        response=MediaCalibration,
        problems=("dependency_unavailable",),
    ),
    Endpoint(
        name="media.get",
        method="GET",
        path=_ONE,
        handler=_get,
        summary="One scan with its report.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        response=Scan,
        problems=("not_found",),
    ),
    Endpoint(
        name="media.heatmap",
        method="GET",
        path=f"{_ONE}/heatmap.png",
        handler=_heatmap,
        summary="A layer of the scan as a PNG; 409 while there is no result, 410 when it is no longer kept.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        query=HeatmapQuery,
        media_type="image/png",
        problems=("not_found", "state_conflict", "gone"),
    ),
    Endpoint(
        name="media.bundle",
        method="GET",
        path=f"{_ONE}/bundle",
        handler=_bundle,
        summary="The report of a scan with its pictures as an evidence bundle that the site signed.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        media_type=ZIP,
        problems=("not_found", "state_conflict", "gone"),
    ),
    Endpoint(
        name="media.stop",
        method="DELETE",
        path=_ONE,
        handler=_stop,
        summary="Stops a scan that is not over; with erase takes it off the list with all that was found.",
        clearance=Clearance.CITADEL,
        roles=DESK,
        query=StopQuery,
        response=ScanDeleted,
        problems=("not_found",),
        rate=Rate.WRITE,
    ),
)
