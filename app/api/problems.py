"""The problems that a caller can be told of: one table of codes, one exception.

Every refusal of the API is a ``Problem``. Its ``detail`` is one sentence that says what to do next; it never
repeats a secret or a biometric value. Handlers raise it, the server writes the document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.api.wire import FieldError

STATUS_OF: Mapping[str, int] = {
    "malformed_request": 400,
    "malformed_json": 400,
    "parameter_conflict": 400,
    "unauthenticated": 401,
    "insufficient_clearance": 403,
    "origin_refused": 403,
    "permit_invalid": 403,
    "proof_invalid": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "request_timeout": 408,
    "state_conflict": 409,
    "replayed": 409,
    "request_in_progress": 409,
    "gone": 410,
    "body_too_large": 413,
    "unsupported_media_type": 415,
    "host_refused": 421,
    "invalid_body": 422,
    "idempotency_key_reused": 422,
    "fips_not_met": 422,
    "card_locked": 423,
    "rate_limited": 429,
    "head_too_large": 431,
    "internal_error": 500,
    "dependency_unavailable": 503,
}
"""Status of each code: the whole vocabulary, nothing else leaves the service."""


@dataclass
class Problem(Exception):
    """A refusal. ``code`` is a key of ``STATUS_OF``; ``extra`` are further members of the document (RFC 9457, 3.2),
    for example ``provision_id``; ``headers`` go to the response (``Retry-After``, ``Allow``)."""

    code: str
    detail: str
    errors: Sequence[FieldError] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.code not in STATUS_OF:
            raise ValueError(f"no such problem code: {self.code}")
        super().__init__(self.code, self.detail)

    @property
    def status(self) -> int:
        """HTTP status of this problem."""
        return STATUS_OF[self.code]


def invalid_field(pointer: str, detail: str) -> Problem:
    """422 for one field of a body; ``detail`` is a sentence that says what would be right."""
    return Problem("invalid_body", detail, errors=[FieldError(pointer=pointer, detail=detail)])
