"""The terminal's bundle: what a terminal needs to make templates and, if allowed, to decide alone for a time.

Plaintext, big-endian: ``ARB1``, u32 length of the head, the head (JSON, ``PalmBundleHead``), the projection's seed (32
bytes), then the partition's templates (512 int8 each). The site signs it (JWS, RFC 7515, compact, ES256, type
``arc-bundle+jws``) and seals the signed text to the terminal (JWE, RFC 7516, compact, ``ECDH-ES`` or
``ECDH-ES+A256KW`` with ``A256GCM``, type ``arc-bundle+jwe``, ``apv`` the terminal's id). So a caller who may fetch the
bundle cannot read it, and the terminal believes no one but the site whose keys it was installed with.

Seed and templates are secret. Every buffer that holds them here is overwritten before it is freed; what leaves this
module is a ``PalmBundle``, which its owner wipes. No error repeats any part of a bundle.

::

    PalmBundleError (ValueError)
     ├─ BundleShape     not a bundle, or a part of it out of its bounds
     ├─ BundleForged    not sealed to this terminal, altered, or not signed by its site
     └─ BundleExpired   too late, or not yet
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

import msgspec
import numpy as np
from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDH,
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
    EllipticCurvePublicNumbers,
    generate_private_key,
)
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.concatkdf import ConcatKDFHash
from cryptography.hazmat.primitives.keywrap import InvalidUnwrap, aes_key_unwrap, aes_key_wrap
from joserfc.jwk import ECKey

from hardware.memory import wipe
from hardware.terminals.projection import DIMENSIONS, SEED_BYTES, Templates
from hardware.terminals.signing import SIGNATURE_BYTES, check_signature, signature

MOST_NODES: Final = 10_000
"""Persons whom a terminal may search by itself."""
MOST_ROWS: Final = 20_000
"""Their templates: 10 MiB."""
LONGEST_OFFLINE_S: Final = 604_800
"""The longest life of a partition."""
OPEN_WITHIN_S: Final = 300
"""A bundle that is not opened within this time after it was made is never opened."""
SKEW_S: Final = 30
"""How far the terminal's clock may lag behind the site's."""
MOST_DENIED: Final = 1_000_000
PER_GENERATION: Final = 10**12
"""More than the numbers that one generation of a site can give, to its bundles and to its changes of who may pass."""
FEW_OTHERS: Final = 20
"""With fewer others than this in a search, their spread says nothing."""

SIGNED: Final = "arc-bundle+jws"
SEALED: Final = "arc-bundle+jwe"
KeyWrap = Literal["ECDH-ES", "ECDH-ES+A256KW"]

_MAGIC: Final = b"ARB1"
_FRONT: Final = struct.Struct(">4sI")
_COORDINATE_BYTES: Final = 32
_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_TAG_BYTES: Final = 16
_MOST_HEADER: Final = 1_024
_MOST_HEAD: Final = 64 << 20
_TEXT: Final = re.compile(rb"[A-Za-z0-9_-]*")
_TO_URL: Final = bytes.maketrans(b"+/", b"-_")
_FROM_URL: Final = bytes.maketrans(b"-_", b"+/")

Bytes = bytes | bytearray | memoryview
Seconds = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=255)]


class PalmBundleError(ValueError):
    """Base of all errors about a bundle; the message holds nothing of it."""


class BundleShape(PalmBundleError):
    """Not a bundle, or a part of it is out of its bounds."""


class BundleForged(PalmBundleError):
    """The bundle is not sealed to this terminal, was altered, or was not signed by its site."""


class BundleExpired(PalmBundleError):
    """The terminal's clock is outside the bundle's time, or its partition has ended."""


class EntryRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a match needs offline, worked out by the site for this very partition.

    A node's score is the best cosine over its templates and the probe's views. ``floor``: the least score; ``margin``:
    the least lead of the best node over the second; ``limit``: the least z of the best score among those of the others
    in the search. Where ``limit`` is None, or the others are by then fewer than ``FEW_OTHERS``, ``alone`` is the least
    score instead. ``copy``: from this score on it is not a hand but a copied template (None: not checked).
    ``liveness_min``: 0..100, as the sensor reports it.
    """

    floor: float
    margin: float
    limit: float | None
    alone: float
    copy: float | None
    liveness_min: Annotated[int, msgspec.Meta(ge=0, le=100)]


class PartitionHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The nodes that the terminal may let in by itself until ``not_after`` (Unix seconds).

    ``nodes``: each with the number of templates that are its own; the templates follow the seed in the same order.
    """

    not_after: Seconds
    nodes: Annotated[list[tuple[Name, Annotated[int, msgspec.Meta(ge=1, le=255)]]], msgspec.Meta(max_length=MOST_NODES)]
    rules: EntryRules


class PalmBundleHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The head of a bundle.

    ``iss``: the site's domain. ``aud``: the terminal. ``issue``: rises from bundle to bundle, and by
    ``PER_GENERATION`` where a site goes on without its last entries. ``iat``, ``exp``: when the bundle was made, and
    before when it must be opened (Unix seconds). ``access_epoch``: numbers the changes of who may pass; ``denied`` is
    as of it.
    """

    iss: Name
    aud: Name
    issue: Annotated[int, msgspec.Meta(ge=1, le=2**53)]
    iat: Seconds
    exp: Seconds
    registry_id: Name
    alg: Annotated[int, msgspec.Meta(ge=0, le=255)]
    key_epoch: Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)]
    access_epoch: Annotated[int, msgspec.Meta(ge=0, le=2**53)]
    denied: Annotated[list[Name], msgspec.Meta(max_length=MOST_DENIED)]
    partition: PartitionHead | None


@dataclass(frozen=True, slots=True, eq=False)
class PalmBundle:
    """One bundle in the clear; its owner calls ``wipe``.

    ``templates``: int8 (k, 512), with k = 0 where there is no partition. ``head_sha256``: of the head as it was
    written, which the terminal's acknowledgement names; empty in a bundle that was not parsed.
    """

    head: PalmBundleHead
    seed: bytearray = field(repr=False)
    templates: Templates = field(repr=False)
    head_sha256: bytes = b""

    def wipe(self) -> None:
        """Overwrites seed and templates."""
        self.seed[:] = bytes(len(self.seed))
        self.templates.fill(0)


class _Epk(msgspec.Struct, forbid_unknown_fields=True):
    kty: Literal["EC"]
    crv: Literal["P-256"]
    x: Annotated[str, msgspec.Meta(min_length=43, max_length=43)]
    y: Annotated[str, msgspec.Meta(min_length=43, max_length=43)]


class _SealedHeader(msgspec.Struct, forbid_unknown_fields=True):
    typ: Literal["arc-bundle+jwe"]
    alg: KeyWrap
    enc: Literal["A256GCM"]
    kid: str
    apv: str
    epk: _Epk


class _SignedHeader(msgspec.Struct, forbid_unknown_fields=True):
    typ: Literal["arc-bundle+jws"]
    alg: Literal["ES256"]
    kid: str


def thumbprint(key: EllipticCurvePublicKey) -> str:
    """The name of a key (RFC 7638)."""
    return ECKey.import_key(key).thumbprint()


# --- plaintext -------------------------------------------------------------------------------------------------------


def head_digest(head: PalmBundleHead) -> bytes:
    """SHA-256 of the head as ``pack`` writes it."""
    return hashlib.sha256(msgspec.json.encode(head)).digest()


