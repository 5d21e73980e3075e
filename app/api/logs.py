"""Structured logs: one JSON object a line on stderr, with every secret taken out.

Request lines hold only values that the service itself made (request id, operation, key id, figures); free text of
other loggers passes ``redact`` first.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import re
import sys
import time
import traceback
from datetime import UTC, datetime
from typing import TextIO

import msgspec

_REDACTIONS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"arc_(cit|sov|ses)_[0-9A-Za-z]{4,}"), r"arc_\1_[redacted]"),
    (re.compile(r"whsec_[0-9A-Za-z+/=_-]+"), "whsec_[redacted]"),
    (re.compile(r"(?i)\b(bearer|basic|dpop)\s+[0-9A-Za-z._~+/=-]+"), r"\1 [redacted]"),
    (re.compile(r"\beyJ[0-9A-Za-z_-]+\.[0-9A-Za-z_-]*\.?[0-9A-Za-z_-]*"), "[redacted token]"),
    (
        re.compile(
            r"(?i)([\"']?\b[a-z_-]*(?:pin|puk|password|passphrase|secret|token|api_key|private_key|authorization"
            r"|vector|template|enclave_sig)\b[\"']?\s*[:=]\s*)(\"[^\"]*\"|'[^']*'|[^\s,;&}\])]+)"
        ),
        r"\1[redacted]",
    ),
    (re.compile(r"[0-9A-Za-z+/_-]{100,}={0,2}"), "[redacted data]"),
    (re.compile(r"-----BEGIN [^-]*PRIVATE KEY-----.*?(-----END [^-]*-----|\Z)", re.DOTALL), "[redacted key]"),
)


def redact(text: str) -> str:
    """``text`` without API keys, webhook secrets, bearer and signed tokens, named secrets, PINs, private keys and long
    base64 (vectors, templates). Errs on the side of taking out too much."""
    for pattern, replacement in _REDACTIONS:
        text = pattern.sub(replacement, text)
    return text


def _stamp(seconds: float) -> str:
    whole = int(seconds)
    return f"{_second(whole)}.{int((seconds - whole) * 1e6):06d}Z"


@functools.lru_cache(maxsize=4)
def _second(whole: int) -> str:
    return datetime.fromtimestamp(whole, UTC).strftime("%Y-%m-%dT%H:%M:%S")


class JsonFormatter(logging.Formatter):
    """One record as one line of JSON: ``time, level, logger, message`` and, where given, ``request_id, trace``."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        line: dict[str, object] = {
            "time": _stamp(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": redact(record.getMessage()),
        }
        request_id = getattr(record, "request_id", None)
        if isinstance(request_id, str):
            line["request_id"] = request_id
        if record.exc_info and record.exc_info[0] is not None:
            line["trace"] = redact("".join(traceback.format_exception(*record.exc_info)))
        return msgspec.json.encode(line).decode()


def configure(level: int = logging.INFO, stream: TextIO | None = None) -> None:
    """Send every logger of the process to ``stream`` (stderr) as JSON lines; uvicorn's own lines included."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    # The service writes its own request line; uvicorn's would carry raw paths and queries.
    logging.getLogger("uvicorn.access").propagate = False
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    # A line for each call to a witness, many a second.
    logging.getLogger("httpx").setLevel(logging.WARNING)


class RequestLine(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What is logged of one request. ``path`` is the row's pattern, never what the caller sent."""

    time: str
    level: str
    request_id: str
    operation: str
    method: str
    status: int
    ms: float
    key_id: str = ""
    code: str = ""


class RequestLog:
    """Request lines, gathered for a tenth of a second and written at once: one write for many requests.

    What a killed process loses is at most that tenth of a second of lines; the audit log is what must not lose any.
    """

    FLUSH_S = 0.1

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._lines: list[bytes] = []
        self._timer: asyncio.TimerHandle | None = None
        self._encode = msgspec.json.Encoder().encode

    def write(
        self, *, request_id: str, operation: str, method: str, status: int, seconds: float, key_id: str, code: str
    ) -> None:
        """Log one answered request."""
        self._lines.append(
            self._encode(
                RequestLine(
                    time=_stamp(time.time()),
                    level="error" if status >= 500 else "info",
                    request_id=request_id,
                    operation=operation,
                    method=method,
                    status=status,
                    ms=round(seconds * 1000, 3),
                    key_id=key_id,
                    code=code,
                )
            )
        )
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self.FLUSH_S, self.flush)

    def flush(self) -> None:
        """Write what has gathered."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._lines:
            lines, self._lines = self._lines, []
            try:
                self._stream.write(b"\n".join(lines).decode() + "\n")
                self._stream.flush()
            except (OSError, ValueError):
                # Nobody reads stderr any more (the console is gone): the service itself must not fail for it.
                return
