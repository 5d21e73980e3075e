"""The page's frame: its tabs."""

from __future__ import annotations

from app.console.language import tr
from app.console.tabs import TabsView
from app.console.widgets.breadth import PANEL


class SettingsView(TabsView):
    """Shows one section of the settings."""

    def __init__(self) -> None:
        super().__init__(tr("Settings"), tr("Sections of the settings"), widest=PANEL)