def pack(bundle: PalmBundle) -> bytearray:
    """The plaintext; the caller wipes it. ValueError for templates that are not those of the head, or a wrong seed."""
    rows = sum(count for _, count in bundle.head.partition.nodes) if bundle.head.partition else 0
    if bundle.templates.shape != (rows, DIMENSIONS) or rows > MOST_ROWS or len(bundle.seed) != SEED_BYTES:
        raise ValueError("the templates are not those that the head names, or the seed is none")
    head = msgspec.json.encode(bundle.head)
    at = _FRONT.size + len(head)
    made = bytearray(at + SEED_BYTES + rows * DIMENSIONS)
    view = memoryview(made)
    _FRONT.pack_into(made, 0, _MAGIC, len(head))
    view[_FRONT.size : at] = head
    view[at : at + SEED_BYTES] = bundle.seed
    view[at + SEED_BYTES :] = np.ascontiguousarray(bundle.templates).view(np.uint8).reshape(-1).data
    return made


def parse(plain: Bytes) -> PalmBundle:
    """The bundle in ``plain``, copied out of it. Raises ``BundleShape``."""
    view = memoryview(plain)
    if len(view) < _FRONT.size:
        raise BundleShape("it ends within its front")
    magic, length = _FRONT.unpack_from(view)
    at = _FRONT.size + length
    if magic != _MAGIC or length > _MOST_HEAD or len(view) < at + SEED_BYTES:
        raise BundleShape("it is no bundle of this version, or too short")
    try:
        head = msgspec.json.decode(view[_FRONT.size : at], type=PalmBundleHead)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        # from None: a decoder's message may quote what it read
        raise BundleShape("its head is not as it should be") from None
    nodes = head.partition.nodes if head.partition else []
    rows = sum(count for _, count in nodes)
    if rows > MOST_ROWS or len({name for name, _ in nodes}) != len(nodes):
        raise BundleShape("its partition is too large, or names a node twice")
    codes = view[at + SEED_BYTES :]
    if len(codes) != rows * DIMENSIONS:
        raise BundleShape("its templates are not those that its head names")
    templates: Templates = np.frombuffer(codes, np.int8).reshape(rows, DIMENSIONS).copy()
    head_sha256 = hashlib.sha256(view[_FRONT.size : at]).digest()
    return PalmBundle(head, bytearray(view[at : at + SEED_BYTES]), templates, head_sha256)


# --- made by the site ------------------------------------------------------------------------------------------------


