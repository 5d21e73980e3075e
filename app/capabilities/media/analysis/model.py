"""What is shipped with the network: its version, when a block counts as changed, and what authentic images score."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

NETWORK_FILE: Final = "network.onnx"
FACTS_FILE: Final = "model.json"


class ModelFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``model.json``. ``version``: hash of the training's data list and code, and of the network. ``floor`` and
    ``share``: a block counts as changed where its probability is at least the floor, and at least that share of the
    image's highest ones; both 0 to 1. ``after_lives``: in the order of the network's answer. ``scores``: of authentic
    images that no training saw, by the after-life that the network takes them for, and as ``HARDEST``
    (``media.calibration``) those of the photographs that score highest once more; as ``OTHERS`` those of a collection
    that had no part in anything else. ``strengths``: of the same images by
    detector, in rising order, those alone to which it was applicable."""

    version: str
    floor: float
    share: float
    after_lives: tuple[str, ...]
    scores: dict[str, tuple[float, ...]]
    strengths: dict[str, tuple[float, ...]]


def read_facts(directory: Path) -> ModelFacts:
    """The facts of a model's directory. Raises ``OSError``, or ``ValueError`` for a file that is none."""
    return msgspec.json.decode((directory / FACTS_FILE).read_bytes(), type=ModelFacts)
