"""What relying parties fetch of the site's authority: its certificate, its revocation list, its OCSP answers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from email.utils import format_datetime
from hashlib import sha256

from cryptography.hazmat.primitives.serialization import Encoding

from app.api.operation import Answer
from app.api.problems import Problem
from app.pki.authority import Root
from app.pki.crl import RevocationLists
from app.pki.ocsp import RESPONSE, OcspAnswer, OcspResponder
from app.pki.revocation import utc

CRL = "application/pkix-crl"
CERTIFICATE = "application/pkix-cert"
_ROOT_AGE_S = 86_400
_CRL_AGE_S = 300
"""A cache asks anew so often: a revocation is in the list at once."""


class PublicPki:
    """Serves the rows of ``pki``."""

    def __init__(self, root: Root, lists: RevocationLists, responder: OcspResponder) -> None:
        self._root = root.certificate.public_bytes(Encoding.DER)
        self._begun = root.certificate.not_valid_before_utc
        self._lists = lists
        self._responder = responder

    def certificate(self, if_none_match: str | None) -> Answer:
        """The authority's own certificate, DER."""
        return _cacheable(self._root, CERTIFICATE, if_none_match, self._begun, _ROOT_AGE_S)

    async def crl(self, if_none_match: str | None) -> Answer:
        """The newest revocation list, DER; 503 before the first one."""
        newest = await asyncio.to_thread(self._lists.newest)
        if newest is None:
            why = "No revocation list has been signed yet; ask again in a moment."
            raise Problem("dependency_unavailable", why, headers={"Retry-After": "2"})
        ends = {"Expires": format_datetime(utc(newest.next_us), usegmt=True)}
        return _cacheable(newest.der, CRL, if_none_match, utc(newest.this_us), _CRL_AGE_S, ends)

    async def answer(self, request: bytes) -> Answer:
        """The OCSP response to a POST: no cache keeps those (RFC 5019, section 5)."""
        return Answer((await asyncio.to_thread(self._responder.answer, request)).der, media_type=RESPONSE)

    async def answer_text(self, request: str, if_none_match: str | None) -> Answer:
        """The OCSP response to a GET, with the header fields of RFC 5019, section 6.2."""
        answer: OcspAnswer = await asyncio.to_thread(self._responder.answer_text, request)
        if answer.this_update is None or answer.next_update is None:
            return Answer(answer.der, media_type=RESPONSE)
        ends = {"Expires": format_datetime(answer.next_update, usegmt=True)}
        age = int((answer.next_update - answer.this_update).total_seconds()) // 2
        return _cacheable(answer.der, RESPONSE, if_none_match, answer.this_update, age, ends)


def _cacheable(
    body: bytes,
    media_type: str,
    if_none_match: str | None,
    modified: datetime,
    max_age_s: int,
    more: Mapping[str, str] | None = None,
) -> Answer:
    """A reply that any cache may keep, or 304 for a caller who has this very one."""
    tag = f'"{sha256(body).hexdigest()}"'
    headers = {
        "ETag": tag,
        "Last-Modified": format_datetime(modified, usegmt=True),
        "Cache-Control": f"max-age={max_age_s}, public, no-transform, must-revalidate",
        **(more or {}),
    }
    given = {part.strip().removeprefix("W/") for part in (if_none_match or "").split(",")}
    if tag in given or "*" in given:
        return Answer(b"", status=304, headers=headers, media_type=media_type)
    return Answer(body, headers=headers, media_type=media_type)
