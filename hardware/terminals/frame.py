"""The palm frame: templates on their way from a terminal to the service (field `dermal_vector`), signed by the former.

Big-endian: ``ARP1``, u8 alg, u8 kind, u8 views, a zero, registry tag 8 B, u32 key epoch, u8 quality, u8 liveness, two
zeros, u64 counter, u64 captured (Unix ms), nonce 12 B, terminal tag 4 B; then 512 int8 a view; then 64 bytes of Ed25519
(RFC 8032) or ES256 (RFC 7518, 3.4) over ``arc-palm/1`` 00, the terminal's id and the intent (each after a u16 length)
and all that is before the signature.

No error repeats any part of a frame: what it carries is a person's biometrics. `parse` makes no copy of the templates
either, so the owner of the buffer wipes all of them by wiping the buffer.

::

    FrameError (ValueError)
     ├─ FrameShape      not a frame, or a field out of its bounds
     └─ FrameForged     another terminal's, or not signed by this one for this intent
"""

from __future__ import annotations

import enum
import hashlib
import struct
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
from cryptography.exceptions import InvalidSignature

from hardware.terminals.keystone import terminal_tag
from hardware.terminals.projection import DIMENSIONS, Templates
from hardware.terminals.signing import SIGNATURE_BYTES, SigningKey, VerifyingKey, check_signature, signature

Bytes: TypeAlias = bytes | bytearray | memoryview

MAX_VIEWS: Final = 49
NONCE_BYTES: Final = 12
MAX_NUMBER: Final = 2**63 - 1
"""Bound of counter and capture time: what a store's signed integer holds."""

ENROL_INTENT: Final = "ENROL"
"""The one intent of frames that enrol."""

_MAGIC: Final = b"ARP1"
_HEAD: Final = struct.Struct(">4sBBBB8sIBBHQQ12s4s")
HEAD_BYTES: Final = _HEAD.size
MAX_FRAME_BYTES: Final = HEAD_BYTES + MAX_VIEWS * DIMENSIONS + SIGNATURE_BYTES
_CONTEXT: Final = b"arc-palm/1\0"
_NOT_REPORTED: Final = 255
_MAX_TEXT_BYTES: Final = 2**16 - 1


class FrameError(ValueError):
    """Base of all errors about a frame; the message holds no byte of it."""


class FrameShape(FrameError):
    """Not a palm frame, or a field is out of its bounds."""


class FrameForged(FrameError):
    """The frame is another terminal's, or its signature is not this terminal's for this intent."""


class TemplateKind(enum.IntEnum):
    """Purpose of the templates."""

    PROBE = 0
    ENROL = 1


def registry_tag(registry_id: str) -> bytes:
    """The 8 bytes that name a template registry in a frame."""
    return hashlib.sha256(b"arc-registry/1\0" + registry_id.encode()).digest()[:8]


@dataclass(frozen=True, slots=True, eq=False)
class PalmFrame:
    """One frame without its signature.

    `alg`: the extractor, 1..255. `quality`, `liveness`: 0..100, None where the sensor reports none. `counter`: 1 to
    `MAX_NUMBER`, never the same twice of one terminal. `captured_ms`: Unix time. `templates`: int8 (1..49, 512) within
    +-127, none all zero; the first view is the unshifted one. Raises `FrameShape` outside these bounds.
    """

    alg: int
    kind: TemplateKind
    registry_tag: bytes
    key_epoch: int
    counter: int
    captured_ms: int
    nonce: bytes
    terminal_tag: bytes
    templates: Templates = field(repr=False)
    quality: int | None = None
    liveness: int | None = None

    def __post_init__(self) -> None:
        _require(1 <= self.alg <= 255, "the extractor is 1 to 255")
        _require(len(self.registry_tag) == 8 and len(self.terminal_tag) == 4, "tags have 8 and 4 bytes")
        _require(0 <= self.key_epoch < 2**32, "a key epoch has 32 bits")
        _require(1 <= self.counter <= MAX_NUMBER, "the counter is 1 to 2^63 - 1")
        _require(0 <= self.captured_ms <= MAX_NUMBER, "the capture time is 0 to 2^63 - 1")
        _require(len(self.nonce) == NONCE_BYTES, f"the nonce has {NONCE_BYTES} bytes")
        for percentage in (self.quality, self.liveness):
            _require(percentage is None or 0 <= percentage <= 100, "quality and liveness are 0 to 100")
        views = self.templates
        _require(views.dtype == np.int8 and views.shape[1:] == (DIMENSIONS,), "templates are 512 x int8 each")
        _require(1 <= len(views) <= MAX_VIEWS, f"a frame has 1 to {MAX_VIEWS} views")
        _require(bool(views.min() >= -127), "a template's values are -127 to 127")
        _require(bool(views.any(axis=1).all()), "a template is not all zero")


