"""A witness as the log sees it: C2SP tlog-witness over HTTP."""

from __future__ import annotations

import asyncio
import base64
import enum
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from app.ledger.c2sp.note import NOTE_LIMIT

if TYPE_CHECKING:
    import httpx

WAIT_S: Final = 2.0
"""How long one call to a witness may take."""
_SIZE_TYPE: Final = "text/x.tlog.size"
_UNPACKED: Final = {"Accept-Encoding": "identity"}


class WitnessFault(enum.StrEnum):
    """Why a witness gave no cosignature."""

    UNREACHABLE = "UNREACHABLE"
    """No answer in time, or none that HTTP knows."""
    REFUSED = "REFUSED"
    """It does not know the log, or not its key."""
    ROLLED_BACK = "ROLLED_BACK"
    """It has cosigned a larger tree: this store is an old copy."""
    FORKED = "FORKED"
    """It has cosigned another tree of that size: two logs under one name."""


class WitnessError(Exception):
    """``fault`` and a sentence for people."""

    def __init__(self, fault: WitnessFault, sentence: str) -> None:
        super().__init__(sentence)
        self.fault = fault


class WitnessIsElsewhere(Exception):
    """The witness has seen another size than we thought: ``size``."""

    def __init__(self, size: int) -> None:
        super().__init__(str(size))
        self.size = size


def request_body(old: int, path: Sequence[bytes], note: str) -> bytes:
    """The body of ``add-checkpoint``."""
    hashes = "".join([f"{base64.b64encode(step).decode()}\n" for step in path])
    return f"old {old}\n{hashes}\n{note}".encode()


@dataclass(frozen=True)
class _Answer:
    status: int
    media_type: str
    body: bytes


@dataclass
class WitnessClient:
    """One witness. ``name``: of its keys. ``url``: its submission prefix with a slash at the end; empty while it is
    known to be away (a local witness has another one at each start)."""

    name: str
    url: str
    http: httpx.AsyncClient

    async def add_checkpoint(self, old: int, path: Sequence[bytes], note: str, *, size: int) -> str:
        """The witness's signature lines over ``note``, a checkpoint of ``size``. Raises ``WitnessIsElsewhere`` with the
        size that it has, or ``WitnessError``."""
        reply = await self._call("POST", "add-checkpoint", request_body(old, path, note))
        match reply.status:
            case 200:
                return self._text(reply)
            case 409 if reply.media_type == _SIZE_TYPE:
                raise WitnessIsElsewhere(self._size(reply))
            case 409 | 422 if old == size:
                raise WitnessError(
                    WitnessFault.FORKED,
                    f"{self.name} has cosigned another tree of {size} entries under this log's name.",
                )
            case 422:
                raise WitnessError(
                    WitnessFault.FORKED, f"{self.name} has cosigned a tree that this one does not continue."
                )
            case status:
                raise WitnessError(WitnessFault.REFUSED, f"{self.name} refuses this log's checkpoints ({status}).")

    async def newest_checkpoint(self, log_hash: str) -> str | None:
        """The note that the witness last cosigned for the log of SHA-256(origin) ``log_hash``; ``None`` if it has none.
        Raises ``WitnessError``."""
        reply = await self._call("GET", f"{log_hash}/checkpoint", None)
        if reply.status == 404:
            return None
        if reply.status != 200:
            raise WitnessError(WitnessFault.REFUSED, f"{self.name} does not tell what it saw ({reply.status}).")
        return self._text(reply)

    async def _call(self, method: str, path: str, body: bytes | None) -> _Answer:
        """One call, bounded in time and size; ``WitnessError`` where no answer came."""
        # Imported with the first call: a service is ready before it has a witness to talk to.
        import httpx

        if not self.url:
            raise WitnessError(WitnessFault.UNREACHABLE, f"{self.name} does not run.")
        try:
            # For the whole call: httpx bounds each read by itself, and a witness that drips is never late for one.
            async with asyncio.timeout(WAIT_S):
                return await self._answer(self.http.stream(method, self.url + path, content=body, headers=_UNPACKED))
        except (TimeoutError, httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise WitnessError(
                WitnessFault.UNREACHABLE, f"{self.name} does not answer ({type(error).__name__})."
            ) from error

    async def _answer(self, call: AbstractAsyncContextManager[httpx.Response]) -> _Answer:
        async with call as reply:
            if reply.headers.get("content-encoding", "identity") != "identity":
                # A few bytes can unpack to any size; the request asked for unpacked answers.
                raise WitnessError(WitnessFault.REFUSED, f"{self.name} packs its answers, which was not asked for.")
            body = bytearray()
            async for part in reply.aiter_bytes():
                body += part
                if len(body) > NOTE_LIMIT:
                    raise WitnessError(WitnessFault.REFUSED, f"{self.name} answers more than any note holds.")
            media_type = reply.headers.get("content-type", "").partition(";")[0].strip()
            return _Answer(reply.status_code, media_type, bytes(body))

    def _text(self, reply: _Answer) -> str:
        try:
            return reply.body.decode()
        except UnicodeDecodeError:
            raise WitnessError(WitnessFault.REFUSED, f"{self.name} answers no note.") from None

    def _size(self, reply: _Answer) -> int:
        text = reply.body[:32].decode("ascii", "replace")
        digits = text.removesuffix("\n")
        if not digits.isdecimal() or not digits.isascii() or len(digits) > 19:
            raise WitnessError(WitnessFault.REFUSED, f"{self.name} answers no size.")
        return int(digits)
