"""Why a media file has no answer: each reason is a class with a code that never changes."""

from __future__ import annotations

from typing import ClassVar, Final

from app.capabilities.media.worker.protocol import RefusalCode, WorkerRefusal


class MediaRefused(Exception):
    """A file that has no answer. Its text is one sentence; parts of it may come from a decoder."""

    code: ClassVar[RefusalCode]


class MediaUnsupported(MediaRefused):
    """It is of no format, or has no kind of samples, that is analysed."""

    code = "unsupported_format"


class MediaTooLarge(MediaRefused):
    """It has more pixels than are decoded, or needs more memory than the worker has."""

    code = "too_large"


class MediaNotAnalysed(MediaRefused):
    """It could be decoded, but has more pixels than an analysis takes."""

    code = "too_large_to_analyse"


class MediaUndecodable(MediaRefused):
    """It is empty, cut off or broken."""

    code = "undecodable"


class MediaWorkerDied(MediaRefused):
    """The worker ended, or wrote what is no message, before it had answered."""

    code = "worker_died"


class MediaUnready(MediaRefused):
    """No worker came up to read it."""

    code = "no_worker"


class MediaTookTooLong(MediaRefused):
    """It needed more processor time or more time than it may have; the worker was ended."""

    code = "took_too_long"


class MediaNotSandboxed(MediaRefused):
    """This system cannot confine a decoder, so that nothing is decoded."""

    code = "not_sandboxed"


class MediaUnjudged(MediaRefused):
    """The model that judges images is missing or damaged, so that nothing is judged."""

    code = "no_model"


_BY_CODE: Final[dict[RefusalCode, type[MediaRefused]]] = {
    kind.code: kind
    for kind in (
        MediaUnsupported,
        MediaTooLarge,
        MediaNotAnalysed,
        MediaUndecodable,
        MediaWorkerDied,
        MediaUnready,
        MediaTookTooLong,
        MediaNotSandboxed,
        MediaUnjudged,
    )
}


def from_message(message: WorkerRefusal) -> MediaRefused:
    """The refusal that a worker sent."""
    return _BY_CODE[message.code](message.reason)
