"""What one call sends of a person, in base64 that is overwritten when the call is over."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterable
from typing import Any

import msgspec


class WipedBody:
    """JSON strings over bytes of its own: ``raws`` are read while the call is made, zeros after it. What the client and
    the network layer make of them is freed, not overwritten."""

    def __init__(self, parts: Iterable[bytes | bytearray]) -> None:
        self._texts = [bytearray(b'"%b"' % base64.b64encode(part)) for part in parts]
        self.raws = [msgspec.Raw(text) for text in self._texts]

    def wipe_after(self, call: asyncio.Task[Any]) -> None:
        """Overwrite it when this call has ended, however it ends."""
        call.add_done_callback(lambda _call: self._wipe())

    def _wipe(self) -> None:
        for text in self._texts:
            text[:] = bytes(len(text))
