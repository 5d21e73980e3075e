"""The tab of licences: what ships with the console, and under which terms."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

import msgspec

from app.console.language import tr
from app.console.pages.settings.licences_view import LicencesView, LicensedPart
from app.console.part import Host, Part
from app.console.theme.resources import ROOT

TEXTS: Final = ROOT.parent / "licenses"
"""The texts of all parts, in a package alone (``packaging/notices.py``)."""


class _ListedPart(msgspec.Struct):
    """A row of ``resources/licences.json``. ``within``: the package that it is a part of, under terms of its own;
    ``text``: the file of its licence in ``resources/``, of fonts and icons."""

    name: str
    version: str
    licence: str
    within: str | None
    text: str | None


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


def read_licences(texts: Path = TEXTS) -> tuple[list[LicensedPart], str]:
    """The parts, and the texts of fonts and icons; of all parts where a package brought them. Reads up to a hundred
    files: not on the GUI thread."""
    rows = msgspec.json.decode((ROOT / "licences.json").read_bytes(), type=list[_ListedPart])
    parts = [
        LicensedPart(
            row.name if row.within is None else tr("{part}, in {package}", part=row.name, package=row.within),
            row.version,
            row.licence,
        )
        for row in rows
    ]
    found = [(row.name, ROOT / row.text) for row in rows if row.text is not None]
    if texts.is_dir():
        found = [(path.parent.name, path) for path in sorted(texts.glob("*/*"), key=lambda path: str(path).lower())]
    said = (
        f"{name}\n{'=' * len(name)}\n\n{path.read_text(encoding='utf-8', errors='replace')}" for name, path in found
    )
    return parts, "\n\n".join(said)
