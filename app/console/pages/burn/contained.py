"""Containment: one key press denies somebody here for a while, another one lets them in again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from app.capabilities.burn.messages import Containment, ContainmentBody, ContainmentEvent, ContainmentListQuery
from app.console.actions import Action, Effect
from app.console.containment import contained_words, containment, release, released_words, subject_of
from app.console.growing import read_all
from app.console.language import tr
from app.console.pages.burn.contained_view import CAUSES, ContainedView, ends_in
from app.console.pages.burn.order_view import OrderPanel
from app.console.part import Host, Part
from app.console.session import MessageWay
from app.console.telemetry.live import Listener, LiveEvent
from app.console.theme.tokens import Meaning
from app.console.widgets.choice import Choice

PAGE = 500


class Contained(Part):
    """``subject`` and ``burned`` tell whom the order is about and whether they are burned; ``burn`` fills a node and a
    reason in for a burn."""

    every_s = 5.0
    kinds = frozenset({"burns", "containments"})

    def __init__(
        self,
        host: Host,
        view: ContainedView,
        order: OrderPanel,
        *,
        subject: Callable[[], Choice | None],
        burned: Callable[[], bool],
        burn: Callable[[str, str], None],
    ) -> None:
        super().__init__(host)
        self.view: ContainedView = view
        self._order = order
        self._subject = subject
        self._is_burned = burned
        self._burn = burn
        self.rows: Sequence[Containment] = ()
        """Everybody who is contained or queued, as last read."""
        self._second = 0
        self._told: set[str] = set()
        """Containments that a message calls standing."""
        # Also while another page is shown: a message that no longer holds goes.
        self.session.live.subscribe("containment", self._end_messages)
        view.table.selected.connect(lambda _row: self.session.actions.refresh())
        view.table.opened.connect(lambda row: self._fill_order(view.rows.rows[row]))

    def actions(self) -> Sequence[Action]:
        page = "burn"
        return [
            Action(
                "burn.contain", tr("Contain the subject now"), self._contain, "lock", ("Ctrl+D",), page,
                when=self._can_contain, effect=Effect.CHANGE,
                hint=tr("Every door of this site refuses the subject for the time given; it can be taken back."),
                calls=("containments_contain",),
            ),
            Action(
                "burn.release", tr("Release the subject"), lambda: self._release(self.of_subject()), "lock-open",
                ("Ctrl+U",), page, when=lambda: bool(self.of_subject()), effect=Effect.CHANGE,
                hint=tr("Ends the containment now. A burn of the subject is not touched."),
                calls=("containments_release",),
            ),
            Action(
                "burn.release_chosen", tr("Release the chosen of the list"), lambda: self._release(self.view.chosen),
                "lock-open", ("Alt+U",), page, when=self._any_chosen, effect=Effect.CHANGE,
                calls=("containments_release",),
            ),
            Action(
                "burn.burn_chosen", tr("Go on to burn the chosen one"), lambda: self._fill_order(self.view.chosen[0]),
                "flame", ("Alt+B",), page, when=lambda: self.host.shown() and len(self.view.chosen) == 1,
                hint=tr("Fills the order in; the burn itself is held, or typed."),
            ),
        ]  # fmt: skip

    # --- what is known -----------------------------------------------------------------------------------------------

    def listeners(self) -> Mapping[str, Listener]:
        return {"containment": lambda _events: self.read_now()}

    def _end_messages(self, events: Sequence[LiveEvent]) -> None:
        """Take back what was said of containments that are over: released elsewhere, burned, or out of time."""
        for live in events:
            try:
                one = live.read(ContainmentEvent).containment
            except msgspec.DecodeError:
                self.session.live.lost += 1
                continue
            if one.ended_at is not None and one.containment_id in self._told:
                self._told.discard(one.containment_id)
                self.session.withdraw(subject_of(one.node_id))

    async def read(self) -> None:
        client = self.session.client
        self.rows = await read_all(
            lambda cursor: client.containments_list(query=ContainmentListQuery(limit=PAGE, cursor=cursor))
        )

    def recover(self) -> None:
        """The head of the page may hold what a burn has answered: it stays."""

    def of_subject(self) -> list[Containment]:
        """What contains or queues the subject now."""
        subject = self._subject()
        return [] if subject is None else [one for one in self.rows if one.node_id == subject.id]

    def paint(self) -> None:
        """Count down, once a second."""
        second = int(self.session.live.now())
        if second != self._second:
            self._second = second
            self.paint_all()

    def paint_all(self) -> None:
        self.view.show_rows(self.rows)
        queued = sum(one.state == "queued" for one in self.rows)
        contained = len(self.rows) - queued
        if stale := self.fresh.words():
            self.view.mark.set(Meaning.IDLE, stale)
        elif self.rows:
            said = tr("{count} contained", count=contained) + tr(", {count} queued", count=queued) * bool(queued)
            self.view.mark.set(Meaning.BAD if queued else Meaning.WARN, said)
        else:
            self.view.mark.set(Meaning.OK, tr("Nobody"))
        self._paint_subject()

    def _paint_subject(self) -> None:
        """Say beside the order how its subject is contained."""
        mine = self.of_subject()
        if not mine:
            self._order.show_held("", Meaning.IDLE)
            return
        one = mine[0]
        cause = CAUSES[one.cause]
        if one.state == "queued":
            words = tr("{cause}: queued, waits for a decision", cause=cause)
        elif one.until is None:
            words = tr("{cause}: contained, a person decides", cause=cause)
        else:
            left = ends_in(one, self.session.live.now())
            words = tr("{cause}: contained, {time} left", cause=cause, time=left)
        words += tr(", and {count} more", count=len(mine) - 1) * (len(mine) > 1)
        self._order.show_held(words, Meaning.BAD if one.state == "queued" else Meaning.WARN)

    # --- hands -------------------------------------------------------------------------------------------------------

    def _any_chosen(self) -> bool:
        return self.host.shown() and bool(self.view.chosen)

    def _can_contain(self) -> bool:
        return self._subject() is not None and not self._is_burned() and self._order.seconds is not None

    def _contain(self) -> None:
        """Deny the subject at every door of this site for the time that stands in the order."""
        subject, seconds = self._subject(), self._order.seconds
        if subject is None or seconds is None:
            return
        message = self._order.message.text().strip() or None
        body = ContainmentBody(node_id=subject.id, seconds=seconds, message=message)
        operation = containment(body, subject.id)
        operation.success(self._finish_contain).failure(self.host.show_failure).run(self.session, self.view)

    def _finish_contain(self, one: Containment) -> None:
        self._order.message.clear()
        self.rows = [one, *(other for other in self.rows if other.containment_id != one.containment_id)]
        self._told.add(one.containment_id)
        said = contained_words(one, one.display_name or one.node_id)
        way = MessageWay("burn", {"node_id": one.node_id}, lambda: self._release_one(one))
        self.session.notify(said, "warn", subject=subject_of(one.node_id), way=way)
        self.paint_all()
        self.read_now()

    def _release(self, some: Sequence[Containment]) -> None:
        for one in some:
            self._release_one(one)

    def _release_one(self, one: Containment) -> None:
        """End a containment, and take it out of the list."""

        def finish(ended: Containment) -> None:
            self.rows = [other for other in self.rows if other.containment_id != ended.containment_id]
            self._told.discard(ended.containment_id)
            said = released_words(ended.display_name or ended.node_id)
            self.session.notify(said, subject=subject_of(ended.node_id))
            self.paint_all()
            self.read_now()
            self.session.actions.refresh()

        operation = release(one, one.node_id)
        operation.success(finish).failure(self.host.show_failure).run(self.session, self.view)

    def _fill_order(self, one: Containment) -> None:
        self._burn(one.node_id, one.message or "")
