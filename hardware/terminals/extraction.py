"""A process of its own for one enrolment: samples in, rows out, then it ends, and all its memory with it.

So pictures, features and what numpy leaves of them never exist in the service. Standard input: one line of JSON
(``ExtractionOrder``), the projection's matrix if a sample needs it, and the samples one after the other. Standard
output: one line of JSON (``ExtractionResult``), then the rows, 512 int8 each, and the views.

Run as ``python -m hardware.terminals.extraction``. The exit code is 0 whenever there is an ``ExtractionResult``.
"""

from __future__ import annotations

import sys
from typing import BinaryIO, Final, Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.process import no_core
from hardware.terminals.enrolment import FaultySample, check_vector, enrol
from hardware.terminals.projection import DIMENSIONS, MATRIX_BYTES, Projection, Templates

Encoding: TypeAlias = Literal["roi128", "i8x512", "f32x512"]

ROI_SIDE: Final = 128
ROI_BYTES: Final = ROI_SIDE * ROI_SIDE
FEATURE_BYTES: Final = 4 * DIMENSIONS
LEAST_DETAIL: Final = 1.0
"""Least `crease.detail` of a picture that is enrolled, in grey levels."""
_LINE_MAX: Final = 1 << 16


class ExtractionOrder(msgspec.Struct, forbid_unknown_fields=True):
    """What follows: encoding and length in bytes of each sample (``i8x512``: whole views, the unshifted first).

    ``together``: one row is made of all samples, as palms are enrolled; otherwise each sample's first view is a row,
    and their sum is one more, as stylized templates are enrolled. ``rotated``: the projection's matrix comes first,
    512 x 512 int16.
    """

    samples: list[tuple[Encoding, int]]
    together: bool
    rotated: bool


class ExtractionResult(msgspec.Struct, forbid_unknown_fields=True):
    """What was made.

    ``rows`` 0: nothing could be made of sample number ``faulty``, and ``fault`` says why. ``discarded``: samples that
    do not look like the others. ``views``: the number of views of the sample to which the others were aligned; they
    follow the rows, because a hand that lies elsewhere is found by its views alone.
    """

    rows: int
    views: int
    quality: int
    discarded: list[int]
    fault: str = ""
    faulty: int = 0


def needs_projection(encodings: list[Encoding]) -> bool:
    """Whether a sample is of an encoding that has not been projected yet."""
    return any(encoding != "i8x512" for encoding in encodings)


def work(order: ExtractionOrder, source: BinaryIO) -> tuple[ExtractionResult, Templates]:
    """The rows, followed by the views, of an order whose samples ``source`` holds."""
    projection = Projection.of_matrix(_read(source, MATRIX_BYTES)) if order.rotated else None
    samples: list[Templates] = []
    for position, (encoding, size) in enumerate(order.samples):
        try:
            samples.append(_views(encoding, _read(source, size), projection))
        except ValueError as error:
            return _nothing(position, str(error))
    try:
        made = enrol(samples)
    except FaultySample as fault:
        return _nothing(fault.position, str(fault))
    rows = made.row[np.newaxis]
    if not order.together:
        kept = [sample[0] for position, sample in enumerate(samples) if position not in made.discarded]
        rows = np.stack([*kept, made.row]) if len(kept) > 1 else kept[0][np.newaxis]
    views = samples[made.reference]
    return ExtractionResult(len(rows), len(views), made.quality, list(made.discarded)), np.concatenate((rows, views))


def _views(encoding: Encoding, raw: bytes, projection: Projection | None) -> Templates:
    """The templates of one sample, the unshifted view first. ValueError for a sample that gives none."""
    if encoding == "i8x512":
        views: Templates = np.frombuffer(raw, np.int8).reshape(-1, DIMENSIONS)
        if not views.any(axis=1).all():
            raise ValueError("a template is not all zero")
        check_vector(views)
        return views
    if projection is None:
        raise ValueError("there is no projection for this sample")
    if encoding == "f32x512":
        features = np.frombuffer(raw, "<f4").astype(np.float64)[np.newaxis]
        check_vector(features)
        return projection.template(features)
    # Imported here: OpenCV takes half of the time in which this process starts, and templates do not need it.
    from hardware.terminals import crease

    roi: NDArray[np.uint8] = np.frombuffer(raw, np.uint8).reshape(ROI_SIDE, ROI_SIDE)
    if crease.detail(roi) < LEAST_DETAIL:
        raise ValueError("there is no line in this picture, at most light and shade")
    return projection.template(crease.features(roi))


def _nothing(position: int, fault: str) -> tuple[ExtractionResult, Templates]:
    return ExtractionResult(0, 0, 0, [], fault, position), np.zeros((0, DIMENSIONS), np.int8)


def _read(source: BinaryIO, size: int) -> bytes:
    raw = source.read(size)
    if len(raw) != size:
        raise EOFError("the order ended too soon")
    return raw


def main() -> int:
    """Carry out one order."""
    no_core()
    source = sys.stdin.buffer
    order = msgspec.json.decode(source.readline(_LINE_MAX), type=ExtractionOrder)
    result, rows = work(order, source)
    sys.stdout.buffer.write(msgspec.json.encode(result) + b"\n")
    sys.stdout.buffer.write(np.ascontiguousarray(rows).data)
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
