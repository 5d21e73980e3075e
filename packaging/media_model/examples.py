"""Training images as the network sees them, on disk. Only the training reads them: it needs no decoder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from app.capabilities.media.analysis.features import BlockInputs


@dataclass(frozen=True)
class Example:
    """One kept image. ``labels``: as ``metrics.block_labels``; ``kind``, ``after``: as ``Plan.kind`` and the kind of
    the life after the change; ``source``: number of the photograph in its split."""

    inputs: BlockInputs
    labels: npt.NDArray[np.int8]
    kind: str
    after: str
    source: int


def save(example: Example, path: Path) -> None:
    """Writes an example whole or not at all."""
    beside = path.with_suffix(f".{os.getpid()}.part")
    with open(beside, "wb") as file:
        np.savez(
            file,
            maps=example.inputs.maps.astype(np.float16),
            counts=example.inputs.counts,
            histograms=example.inputs.histograms.astype(np.float16),
            bins=example.inputs.bins,
            numbers=example.inputs.numbers,
            labels=example.labels,
            told=np.array([example.kind, example.after, str(example.source)]),
        )
    beside.replace(path)


def read(path: Path) -> Example:
    """An example that was saved; its maps and histograms are rounded to half precision."""
    with np.load(path) as kept:
        inputs = BlockInputs(
            kept["maps"].astype(np.float32),
            kept["counts"],
            kept["histograms"].astype(np.float32),
            kept["bins"],
            kept["numbers"],
        )
        kind, after, source = kept["told"].tolist()
        return Example(inputs, kept["labels"], kind, after, int(source))
