"""The pages of the rail, in its order. Only pages that exist have a row: nothing is shown that does nothing.

The twelve pages that the console was designed with keep their keys: Ctrl+1 to Ctrl+9, Ctrl+0, Ctrl+Shift+1 and 2. Pages
that came later have the next ones."""

from __future__ import annotations

from app.console.language import tr
from app.console.page import PageRow

PAGES: tuple[PageRow, ...] = (
    PageRow(
        "dashboard", tr("Dashboard"), "layout-dashboard", "Ctrl+1", "app.console.pages.dashboard", group=tr("Daily")
    ),
    PageRow("write_card", tr("Write card"), "id-card", "Ctrl+2", "app.console.pages.write_card", group=tr("Daily")),
    PageRow("burn", tr("Burn"), "flame", "Ctrl+3", "app.console.pages.burn", group=tr("Daily")),
    PageRow("verify", tr("Verify"), "fingerprint", "Ctrl+4", "app.console.pages.verify", group=tr("Daily")),
    PageRow("media", tr("Media"), "image", "Ctrl+5", "app.console.pages.media", group=tr("Evidence")),
    PageRow("seals", tr("Seals"), "file-check", "Ctrl+6", "app.console.pages.seals", group=tr("Evidence")),
    PageRow("enforcement", tr("Enforcement"), "scale", "Ctrl+7", "app.console.pages.enforcement", group=tr("Evidence")),
    PageRow("readers", tr("Readers"), "door-closed", "Ctrl+8", "app.console.pages.readers", group=tr("Site")),
    PageRow("hr", tr("HR events"), "inbox", "Ctrl+9", "app.console.pages.hr", group=tr("Site")),
    PageRow("audit", tr("Audit"), "scroll-text", "Ctrl+0", "app.console.pages.audit", group=tr("Site")),
    PageRow(
        "infrastructure",
        tr("Infrastructure"),
        "router",
        "Ctrl+Shift+1",
        "app.console.pages.infrastructure",
        group=tr("Site"),
    ),
    PageRow("people", tr("People"), "users", "Ctrl+Shift+3", "app.console.pages.people", group=tr("Office")),
    PageRow("batch", tr("Batches"), "list", "Ctrl+Shift+4", "app.console.pages.batch", group=tr("Office")),
    PageRow("stock", tr("Stock"), "package", "Ctrl+Shift+5", "app.console.pages.stock", group=tr("Office")),
    PageRow("settings", tr("Settings"), "settings", "Ctrl+Shift+2", "app.console.pages.settings", offline=True),
)