def seal(
    bundle: PalmBundle, signer: EllipticCurvePrivateKey, reader: EllipticCurvePublicKey, alg: KeyWrap = "ECDH-ES"
) -> bytes:
    """``bundle`` signed by the site's P-256 key ``signer`` and sealed to the terminal's ``reader``; ASCII."""
    head = _header_text({"alg": "ES256", "kid": thumbprint(signer.public_key()), "typ": SIGNED})
    plain = pack(bundle)
    try:
        payload = _to_text(plain)
    finally:
        plain[:] = bytes(len(plain))
    end = len(head) + 1 + len(payload)
    tail = -(-SIGNATURE_BYTES * 4 // 3)
    signed = bytearray(end + 1 + tail)
    try:
        view = memoryview(signed)
        view[: len(head) + 1] = head + b"."
        view[len(head) + 1 : end] = payload
        view[end:] = b"." + _to_text(signature(view[:end], signer))
        return _encrypt(view, bundle.head.aud, reader, alg)
    finally:
        wipe(payload)
        signed[:] = bytes(len(signed))


def _encrypt(plain: memoryview, terminal_id: str, reader: EllipticCurvePublicKey, alg: KeyWrap) -> bytes:
    """``plain`` as a compact JWE for the terminal's key ``reader``."""
    ephemeral = generate_private_key(SECP256R1())
    numbers = ephemeral.public_key().public_numbers()
    party = terminal_id.encode()
    header = _header_text(
        {
            "alg": alg,
            "apv": _to_text(party).decode(),
            "enc": "A256GCM",
            "epk": {"crv": "P-256", "kty": "EC", "x": _coordinate(numbers.x), "y": _coordinate(numbers.y)},
            "kid": thumbprint(reader),
            "typ": SEALED,
        }
    )
    agreed = _agree(ephemeral, reader, alg, party)
    wrapped = b""
    key: Bytes = agreed
    try:
        if alg == "ECDH-ES+A256KW":
            key = os.urandom(_KEY_BYTES)
            wrapped = aes_key_wrap(agreed, key)
        nonce = os.urandom(_NONCE_BYTES)
        sealed = bytearray(len(plain) + _TAG_BYTES)
        AESGCM(key).encrypt_into(nonce, plain, header, sealed)
    finally:
        agreed[:] = bytes(len(agreed))
        if isinstance(key, bytes):
            wipe(key)
    text = memoryview(sealed)
    parts = (wrapped, nonce, text[:-_TAG_BYTES], text[-_TAG_BYTES:])
    return b".".join([header, *(_to_text(part) for part in parts)])


# --- opened by the terminal ------------------------------------------------------------------------------------------


def open_bundle(
    text: bytes,
    key: EllipticCurvePrivateKey,
    site_keys: Sequence[EllipticCurvePublicKey],
    *,
    terminal_id: str,
    now_s: float,
) -> PalmBundle:
    """The bundle in ``text``, sealed to ``key`` and signed by one of the site's pinned keys. Raises
    ``PalmBundleError``."""
    signed = _decrypt(text, key, terminal_id)
    try:
        plain = _verify(signed, {thumbprint(one): one for one in site_keys})
    finally:
        signed[:] = bytes(len(signed))
    try:
        bundle = parse(plain)
    finally:
        wipe(plain)
    try:
        _check_time(bundle.head, terminal_id, now_s)
    except PalmBundleError:
        bundle.wipe()
        raise
    return bundle


def _check_time(head: PalmBundleHead, terminal_id: str, now_s: float) -> None:
    """Raises ``BundleForged`` for another terminal's bundle, ``BundleExpired`` for one that is not of this time."""
    if head.aud != terminal_id:
        raise BundleForged("the site made it for another terminal")
    if head.iat > now_s + SKEW_S:
        raise BundleExpired("it is from the future of this terminal's clock")
    if now_s >= head.exp or head.exp - head.iat > OPEN_WITHIN_S:
        raise BundleExpired("it was to be opened earlier: fetch another")
    partition = head.partition
    if partition is not None and (now_s >= partition.not_after or partition.not_after - head.iat > LONGEST_OFFLINE_S):
        raise BundleExpired("its partition has ended, or has no end that may be")


def _decrypt(text: bytes, key: EllipticCurvePrivateKey, terminal_id: str) -> bytearray:
    """The signed text inside the seal; the caller wipes it."""
    parts = text.split(b".")
    if len(parts) != 5:
        raise BundleShape("it has not the five parts of what is sealed")
    header = _header(parts[0], _SealedHeader)
    party = terminal_id.encode()
    if header.kid != thumbprint(key.public_key()) or _from_text(header.apv.encode()) != party:
        raise BundleForged("it is sealed to another terminal, or to a key that this one has no more")
    try:
        x, y = (int.from_bytes(_from_text(part.encode()), "big") for part in (header.epk.x, header.epk.y))
        ephemeral = EllipticCurvePublicNumbers(x, y, SECP256R1()).public_key()
    except ValueError:
        raise BundleShape("its ephemeral key is no point") from None
    wrapped, nonce, cipher, tag = (_from_text(part) for part in parts[1:])
    if len(nonce) != _NONCE_BYTES or len(tag) != _TAG_BYTES or bool(wrapped) != (header.alg == "ECDH-ES+A256KW"):
        raise BundleShape("its parts have not their lengths")
    agreed = _agree(key, ephemeral, header.alg, party)
    content: Bytes = agreed
    plain = bytearray(len(cipher))
    try:
        if wrapped:
            content = aes_key_unwrap(agreed, wrapped)
        AESGCM(content).decrypt_into(nonce, cipher + tag, parts[0], plain)
    except (InvalidTag, InvalidUnwrap, ValueError):
        plain[:] = bytes(len(plain))
        raise BundleForged("it was altered, or sealed to another key") from None
    finally:
        agreed[:] = bytes(len(agreed))
        if isinstance(content, bytes):
            wipe(content)
    return plain


def _verify(signed: bytearray, site_keys: Mapping[str, EllipticCurvePublicKey]) -> bytes:
    """The plaintext inside the signature; the caller wipes it."""
    first, last = signed.find(b"."), signed.rfind(b".")
    if not 0 < first < last or signed.count(b".") != 2:
        raise BundleForged("what is sealed was not signed")
    view = memoryview(signed)
    site_key = site_keys.get(_header(bytes(view[:first]), _SignedHeader).kid)
    proof = _from_text(bytes(view[last + 1 :]))
    if site_key is None:
        raise BundleForged("it was not signed by this terminal's site")
    try:
        check_signature(proof, view[:last], site_key)
    except InvalidSignature:
        raise BundleForged("it was not signed by this terminal's site") from None
    return _from_text(view[first + 1 : last])


# --- parts of both ----------------------------------------------------------------------------------------------


def _agree(mine: EllipticCurvePrivateKey, theirs: EllipticCurvePublicKey, alg: KeyWrap, party: bytes) -> bytearray:
    """The key that both sides derive by RFC 7518 section 4.6.2; the caller wipes it."""
    shared = mine.exchange(ECDH(), theirs)
    name = b"A256GCM" if alg == "ECDH-ES" else alg.encode()
    other = b"".join(
        (
            *(len(part).to_bytes(4, "big") + part for part in (name, b"", party)),
            (8 * _KEY_BYTES).to_bytes(4, "big"),
        )
    )
    made = bytearray(_KEY_BYTES)
    try:
        ConcatKDFHash(SHA256(), _KEY_BYTES, other).derive_into(shared, made)
    finally:
        wipe(shared)
    return made


def _header_text(header: Mapping[str, Any]) -> bytes:
    return _to_text(msgspec.json.encode(header))


def _header(text: bytes, of: type[Any]) -> Any:
    if len(text) > _MOST_HEADER:
        raise BundleShape("a header is too long")
    try:
        return msgspec.json.decode(_from_text(text), type=of)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise BundleShape("a header is not as it should be") from None


def _coordinate(number: int) -> str:
    return base64.urlsafe_b64encode(number.to_bytes(_COORDINATE_BYTES, "big")).rstrip(b"=").decode()


def _to_text(raw: Bytes) -> bytes:
    """base64url without padding (RFC 7515 section 2). The standard form, which is made first, is wiped."""
    padded = binascii.b2a_base64(raw, newline=False)
    text = padded.translate(_TO_URL, b"=")
    if text is not padded:  # they are one object where there was nothing to translate
        wipe(padded)
    return text


def _from_text(text: Bytes) -> bytes:
    """The bytes of a base64url text; the caller wipes them where they are secret. Raises ``BundleShape``."""
    if _TEXT.fullmatch(text) is None or len(text) % 4 == 1:
        raise BundleShape("a part is no base64url")
    copy = bytearray(len(text) + -len(text) % 4)
    memoryview(copy)[: len(text)] = text
    memoryview(copy)[len(text) :] = b"=" * (-len(text) % 4)
    padded = copy.translate(_FROM_URL)
    try:
        raw = binascii.a2b_base64(padded)
        # Bits beyond the last byte must be zero: every value has exactly one spelling.
        if raw and binascii.b2a_base64(raw[-(len(raw) % 3) or -3 :], newline=False) != padded[-4:]:
            raise BundleShape("a part is no base64url")
    finally:
        for scratch in (copy, padded):
            scratch[:] = bytes(len(scratch))
    return raw
