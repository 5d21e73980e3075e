"""The pages as the tour visits them; ``tests/console/test_pages_complete.py`` compares them with the rail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class PageStop:
    """One page: the key that opens it, its title, the table that it is looked at for, and the keys that put the focus
    where a picture of the page should show it."""

    key: str
    title: str
    table: str = ""
    focus: tuple[str, ...] = ("Alt+1",)


PAGES: Mapping[str, PageStop] = {
    "dashboard": PageStop("Ctrl+1", "Dashboard"),
    "write-card": PageStop("Ctrl+2", "Write card", focus=("Ctrl+R",)),
    "burn": PageStop("Ctrl+3", "Burn", focus=("Alt+4",)),
    "verify": PageStop("Ctrl+4", "Verify"),
    "media": PageStop("Ctrl+5", "Media"),
    "seals": PageStop("Ctrl+6", "Seals", "Consents that were sealed, newest first"),
    "enforcement": PageStop("Ctrl+7", "Enforcement", "Notices of all strikes, most urgent first", ("Alt+3",)),
    "readers": PageStop("Ctrl+8", "Readers", "Doors of the cluster", ("Ctrl+P",)),
    "hr": PageStop("Ctrl+9", "HR events", "Calls of HR systems, newest first"),
    "audit": PageStop("Ctrl+0", "Audit", "Audit log, newest entry first", ("Ctrl+T",)),
    "infrastructure": PageStop("Ctrl+Shift+1", "Infrastructure", "Server frames, worst first"),
    "people": PageStop("Ctrl+Shift+3", "People", "What happened to the person, newest first", ("Alt+2",)),
    "batch": PageStop("Ctrl+Shift+4", "Batches", focus=("Alt+3",)),
    "stock": PageStop("Ctrl+Shift+5", "Stock"),
    "settings": PageStop("Ctrl+Shift+2", "Settings", focus=()),
}
"""By the page's id, with hyphens: the names of pictures begin with it."""
