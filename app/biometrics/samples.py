"""What an enrolment sends, and the child process that makes rows of it.

The service computes nothing from a sample: it decodes it, judges its size, writes it to a pipe and wipes it. The child
process of one enrolment does the rest and ends.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec
import numpy as np

from app.api.problems import Problem, invalid_field
from app.biometrics.template_codes import Int8
from app.program import ChildRole
from app.program import child as child_command
from hardware.terminals.extraction import Encoding, ExtractionOrder, ExtractionResult
from hardware.terminals.extraction import needs_projection as _needs
from hardware.terminals.projection import DIMENSIONS, Projection

CHILD_S: Final = 20.0
_LINE_MAX: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class SentSample:
    """One sample as the child gets it; ``data`` is a view of memory that the request's end wipes."""

    encoding: Encoding
    data: memoryview = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Extracted:
    """Rows of a node, int8 (k, 512). ``probes``, by which the same person is searched for: these rows and behind them
    views of one sample; the caller wipes them. ``quality`` 0..100; ``discarded``: positions of samples that were not
    used."""

    rows: Int8 = field(repr=False)
    probes: Int8 = field(repr=False)
    quality: int
    discarded: tuple[int, ...]


def needs_projection(samples: Sequence[SentSample]) -> bool:
    """Whether the registry's projection is needed: for pictures and features, but not for templates."""
    return _needs([sample.encoding for sample in samples])


def extract(samples: Sequence[SentSample], *, together: bool, projection: Projection | None) -> Extracted:
    """The rows of these samples, by a child process. Blocks for a second or so. 422 at the sample of which nothing can
    be made; 503 if the child fails."""
    order = ExtractionOrder(
        samples=[(sample.encoding, len(sample.data)) for sample in samples],
        together=together,
        rotated=projection is not None,
    )
    parts = [memoryview(msgspec.json.encode(order) + b"\n")]
    if projection is not None:
        parts.append(projection.q15.data.cast("B"))
    parts += [sample.data for sample in samples]
    # The child gets no descriptor but its three.
    child = subprocess.Popen(
        child_command(ChildRole.EXTRACTION),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
    )
    late = threading.Timer(CHILD_S, child.kill)
    late.start()
    try:
        return _exchange(child, parts)
    except (OSError, EOFError, msgspec.MsgspecError) as error:
        raise Problem(
            "dependency_unavailable", "The enrolment could not be worked out: try again.", headers={"Retry-After": "2"}
        ) from error
    finally:
        late.cancel()
        child.kill()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                pipe.close()
        child.wait()


def _exchange(child: subprocess.Popen[bytes], parts: Sequence[memoryview]) -> Extracted:
    """Writes the order and reads the result, through buffers that are wiped."""
    if child.stdin is None or child.stdout is None:
        raise EOFError("no pipes")
    target, source = child.stdin.fileno(), child.stdout.fileno()
    # By descriptor and without a copy: a buffered writer would keep one of its own.
    for part in parts:
        while part:
            part = part[os.write(target, part) :]
    child.stdin.close()
    line = bytearray()
    while not line.endswith(b"\n"):
        byte = os.read(source, 1)
        if not byte or len(line) > _LINE_MAX:
            raise EOFError("the child gave no result")
        line += byte
    result = msgspec.json.decode(line, type=ExtractionResult)
    if result.rows == 0:
        raise invalid_field(f"/samples/{result.faulty}", f"Nothing can be made of this sample: {result.fault}.")
    made: Int8 = np.zeros((result.rows + result.views, DIMENSIONS), np.int8)
    left = made.data.cast("B")
    while left:
        count = os.readv(source, [left])
        if not count:
            raise EOFError("the child gave too little")
        left = left[count:]
    return Extracted(made[: result.rows], made, result.quality, tuple(result.discarded))
