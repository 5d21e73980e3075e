"""The tab of licences: what ships with the console, and under which terms."""

from __future__ import annotations

import asyncio
from importlib import metadata

from app.console.pages.settings.licences_view import LicencesView, LicensedPart
from app.console.part import Host, Part
from app.console.theme.resources import ROOT

SHIPPED = (
    ("Inter", "SIL Open Font License 1.1", "fonts/Inter-OFL.txt"),
    ("JetBrains Mono", "SIL Open Font License 1.1", "fonts/JetBrainsMono-OFL.txt"),
    ("Lucide icons", "ISC License", "icons/LICENSE"),
)
WITHIN = (("FFmpeg with libx264 and libx265, in the package av", "GNU General Public License 2 or later"),)
"""Parts of packages that are under other terms than the package itself."""
PACKAGES = ("PySide6_Essentials", "qasync", "pyqtgraph", "numpy", "httpx", "msgspec", "cryptography", "keyring", "av")


class LicencesTab(Part):
    """Reads the licences once, from the console's own files."""

    every_s = 10.0

    view: LicencesView

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.view = LicencesView()

    async def read(self) -> None:
        if not self.view.shown:
            self.view.show_licences(*await asyncio.to_thread(read_licences))


def read_licences() -> tuple[list[LicensedPart], str]:
    """The parts, and the texts of fonts and icons. Reads some twenty files: not on the GUI thread."""
    parts = [LicensedPart(name, "", licence) for name, licence, _ in SHIPPED]
    for package in PACKAGES:
        about = metadata.metadata(package)
        licence = next((about[key] for key in ("License-Expression", "License") if key in about), "")
        parts.append(
            LicensedPart(about["Name"], about["Version"], licence.splitlines()[0] if licence else "see package")
        )
    parts += [LicensedPart(name, "", licence) for name, licence in WITHIN]
    texts = "\n\n".join(
        f"{name}\n{'=' * len(name)}\n\n{(ROOT / path).read_text(encoding='utf-8')}" for name, _, path in SHIPPED
    )
    return parts, texts
