"""The page's frame: its tabs."""

from __future__ import annotations

from app.console.language import tr
from app.console.tabs import TabsView


class VerifyView(TabsView):
    """Shows one way to verify of several."""

    def __init__(self) -> None:
        super().__init__(tr("Verify"), tr("Ways to verify"))
