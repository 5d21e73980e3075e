"""The list of human recordings: which files of which Debian packages one speaker has spoken."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import msgspec

LIST: Final = Path(__file__).parent / "recordings.json"
PARTS: Final = ("train", "check")
"""``check``: speakers of which nothing is in training, for the choices."""


class VoicePackage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A Debian package. ``sha256``: of the .deb file, hex, and so of every file in it; ``licence``: of the recordings,
    as the package's copyright file has it."""

    name: str
    version: str
    sha256: str
    licence: str


class RecordedSpeaker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One voice. ``person``: whom the voice belongs to, since one person may have recorded two packages; ``files``: in
    the package, under ``folder``."""

    name: str
    person: str
    language: str
    package: str
    part: Literal["train", "check"]
    folder: str
    files: tuple[str, ...]


class RecordingList(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``recordings.json`` holds."""

    packages: tuple[VoicePackage, ...]
    speakers: tuple[RecordedSpeaker, ...]


def read_recordings() -> RecordingList:
    """The list as committed. ``ValueError`` where a speaker's package is not listed."""
    found = msgspec.json.decode(LIST.read_bytes(), type=RecordingList)
    known = {package.name for package in found.packages}
    for speaker in found.speakers:
        if speaker.package not in known:
            raise ValueError(f"{speaker.name} has a package that is not listed: {speaker.package}")
    return found
