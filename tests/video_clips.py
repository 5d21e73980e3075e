"""Clips with and without changes, drawn by seed and encoded by ffmpeg: a scene with a camera that moves, things that
move in it, noise, and one change or one honest event."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

Frames = npt.NDArray[np.uint8]
"""Shape (frames, height, width)."""

EDITS: Final = ("insertion", "deletion", "duplication", "frozen", "splice")
HONEST: Final = ("plain", "still", "cut", "cutaway", "fade", "flash", "fast", "stopping")
RATE: Final = 25


@dataclass(frozen=True)
class Clip:
    """``frames`` as they are encoded; ``changed``: of each frame, whether a detector should speak there."""

    frames: Frames
    changed: npt.NDArray[np.bool_]


class World:
    """One scene: ``at(t)`` is what its camera sees in frame t, which may be any number."""

    def __init__(self, drawn: np.random.Generator, width: int, height: int, *, still: bool = False) -> None:
        self._size = width, height
        self._ground = _texture(drawn, 2 * width, 2 * height)
        self._sprites = []
        for _ in range(3):
            side = int(drawn.integers(height // 8, height // 4))
            start = drawn.uniform(0.1, 0.8, 2) * self._size
            speed = drawn.uniform(0.3, 2.0, 2) * drawn.choice([-1, 1], 2) * width / 320
            phase = drawn.uniform(0, 6.28)
            self._sprites.append((_texture(drawn, side, side), start, speed, phase))
        self._pan = (0.0, 0.0) if still else tuple(drawn.uniform(-0.8, 0.8, 2) * width / 320)
        self._shake = 0.0 if still else drawn.uniform(0, 0.4)
        self._noise = drawn.uniform(1.5, 4)
        self._drawn = drawn
        self.stop = 10**9
        """Frame from which on the first thing stands still."""

    def at(self, t: int) -> Frames:
        """One frame, noise drawn anew."""
        width, height = self._size
        shake = self._drawn.normal(0, self._shake, 2)
        x, y = width / 2 + self._pan[0] * t + shake[0], height / 2 + self._pan[1] * t + shake[1]
        move = np.array([[1, 0, -x], [0, 1, -y]], np.float32)
        seen = cv2.warpAffine(self._ground, move, (width, height), borderMode=cv2.BORDER_REFLECT)
        for number, (picture, start, speed, phase) in enumerate(self._sprites):
            when = min(t, self.stop) if number == 0 else t
            side = picture.shape[0]
            place = start + speed * when + 4 * np.sin(when / 9 + phase)
            span = np.array([width - side, height - side])
            left, top = (span - np.abs(np.mod(place, 2 * span) - span)).astype(int)
            seen[top : top + side, left : left + side] = picture
        noisy = seen + self._drawn.normal(0, self._noise, seen.shape)
        return np.clip(np.rint(noisy), 0, 255).astype(np.uint8)


def make_clip(kind: str, seed: int, length: int = 72, width: int = 320, height: int = 240) -> Clip:
    """A clip of one of ``EDITS`` or ``HONEST``."""
    drawn = np.random.default_rng([seed, (*EDITS, *HONEST).index(kind)])
    world = World(drawn, width, height, still=kind == "still" or (kind in ("frozen", "splice") and seed % 2 == 0))
    changed = np.zeros(length, np.bool_)
    begin = int(drawn.integers(16, length // 2))
    span = int(drawn.integers(10, 22))
    end = min(begin + span, length - 10)
    times = list(range(length))
    if kind == "deletion":
        gap = int(drawn.integers(8, 30))
        times = [t if t < begin else t + gap for t in times]
        changed[begin] = True
    if kind == "duplication":
        # Frames of before stand once more, in place of those that were there.
        back = int(drawn.integers(max(8, end - begin), begin + 1)) if begin > max(8, end - begin) else begin
        end = min(end, begin + back)
        changed[begin:end] = changed[begin - back : end - back] = True
    if kind == "stopping":
        world.stop = begin
    frames = np.stack([world.at(t) for t in times])
    if kind == "duplication":
        frames[begin:end] = frames[begin - back : end - back]
    other = World(drawn, width, height)
    if kind == "insertion":
        inserted = np.stack([other.at(t) for t in range(end - begin)])
        frames = np.concatenate([frames[:begin], inserted, frames[begin : length - len(inserted)]])
        changed[[begin, end]] = True
    if kind in ("frozen", "splice"):
        tall, wide = int(height * drawn.uniform(0.25, 0.4)), int(width * drawn.uniform(0.25, 0.4))
        top, left = int(drawn.integers(0, height - tall)), int(drawn.integers(0, width - wide))
        if kind == "frozen":
            # A place where something moves: what stands still anyhow is not changed by it.
            moves = np.abs(np.diff(frames[begin:end].astype(np.int16), axis=0)).mean(axis=0).astype(np.float32)
            summed = cv2.boxFilter(moves, -1, (wide, tall), borderType=cv2.BORDER_CONSTANT)
            middle = summed[tall // 2 : height - tall // 2 - 1, wide // 2 : width - wide // 2 - 1]
            top, left = np.unravel_index(int(middle.argmax()), middle.shape)
        place = np.s_[begin:end, top : top + tall, left : left + wide]
        if kind == "frozen":
            frames[place] = frames[begin, top : top + tall, left : left + wide]
            changed[begin : end + 1] = True
        else:
            frames[place] = np.stack([other.at(t) for t in range(end - begin)])[:, *place[1:]]
            changed[[begin, end]] = True
    if kind == "cut":
        frames[begin:] = np.stack([other.at(t) for t in range(length - begin)])
    if kind == "cutaway":
        frames[begin:end] = np.stack([other.at(t) for t in range(end - begin)])
    if kind == "fade":
        level = np.interp(np.arange(length), [begin, end], [1, 0])[:, None, None]
        frames = (frames * level).astype(np.uint8)
    if kind == "flash":
        for frame, light in ((begin, 1.5), (begin + 1, 1.9), (begin + 2, 1.2)):
            frames[frame] = np.clip(frames[frame] * light, 0, 255).astype(np.uint8)
    if kind == "fast":
        side = height // 4
        picture = _texture(drawn, side, side)
        row, speed = int(drawn.integers(0, height - side)), int(drawn.integers(width // 14, width // 6))
        for step, frame in enumerate(range(begin, length)):
            left = step * speed - side
            shown = max(left, 0), min(left + side, width)
            if shown[0] < shown[1]:
                frames[frame, row : row + side, shown[0] : shown[1]] = picture[:, shown[0] - left : shown[1] - left]
    return Clip(frames[:length], changed)


def drift(seed: int, length: int, width: int, height: int) -> Frames:
    """A few frames of a scene without any change."""
    world = World(np.random.default_rng(seed), width, height)
    return np.stack([world.at(t) for t in range(length)])


def encode(frames: Frames, *options: str, container: str = "mp4") -> bytes:
    """A file by ffmpeg; without options H.264 at CRF 23."""
    chosen = options or ("-c:v", "libx264", "-crf", "23", "-preset", "veryfast", "-threads", "1", "-pix_fmt", "yuv420p")
    flags = ("-movflags", "frag_keyframe+empty_moov") if container == "mp4" else ()
    height, width = frames.shape[1:]
    given = ("-f", "rawvideo", "-pix_fmt", "gray", "-s", f"{width}x{height}", "-r", str(RATE), "-i", "pipe:0")
    command = ("ffmpeg", "-v", "error", *given, *chosen, *flags, "-f", container, "pipe:1")
    return subprocess.run(command, input=frames.tobytes(), stdout=subprocess.PIPE, check=True, timeout=120).stdout


def _texture(drawn: np.random.Generator, width: int, height: int) -> npt.NDArray[np.float32]:
    """Light and dark at several scales, with edges."""
    total = np.zeros((height, width), np.float32)
    for cells, depth in ((3, 40), (9, 25), (30, 14)):
        coarse = drawn.normal(0, depth, (cells, cells)).astype(np.float32)
        total += cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    for _ in range(8):
        x, y = drawn.integers(0, width), drawn.integers(0, height)
        corner = int(x + drawn.integers(4, max(5, width // 3))), int(y + drawn.integers(4, max(5, height // 3)))
        cv2.rectangle(total, (int(x), int(y)), corner, float(drawn.normal(0, 50)), -1)
    return np.clip(total + drawn.uniform(90, 150), 10, 245)
