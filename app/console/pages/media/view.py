"""The page's frame: its tabs."""

from __future__ import annotations

from app.console.language import tr
from app.console.tabs import TabsView
from app.console.widgets.breadth import WIDEST


class MediaView(TabsView):
    """Shows one scan, a batch of them, feeds, or what scores are worth."""

    def __init__(self) -> None:
        super().__init__(tr("Media"), tr("Ways to scan"), widest=WIDEST)
