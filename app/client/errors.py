"""What a call of the client raises.

::

    ClientError
    +-- ApiError        the service answered with a problem document, or with an answer that is not this service's
    +-- Unreachable     no answer came: nothing listens there, the connection broke, or the time ran out

``except ClientError`` catches both. The functions below make these errors out of what httpx gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
import msgspec

from app.api.wire import FieldError, ProblemBody


class ClientError(Exception):
    """Base of every error that a call raises on purpose."""


@dataclass
class ApiError(ClientError):
    """A refusal. ``code`` is one of the API's error codes, ``detail`` one sentence for people, ``errors`` the wrong
    fields, ``retry_after`` seconds or None, ``extra`` further members of the document (``provision_id``)."""

    code: str
    detail: str
    request_id: str
    status: int
    errors: list[FieldError] = field(default_factory=list)
    retry_after: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.detail} ({self.code}, {self.request_id})"


@dataclass
class Unreachable(ClientError):
    """No answer came; ``reason`` is a sentence. ``unknown``: the request may have been carried out all the same."""

    reason: str
    unknown: bool = True

    def __str__(self) -> str:
        return self.reason


def refusal(response: httpx.Response, content: bytes) -> ApiError:
    """The error for an answer whose status is no success: its problem document, if it is one."""
    try:
        members = msgspec.json.decode(content, type=dict[str, Any])
        problem = msgspec.convert(members, ProblemBody)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return foreign_answer(response)
    try:
        retry_after = float(response.headers["retry-after"])
    except (KeyError, ValueError):
        retry_after = None
    return ApiError(
        code=problem.code,
        detail=problem.detail,
        request_id=problem.request_id,
        status=response.status_code,
        errors=problem.errors,
        retry_after=retry_after,
        extra={name: value for name, value in members.items() if name not in ProblemBody.__struct_fields__},
    )


def foreign_answer(response: httpx.Response) -> ApiError:
    """The error for an answer that this service would not give: a proxy, or another program, listens there."""
    return ApiError(
        "internal_error",
        "The answer is not one of this service: check the address.",
        response.headers.get("x-request-id", ""),
        response.status_code,
    )


def no_answer(error: httpx.HTTPError) -> Unreachable:
    """The error for a request that got no answer. Only a connection that was never made says that nothing was done."""
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return Unreachable("The service does not answer at its address: start it, or check the address.", False)
    if isinstance(error, httpx.TimeoutException):
        return Unreachable("The service took too long to answer: see whether it is busy, then try again.")
    return Unreachable("The connection to the service broke: it may have been stopped.")
