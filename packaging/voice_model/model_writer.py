"""Writes one judge's part of ``resources/voice/model.json`` and its files, and leaves the other's as it is."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal

import msgspec

from app.capabilities.voice.model_files import FACTS_FILE

SHIPPED: Final = Path(__file__).parents[2] / "resources" / "voice"
MODEL_ID: Final = "arc-voice-1"
OWNED: Final[Mapping[str, tuple[str, ...]]] = {
    "speaker": ("encoder.", "speaker."),
    "clone": ("clone.",),
    "resonance": (),
}
"""How the names of each part's files begin."""


def write_part(
    folder: Path,
    part: Literal["speaker", "clone", "resonance"],
    facts: object,
    files: Mapping[str, bytes],
    features_version: int,
) -> None:
    """Replaces a part: its ``files``, which are all that begin as ``OWNED`` says, and its facts. ``features_version``:
    of the analysis now; both parts are of one. Raises ``ValueError`` for a file of another part."""
    if any(not name.startswith(OWNED[part]) for name in files):
        raise ValueError(f"the files {sorted(files)} are not all of the part {part}")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FACTS_FILE
    known = msgspec.json.decode(path.read_bytes(), type=dict[str, msgspec.Raw]) if path.exists() else {}
    listed = msgspec.json.decode(known.get("files", b"{}"), type=dict[str, str])
    kept = {name: digest for name, digest in listed.items() if not name.startswith(OWNED[part])}
    for name, content in files.items():
        (folder / name).write_bytes(content)
        kept[name] = sha256(content).hexdigest()
    written = {
        "id": MODEL_ID,
        "features_version": features_version,
        "files": dict(sorted(kept.items())),
        "speaker": known.get("speaker", msgspec.Raw(b"null")),
        "clone": known.get("clone", msgspec.Raw(b"null")),
        "resonance": known.get("resonance", msgspec.Raw(b"{}")),
        part: facts,
    }
    path.write_bytes(msgspec.json.format(msgspec.json.encode(written), indent=1) + b"\n")
