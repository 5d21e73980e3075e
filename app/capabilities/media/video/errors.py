"""Why a video has no judgement."""

from __future__ import annotations

from typing import Literal

VideoRefusalCode = Literal["unsupported_format", "too_large", "undecodable"]


class VideoRefused(Exception):
    """A file that cannot be judged. Its text is one sentence; ``code`` is one of a worker's refusals."""

    def __init__(self, code: VideoRefusalCode, sentence: str) -> None:
        super().__init__(sentence)
        self.code: VideoRefusalCode = code
