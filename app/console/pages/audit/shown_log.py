"""The log that the audit table shows, whole or filtered: what the parts of the page share."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.console.pages.audit.filtered_log import FilteredLog
from app.console.pages.audit.question import Filter
from app.console.pages.audit.whole_log import WholeLog


@dataclass
class ShownLog:
    """``filtered`` is None while the whole log is shown; ``wanted`` is the filter that the table shows."""

    whole: WholeLog = field(default_factory=WholeLog)
    filtered: FilteredLog | None = None
    wanted: Filter = field(default_factory=Filter)
    opened: bool = False
    """Whether both ends of the whole log are known."""

    def show_everything(self) -> None:
        """Show the whole log: nothing is filtered."""
        self.filtered, self.wanted = None, Filter()

    @property
    def checkpoint(self) -> str:
        """Signed note of the tree that is shown."""
        return self.whole.checkpoint if self.filtered is None else self.filtered.checkpoint

    @property
    def complete(self) -> bool:
        """Whether every row that there is was found: a filtered view is searched page by page."""
        return self.filtered is None or self.filtered.done

    def search(self, wanted: Filter, now_us: int) -> FilteredLog:
        """A search for ``wanted`` from now back to the first entry of the log."""
        floor = self.whole.anchors.around(0)[0][1] if self.whole.size else now_us
        return FilteredLog(wanted, until_us=now_us + 1_000_000, floor_us=floor)
