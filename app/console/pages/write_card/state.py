"""What the parts of the page share: what lies in the readers, whose card is written, and the result that is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.capabilities.provisioning.messages import Card, CardList, Provision
from app.console.cards.jobs import OPEN, CardJob, JobPhase, torn_of
from app.console.cards.words import CardHolder
from app.console.devices.sounds import Tone
from app.console.pages.write_card.next_step import NextStep, next_step
from app.console.pages.write_card.view import WriteCardView
from app.console.part import Host
from app.registry.messages.nodes import Node


class WriteCardState:
    """Plain state. ``show`` paints the whole page now, ``dirty`` asks for it at the next tick;
    ``tell`` makes a sound."""

    def __init__(
        self, host: Host, view: WriteCardView, *, show: Callable[[], None], tell: Callable[[Tone], None]
    ) -> None:
        self.session = host.session
        self.spawn = host.spawn
        self.show_failure = host.show_failure
        self.view = view
        self.show = show
        self.tell = tell
        self.cards: CardList | None = None
        self.torn: Sequence[Provision] = ()
        self.jobs: dict[str, CardJob] = {}
        self.node: Node | None = None
        self.holders: dict[str, CardHolder] = {}
        self.shown: Provision | None = None
        self.opened = False
        """Whether the person here asked for ``shown``: nobody else's write may then take its place."""
        self.reissues: set[str] = set()
        """GUIDs of cards that may be taken from their holders now: a second key has agreed."""
        self.usual: list[float | None] = []
        """What each stage takes usually, milliseconds; empty until cards that were written are read."""
        self.next_step: NextStep | None = None
        self.dirty = True

    @property
    def items(self) -> list[Card]:
        """Every reader with what lies in it, as last told."""
        return self.cards.items if self.cards is not None else []

    @property
    def card(self) -> Card | None:
        """The chosen reader."""
        reader = self.view.readers.reader
        return next((card for card in self.items if card.reader == reader), None)

    @property
    def job(self) -> CardJob | None:
        """The job of the chosen reader."""
        return self.jobs.get(self.view.readers.reader)

    @property
    def subject(self) -> Provision | None:
        """The card that the steps after the write are for: the one that is shown, unless another one is being written,
        it was torn and pulled out, or another person was chosen since."""
        shown, job, node = self.shown, self.job, self.node
        if shown is None or self.opened:
            return shown
        if job is not None and (job.phase in OPEN or (job.phase is JobPhase.TORN and self._is_away(job))):
            return None
        return None if node is not None and node.node_id != shown.node_id else shown

    def _is_away(self, job: CardJob) -> bool:
        """Whether the card of a torn write is not in its reader."""
        card = self.card
        return card is None or not card.present or job.same_card(card) is False

    def shows(self, provision_id: str) -> bool:
        """Whether this provisioning is the one that is shown."""
        return self.shown is not None and self.shown.provision_id == provision_id

    def judge(self, stale: str) -> NextStep:
        """What is so at the chosen reader, and what to do next."""
        card = self.card
        torn = torn_of(card, self.torn) if card is not None and card.state == "torn" else None
        self.next_step = next_step(
            card, self.job, self.node, torn, stale, self.holders, self.reissues, self.view.readers.wanted
        )
        return self.next_step
