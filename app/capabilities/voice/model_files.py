"""What the voice check's models are: one list of files with their SHA-256, and what was measured of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from app.capabilities.voice.speaker.scoring import SpeakerFacts

FACTS_FILE: Final = "model.json"


class VoiceModelFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``model.json``. ``id``: the model's name. ``features_version``: of the analysis that it was trained on.
    ``files``: SHA-256, hex, by name of a file beside it. ``speaker`` and ``clone``: what each judge was calibrated to;
    the clone judge decodes its own. ``resonance``: mean and standard deviation of living voices by the name of a
    number of ``analysis/resonance.py``."""

    id: str
    features_version: int
    files: dict[str, str]
    speaker: SpeakerFacts
    clone: msgspec.Raw
    resonance: dict[str, tuple[float, float]] = {}


@dataclass(frozen=True)
class VoiceModel:
    """A model in memory. ``sha256``: hex, of ``model.json``, which names those of all ``files``."""

    facts: VoiceModelFacts
    sha256: str
    files: Mapping[str, bytes]


def read_model(folder: Path) -> VoiceModel:
    """A model from its folder. Raises ``OSError`` where a file cannot be read, ``ValueError`` where one is another than
    the one listed, or lies elsewhere."""
    text = (folder / FACTS_FILE).read_bytes()
    facts = msgspec.json.decode(text, type=VoiceModelFacts)
    files = {}
    for name, digest in facts.files.items():
        if Path(name).name != name or name == "..":
            raise ValueError(f"{name} is no file of the model's folder")
        files[name] = (folder / name).read_bytes()
        if sha256(files[name]).hexdigest() != digest:
            raise ValueError(f"{name} is another file than the one that {FACTS_FILE} lists")
    return VoiceModel(facts, sha256(text).hexdigest(), files)
