"""Ids that a person types: one judgement for all forms, before anything is sent. A wrong one in a path would come back
as a path that nobody knows."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from app.api.wire import NodeId, RegistryId
from app.console.language import tr

_STRAY: Final = re.compile(r"[^A-Za-z0-9._:-]")
_NAMES: Final = {" ": tr("a space"), "\t": tr("a tab"), "\n": tr("a line break")}


def wrong_id(text: str, *, node: bool = False) -> str:
    """What is wrong with an id of the registry, or of a node, as a sentence at its field; empty: nothing is."""
    try:
        msgspec.convert(text, NodeId if node else RegistryId)
    except msgspec.ValidationError:
        sentence = (
            tr("3 to 64 letters, digits, dot, dash, underscore and colon, beginning with a letter or digit.")
            if node
            else tr("1 to 64 letters, digits, dot, dash, underscore and colon, beginning with a letter or digit.")
        )
        stray = dict.fromkeys(_STRAY.findall(text))
        found = ", ".join(_NAMES.get(one, one if one.isprintable() else f"U+{ord(one):04X}") for one in stray)
        return sentence + tr(" This has {characters}.", characters=found) if stray else sentence
    return ""