def pack(frame: PalmFrame) -> bytearray:
    """Head and templates as they are signed; the caller wipes the buffer."""
    head = _HEAD.pack(
        _MAGIC,
        frame.alg,
        frame.kind,
        len(frame.templates),
        0,
        frame.registry_tag,
        frame.key_epoch,
        _NOT_REPORTED if frame.quality is None else frame.quality,
        _NOT_REPORTED if frame.liveness is None else frame.liveness,
        0,
        frame.counter,
        frame.captured_ms,
        frame.nonce,
        frame.terminal_tag,
    )
    packed = bytearray(HEAD_BYTES + frame.templates.size)
    whole = memoryview(packed)  # a slice of a bytearray is assigned through a hidden copy, a memoryview's is not
    whole[:HEAD_BYTES] = head
    np.frombuffer(whole[HEAD_BYTES:], np.int8).reshape(frame.templates.shape)[:] = frame.templates
    return packed


def parse(signed: Bytes) -> PalmFrame:
    """The frame, whose signature is not checked here (`verify`). `templates` is a view of `signed` and shares its life.

    Raises `FrameShape` for anything that `pack` and `sign` do not make.
    """
    whole = memoryview(signed)
    if not HEAD_BYTES + DIMENSIONS + SIGNATURE_BYTES <= len(whole) <= MAX_FRAME_BYTES:
        raise FrameShape("this is no length of a palm frame")
    (
        magic,
        alg,
        kind,
        views,
        zero,
        registry,
        key_epoch,
        quality,
        liveness,
        zeros,
        counter,
        captured_ms,
        nonce,
        terminal,
    ) = _HEAD.unpack_from(whole)
    _require(magic == _MAGIC, "this is no palm frame of a version that is known here")
    _require(kind in (TemplateKind.PROBE, TemplateKind.ENROL), "the kind is probe or enrol")
    _require(zero == 0 and zeros == 0, "reserved bytes are zero")
    _require(len(whole) == HEAD_BYTES + views * DIMENSIONS + SIGNATURE_BYTES, "the views are not of this length")
    templates = np.frombuffer(whole[HEAD_BYTES:-SIGNATURE_BYTES], np.int8).reshape(views, DIMENSIONS)
    return PalmFrame(
        alg=alg,
        kind=TemplateKind(kind),
        registry_tag=registry,
        key_epoch=key_epoch,
        counter=counter,
        captured_ms=captured_ms,
        nonce=nonce,
        terminal_tag=terminal,
        templates=templates,
        quality=None if quality == _NOT_REPORTED else quality,
        liveness=None if liveness == _NOT_REPORTED else liveness,
    )


def sign(packed: Bytes, key: SigningKey, terminal_id: str, intent: str) -> bytes:
    """The whole frame: `packed` and the terminal's signature over it for `intent`.

    Raises ValueError for a key that is neither Ed25519 nor P-256, and for an intent that is not the kind's.
    """
    text = _signed_text(packed, terminal_id, intent)
    try:
        return bytes(packed) + signature(text, key)
    finally:
        text[:] = bytes(len(text))


def verify(signed: Bytes, key: VerifyingKey, terminal_id: str, intent: str) -> None:
    """Check that this terminal made this frame for this intent; call it after `parse` has accepted the frame.

    Raises `FrameForged` if not, ValueError for a key that is neither Ed25519 nor P-256.
    """
    whole = memoryview(signed)
    packed, proof = whole[:-SIGNATURE_BYTES], bytes(whole[-SIGNATURE_BYTES:])
    if bytes(packed[HEAD_BYTES - 4 : HEAD_BYTES]) != terminal_tag(terminal_id):
        raise FrameForged("the frame is another terminal's")
    text = _signed_text(packed, terminal_id, intent)
    try:
        check_signature(proof, text, key)
    except InvalidSignature:
        raise FrameForged("the frame's signature is not this terminal's for this intent") from None
    finally:
        text[:] = bytes(len(text))


def _signed_text(packed: Bytes, terminal_id: str, intent: str) -> bytearray:
    """The bytes that are signed. They hold the templates, so the caller wipes them."""
    if (packed[5] == TemplateKind.ENROL) != (intent == ENROL_INTENT):
        raise FrameForged(f"the intent {ENROL_INTENT} and frames that enrol belong together")
    texts = (terminal_id.encode(), intent.encode())
    if not all(1 <= len(text) <= _MAX_TEXT_BYTES for text in texts):
        raise FrameForged("terminal id and intent are texts of 1 to 65535 bytes")
    start = _CONTEXT + b"".join(len(text).to_bytes(2, "big") + text for text in texts)
    whole = bytearray(len(start) + len(packed))
    memoryview(whole)[: len(start)] = start
    memoryview(whole)[len(start) :] = packed
    return whole


def _require(holds: bool, why: str) -> None:
    if not holds:
        raise FrameShape(why)
