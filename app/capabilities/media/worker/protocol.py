"""What the service and a worker say to each other, over two pipes.

A frame is a length (4 bytes, big endian), a header of that many bytes, and parts. The header is JSON: the message, and
the length of each part. The service sends jobs with one part, the file. For each the worker answers with the measures
of the image (before it decodes a pixel) and then with what it found, the report before each picture; or with a
refusal. Its first frame says that it is locked. A worker may have been taken over by the file that it reads: all bounds
hold for it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Annotated, Final, Literal, TypeVar

import msgspec
from msgspec import Meta

from app.capabilities.media.messages import LayerName

MAX_SIDE: Final = 20_000
"""Longest side of an image that is decoded, px."""
MAX_ANALYSED: Final = 24_000_000
"""Pixels of an image that are analysed, at most."""
HEADER_MAX: Final = 1 << 16
"""Longest header, bytes."""
MEDIA_MAX: Final = 64 << 20
"""Longest file, bytes."""
ANSWER_PART_MAX: Final = 8 << 20
"""Longest part of an answer, bytes: a preview of noise has a little more than 3 MiB."""
PICTURES_MAX: Final = 32
"""Pictures of one answer, at most."""
PREVIEW_SIDE: Final = 1024
"""Longest side of a preview, px."""
REASON_MAX: Final = 300
SOFTWARE_MAX: Final = 200
_LENGTH: Final = struct.Struct("!I")
PRELUDE: Final = _LENGTH.size
"""Bytes before a header."""

VideoFormat = Literal["mov", "matroska", "avi", "mpegts"]
MediaFormat = Literal["JPEG", "PNG", "WEBP", "TIFF", "GIF", "BMP"]
VIDEO_TYPES: Final[Mapping[VideoFormat, str]] = {
    "mov": "video/mp4",
    "matroska": "video/x-matroska",
    "avi": "video/x-msvideo",
    "mpegts": "video/mp2t",
}
"""The media type of each format, as far as its first bytes tell it: QuickTime and WebM are told as their relatives."""
Conversion = Literal[
    "sixteen_bit_to_eight", "palette_expanded", "cmyk_to_rgb", "ycbcr_to_rgb", "alpha_dropped", "first_frame"
]
RefusalCode = Literal[
    "unsupported_format",
    "too_large",
    "too_large_to_analyse",
    "undecodable",
    "worker_died",
    "no_worker",
    "took_too_long",
    "not_sandboxed",
    "no_model",
]
Side = Annotated[int, Meta(ge=1, le=MAX_SIDE)]
Quantizer = Annotated[int, Meta(ge=1, le=65535)]

H = TypeVar("H")


class MediaJob(msgspec.Struct, frozen=True, tag="job", forbid_unknown_fields=True):
    """Scan the file that is the one part."""

    kind: Literal["scan"]


class WorkerReady(msgspec.Struct, frozen=True, tag="ready", forbid_unknown_fields=True):
    """The worker is warm and locked."""


class ImageMeasures(msgspec.Struct, frozen=True, tag="measures", forbid_unknown_fields=True):
    """How many pixels will be decoded, by the file's header."""

    width: Side
    height: Side


class VideoMeasures(msgspec.Struct, frozen=True, tag="video", forbid_unknown_fields=True):
    """The file is a video, whose frames will be read: for as much processor time as a worker has."""


class ImageFacts(msgspec.Struct, frozen=True, tag_field="media", tag="image", forbid_unknown_fields=True):
    """What a decoded file says of itself.

    ``width``, ``height``: as stored, px. ``mode``: the decoder's name of its samples (Pillow). ``orientation``: EXIF
    0x0112, for display only. ``software``: EXIF 0x0131. ``sha256``: of the file, hexadecimal. ``luma_quantizers``: of a
    JPEG with luma, in natural (not zigzag) order by rows. ``conversions``: what was done to have 8-bit RGB.
    """

    width: Side
    height: Side
    format: MediaFormat
    mode: Annotated[str, Meta(max_length=16)]
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    conversions: Annotated[tuple[Conversion, ...], Meta(max_length=8)] = ()
    orientation: Annotated[int, Meta(ge=1, le=8)] | None = None
    software: Annotated[str, Meta(max_length=SOFTWARE_MAX)] | None = None
    luma_quantizers: Annotated[tuple[Quantizer, ...], Meta(min_length=64, max_length=64)] | None = None


