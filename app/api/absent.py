"""What a caller may look for in the contract, and this site lacks: its 404 says so, because it would read like a typing
error otherwise."""

from __future__ import annotations


def absence_of(raw_path: bytes, *, training: bool) -> str | None:
    """The sentence for a path that no row serves; None: nobody has announced it either."""
    if raw_path.startswith(b"/v1/training/") and not training:
        return "Only a training site has the calls of /v1/training: this one is in production."
    return None
