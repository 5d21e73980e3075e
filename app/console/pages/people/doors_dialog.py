"""Which doors are opened for a person, and for how long."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from app.capabilities.credentials.messages import SyncBody
from app.console.language import tr
from app.console.widgets.form import FormDialog

LIFETIMES = ((3600, tr("1 hour")), (28800, tr("8 hours")), (86400, tr("1 day")), (604800, tr("7 days")))
USUAL = 1


class DoorsDialog(FormDialog):
    """``clusters``: profile, cluster and its name. Emits ``asked`` with a ``SyncBody``; stays open until accepted."""

    asked = Signal(object)

    def __init__(self, window: QWidget, name: str, clusters: Sequence[tuple[str, str, str]]) -> None:
        super().__init__(
            window,
            tr("Open doors for {name}", name=name),
            tr("The doors take the grant at once; one that is offline takes it when it is back."),
            tr("Open"),
        )
        self.cluster = QComboBox()
        for profile, cluster, words in clusters:
            self.cluster.addItem(words, (profile, cluster))
        self.add("hardware_reader_cluster", tr("Doors"), self.cluster)
        self.lifetime = QComboBox()
        for seconds, words in LIFETIMES:
            self.lifetime.addItem(words, seconds)
        self.lifetime.setCurrentIndex(USUAL)
        self.add("reauth_ttl_seconds", tr("For"), self.lifetime)
        self.cluster.setFocus()

    def ask(self) -> bool:
        profile, cluster = self.cluster.currentData()
        self.asked.emit(
            SyncBody(
                hardware_reader_cluster=cluster,
                credential_profile_token=profile,
                reauth_ttl_seconds=int(self.lifetime.currentData()),
            )
        )
        return True
