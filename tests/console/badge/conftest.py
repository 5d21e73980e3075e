"""Badges to print, and what a PDF reader, a scanner and a picture program make of them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QColor, QImage, QPainter

from app.console.badge import Badge

GUID = "1f3a22b0-9dad-41d1-80b4-00c04fd430c8"
DPI = 300
MakeBadge = Callable[..., Badge]


def poppler(program: str, *arguments: str, document: bytes = b"") -> bytes:
    """Run one of poppler's programs, away from the GUI thread, which the guards watch."""

    def blocking() -> bytes:
        try:
            done = subprocess.run([program, *arguments], input=document, capture_output=True, check=False, timeout=60)
        except FileNotFoundError:
            pytest.fail(f"this test needs {program}: apt-get install poppler-utils")
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(blocking).result()


def page_texts(document: bytes) -> list[str]:
    """The text of each page."""
    return poppler("pdftotext", "-raw", "-", "-", document=document).decode().split("\f")[:-1]


def rendered(document: bytes, folder: Path) -> list[QImage]:
    """The pages as a printer would put them on paper, 300 dots an inch, grey."""
    poppler("pdftoppm", "-r", str(DPI), "-gray", "-png", "-", str(folder / "page"), document=document)
    return [QImage(str(path)).convertToFormat(QImage.Format.Format_Grayscale8) for path in sorted(folder.iterdir())]


def picture(width: int, height: int, kind: str = "PNG", colour: str = "#102040") -> bytes:
    """A file with a picture whose left half has this colour; its right half is white."""
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("#FFFFFF"))
    painter = QPainter(image)
    painter.fillRect(0, 0, width // 2, height, QColor(colour))
    painter.end()
    return encoded(image, kind)


def encoded(image: QImage, kind: str = "PNG") -> bytes:
    """A file with this picture."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    assert image.save(buffer, kind)
    return bytes(buffer.data().data())


@pytest.fixture
def make_badge(application: object) -> MakeBadge:
    """A badge of the training site; fields may be changed."""

    def made(**changes: object) -> Badge:
        fields: dict[str, object] = {
            "display_name": "Training Person 40",
            "node_id": "training-0040",
            "affiliation": "TRAINING",
            "issuer": "TRAINING",
            "serial": "1F3A22B0",
            "card_guid": GUID,
            "issued": date(2026, 11, 21),
            "expires": date(2029, 11, 20),
            "training": True,
        }
        return Badge(**{**fields, **changes})  # type: ignore[arg-type]

    return made
