"""Rows of the operation table for ``/pki``: open to everybody, for what they serve is signed and public."""

from __future__ import annotations

from app.api.operation import Answer, Call, Clearance, Endpoint
from app.api.roles import ANY_ROLE
from app.pki.authority import CERTIFICATE_PATH, CRL_PATH, OCSP_PATH
from app.pki.ocsp import REQUEST, REQUEST_LIMIT, RESPONSE
from app.pki.service import CERTIFICATE, CRL, PublicPki

_BASE64 = r"[A-Za-z0-9+/]{4,5600}={0,2}"


async def _crl(service: PublicPki, call: Call[None, None]) -> Answer:
    return await service.crl(call.headers.get("if-none-match"))


async def _certificate(service: PublicPki, call: Call[None, None]) -> Answer:
    return service.certificate(call.headers.get("if-none-match"))


async def _ocsp(service: PublicPki, call: Call[None, None]) -> Answer:
    request = call.body
    return await service.answer(b"" if request is None else bytes(request))


async def _ocsp_get(service: PublicPki, call: Call[None, None]) -> Answer:
    return await service.answer_text(call.path["request"], call.headers.get("if-none-match"))


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="pki.crl",
        method="GET",
        path=CRL_PATH,
        handler=_crl,
        summary="The revocation list of the site's authority (RFC 5280), DER",
        clearance=Clearance.OPEN,
        roles=ANY_ROLE,
        media_type=CRL,
        statuses=(200, 304),
        headers=("If-None-Match",),
    ),
    Endpoint(
        name="pki.certificate",
        method="GET",
        path=CERTIFICATE_PATH,
        handler=_certificate,
        summary="The certificate of the site's authority, DER",
        clearance=Clearance.OPEN,
        roles=ANY_ROLE,
        media_type=CERTIFICATE,
        statuses=(200, 304),
        headers=("If-None-Match",),
    ),
    Endpoint(
        name="pki.ocsp",
        method="POST",
        path=OCSP_PATH,
        handler=_ocsp,
        summary="Whether one certificate of the site is revoked (OCSP, RFC 6960)",
        clearance=Clearance.OPEN,
        roles=ANY_ROLE,
        media_type=RESPONSE,
        body_type=REQUEST,
        body_limit=REQUEST_LIMIT,
    ),
    Endpoint(
        name="pki.ocsp_get",
        method="GET",
        path=f"{OCSP_PATH}/{{request...}}",
        handler=_ocsp_get,
        summary="The same, asked in base64 in the path, so that caches may answer (RFC 5019)",
        clearance=Clearance.OPEN,
        roles=ANY_ROLE,
        media_type=RESPONSE,
        statuses=(200, 304),
        rest_pattern=_BASE64,
        headers=("If-None-Match",),
    ),
)
