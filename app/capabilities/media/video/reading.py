"""From the bytes of a video file to its frames, one after the other, within limits.

FFmpeg is given bytes and the name of the one format that they begin with, and nothing else: no name, no address, no
guess of a format (a playlist is none of them), and a refusal of all else that it would open (``io_open``, an empty
``protocol_whitelist``).
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Final, Literal, Never

import av
import numpy as np
import numpy.typing as npt
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from app.capabilities.media.video.errors import VideoRefused

MAX_FRAME_PIXELS: Final = 40_000_000
MAX_FRAME_SIDE: Final = 20_000
MAX_STREAMS: Final = 8
VIDEO_FORMATS: Final = {
    "mov": re.compile(rb".{4}(ftyp|moov|mdat|wide|free|skip)", re.DOTALL),
    "matroska": re.compile(rb"\x1a\x45\xdf\xa3"),
    "avi": re.compile(rb"RIFF.{4}AVI ", re.DOTALL),
    "mpegts": re.compile(rb"(?:.{4})?\x47.{187}(?:.{4})?\x47", re.DOTALL),
    "mjpeg": re.compile(rb"\xff\xd8\xff"),
}
"""What each format begins with, by FFmpeg's name of its demuxer: MP4 and QuickTime, WebM and Matroska, AVI, MPEG
transport streams (also with 192 bytes a packet), and JPEG images one after the other."""
VIDEO_NAMES: Final = "MP4, QuickTime, WebM, Matroska, AVI, MPEG-TS"
"""The formats that a file may have, as people call them."""
_LONGEST_GAP_S: Final = 60.0
_SAID: Final = 300
_BUFFER: Final = 1 << 16


@dataclass(frozen=True)
class VideoLimits:
    """``duration_s``: of the file that is read, from its first frame. ``frames``: that are decoded; ``sampled``: of
    which a fingerprint and a picture are kept; ``packets``: that are read; ``cpu_s``: processor time of the process
    for all, in which ``decoding_cpu_s`` may be spent before keyframes are judged. ``keyframes`` are judged as images,
    and ``keyframe_bytes`` of their pixels kept for that."""

    duration_s: float = 600.0
    frames: int = 18_000
    sampled: int = 600
    packets: int = 200_000
    cpu_s: float = 90.0
    decoding_cpu_s: float = 50.0
    keyframes: int = 12
    keyframe_bytes: int = 128 << 20


@dataclass(frozen=True)
class ReadFrame:
    """One frame. ``index``: counted from 0 over all that were decoded; ``time_s``: from the first one's time; ``luma``:
    uint8 (height, width), which lives as long as the frame does; ``keyframe``: decoded without any other."""

    index: int
    time_s: float
    luma: npt.NDArray[np.uint8]
    keyframe: bool
    native: VideoFrame = field(repr=False)

    def rgb(self) -> npt.NDArray[np.uint8]:
        """Shape (height, width, 3)."""
        return pixels_of(self.native, "rgb24")


@dataclass
class OpenedVideo:
    """A file whose headers were read. ``width``, ``height``: px, as the header has them; ``claimed_frames``: what it
    says of its length, 0 if nothing; ``rate``: frames a second, 25 where the file does not tell.

    Once its frames were read: ``decoded`` of them, ``broken`` packets that could not be decoded, and ``limits_hit``
    in sentences."""

    container: InputContainer = field(repr=False)
    stream: VideoStream = field(repr=False)
    format: str
    codec: str
    width: int
    height: int
    rate: float
    claimed_frames: int
    decoded: int = 0
    broken: int = 0
    limits_hit: list[str] = field(default_factory=list)


def open_video(media: bytes) -> OpenedVideo:
    """Reads the headers. Raises ``VideoRefused``."""
    found = next((name for name, begins in VIDEO_FORMATS.items() if begins.match(media)), None)
    if found is None:
        raise VideoRefused("unsupported_format", f"The file is none of {VIDEO_NAMES}.")
    options = {
        "protocol_whitelist": "",
        "format_whitelist": found,
        "enable_drefs": "0",
        "max_streams": str(2 * MAX_STREAMS),
        "max_pixels": str(MAX_FRAME_PIXELS),
        "threads": "1",
    }
    try:
        container = av.open(
            BytesIO(media), "r", format=found, options=options, buffer_size=_BUFFER, io_open=_open_nothing
        )
    except MemoryError as error:
        raise VideoRefused("too_large", "The file needs more memory than there is.") from error
    except Exception as error:  # a hostile file makes a demuxer raise anything
        raise _undecodable(error) from error
    streams = container.streams
    if len(streams) > MAX_STREAMS:
        raise VideoRefused("unsupported_format", f"The file has {len(streams)} streams, more than are read.")
    stream = next((one for one in streams.video if not one.disposition & one.disposition.attached_pic), None)
    if stream is None or stream.codec_context is None:
        raise VideoRefused("unsupported_format", "The file has no video that can be decoded.")
    context = stream.codec_context
    # No threads in a locked worker, and what a decoder allocates is bounded before it does.
    context.thread_count = 1
    context.thread_type = "NONE"
    context.options = {"max_pixels": str(MAX_FRAME_PIXELS), "threads": "1"}
    width, height = context.width, context.height
    _judge_size(width, height)
    rate = _usable_rate(float(stream.average_rate or stream.guessed_rate or 0))
    seconds = (container.duration or 0) / av.time_base
    claimed = stream.frames or round(min(max(seconds, 0), 1e6) * rate)
    return OpenedVideo(container, stream, found, context.name, width, height, rate, claimed)


def read_frames(opened: OpenedVideo, limits: VideoLimits) -> Iterator[ReadFrame]:
    """The frames in the order in which they are shown. Broken packets are left out and counted; a limit ends it and is
    told in ``limits_hit``. Raises ``VideoRefused`` for frames that are too large, and where memory does not suffice."""
    begun = time.process_time()
    first: float | None = None
    shown = 0.0
    for native in _all_frames(opened, limits):
        _judge_size(native.width, native.height)
        at = native.time
        if at is not None and first is None:
            first = at
        seconds = opened.decoded / opened.rate if at is None or first is None else at - first
        if opened.decoded and not shown < seconds < shown + _LONGEST_GAP_S:
            # Times that stand still, go back or leap are none.
            seconds = shown + 1 / opened.rate
        if seconds > limits.duration_s:
            opened.limits_hit.append(f"Only the first {limits.duration_s:g} seconds were read.")
            return
        if opened.decoded >= limits.frames:
            opened.limits_hit.append(f"Only the first {limits.frames} frames were read.")
            return
        if time.process_time() - begun > limits.decoding_cpu_s:
            opened.limits_hit.append(f"Only the first {opened.decoded} frames were read: decoding took too long.")
            return
        yield ReadFrame(opened.decoded, max(seconds, 0.0), _luma(native), bool(native.key_frame), native)
        opened.decoded, shown = opened.decoded + 1, seconds


def pixels_of(
    native: VideoFrame, layout: Literal["rgb24", "bgr24", "gray"], size: tuple[int, int] | None = None
) -> npt.NDArray[np.uint8]:
    """Pixels of a frame, made ``size`` (width, height) if that is given: by one thread, for a locked worker has no
    second."""
    width, height = size or (native.width, native.height)
    return np.asarray(native.reformat(width=width, height=height, format=layout, threads=1).to_ndarray(), np.uint8)


def _all_frames(opened: OpenedVideo, limits: VideoLimits) -> Iterator[VideoFrame]:
    """All frames of the stream, those that the decoder holds back included."""
    packets = opened.container.demux(opened.stream)
    for _ in range(limits.packets):
        try:
            packet = next(packets, None)
        except MemoryError as error:
            raise VideoRefused("too_large", "The file needs more memory than there is.") from error
        except Exception:
            # The container is broken from here on.
            opened.broken += 1
            packet = None
        if packet is None:
            with contextlib.suppress(Exception):
                yield from opened.stream.codec_context.decode(None)
            return
        try:
            frames = packet.decode()
        except MemoryError as error:
            raise VideoRefused("too_large", "The frames need more memory than there is.") from error
        except EOFError:
            return
        except Exception:
            opened.broken += 1
            continue
        yield from frames
        if packet.size == 0:
            return
    opened.limits_hit.append(f"Only the first {limits.packets} packets were read.")


def _open_nothing(*_: object) -> Never:
    """In place of what a file asks for beside itself."""
    raise PermissionError("A video is read from memory alone.")


def _judge_size(width: int, height: int) -> None:
    if not 1 <= width * height <= MAX_FRAME_PIXELS or max(width, height) > MAX_FRAME_SIDE:
        raise VideoRefused("too_large", f"The frames have {width} x {height} pixels, more than are decoded.")


def _usable_rate(stated: float) -> float:
    """Frames a second as the file tells them, if it tells 0.1 to 1000, else 25."""
    return stated if 0.1 <= stated <= 1000 else 25.0


def _luma(native: VideoFrame) -> npt.NDArray[np.uint8]:
    """The luma plane as it is where it has 8 bits, else converted."""
    layout = native.format
    if not ((layout.name.startswith(("yuv", "nv1", "gray")) and layout.is_planar) or layout.name == "gray"):
        return pixels_of(native, "gray")
    if layout.components[0].bits != 8:
        return pixels_of(native, "gray")
    plane = native.planes[0]
    rows = np.frombuffer(memoryview(plane), np.uint8)[: plane.line_size * native.height].reshape(
        native.height, plane.line_size
    )
    return np.asarray(rows[:, : native.width], np.uint8)


def _undecodable(error: Exception) -> VideoRefused:
    said = "".join(sign if sign.isprintable() else " " for sign in f"{type(error).__name__}: {error}")
    return VideoRefused("undecodable", f"The file cannot be decoded: {said}"[:_SAID])
