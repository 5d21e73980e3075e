"""An hour of which a test says what happened."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.console.widgets.chart_plot import ChartEvent


class Hour(QObject):
    """Stands where the events of the hour stand: what the test says."""

    changed = Signal()
    trouble = ""
    asking = False
    first: float | None = None

    def __init__(self) -> None:
        super().__init__()
        self.events: list[ChartEvent] = []
        self.span: tuple[float, float] | None = (0.0, 1e12)

    def all(self) -> list[ChartEvent]:
        """The events, oldest first."""
        return self.events

    def known_span(self) -> tuple[float, float] | None:
        """What is known."""
        return self.span
