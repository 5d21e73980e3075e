"""The row that stands for every proven target of a burn."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.fold_row import FoldRow


class ProvenFold(FoldRow):
    """Checked while the proven targets are listed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Meaning.OK, parent)

    def show_proven(self, count: int, summary: str) -> None:
        """Show how many are proven, and how soon they were."""
        self.show_words(tr("{count} proven", count=count), summary)
