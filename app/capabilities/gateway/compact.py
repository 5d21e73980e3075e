"""Compact JWS (RFC 7515) under one fixed list of algorithms: the form of proofs and permits.

The caller names the header and the claims that a text must have. Nothing in a header is believed before that, and no
key is ever taken from one."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TypeVar

import msgspec
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwa import JWSAlgModel
from joserfc.jwk import ECKey, OKPKey
from joserfc.jws import JWSRegistry

from app.api.decode import repeats_member

COMPACT_MAX = 4096
"""Characters of the longest proof or permit."""
ALGORITHMS = ("ES256", "Ed25519", "EdDSA")
_HEADER_MAX = 1024

Key = ECKey | OKPKey
PartT = TypeVar("PartT", bound=msgspec.Struct)


class CompactInvalid(Exception):
    """The text is no such JWS. Without a message: the parser's words may quote the text."""


class _Registry(JWSRegistry):
    """A fixed list of algorithms. joserfc warns at each use of the name ``EdDSA``, which RFC 9864 replaced. Units that
    follow RFC 8037 still use it, and ``warnings`` is state of the whole process that a request must not touch."""

    max_header_length = _HEADER_MAX

    def get_alg(self, name: str) -> JWSAlgModel:
        if name not in ALGORITHMS:
            raise JoseError("algorithm")
        return self.algorithms[name]


_REGISTRY = _Registry(strict_check_header=False)


def header_of(text: str, of: type[PartT]) -> PartT:
    """The header of ``text``; no signature was checked yet. ``CompactInvalid`` unless it is an ``of``."""
    parts = text.split(".")
    if len(text) > COMPACT_MAX or len(parts) != 3 or not text.isascii():
        raise CompactInvalid
    try:
        head = base64.b64decode(parts[0] + "=" * (-len(parts[0]) % 4), altchars=b"-_", validate=True)
        return _read_part(head, of)
    except ValueError as error:
        raise CompactInvalid from error


def claims_of(text: str, key: Key, of: type[PartT]) -> PartT:
    """The claims of ``text``. ``CompactInvalid`` unless ``key`` signed them and they are an ``of``."""
    try:
        signed = jws.deserialize_compact(text, key, registry=_REGISTRY)
        return _read_part(signed.payload, of)
    except (JoseError, ValueError) as error:
        raise CompactInvalid from error


def _read_part(raw: bytes, of: type[PartT]) -> PartT:
    """The JSON of a header or of claims; ``CompactInvalid`` for another shape, or where a member stands twice (section
    4 of RFC 7515 and of RFC 7519)."""
    try:
        part = msgspec.json.decode(raw, type=of)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise CompactInvalid from error
    if repeats_member(raw):
        raise CompactInvalid
    return part


def sign(header: Mapping[str, str], claims: msgspec.Struct, key: Key) -> str:
    """The JWS of ``claims`` under ``header`` by the private ``key``; ``header`` names the algorithm."""
    return jws.serialize_compact(dict(header), msgspec.json.encode(claims), key, registry=_REGISTRY)
