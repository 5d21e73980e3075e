"""The pages of the rail, in its order. Only pages that exist have a row: nothing is shown that does nothing.

Keys follow the rail from its top: Ctrl+1 to Ctrl+9, Ctrl+0, then Ctrl+Shift+1 and on. A page that comes in between
moves the keys of those below it."""

from __future__ import annotations

from app.console.page import PageRow

PAGES: tuple[PageRow, ...] = (
    PageRow("dashboard", "Dashboard", "layout-dashboard", "Ctrl+1", "app.console.pages.dashboard"),
    PageRow("write_card", "Write card", "id-card", "Ctrl+2", "app.console.pages.write_card"),
    PageRow("burn", "Burn", "flame", "Ctrl+3", "app.console.pages.burn"),
    PageRow("verify", "Verify", "fingerprint", "Ctrl+4", "app.console.pages.verify"),
    PageRow("media", "Media", "image", "Ctrl+5", "app.console.pages.media"),
    PageRow("batch", "Batches", "list", "Ctrl+6", "app.console.pages.batch"),
    PageRow("stock", "Stock", "package", "Ctrl+7", "app.console.pages.stock"),
    PageRow("seals", "Seals", "file-check", "Ctrl+8", "app.console.pages.seals"),
    PageRow("enforcement", "Enforcement", "scale", "Ctrl+9", "app.console.pages.enforcement"),
    PageRow("readers", "Readers", "door-closed", "Ctrl+0", "app.console.pages.readers"),
    PageRow("hr", "HR events", "inbox", "Ctrl+Shift+1", "app.console.pages.hr"),
    PageRow("audit", "Audit", "scroll-text", "Ctrl+Shift+2", "app.console.pages.audit"),
    PageRow("infrastructure", "Infrastructure", "router", "Ctrl+Shift+3", "app.console.pages.infrastructure"),
    PageRow("settings", "Settings", "settings", "Ctrl+Shift+4", "app.console.pages.settings", offline=True),
)
