"""Brings the infrastructure page to life: the table of the frames, and the peers by which they are probed."""

from __future__ import annotations

from app.console.language import tr
from app.console.pages.infrastructure.frames import FrameTable
from app.console.pages.infrastructure.peers import PeersPart
from app.console.pages.infrastructure.view import InfrastructureView
from app.console.part import PartsPresenter
from app.console.session import WindowSession


class InfrastructurePresenter(PartsPresenter):
    """One part shows, the other one changes."""

    view: InfrastructureView
    evidence_action = "infrastructure.bundle"
    past_words = tr("Status, handshakes and history show that moment; the list of frames is of now.")

    def __init__(self, session: WindowSession, view: InfrastructureView) -> None:
        super().__init__(session, view)
        self.frames = FrameTable(self.host(), view)
        self.peers = PeersPart(self.host(), view, self.frames)
        self.parts = (self.peers, self.frames)
