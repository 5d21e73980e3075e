"""Sealed fields: secrets in rows, encrypted under the data key of their purpose.

A sealed field is ``version (1) || kid (4, big endian) || nonce (12) || AES-256-GCM ciphertext and tag``. The associated
data are ``purpose|kid|version|`` and the caller's context (table, column and row), so a field cannot be moved to
another row or purpose.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Final, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from app.store.errors import SealBroken

FIELDS: Final = 2**20
"""After so many fields the newest data key is asked for again; each time so many fields are counted for it."""

_VERSION: Final = 1
_NONCE: Final = 12
_HEAD: Final = 5
OVERHEAD: Final = _HEAD + _NONCE + 16
"""Bytes that sealing adds."""


class DataKeys(Protocol):
    """The source of data keys (``keys.Keys``)."""

    def data_key(self, purpose: str, kid: int | None = None) -> tuple[int, bytes]:
        """The newest data key of ``purpose``, made if there is none, with ``FIELDS`` more fields counted for it; or the
        key ``kid``, ``KeyError`` if it is unknown."""

    def known_data_key(self, purpose: str) -> tuple[int, bytes]:
        """The newest data key of ``purpose`` that exists, without a write and with nothing counted; ``KeyError`` if
        there is none."""


class FieldSealer:
    """Seals and opens fields. Safe on any thread."""

    def __init__(self, keys: DataKeys) -> None:
        self._keys = keys
        self._newest: dict[str, tuple[int, AESGCM, Iterator[int]]] = {}
        self._ciphers: dict[tuple[str, int], AESGCM] = {}

    def seal(self, purpose: str, plaintext: bytes | memoryview, context: bytes) -> bytes:
        """``plaintext`` sealed for ``purpose``; it opens only with the same ``context``, for example
        ``b"reader_cluster.scbk|east-1"``."""
        newest = self._newest.get(purpose)
        if newest is None or next(newest[2], None) is None:
            kid, key = self._keys.data_key(purpose)
            # This field is the first of the fields that were just counted.
            newest = self._newest[purpose] = (kid, AESGCM(key), iter(range(FIELDS - 1)))
        kid, cipher, _ = newest
        nonce = os.urandom(_NONCE)
        head = bytes((_VERSION,)) + kid.to_bytes(4, "big")
        return head + nonce + cipher.encrypt(nonce, plaintext, _associated_data(purpose, kid, context))

    def prepare(self, purpose: str) -> None:
        """Has a key of ``purpose`` ready for ``seal_prepared``. ``StoreUnavailable`` if its fields cannot be
        counted."""
        self._keys.data_key(purpose)

    def seal_prepared(self, purpose: str, plaintext: bytes | memoryview, context: bytes) -> bytes:
        """As ``seal``, without a write: for what must be sealed on a full disk. Each ``prepare`` has counted ``FIELDS``
        fields for it, so a purpose may seal that many in the life of a process at most. ``KeyError`` if no start of
        this site has prepared it."""
        kid, key = self._keys.known_data_key(purpose)
        nonce = os.urandom(_NONCE)
        head = bytes((_VERSION,)) + kid.to_bytes(4, "big")
        return head + nonce + AESGCM(key).encrypt(nonce, plaintext, _associated_data(purpose, kid, context))

    def open(self, purpose: str, sealed: bytes, context: bytes) -> bytes:
        """The plaintext; ``SealBroken`` if it was altered, moved or sealed for something else."""
        with self._opening(purpose, sealed) as kid:
            return self._cipher(purpose, kid).decrypt(
                sealed[_HEAD : _HEAD + _NONCE], sealed[_HEAD + _NONCE :], _associated_data(purpose, kid, context)
            )

    def open_into(self, purpose: str, sealed: bytes, context: bytes, plaintext: bytearray | memoryview) -> None:
        """As ``open``, into the caller's memory, which the caller wipes. It must be exactly ``len(sealed) - OVERHEAD``
        bytes long (``ValueError``). After an error its content means nothing."""
        with self._opening(purpose, sealed) as kid:
            self._cipher(purpose, kid).decrypt_into(
                sealed[_HEAD : _HEAD + _NONCE],
                sealed[_HEAD + _NONCE :],
                _associated_data(purpose, kid, context),
                plaintext,
            )

    @contextlib.contextmanager
    def _opening(self, purpose: str, sealed: bytes) -> Iterator[int]:
        """Yields the kid, and turns every failure into ``SealBroken``."""
        if len(sealed) < OVERHEAD or sealed[0] != _VERSION:
            raise SealBroken(f"A sealed field of {purpose} is damaged. Restore the row from a backup.")
        try:
            yield int.from_bytes(sealed[1:_HEAD], "big")
        except (InvalidTag, KeyError):
            raise SealBroken(
                f"A sealed field of {purpose} does not open with this site's keys. Restore the row from a backup."
            ) from None

    def _cipher(self, purpose: str, kid: int) -> AESGCM:
        found = self._ciphers.get((purpose, kid))
        if found is None:
            found = self._ciphers[(purpose, kid)] = AESGCM(self._keys.data_key(purpose, kid)[1])
        return found


def _associated_data(purpose: str, kid: int, context: bytes) -> bytes:
    return f"{purpose}|{kid}|{_VERSION}|".encode() + context
