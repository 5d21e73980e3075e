"""The containment lock: one key denies somebody here for a while, another one lets them in again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from app.capabilities.burn.messages import Containment, ContainmentBody, ContainmentListQuery
from app.console.actions import Action, Effect
from app.console.clock import Freshness, clock_time, parse_time
from app.console.failures import failure_of
from app.console.growing import read_all
from app.console.operations import Operation
from app.console.page import Presenter
from app.console.pages.burn.contained_view import CAUSES, ContainedView, ends_in
from app.console.pages.burn.order import OrderPanel
from app.console.session import WindowSession
from app.console.tasks import woken
from app.console.theme.tokens import Meaning
from app.console.widgets.choice import Choice

EVERY_S = 5.0
PAGE = 500


class Contained:
    """``subject`` and ``burned`` tell whom the order is about and whether they are burned; ``burn`` fills a node and a
    reason in for a burn; ``shown`` tells whether the list is in front."""

    def __init__(
        self,
        session: WindowSession,
        view: ContainedView,
        order: OrderPanel,
        initiator: Presenter,
        *,
        subject: Callable[[], Choice | None],
        burned: Callable[[], bool],
        burn: Callable[[str, str], None],
        shown: Callable[[], bool],
    ) -> None:
        self._session = session
        self._view = view
        self._order = order
        self._initiator = initiator
        self._subject = subject
        self._burned = burned
        self._burn = burn
        self._shown = shown
        self.rows: Sequence[Containment] = ()
        self._fresh = Freshness(EVERY_S)
        self._wake: asyncio.Event | None = None
        self._second = 0
        view.table.selected.connect(lambda _row: session.actions.refresh())
        view.table.opened.connect(lambda row: self._foresee(view.rows.rows[row]))

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table."""
        page = "burn"
        return [
            Action(
                "burn.contain", "Contain the subject now", self._contain, "lock", ("Ctrl+D",), page,
                when=self._can_contain, effect=Effect.CHANGE,
                hint="Every door of this site refuses the subject for the time given; it can be taken back.",
            ),
            Action(
                "burn.release", "Release the subject", lambda: self._release(self.of_subject()), "lock-open",
                ("Ctrl+U",), page, when=lambda: bool(self.of_subject()), effect=Effect.CHANGE,
                hint="Ends the containment now. A burn of the subject is not touched.",
            ),
            Action(
                "burn.release_chosen", "Release the chosen of the list", lambda: self._release(self._view.chosen),
                "lock-open", ("Alt+U",), page, when=self._any_chosen, effect=Effect.CHANGE,
            ),
            Action(
                "burn.burn_chosen", "Go on to burn the chosen one", lambda: self._foresee(self._view.chosen[0]),
                "flame", ("Alt+B",), page, when=lambda: self._shown() and len(self._view.chosen) == 1,
                hint="Fills the order in; the burn itself is held, or typed.",
            ),
        ]  # fmt: skip

    # --- what is known -----------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Read the list for as long as the page is shown."""
        self._wake = asyncio.Event()
        end = self._session.live.subscribe("containment", lambda _events: self.read_now())
        try:
            while True:
                try:
                    await self._read()
                except Exception as error:  # told at the head of the page; the list itself turns stale
                    self._initiator.show_failure(failure_of(error))
                await woken(self._wake, EVERY_S)
        finally:
            end()

    def read_now(self) -> None:
        """Do not wait for the next reading."""
        if self._wake is not None:
            self._wake.set()

    async def _read(self) -> None:
        client = self._session.client
        self.rows = await read_all(
            lambda cursor: client.containments_list(query=ContainmentListQuery(limit=PAGE, cursor=cursor))
        )
        self._fresh.touch()
        self.show()

    def of_subject(self) -> list[Containment]:
        """What contains or queues the subject now."""
        subject = self._subject()
        return [] if subject is None else [one for one in self.rows if one.node_id == subject.id]

    def tick(self) -> None:
        """Count down, once a second."""
        second = int(self._session.live.now())
        if second != self._second:
            self._second = second
            self.show()

    def show(self) -> None:
        """The list, and how the subject is held."""
        self._view.show_rows(self.rows)
        queued = sum(one.state == "queued" for one in self.rows)
        held = len(self.rows) - queued
        if stale := self._fresh.words():
            self._view.mark.set(Meaning.IDLE, stale)
        elif self.rows:
            said = f"{held} contained" + f", {queued} queued" * bool(queued)
            self._view.mark.set(Meaning.BAD if queued else Meaning.WARN, said)
        else:
            self._view.mark.set(Meaning.OK, "Nobody")
        mine = self.of_subject()
        words, state = "", Meaning.IDLE
        if mine:
            one = mine[0]
            state = Meaning.BAD if one.state == "queued" else Meaning.WARN
            words = f"{CAUSES[one.cause]}: {one.state}, {ends_in(one, self._session.live.now()).lower()}"
            words += " left" * (one.state == "contained" and one.until is not None)
            words += f", and {len(mine) - 1} more" * (len(mine) > 1)
        self._order.show_held(words, state)

    # --- hands -------------------------------------------------------------------------------------------------------

    def _any_chosen(self) -> bool:
        return self._shown() and bool(self._view.chosen)

    def _can_contain(self) -> bool:
        return self._subject() is not None and not self._burned() and self._order.seconds is not None

    def _contain(self) -> None:
        subject, seconds = self._subject(), self._order.seconds
        if subject is None or seconds is None:
            return
        message = self._order.message.text().strip() or None
        body = ContainmentBody(node_id=subject.id, seconds=seconds, message=message)
        operation: Operation[Containment] = Operation(
            lambda client, key: client.containments_contain(body, idempotency_key=key),
            title=f"Contain {subject.id}",
            changes=("containments", "nodes", "grants"),
            asks=True,
        )
        operation.success(self._contained).failure(self._initiator.show_failure).run(self._session, self._initiator)

    def _contained(self, one: Containment) -> None:
        self._order.message.clear()
        self.rows = [one, *(other for other in self.rows if other.containment_id != one.containment_id)]
        until = "" if one.until is None else f" until {clock_time(parse_time(one.until))}"
        self._session.notify(f"{one.node_id} is denied at this site{until}. Ctrl+U releases.", "warn")
        self.show()
        self.read_now()

    def _release(self, some: Sequence[Containment]) -> None:
        for one in some:
            self._release_one(one)

    def _release_one(self, one: Containment) -> None:
        def released(ended: Containment) -> None:
            self.rows = [other for other in self.rows if other.containment_id != ended.containment_id]
            self._session.notify(f"{ended.node_id} is released.")
            self.show()
            self.read_now()
            self._session.actions.refresh()

        operation: Operation[Containment] = Operation(
            lambda client, _key: client.containments_release(one.containment_id),
            title=f"Release {one.node_id}",
            changes=("containments", "nodes", "grants"),
            asks=True,
        )
        operation.success(released).failure(self._initiator.show_failure).run(self._session, self._initiator)

    def _foresee(self, one: Containment) -> None:
        self._burn(one.node_id, one.message or "")
