"""A folder of images that others made, with masks: what the evaluation measures on, and the calibration may ask."""

from __future__ import annotations

from pathlib import Path

import msgspec


class ListedImage(msgspec.Struct, frozen=True):
    """One image of the folder. ``mask``: a file, white where the image was changed, None for an authentic one;
    ``final``: the file's last life."""

    file: str
    mask: str | None
    kind: str
    final: str


def listed_in(folder: Path) -> list[ListedImage]:
    """The images that the folder's ``manifest.json`` lists. Raises ``OSError``, or ``ValueError`` for another file."""
    return msgspec.json.decode((folder / "manifest.json").read_bytes(), type=list[ListedImage])