class VideoFacts(msgspec.Struct, frozen=True, tag_field="media", tag="video", forbid_unknown_fields=True):
    """What a video is. ``format``, ``codec``: FFmpeg's names of its demuxer and decoder. ``frames``: that were decoded;
    ``duration_s``: theirs. ``sha256``: of the file, hexadecimal."""

    width: Side
    height: Side
    format: VideoFormat
    codec: Annotated[str, Meta(max_length=40)]
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    frames: Annotated[int, Meta(ge=1, le=1_000_000)]
    duration_s: Annotated[float, Meta(ge=0, le=1e6)]


class ScanFound(msgspec.Struct, frozen=True, tag="found", forbid_unknown_fields=True):
    """What a scan found. The first part is the report (JSON of ``messages.ScanReport``); ``layers`` names those behind
    it, which are PNGs of at most 2560 px a side, not turned; the preview has at most 1024. ``cpu_s``: processor time
    of the job, s."""

    facts: ImageFacts | VideoFacts
    layers: Annotated[tuple[LayerName, ...], Meta(max_length=PICTURES_MAX)]
    cpu_s: Annotated[float, Meta(ge=0, le=1000)]


class WorkerRefusal(msgspec.Struct, frozen=True, tag="refused", forbid_unknown_fields=True):
    """The job has no answer, as ``reason`` tells in a sentence."""

    code: RefusalCode
    reason: Annotated[str, Meta(max_length=REASON_MAX)]


WorkerMessage = WorkerReady | ImageMeasures | VideoMeasures | ScanFound | WorkerRefusal


class MessageBroken(ValueError):
    """Bytes that are no frame of this direction."""


class _JobHeader(msgspec.Struct, forbid_unknown_fields=True):
    message: MediaJob
    parts: Annotated[list[Annotated[int, Meta(ge=0, le=MEDIA_MAX)]], Meta(min_length=1, max_length=1)]


class _WorkerHeader(msgspec.Struct, forbid_unknown_fields=True):
    message: WorkerMessage
    parts: Annotated[list[Annotated[int, Meta(ge=0, le=ANSWER_PART_MAX)]], Meta(max_length=1 + PICTURES_MAX)]


_JOB: Final = msgspec.json.Decoder(_JobHeader)
_WORKER: Final = msgspec.json.Decoder(_WorkerHeader)


def frame(message: MediaJob | WorkerMessage, *parts: bytes) -> list[bytes]:
    """A frame in pieces, to be written one after the other."""
    header = msgspec.json.encode({"message": message, "parts": [len(part) for part in parts]})
    return [_LENGTH.pack(len(header)), header, *parts]


def header_length(prelude: bytes) -> int:
    """How many bytes of header follow these ``PRELUDE`` bytes: 1 to ``HEADER_MAX``. Raises ``MessageBroken``."""
    if len(prelude) != PRELUDE:
        raise MessageBroken(f"the end after {len(prelude)} bytes")
    length = int(_LENGTH.unpack(prelude)[0])
    if not 1 <= length <= HEADER_MAX:
        raise MessageBroken(f"a header of {length} bytes")
    return length


def parse_job(header: bytes) -> tuple[MediaJob, list[int]]:
    """A job, and the length of its one part. Raises ``MessageBroken``."""
    parsed = _strictly(_JOB, header)
    return parsed.message, parsed.parts


def parse_message(header: bytes) -> tuple[WorkerMessage, list[int]]:
    """What a worker says, and the lengths of its parts: the report and one for each layer, each named once; none
    behind the rest. Raises ``MessageBroken``."""
    parsed = _strictly(_WORKER, header)
    said = parsed.message
    expected = 1 + len(set(said.layers)) if isinstance(said, ScanFound) else 0
    if len(parsed.parts) != expected or (isinstance(said, ScanFound) and len(said.layers) != expected - 1):
        raise MessageBroken(f"{len(parsed.parts)} parts behind {type(parsed.message).__name__}")
    return parsed.message, parsed.parts


def read_job(read: Callable[[int], bytes]) -> tuple[MediaJob, bytes] | None:
    """The next job and its file; None where the pipe ended. ``read`` gives fewer bytes than it is asked for only at
    the end. Raises ``MessageBroken``, also where the end comes within a frame."""
    prelude = read(PRELUDE)
    if not prelude:
        return None
    header = read(header_length(prelude))
    job, (length,) = parse_job(header)
    media = read(length)
    if len(media) != length:
        raise MessageBroken(f"a file of {len(media)} bytes instead of {length}")
    return job, media


def _strictly(decoder: msgspec.json.Decoder[H], header: bytes) -> H:
    try:
        return decoder.decode(header)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise MessageBroken(str(error)) from error
