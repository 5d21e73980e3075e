"""A part of a page: its view, its actions, and the work that lasts while it is shown.

A part is used in three ways: as one tab of several (``app.console.tabs``), beside other parts of one page, or as the
only part of a page. The last two are a ``PartsPresenter``. What is read again and again is read by ``Poll``, the only
loop of its kind in the console.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.api.wire import ListQuery
from app.console.actions import Action, always, of_section
from app.console.clock import Freshness
from app.console.failures import Failure, NothingRead, failure_of
from app.console.operations import Change
from app.console.page import PageView, Presenter
from app.console.session import WindowSession
from app.console.tasks import woken
from app.console.telemetry.live import Listener
from app.console.theme.tokens import Meaning
from app.console.widgets.banner import Banner
from app.console.widgets.choice import Choice, ChoiceField
from app.console.widgets.marks import StateMark
from app.registry.messages.nodes import Node

MOST_PEOPLE = 20


class Spawn(Protocol):
    """Starts what ends with the page."""

    def __call__(self, work: Coroutine[Any, Any, Any], *, name: str = "") -> asyncio.Task[Any]:
        """The task; a failure of it is shown at the head of the page."""
        ...


def _show_nothing() -> None:
    """Bring a part to the front that is always there."""


@dataclass(frozen=True)
class Host:
    """What a page gives to a part. ``show_failure`` tells a failure at the head of the page; ``shown`` tells whether
    the part is in front, ``show`` brings it there."""

    session: WindowSession
    banner: Banner
    spawn: Spawn
    show_failure: Callable[[Failure], None]
    shown: Callable[[], bool] = always
    show: Callable[[], None] = _show_nothing

    @property
    def may_write(self) -> bool:
        """Whether the key of this console may change the registry. Which calls of it an operator may make is for each
        to ask (``may``), and asked by the table of actions for all of them."""
        return self.session.is_connected and self.session.clearance.lower() == "citadel"

    def may(self, call: str) -> bool:
        """Whether a call of the client may be made now, by the name of its method: with a Citadel key, or by an
        operator who has a role for it."""
        return self.may_write and self.session.permissions.may(call)

    def suggest(self, field: ChoiceField, text: str) -> None:
        """Offer the people whom ``text`` finds in a field where a person is chosen."""

        async def search() -> None:
            query = ListQuery(q=text or None, limit=MOST_PEOPLE)
            page = await self.session.client.registry_list_nodes(query=query)
            field.offer([person(node) for node in page.items])

        if self.session.is_connected:
            self.spawn(search())


def person(node: Node) -> Choice:
    """A node in a field where a person is chosen."""
    return Choice(node.node_id, node.display_name, node.node_id)


class Poll:
    """Reads again and again, every ``every_s`` seconds and at once when it is woken.

    ``show`` is called after each reading that succeeds, ``on_error`` with the error of each that fails, ``on_recovery``
    before ``show`` when a reading succeeds after failures. ``fresh`` tells how old the last answer is.
    """

    def __init__(
        self,
        read: Callable[[], Awaitable[None]],
        every_s: float,
        *,
        show: Callable[[], None],
        on_error: Callable[[Exception], None],
        on_recovery: Callable[[], None],
    ) -> None:
        self._read = read
        self._show = show
        self._on_error = on_error
        self._on_recovery = on_recovery
        self._wake: asyncio.Event | None = None
        self.every_s = every_s
        self.fresh = Freshness(every_s)
        self.failing = False
        """Whether the last reading failed; while ``on_error`` is called, the one before."""

    async def run(self) -> None:
        """Read until cancelled."""
        self._wake = asyncio.Event()
        self.failing = False
        while True:
            await self._read_once()
            await woken(self._wake, self.every_s)

    async def _read_once(self) -> None:
        """One turn: its answer is shown, its error is told."""
        try:
            await self._read()
        except NothingRead:
            return
        except Exception as error:  # the next turn tries again
            self._on_error(error)
            self.failing = True
            return
        if self.failing:
            self.failing = False
            self._on_recovery()
        self.fresh.touch()
        self._show()

    def read_now(self) -> None:
        """Do not wait for the next turn. Does nothing while the poll does not run."""
        if self._wake is not None:
            self._wake.set()


class Part:
    """Override ``read`` and ``paint_all`` for what is read again and again, or ``run`` for anything else; ``actions``
    for its rows of the action table, whose ``when`` asks ``host.shown`` where other parts can be in front.

    ``mark`` shows how old is what was read: the mark of the part's view, or a new one that the view places.
    """

    every_s = 15.0
    """Seconds between two readings, unless something wakes it earlier."""
    ticks_a_paint = 1
    """Ticks of 100 ms between two calls of ``paint``."""
    kinds: frozenset[str] = frozenset()
    """Kinds of what an operation may have changed that make the part read again."""

    view: QWidget
    """Set by the class that overrides."""

    def __init__(self, host: Host, mark: StateMark | None = None) -> None:
        self.host = host
        self.session = host.session
        self.mark = StateMark() if mark is None else mark
        self.mark.hide()
        self._painting = 0
        self._poll = Poll(
            self.read, self.every_s, show=self.show_answer, on_error=self.show_error, on_recovery=self.recover
        )

    @property
    def failing(self) -> bool:
        """Whether the last reading failed; in ``show_error``, the one before."""
        return self._poll.failing

    @property
    def fresh(self) -> Freshness:
        """How old is what was read."""
        return self._poll.fresh

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table; asked for once. Keys are unique on the page."""
        return ()

    def first_control(self) -> QWidget | None:
        """Where the hands go when the part is opened; None: it does not say."""
        return None

    def filter_field(self) -> QWidget | None:
        """The field that ``/`` goes to; None when the part has none."""
        return None

    def listeners(self) -> Mapping[str, Listener]:
        """What hears the events of the stream while the part is shown, by the kind of event."""
        return {}

    def take_stream(self, state: str) -> None:
        """The stream is ``connecting``, ``live`` or ``lost`` now. What happened while it was lost was not heard."""

    def take(self, arguments: Mapping[str, str]) -> None:
        """Take what another page has said when it opened this one, before anything is read."""

    async def begin(self, arguments: Mapping[str, str]) -> None:
        """What is done once, when the part is shown, before it reads. An error ends the part's work."""

    async def run(self, arguments: Mapping[str, str]) -> None:
        """Its work while it is shown; cancelled when another tab or page is."""
        self.take(arguments)
        self._painting = 0
        self.resume()
        live = self.session.live
        ends = [live.subscribe(kind, listener) for kind, listener in self.listeners().items()]
        # Ended by its own handle: a run that begins before the last one has ended connects the same method twice, and
        # PySide ends one of the two by the method, and never the other.
        hearing = live.state_changed.connect(self.take_stream)
        try:
            await self.begin(arguments)
            await self._poll.run()
        finally:
            QObject.disconnect(hearing)
            for unsubscribe in ends:
                unsubscribe()

    def resume(self) -> None:
        """The part is shown again: what it knows is awaited anew, and not stale while it is being read."""
        if not self.session.live.stale:
            self.fresh.resume()

    def show_answer(self) -> None:
        """Show what was just read."""
        self.host.banner.take_answer()
        self.paint_all()
        self.paint()
        self.session.actions.refresh()

    async def read(self) -> None:
        """Read everything that the part shows. Raises what the client raises, and NothingRead."""

    def show_error(self, error: Exception) -> None:
        """A reading failed: the head of the page says so until one succeeds."""
        self.host.show_failure(failure_of(error))

    def recover(self) -> None:
        """A reading succeeds after failures: the head of the page is cleared."""
        self.host.banner.clear()

    def paint_all(self) -> None:
        """Show what was read."""

    def paint(self) -> None:
        """Show what changes by itself: every ``ticks_a_paint`` ticks, only while shown."""
        stale = self.fresh.words()
        # A mark that no view has placed would open as a window.
        self.mark.setVisible(bool(stale) and self.mark.parentWidget() is not None)
        if stale:
            self.mark.set(Meaning.IDLE, stale)

    def repaint(self) -> None:
        """One tick has passed."""
        if self._painting % self.ticks_a_paint == 0:
            self.paint()
        self._painting += 1

    def read_now(self) -> None:
        """Have it read at once. Does nothing while the part is not shown."""
        self._poll.read_now()

    def take_change(self, change: Change) -> None:
        """Somebody changed something (while the page is shown)."""
        if change.kinds & self.kinds:
            self.read_now()


