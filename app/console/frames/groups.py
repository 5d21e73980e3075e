"""Groups of frames: the group in a frame's id, and its caption."""

from __future__ import annotations

import re

_COUNTED = re.compile(r"[-._:]*[0-9]+\Z")


def group_of(peer_id: str) -> str:
    """The group that a frame's id names: all of it before its last number, ``training-a-07`` -> ``training-a``."""
    return _COUNTED.sub("", peer_id) or peer_id


def caption(group: str) -> str:
    """A group's id as a caption: ``training-a`` -> ``Training a``."""
    words = re.sub(r"[-._:]+", " ", group).strip()
    return words[:1].upper() + words[1:]
