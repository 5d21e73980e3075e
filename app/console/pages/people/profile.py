"""One person: reads who they are, what opens for them, their cards and what is enrolled of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from app.capabilities.burn.messages import Containment, ContainmentListQuery, Preview, PreviewBody
from app.capabilities.credentials.messages import DoorDecisionPage, DoorDecisionQuery, NodeAccess
from app.capabilities.provenance.messages import KnotListQuery, KnotSummary
from app.capabilities.provisioning.messages import Provision, ProvisionListQuery
from app.capabilities.voice.messages import EnrolledVoice
from app.client import ApiError
from app.console.failures import NothingRead, Superseded
from app.console.moments import parse_time
from app.console.pages.people.profile_view import ProfileView
from app.console.part import Host, Part
from app.console.past_standing import PastStanding, StandingLeaves, registered_later
from app.console.telemetry.live import Listener
from app.registry.messages.access import AccessEvent
from app.registry.messages.nodes import Node

ReplyT = TypeVar("ReplyT")
MOST_CARDS = 100
PREVIEW_EVERY_S = 30.0
"""What a burn would touch is asked of every directory: seldom, and never written."""
HIDDEN = frozenset({"insufficient_clearance", "not_found", "state_conflict"})
"""Problems that say that there is nothing to show to this operator: a panel says so, the rest of the page stands."""


@dataclass
class PersonProfile:
    """What was read of a person. None: it may not be read by this operator, or there is none."""

    node: Node
    access: NodeAccess | None = None
    cards: Sequence[Provision] | None = None
    held: Sequence[Containment] = ()
    last: AccessEvent | None = None
    recorded_since: str | None = None
    preview: Preview | None = None
    voice: EnrolledVoice | None = None
    consents: Sequence[KnotSummary] | None = None
    previewed: float = field(default=0.0, repr=False)
    known: float = field(default=0.0, repr=False)
    """When the registry was asked, Unix time by the service's clock."""


class ProfilePart(Part):
    """``open`` shows another person; ``profile`` is what was last read of them, and ``changed`` is called then."""

    every_s = 10.0
    ticks_a_paint = 5
    kinds = frozenset({"nodes", "cards", "grants", "burns", "containments", "seals"})

    view: ProfileView

    def __init__(self, host: Host, view: ProfileView, changed: Callable[[], None]) -> None:
        super().__init__(host, view.mark)
        self._changed = changed
        self.view = view
        self.node_id = ""
        self.profile: PersonProfile | None = None
        self._leaves = StandingLeaves(host.session)
        host.session.shown_time.changed.connect(self._take_moment)

    @property
    def node(self) -> Node | None:
        """The person who is shown."""
        return None if self.profile is None else self.profile.node

    def open(self, node_id: str) -> None:
        """Show this person; the one before is forgotten at once, so that nothing of theirs stands under a new name."""
        if node_id != self.node_id:
            self.node_id, self.profile = node_id, None
            self._leaves = StandingLeaves(self.session, node_id)
            self.view.clear(node_id)
        self.read_now()

    # --- reading -----------------------------------------------------------------------------------------------------

    def listeners(self) -> Mapping[str, Listener]:
        return dict.fromkeys(("access", "burn", "containment", "card"), lambda _events: self.read_now())

    async def read(self) -> None:
        node_id = self.node_id
        if not node_id or not self.host.shown():
            raise NothingRead
        client, leaves = self.session.client, self._leaves
        asked = self.session.live.now()
        node = await client.registry_get_node(node_id)
        made = PersonProfile(node, known=asked)
        before = self.profile
        made.access, cards, held, decided, made.voice, consents = await asyncio.gather(
            _if_shown(lambda: client.credentials_access(node_id)),
            _if_shown(
                lambda: client.provisioning_list_provisions(query=ProvisionListQuery(node_id=node_id, limit=MOST_CARDS))
            ),
            _if_shown(lambda: client.containments_list(query=ContainmentListQuery(node_id=node_id))),
            self._decisions(node_id),
            _if_shown(lambda: client.voice_enrolled(node_id)),
            _if_shown(lambda: client.provenance_list(query=KnotListQuery(node_id=node_id, limit=MOST_CARDS))),
        )
        made.cards = None if cards is None else cards.items
        made.held = () if held is None else held.items
        made.consents = None if consents is None else consents.items
        if decided is not None:
            made.recorded_since = decided.recorded_since
            made.last = next((one for one in decided.items if one.decision == "GRANT"), None)
        if before is not None and time.monotonic() - before.previewed < PREVIEW_EVERY_S:
            made.preview, made.previewed = before.preview, before.previewed
        else:
            made.preview = await _if_shown(lambda: client.burn_preview(PreviewBody(node_id=node_id)))
            made.previewed = time.monotonic()
        await leaves.read_shown()
        if node_id != self.node_id:
            raise Superseded
        self.profile = made

    async def _decisions(self, node_id: str) -> DoorDecisionPage | None:
        """What doors decided about the person; None where this operator's roles do not see it."""
        if not self.session.permissions.may("door_decisions_list"):
            return None
        return await _if_shown(
            lambda: self.session.client.door_decisions_list(query=DoorDecisionQuery(node_id=node_id, limit=50))
        )

    def paint_all(self) -> None:
        self._changed()

    def paint(self) -> None:
        """Ages and countdowns, twice a second."""
        super().paint()
        if self.profile is not None and self.host.shown():
            at = self.session.shown_time.at
            self.view.show_profile(
                self.profile,
                self.session.live.now(),
                stale=bool(self.fresh.words()),
                at=at,
                then=None if at is None else self._then(self.profile, at),
            )

    def _then(self, profile: PersonProfile, at: float) -> PastStanding:
        """How the person stood at the moment that is shown."""
        node = profile.node
        if parse_time(node.created_at) > at:
            return registered_later(parse_time(node.created_at))
        return self._leaves.standing(node.node_id, node.standing, at, profile.known)

    def _take_moment(self) -> None:
        """Another moment is shown, or now again."""
        at = self.session.shown_time.at
        self.view.show_past(at is not None)
        if self.profile is not None and self.host.shown():
            self.paint()
            if at is not None and not self._leaves.reaches(at, self.profile.known):
                self.read_now()


async def _if_shown(call: Callable[[], Awaitable[ReplyT]]) -> ReplyT | None:
    """The reply; None where this operator may not see it, or there is nothing. The call begins here: one that is made
    before, beside others, is never awaited when the page is left in that moment."""
    try:
        return await call()
    except ApiError as refused:
        if refused.code in HIDDEN:
            return None
        raise