class PartsPresenter(Presenter):
    """A page whose parts all work while it is shown: one part, or several beside each other.

    A subclass makes its parts with ``self.host()`` and puts them into ``parts``.
    """

    def __init__(self, session: WindowSession, view: PageView) -> None:
        super().__init__(session, view)
        self.parts: Sequence[Part] = ()

    def host(self, *, shown: Callable[[], bool] = always, show: Callable[[], None] = _show_nothing) -> Host:
        """What a part of this page is made with. ``shown`` and ``show`` as ``Host`` says."""
        return Host(
            session=self.session,
            banner=self.view.banner,
            spawn=self.spawn,
            show_failure=self.show_failure,
            shown=shown,
            show=show,
        )

    def actions(self) -> Sequence[Action]:
        return [action for part in self.parts for action in of_section(part.host.shown, part.actions())]

    def first_control(self) -> QWidget | None:
        """That of the first part that has one."""
        return next((found for part in self.parts if (found := part.first_control()) is not None), None)

    def filter_field(self) -> QWidget | None:
        """That of the first part that has one."""
        return next((found for part in self.parts if (found := part.filter_field()) is not None), None)

    async def run(self, arguments: Mapping[str, str]) -> None:
        for part in self.parts:
            part.resume()  # at once: a repaint before the first turn of its task must not find it stale
            self.spawn(
                part.run(arguments),
                name=f"{type(part).__name__} of {self.view.accessibleName()}",
            )

    def take_change(self, change: Change) -> None:
        for part in self.parts:
            part.take_change(change)

    def repaint(self) -> None:
        for part in self.parts:
            part.repaint()
