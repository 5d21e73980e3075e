"""Windows of the console belong to its desktop entry."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication

ENTRY = Path(__file__).parents[2] / "packaging" / "desktop" / "arc-console.desktop"


def test_windows_belong_to_the_entry(application: QApplication) -> None:
    """Wayland shells go by the name of the desktop file, X11 shells by the class, which Qt takes from the application's
    name."""
    assert application.desktopFileName() == ENTRY.stem
    assert f"StartupWMClass={application.applicationName()}" in ENTRY.read_text().splitlines()
