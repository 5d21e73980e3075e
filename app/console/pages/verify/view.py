"""The page's frame: its tabs."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QTabWidget, QWidget

from app.console.page import PageView


class VerifyView(PageView):
    """Shows one tab of several."""

    def __init__(self) -> None:
        super().__init__("Verify")
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setAccessibleName("Ways to verify")
        self.body.addWidget(self.tabs, 1)

    def set_tabs(self, tabs: Sequence[tuple[str, QWidget]]) -> None:
        """Titles and views, in order."""
        for title, view in tabs:
            self.tabs.addTab(view, title)
