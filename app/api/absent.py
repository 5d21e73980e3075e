"""What a caller may look for by the specification or the contract, and this version lacks: its 404 says so, because it
would read like a typing error otherwise. A row of the operation table at the same path takes precedence; its line here
goes then (``tests/unit/api/test_api_absent.py``)."""

from __future__ import annotations

import re
from typing import Final

ABSENT: Final[dict[str, str]] = {
    r"/v1/citadel/action(/.*)?": "enforcement (specification 4.4)",
    r"/v1/registry/platforms(/.*)?": "enforcement (specification 4.4), so no platform is registered either",
}
"""Path (a regular expression for all of it), and what this version does not have."""

_ABSENT: Final = [(re.compile(path), what) for path, what in ABSENT.items()]


def absence_of(raw_path: bytes, *, training: bool) -> str | None:
    """The sentence for a path that no row serves; None: nobody has announced it either."""
    path = raw_path.decode("latin-1")
    if path.startswith("/v1/training/") and not training:
        return "Only a training site has the calls of /v1/training: this one is in production."
    for pattern, what in _ABSENT:
        if pattern.fullmatch(path):
            return f"This version has no {what}: do not call it, /v1/openapi.json lists all that is served."
    return None
