"""A lost card is no burn: the card ends by itself, and its person keeps every other access."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt

from app.capabilities.provisioning.messages import RevokedCard
from app.console.actions import Action, Effect
from app.console.failures import Failure, NothingRead
from app.console.language import tr
from app.console.pages.burn.lost_card_view import LostCardPanel
from app.console.part import Host, Part
from app.console.revocation import LOST, card_words, revocation, revoked_words, valid_cards
from app.console.session import MessageWay
from app.console.widgets.choice import Choice
from app.registry.messages.nodes import NodeCredential


class LostCard(Part):
    """``subject`` tells whom the order is about, ``reason`` what stands in it; ``lead`` brings hands that wait to their
    hold."""

    every_s = 5.0
    kinds = frozenset({"cards", "burns", "nodes"})

    def __init__(
        self,
        host: Host,
        view: LostCardPanel,
        *,
        subject: Callable[[], Choice | None],
        reason: Callable[[], str],
        lead: Callable[[], None],
    ) -> None:
        super().__init__(host)
        self.view: LostCardPanel = view
        self._subject = subject
        self._reason = reason
        self._lead = lead
        self._of = ""
        """The node whose cards were read."""
        self._cards: Sequence[NodeCredential] = ()
        self._sent = False
        view.changed.connect(self._show_ready)
        view.ordered.connect(self._revoke)

    def actions(self) -> Sequence[Action]:
        return [
            Action(
                "burn.lost_card", tr("Revoke one card of the subject"), self._go, "id-card", ("Ctrl+Shift+L",), "burn",
                when=lambda: self._subject() is not None, effect=Effect.IRREVERSIBLE,
                hint=tr("Goes to the hold that ends one lost card. Its person is not burned."),
                calls=("provisioning_revoke_card",),
            )
        ]  # fmt: skip

    async def read(self) -> None:
        subject = self._subject()
        if subject is None or not self._is_asked():
            raise NothingRead
        node = await self.session.client.registry_get_node(subject.id)
        self._of = node.node_id
        self._cards = valid_cards(node)

    def is_known(self) -> bool:
        """Whether it is certain which hold hands are to find: no lost card is the reason, or its cards were read."""
        subject = self._subject()
        return not self._is_asked() or subject is None or self._of == subject.id

    def _is_asked(self) -> bool:
        return self._reason().strip() == LOST

    def paint_all(self) -> None:
        """Show the cards while a lost card is the reason, else nothing."""
        subject = self._subject()
        mine = self._cards if subject is not None and self._of == subject.id and self._is_asked() else ()
        if self._is_asked() and subject is not None and self._of != subject.id:
            self.read_now()
        self.view.setVisible(bool(mine))
        self.view.show_cards([(one.card_guid or "", card_words(one)) for one in mine])
        self._show_ready()
        self._lead()

    def _show_ready(self) -> None:
        """Say whether the hold ends the chosen card, and what else it ends."""
        subject = self._subject()
        ready = (
            self.host.may("provisioning_revoke_card")
            and self.view.chosen is not None
            and subject is not None
            and not self._sent
        )
        name = "" if subject is None else subject.title
        self.view.show_ready(
            ready,
            tr(
                "Only a card is lost? This ends it for good. {name} is not burned and keeps all other access.",
                name=name,
            ),
        )

    def _go(self) -> None:
        """Show the panel for the reason, and give the hold the keys once it answers."""
        self.read_now()
        if self.view.confirm.hold.isEnabled():
            self.view.confirm.hold.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _revoke(self) -> None:
        """Revoke the card that is chosen."""
        guid = self.view.chosen
        if guid is None or self._sent:
            return
        self._sent = True
        self._show_ready()
        operation = revocation(guid, self._reason().strip() or LOST)
        operation.success(self._finish).failure(self._fail).run(self.session, self.view)

    def _finish(self, card: RevokedCard) -> None:
        self._sent = False
        self.view.confirm.clear()
        subject = self._subject()
        holder = subject.title if subject is not None and subject.id == card.node_id else card.node_id
        text, kind = revoked_words(card, holder)
        way = MessageWay("people", {"node_id": card.node_id})
        self.session.notify(text, kind, subject=tr("card {guid}", guid=card.card_guid), way=way)
        self._cards = [one for one in self._cards if one.card_guid != card.card_guid]
        self.paint_all()
        self.read_now()

    def _fail(self, failure: Failure) -> None:
        self._sent = False
        self._show_ready()
        self.host.show_failure(failure)
