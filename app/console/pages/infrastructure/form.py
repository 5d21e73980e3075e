"""The form of one peer: register it, or change it. What the service refuses is shown at the field that it names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QWidget

from app.console.language import tr
from app.console.widgets.form import FormDialog
from app.registry.messages.peers import Peer, PeerBody

LEVELS: tuple[tuple[Literal["sovereign", "citadel"], str], ...] = (
    ("sovereign", tr("Sovereign")),
    ("citadel", tr("Citadel")),
)


SHAPES = {
    "id": tr("1 to 64 letters, digits, dot, dash, underscore and colon, beginning with a letter or digit."),
    "node_id": tr("3 to 64 letters, digits, dot, dash, underscore and colon, beginning with a letter or digit."),
    "url": tr("A host name or address and a port, such as 10.0.0.17:8443 or [fd00::17]:8443."),
}
"""What the fields take, in words."""


@dataclass(frozen=True)
class PeerRequest:
    """What the person wants registered."""

    peer_id: str
    body: PeerBody


class PeerForm(FormDialog):
    """Emits ``asked`` with a ``PeerRequest``; stays open until the presenter accepts it.

    A PUT replaces the whole row and the service shows certificates by their SHA-256 only, so a frame with certificates
    of its own needs them pasted again, or dropped on purpose: they must never be lost by saving something else.
    """

    asked = Signal(object)

    def __init__(self, window: QWidget, peer: Peer | None = None) -> None:
        super().__init__(
            window,
            tr("Register a peer") if peer is None else tr("Change {peer}", peer=peer.peer_id),
            tr("A server frame is probed each second by a full mutual TLS handshake with the site's certificate."),
            tr("Register") if peer is None else tr("Save"),
            shapes=SHAPES,
        )
        self._peer = peer
        self.peer_id = self.line("id", tr("Peer id"), "hall-a-01")
        self.node_id = self.line("node_id", tr("Node id", "frame"), "FRAME-HALL-A-01")
        self.url = self.line("url", tr("Host and port"), "10.0.0.17:8443")
        self.level = QComboBox()
        for value, word in LEVELS:
            self.level.addItem(word, value)
        self.add("level", tr("Level"), self.level)
        self.ca = self.text("ca", tr("Its CA (PEM)"), tr("Empty: its certificate must be of the site's own root"))
        self.certificate = self.text(
            "certificate", tr("Pinned certificate (PEM)"), tr("Empty: any certificate of that CA")
        )
        self.drop = QCheckBox(tr("Drop the certificates registered before"))
        self.maintenance = QCheckBox(tr("Under maintenance: probed, but never an alarm"))
        self.body.addWidget(self.drop)
        self.body.addWidget(self.maintenance)
        self._fill(peer)

    def _fill(self, peer: Peer | None) -> None:
        """Fill in what is registered; certificates are named by their digests, because nobody gives them back."""
        own = peer is not None and bool(peer.ca_sha256 or peer.certificate_sha256)
        self.drop.setVisible(own)
        if peer is None:
            self.peer_id.setFocus()
            return
        self.peer_id.setText(peer.peer_id)
        self.peer_id.setEnabled(False)
        self.node_id.setText(peer.node_id)
        self.url.setText(peer.url)
        self.level.setCurrentIndex(max(0, self.level.findData(peer.level)))
        self.maintenance.setChecked(peer.maintenance)
        if peer.ca_sha256:
            self.ca.setPlaceholderText(tr("Paste it again: SHA-256 {digest}", digest=", ".join(peer.ca_sha256)))
        if peer.certificate_sha256:
            self.certificate.setPlaceholderText(tr("Paste it again: SHA-256 {digest}", digest=peer.certificate_sha256))
        self.url.setFocus()

    def ask(self) -> bool:
        ca, certificate = self.ca.toPlainText().strip(), self.certificate.toPlainText().strip()
        if self._peer is not None and not self.drop.isChecked():
            lost = []
            if self._peer.ca_sha256 and not ca:
                lost.append("ca")
            if self._peer.certificate_sha256 and not certificate:
                lost.append("certificate")
            for key in lost:
                self.mark(key, tr("Registered before: paste it again, or drop it below."))
        peer_id, node_id, url = (field.text().strip() for field in (self.peer_id, self.node_id, self.url))
        self.mark_id("id", peer_id)
        self.mark_id("node_id", node_id, node=True)
        if not url:
            self.mark("url", SHAPES["url"])
        if self.marked:
            return False
        body = PeerBody(
            node_id=node_id,
            url=url,
            ca=ca or None,
            certificate=certificate or None,
            level=self.level.currentData(),
            maintenance=self.maintenance.isChecked(),
            tags=[] if self._peer is None else self._peer.tags,
        )
        self.asked.emit(PeerRequest(peer_id, body))
        return True
