"""How many matters need somebody, said one way: in the top bar, on the wall, on a locked desk and the Dashboard."""

from __future__ import annotations

from app.console.language import tr


def need_words(waiting: int) -> str:
    """``1 needs you``, ``2 need you``."""
    return tr("1 needs you") if waiting == 1 else tr("{count} need you", count=waiting)
