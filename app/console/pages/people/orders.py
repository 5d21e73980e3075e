"""What is done about the person in front: contain and release here; card, doors, burn and audit on their pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from app.capabilities.burn.messages import Containment, ContainmentBody
from app.capabilities.credentials.messages import NodeAccess, SyncBody, SyncReply
from app.capabilities.provisioning.messages import RevokedCard
from app.console.actions import Action, Effect
from app.console.clock import clock_time
from app.console.containment import contained_words, containment, release, released_words, subject_of
from app.console.language import tr
from app.console.moments import parse_time
from app.console.operations import Operation
from app.console.pages.people.card_lost_dialog import CardLostDialog
from app.console.pages.people.doors_dialog import DoorsDialog
from app.console.part import Host
from app.console.revocation import LOST, revocation, revoked_words, valid_cards
from app.console.session import MessageWay
from app.registry.messages.nodes import Node

CONTAIN_S = 900
HERE = "people"


class PersonOrders:
    """``person`` is the one in front, ``held`` what contains them, ``access`` what may open for them, ``uids`` the
    names of their cards' chips by GUID; ``change`` opens their form, ``read_now`` has the page read again."""

    def __init__(
        self,
        host: Host,
        *,
        person: Callable[[], Node | None],
        held: Callable[[], Sequence[Containment]],
        access: Callable[[], NodeAccess | None],
        uids: Callable[[], Mapping[str, str]],
        change: Callable[[str], None],
        read_now: Callable[[], None],
    ) -> None:
        self._host = host
        self._session = host.session
        self._person = person
        self._held = held
        self._access = access
        self._uids = uids
        self._change = change
        self._read_now = read_now

    def actions(self) -> Sequence[Action]:
        return [
            Action(
                "people.write_card", tr("Write a card for the person"), lambda: self._go("write_card"), "id-card",
                ("Ctrl+Return", "Ctrl+Enter"), HERE, when=self._stands, hint=tr("Opens Write card filled in."),
            ),
            Action(
                "people.open_doors", tr("Open doors for the person"), self._ask_doors, "door-open", ("Ctrl+G",), HERE,
                when=lambda: self._stands() and bool(self._clusters()), effect=Effect.CHANGE,
                hint=tr("Grants what a profile of the person names, for a time."),
                calls=("credentials_sync",),
            ),
            Action(
                "people.contain", tr("Contain the person for 15 minutes"), self._contain, "lock", ("Ctrl+D",), HERE,
                when=lambda: self._stands() and not self._containments(), effect=Effect.CHANGE,
                hint=tr("Every door of this site refuses the person for 15 minutes; it can be taken back."),
                calls=("containments_contain",),
            ),
            Action(
                "people.release", tr("Release the person"), self._release, "lock-open", ("Ctrl+U",), HERE,
                when=lambda: bool(self._containments()), effect=Effect.CHANGE,
                hint=tr("Ends the containment now. A burn is not touched."),
                calls=("containments_release",),
            ),
            Action(
                "people.change", tr("Change the person"), self._ask_change, "pencil", ("Ctrl+M",), HERE,
                when=lambda: self._host.may_write and self._person() is not None, effect=Effect.CHANGE,
                hint=tr("Name, employee id, address, accounts elsewhere, notes."),
                calls=("registry_put_node",),
            ),
            Action(
                "people.card_lost", tr("One card of the person is lost"), self._ask_card, "id-card", ("Ctrl+Shift+L",),
                HERE,
                when=lambda: self._host.may_write and self._has_card(), effect=Effect.IRREVERSIBLE,
                hint=tr("Ends that card for good. The person is not burned and keeps everything else."),
                calls=("provisioning_revoke_card",),
            ),
            Action(
                "people.burn", tr("Burn the person"), lambda: self._go("burn"), "flame", ("Ctrl+B",), HERE,
                when=lambda: self._person() is not None,
                hint=tr("Opens Burn filled in: nothing is burned before you hold."), ends_past=True,
            ),
            Action(
                "people.look", tr("Look at what a burn would touch"), lambda: self._go("burn"), "eye", (), HERE,
                when=lambda: self._person() is not None, hint=tr("Opens Burn filled in; looking writes nothing."),
                calls=("burn_preview",),
            ),
            Action(
                "people.audit", tr("Show the person in the audit log"), lambda: self._go("audit"), "scroll-text",
                ("Ctrl+I",), HERE, when=lambda: self._person() is not None,
            ),
        ]  # fmt: skip

    # --- what is possible --------------------------------------------------------------------------------------------

    def _stands(self) -> bool:
        node = self._person()
        return node is not None and node.standing != "REVOKED"

    def _containments(self) -> list[Containment]:
        return [one for one in self._held() if one.state in ("contained", "queued")]

    def _has_card(self) -> bool:
        node = self._person()
        return node is not None and bool(valid_cards(node))

    def _clusters(self) -> list[tuple[str, str, str]]:
        """Profile, cluster and its name: what may be granted."""
        access = self._access()
        return [] if access is None else [(one.profile_id, one.cluster_id, one.display_name) for one in access.clusters]

    # --- hands -------------------------------------------------------------------------------------------------------

    def _go(self, page: str) -> None:
        """Open another page with this person filled in."""
        if (node := self._person()) is not None:
            self._session.navigate(page, node_id=node.node_id)

    def _ask_change(self) -> None:
        if (node := self._person()) is not None:
            self._change(node.node_id)

    def _contain(self) -> None:
        """Deny the person at every door of this site for a quarter of an hour."""
        node = self._person()
        if node is None:
            return

        def finish(one: Containment) -> None:
            said = contained_words(one, node.display_name)
            way = MessageWay("people", {"node_id": node.node_id}, lambda: self._release_one(one, node))
            self._session.notify(said, "warn", subject=subject_of(node.node_id), way=way)
            self._read_now()

        operation = containment(ContainmentBody(node_id=node.node_id, seconds=CONTAIN_S), node.display_name)
        operation.success(finish).failure(self._host.show_failure).run(self._session, self._host.banner)

    def _release(self) -> None:
        """End everything that contains the person."""
        if (node := self._person()) is not None:
            for one in self._containments():
                self._release_one(one, node)

    def _release_one(self, one: Containment, node: Node) -> None:
        def finish(_ended: Containment) -> None:
            self._session.notify(released_words(node.display_name), subject=subject_of(node.node_id))
            self._read_now()

        operation = release(one, node.display_name)
        operation.success(finish).failure(self._host.show_failure).run(self._session, self._host.banner)

    def _ask_card(self) -> None:
        """Ask which card is lost; the person stays."""
        node = self._person()
        if node is None:
            return
        dialog = CardLostDialog(self._host.banner.window(), node.display_name, valid_cards(node), self._uids())

        def finish(card: RevokedCard) -> None:
            dialog.accept()
            text, kind = revoked_words(card, node.display_name)
            self._session.notify(text, kind, subject=tr("card {guid}", guid=card.card_guid))
            self._read_now()

        def revoke(guid: str, reason: str) -> None:
            revocation(guid, reason or LOST).success(finish).failure(dialog.show_failure).run(self._session, dialog)

        dialog.ordered.connect(revoke)
        dialog.open()

    def _ask_doors(self) -> None:
        """Ask which doors are opened, and for how long."""
        node = self._person()
        if node is None:
            return
        dialog = DoorsDialog(self._host.banner.window(), node.display_name, self._clusters())

        def finish(reply: SyncReply) -> None:
            dialog.accept()
            applied = sum(reader.state == "applied" for reader in reply.readers)
            until = clock_time(parse_time(reply.not_after))[:5]
            said = tr(
                "{applied} of {doors} doors open for {person} until {time}.",
                applied=applied,
                doors=len(reply.readers),
                person=node.display_name,
                time=until,
            )
            whole = applied == len(reply.readers)
            self._session.notify(said, "ok" if whole else "warn", subject=tr("Doors of {id}", id=node.node_id))
            self._read_now()

        def sync(body: SyncBody) -> None:
            operation: Operation[SyncReply] = Operation(
                lambda client, key: client.credentials_sync(body, idempotency_key=key),
                title=tr("Open doors for {name}", name=node.display_name),
                changes=("grants", "nodes"),
                asks=True,
            )
            operation.success(finish).failure(dialog.show_failure).run(self._session, dialog)

        dialog.asked.connect(sync)
        dialog.open()
