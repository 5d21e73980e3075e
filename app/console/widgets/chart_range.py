"""The stretch of time that the charts of a page share: how far they are zoomed in, what is selected, where the
crosshair stands."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

Stretch = tuple[float, float]
"""Unix seconds, the first before the second."""


class TimeRange(QObject):
    """One for each page. Charts that have the same one zoom, pan and point together."""

    changed = Signal()
    """Another zoom or another selection."""
    pointed = Signal()
    """The crosshair stands elsewhere."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.zoom: Stretch | None = None
        """What is shown; None: all that the page has."""
        self.selection: Stretch | None = None
        self.at: float | None = None
        """Unix time of the crosshair; None: it is away."""

    def zoom_to(self, stretch: Stretch | None) -> None:
        """Show that stretch, or all."""
        if stretch != self.zoom:
            self.zoom = stretch
            self.changed.emit()

    def select(self, stretch: Stretch | None) -> None:
        """Select that stretch, or nothing."""
        if stretch != self.selection:
            self.selection = stretch
            self.changed.emit()

    def point(self, at: float | None) -> None:
        """Move the crosshair, or take it away."""
        if at != self.at:
            self.at = at
            self.pointed.emit()


def pan(shown: Stretch, by: float, whole: Stretch) -> Stretch:
    """``shown`` moved by so many seconds, as far as ``whole`` goes."""
    by = min(max(by, whole[0] - shown[0]), whole[1] - shown[1])
    return shown[0] + by, shown[1] + by
