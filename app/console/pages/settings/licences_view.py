"""Licences of what ships with the console."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata

from PySide6.QtWidgets import QGridLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.console import theme
from app.console.theme.resources import ROOT
from app.console.widgets.text import TitledPanel, label

SHIPPED = (
    ("Inter", "SIL Open Font License 1.1", "fonts/Inter-OFL.txt"),
    ("JetBrains Mono", "SIL Open Font License 1.1", "fonts/JetBrainsMono-OFL.txt"),
    ("Lucide icons", "ISC License", "icons/LICENSE"),
)
PACKAGES = ("PySide6_Essentials", "qasync", "pyqtgraph", "numpy", "httpx", "msgspec", "cryptography", "keyring")


@dataclass(frozen=True)
class LicensedPart:
    """Something that ships with the console: name, version (may be empty), licence."""

    name: str
    version: str
    licence: str


def read_licences() -> tuple[list[LicensedPart], str]:
    """The parts, and the texts of fonts and icons. Reads some twenty files: not on the GUI thread."""
    parts = [LicensedPart(name, "", licence) for name, licence, _ in SHIPPED]
    for package in PACKAGES:
        about = metadata.metadata(package)
        licence = next((about[key] for key in ("License-Expression", "License") if key in about), "")
        parts.append(
            LicensedPart(about["Name"], about["Version"], licence.splitlines()[0] if licence else "see package")
        )
    texts = "\n\n".join(
        f"{name}\n{'=' * len(name)}\n\n{(ROOT / path).read_text(encoding='utf-8')}" for name, _, path in SHIPPED
    )
    return parts, texts


class LicencesView(QWidget):
    """Empty until ``show_licences``."""

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 16, 0, 0)
        column.setSpacing(12)
        parts = TitledPanel("What ships with the console")
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(32)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(2, 1)
        parts.body.addLayout(self._grid)
        texts = TitledPanel("Licence texts of fonts and icons")
        self.texts = QPlainTextEdit()
        self.texts.setReadOnly(True)
        self.texts.setAccessibleName("Licence texts of fonts and icons")
        self.texts.setFont(theme.mono(12))
        texts.body.addWidget(self.texts)
        column.addWidget(parts)
        column.addWidget(texts, 1)
        self.shown = False

    def show_licences(self, parts: list[LicensedPart], texts: str) -> None:
        """Fill it, once."""
        self.shown = True
        for at, part in enumerate(parts):
            self._grid.addWidget(label(part.name), at, 0)
            self._grid.addWidget(label(part.version, "mono"), at, 1)
            self._grid.addWidget(label(part.licence, "dim"), at, 2)
        self.texts.setPlainText(texts)
