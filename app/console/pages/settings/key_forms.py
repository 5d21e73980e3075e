"""Making and rotating a key."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from app.api.keys_messages import CreateKey
from app.console.language import tr
from app.console.moments import api_time
from app.console.widgets.form import FormDialog

CLEARANCES: tuple[tuple[Literal["sovereign", "citadel"], str], ...] = (
    ("sovereign", tr("Sovereign: all but burning, keys and the registry")),
    ("citadel", tr("Citadel: everything")),
)
LIVES = (
    (90, tr("In 90 days")),
    (30, tr("In 30 days")),
    (365, tr("In a year")),
    (0, tr("Never")),
    (-1, tr("On a day that I name")),
)
"""Days of life of a new key; 0: for ever, -1: the person names the day."""
OVERLAPS = (
    (None, tr("As the site has it (24 hours if nobody changed it)")),
    (3600, tr("One hour more")),
    (604_800, tr("Seven days more")),
    (0, tr("Not at all: it ends now")),
)
DAY_SHAPE = tr("A day such as 2027-01-31, with or without a time such as 18:00.")


class KeyForm(FormDialog):
    """Emits ``asked`` with a ``CreateKey``."""

    asked = Signal(object)

    def __init__(self, window: QWidget, now: float, *, approval_id: str | None = None, approved: str = "") -> None:
        """``now``: Unix seconds by the service's clock, from which the life of the key counts. ``approved``: the label
        of the Citadel key that another administrator approved under ``approval_id``."""
        super().__init__(
            window,
            tr("Make an API key"),
            tr(
                "Its secret is shown once, right after this. Give every system a key of its own. It never "
                "approves what this console's key asks for, or another key that it made: who sees a secret "
                "could hold it."
            ),
            tr("Make the key"),
            shapes={"label": tr("Say in 1 to 200 characters whose key it is."), "expires_at": DAY_SHAPE},
        )
        self._now = now
        self.label = self.line("label", tr("Label"), tr("Badge printer, north tower"))
        self.clearance = QComboBox()
        for value, words in CLEARANCES:
            self.clearance.addItem(words, value)
        self.add("clearance", tr("Clearance"), self.clearance)
        self.life = QComboBox()
        for days, words in LIVES:
            self.life.addItem(words, days)
        self.add("life", tr("It expires"), self.life)
        self.day = self.line("expires_at", tr("Day"), "2027-01-31")
        self.life.currentIndexChanged.connect(self._follow)
        self._follow()
        self._approval_id = approval_id
        if approval_id is not None:
            self.label.setText(approved)
            self.clearance.setCurrentIndex(self.clearance.findData("citadel"))
            self.label.setEnabled(False)
            self.clearance.setEnabled(False)
        self.label.setFocus()

    def _follow(self) -> None:
        self.day.setEnabled(self.life.currentData() == -1)

    def ask(self) -> bool:
        named = self.label.text().strip()
        if not named:
            self.mark("label", tr("Say whose key it is: that is what the audit log will name."))
        days = self.life.currentData()
        expires = None if days == 0 else self._now + days * 86400
        if days == -1:
            try:
                expires = datetime.fromisoformat(self.day.text().strip()).astimezone().timestamp()
            except (ValueError, OverflowError):
                self.mark("expires_at", DAY_SHAPE)
                return False
        if not named:
            return False
        self.asked.emit(
            CreateKey(
                label=named,
                clearance=self.clearance.currentData(),
                expires_at=None if expires is None else api_time(expires),
                approval_id=self._approval_id,
            )
        )
        return True


class RotateKeyForm(FormDialog):
    """Emits ``asked`` with the seconds for which the old secret still opens; None: as the site has it."""

    asked = Signal(object)

    def __init__(self, window: QWidget, name: str) -> None:
        super().__init__(
            window,
            tr("Rotate the key of {name}?", name=name),
            tr(
                "It gets a new secret, which is shown once. Whoever calls with the old one must change to "
                "the new one in time. The label, the clearance and the webhook secret stay."
            ),
            tr("Rotate the key"),
        )
        self.overlap = QComboBox()
        for seconds, words in OVERLAPS:
            self.overlap.addItem(words, seconds)
        self.add("overlap_seconds", tr("The old secret opens"), self.overlap)
        self.overlap.setFocus()

    def ask(self) -> bool:
        self.asked.emit(self.overlap.currentData())
        return True
