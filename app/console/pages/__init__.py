"""The pages of the rail, in its order. Only pages that exist have a row: nothing is shown that does nothing.

The twelve pages that the console was designed with keep their keys: Ctrl+1 to Ctrl+9, Ctrl+0, Ctrl+Shift+1 and 2. Pages
that came later have the next ones."""

from __future__ import annotations

from app.console.page import PageRow

PAGES: tuple[PageRow, ...] = (
    PageRow("dashboard", "Dashboard", "layout-dashboard", "Ctrl+1", "app.console.pages.dashboard", group="Daily"),
    PageRow("write_card", "Write card", "id-card", "Ctrl+2", "app.console.pages.write_card", group="Daily"),
    PageRow("burn", "Burn", "flame", "Ctrl+3", "app.console.pages.burn", group="Daily"),
    PageRow("verify", "Verify", "fingerprint", "Ctrl+4", "app.console.pages.verify", group="Daily"),
    PageRow("media", "Media", "image", "Ctrl+5", "app.console.pages.media", group="Evidence"),
    PageRow("seals", "Seals", "file-check", "Ctrl+6", "app.console.pages.seals", group="Evidence"),
    PageRow("enforcement", "Enforcement", "scale", "Ctrl+7", "app.console.pages.enforcement", group="Evidence"),
    PageRow("readers", "Readers", "door-closed", "Ctrl+8", "app.console.pages.readers", group="Site"),
    PageRow("hr", "HR events", "inbox", "Ctrl+9", "app.console.pages.hr", group="Site"),
    PageRow("audit", "Audit", "scroll-text", "Ctrl+0", "app.console.pages.audit", group="Site"),
    PageRow(
        "infrastructure", "Infrastructure", "router", "Ctrl+Shift+1", "app.console.pages.infrastructure", group="Site"
    ),
    PageRow("people", "People", "users", "Ctrl+Shift+3", "app.console.pages.people", group="Office"),
    PageRow("batch", "Batches", "list", "Ctrl+Shift+4", "app.console.pages.batch", group="Office"),
    PageRow("stock", "Stock", "package", "Ctrl+Shift+5", "app.console.pages.stock", group="Office"),
    PageRow("settings", "Settings", "settings", "Ctrl+Shift+2", "app.console.pages.settings", offline=True),
)
