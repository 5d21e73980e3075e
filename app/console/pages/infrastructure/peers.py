"""The peers of the infrastructure page: registers, changes and deletes the rows by which frames are probed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from app.console.actions import Action, Effect
from app.console.deletion import Deletion
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.infrastructure.form import PeerForm, PeerRequest
from app.console.pages.infrastructure.frames import FrameTable
from app.console.pages.infrastructure.view import InfrastructureView
from app.console.part import Host, Part
from app.registry.messages.peers import Peer, PeerBody

if TYPE_CHECKING:
    from app.client import Client


class OwnCertificates(Exception):
    """The peer has certificates that a whole new row would lose."""


class PeersPart(Part):
    """Changes the peer of the frame that is chosen in ``frames``, by ``Operation`` alone."""

    def __init__(self, host: Host, view: InfrastructureView, frames: FrameTable) -> None:
        super().__init__(host)
        self.view: InfrastructureView = view
        self._frames = frames
        view.opened.connect(lambda _peer_id: host.session.actions.trigger("infrastructure.change"))

    def actions(self) -> Sequence[Action]:
        here = "infrastructure"
        return [
            Action(
                "infrastructure.register", tr("Register a peer"), self._register, "plus", ("Ctrl+N",), here,
                when=lambda: self.host.may_write, effect=Effect.CHANGE,
                hint=tr("A server frame that is probed each second."),
                calls=("registry_put_peer",),
            ),
            Action(
                "infrastructure.change", tr("Change"), self._change, "pencil", ("Ctrl+Return",), here,
                when=self._can_change, effect=Effect.CHANGE,
                hint=tr("Address, level and certificates of the chosen frame."),
                calls=("registry_put_peer",),
            ),
            Action(
                "infrastructure.maintenance", tr("Maintenance on or off"), self._maintain, "pause", ("Ctrl+Shift+M",),
                here, when=self._can_change, effect=Effect.CHANGE,
                hint=tr("A frame under maintenance is probed and never an alarm."),
                calls=("registry_put_peer",),
            ),
            Action(
                "infrastructure.delete", tr("Delete"), self._delete, "trash-2", ("Ctrl+Del",), here,
                when=self._can_change, effect=Effect.CHANGE, hint=tr("Asks first. The frame is no longer probed."),
                calls=("registry_delete_peer",),
            ),
        ]  # fmt: skip

    async def run(self, arguments: Mapping[str, str]) -> None:
        """Nothing is read: the table of the frames has the peers."""
        if arguments.get("do") == "register" and self.host.may_write:
            self._register()

    def _can_change(self) -> bool:
        return self._frames.peer is not None and self.host.may_write

    # --- registering and changing ------------------------------------------------------------------------------------

    def _register(self) -> None:
        self._open_form(None)

    def _change(self) -> None:
        peer = self._frames.peer
        if peer is not None and self.host.may_write:
            self._open_form(peer)

    def _open_form(self, peer: Peer | None, *, maintenance: bool | None = None) -> None:
        form = PeerForm(self.view.window(), peer)
        if maintenance is not None:
            form.maintenance.setChecked(maintenance)
        form.asked.connect(lambda request: self._save(form, request))
        form.open()

    def _save(self, form: PeerForm, request: PeerRequest) -> None:
        """Put what the form says; it stays open until the service has accepted it."""
        peer_id, body = request.peer_id, request.body

        def finish(peer: Peer) -> None:
            self._frames.want(peer.peer_id)
            form.accept()
            self.session.notify(
                tr("{peer} is registered; its first probe follows within a second.", peer=peer.peer_id),
                subject=peer.peer_id,
            )

        operation: Operation[Peer] = Operation(
            lambda client, _key: client.registry_put_peer(peer_id, body),
            title=tr("Register {peer}", peer=peer_id),
            changes=("peers",),
            asks=True,
        )
        operation.success(finish).failure(form.show_failure).run(self.session, form)

    def _maintain(self) -> None:
        """Take the frame under maintenance or out of it. One with certificates of its own needs the form: the service
        never gives them back, and a PUT replaces the whole row."""
        peer = self._frames.peer
        if peer is None:
            return
        if peer.ca_sha256 or peer.certificate_sha256:
            self._open_form(peer, maintenance=not peer.maintenance)
            return
        on = not peer.maintenance
        operation: Operation[Peer] = Operation(
            lambda client, _key: _put_maintenance(client, peer.peer_id, on),
            title=tr("Maintenance of {peer}", peer=peer.peer_id),
            changes=("peers",),
        )
        words = (
            tr("{peer} is under maintenance.", peer=peer.peer_id)
            if on
            else tr("{peer} is in service again.", peer=peer.peer_id)
        )
        operation.success(lambda _peer: self.session.notify(words, subject=peer.peer_id))
        operation.failure(self.host.show_failure).run(self.session, self.view)

    # --- deleting ----------------------------------------------------------------------------------------------------

    def _delete(self) -> None:
        """Ask before the peer is deleted."""
        peer = self._frames.peer
        if peer is None:
            return
        Deletion(
            peer.peer_id,
            lambda client: client.registry_delete_peer(peer.peer_id),
            ("peers",),
            tr(
                "{node} at {url} is no longer probed, its alarm closes. What the audit log says of it stays.",
                node=peer.node_id,
                url=peer.url,
            ),
            tr("Delete the peer"),
        ).ask(self.session, self.view, self.host.show_failure, lambda: self._frames.forget(peer.peer_id))


async def _put_maintenance(client: Client, peer_id: str, on: bool) -> Peer:
    """Put the peer as it is now, under maintenance or not. Raises OwnCertificates."""
    now = await client.registry_get_peer(peer_id)
    if now.ca_sha256 or now.certificate_sha256:
        raise OwnCertificates(tr("It was given certificates of its own meanwhile; use Change."))
    body = PeerBody(
        node_id=now.node_id,
        url=now.url,
        level="citadel" if now.level == "citadel" else "sovereign",
        maintenance=on,
        tags=now.tags,
    )
    return await client.registry_put_peer(peer_id, body)
