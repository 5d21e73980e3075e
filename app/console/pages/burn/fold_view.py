"""The row that stands for every proven target of a burn: nobody needs to look at each of them."""

from __future__ import annotations

from app.console.language import tr
from app.console.widgets.fold_row import FoldRow


class ProvenFold(FoldRow):
    """Checked while the proven targets are listed."""

    def show_proven(self, count: int, summary: str) -> None:
        """Show how many are proven, and how soon they were."""
        self.show_folded(tr("{count} proven", count=count), summary)
